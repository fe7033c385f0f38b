"""A lesson's files as they are this moment, for its author: rendered, or with every mistake."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from course.lessons.model import Lesson, LessonBroken, LessonError
from course.lessons.parser import parse_lesson
from course.lessons.source import hash_of, read_files
from course.library import folder_of_lesson, lesson_folders, why_not_runnable


@dataclass(frozen=True)
class Mistake:
    """One of the author's, with the line that it is about."""

    error: LessonError
    file: str
    """Its name within the lesson's folder."""
    text: str
    """The line itself; empty where the mistake is not in one."""


@dataclass(frozen=True)
class Draft:
    """One reading of a lesson's folder: a lesson or mistakes."""

    slug: str
    version: str
    lesson: Lesson | None
    mistakes: tuple[Mistake, ...] = ()


def draft_version(slug: str) -> str | None:
    """Changes with every saved change of the lesson's files; None where there is no such folder."""
    folder = folder_of_lesson(slug)
    return hash_of(read_files(folder)) if folder else None


def read_draft(slug: str) -> Draft | None:
    """The lesson read anew; None where there is no such folder."""
    folder = folder_of_lesson(slug)
    return _read(folder) if folder else None


def list_drafts() -> list[Draft]:
    """Every lesson's folder, read anew, in the order of LESSON_DIRS."""
    return [_read(folder) for folder in lesson_folders()]


def _read(folder: Path) -> Draft:
    version = hash_of(read_files(folder))
    try:
        return Draft(folder.name, version, parse_lesson(folder, why_not_runnable))
    except LessonBroken as broken:
        mistakes = tuple(_mistake(folder, error) for error in broken.errors)
        return Draft(folder.name, version, None, mistakes)


def _mistake(folder: Path, error: LessonError) -> Mistake:
    file = Path(error.path)
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        lines = []
    text = lines[error.line - 1] if error.line <= len(lines) else ""
    return Mistake(error, str(file.relative_to(folder)), text.strip())
