"""Finds the lessons in the folders of LESSON_DIRS, checks and keeps them.

Files are looked at once a second at most, and read again only when one has changed. A lesson that
breaks stays readable as it last was, in a new process too; `lesson_errors` tells what is wrong.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from course.lessons.model import Lesson, LessonBroken, LessonError
from course.lessons.parser import LESSON_FILE, parse_lesson
from course.lessons.problems import ID
from course.lessons.source import hash_of, list_files, pack_files, read_files, unpack_files
from course.models import LessonVersion
from labs.command import NotRunnable, parse_command

LOOK_EVERY_S = 1.0
LONGEST_NAME = 100
"""Of a lesson's folder: a file system refuses to look for one that is much longer."""

Signature = tuple[tuple[str, int, int, int], ...]


def get_lesson(slug: str) -> Lesson | None:
    """The lesson as its files now say, or as it last was while they are broken; else None."""
    return _library().get(slug)


def list_lessons() -> list[Lesson]:
    """Every readable lesson, by title."""
    return _library().all()


def lesson_errors() -> list[LessonError]:
    """Every mistake in every lesson; empty when all is well."""
    return _library().errors()


def folder_of_lesson(slug: str) -> Path | None:
    """Where the lesson's files are, whether or not they are good."""
    return _library().folder_of(slug)


def lesson_folders() -> list[Path]:
    """Every lesson's folder; where two have one name, the first."""
    return list(_library().folders().values())


def lesson_of_version(slug: str, version: str) -> Lesson | None:
    """The lesson as it was in that version; None where it was not kept or can't be read any more.

    No query for today's version, nor for one that this process has read before.
    """
    today = get_lesson(slug)
    if today and today.version == version:
        return today
    try:
        return _read_kept(slug, version)
    except (LessonVersion.DoesNotExist, LessonBroken):
        return None


def pack_lesson(lesson: Lesson) -> bytes | None:
    """The lesson's files as a zip; None where the folder no longer holds this version."""
    today, folder = get_lesson(lesson.slug), folder_of_lesson(lesson.slug)
    if folder is None or today is None or today.version != lesson.version:
        return None
    files = read_files(folder)
    return pack_files(files) if hash_of(files) == lesson.version else None


@lru_cache(maxsize=64)
def _read_kept(slug: str, version: str) -> Lesson:
    kept = LessonVersion.objects.get(lesson=slug, version=version)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, slug)
        unpack_files(bytes(kept.files), path)
        return parse_lesson(path, why_not_runnable)


@dataclass(frozen=True)
class Shelved:
    """A lesson's folder as it was last read."""

    signature: Signature
    looked_at_s: float
    """When the files were last compared with the signature, by the monotonic clock."""
    lesson: Lesson | None
    """The last good one."""
    errors: tuple[LessonError, ...]


class Library:
    """The lessons below some folders. Safe to use from several threads."""

    def __init__(
        self,
        folders: Sequence[Path],
        check_command: Callable[[str], str],
        look_every_s: float = LOOK_EVERY_S,
        last_kept: Callable[[str], Lesson | None] = lambda slug: None,
    ) -> None:
        """`last_kept` gives a lesson as it was before this process began, when its files are broken
        since."""
        self._folders = folders
        self._check_command = check_command
        self._last_kept = last_kept
        self._look_every_s = look_every_s
        self._shelf: dict[Path, Shelved] = {}
        self._lock = threading.Lock()

    def get(self, slug: str) -> Lesson | None:
        """The lesson of that name; where two folders have one, the first folder's."""
        found = self.folder_of(slug)
        return self._lesson_in(found) if found else None

    def _lesson_in(self, path: Path) -> Lesson | None:
        return self._read(path).lesson or self._last_kept(path.name)

    def folder_of(self, slug: str) -> Path | None:
        """Where the lesson's files are."""
        if len(slug) > LONGEST_NAME or not ID.fullmatch(slug):
            return None
        paths = (folder / slug for folder in self._folders)
        return next((path for path in paths if self._is_lesson(path)), None)

    def all(self) -> list[Lesson]:
        """Every lesson that is or once was good, by title."""
        lessons = [self._lesson_in(path) for path in self.folders().values()]
        return sorted(filter(None, lessons), key=lambda lesson: lesson.title)

    def errors(self) -> list[LessonError]:
        """Every mistake, in the folders themselves too."""
        found = [error for path in self._lesson_folders() for error in self._read(path).errors]
        return [*self._folder_errors(), *found]

    def _lesson_folders(self) -> Iterator[Path]:
        for folder in self._folders:
            if folder.is_dir():
                yield from sorted(path.parent for path in folder.glob(f"*/{LESSON_FILE}"))

    def folders(self) -> dict[str, Path]:
        """Slug → folder of each lesson; where two have one name, the first."""
        first: dict[str, Path] = {}
        for path in self._lesson_folders():
            first.setdefault(path.name, path)
        return first

    def _folder_errors(self) -> Iterator[LessonError]:
        for folder in self._folders:
            if not folder.is_dir():
                said = "There is no such folder."
                yield LessonError(str(folder), 1, said, "Make it, or take it out of LESSON_DIRS.")
        first = self.folders()
        for path in self._lesson_folders():
            if path != first[path.name]:
                said = f"{first[path.name]} is a lesson of the same name."
                yield LessonError(str(path / LESSON_FILE), 1, said, "Rename one of the two.")

    def _is_lesson(self, path: Path) -> bool:
        return self._is_fresh(self._shelf.get(path)) or (path / LESSON_FILE).is_file()

    def _is_fresh(self, shelved: Shelved | None) -> bool:
        now_s = time.monotonic()
        return shelved is not None and now_s - shelved.looked_at_s < self._look_every_s

    def _read(self, path: Path) -> Shelved:
        with self._lock:
            shelved = self._shelf.get(path)
            if shelved is None or not self._is_fresh(shelved):
                shelved = self._look(path, shelved)
                self._shelf[path] = shelved
            return shelved

    def _look(self, path: Path, before: Shelved | None) -> Shelved:
        now_s = time.monotonic()
        last_good = before.lesson if before else None
        try:
            signature = _sign(path)
            if before and before.signature == signature:
                return replace(before, looked_at_s=now_s)
            return Shelved(signature, now_s, parse_lesson(path, self._check_command), ())
        except LessonBroken as broken:
            return Shelved(signature, now_s, last_good, tuple(broken.errors))
        except OSError as error:
            # A file went away while it was read: the next look sees the whole change.
            gone = LessonError(str(path / LESSON_FILE), 1, f"It can't be read: {error.strerror}.")
            return Shelved((), now_s, last_good, (gone,))


def _sign(path: Path) -> Signature:
    """What changes whenever a file of the lesson is written, added, renamed or removed."""
    stats = [(str(file), file.stat()) for file in list_files(path)]
    return tuple((name, stat.st_mtime_ns, stat.st_size, stat.st_ino) for name, stat in stats)


def why_not_runnable(line: str) -> str:
    """Why the command can't be run in a lab, as a sentence; empty when it can."""
    try:
        parse_command(line)
    except NotRunnable as error:
        return str(error)
    return ""


def _library() -> Library:
    return _library_of(tuple(Path(folder) for folder in settings.LESSON_DIRS))


@lru_cache(maxsize=8)
def _library_of(folders: tuple[Path, ...]) -> Library:
    return Library(folders, why_not_runnable, last_kept=_last_kept)


def _last_kept(slug: str) -> Lesson | None:
    """The newest version that readers met. One query, and one more when it was not read before."""
    newest = LessonVersion.objects.filter(lesson=slug).values_list("version", flat=True).first()
    try:
        return _read_kept(slug, newest) if newest else None
    except LessonBroken:
        return None
