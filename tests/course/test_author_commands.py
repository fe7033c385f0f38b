"""What authors ask by command line."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from tests.course.lessons.writing import HEADER


def write_lesson(folder, slug, body="Hello.\n"):
    path = folder / slug / "lesson.md"
    path.parent.mkdir()
    path.write_text(HEADER.replace("slug: small", f"slug: {slug}") + body)
    return path


@pytest.fixture
def lessons(tmp_path, settings):
    settings.LESSON_DIRS = [tmp_path]
    return tmp_path


def test_lessons_without_a_mistake_are_named(lessons, capsys):
    for slug in ("one", "two"):
        write_lesson(lessons, slug)
    call_command("check_lessons")
    assert capsys.readouterr().out == "one: fine\ntwo: fine\n"


def test_every_mistake_is_told_with_its_file_and_line(lessons, capsys):
    one = write_lesson(lessons, "one", "## No id\n\n[nowhere](#nothing)\n")
    two = write_lesson(lessons, "two", ":::{blok}\n:::\n")
    with pytest.raises(CommandError) as error:
        call_command("check_lessons")
    said = capsys.readouterr().out
    first = HEADER.count("\n") + 1
    assert f"{one}:{first}: " in said
    assert f"{one}:{first + 2}: " in said
    assert f"{two}:{first}: There is no directive {{blok}}." in said
    assert str(error.value) == "3 mistakes to mend."
    assert error.value.returncode == 1
