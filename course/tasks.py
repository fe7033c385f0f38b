"""Celery's door to what the course does by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from course.lesson_versions import keep_version
from course.library import list_lessons
from course.retention import delete_overdue_classes
from course.sealing import seal_waiting


@shared_task
def delete_overdue() -> None:
    delete_overdue_classes(timezone.now())


@shared_task
def seal_hand_ins() -> None:
    seal_waiting()


@shared_task
def keep_lessons() -> None:
    """Today's versions, also those that nobody opens before they change again."""
    for lesson in list_lessons():
        keep_version(lesson)
