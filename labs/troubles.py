"""What the engine's errors mean for the owner of a lab, in words. Pure."""

from __future__ import annotations

from django.utils.translation import gettext as _

from labs.engine.base import DiskFull, EngineDown, EngineError, ImageMissing, NameTaken
from labs.room import NotYet, StartsTaken


def reason_for(error: EngineError) -> str:
    """Why the lab is not there, in one sentence."""
    for kind, words in _words():
        if isinstance(error, kind):
            return words
    return _("Your lab could not be started just now.")


def waiting_words(error: EngineError) -> str:
    """Why a run waits that no lab was asked for, and what becomes of it.

    Empty for one that waits for its turn to start: then its page says how many come first.
    """
    if isinstance(error, StartsTaken):
        return ""
    if isinstance(error, NotYet):
        return str(error)
    return f"{reason_for(error)} {kept()}"


def kept() -> str:
    return _("Your run is kept and starts by itself.")


def _words() -> list[tuple[type[EngineError], str]]:
    return [
        (EngineDown, _("The lab machine does not answer just now.")),
        (
            ImageMissing,
            _("What labs are made of is missing on the lab machine: an admin has to build it."),
        ),
        (DiskFull, _("The lab machine's disk is full: an admin has to make room.")),
        (
            NameTaken,
            _("Something else on the lab machine uses your lab's name: an admin has to remove it."),
        ),
    ]
