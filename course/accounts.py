"""Students' accounts that a teacher makes: name and passphrase, no e-mail. Their only writer.

A teacher reaches only accounts that were made in this very class, never other people's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from axes.utils import reset as forget_wrong_passphrases
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from course.classrooms import add_member, refuse_archived
from course.models import Classroom, Membership, User
from course.passphrases import CardHasher, make_passphrase
from labs import audit
from labs.refusal import Refused

MOST_AT_ONCE = 120
"""Each passphrase is hashed slowly on purpose: so many take a few seconds."""


@dataclass(frozen=True)
class NewAccount:
    username: str
    first_name: str = ""
    last_name: str = ""
    external_id: str = ""


@dataclass(frozen=True)
class Card:
    """What a student needs to log in. It exists on one page, once: only the hash is stored."""

    shown_name: str
    username: str
    passphrase: str


@dataclass(frozen=True)
class Secret:
    passphrase: str
    hashed: str


def make_secrets(number: int) -> list[Secret]:
    """Made before a transaction begins: hashing them inside would hold up all other writers."""
    if number > MOST_AT_ONCE:
        raise Refused(
            _(
                "At most %(most)s new passphrases can be made at once, and this would be "
                "%(number)s. Nothing was changed. Do it in smaller parts."
            )
            % {"most": MOST_AT_ONCE, "number": number}
        )
    hasher = CardHasher()
    passphrases = [make_passphrase() for _number in range(number)]
    return [
        Secret(passphrase, make_password(passphrase, hasher=hasher)) for passphrase in passphrases
    ]


def make_accounts(
    classroom: Classroom, *, actor: User, accounts: Sequence[NewAccount]
) -> list[Card]:
    """All of them or none. Raises Refused where a username was taken meanwhile."""
    refuse_archived(classroom)
    made_secrets = make_secrets(len(accounts))
    with transaction.atomic():
        return [
            make_account(classroom, actor=actor, account=account, secret=secret)
            for account, secret in zip(accounts, made_secrets, strict=True)
        ]


def make_account(classroom: Classroom, *, actor: User, account: NewAccount, secret: Secret) -> Card:
    """In the caller's transaction."""
    user = _create_user(classroom, account, secret)
    membership = add_member(classroom=classroom, user=user, role=Membership.Role.STUDENT)
    Membership.objects.filter(pk=membership.pk).update(external_id=account.external_id)
    _record(actor, user, "make account", classroom)
    return Card(user.shown_name, user.username, secret.passphrase)


def resettable(classroom: Classroom) -> QuerySet[User]:
    """Students of the class whose account was made in it and gives no other rights."""
    teaching = Membership.objects.current().filter(role__in=Membership.TEACHING)
    return (
        classroom.students()
        .filter(made_in=classroom, is_active=True)
        .filter(is_staff=False, is_superuser=False, may_teach=False)
        .exclude(pk__in=teaching.values("user_id"))
    )


def reset_passphrases(classroom: Classroom, *, actor: User, usernames: Sequence[str]) -> list[Card]:
    """New ones for those of `usernames` that may have one; the old ones end, with their log-ins."""
    refuse_archived(classroom)
    students = list(resettable(classroom).filter(username__in=usernames))
    if not students:
        raise Refused(
            _(
                "No passphrase was changed: choose at least one student whose account was made "
                "in this class. The others' accounts are their own."
            )
        )
    made_secrets = make_secrets(len(students))
    with transaction.atomic():
        return [
            _reset(classroom, actor, student, secret)
            for student, secret in zip(students, made_secrets, strict=True)
        ]


def change_names(user: User, *, first_name: str, last_name: str) -> None:
    """In the caller's transaction, who has made sure that the account is the class's to change."""
    User.objects.filter(pk=user.pk).update(first_name=first_name, last_name=last_name)


def _create_user(classroom: Classroom, account: NewAccount, secret: Secret) -> User:
    try:
        with transaction.atomic():
            return User.objects.create(
                username=account.username,
                first_name=account.first_name,
                last_name=account.last_name,
                password=secret.hashed,
                made_in=classroom,
            )
    except IntegrityError as error:
        raise Refused(
            _("The username “%(name)s” was taken meanwhile, so no account was made. Try again.")
            % {"name": account.username}
        ) from error


def _reset(classroom: Classroom, actor: User, student: User, secret: Secret) -> Card:
    User.objects.filter(pk=student.pk).update(password=secret.hashed)
    forget_wrong_passphrases(username=student.username)
    _record(actor, student, "reset passphrase", classroom)
    return Card(student.shown_name, student.username, secret.passphrase)


def _record(actor: User, user: User, action: str, classroom: Classroom) -> None:
    audit.record(
        actor=actor,
        action=action,
        subject=audit.subject_of(user),
        subject_name=user.username,
        classroom=classroom.pk,
    )
