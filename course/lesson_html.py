"""A lesson's page and its blocks as HTML: templates rendered once, then joins of strings.

`_lesson.html`, `_gap.html` and `_block.html` are the only source of the markup. They are rendered
without a request: what differs from reader to reader comes in by a slot, or is part of a key here.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from course.lesson_page import (
    BlockView,
    Progress,
    Work,
    field_of_gap,
    field_of_shown,
    judged_blocks,
    progress_from,
    work_of,
)
from course.lessons.model import Block, Gap, Html, Lesson, Section
from course.models import Rehearsal, User
from course.slots import Piece, Shelf, render_piece, slot
from labs.models import Run
from labs.rendering import is_just_asked, view_of_run

_shelf = Shelf()
_STAND_IN = uuid.uuid4()
_TO_A_FILE = re.compile(r'\b(src|href)="files/')


@dataclass(frozen=True)
class Seen:
    """What a page shows beside the lesson itself, the same for many readers."""

    track: str = ""
    rehearsal: Rehearsal | None = None
    is_saved: bool = False
    """Whether all answers were just saved by the button."""


def lesson_html(lesson: Lesson, reader: User | None, csrf_token: str, seen: Seen) -> SafeString:
    """The page below its frame. Three queries, and more only for runs not shown before."""
    piece = _lesson_piece(lesson, seen, is_reader=reader is not None)
    if reader is None:
        return piece.fill({"csrf": escape(csrf_token)})
    work = work_of(reader, lesson)
    progress = progress_from(lesson, work, reader)
    return piece.fill(
        {
            "csrf": escape(csrf_token),
            "left": left_html(progress),
            "message": message_html(lesson, progress, csrf_token),
            **_values_of(lesson, work, csrf_token),
        }
    )


def draft_html(lesson: Lesson, track: str) -> SafeString:
    """The page as a student meets it who has done nothing yet. No query."""
    nothing = Work({}, {})
    return _lesson_piece(lesson, Seen(track), is_reader=True).fill(
        {"csrf": "", "left": "", "message": "", **_values_of(lesson, nothing, csrf_token="")}
    )


def block_html(lesson: Lesson, view: BlockView, csrf_token: str) -> SafeString:
    """One block of a reader, with its newest run if it has one. No query while that is over."""
    if view.run and is_just_asked(view.run.run) and not view.refusal:
        return _just_asked_html(lesson, view.block, view.run.run, csrf_token)
    return _fill_block(_block_piece(lesson, view), csrf_token)


def dock_html(lesson: Lesson, csrf_token: str) -> SafeString:
    """The reader's terminal and call for help beside the lesson."""
    key = ("dock", lesson.slug, get_language())
    context = _context(lesson, is_reader=True)
    piece = _shelf.get_or_make(key, lambda: render_piece("course/_dock.html", context))
    return piece.fill({"csrf": escape(csrf_token)})


def left_html(progress: Progress, *, is_update: bool = False) -> SafeString:
    """The panel that says what is left to do."""
    context = {"progress": progress, "is_update": is_update}
    return mark_safe(render_to_string("course/_left.html", context))  # noqa: S308 - a template's


def message_html(lesson: Lesson, progress: Progress, csrf_token: str) -> SafeString:
    """What an admin tells the reader about their lab; mostly nothing."""
    if progress.lab is None or not progress.lab.message:
        return SafeString()
    back = reverse("course:lesson-detail", args=[lesson.slug])
    context = {"lab": progress.lab, "back": back, "csrf_token": csrf_token}
    return SafeString(render_to_string("labs/_lab_message.html", context))


# The lesson --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GapSlots:
    """A gap in whose cell any reader's answer can be put."""

    gap: Gap
    kind: str = "gap"

    @property
    def name(self) -> str:
        return field_of_gap(self.gap.id)

    @property
    def shown_name(self) -> str:
        return field_of_shown(self.gap.id)

    @property
    def text(self) -> SafeString:
        return slot(f"text.{self.gap.id}")

    @property
    def options(self) -> list[tuple[str, SafeString]]:
        """Each choice with the slot for the attribute that says it is chosen."""
        return [
            (choice, slot(f"choice.{self.gap.id}.{number}"))
            for number, choice in enumerate(self.gap.choices)
        ]


@dataclass(frozen=True)
class BlockSlot:
    html: SafeString
    kind: str = "block-slot"


@dataclass(frozen=True)
class SectionView:
    section: Section
    parts: list[Html | GapSlots | BlockSlot | BlockView]


def _lesson_piece(lesson: Lesson, seen: Seen, *, is_reader: bool) -> Piece:
    key = (
        "lesson",
        *_version(lesson),
        seen.track,
        seen.rehearsal and (seen.rehearsal.pk, seen.rehearsal.rehearsed_at),
        seen.is_saved,
        is_reader,
    )
    return _shelf.get_or_make(key, lambda: _render_lesson(lesson, seen, is_reader=is_reader))


def _render_lesson(lesson: Lesson, seen: Seen, *, is_reader: bool) -> Piece:
    context = _context(lesson, is_reader=is_reader) | {
        "track": seen.track,
        "rehearsal": seen.rehearsal,
        "is_saved": seen.is_saved,
        "left": slot("left") if is_reader else "",
        "message": slot("message") if is_reader else "",
        "sections": [
            SectionView(
                section, [_part_view(lesson, part, is_reader=is_reader) for part in section.parts]
            )
            for section in lesson.sections
        ],
    }
    return render_piece("course/_lesson.html", context)


def _part_view(
    lesson: Lesson, part: Html | Gap | Block, *, is_reader: bool
) -> Html | GapSlots | BlockSlot | BlockView:
    if isinstance(part, Gap):
        return GapSlots(part)
    if isinstance(part, Block):
        return BlockSlot(slot(f"block.{part.id}")) if is_reader else BlockView(part)
    address = reverse("course:lesson-file", args=[lesson.slug, lesson.version, "name"])
    files = address.removesuffix("name")
    return replace(part, html=_TO_A_FILE.sub(rf'\1="{files}', part.html))


def _context(lesson: Lesson, *, is_reader: bool) -> dict[str, Any]:
    """What the templates know of the request, made the same for all whom a piece is for."""
    return {
        "lesson": lesson,
        "user": {"is_authenticated": is_reader},
        "request": {"path": reverse("course:lesson-detail", args=[lesson.slug])},
        "csrf_token": slot("csrf"),
    }


def _version(lesson: Lesson) -> tuple[str, ...]:
    return lesson.slug, lesson.version, get_language() or ""


def _values_of(lesson: Lesson, work: Work, csrf_token: str) -> dict[str, str]:
    blocks = _block_pieces(lesson, work)
    return dict(_gap_values(lesson, work.answers)) | {
        f"block.{id_}": _fill_block(piece, csrf_token) for id_, piece in blocks.items()
    }


def _gap_values(lesson: Lesson, answers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for gap in lesson.gaps.values():
        text = answers.get(gap.id, "")
        yield f"text.{gap.id}", escape(text)
        for number, choice in enumerate(gap.choices):
            yield f"choice.{gap.id}.{number}", " selected" if choice == text else ""


# Blocks ------------------------------------------------------------------------------------------


def _fill_block(piece: Piece, csrf_token: str) -> SafeString:
    # The key is for the next press of Run on this very page.
    return piece.fill({"csrf": escape(csrf_token), "key": str(uuid.uuid4())})


def _block_pieces(lesson: Lesson, work: Work) -> dict[str, Piece]:
    """Block id → the block with its newest run. No query where all of them were shown before."""
    keys = {id_: _block_key(lesson, id_, work.newest.get(id_)) for id_ in lesson.blocks}
    known = {id_: piece for id_, key in keys.items() if (piece := _shelf.get(key))}
    fresh = judged_blocks(lesson, [pk for id_, pk in work.newest.items() if id_ not in known])
    views = {id_: fresh.get(id_) or BlockView(lesson.blocks[id_]) for id_ in keys.keys() - known}
    return known | {id_: _block_piece(lesson, view) for id_, view in views.items()}


def _block_piece(lesson: Lesson, view: BlockView) -> Piece:
    def render() -> Piece:
        context = _context(lesson, is_reader=True) | {"part": view, "key": slot("key")}
        return render_piece("course/_block.html", context)

    run = view.run.run if view.run else None
    is_final = run is None or (run.is_over and (not view.outcome or view.outcome.is_final))
    if view.refusal or not is_final:
        return render()
    return _shelf.get_or_make(_block_key(lesson, view.block.id, run.pk if run else None), render)


def _just_asked_html(lesson: Lesson, block: Block, run: Run, csrf_token: str) -> SafeString:
    """What every press of Run is answered with: but for the run's id, always the same."""

    def render() -> Piece:
        view = BlockView(block, view_of_run(Run(id=_STAND_IN)))
        context = _context(lesson, is_reader=True) | {"part": view}
        return render_piece("course/_block.html", context, {"run": str(_STAND_IN)})

    piece = _shelf.get_or_make(("just asked", *_version(lesson), block.id), render)
    return piece.fill({"csrf": escape(csrf_token), "run": str(run.pk)})


def _block_key(lesson: Lesson, block_id: str, run_id: uuid.UUID | None) -> tuple[object, ...]:
    """Of a block that changes no more; a run that goes on stands under no key."""
    return "block", *_version(lesson), block_id, run_id
