"""Whatever stands in a lesson file: the parser makes a lesson of it or tells mistakes."""

import re
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from course.lessons.model import Html, Lesson, LessonBroken, Section
from course.lessons.parser import parse_lesson
from tests.course.lessons.writing import HEADER, anything_runs, write_lesson

PIECES = [
    "## A {#a}\n",
    "# B\n",
    "### C {#c}\n",
    ":::{note} N\n",
    "::::{track} node\n",
    ":::{table} T\n",
    ":::{block} B\n:id: b\n",
    ":::{gaps}\n",
    ":::{output} b\n",
    ":::{answers}\n",
    "```{block}\n",
    "```\n",
    ":::\n",
    "::::\n",
    "| a | b |\n",
    "|---|--:|\n",
    "| {gap}`g` | x |\n",
    "g: {accept: a}\n",
    "g: [\n",
    ":check: prints x\n",
    "> ",
    "- ",
    "    ",
    "[x](#a)",
    "![](files/x)",
    "{gap}`h`",
    "<script>",
    '<lesson-part n="0"></lesson-part>',
    "\n",
    "{~x~}",
    "é‮👍\u2028",
    "\x00",
    "\t",
    "---\n",
    "&amp;",
    "\\|",
]
soups = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def outcome(body: str, header: str = HEADER) -> Lesson | LessonBroken:
    with tempfile.TemporaryDirectory() as folder:
        directory = write_lesson(Path(folder), body, header)
        try:
            return parse_lesson(directory, anything_runs)
        except LessonBroken as broken:
            return broken


def lines_of(found: Lesson | LessonBroken) -> list[int]:
    return [error.line for error in getattr(found, "errors", [])]


def pages_of(found: Lesson | LessonBroken) -> str:
    sections: tuple[Section, ...] = getattr(found, "sections", ())
    parts = [part for section in sections for part in section.parts]
    return "".join(part.html for part in parts if isinstance(part, Html))


@given(soups)
@example("> :::{note} N\n> ")
@example(":::{gaps}\né\u2028## A {#a}\n> ")
@settings(deadline=None, max_examples=300)
def test_any_soup_of_the_format_is_a_lesson_or_told_with_lines_of_the_file(body: str) -> None:
    last_line = (HEADER + body).count("\n") + 1

    assert all(1 <= line <= last_line for line in lines_of(outcome(body)))


@given(soups)
@settings(deadline=None, max_examples=200)
def test_no_soup_brings_foreign_markup_onto_a_page(body: str) -> None:
    page = pages_of(outcome(body))

    assert "<script" not in page
    assert "<lesson-part" not in page
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page)


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=200)
def test_any_text_may_stand_in_the_header(text: str) -> None:
    header = f"---\n{text}\n---\n"

    assert all(line >= 1 for line in lines_of(outcome("A", header)))
