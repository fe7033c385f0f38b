"""Deletes classes whose time is over, with the accounts that were made for them."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from course.models import Classroom, Membership, User
from course.privacy import erase_person
from labs import audit


def delete_overdue_classes(now: datetime) -> int:
    """How many were deleted: those that have been archived longer than their teachers said."""
    timed = Classroom.objects.exclude(archived_at=None).exclude(retention_days=None)
    overdue = [classroom for classroom in timed if is_overdue(classroom, now)]
    for classroom in overdue:
        _delete_with_accounts(classroom)
    return len(overdue)


def is_overdue(classroom: Classroom, now: datetime) -> bool:
    return classroom.deleted_at is not None and classroom.deleted_at <= now


def accounts_of_only(classroom: Classroom) -> QuerySet[User]:
    """Accounts made in this class whose owners are in no other and have no rights of their own."""
    elsewhere = Membership.objects.current().exclude(classroom=classroom)
    return User.objects.filter(
        made_in=classroom, is_staff=False, is_superuser=False, may_teach=False
    ).exclude(pk__in=elsewhere.values("user_id"))


def _delete_with_accounts(classroom: Classroom) -> None:
    """An account at a time, so that no other writer waits long; cut off, the next round goes on."""
    for user in accounts_of_only(classroom):
        erase_person(user, actor=None)
    with transaction.atomic():
        audit.record(
            actor=None,
            action="delete class",
            subject=f"class {classroom.pk}",
            subject_name=classroom.name,
            days=classroom.retention_days,
        )
        classroom.delete()
