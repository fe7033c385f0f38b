"""ANSI colours and emphasis (SGR) as class names from a fixed list, and nothing else."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

_SGR_PARAMETERS = re.compile(r"[0-9;:]*")

# The sixteen colours as xterm shows them, to find the one nearest to any other.
_PALETTE = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0)),
    *((0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0)),
    *((92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)),
)
_CUBE_LEVELS = (0, 95, 135, 175, 215, 255)

_CHANGES: dict[int, dict[str, Any]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    29: {"strike": False},
    39: {"fg": None},
    49: {"bg": None},
    **{30 + colour: {"fg": colour} for colour in range(8)},
    **{40 + colour: {"bg": colour} for colour in range(8)},
    **{90 + colour: {"fg": 8 + colour} for colour in range(8)},
    **{100 + colour: {"bg": 8 + colour} for colour in range(8)},
}
"""By SGR code. Blinking is left out, and so is concealed text (8), which would be a trick."""


@dataclass(frozen=True)
class Style:
    """How text looks from here on. `fg` and `bg` are 0 to 15, or None for the page's own."""

    fg: int | None = None
    bg: int | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    strike: bool = False


PLAIN = Style()


def class_names(style: Style) -> str:
    """The value of a class attribute; empty for plain text."""
    flags = ("bold", "dim", "italic", "underline", "inverse", "strike")
    names = [f"ansi-{flag}" for flag in flags if getattr(style, flag)]
    # CSS can't swap two colours, so a pair of them is swapped here.
    fg, bg = (style.bg, style.fg) if style.inverse else (style.fg, style.bg)
    if fg is not None:
        names.append(f"ansi-fg-{fg}")
    if bg is not None:
        names.append(f"ansi-bg-{bg}")
    return " ".join(names)


@lru_cache(maxsize=4096)
def restyled(style: Style, parameters: str) -> tuple[Style, str]:
    """The style after an SGR sequence with these parameters, and its class names."""
    style = _after(style, parameters)
    return style, class_names(style)


def _after(style: Style, parameters: str) -> Style:
    """What is unknown in the parameters is skipped."""
    if not _SGR_PARAMETERS.fullmatch(parameters):
        return style
    codes = deque(parameters.split(";"))
    while codes:
        code, *rest = codes.popleft().split(":")
        number = int(code or "0")
        if number == 0:
            style = PLAIN
        elif number in (38, 48):
            colour = _read_colour(deque(rest) if rest else codes, has_space=len(rest) > 4)
            style = style if colour is None else _coloured(style, number, colour)
        elif number == 4 and rest == ["0"]:
            style = replace(style, underline=False)
        else:
            style = replace(style, **_CHANGES.get(number, {}))
    return style


def _coloured(style: Style, number: int, colour: int) -> Style:
    return replace(style, fg=colour) if number == 38 else replace(style, bg=colour)


def _read_colour(values: deque[str], *, has_space: bool) -> int | None:
    """Takes `5;n` or `2;r;g;b` off `values`: the nearest of the sixteen, None where it is none.

    With colons a colour space may stand before the red (`2::r:g:b`).
    """
    kind = values.popleft() if values else ""
    if has_space:
        values.popleft()
    count = {"5": 1, "2": 3}.get(kind, 0)
    numbers = tuple(int(values.popleft() or "0") for _ in range(min(count, len(values))))
    if not count or len(numbers) < count or max(numbers) > 255:
        return None
    return _indexed(numbers[0]) if count == 1 else _nearest(numbers)


def _indexed(number: int) -> int:
    if number < 16:
        return number
    if number >= 232:
        return _nearest((8 + 10 * (number - 232),) * 3)
    cube = number - 16
    return _nearest(tuple(_CUBE_LEVELS[cube // step % 6] for step in (36, 6, 1)))


@lru_cache(maxsize=4096)
def _nearest(rgb: tuple[int, ...]) -> int:
    def distance(index: int) -> int:
        return sum((a - b) ** 2 for a, b in zip(rgb, _PALETTE[index], strict=True))

    return min(range(16), key=distance)
