"""Mistakes in the header and in the files themselves, and how they are told all at once."""

from pathlib import Path

import pytest

from course.lessons.model import LessonBroken
from course.lessons.parser import parse_lesson
from course.lessons.source import MAX_FILE_BYTES
from tests.course.lessons.writing import HEADER, anything_runs, mistakes_in, write_lesson

HEADER_MISTAKES = {
    "no header": ("Hello.\n", "1: The file doesn't begin with a header."),
    "a header without end": ("---\ntitle: A\n", "1: The header is never closed."),
    "no title": (HEADER.replace("title: A small lesson\n", ""), "1: The header has no title."),
    "an empty title": (HEADER.replace("A small lesson", ""), "2: The header has no title."),
    "another slug than the folder's": (
        HEADER.replace("slug: small", "slug: big"),
        "3: The slug is “big” but the folder is called “small”.",
    ),
    "minutes in words": (
        HEADER.replace("minutes: 5", "minutes: five"),
        "5: minutes must be a whole number from 1 to 600.",
    ),
    "no minutes": (HEADER.replace("minutes: 5\n", ""), "1: The header has no minutes."),
    "a lab in one word": (
        HEADER.replace("lab:\n  title: A lab", "lab: mine"),
        "6: lab must be a list of settings.",
    ),
    "an unknown setting": (
        HEADER.replace("minutes:", "minuets: 4\nminutes:"),
        "5: The header has no setting “minuets”.",
    ),
    "YAML that can't be read": (
        HEADER.replace("title: A small", "title: [A small"),
        "3: This YAML can't be read",
    ),
}


@pytest.mark.parametrize(("header", "mistake"), HEADER_MISTAKES.values(), ids=HEADER_MISTAKES)
def test_a_mistake_in_the_header_is_told_with_its_line(
    tmp_path: Path, header: str, mistake: str
) -> None:
    assert any(
        said.startswith(mistake) for said in mistakes_in(write_lesson(tmp_path, "A", header))
    )


def test_a_lesson_without_a_text_is_broken(tmp_path: Path) -> None:
    said = "1: The lesson has no text. Write some below the header."
    assert mistakes_in(write_lesson(tmp_path, "")) == [said]


def test_all_mistakes_are_told_at_once_in_the_files_order(tmp_path: Path) -> None:
    table = "| A | B |\n|---|---|\n| x | {gap}`g` |\n"
    body = f"## A\n\n{table}\n:::{{block}} List\n\ndocker exec agent ls\n:::\n\n[x](#y)\n"
    folder = write_lesson(tmp_path, body, HEADER.replace("minutes: 5", "minutes: -5"))
    (folder / "guide.md").write_text("A {gap}`x`.\n")
    lines = [said.partition(": ")[0] for said in mistakes_in(folder)]

    assert lines == ["5", "12", "16", "18", "23", "guide.md 1"]


def test_a_command_that_the_lab_refuses_is_told_in_the_labs_words(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, ":::{block} B\n:id: b\n\ndocker run x\n:::\n")
    with pytest.raises(LessonBroken) as broken:
        parse_lesson(folder, lambda line: f"no {line}!")

    assert [(error.line, error.message) for error in broken.value.errors] == [
        (15, "This command can't be run here: no docker run x!")
    ]


def test_an_error_prints_as_editors_expect_it(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, "# A")
    with pytest.raises(LessonBroken) as broken:
        parse_lesson(folder, anything_runs)

    assert str(broken.value).startswith(f"{folder}/lesson.md:12: A heading with one #")


def test_bytes_that_are_not_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, "")
    (folder / "lesson.md").write_bytes(HEADER.encode() + b"A\ncaf\xe9\n")

    assert mistakes_in(folder) == [
        "13: The byte 0xe9 is not UTF-8. Save the file as UTF-8 and write that letter again."
    ]


@pytest.mark.parametrize("name", ["lesson.md", "guide.md", "files/film.mp4"])
def test_a_file_of_more_than_a_million_bytes_is_refused(tmp_path: Path, name: str) -> None:
    folder = write_lesson(tmp_path, "A")
    (folder / "files").mkdir()
    (folder / name).write_bytes(b"x" * (MAX_FILE_BYTES + 1))

    assert ["1,000,001 bytes; the most is 1,000,000" in said for said in mistakes_in(folder)] == [
        True
    ]


def test_a_lesson_file_that_is_not_there_is_an_error_too(tmp_path: Path) -> None:
    assert mistakes_in(tmp_path) == [
        "1: lesson.md can't be read: No such file or directory. Is it there?"
    ]
