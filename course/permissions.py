"""Who may see and do what, in one place.

Of a classroom: what each role may do in it stands in RIGHTS, and an admin may do it all.
"""

from __future__ import annotations

from typing import Any

import rules

from course.classrooms import (
    attends,
    owns_some_class,
    records_terminals_of,
    role_in,
    taught_then,
    teaches,
    teaches_somewhere,
)
from labs.permissions import is_oneself, is_owner

ASSISTANT_RIGHTS = frozenset({"view_classroom", "view_work", "mark_work"})
CO_TEACHER_RIGHTS = ASSISTANT_RIGHTS | {
    "manage_classroom",  # its name, code, roster and accounts
    "set_assignments",
    "release_marks",
    "export_marks",
    "manage_labs_of",
}
OWNER_RIGHTS = CO_TEACHER_RIGHTS | {"own_classroom"}  # who else teaches; archive, retention
RIGHTS: dict[str, frozenset[str]] = {
    "teacher": OWNER_RIGHTS,
    "co_teacher": CO_TEACHER_RIGHTS,
    "assistant": ASSISTANT_RIGHTS,
    "student": frozenset(),
}


def rights_in(user: Any, classroom: Any) -> frozenset[str]:
    """Everything that the user may do in this classroom, for pages that offer it. One query."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    return OWNER_RIGHTS if user.is_staff else RIGHTS.get(role_in(classroom, user), frozenset())


def _right(name: str) -> Any:
    @rules.predicate
    def may(user: Any, classroom: Any) -> bool:
        return classroom is not None and name in rights_in(user, classroom)

    return may


@rules.predicate
def attends_classroom(user: Any, classroom: Any) -> bool:
    return bool(user.is_authenticated) and attends(user, classroom)


@rules.predicate
def teaches_student(user: Any, student: Any) -> bool:
    return bool(user.is_authenticated) and teaches(user, student)


@rules.predicate
def teaches_owner_of(user: Any, thing: Any) -> bool:
    """Of an archived class, too: what it shows ends where the class did (`seen_until`)."""
    return bool(user.is_authenticated) and teaches(user, thing.owner)


@rules.predicate
def taught_owner_of_run(user: Any, run: Any) -> bool:
    return bool(user.is_authenticated) and taught_then(user, run.owner, run.queued_at)


@rules.predicate
def taught_owner_of_terminal(user: Any, session: Any) -> bool:
    return bool(user.is_authenticated) and taught_then(user, session.owner, session.opened_at)


@rules.predicate
def teaches_owner_now(user: Any, thing: Any) -> bool:
    return bool(user.is_authenticated) and teaches(user, thing.owner, in_use=True)


@rules.predicate
def is_students_own(user: Any, handin: Any) -> bool:
    return handin is not None and handin.student_id == user.pk


@rules.predicate
def sees_work_of_class(user: Any, handin: Any) -> bool:
    """Who has left was told that the class's teachers no longer see their work."""
    classroom = handin.assignment.classroom
    is_here = bool(user.is_staff) or attends(handin.student, classroom)
    return is_here and "view_work" in rights_in(user, classroom)


@rules.predicate
def manages_lab_of_owner(user: Any, lab: Any) -> bool:
    roles = [role for role, rights in RIGHTS.items() if "manage_labs_of" in rights]
    return bool(user.is_authenticated) and teaches(user, lab.owner, roles, in_use=True)


@rules.predicate
def is_recorded(user: Any, lab: Any) -> bool:
    return records_terminals_of(user)


@rules.predicate
def is_teacher(user: Any) -> bool:
    return bool(user.is_authenticated) and (user.may_teach or teaches_somewhere(user))


@rules.predicate
def may_make_classes(user: Any) -> bool:
    """Never a student of one's own accord: who teaches a class reads all answers."""
    return bool(user.is_authenticated) and (user.may_teach or owns_some_class(user))


for right in sorted(OWNER_RIGHTS):
    rules.add_perm(f"course.{right}", _right(right))
rules.add_perm("course.attend_classroom", attends_classroom)
rules.add_perm("course.add_classroom", may_make_classes | rules.is_staff)
rules.add_perm("course.view_work_of", teaches_student | rules.is_staff)
rules.add_perm("course.view_handin", is_students_own | sees_work_of_class)
rules.add_perm("course.view_guide", is_teacher | rules.is_staff)
rules.add_perm("course.view_lesson_state", rules.is_staff)
rules.set_perm("labs.view_run", is_owner | taught_owner_of_run | rules.is_staff)
rules.set_perm("labs.watch_terminal", teaches_owner_now | rules.is_staff)
rules.set_perm("labs.record_terminal", is_recorded)
rules.set_perm("labs.view_terminal", is_owner | taught_owner_of_terminal | rules.is_staff)
rules.set_perm("labs.view_terminals_of", is_oneself | teaches_student | rules.is_staff)
rules.set_perm("labs.view_files", is_owner | teaches_owner_of | rules.is_staff)
rules.set_perm("labs.care_for_lab", is_owner | manages_lab_of_owner | rules.is_staff)
