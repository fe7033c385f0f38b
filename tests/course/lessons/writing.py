"""Writes lessons for tests: a folder with a lesson.md that is whole but for what is tested."""

from pathlib import Path

import pytest

from course.lessons.model import Lesson, LessonBroken
from course.lessons.parser import parse_lesson

HEADER = """\
---
title: A small lesson
slug: small
outcome: I can test.
minutes: 5
lab:
  title: A lab
tracks:
  node: Node.js
  python: Python
---
"""
BODY_LINE = HEADER.count("\n") + 1


def anything_runs(_line: str) -> str:
    return ""


def write_lesson(tmp_path: Path, body: str, header: str = HEADER) -> Path:
    """The folder of a lesson with this body."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "lesson.md").write_text(header + body, encoding="utf-8")
    return folder


def read_lesson(tmp_path: Path, body: str, header: str = HEADER) -> Lesson:
    """The lesson with this body."""
    return parse_lesson(write_lesson(tmp_path, body, header), anything_runs)


def mistakes_in(folder: Path) -> list[str]:
    """Every mistake of the lesson as `line: message hint`, the file's name before it in a guide."""
    with pytest.raises(LessonBroken) as broken:
        parse_lesson(folder, anything_runs)
    names = [(Path(error.path).name, error) for error in broken.value.errors]
    return [
        f"{'' if name == 'lesson.md' else name + ' '}{error.line}: {error.message} {error.hint}"
        for name, error in names
    ]


def mistakes(tmp_path: Path, body: str, header: str = HEADER) -> list[str]:
    """Every mistake in a lesson with this body; the body's first line is line 1 here."""
    found = mistakes_in(write_lesson(tmp_path, body, header))
    shift = header.count("\n")
    parts = [mistake.partition(": ") for mistake in found]
    return [f"{int(line) - shift}: {said}" for line, _, said in parts]
