"""The worker's side of a wish: carries it from its row into a lab. Nothing here serves a page.

Like `labs.manager`, it may be cut off after any line and called again, by anybody.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from django.utils import timezone

from labs import (
    checkpoints,
    doorbell,
    examination,
    hosts,
    keeper,
    lab_files,
    leases,
    lifecycle,
    queue,
    wishes,
)
from labs.engine.base import EngineError, FilesNotRestored, LabGone
from labs.engine.listing import EMPTY
from labs.engines import get_engine
from labs.failpoints import reach
from labs.models import Checkpoint, Lab, Wish
from labs.room import NotYet, StartsTaken
from labs.wish_words import Outcome

logger = logging.getLogger(__name__)

CAUSE_BEFORE: Mapping[str, str] = {
    Wish.Kind.RESTART: Checkpoint.Cause.RESTART,
    Wish.Kind.REBUILD: Checkpoint.Cause.REBUILD,
    Wish.Kind.RESET: Checkpoint.Cause.BEFORE_RESET,
}
DONE_WORDS: Mapping[str, str] = {
    Wish.Kind.RESTART: Outcome.RESTARTED,
    Wish.Kind.REBUILD: Outcome.REBUILT,
    Wish.Kind.RESET: Outcome.RESET,
}


class NotDone(Exception):
    """The wish can't be met, now or later; its text is an `Outcome`."""


def fulfil_wish(pk: int) -> None:
    """Takes the wish where it stands and carries it out; nothing if somebody else does."""
    wish = wishes.find_free(pk)
    if wish is None:
        return
    if hosts.is_elsewhere(wish.lab):  # it was rung for before a host took its lab
        queue.enqueue_wish(wish)
        return
    if not wishes.take_lease(wish, worker=leases.new_name()):
        return
    reach("wish_taken")
    try:
        with leases.kept(partial(wishes.renew_lease, wish)):
            DEEDS[wish.kind](wish)
    except NotDone as error:
        wishes.refuse(wish, outcome=str(error))
    except StartsTaken:
        _put_off(wish, why=Outcome.IN_LINE)
    except FilesNotRestored as error:
        logger.warning("%s: %s", wish, error)
        wishes.refuse(wish, outcome=Outcome.DOES_NOT_FIT)
    except EngineError as error:
        logger.warning("%s: %s", wish, error)
        _put_off(wish, why=Outcome.ENGINE_TROUBLE)
    except Exception:
        _put_off(wish, why=Outcome.ENGINE_TROUBLE)  # a mistake of ours is no reason to try for ever
        raise
    finally:
        doorbell.ring(f"lab-{wish.lab_id}")


def _put_off(wish: Wish, *, why: str) -> None:
    """The wish waits for its lab, but not beyond its deadline."""
    if _is_in_time(wish):
        wishes.release_lease(wish, why=why)
    elif wish.kind == Wish.Kind.SAVE:
        kept = checkpoints.keep_newest(wish.lab, cause=wish.cause)
        wishes.refuse(wish, outcome=Outcome.SAVED_EARLIER, result=kept)
    else:
        is_begun = wish.generation is not None
        wishes.refuse(wish, outcome=Outcome.GAVE_UP if is_begun else Outcome.NOT_SAVED)


def _is_in_time(wish: Wish) -> bool:
    return wish.deadline_at > timezone.now()


def _save(wish: Wish) -> None:
    result = lab_files.save_now(wish.lab, cause=wish.cause)
    wishes.finish(wish, outcome=Outcome.SAVED if result else Outcome.NO_FILES, result=result)


def _renew(wish: Wish) -> None:
    """A new container: for a restart, a rebuild and a reset alike.

    Whoever starts the lab from here on gives it the files of the reset (`restore_newest`).
    """
    lab = wish.lab
    _refuse_what_is_gone(wish)
    _note_before(wish)
    lab.refresh_from_db()
    if lab.generation == wish.generation:
        _take_down(lab, is_reset=wish.kind == Wish.Kind.RESET)
    reach("wish_lab_down")
    outcome = _start_again(wish)
    reach("wish_lab_up")
    wishes.finish(wish, outcome=outcome, result=lab.checkpoints.kept().first())


def _start_again(wish: Wish) -> str:
    """Where no place is free, the lab's next start has to do: its files are ready for it."""
    lifecycle.try_again_now(wish.lab)
    keep = partial(wishes.renew_lease, wish)
    try:
        keeper.ensure_lab(wish.lab, keep=keep, asked_at=wish.asked_at)
    except NotYet as error:
        if isinstance(error, StartsTaken) and _is_in_time(wish):
            raise
        if wish.kind == Wish.Kind.RESET:
            archive = checkpoints.archive_of(wish.target) if wish.target else EMPTY
            checkpoints.store_checkpoint(wish.lab, archive, cause=Checkpoint.Cause.RESET)
        return Outcome.NO_PLACE
    return DONE_WORDS[wish.kind]


def _take_down(lab: Lab, *, is_reset: bool) -> None:
    lifecycle.begin_stop(lab)
    try:
        keeper.stop_lab(lab.pk)
    except EngineError as error:
        if not is_reset:
            raise
        logger.warning("lab %s is reset without a last checkpoint: %s", lab.pk, error)
        _remove_unsaved(lab)


def _remove_unsaved(lab: Lab) -> None:
    """What could not be saved is given up: a reset must lead out of any trouble."""
    if status := get_engine().find_lab(str(lab.pk)):
        get_engine().remove_lab(status.container_id)
    lab.refresh_from_db()
    lifecycle.mark_absent(lab)


def _restore(wish: Wish) -> None:
    """All files, or one, in the lab that runs; in its checkpoints alone where none does."""
    _refuse_what_is_gone(wish)
    _refuse_while_running(wish.lab)
    _note_before(wish)
    target = checkpoints.archive_of(wish.target) if wish.target else EMPTY
    if wish.name:
        result = lab_files.put_one(wish.lab, target, wish.name)
    else:
        result = lab_files.put_all(wish.lab, target)
    outcome = Outcome.UNDONE if wish.undoes_id else Outcome.RESTORED
    wishes.finish(wish, outcome=outcome, result=result)


def _remove_file(wish: Wish) -> None:
    _refuse_while_running(wish.lab)
    _note_before(wish)
    result = lab_files.remove_one(wish.lab, wish.name)
    wishes.finish(wish, outcome=Outcome.FILE_REMOVED, result=result)


def _mend_modes(wish: Wish) -> None:
    _note_before(wish)
    if not lab_files.mend_modes(wish.lab):
        raise NotDone(Outcome.NOT_MENDED)
    wishes.finish(wish, outcome=Outcome.MENDED)


def _examine(wish: Wish) -> None:
    wishes.note_facts(wish, examination.examine(wish.lab, asked_at=wish.asked_at))
    wishes.finish(wish, outcome=Outcome.EXAMINED)


def _note_before(wish: Wish) -> None:
    """Saves the files as they are, once: a second attempt must not take what the first changed."""
    if wish.generation is not None:
        return
    cause = wish.cause or CAUSE_BEFORE.get(wish.kind, Checkpoint.Cause.BEFORE_RESTORE)
    before = _save_before(wish, cause)
    if not wishes.note_before(wish, before=before):
        raise EngineError("the lab has moved while its files were saved")
    reach("wish_before_noted")


def _save_before(wish: Wish, cause: str) -> Checkpoint | None:
    try:
        return lab_files.save_now(wish.lab, cause=cause)
    except LabGone:
        raise
    except EngineError as error:
        if wish.kind != Wish.Kind.RESET:
            raise
        logger.warning("%s goes on from the last checkpoint: %s", wish, error)
        return wish.lab.checkpoints.kept().first()


def _refuse_what_is_gone(wish: Wish) -> None:
    if wish.target and wish.target.blob_id is None:
        raise NotDone(Outcome.NO_LONGER_KEPT)


def _refuse_while_running(lab: Lab) -> None:
    if lab.runs.active().exists():
        raise NotDone(Outcome.BUSY)


DEEDS: Mapping[str, Callable[[Wish], None]] = {
    Wish.Kind.SAVE: _save,
    Wish.Kind.RESTART: _renew,
    Wish.Kind.REBUILD: _renew,
    Wish.Kind.RESET: _renew,
    Wish.Kind.RESTORE: _restore,
    Wish.Kind.REMOVE_FILE: _remove_file,
    Wish.Kind.MEND_MODES: _mend_modes,
    Wish.Kind.EXAMINE: _examine,
}
