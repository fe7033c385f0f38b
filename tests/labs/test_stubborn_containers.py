"""A sweep on an engine that refuses one container: the other labs, and the host, are seen to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.utils import timezone

from labs.engine.base import EngineError, LabStatus
from labs.engine.usage import ImageStatus
from labs.lifecycle import this_host
from labs.models import Lab
from labs.reconcile import sweep_host
from tests.factories import make_user

pytestmark = pytest.mark.django_db


class StubbornEngine:
    """Keeps a container that no row stands for, and will neither remove nor pause anything."""

    def __init__(self, installation: str) -> None:
        self.stray = LabStatus("999999", 1, "stray", "dead", "sha256:1", "spec")

    def ping(self) -> str:
        return "1"

    def memory_bytes(self) -> int:
        return 2**34

    def list_labs(self) -> Sequence[LabStatus]:
        running = [
            LabStatus(str(lab.pk), lab.generation, lab.container_id, "running", "sha256:1", "spec")
            for lab in Lab.objects.exclude(container_id="")
        ]
        return [self.stray, *running]

    def started_at(self, container_id: str) -> str:
        return ""

    def remove_lab(self, container_id: str) -> None:
        raise EngineError("device or resource busy")

    def pause_lab(self, container_id: str) -> None:
        raise EngineError("it does not freeze")

    def list_images(self) -> Sequence[ImageStatus]:
        return [ImageStatus("sha256:1", ("agent:1",), 1, timezone.now())]


@pytest.fixture
def host(settings):
    settings.LAB_ENGINE = f"{__name__}.StubbornEngine"
    settings.LAB_HOST = "stubborn"
    return this_host()


def is_seen_to_the_end(host):
    """A sweep that ends early says so of its host, which then takes no labs."""
    host.refresh_from_db()
    return host.answered_at is not None and host.engine_error == ""


def test_a_container_that_cant_be_removed_does_not_end_the_sweep(host):
    sweep_host(host)
    assert is_seen_to_the_end(host)


def test_a_lab_that_cant_be_paused_does_not_end_the_sweep(host):
    lab = Lab.objects.create(
        owner=make_user(),
        host=host,
        state=Lab.State.READY,
        container_id="c1",
        active_at=timezone.now() - timedelta(minutes=11),
    )
    sweep_host(host)
    assert is_seen_to_the_end(host)
    host.swept_at = None
    host.save()
    sweep_host(host)
    lab.refresh_from_db()
    assert lab.state == Lab.State.READY
