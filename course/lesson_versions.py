"""The only writer of lesson versions: keeps a lesson whole as it is when readers first meet it."""

from __future__ import annotations

from django.db import transaction

from course.lessons.model import Lesson
from course.library import pack_lesson
from course.models import LessonVersion

# In this process: what stands in the table need not be sent to it again.
_kept: set[tuple[str, str]] = set()


def keep_version(lesson: Lesson) -> None:
    """Stores the lesson's files unless they are stored. No query for what was stored before.

    `lesson` is as the library gives it. Nothing is stored of one whose files changed meanwhile:
    its readers meet the new version in a moment.
    """
    known = (lesson.slug, lesson.version)
    if known in _kept or (files := pack_lesson(lesson)) is None:
        return
    row = LessonVersion(lesson=lesson.slug, version=lesson.version, files=files)
    LessonVersion.objects.bulk_create([row], ignore_conflicts=True)
    # Only what was committed is there for others.
    transaction.on_commit(lambda: _kept.add(known))
