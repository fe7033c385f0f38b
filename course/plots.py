"""Figures as pictures: SVG without a word of style in it, and the same in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BARS = 10
WIDTH, HEIGHT, FOOT = 400, 140, 20


@dataclass(frozen=True)
class Bar:
    """One column of the picture, in its units."""

    label: str
    count: int
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


@dataclass(frozen=True)
class Histogram:
    """How many reached which share of the points: columns of ten per cent each."""

    bars: tuple[Bar, ...]
    width: int = WIDTH
    height: int = HEIGHT + FOOT
    floor: int = HEIGHT

    @property
    def sentence(self) -> str:
        """The picture for those who don't see it."""
        return ", ".join(f"{bar.label} %: {bar.count}" for bar in self.bars if bar.count)


def histogram(shares: Sequence[float]) -> Histogram:
    """`shares` are from 0 to 1; 1 belongs to the last column."""
    counts = [0] * BARS
    for share in shares:
        counts[min(BARS - 1, max(0, int(share * BARS)))] += 1
    most = max([*counts, 1])
    step = WIDTH // BARS
    return Histogram(
        tuple(
            Bar(
                label=f"{at * 10}–{at * 10 + (10 if at == BARS - 1 else 9)}",
                count=count,
                x=at * step + 2,
                y=HEIGHT - _tall(count, most),
                width=step - 4,
                height=_tall(count, most),
            )
            for at, count in enumerate(counts)
        )
    )


def _tall(count: int, most: int) -> int:
    return round(count / most * (HEIGHT - 16))
