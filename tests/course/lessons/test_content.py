"""The lessons that we ship, and the client's own commands, as they are on disk."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from course.lessons.comparing import compare_output
from course.lessons.guide import answers_of
from course.lessons.marking import Verdict, mark_gap
from course.lessons.model import Gap, Html, Lesson
from course.lessons.parser import parse_lesson
from course.library import why_not_runnable
from labs.command import parse_command

ROOT = Path(__file__).parents[3]
CONTENT = ROOT / "course" / "content"
CLIENT_COMMANDS = Path(__file__).parent / "data" / "client-commands"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="Node is not on this machine; labs have their own"
)


def lesson_in(folder: Path) -> Lesson:
    return parse_lesson(folder, why_not_runnable)


def checkpoints(track: str = "node") -> Lesson:
    return lesson_in(CONTENT / "checkpoints").for_track(track)


def run_in(workspace: Path, argv: list[str], path: str = "") -> tuple[int, str]:
    """Exit code and output of a command in this folder."""
    env = {**os.environ, "PATH": f"{path}{os.environ['PATH']}"}
    done = subprocess.run(argv, cwd=workspace, env=env, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def expected_of(lesson: Lesson) -> dict[str, tuple[int, str]]:
    """Exit code and example of each block."""
    return {
        block.id: (block.exit_code, f"{block.example.text}\n" if block.example else "")
        for block in lesson.blocks.values()
    }


def outcomes_of(lesson: Lesson, workspace: Path) -> dict[str, tuple[int, str]]:
    """Exit code and output of each block, run once, in order."""
    return {
        block.id: run_in(workspace, list(parse_command(block.command).argv))
        for block in lesson.blocks.values()
    }


def pasted_outcomes_of(lesson: Lesson, workspace: Path) -> dict[str, tuple[int, str]]:
    """The same by pasting each line into a shell with a `docker` that stays on this machine."""
    programs = workspace / "programs"
    programs.mkdir()
    docker = programs / "docker"
    # exec, -w, the folder and the container's name go; the rest is the command.
    docker.write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
    docker.chmod(0o755)
    return {
        block.id: run_in(workspace, ["sh", "-c", block.command], f"{programs}:")
        for block in lesson.blocks.values()
    }


def test_the_lesson_promises_what_the_clients_page_promises() -> None:
    lesson = checkpoints()

    assert lesson.title == "Checkpoints for long-running agent work"
    assert lesson.outcome == "I can make long work safe to stop and resume."
    assert (lesson.minutes, lesson.is_free) == (60, True)


def test_the_lesson_has_every_part_of_the_clients_page() -> None:
    assert [section.id for section in checkpoints().sections] == [
        "",
        "story",
        "outcome",
        "key-words",
        "record",
        "crash-table",
        "try-it",
        "output",
        "safe-to-repeat",
        "torn-record",
        "common-mistake",
        "about",
        "teaching",
    ]


def test_the_key_words_have_blanks_where_the_clients_page_has_them() -> None:
    labels = [gap.label for id_, gap in checkpoints().gaps.items() if id_.startswith("word-")]

    assert labels == [
        "Example: Checkpoint",
        "Example: Idempotent",
        "Example: Resume",
        "Example: Event log",
    ]


@needs_node
def test_the_lessons_commands_do_what_the_lesson_shows(tmp_path: Path) -> None:
    lesson = checkpoints()

    assert outcomes_of(lesson, tmp_path) == expected_of(lesson)


def test_the_python_track_prints_what_the_lesson_shows(tmp_path: Path) -> None:
    lesson = checkpoints("python")
    outcomes = outcomes_of(lesson, tmp_path)

    for block in lesson.blocks.values():
        exit_code, output = outcomes[block.id]
        assert exit_code == block.exit_code
        assert block.example is not None
        assert compare_output(block.example, output).is_same


@needs_node
def test_the_lessons_commands_work_when_pasted_into_a_shell(tmp_path: Path) -> None:
    lesson = checkpoints()

    assert pasted_outcomes_of(lesson, tmp_path) == expected_of(lesson)


@needs_node
def test_the_lessons_commands_may_all_be_run_twice(tmp_path: Path) -> None:
    lesson = checkpoints()
    outcomes_of(lesson, tmp_path)

    assert outcomes_of(lesson, tmp_path) == expected_of(lesson)
    assert (tmp_path / "demo" / "charges.log").read_text() == "A1\nA2\nA3\nA4\nA5\n"


@needs_node
def test_the_clients_own_commands_run_as_blocks(tmp_path: Path) -> None:
    lesson = lesson_in(CLIENT_COMMANDS)

    assert outcomes_of(lesson, tmp_path) == expected_of(lesson)


@pytest.mark.parametrize("folder", sorted(CONTENT.iterdir()), ids=lambda folder: folder.name)
def test_what_the_guide_calls_right_is_marked_right(folder: Path) -> None:
    gaps = lesson_in(folder).gaps.values()

    assert {mark_gap(gap, text).verdict for gap in gaps for text in gap.accept} <= {Verdict.RIGHT}
    assert all(list(answers_of(gap)) for gap in gaps)


@pytest.mark.parametrize("folder", sorted(CONTENT.iterdir()), ids=lambda folder: folder.name)
def test_no_answer_of_an_open_gap_stands_in_the_lesson(folder: Path) -> None:
    lesson = lesson_in(folder)
    page = "".join(part.html for part in lesson.parts() if isinstance(part, Html))

    assert [gap.sample for gap in lesson.gaps.values() if gap.sample and gap.sample in page] == []


@pytest.mark.parametrize("folder", sorted(CONTENT.iterdir()), ids=lambda folder: folder.name)
def test_every_gap_can_be_told_apart_by_its_label(folder: Path) -> None:
    gaps = [part for part in lesson_in(folder).parts() if isinstance(part, Gap)]

    assert len({gap.label for gap in gaps}) == len(gaps)
    assert all(gap.hint for gap in gaps)


@pytest.mark.parametrize("folder", sorted(CONTENT.iterdir()), ids=lambda folder: folder.name)
def test_every_lesson_has_a_guide_with_all_answers(folder: Path) -> None:
    lesson = lesson_in(folder)

    assert "Answers to every gap" in lesson.guide_html
