"""Celery's door to what the course does by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from course.retention import delete_overdue_classes


@shared_task
def delete_overdue() -> None:
    delete_overdue_classes(timezone.now())
