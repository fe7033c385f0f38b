"""A lesson's files as text: size, encoding and the split into header and body. No Markdown here."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.lessons.problems import Problems

MAX_FILE_BYTES = 1_000_000
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MARK = "---"


@dataclass(frozen=True)
class Source:
    """The two halves of a lesson file and the line that each begins on, counted from 1."""

    header: str
    header_line: int
    body: str
    body_line: int


def read_text(path: Path, problems: Problems) -> str | None:
    """The file's text with plain newlines, or None when a problem was noted."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        problems.add(1, f"{path.name} can't be read: {error.strerror}.", "Is it there?")
        return None
    if size > MAX_FILE_BYTES:
        problems.add(
            1,
            f"{path.name} has {size:,} bytes; the most is {MAX_FILE_BYTES:,}.",
            "Split the lesson into two, or leave something out.",
        )
        return None
    return _decode(data, problems)


def _decode(data: bytes, problems: Problems) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(
            line,
            f"The byte 0x{data[error.start]:02x} is not UTF-8.",
            "Save the file as UTF-8 and write that letter again.",
        )
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for found in CONTROL.finditer(text):
        problems.add(
            text.count("\n", 0, found.start()) + 1,
            f"There is an invisible control character (U+{ord(found[0]):04X}).",
            "Delete it.",
        )
    return text


def split_header(text: str, problems: Problems) -> Source | None:
    """Header and body of a lesson file, or None when there is no header."""
    lines = text.split("\n")
    if lines[0].rstrip() != MARK:
        problems.add(
            1,
            "The file doesn't begin with a header.",
            f"Make the first line {MARK}, then title: and so on, then a line {MARK} again.",
        )
        return None
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == MARK:
            header, body = lines[1:number], lines[number + 1 :]
            return Source("\n".join(header), 2, "\n".join(body), number + 2)
    problems.add(1, "The header is never closed.", f"Write a line {MARK} below it.")
    return None


def list_files(directory: Path) -> list[Path]:
    """Every file the lesson is made of, in a fixed order; hidden ones and back-ups left out."""
    found = []
    for folder, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if not name.startswith(".")]
        kept = [name for name in names if not (name.startswith(".") or name.endswith("~"))]
        found += [Path(folder, name) for name in kept]
    return sorted(path for path in found if path.is_file())


def read_files(directory: Path) -> dict[str, bytes]:
    """Every file the lesson is made of: its path in the folder → its content."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in list_files(directory)
    }


def hash_of(files: Mapping[str, bytes]) -> str:
    """The version of a lesson of these files: 16 hexadecimal digits over names and contents."""
    total = hashlib.sha256()
    for name, content in files.items():
        encoded = name.encode("utf-8", "surrogateescape")
        total.update(len(encoded).to_bytes(4, "big") + encoded + hashlib.sha256(content).digest())
    return total.hexdigest()[:16]


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """The files as a zip. Raises ValueError for a name that is not UTF-8."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def unpack_files(packed: bytes, directory: Path) -> None:
    """Writes what `pack_files` packed into the directory."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(directory)
