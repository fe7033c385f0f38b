"""The files that a run left, as the checkpoint after it holds them. Reads only."""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import F, OuterRef, Q, Subquery

from labs.models import Blob, Checkpoint, Run

MAX_WORKSPACE_BYTES = 16 * 1024 * 1024
"""A page doesn't unpack more than this to look into a file."""
MAX_FILE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class SavedFiles:
    """The workspace as a run left it."""

    blob_id: str
    """Empty where no workspace was ever saved: then there are no files."""
    size_bytes: int
    is_pending: bool
    """The run is over, but its files are still being saved."""
    is_gone: bool = False
    """They were saved, and are no longer kept: nobody can say what was in them."""

    @property
    def can_be_read(self) -> bool:
        is_there = not self.is_pending and not self.is_gone
        return is_there and self.size_bytes <= MAX_WORKSPACE_BYTES

    def read(self, path: str) -> str | None:
        """As `read_file` does."""
        return _read(self.blob_id, path) if self.blob_id else None


def files_after(runs: Collection[Run]) -> Mapping[uuid.UUID, SavedFiles]:
    """Run id → the files that it left. For runs that are over. One query, none for no runs.

    A run that changed nothing made no checkpoint of its own: then it is the one before it.
    """
    if not runs:
        return {}
    mine_or_before = Q(run=OuterRef("pk")) | Q(made_at__lte=OuterRef("ended_at"))
    newest = Checkpoint.objects.filter(mine_or_before, lab=OuterRef("lab"))
    rows = Run.objects.filter(pk__in=[run.pk for run in runs]).annotate(
        saved=Subquery(newest.values("pk")[:1]),
        saved_blob=Subquery(newest.values("blob")[:1]),
        saved_bytes=Subquery(newest.values("blob__size_bytes")[:1]),
        saved_run=Subquery(newest.values("run")[:1]),
        unsaved_since_at=F("lab__unsaved_since_at"),
    )
    return {row.pk: _saved_files(row) for row in rows}


def _saved_files(row: Run) -> SavedFiles:
    """What a later run has left unsaved is not this one's."""
    unsaved, own = row.unsaved_since_at, row.saved_run == row.pk  # type: ignore[attr-defined] # annotated
    return SavedFiles(
        blob_id=row.saved_blob or "",  # type: ignore[attr-defined] # annotated
        size_bytes=row.saved_bytes or 0,  # type: ignore[attr-defined] # annotated
        is_pending=bool(unsaved and row.ended_at and unsaved <= row.ended_at and not own),
        is_gone=bool(row.saved and not row.saved_blob),  # type: ignore[attr-defined] # annotated
    )


@lru_cache(maxsize=32)
def _read(blob_id: str, path: str) -> str | None:
    """One query. A blob never changes, so that a page unpacks it once for all its visits."""
    return read_file(gzip.decompress(Blob.objects.get(pk=blob_id).gzipped), path)


def read_file(archive: bytes, path: str) -> str | None:
    """The first MiB of the text of a file in a workspace's tar; None where there is none."""
    path = posixpath.normpath(path)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            if posixpath.normpath(member.name) == path:
                file = tar.extractfile(member) if member.isreg() else None
                return file.read(MAX_FILE_BYTES).decode(errors="replace") if file else None
    return None
