"""Lessons on their shelves: found, kept, read again when they change, and readable while broken."""

import os
import threading
from pathlib import Path

import pytest
from pytest_django import Settings

from course.lessons.parser import LESSON_FILE
from course.library import (
    Library,
    get_lesson,
    lesson_errors,
    list_lessons,
    why_not_runnable,
)
from tests.course.lessons.writing import HEADER, anything_runs


def write(folder: Path, slug: str, text: str = "Hello.", title: str = "A small lesson") -> Path:
    """The lesson file with this text, its time moved on so that the change is seen."""
    path = folder / slug / LESSON_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    before_ns = path.stat().st_mtime_ns if path.exists() else 0
    header = HEADER.replace("slug: small", f"slug: {slug}").replace("A small lesson", title)
    path.write_text(header + text)
    os.utime(path, ns=(before_ns + 1, before_ns + 1))
    return path


class Reads:
    """A check of commands that counts how often it is asked: once for each reading of a block."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _line: str) -> str:
        self.count += 1
        return ""


BLOCK = ":::{block} List\n:id: b\n\ndocker exec agent ls\n:::\n"


def library(*folders: Path) -> Library:
    return Library(folders, anything_runs, look_every_s=0)


def test_every_folder_with_a_lesson_file_is_a_lesson(tmp_path: Path) -> None:
    write(tmp_path, "one", title="Zebras")
    write(tmp_path, "two", title="Apes")
    (tmp_path / "notes").mkdir()

    shelf = library(tmp_path)
    assert [lesson.slug for lesson in shelf.all()] == ["two", "one"]
    assert [shelf.get(slug) is not None for slug in ("one", "notes", "three")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("slug", ["..", "../secret", "/etc", "a/b", "", ".", "A", "a\0b"])
def test_a_name_from_the_address_never_leads_out_of_the_folders(tmp_path: Path, slug: str) -> None:
    write(tmp_path, "secret")
    write(tmp_path / "lessons", "one")

    assert library(tmp_path / "lessons").get(slug) is None


def test_a_lesson_is_parsed_once_while_its_files_stay_as_they_are(tmp_path: Path) -> None:
    reads = Reads()
    path = write(tmp_path, "one", BLOCK)
    shelf = Library([tmp_path], reads, look_every_s=0)
    first = shelf.get("one")

    assert shelf.get("one") is first
    assert shelf.all() == [first]
    assert reads.count == 1

    (path.parent / "guide.md").write_text("New.")
    assert shelf.get("one") is not first
    assert reads.count == 2


def test_between_two_looks_a_lesson_is_not_even_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path, "one")
    shelf = Library([tmp_path], anything_runs, look_every_s=3600)
    first = shelf.get("one")
    path.unlink()

    assert shelf.get("one") is first


def test_a_change_is_read_and_gets_a_version_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "one", "Hello.")
    shelf = library(tmp_path)
    before = shelf.get("one")
    write(tmp_path, "one", "Hullo.")
    after = shelf.get("one")

    assert before is not None
    assert after is not None
    assert before.version != after.version


def test_a_lesson_that_breaks_stays_readable_and_its_mistakes_are_told(tmp_path: Path) -> None:
    write(tmp_path, "one", "Hello.")
    shelf = library(tmp_path)
    good = shelf.get("one")
    path = write(tmp_path, "one", "# Oh\n\n[x](#y)\n")

    assert shelf.get("one") is good
    assert shelf.all() == [good]
    assert [(error.path, error.line) for error in shelf.errors()] == [
        (str(path), 12),
        (str(path), 14),
    ]

    write(tmp_path, "one", "Good again.")
    assert shelf.errors() == []
    assert shelf.get("one") is not good


def test_a_lesson_that_was_never_good_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, "one", "# Oh")
    write(tmp_path, "two")
    shelf = library(tmp_path)

    assert shelf.get("one") is None
    assert [lesson.slug for lesson in shelf.all()] == ["two"]


def test_a_lesson_that_is_removed_is_gone(tmp_path: Path) -> None:
    path = write(tmp_path, "one")
    shelf = library(tmp_path)
    assert shelf.get("one") is not None
    path.unlink()

    assert shelf.get("one") is None
    assert shelf.all() == []


def test_of_two_lessons_with_one_name_the_first_folder_wins_and_the_other_is_told(
    tmp_path: Path,
) -> None:
    write(tmp_path / "ours", "one", title="Ours")
    theirs = write(tmp_path / "theirs", "one", title="Theirs")
    shelf = library(tmp_path / "ours", tmp_path / "theirs")

    assert [lesson.title for lesson in shelf.all()] == ["Ours"]
    assert [(error.path, error.hint) for error in shelf.errors()] == [
        (str(theirs), "Rename one of the two.")
    ]


def test_a_folder_that_is_not_there_is_an_error_and_hides_no_other(tmp_path: Path) -> None:
    write(tmp_path, "one")
    shelf = library(tmp_path / "school", tmp_path)

    assert [error.path for error in shelf.errors()] == [str(tmp_path / "school")]
    assert shelf.get("one") is not None


def test_many_readers_at_once_cause_one_reading(tmp_path: Path) -> None:
    reads = Reads()
    write(tmp_path, "one", BLOCK)
    shelf = Library([tmp_path], reads, look_every_s=0)
    threads = [threading.Thread(target=shelf.get, args=("one",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert reads.count == 1


@pytest.mark.django_db
def test_the_site_reads_the_folders_of_its_setting(tmp_path: Path, settings: Settings) -> None:
    write(tmp_path, "one", BLOCK.replace("docker exec", "podman run"))
    write(tmp_path, "two")
    settings.LESSON_DIRS = [tmp_path]

    assert [lesson.slug for lesson in list_lessons()] == ["two"]
    assert get_lesson("two") in list_lessons()
    assert get_lesson("one") is None
    assert lesson_errors()[0].message.startswith("This command can't be run here: ")


def test_the_lab_says_what_it_can_run() -> None:
    assert why_not_runnable("docker exec agent ls") == ""
    assert why_not_runnable("ls") != ""
