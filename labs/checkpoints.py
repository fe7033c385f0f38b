"""Saves workspaces and brings them back. The only writer of checkpoints and their blobs."""

from __future__ import annotations

import gzip
import hashlib
import threading

from django.db import transaction

from labs import lifecycle
from labs.engine.base import SupervisorLink
from labs.failpoints import reach
from labs.models import Blob, Checkpoint, Lab, Run

_in_memory = threading.BoundedSemaphore(2)
"""A full workspace passes through memory several times over: never many of them at once."""


def save_checkpoint(
    lab: Lab, link: SupervisorLink, *, cause: str, run: Run | None = None
) -> Checkpoint:
    """The lab's newest checkpoint: a new one, or the last where nothing has changed since."""
    lab.refresh_from_db(fields=["unsaved_since_at"])
    with _in_memory:
        archive = link.save_workspace()
        reach("archive_read")
        checkpoint = _store(lab, archive, cause=cause, run=run)
    lifecycle.mark_saved(lab, unsaved_since_at=lab.unsaved_since_at)
    return checkpoint


def restore_newest(lab: Lab, link: SupervisorLink) -> None:
    """Fills the empty workspace of a new generation; a lab without checkpoints stays empty."""
    newest = lab.checkpoints.select_related("blob").first()
    if newest:
        with _in_memory:
            link.restore_workspace(gzip.decompress(newest.blob.gzipped))


def _store(lab: Lab, archive: bytes, *, cause: str, run: Run | None) -> Checkpoint:
    sha256 = hashlib.sha256(archive).hexdigest()
    newest = lab.checkpoints.first()
    if newest and newest.blob_id == sha256:
        return newest
    gzipped = gzip.compress(archive, compresslevel=6, mtime=0)
    with transaction.atomic():
        blob, _ = Blob.objects.get_or_create(
            sha256=sha256, defaults={"size_bytes": len(archive), "gzipped": gzipped}
        )
        return Checkpoint.objects.create(lab=lab, blob=blob, cause=cause, run=run)
