"""The folder of one lesson → Lesson, or LessonBroken with every mistake. No Django, no labs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from course.lessons.blocks import CommandCheck
from course.lessons.draft import Draft
from course.lessons.fields import Fields, NotReadable, read_mapping
from course.lessons.guide import render_guide
from course.lessons.model import LabInfo, Lesson, LessonBroken, Section, Track
from course.lessons.problems import ID, ID_HINT, Ids, Problems, suggest
from course.lessons.render import Link, RawSection, Renderer
from course.lessons.source import (
    MAX_FILE_BYTES,
    Source,
    hash_of,
    list_files,
    read_files,
    read_text,
    split_header,
)

LESSON_FILE = "lesson.md"
GUIDE_FILE = "guide.md"
MAX_MINUTES = 600
ATTACHED = re.compile(r"files/[^?#]+")


@dataclass(frozen=True)
class Header:
    """What the YAML between the two lines `---` says."""

    title: str
    slug: str
    outcome: str
    minutes: int
    is_free: bool
    lab: LabInfo
    tracks: tuple[Track, ...]


def parse_lesson(directory: Path, check_command: CommandCheck) -> Lesson:
    """The lesson in `directory`. Raises LessonBroken.

    `check_command` says why a command line can't be run here, or "" when it can.
    """
    problems = Problems(str(directory / LESSON_FILE))
    _check_sizes(directory, problems)
    text = read_text(directory / LESSON_FILE, problems)
    source = None if text is None else split_header(text, problems)
    if text is None or source is None:
        raise LessonBroken(problems.found)
    header = _read_header(source, directory.name, problems)
    sections = _read_sections(source, text, directory, header, check_command, problems)
    guide = Problems(str(directory / GUIDE_FILE))
    guide_html = render_guide(directory / GUIDE_FILE, sections, guide)
    if problems.found or guide.found:
        by_line = sorted(problems.found, key=lambda error: error.line)
        raise LessonBroken(by_line + sorted(guide.found, key=lambda error: error.line))
    return Lesson(
        slug=header.slug,
        title=header.title,
        outcome=header.outcome,
        minutes=header.minutes,
        is_free=header.is_free,
        lab=header.lab,
        sections=sections,
        version=hash_of(read_files(directory)),
        guide_html=guide_html,
        tracks=header.tracks,
    )


# The header --------------------------------------------------------------------------------------


def _read_header(source: Source, folder: str, problems: Problems) -> Header:
    try:
        entries = read_mapping(source.header, source.header_line, problems)
    except NotReadable as error:
        raise LessonBroken(problems.found) from error
    fields = Fields(entries, problems, "The header", 1)
    header = Header(
        title=fields.text("title"),
        slug=_read_slug(fields, folder, problems),
        outcome=fields.text("outcome"),
        minutes=fields.whole("minutes", None, 1, MAX_MINUTES),
        is_free=fields.flag("free"),
        lab=_read_lab(fields.fields("lab")),
        tracks=_read_tracks(fields.fields("tracks"), problems),
    )
    fields.finish()
    return header


def _read_slug(fields: Fields, folder: str, problems: Problems) -> str:
    slug = fields.text("slug")
    line = fields.line_of("slug")
    if slug and not ID.fullmatch(slug):
        problems.add(line, f"“{slug}” can't be a slug.", ID_HINT)
    elif slug and slug != folder:
        said = f"The slug is “{slug}” but the folder is called “{folder}”."
        problems.add(line, said, "Give both the same name.")
    return slug


def _read_lab(fields: Fields) -> LabInfo:
    lab = LabInfo(
        title=fields.text("title"),
        source=fields.text("source", ""),
        image=fields.text("image", "agent"),
    )
    fields.finish()
    return lab


def _read_tracks(fields: Fields, problems: Problems) -> tuple[Track, ...]:
    ids = Ids(problems)
    for name in fields.names():
        ids.claim(name, fields.line_of(name))
    return tuple(Track(name, fields.text(name)) for name in fields.names())


# The body ----------------------------------------------------------------------------------------


def _read_sections(
    source: Source,
    text: str,
    directory: Path,
    header: Header,
    check_command: CommandCheck,
    problems: Problems,
) -> tuple[Section, ...]:
    draft = Draft(problems, check_command, [track.id for track in header.tracks])
    renderer = Renderer(text.split("\n"), problems, draft.directives(), draft.role)
    raw = renderer.sections(source.body, source.body_line)
    _claim_headings(raw, renderer.heading_ids, draft.ids, problems)
    draft.check_fit()
    for link in renderer.links:
        _check_link(link, directory, draft.ids, problems)
    return tuple(
        Section(section.id, section.title, tuple(draft.parts_of(section.html))) for section in raw
    )


def _claim_headings(
    sections: list[RawSection], heading_ids: list[tuple[str, int]], ids: Ids, problems: Problems
) -> None:
    for id_, line in heading_ids:
        ids.claim(id_, line)
    for section in sections:
        if section.id:
            ids.claim(section.id, section.line)
        elif section.line:
            slug = "-".join(re.findall(r"[a-z0-9]+", section.title.lower())) or "name"
            said = f"The section “{section.title}” has no id."
            problems.add(section.line, said, f"Write ## {section.title} {{#{slug}}}")
    if not sections:
        problems.add(1, "The lesson has no text.", "Write some below the header.")


def _check_link(link: Link, directory: Path, ids: Ids, problems: Problems) -> None:
    if link.target.startswith("#"):
        if link.target[1:] not in ids:
            said = f"Nothing here is called “{link.target}”."
            problems.add(link.line, said, suggest(link.target[1:], ids))
    elif not ATTACHED.fullmatch(link.target):
        said = f"The link “{link.target}” leads nowhere."
        problems.add(link.line, said, "Write #an-id, files/name.png or https://…")
    elif directory / link.target not in list_files(directory):
        names = [path.relative_to(directory).as_posix() for path in list_files(directory)]
        said = f"The lesson has no file “{link.target}”."
        problems.add(link.line, said, suggest(link.target, names))


def _check_sizes(directory: Path, problems: Problems) -> None:
    for path in list_files(directory):
        if not _is_utf8(path.name):
            said = f"The name of the file {path.name!r} is not UTF-8."
            problems.add(1, said, "Give it a name of plain letters.")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES and path.name not in (LESSON_FILE, GUIDE_FILE):
            name = path.relative_to(directory).as_posix()
            said = f"{name} has {size:,} bytes; the most is {MAX_FILE_BYTES:,}."
            problems.add(1, said, "Make it smaller.")


def _is_utf8(name: str) -> bool:
    return name.encode("utf-8", "replace").decode() == name
