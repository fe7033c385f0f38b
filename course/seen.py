"""Whether what a form showed is still so: of two who change the same, the second is told. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from django.utils.translation import gettext as _

from labs.refusal import Refused


class ChangedMeanwhile(Refused):
    """Somebody else has saved something since the form was shown."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Meanwhile somebody else changed this. That is kept, and yours was not saved. What "
                "you typed still stands here: save again to replace theirs."
            )
        )


def seen_of(row: object, names: Iterable[str]) -> str:
    """The same only while all of these fields of the row are as they are now."""
    values = {name: getattr(row, name) for name in names}
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_changed(row: object, names: Iterable[str], seen: str) -> None:
    """Raises ChangedMeanwhile where the row isn't as a form with this `seen` showed it."""
    if seen and seen != seen_of(row, names):
        raise ChangedMeanwhile
