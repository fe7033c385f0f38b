"""Saves workspaces and brings them back. The only writer of checkpoints and their blobs."""

from __future__ import annotations

import gzip
import hashlib
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, ProtectedError
from django.utils import timezone

from labs import lifecycle, wishes
from labs.engine.archive import sanitise
from labs.engine.base import FilesNotRestored, SupervisorLink
from labs.engine.listing import EMPTY, list_entries, pack
from labs.failpoints import reach
from labs.models import Blob, Checkpoint, Lab, Run, Wish
from labs.retention import Kept, choose_to_thin

logger = logging.getLogger(__name__)

BLOB_GRACE = timedelta(hours=1)
"""A blob that was in use so short ago stays: its next checkpoint may just be on its way."""

_in_memory = threading.BoundedSemaphore(2)
"""A full workspace passes through memory several times over: never many of them at once."""
_saving: dict[int, threading.Lock] = {}
"""Lab → held by who saves it in this process."""


@dataclass(frozen=True)
class Tidied:
    """How much a round of tidying let go."""

    checkpoints: int
    blobs: int


@contextmanager
def alone_with(lab: Lab, *, wait: bool = True) -> Iterator[bool]:
    """Nobody else in this process saves the lab meanwhile, so that one copy serves all who want it.

    Reads anew whether the lab is unsaved: somebody else may just have seen to it. Without `wait`
    gives False, and no more, where somebody saves it just now.
    """
    saving = _saving.setdefault(lab.pk, threading.Lock())
    if not saving.acquire(blocking=wait):
        yield False
        return
    try:
        lab.refresh_from_db(fields=["unsaved_since_at"])
        yield True
    finally:
        saving.release()


def save_checkpoint(
    lab: Lab, link: SupervisorLink, *, cause: str, run: Run | None = None
) -> Checkpoint:
    """The lab's newest checkpoint: a new one, or the last where nothing has changed since."""
    with alone_with(lab):
        return save_alone(lab, link, cause=cause, run=run)


def save_alone(lab: Lab, link: SupervisorLink, *, cause: str, run: Run | None = None) -> Checkpoint:
    """As `save_checkpoint`, for who is `alone_with` the lab already."""
    with link.fetch_workspace() as fetched, _in_memory:  # while it comes, it takes no turn
        saved = sanitise(fetched.file.read())
        reach("archive_read")
        checkpoint = store_checkpoint(lab, saved.data, cause=cause, run=run)
    lifecycle.mark_saved(lab, unsaved_since_at=lab.unsaved_since_at)
    return checkpoint


def store_checkpoint(lab: Lab, archive: bytes, *, cause: str, run: Run | None = None) -> Checkpoint:
    """The newest checkpoint, with this archive. One that is kept for ever is always a new row."""
    sha256 = hashlib.sha256(archive).hexdigest()
    newest = lab.checkpoints.first()
    if newest and newest.blob_id == sha256 and cause not in Checkpoint.KEPT_FOR_EVER:
        return newest
    is_known = Blob.objects.filter(pk=sha256).exists()
    fields = {} if is_known else _blob_fields(archive)  # the slow part, outside the transaction
    with transaction.atomic():
        if not Blob.objects.filter(pk=sha256).update(used_at=timezone.now()):
            defaults = fields or _blob_fields(archive)
            Blob.objects.get_or_create(sha256=sha256, defaults=defaults)
        return Checkpoint.objects.create(lab=lab, blob_id=sha256, cause=cause, run=run)


def keep_newest(lab: Lab, *, cause: str) -> Checkpoint | None:
    """A new checkpoint of the files that were saved last; None where none ever were."""
    with transaction.atomic():
        newest = lab.checkpoints.kept().first()
        if newest is None:
            return None
        Blob.objects.filter(pk=newest.blob_id).update(used_at=timezone.now())
        return Checkpoint.objects.create(lab=lab, blob_id=newest.blob_id, cause=cause)


def keep_for_ever(checkpoint: Checkpoint) -> Checkpoint:
    """The same files of the same time as a hand-in's: a row that no policy thins."""
    if checkpoint.cause in Checkpoint.KEPT_FOR_EVER or checkpoint.blob_id is None:
        return checkpoint
    return Checkpoint.objects.create(
        lab_id=checkpoint.lab_id,
        blob_id=checkpoint.blob_id,
        cause=Checkpoint.Cause.HAND_IN,
        made_at=checkpoint.made_at,
    )


def restore_newest(lab: Lab, link: SupervisorLink) -> None:
    """Fills the empty workspace of a new generation; a lab without checkpoints stays empty.

    Where a reset is on its way, with what it asks for. Nothing runs in the lab yet: what stands
    here as the newest checkpoint is what the lab begins with.
    """
    reset = wishes.find_under_way(lab, Wish.Kind.RESET)
    newest = reset.target if reset else lab.checkpoints.kept().first()
    with _in_memory:
        if not newest:
            _note_reset(lab, reset, EMPTY)
            return
        archive = archive_of(newest)
        try:
            link.restore_workspace(archive)
        except FilesNotRestored as error:
            _begin_empty(lab, link, newest, error)
        else:
            _note_reset(lab, reset, archive)


def archive_of(checkpoint: Checkpoint) -> bytes:
    """The workspace as a tar. Raises Blob.DoesNotExist where it is no longer kept."""
    return gzip.decompress(Blob.objects.only("gzipped").get(pk=checkpoint.blob_id).gzipped)


def tidy(now: datetime) -> Tidied:
    """Lets go of the files that the policy doesn't keep, and of bytes that nobody holds."""
    thinned = _thin(now)
    return Tidied(checkpoints=thinned, blobs=_sweep_blobs(now))


def _note_reset(lab: Lab, reset: Wish | None, archive: bytes) -> None:
    if reset:
        store_checkpoint(lab, archive, cause=Checkpoint.Cause.RESET)


def _begin_empty(lab: Lab, link: SupervisorLink, full: Checkpoint, error: Exception) -> None:
    """A lab that can't take its files starts all the same; they stay to be read and fetched."""
    logger.warning("lab %s starts without its files: %s", lab.pk, error)
    link.restore_workspace(EMPTY)
    if full.cause != Checkpoint.Cause.NOT_RESTORED:
        Checkpoint.objects.create(
            lab=lab, blob_id=full.blob_id, cause=Checkpoint.Cause.NOT_RESTORED
        )


def _blob_fields(archive: bytes) -> dict[str, Any]:
    return {
        "size_bytes": len(archive),
        "gzipped": gzip.compress(archive, compresslevel=6, mtime=0),
        "listing": pack(list_entries(archive)),
    }


def _thin(now: datetime) -> int:
    zone = timezone.get_default_timezone()
    rows = Checkpoint.objects.kept().values_list(
        "pk", "lab_id", "made_at", "cause", "blob__size_bytes"
    )
    found = [
        Kept(pk, lab_id, made_at, cause in Checkpoint.KEPT_FOR_EVER, size_bytes)
        for pk, lab_id, made_at, cause, size_bytes in rows
    ]
    wanted = Wish.objects.active().exclude(target=None).values("target")
    chosen = Checkpoint.objects.filter(pk__in=choose_to_thin(found, now=now, zone=zone))
    return chosen.exclude(pk__in=wanted).update(blob=None)


def _sweep_blobs(now: datetime) -> int:
    """One at a time: a checkpoint that takes the blob at this very moment wins."""
    cut = now - BLOB_GRACE
    held = Checkpoint.objects.filter(blob=OuterRef("pk"))
    unheld = Blob.objects.filter(~Exists(held), used_at__lt=cut).values_list("pk", flat=True)
    return sum(_remove_blob(pk, cut) for pk in list(unheld))


def _remove_blob(pk: str, cut: datetime) -> bool:
    try:
        return bool(Blob.objects.filter(pk=pk, used_at__lt=cut).only("pk").delete()[0])
    except (IntegrityError, ProtectedError):
        return False
