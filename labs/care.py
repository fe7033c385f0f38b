"""The page of one lab: its state, the last change with Undo, and what is wrong. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from labs import doctor
from labs.doctor import Facts, Finding
from labs.models import Checkpoint, Lab, Wish
from labs.wish_words import words_of

RECENT = timedelta(minutes=15)
"""What an examination found longer ago may no longer be so."""
CHOICES = 30


@dataclass(frozen=True)
class WishView:
    """A wish with the sentence about it."""

    wish: Wish

    @property
    def words(self) -> str:
        return words_of(self.wish.outcome)

    @property
    def can_undo(self) -> bool:
        wish = self.wish
        is_done = wish.state == Wish.State.DONE and wish.is_move
        return is_done and wish.before is not None and wish.before.blob_id is not None


@dataclass(frozen=True)
class Care:
    """One lab, as whoever cares for it sees it."""

    lab: Lab
    last: WishView | None
    """The last change that somebody asked for."""
    examination: WishView | None
    """The last look into the lab, if it is recent."""
    findings: tuple[Finding, ...]
    choices: Sequence[Checkpoint]
    """What the lab can be reset to."""

    @property
    def is_busy(self) -> bool:
        return any(view and not view.wish.is_over for view in (self.last, self.examination))

    @property
    def is_healthy(self) -> bool:
        return bool(self.examination and self.examination.wish.is_over and not self.findings)


def care_of(lab: Lab) -> Care:
    """Four queries, and one more where the lab has no host."""
    wishes = Wish.objects.newest_of(lab)
    last = wishes.moves().first()
    examined = wishes.filter(kind=Wish.Kind.EXAMINE, asked_at__gt=timezone.now() - RECENT).first()
    return Care(
        lab=lab,
        last=WishView(last) if last else None,
        examination=WishView(examined) if examined else None,
        findings=_findings(lab, examined),
        choices=list(lab.checkpoints.kept().with_sizes()[:CHOICES]),
    )


def files_left_out(lab: Lab) -> Checkpoint | None:
    """Files that the lab could not take when it started and that nobody has seen to since."""
    left = lab.checkpoints.kept().filter(cause=Checkpoint.Cause.NOT_RESTORED).first()
    if left is None:
        return None
    seen_to = (Checkpoint.Cause.RESTORE, Checkpoint.Cause.RESET)
    later = lab.checkpoints.filter(cause__in=seen_to, made_at__gt=left.made_at)
    return None if later.exists() else left


def _findings(lab: Lab, examined: Wish | None) -> tuple[Finding, ...]:
    """What the rows say at once, without a worker: it may be the worker that is gone."""
    if lab.host and lab.host.engine_error:
        return doctor.find_troubles(Facts(engine_error=lab.host.engine_error))
    if examined and examined.state == Wish.State.DONE:
        return doctor.find_troubles(doctor.read_facts(examined.facts))
    if lab.state == Lab.State.FAILED:
        return doctor.find_troubles(Facts(start_error=lab.reason or lab.last_error))
    return ()
