"""Reads a response's HTML as a list of elements, for tests that ask what a page holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

INLINE = frozenset({"a", "b", "code", "em", "mark", "span", "strong"})
VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


@dataclass
class Element:
    """One start tag, its attributes, and all text up to its end tag."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    text: str = ""

    @property
    def words(self) -> str:
        """The text with every run of white space as one space."""
        return " ".join(self.text.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.found.append(element)
        if tag == "br":
            self.handle_data(" ")
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data


def elements(html: Any, tag: str = "", **attrs: str) -> list[Element]:
    """Every element of a response or a text, or those of one tag with all of these attributes.

    `class_` asks for one of an element's classes, `data_run` for the attribute `data-run`.
    """
    reader = _Reader()
    reader.feed(html if isinstance(html, str) else html.content.decode())
    return [e for e in reader.found if tag in ("", e.tag) and _has(e, attrs)]


def element(html: Any, tag: str = "", **attrs: str) -> Element:
    """The only such element."""
    (found,) = elements(html, tag, **attrs)
    return found


def words_of(html: Any) -> str:
    """All that a page says, as one line."""
    return element(html, "body").words


def _has(found: Element, attrs: dict[str, str]) -> bool:
    if (wanted := attrs.get("class_")) and wanted not in found.attrs.get("class", "").split():
        return False
    names = ((name.replace("_", "-"), value) for name, value in attrs.items() if name != "class_")
    return all(found.attrs.get(name) == value for name, value in names)
