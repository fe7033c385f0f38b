"""The files of checkpoints, and what changed from one to the next. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from labs.checkpoints import archive_of
from labs.engine.listing import FOLDER, Entry, list_entries, stream_entries, unpack
from labs.models import Blob, Checkpoint, Lab
from labs.models.checkpoints import CheckpointQuerySet

MAX_CHANGES_SHOWN = 8
KNOWN_LISTS = 256

_known: dict[str, tuple[Entry, ...]] = {}


@dataclass(frozen=True)
class Change:
    """One file that differs between two checkpoints; None on the side where it isn't."""

    before: Entry | None
    after: Entry | None

    @property
    def entry(self) -> Entry:
        entry = self.after or self.before
        assert entry is not None  # noqa: S101 - one side at least is there
        return entry

    @property
    def kind(self) -> str:
        """`added`, `changed` or `removed`."""
        if self.before is None:
            return "added"
        return "changed" if self.after else "removed"


@dataclass(frozen=True)
class Step:
    """One line of the history: a checkpoint and what changed since the one before it."""

    checkpoint: Checkpoint
    before: Checkpoint | None
    changes: tuple[Change, ...]

    @property
    def shown(self) -> tuple[Change, ...]:
        return self.changes[:MAX_CHANGES_SHOWN]

    @property
    def more(self) -> int:
        return max(0, len(self.changes) - MAX_CHANGES_SHOWN)


def find_entry(checkpoint: Checkpoint, name: str) -> Entry | None:
    return next((entry for entry in files_of(checkpoint) if entry.name == name), None)


def newest_checkpoint(owner: Any, until: datetime | None = None) -> Checkpoint | None:
    """The owner's files as they were saved last, or last before then; None where none were. One
    query."""
    saved = Checkpoint.objects.of_owner(owner).kept().with_sizes()
    return (saved.filter(made_at__lte=until) if until else saved).first()


def files_of(checkpoint: Checkpoint) -> tuple[Entry, ...]:
    """Files, folders and links of a checkpoint, by name. One query, or none when seen before."""
    blob_id = checkpoint.blob_id
    return _lists({blob_id}).get(blob_id, ()) if blob_id else ()


def file_bytes(checkpoint: Checkpoint, name: str, limit: int = -1) -> bytes | None:
    """The content of one file, at most `limit` bytes of it; None where there is no such file."""
    if checkpoint.blob_id is None:
        return None
    for info, content in stream_entries(gzipped_of(checkpoint)):
        if info.name == name:
            return content.read(limit)
    return None


def gzipped_of(checkpoint: Checkpoint) -> bytes:
    """The archive as it is kept. Raises Blob.DoesNotExist where it no longer is."""
    return bytes(Blob.objects.only("gzipped").get(pk=checkpoint.blob_id).gzipped)


def steps(checkpoints: Sequence[Checkpoint], before: Checkpoint | None) -> list[Step]:
    """The history of these, newest first; `before` is the one before the oldest of them.

    One query for all lists of files that this process has not seen yet.
    """
    following = [*checkpoints[1:], before][: len(checkpoints)]
    lists = _lists({found.blob_id for found in [*checkpoints, before] if found and found.blob_id})
    return [
        Step(
            after,
            earlier,
            compare(
                lists.get(earlier.blob_id or "", ()) if earlier else (),
                lists.get(after.blob_id or "", ()),
            ),
        )
        for after, earlier in zip(checkpoints, following, strict=True)
    ]


def compare(before: Sequence[Entry], after: Sequence[Entry]) -> tuple[Change, ...]:
    """What differs, by name. Folders count only by what is in them."""
    old = {entry.name: entry for entry in before if entry.kind != FOLDER}
    new = {entry.name: entry for entry in after if entry.kind != FOLDER}
    return tuple(
        Change(old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if _facts(old.get(name)) != _facts(new.get(name))
    )


def saved_until(lab: Lab, until: datetime | None) -> CheckpointQuerySet:
    """Kept checkpoints, newest first, up to that time where there is one."""
    rows = lab.checkpoints.kept().with_sizes()
    return rows.filter(made_at__lte=until) if until else rows


def page_of(
    rows: CheckpointQuerySet, *, older_than: Checkpoint | None, count: int
) -> tuple[list[Checkpoint], bool]:
    """`count` of these, newest first, from behind `older_than`; whether there are more."""
    if older_than:
        same_time = Q(made_at=older_than.made_at, pk__lt=older_than.pk)
        rows = rows.filter(Q(made_at__lt=older_than.made_at) | same_time)
    found = list(rows[: count + 1])
    return found[:count], len(found) > count


def _facts(entry: Entry | None) -> tuple[str, str, int] | None:
    return (entry.digest, entry.kind, entry.mode) if entry else None


def _lists(blob_ids: set[str]) -> dict[str, tuple[Entry, ...]]:
    """Blob → its files. A blob never changes, so that this process reads its list once."""
    found = {blob_id: _known[blob_id] for blob_id in blob_ids if blob_id in _known}
    missing = blob_ids - found.keys()
    for blob in Blob.objects.filter(pk__in=missing).defer("gzipped") if missing else ():
        found[blob.pk] = _read_list(blob)
    if len(_known) > KNOWN_LISTS:
        _known.clear()
    _known.update(found)
    return found


def _read_list(blob: Blob) -> tuple[Entry, ...]:
    """Rows from before lists were kept are unpacked."""
    if blob.listing:
        return unpack(bytes(blob.listing))
    return list_entries(archive_of(Checkpoint(blob_id=blob.pk)))
