"""Agent images: which ones each host has, and building them anew by wish. The only writer of both.

The page writes the wish; the worker beside the engine runs `LAB_BUILD_COMMAND` and keeps its log.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, TextField, Value
from django.db.models.functions import Concat, Right
from django.utils import timezone
from django.utils.translation import gettext as _

from labs import audit, queue
from labs.engine.usage import ImageStatus
from labs.engines import get_engine
from labs.models import Host, Image, ImageBuild
from labs.refusal import Refused

logger = logging.getLogger(__name__)

REPORT_EVERY_S = 60
WAIT_S = 120
"""A wish that no worker has taken after so long is given up."""
SILENCE_S = 60
"""A worker that has said nothing for so long has died."""
BUILD_S = 45 * 60
SAY_EVERY_S = 1.0
KEPT_CHARACTERS = 200_000
"""Of a log: its end."""

_reported_at: dict[int, float] = {}


def look_after(host: Host) -> None:
    """A sweep's part: what images there are, wishes that no ring reached, builds that died."""
    give_up_silent_builds()
    for build in host.builds.filter(state=ImageBuild.State.WAITING):
        queue.enqueue_build(build)
    report_images(host)


def report_images(host: Host) -> None:
    """Writes down this host's images, once in REPORT_EVERY_S and process."""
    now = time.monotonic()
    if now - _reported_at.get(host.pk, -REPORT_EVERY_S) < REPORT_EVERY_S:
        return
    _write_down(host, get_engine().list_images())
    _reported_at[host.pk] = now


def _write_down(host: Host, found: Any) -> None:
    now = timezone.now()
    rows = [_row(host, image, now) for image in found]
    with transaction.atomic():
        Image.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["host", "digest"],
            update_fields=["tags", "size_bytes", "made_at", "seen_at"],
        )
        host.images.filter(seen_at__lt=now).delete()


def _row(host: Host, image: ImageStatus, now: Any) -> Image:
    return Image(
        host=host,
        digest=image.digest,
        tags=list(image.tags),
        size_bytes=image.size_bytes,
        made_at=image.made_at,
        seen_at=now,
    )


# Asking


def request_build(host: Host, *, actor: Any) -> ImageBuild:
    """A wish for a new image on this host. Raises Refused while another one is being built."""
    give_up_silent_builds()
    try:
        with transaction.atomic():
            build = ImageBuild.objects.create(
                host=host, asked_by=actor, state_deadline_at=_in(WAIT_S)
            )
            audit.record(
                actor=actor,
                action="build image",
                subject=f"host {host.pk}",
                subject_name=host.name,
                build=build.pk,
            )
            queue.enqueue_build(build)
    except IntegrityError as error:
        raise Refused(
            _(
                "An image is being built on this host already. Nothing was started. "
                "Watch its log, or wait until it is over."
            )
        ) from error
    return build


# Building, in the worker


def build_image(pk: int) -> None:
    """Carries out one wish; nothing where somebody else does."""
    waiting = ImageBuild.objects.filter(pk=pk, state=ImageBuild.State.WAITING)
    if not waiting.update(state=ImageBuild.State.BUILDING, state_deadline_at=_in(SILENCE_S)):
        return
    build = ImageBuild.objects.select_related("host").get(pk=pk)
    try:
        code = _run(build)
    except OSError as error:
        logger.warning("build %s: %s", pk, error)
        _end(build, why=_("This worker can't build images: %(error)s.") % {"error": error})
        return
    if code:
        _end(
            build,
            why=_("The build ended with exit code %(code)d; its log says why.") % {"code": code},
        )
        return
    _end(build)
    _reported_at.pop(build.host_id, None)
    report_images(build.host)


def _run(build: ImageBuild) -> int:
    """The exit code of the build's command, whose output is written into the row as it comes."""
    process = subprocess.Popen(  # noqa: S603 - the site's own setting, nothing of a person's
        settings.LAB_BUILD_COMMAND,
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"SHOW_STEPS": "yes"},
        start_new_session=True,
    )
    give_up_at = time.monotonic() + BUILD_S
    with process:
        for piece in _pieces_of(process):
            _say(build, piece)
            if time.monotonic() > give_up_at:
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode


def _pieces_of(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """What it wrote, every SAY_EVERY_S; empty where that was nothing."""
    if process.stdout is None:
        return
    source = process.stdout.fileno()
    os.set_blocking(source, False)
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        while True:
            selector.select(SAY_EVERY_S)
            data = _read_all(source)
            if data is None:
                return
            yield data.decode(errors="replace").replace("\0", "")
            time.sleep(SAY_EVERY_S / 4 if data else 0)


def _read_all(source: int) -> bytes | None:
    """What there is to read now; None at the end."""
    try:
        return os.read(source, 64 * 1024) or None
    except BlockingIOError:
        return b""


def _say(build: ImageBuild, text: str) -> None:
    """Adds to the log and says that the worker lives."""
    whole = Concat(F("log"), Value(text), output_field=TextField())
    grown = Right(whole, KEPT_CHARACTERS)
    fields = {"log": grown} if text else {}
    _building(build).update(state_deadline_at=_in(SILENCE_S), **fields)


def _end(build: ImageBuild, *, why: str = "") -> None:
    state = ImageBuild.State.FAILED if why else ImageBuild.State.DONE
    _building(build).update(state=state, reason=why, ended_at=timezone.now())


def give_up_silent_builds() -> None:
    """Whoever was to build them has died or never came. A new wish may be made then."""
    silent = ImageBuild.objects.filter(
        state__in=ImageBuild.ACTIVE, state_deadline_at__lt=timezone.now()
    )
    silent.update(
        state=ImageBuild.State.FAILED,
        reason=_("No worker took it up, or the worker that did has died. Start it once more."),
        ended_at=timezone.now(),
    )


def _building(build: ImageBuild) -> Any:
    return ImageBuild.objects.filter(pk=build.pk, state=ImageBuild.State.BUILDING)


def _in(seconds: float) -> Any:
    return timezone.now() + timedelta(seconds=seconds)
