"""What students have left in a lesson, each one's as a single text: two plain queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from course.json_rows import NOTHING, Dialect, dialect, fetch_plain, placeholders, rows_as_json
from course.lessons.model import Lesson
from labs.newest_runs import newest_run

FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)


class Left(NamedTuple):
    """Of one student, as JSON."""

    answers: str = NOTHING
    """Of `[gap, text, time]`."""
    runs: str = NOTHING
    """The newest of each block, in the order that was asked for: `[outcome or null, id, state,
    time]`, or null where it was never run."""
    asked: str | None = None
    """`[time, origin or null]` where they wait for help."""


def left_in(
    lesson: Lesson,
    blocks: Sequence[str],
    students: Sequence[int],
    until: datetime | None = None,
) -> Mapping[int, Left]:
    """Student → what they have left up to that time, for all of them. Two queries; none without
    students."""
    if not students:
        return {}
    say = dialect()
    end = until or FOR_EVER
    answers = dict(fetch_plain(_answers_sql(say, len(students)), [lesson.slug, end, *students]))
    sql, wanted = _runs_sql(say, len(blocks), len(students)), _wanted(lesson, blocks, end)
    rest = fetch_plain(sql, [*wanted, *students])
    return {pk: Left(answers.get(pk, NOTHING), runs or NOTHING, asked) for pk, runs, asked in rest}


def _wanted(lesson: Lesson, blocks: Sequence[str], end: datetime) -> list[str | datetime]:
    pairs = [word for block in blocks for word in (f"{lesson.slug}#{block}", block)]
    return [lesson.version, end, *pairs] if blocks else []


def _answers_sql(say: Dialect, students: int) -> str:
    rows = rows_as_json(f"gap, text, {say.time % 'saved_at'}")
    return f"""
        SELECT user_id, {rows} FROM course_answer
        WHERE lesson = %s AND saved_at <= %s
            AND user_id IN ({placeholders("%s", students)}) GROUP BY user_id
    """  # noqa: S608 - only placeholders are put in


def _runs_sql(say: Dialect, blocks: int, students: int) -> str:
    asked = say.row % f"{say.time % 'help.asked_at'}, run.origin"
    return f"""
        SELECT student.column1, {_newest_sql(say, blocks) if blocks else "NULL"}, (
            SELECT {say.text % asked} FROM course_helprequest AS help
            LEFT JOIN labs_run AS run ON run.id = help.run_id
            WHERE help.student_id = student.column1 AND help.answered_at IS NULL
        ) FROM (VALUES {placeholders("(%s)", students)}) AS student
    """  # noqa: S608 - only placeholders are put in


def _newest_sql(say: Dialect, blocks: int) -> str:
    outcome = """(
        SELECT known.state FROM course_blockoutcome AS known
        WHERE known.student_id = student.column1 AND known.lesson_version = %s
            AND known.block = wanted.column2 AND known.run_id = run.id
    )"""
    row = say.row % f"{outcome}, run.id, run.state, {say.time % 'run.queued_at'}"
    newest = newest_run(row, owner="student.column1", origin="wanted.column1", until="%s")
    rows = say.text % (say.rows % (say.nested % newest))
    return f"(SELECT {rows} FROM (VALUES {placeholders('(%s, %s)', blocks)}) AS wanted)"  # noqa: S608 - as above
