"""A lesson of then: kept whole when readers first meet it, and read again by its version."""

from __future__ import annotations

from datetime import timedelta

import pytest

from course.lesson_versions import keep_version
from course.library import get_lesson, lesson_of_version, list_lessons
from course.models import LessonVersion
from course.tasks import keep_lessons
from tests.course.lessons.writing import HEADER
from tests.markup import elements
from tests.settings import WHOLE_SCHEDULE

pytestmark = pytest.mark.django_db

GAP = "| Word | Example |\n|---|---|\n| One | {gap}`one` |\n\n:::{gaps}\none: KEY\n:::\n"
PICTURE = "![A dot](files/dot.png)\n"
BYTES = bytes(range(256))


def write(folder, body):
    """The folder of lessons with this one lesson, which has a picture and a guide."""
    (folder / "small" / "files").mkdir(parents=True)
    (folder / "small" / "lesson.md").write_text(HEADER + body)
    (folder / "small" / "guide.md").write_text("Tell them of the zebra.\n")
    (folder / "small" / "files" / "dot.png").write_bytes(BYTES)
    return folder


@pytest.fixture
def change(tmp_path, settings):
    """Makes the lesson say something else; gives it as it now is."""

    def change_to(name, body):
        settings.LESSON_DIRS = [write(tmp_path / name, body)]
        return get_lesson("small")

    return change_to


def test_a_version_that_readers_met_can_be_read_after_the_files_changed(change):
    before = change("before", GAP.replace("KEY", "first") + PICTURE)
    keep_version(before)
    change("after", GAP.replace("KEY", "second"))
    assert lesson_of_version("small", before.version) == before


def test_todays_version_is_read_from_its_files(change, django_assert_num_queries):
    today = change("today", GAP.replace("KEY", "first"))
    with django_assert_num_queries(0):
        assert lesson_of_version("small", today.version) is today


def test_a_version_that_nobody_met_is_not_there(change):
    change("today", GAP.replace("KEY", "first"))
    assert lesson_of_version("small", "0" * 16) is None
    assert lesson_of_version("nothing", "0" * 16) is None


def test_a_version_is_kept_once_however_many_read_it(change, client):
    change("today", GAP.replace("KEY", "first"))
    for _ in range(3):
        assert client.get("/lessons/small/").status_code == 200
    assert LessonVersion.objects.filter(lesson="small").count() == 1


def test_a_version_that_nobody_opened_is_kept_all_the_same(change):
    before = change("before", GAP.replace("KEY", "first"))
    keep_lessons()
    change("after", GAP.replace("KEY", "second"))
    assert lesson_of_version("small", before.version) == before


def test_the_beat_looks_for_new_versions_of_lessons():
    entry = WHOLE_SCHEDULE["lessons"]
    assert entry["task"] == keep_lessons.name
    assert entry["schedule"].run_every <= timedelta(minutes=1)


def test_a_lesson_of_then_is_not_stored_again_under_todays_files(change):
    before = change("before", GAP.replace("KEY", "first"))
    change("after", GAP.replace("KEY", "second"))
    keep_version(before)
    assert not LessonVersion.objects.exists()


def test_what_the_lesson_was_is_read_once(change, django_assert_num_queries):
    before = change("before", GAP.replace("KEY", "once"))
    keep_version(before)
    change("after", GAP.replace("KEY", "second"))
    lesson_of_version("small", before.version)
    with django_assert_num_queries(0):
        assert lesson_of_version("small", before.version) == before


def test_a_site_that_starts_with_a_broken_lesson_shows_it_as_readers_last_met_it(change, client):
    before = change("before", GAP.replace("KEY", "as it was"))
    keep_version(before)
    assert change("after", GAP.replace("one: KEY", "other: key")) == before
    response = client.get("/lessons/small/")
    assert elements(response, id="gap-one")
    assert [lesson.slug for lesson in list_lessons()] == ["small"]


def test_a_broken_lesson_that_nobody_ever_met_is_not_there(change, client):
    assert change("broken", "## No id\n") is None
    assert client.get("/lessons/small/").status_code == 404
    assert list_lessons() == []
