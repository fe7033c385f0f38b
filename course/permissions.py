"""Who may see and do what, in one place."""

from __future__ import annotations

from typing import Any

import rules

from course.classrooms import teaches, teaches_somewhere
from labs.permissions import is_owner


@rules.predicate
def teaches_classroom(user: Any, classroom: Any) -> bool:
    return bool(classroom.memberships.filter(user_id=user.pk, role="teacher").exists())


@rules.predicate
def teaches_student(user: Any, student: Any) -> bool:
    return bool(user.is_authenticated) and teaches(user, student)


@rules.predicate
def teaches_owner_of(user: Any, run: Any) -> bool:
    return bool(user.is_authenticated) and teaches(user, run.owner)


@rules.predicate
def is_teacher(user: Any) -> bool:
    return bool(user.is_authenticated) and teaches_somewhere(user)


rules.add_perm("course.view_classroom", teaches_classroom | rules.is_staff)
rules.add_perm("course.view_work_of", teaches_student | rules.is_staff)
rules.add_perm("course.view_guide", is_teacher | rules.is_staff)
rules.add_perm("course.view_lesson_state", rules.is_staff)
rules.set_perm("labs.view_run", is_owner | teaches_owner_of | rules.is_staff)
