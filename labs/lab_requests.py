"""What a person may ask of a lab and its files: each function writes the wish and rings for it.

As in `labs.requests`, nothing below this module is called from a page.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from labs import audit, checkpoints, lifecycle, queue, wishes
from labs.models import Checkpoint, Lab, Wish
from labs.refusal import Refused

MOST_IN_A_MINUTE = 30
"""Presses for one lab: each keeps a worker and the engine busy."""
NEEDS_NO_LAB = (Lab.State.ABSENT, Lab.State.FAILED)


def request_checkpoint(owner: Any, *, cause: str, actor: Any = None) -> Wish:
    """A wish to save the owner's files now. Over at once where no lab runs that could know more.

    Then, and when it is done, `wish.result` is the checkpoint; None where no files ever were.
    Refused (`wish.state`) means that the lab did not answer: `result` then holds the last files.
    """
    lab = lifecycle.lab_of(owner)
    actor = actor or owner
    if lab.state in NEEDS_NO_LAB:
        kept = checkpoints.keep_newest(lab, cause=cause)
        return wishes.create_done(
            lab=lab, actor=actor, kind=Wish.Kind.SAVE, cause=cause, result=kept
        )
    return _ask(lab, actor, Wish.Kind.SAVE, cause=cause)


def request_restart(lab: Lab, *, actor: Any) -> Wish:
    """Same files, fresh processes. Raises Refused, as all below."""
    return _ask(lab, actor, Wish.Kind.RESTART)


def request_new_limits(lab: Lab, *, actor: Any) -> Wish:
    """A restart, from which on new limits count; the history says that it was for them."""
    return _ask(lab, actor, Wish.Kind.RESTART, cause=Checkpoint.Cause.LIMITS)


def request_rebuild(lab: Lab, *, actor: Any) -> Wish:
    """Same files in a new container from the current image."""
    return _ask(lab, actor, Wish.Kind.REBUILD)


def request_reset(lab: Lab, *, actor: Any, to: Checkpoint | None = None) -> Wish:
    """A new container with the files of `to`, or with none."""
    return _ask(lab, actor, Wish.Kind.RESET, target=_kept(to))


def request_restore(lab: Lab, *, actor: Any, checkpoint: Checkpoint, name: str = "") -> Wish:
    """All files as they were, or the one called `name`, without touching what runs."""
    _refuse_while_running(lab)
    return _ask(lab, actor, Wish.Kind.RESTORE, target=_kept(checkpoint), name=name)


def request_undo(wish: Wish, *, actor: Any) -> Wish:
    """The files as they were before `wish` was done."""
    _refuse_while_running(wish.lab)
    if wish.before is None:
        raise Refused(_("There is nothing to undo: no files were saved before. Nothing was done."))
    before = _kept(wish.before)
    return _ask(wish.lab, actor, Wish.Kind.RESTORE, target=before, undoes=wish)


def request_removal(lab: Lab, *, actor: Any, name: str) -> Wish:
    """One file less, to make room."""
    _refuse_while_running(lab)
    return _ask(lab, actor, Wish.Kind.REMOVE_FILE, name=name)


def request_mending(lab: Lab, *, actor: Any) -> Wish:
    """Every file of the workspace can be read and changed by its owner again."""
    return _ask(lab, actor, Wish.Kind.MEND_MODES)


def request_examination(lab: Lab, *, actor: Any) -> Wish:
    """Somebody looks into the lab and writes down what is wrong. One that is under way serves."""
    running = lab.wishes.active().filter(kind=Wish.Kind.EXAMINE).first()
    return running or _ask(lab, actor, Wish.Kind.EXAMINE)


def _refuse_a_flood(lab: Lab) -> None:
    minute_ago = timezone.now() - timedelta(minutes=1)
    if lab.wishes.filter(asked_at__gt=minute_ago).count() >= MOST_IN_A_MINUTE:
        raise Refused(
            _(
                "These buttons were pressed %(times)s times within a minute, so nothing more was "
                "done. Your files are kept. Wait a minute, then press again."
            )
            % {"times": MOST_IN_A_MINUTE}
        )


def _ask(lab: Lab, actor: Any, kind: str, **fields: Any) -> Wish:
    if kind != Wish.Kind.SAVE:
        _refuse_a_flood(lab)
    with transaction.atomic():
        wish = wishes.create_wish(lab=lab, actor=actor, kind=kind, **fields)
        if actor is None or actor.pk != lab.owner_id:
            audit.record(
                actor=actor,
                action=f"{kind} lab",
                subject=f"lab {lab.pk}",
                subject_name=lab.owner.get_username(),
                before={"state": lab.state, "generation": lab.generation},
                wish=wish.pk,
            )
        queue.enqueue_wish(wish)
    return wish


def _kept(checkpoint: Checkpoint | None) -> Checkpoint | None:
    if checkpoint and checkpoint.blob_id is None:
        raise Refused(
            _(
                "The files of that time are no longer kept, so nothing was changed. "
                "Choose another time."
            )
        )
    return checkpoint


def _refuse_while_running(lab: Lab) -> None:
    if lab.runs.active().exists():
        raise Refused(
            _(
                "A command is still running in the lab, so no file was changed. "
                "Wait until it ends, or stop it, then press again."
            )
        )
