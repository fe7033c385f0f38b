"""Every address of the site, and a small world in which each of them means something."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from course.models import Classroom, User
from labs.models import Host, ImageBuild, Run
from tests.factories import make_classroom, make_finished_run, make_user

PEOPLE = ("visitor", "owner", "other", "teacher", "stranger", "admin")
"""Nobody logged in; the student whose run it is; one of another class; the teacher of the owner's
class; the teacher of the other class; an admin."""
SENT = {
    "course:block-run": {"key": str(uuid.UUID(int=1))},
    "course:gap-save": {"gap.animal": "a"},
    "course:track-choose": {"track": "python"},
    "labs:lab-bulk": {"deed": "stop"},
    "labs:limit-edit": {"memory_mib": "1"},
}
"""What a POST needs to mean something."""
LESSONS = {"course:track-choose": "checkpoints"}
"""The lesson in which an address means something, where it isn't the tiny one."""


@dataclass(frozen=True)
class World:
    """Two classes with a student each, a finished run of the first class's student, and a host with
    a build of the image."""

    people: Mapping[str, User]
    classroom: Classroom
    run: Run
    host: Host
    build: ImageBuild

    def client(self, person: str, **options: Any) -> Client:
        """A browser of that person's."""
        client = Client(**options)
        if person != "visitor":
            client.force_login(self.people[person])
        return client

    def address(self, name: str, parameters: Sequence[str], **others: str) -> str:
        """Where `name` is, in the lesson that suits it unless `others` say otherwise."""
        values = {
            "slug": LESSONS.get(name, "tiny"),
            "gap_id": "animal",
            "block_id": "hello",
            **others,
            "pk": self.run.lab_id if name.startswith("labs:") else self.classroom.pk,
            "username": self.people["owner"].username,
            "run_id": self.run.pk,
            "host_id": self.host.pk,
            "build_id": self.build.pk,
            "id": self.people["owner"].pk,
            "object_id": self.people["owner"].pk,
            "content_type_id": 1,
            "app_label": "course",
        }
        return reverse(name, kwargs={parameter: values[parameter] for parameter in parameters})


def make_world() -> World:
    people = {person: make_user(person) for person in PEOPLE[1:-1]}
    people["admin"] = make_user("admin", is_staff=True, is_superuser=True)
    classroom = make_classroom(teacher=people["teacher"], students=[people["owner"]])
    make_classroom(teacher=people["stranger"], students=[people["other"]], name="8c")
    run = make_finished_run(people["owner"], origin="tiny#hello")
    host = Host.objects.get_or_create(name="lab1")[0]
    build = ImageBuild.objects.create(host=host, state="done", state_deadline_at=timezone.now())
    return World(people, classroom, run, host, build)


def all_addresses() -> dict[str, list[str]]:
    """Every name in the site's URL configuration, with the names of its parameters."""
    return dict(_walk(get_resolver().url_patterns, ""))


def _walk(patterns: Sequence[Any], namespace: str) -> Iterator[tuple[str, list[str]]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from _walk(pattern.url_patterns, namespace + inner)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{namespace}{pattern.name}", parameters_of(pattern)
        else:
            assert namespace == "admin:", f"{pattern} has no name"


def parameters_of(pattern: URLPattern) -> list[str]:
    regex: Any = pattern.pattern.regex
    return list(regex.groupindex)
