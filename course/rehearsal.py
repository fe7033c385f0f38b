"""Runs every command of a lesson in a fresh lab, before students do; the only writer of rehearsals.

Only for commands of authors: it waits for the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from course.lessons.comparing import Comparison, check_run, compare_output, show_spaces
from course.lessons.model import Block, Lesson
from course.models import Rehearsal
from labs.fresh_lab import FreshLab, fresh_lab
from labs.saved_files import read_file

SIGNS = {"same": " ", "missing": "-", "extra": "+"}


def rehearse(lesson: Lesson, say: Callable[[str], object]) -> Rehearsal:
    """The stored result. Otherwise as `try_out`."""
    rehearsal = try_out(lesson, say)
    rehearsal.save()
    return rehearsal


def try_out(lesson: Lesson, say: Callable[[str], object]) -> Rehearsal:
    """The result, not stored; each line of its report is also said as it comes. No query.

    Every track has a lab of its own, in which its blocks run from top to bottom. Raises
    EngineError.
    """
    report: list[str] = []
    is_good, image = True, ""
    for track in [track.id for track in lesson.tracks] or [""]:
        with fresh_lab() as lab:
            image = lab.image
            for block in lesson.for_track(track).blocks.values():
                drift = list(_rehearse_block(lab, block))
                is_good = is_good and not drift
                for line in [_headline(block, track, is_good=not drift), *drift]:
                    say(line)
                    report.append(line)
    return Rehearsal(
        lesson=lesson.slug,
        lesson_version=lesson.version,
        image=image,
        is_good=is_good,
        report="\n".join(report),
    )


def _rehearse_block(lab: FreshLab, block: Block) -> Iterator[str]:
    """What is not as the author says, line by line; nothing when all is well."""
    ran = lab.run(block.command, time_limit_s=block.time_limit_s)
    read = partial(read_file, lab.save())
    for tick in check_run(block, ran.exit.exit_code, ran.output, read):
        if not tick.holds:
            yield f"  does not hold: {tick.sentence}"
    if ran.exit.exit_code != block.exit_code:
        yield f"  {ran.exit.reason}, exit code {ran.exit.exit_code} {ran.exit.detail}".rstrip()
    if block.example:
        yield from _diff(compare_output(block.example, ran.output))


def _diff(comparison: Comparison) -> Iterator[str]:
    if comparison.is_same:
        return
    yield f"  {comparison.sentence}"
    for line in comparison.lines:
        text = line.text if line.kind == "same" else show_spaces(line.text)
        yield f"  {SIGNS[line.kind]} {text}".rstrip()


def _headline(block: Block, track: str, *, is_good: bool) -> str:
    where = f"{track}: " if track else ""
    return f"{where}{block.id}: {'good' if is_good else 'DRIFTED'}"
