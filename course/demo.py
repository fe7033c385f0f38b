"""A demo class with an account for each kind of person, made on the first start."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from course.classrooms import add_member, create_classroom
from course.demo_work import make_demo_work
from course.models import Classroom, Membership, User
from course.passphrases import make_passphrase

CLASS_NAME = "Demo class"
USERNAMES = ("admin", "teacher", "student1", "student2")


@dataclass(frozen=True)
class DemoAccount:
    username: str
    password: str


def ensure_demo(path: Path) -> list[DemoAccount]:
    """The demo accounts, made where they are missing. Passwords are kept in `path`, mode 600."""
    known = read_passwords(path)
    passwords = {name: known.get(name) or make_passphrase() for name in USERNAMES}
    _write_passwords(path, passwords)
    with transaction.atomic():
        people = {
            name: _ensure_user(name, passwords[name], is_known=name in known) for name in USERNAMES
        }
        _ensure_class(people)
    return [DemoAccount(name, passwords[name]) for name in USERNAMES]


def read_passwords(path: Path) -> dict[str, str]:
    """Username → password; empty before the first start."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def _ensure_user(username: str, password: str, *, is_known: bool) -> User:
    """Sets the password of a new account or a new password, never one that was changed since."""
    is_admin = username == "admin"
    user, is_new = User.objects.get_or_create(
        username=username, defaults={"is_staff": is_admin, "is_superuser": is_admin}
    )
    if is_new or not is_known:
        user.set_password(password)
        user.save(update_fields=["password"])
    return user


def _ensure_class(people: dict[str, User]) -> None:
    classroom = Classroom.objects.filter(name=CLASS_NAME).first()
    is_new = classroom is None
    if classroom is None:
        classroom = create_classroom(name=CLASS_NAME, teacher=people["teacher"])
    for name in ("student1", "student2"):
        add_member(classroom=classroom, user=people[name], role=Membership.Role.STUDENT)
    if is_new:
        make_demo_work(classroom, people)


def _write_passwords(path: Path, passwords: dict[str, str]) -> None:
    part = path.with_suffix(".part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(passwords, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
