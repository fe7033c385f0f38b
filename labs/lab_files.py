"""The files of one lab, running or not: saved now, put back, one of them removed. For workers.

Where no lab runs, its newest checkpoint is its files: what is changed there is what it starts with.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress

from labs import checkpoints, keeper, lifecycle
from labs.engine.base import EngineError, Exit, FilesNotRestored, LabGone, RunSpec, SupervisorLink
from labs.engine.container import WORKSPACE
from labs.engine.listing import EMPTY, only_entry, with_entry_of, without_entry
from labs.engines import get_engine
from labs.models import Checkpoint, Lab

SETTLE_S = 20
ERRAND_S = 30
INPUT_BYTES = 64 * 1024
ROUNDS = 3


def save_now(lab: Lab, *, cause: str) -> Checkpoint | None:
    """The files as they are at this moment; None where there never were any. Raises EngineError."""
    with suppress(LabGone):
        if link := _find_link(lab):
            return checkpoints.save_checkpoint(lab, link, cause=cause)
    if cause in Checkpoint.KEPT_FOR_EVER:
        return checkpoints.keep_newest(lab, cause=cause)
    return lab.checkpoints.kept().first()


def put_all(lab: Lab, archive: bytes) -> Checkpoint:
    """Makes these the lab's files, all of them. Raises FilesNotRestored where they don't fit."""

    def put(link: SupervisorLink) -> None:
        before = lab.checkpoints.kept().first()
        try:
            link.restore_workspace(archive)
        except FilesNotRestored:  # the workspace was emptied for what it could not take
            link.restore_workspace(checkpoints.archive_of(before) if before else EMPTY)
            raise

    return _change(lab, put, lambda _: archive)


def put_one(lab: Lab, source: bytes, name: str) -> Checkpoint:
    """Brings one file or folder back from `source`, beside all others as they are."""
    single = only_entry(source, name)
    unpack = ["tar", "-C", WORKSPACE, "-xpf", "-", "--no-same-owner", "--recursive-unlink"]
    return _change(
        lab,
        lambda link: _run_well(link, unpack, single),
        lambda newest: with_entry_of(newest, source, name),
    )


def remove_one(lab: Lab, name: str) -> Checkpoint:
    """Removes one file or folder; one that is gone already is success."""
    path = f"{WORKSPACE}/{name}"
    return _change(
        lab,
        lambda link: _run_well(link, ["rm", "-rf", "--", path]),
        lambda newest: without_entry(newest, name),
    )


def mend_modes(lab: Lab) -> bool:
    """The student may read and change every file of the lab that runs. True without a lab, too."""
    if (link := _find_link(lab)) is None:
        return True
    exit = run_in_lab(link, ["chmod", "-R", "u+rwX", WORKSPACE])[0]
    return exit.exit_code == 0


def run_in_lab(
    link: SupervisorLink, argv: Sequence[str], sent: bytes = b"", *, limit_s: float = ERRAND_S
) -> tuple[Exit, bytes]:
    """How a command of ours ended in the lab, run as the student, and what it wrote."""
    spec = RunSpec(
        run_id=f"errand-{uuid.uuid4()}",
        argv=argv,
        workdir="/",
        time_limit_s=limit_s,
        has_input=bool(sent),
    )
    link.start_run(spec)
    if sent:
        _send(link, spec.run_id, sent)
    written = b""
    for piece in link.follow_run(spec.run_id):
        if isinstance(piece, Exit):
            link.forget_run(spec.run_id)
            return piece, written
        written += piece.data if piece and piece.stream == "stdout" else b""
    raise EngineError("the supervisor ended an errand's story without its end")


def _change(
    lab: Lab, in_lab: Callable[[SupervisorLink], None], in_archive: Callable[[bytes], bytes]
) -> Checkpoint:
    """Changes the files where they are. A lab that starts or ends meanwhile is seen to again."""
    for _ in range(ROUNDS):
        with suppress(LabGone):
            if link := _find_link(lab):
                lifecycle.mark_unsaved(lab)
                in_lab(link)
                return checkpoints.save_checkpoint(lab, link, cause=Checkpoint.Cause.RESTORE)
        newest = lab.checkpoints.kept().first()
        archive = in_archive(checkpoints.archive_of(newest) if newest else EMPTY)
        result = checkpoints.store_checkpoint(lab, archive, cause=Checkpoint.Cause.RESTORE)
        lab.refresh_from_db()
        if lab.state in (Lab.State.ABSENT, Lab.State.FAILED):
            return result
    raise EngineError(f"lab {lab.pk} starts and ends too often")


def _find_link(lab: Lab) -> SupervisorLink | None:
    """The line to the lab that runs; None where none does. Wakes one that is paused."""
    _await_settled(lab)
    if lab.state == Lab.State.PAUSED:
        keeper.ensure_lab(lab, keep=lambda: None)
    status = keeper.find_ready(lab)
    return get_engine().link(status.container_id) if status else None


def _await_settled(lab: Lab) -> None:
    """Somebody may be starting or stopping it just now. Raises EngineError after SETTLE_S."""
    give_up_at = time.monotonic() + SETTLE_S
    lab.refresh_from_db()
    while lab.state in (Lab.State.STARTING, Lab.State.STOPPING):
        if time.monotonic() > give_up_at:
            raise EngineError(f"lab {lab.pk} has been {lab.state} for too long")
        time.sleep(0.1)
        lab.refresh_from_db()


def _run_well(link: SupervisorLink, argv: Sequence[str], sent: bytes = b"") -> None:
    exit, _ = run_in_lab(link, argv, sent)
    if exit.exit_code != 0:
        raise FilesNotRestored(f"{argv[0]} ended with {exit.exit_code} {exit.detail}")


def _send(link: SupervisorLink, run_id: str, data: bytes) -> None:
    """In pieces, at the pace at which the command reads."""
    give_up_at = time.monotonic() + ERRAND_S
    for start in range(0, len(data), INPUT_BYTES):
        is_last = start + INPUT_BYTES >= len(data)
        while not _is_taken(link, run_id, data[start : start + INPUT_BYTES], is_last):
            if time.monotonic() > give_up_at:
                raise EngineError("the lab does not take what is sent to it")
            time.sleep(0.02)


def _is_taken(link: SupervisorLink, run_id: str, piece: bytes, is_last: bool) -> bool:
    try:
        link.send_input(run_id, piece, is_last=is_last)
    except LabGone:
        raise
    except EngineError:
        return False
    return True
