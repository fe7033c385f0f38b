"""Pictures and other files that stand beside a lesson's text. Reads only."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath

from course.lessons.source import hash_of, read_files
from course.library import folder_of_lesson
from course.models import LessonVersion

FOLDER = "files/"
PICTURES = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
"""What a browser may show; everything else is only for downloading."""


def content_type_of(name: str) -> str:
    """By the name's ending; for anything but a picture the one that no browser shows."""
    return PICTURES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")


def read_lesson_file(slug: str, version: str, name: str) -> bytes | None:
    """A file below `files/` as it was in that version; None where it was not kept.

    Never one of the lesson's own texts: the guide is not for students.
    """
    folder, path = folder_of_lesson(slug), FOLDER + name
    files = read_files(folder) if folder else {}
    if hash_of(files) == version:
        return files.get(path)
    kept = LessonVersion.objects.filter(lesson=slug, version=version).first()
    return _read_packed(bytes(kept.files), path) if kept else None


def _read_packed(packed: bytes, path: str) -> bytes | None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return archive.read(path) if path in archive.namelist() else None
