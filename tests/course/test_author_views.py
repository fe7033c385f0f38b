"""The pages of those who write lessons: every folder, and one lesson as its files are now."""

from __future__ import annotations

import pytest

from tests.course.lessons.writing import HEADER
from tests.factories import make_admin
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}
PAGE = "/authors/small/"
GOOD = """\
## Words {#words}

| Word | Example |
|------|---------|
| One  | {gap}`one` |
| Two  | {gap}`two` |

:::{gaps}
one:
  accept: first
  hint: Count from the front.
two:
  choices: [red, blue]
  accept: red
:::

:::{block} List
:id: list

docker exec agent ls
:::
"""
BROKEN = "## Words\n\n| Word | Example |\n|---|---|\n| One | {gap}`one` |\n"


@pytest.fixture
def write(tmp_path, settings):
    """Writes the lesson `small` with this body, and a guide."""
    folder = tmp_path / "small"
    folder.mkdir()
    settings.LESSON_DIRS = [tmp_path]

    def write_body(body, guide="Tell them of the zebra.\n"):
        (folder / "lesson.md").write_text(HEADER + body)
        (folder / "guide.md").write_text(guide)

    return write_body


@pytest.fixture
def author(client):
    client.force_login(make_admin())
    return client


def seen_version(response):
    return element(response, id="preview").attrs["hx-get"].partition("seen=")[2].partition("&")[0]


def test_a_good_lesson_is_shown_as_a_student_meets_it_with_its_guide(author, write):
    write(GOOD)
    response = author.get(PAGE)
    assert [gap.attrs["id"] for gap in elements(response, class_="gap-input")] == [
        "gap-one-input",
        "gap-two-input",
    ]
    assert "Count from the front." in words_of(response)
    assert [option.words for option in elements(response, "option")][-2:] == ["red", "blue"]
    assert "docker exec agent ls" in words_of(response)
    assert "Tell them of the zebra." in words_of(response)


def test_nothing_in_the_preview_can_be_sent(author, write):
    write(GOOD)
    frame = element(author.get(PAGE), "fieldset", class_="preview-frame")
    assert "disabled" in frame.attrs
    assert "hx-disable" in frame.attrs


def test_a_broken_lesson_shows_every_mistake_with_its_line_and_what_to_write(author, write):
    write(BROKEN, guide="Read [this](nowhere.md).\n")
    response = author.get(PAGE)
    said = [each.words for each in elements(response, "ol", class_="mistakes")]
    heading_line = HEADER.count("\n") + 1
    assert f"lesson.md:{heading_line} The section “Words” has no id." in said[0]
    assert f"lesson.md:{heading_line + 4} The gap “one” has no key." in said[0]
    assert "guide.md:1 The link “nowhere.md” leads nowhere from the guide." in said[0]
    assert "Write ## Words {#words}" in said[0]
    assert "| One | {gap}`one` |" in [line.text for line in elements(response, "pre")]


def test_as_long_as_nothing_is_saved_the_page_is_answered_with_nothing(author, write):
    write(GOOD)
    version = seen_version(author.get(PAGE))
    response = author.get(f"{PAGE}?seen={version}", **HTMX)
    assert (response.status_code, response.content) == (204, b"")


def test_a_save_brings_the_new_text_at_once(author, write):
    write(GOOD)
    version = seen_version(author.get(PAGE))
    write(GOOD + "\nOne more word.\n")
    response = author.get(f"{PAGE}?seen={version}", **HTMX)
    assert not elements(response, "html")
    assert "One more word." in element(response, id="preview").words
    assert seen_version(response) != version


def test_a_lesson_that_breaks_says_so_on_the_open_page(author, write):
    write(GOOD)
    version = seen_version(author.get(PAGE))
    write(BROKEN)
    assert "has no key" in element(author.get(f"{PAGE}?seen={version}", **HTMX), id="preview").words


def test_each_track_can_be_looked_at(author, settings):
    response = author.get("/authors/checkpoints/?track=python")
    assert element(response, "a", href="?track=python").attrs["aria-current"] == "true"
    assert "Run it fresh and crash at A3" in words_of(response)
    assert elements(response, id="block-crash-python")
    assert not elements(response, id="block-crash")


def test_all_folders_are_listed_with_their_state(author, write):
    write(BROKEN)
    rows = [row.words for row in elements(author.get("/authors/"), "tr")]
    assert rows[1:] == ["small 2 mistakes"]
    write(GOOD)
    rows = [row.words for row in elements(author.get("/authors/"), "tr")]
    assert rows[1:] == ["small fine Answers, runs, rehearsal: small"]


def test_a_folder_that_is_not_there_is_not_found(author):
    assert author.get("/authors/nothing/").status_code == 404
