"""What a student has written and run in a lesson, read from rows into a manifest. Reads only."""

from __future__ import annotations

import gzip
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Q

from course.lessons.model import Lesson
from course.manifests import FORMAT, Damaged, Receipt, hash_of, write_receipt
from course.models import Answer, Assignment, HandIn, User
from course.outcomes import outcomes_of
from labs.models import Blob, Checkpoint, Run, TerminalSession
from labs.newest_runs import newest_of_origins
from labs.recordings import hash_of_recording
from labs.rendering import view_of_run


def draft_of(
    handin: HandIn, lesson: Lesson, recordings: Iterable[TerminalSession]
) -> dict[str, Any]:
    """All but the files: answers, newest runs and recordings of this moment."""
    assignment, student = handin.assignment, handin.student
    receipts = receipts_of(student, lesson) if assignment.records_runs else {}
    return {
        "format": FORMAT,
        "assignment": assignment.pk,
        "student": student.pk,
        "attempt": handin.attempt,
        "handed_in_at": handin.handed_in_at.isoformat(),
        "lesson": lesson.slug,
        "lesson_version": lesson.version,
        "track": assignment.track,
        "answers": _answers(student, lesson),
        "receipts": {block: write_receipt(receipt) for block, receipt in receipts.items()},
        "images": sorted({receipt.image for receipt in receipts.values() if receipt.image}),
        "workspace": None,
        "recordings": [_recording(session) for session in recordings],
    }


def recordings_of(handin: HandIn) -> list[TerminalSession]:
    """Of the student's terminals, what was recorded since the assignment opened, oldest first."""
    opens_at = handin.assignment.opens_at
    since = Q(closed_at=None) | Q(closed_at__gte=opens_at)
    mine = TerminalSession.objects.filter(since, owner=handin.student, recorded_offset__gt=0)
    return list(mine.order_by("opened_at"))


def _recording(session: TerminalSession) -> dict[str, Any]:
    """How far it went: a shell may go on, but what was recorded up to here never changes."""
    return {
        "id": str(session.pk),
        "opened_at": session.opened_at.isoformat(),
        "seconds": session.recorded_s,
        "until_byte": session.recorded_offset,
    }


def _with_hash(recording: Mapping[str, Any]) -> dict[str, Any]:
    """Outside the transaction that freezes: a recording may be megabytes."""
    session = TerminalSession.objects.get(pk=recording["id"])
    return {**recording, "sha256": hash_of_recording(session, recording["until_byte"])}


def check_recordings(manifest: Mapping[str, Any]) -> None:
    """Hashes anew what was recorded up to the hand-in. Raises Damaged."""
    recordings = manifest.get("recordings", ())  # the first hand-ins named none
    kept = TerminalSession.objects.in_bulk([uuid.UUID(each["id"]) for each in recordings])
    for each in recordings:
        session = kept.get(uuid.UUID(each["id"]))
        if session is None or hash_of_recording(session, each["until_byte"]) != each["sha256"]:
            raise Damaged


def _answers(student: User, lesson: Lesson) -> dict[str, dict[str, str]]:
    rows = Answer.objects.of_lesson(lesson.slug).filter(user=student, gap__in=lesson.gaps)
    return {
        row.gap: {
            "text": row.text,
            "lesson_version": row.lesson_version,
            "saved_at": row.saved_at.isoformat(),
        }
        for row in rows
    }


def receipts_of(student: User, lesson: Lesson) -> dict[str, Receipt]:
    """Block id → its newest run. Three queries, and those of `outcomes_of`."""
    blocks = {f"{lesson.slug}#{block}": block for block in lesson.blocks}
    newest_ids = newest_of_origins(student, list(blocks)).values()
    newest = Run.objects.filter(pk__in=newest_ids).prefetch_related("chunks")
    runs = {blocks[run.origin]: run for run in newest}
    ticks = _ticks(lesson, runs)
    counts = Counter(
        Run.objects.filter(owner=student, origin__in=blocks).values_list("origin", flat=True)
    )
    return {
        block: _receipt(block, run, counts[run.origin], ticks.get(block, ()))
        for block, run in runs.items()
    }


def _ticks(
    lesson: Lesson, runs: Mapping[str, Run]
) -> dict[str, tuple[tuple[str, bool | None], ...]]:
    pairs = [(lesson.blocks[block], view_of_run(run)) for block, run in runs.items()]
    outcomes = zip(runs, outcomes_of(pairs), strict=True)
    return {
        block: tuple((tick.sentence, tick.holds) for tick in outcome.ticks)
        for block, outcome in outcomes
        if outcome
    }


def _receipt(
    block: str, run: Run, count: int, ticks: tuple[tuple[str, bool | None], ...]
) -> Receipt:
    return Receipt(
        block=block,
        run=str(run.pk),
        command=run.command,
        state=run.state,
        is_over=run.is_over,
        exit_code=run.exit_code,
        duration_s=run.duration_s,
        queued_at=run.queued_at.isoformat(),
        image=run.image,
        output=b"".join(bytes(chunk.data) for chunk in run.chunks.all()),
        bytes_total=run.bytes_total,
        runs=count,
        ticks=ticks,
    )


def fill_in(
    draft: dict[str, Any], lesson: Lesson, assignment: Assignment, files: Checkpoint | None
) -> dict[str, Any]:
    """The draft with its files and the hashes of its recordings, and with what could not be
    checked before the files were saved."""
    unknown = {
        block: row
        for block, row in draft["receipts"].items()
        if any(holds is None for _, holds in row["ticks"])
    }
    runs = Run.objects.filter(pk__in=[row["run"] for row in unknown.values()])
    by_pk = {str(run.pk): run for run in runs.prefetch_related("chunks")}
    found = {block: by_pk[row["run"]] for block, row in unknown.items() if row["run"] in by_pk}
    for block, ticks in _ticks(lesson, found).items():
        draft["receipts"][block]["ticks"] = [list(tick) for tick in ticks]
    return draft | {
        "workspace": _workspace(files) if files and assignment.records_files else None,
        "recordings": [_with_hash(each) for each in draft.get("recordings", ())],
    }


def _workspace(files: Checkpoint) -> dict[str, Any] | None:
    if files.blob is None:
        return None
    return {
        "sha256": files.blob_id,
        "size_bytes": files.blob.size_bytes,
        "saved_at": files.made_at.isoformat(),
    }


def check_workspace(manifest: Mapping[str, Any]) -> None:
    """Unpacks the kept files and hashes them anew. Raises Damaged."""
    if workspace := manifest["workspace"]:
        blob = Blob.objects.filter(pk=workspace["sha256"]).first()
        if blob is None or hash_of(gzip.decompress(bytes(blob.gzipped))) != blob.pk:
            raise Damaged
