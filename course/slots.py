"""Templates rendered once, with slots where pages differ; a page is then a join of strings.

A template stays the only source of its markup. What it is rendered with is either the same for
all who get the piece, or a slot.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

# Nobody outside this process knows it, so no text of a reader or an author can hold a slot.
_SECRET = secrets.token_hex(16)
_SLOT = re.compile(rf"<{_SECRET}:([^>]*)>")
MAX_PIECE_CHARS = 512 * 1024
MAX_SHELF_CHARS = 16 * 1024 * 1024


def slot(name: str) -> SafeString:
    """Stands in a piece where `fill` puts the value of that name."""
    return mark_safe(f"<{_SECRET}:{name}>")  # noqa: S308 - the names are ours


@dataclass(frozen=True)
class Piece:
    """HTML in turns with the names of its slots, beginning and ending with HTML."""

    parts: tuple[str, ...]

    def fill(self, values: Mapping[str, str]) -> SafeString:
        """The HTML with a value in each slot. Values are HTML: escape what people wrote."""
        filled = list(self.parts)
        filled[1::2] = [values[name] for name in self.parts[1::2]]
        return mark_safe("".join(filled))  # noqa: S308 - a template's HTML and escaped values

    @property
    def chars(self) -> int:
        return sum(map(len, self.parts))


def render_piece(
    template: str, context: Mapping[str, Any], stand_ins: Mapping[str, str] = {}
) -> Piece:
    """The template as a piece. It sees `context` only: no request, no context processors.

    Where a slot can't be in the context (as in a URL's UUID), a text that nobody can guess stands
    in for it: `stand_ins` says for which slot.
    """
    html: str = render_to_string(template, context)
    for name, text in stand_ins.items():
        html = html.replace(text, slot(name))
    return Piece(tuple(_SLOT.split(html)))


def fill_slots(html: str, values: Mapping[str, str]) -> SafeString:
    """A page with its largest parts put in last: each block of a template copies all it holds."""
    return Piece(tuple(_SLOT.split(html))).fill(values)


class Shelf:
    """Keeps the pieces used last, up to MAX_SHELF_CHARS in all. Safe to use from threads."""

    def __init__(self) -> None:
        self._pieces: OrderedDict[Hashable, Piece] = OrderedDict()
        self._chars = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Piece | None:
        with self._lock:
            if (piece := self._pieces.get(key)) is not None:
                self._pieces.move_to_end(key)
            return piece

    def put(self, key: Hashable, piece: Piece) -> None:
        """Keeps it, unless it is too large to be worth its room."""
        if piece.chars > MAX_PIECE_CHARS:
            return
        with self._lock:
            if (before := self._pieces.pop(key, None)) is not None:
                self._chars -= before.chars
            self._pieces[key] = piece
            self._chars += piece.chars
            while self._chars > MAX_SHELF_CHARS:
                self._chars -= self._pieces.popitem(last=False)[1].chars

    def get_or_make(self, key: Hashable, make: Callable[[], Piece]) -> Piece:
        """The piece of that key, made when it is not there."""
        if (piece := self.get(key)) is None:
            piece = make()
            self.put(key, piece)
        return piece
