"""Tells the labs whom they are for: the classes of their owners, the lessons, the rehearsals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from course import classrooms
from course.library import list_lessons
from course.models import Classroom, HandIn, Membership, Rehearsal
from labs.audience import Rehearsed, Scope

CLASS, LESSON = "class:", "lesson:"


class CourseAudience:
    """Answers `labs.audience.Audience`."""

    def scopes(self) -> Sequence[Scope]:
        lessons = [Scope(f"{LESSON}{lesson.slug}", lesson.title) for lesson in list_lessons()]
        return [*lessons, *(_scope_of(classroom) for classroom in Classroom.objects.in_use())]

    def classes_of(self, owner_ids: Iterable[int]) -> Mapping[int, Sequence[Scope]]:
        found: dict[int, list[Scope]] = defaultdict(list)
        students = Membership.objects.current().students()
        wanted = students.filter(
            user__in=list(owner_ids), classroom__archived_at=None
        ).select_related("classroom")
        for membership in wanted.order_by("classroom__name", "classroom_id"):
            found[membership.user_id].append(_scope_of(membership.classroom))
        return found

    def owners_in(self, scope: str) -> Any:
        number = scope.removeprefix(CLASS)
        if not scope.startswith(CLASS) or not number.isdecimal():
            return None
        students = Membership.objects.current().students()
        return students.filter(classroom_id=int(number)).values("user_id")

    def scope_of_origin(self, origin: str) -> str:
        return f"{LESSON}{origin.partition('#')[0]}" if "#" in origin else ""

    def rehearsals_of(self, digests: Iterable[str]) -> Mapping[str, Sequence[Rehearsed]]:
        """Of lessons that exist today. One query."""
        versions = {lesson.slug: lesson.version for lesson in list_lessons()}
        rows = Rehearsal.objects.filter(image__in=list(digests), lesson__in=versions)
        newest: dict[str, dict[str, Rehearsed]] = defaultdict(dict)
        for row in rows.defer("report"):
            rehearsed = Rehearsed(
                row.lesson, row.is_good, row.lesson_version == versions[row.lesson]
            )
            newest[row.image].setdefault(row.lesson, rehearsed)
        return {digest: list(found.values()) for digest, found in newest.items()}

    def terminals_kept(self) -> Any:
        return HandIn.recordings.through.objects.values("terminalsession_id")

    def seen_until(self, viewer: Any, owner: Any) -> datetime | None:
        if viewer.pk == owner.pk or viewer.is_staff:
            return None
        return classrooms.seen_until(viewer, owner)


def _scope_of(classroom: Classroom) -> Scope:
    return Scope(f"{CLASS}{classroom.pk}", classroom.name)
