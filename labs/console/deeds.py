"""What can be done to many labs at once, in words, and doing it lab by lab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from labs.admin_requests import send_message
from labs.lab_requests import request_rebuild, request_restart
from labs.models import Lab
from labs.refusal import Refused
from labs.requests import request_stop_lab


@dataclass(frozen=True)
class Deed:
    """One button of the list."""

    key: str
    name: str | Promise
    what_it_does: str | Promise
    done: str | Promise
    """Said when it was asked for, in front of the number of labs."""


STOP = Deed(
    "stop",
    _("Stop"),
    _(
        "A command that still runs is ended. The files are saved and the lab is removed. "
        "The next Run starts it again with the same files."
    ),
    _("Labs that save their files and stop:"),
)
RESTART = Deed(
    "restart",
    _("Restart"),
    _(
        "The files are saved first and stay as they are. Everything that runs in the lab is ended, "
        "and it starts afresh. The student can undo it."
    ),
    _("Labs that save their files and restart:"),
)
REBUILD = Deed(
    "rebuild",
    _("Rebuild"),
    _(
        "The files are saved first and stay as they are. The lab is made anew from the newest "
        "image. The student can undo it."
    ),
    _("Labs that save their files and are made anew:"),
)
MESSAGE = Deed(
    "message",
    _("Send a message"),
    _("Each student reads it on top of the lesson, until they say that they have read it."),
    _("Students who will read your message:"),
)
DEEDS = {deed.key: deed for deed in (STOP, RESTART, REBUILD, MESSAGE)}


@dataclass(frozen=True)
class Outcome:
    """What came of one deed for many labs."""

    asked: int
    refused: Sequence[str]
    """A sentence for each lab that was left as it is."""


def do(deed: Deed, labs: Sequence[Lab], *, actor: Any, text: str = "") -> Outcome:
    return ask_each(_asking(deed, actor, text), labs)


def ask_each(ask: Callable[[Lab], object], labs: Sequence[Lab]) -> Outcome:
    """One lab's refusal is not the others'."""
    refused = []
    for lab in labs:
        try:
            ask(lab)
        except Refused as refusal:
            refused.append(f"{lab.owner}: {refusal}")
    return Outcome(len(labs) - len(refused), refused)


def _asking(deed: Deed, actor: Any, text: str) -> Callable[[Lab], object]:
    if deed is MESSAGE:
        return partial(send_message, text=text, actor=actor)
    asks: dict[str, Callable[..., object]] = {
        "stop": request_stop_lab,
        "restart": request_restart,
        "rebuild": request_rebuild,
    }
    return partial(asks[deed.key], actor=actor)
