"""Every pair of colours that pages use, on every paper, computed from the stylesheet itself."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

TOKENS = Path("static/css/tokens.css")
PAPERS = ("system", "white", "cream", "peach", "blue", "green", "dark")
CONTRASTS = ("normal", "high")
SCHEMES = ("light", "dark")
THEMES = [
    (paper, contrast, scheme)
    for paper, contrast, scheme in product(PAPERS, CONTRASTS, SCHEMES)
    if paper == "system" or scheme == "light"
]

GROUNDS = ("paper", "raised", "sunk")
BOXES = ("note", "warn", "accent-soft", "good-soft", "bad-soft", "wait-soft")
ANSI = ("grey", "red", "green", "yellow", "blue", "magenta", "cyan", "strong")
TEXT = [
    *product(("ink", "ink-soft"), (*GROUNDS, *BOXES)),
    *product(("link", "accent", "bad", "good", "wait"), ("paper", "raised")),
    *product(("link",), BOXES),
    *(("good", "good-soft"), ("bad", "bad-soft"), ("wait", "wait-soft")),
    *(("accent", "accent-soft"), ("accent-hover", "accent-soft"), ("ink", "mark")),
    *(("on-accent", "accent"), ("on-accent", "accent-hover")),
    *product(("term-ink", "term-soft"), ("term",)),
    *((f"ansi-{colour}", "term") for colour in ANSI),
    ("term", "term-ink"),
]
"""Words and what they stand on."""
SHAPES = [*product(("line-strong", "focus"), GROUNDS), *product(("focus",), BOXES)]
"""Edges of what is pressed or typed into, and the ring around what has the focus."""
LEAST = {"normal": (4.5, 3.0), "high": (7.0, 4.5)}
"""WCAG 2.2: 1.4.3 and 1.4.11; in high contrast 1.4.6."""
PARTS = re.compile(r"(@media [^{]*dark\)) \{|([^{}@]+)\{([^{}]*)\}|(\})")


def rules():
    """The stylesheet's rules in order: the scheme that each is for, its selector, its colours."""
    text = re.sub(r"/\*.*?\*/", "", TOKENS.read_text(), flags=re.S)
    found, scheme = [], ""
    for opened, selector, body, _ in PARTS.findall(text):
        if selector:
            colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", body))
            found.append((scheme, selector.strip(), colours))
        else:
            scheme = "dark" if opened else ""
    return found


RULES = rules()


def colours_of(paper, contrast, scheme):
    """The tokens as the cascade leaves them: by how many attributes, then by order."""
    holds = {":root", f'[data-paper="{paper}"]', f'[data-contrast="{contrast}"]'}
    holds.add(f'[data-contrast="{contrast}"][data-paper="{paper}"]')
    matching = [
        (selector.count("["), colours)
        for rule_scheme, selector, colours in RULES
        if selector in holds and rule_scheme in ("", scheme)
    ]
    found = {}
    for _, colours in sorted(matching, key=lambda rule: rule[0]):
        found.update(colours)
    return found


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_pale(theme, pairs, least):
    colours = colours_of(*theme)
    ratios = {f"{a} on {b}": ratio(colours[a], colours[b]) for a, b in pairs}
    return {pair: round(found, 2) for pair, found in ratios.items() if found < least}


@pytest.mark.parametrize("theme", THEMES, ids="-".join)
def test_words_can_be_read_on_everything_they_stand_on(theme):
    assert too_pale(theme, TEXT, LEAST[theme[1]][0]) == {}


@pytest.mark.parametrize("theme", THEMES, ids="-".join)
def test_edges_and_the_focus_can_be_seen(theme):
    assert too_pale(theme, SHAPES, LEAST[theme[1]][1]) == {}


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_a_dark_system_looks_as_the_dark_paper_does(contrast):
    assert colours_of("system", contrast, "dark") == colours_of("dark", contrast, "light")


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_a_light_system_looks_as_white_paper_does(contrast):
    assert colours_of("system", contrast, "light") == colours_of("white", contrast, "light")


def test_words_on_a_coloured_ground_of_output_can_be_read():
    css = Path("static/css/lesson.css").read_text()
    grounds = re.findall(r"\.ansi-bg-\d+ \{ background: (#\w+);(?: color: (#\w+);)? \}", css)
    assert len(grounds) == 8
    assert min(ratio(ground, words or "#ffffff") for ground, words in grounds) >= 7


def test_only_the_tokens_hold_colours_so_that_every_page_follows_the_paper():
    others = [p for p in Path("static/css").glob("*.css") if p.name not in ("tokens.css",)]
    allowed = re.compile(r"\.swatch-|\.ansi-bg-|ansi-bg-|@media print|#ffffff|#000000|#777777")
    loose = [
        f"{path.name}: {line.strip()[:90]}"
        for path in others
        for line in path.read_text().splitlines()
        if re.search(r"#[0-9a-fA-F]{3,8}\b(?=[\s;,)])", line) and not allowed.search(line)
    ]
    assert loose == []


def test_the_test_itself_sees_pale_words():
    assert round(ratio("#ffffff", "#000000"), 1) == 21.0
    assert round(ratio("#777777", "#ffffff"), 2) == 4.48
