"""What authors ask by command line."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from course.library import get_lesson
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


def test_a_new_lesson_works_at_once_and_says_what_to_write_where(lessons, capsys):
    call_command("new_lesson", "first-steps", "--title", "First steps: it's easy")
    said = capsys.readouterr().out
    assert str(lessons / "first-steps" / "lesson.md") in said
    call_command("check_lessons")
    lesson = get_lesson("first-steps")
    assert (lesson.title, list(lesson.blocks)) == ("First steps: it's easy", ["say-hello"])
    assert "Answers to every gap" in lesson.guide_html
    assert "for authors only" not in str(lesson.sections)


def test_a_new_lesson_goes_where_it_is_wanted(lessons, tmp_path):
    school = tmp_path / "school"
    school.mkdir()
    call_command("new_lesson", "ours", "--into", str(school))
    assert (school / "ours" / "guide.md").is_file()
    assert "title: 'Ours'" in (school / "ours" / "lesson.md").read_text()


@pytest.mark.parametrize("slug", ["../up", "Big", "a b", ""])
def test_a_name_that_can_be_no_address_is_refused_in_words(lessons, slug):
    with pytest.raises(CommandError, match="can't be a lesson's name"):
        call_command("new_lesson", slug)
    assert list(lessons.iterdir()) == []


def test_a_new_lesson_never_writes_over_another(lessons):
    path = write_lesson(lessons, "one")
    with pytest.raises(CommandError, match="can't be made: File exists"):
        call_command("new_lesson", "one")
    assert path.read_text().endswith("Hello.\n")
