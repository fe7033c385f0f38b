"""Pictures and other files of a lesson, each under an address that never says anything else."""

from __future__ import annotations

import pytest

from course.library import get_lesson
from tests.course.lessons.writing import HEADER
from tests.markup import element, elements

pytestmark = pytest.mark.django_db

BODY = "![A dot](files/dot.png)\n\n[The numbers](files/in/numbers.csv)\n"


@pytest.fixture
def lesson(tmp_path, settings):
    folder = tmp_path / "small"
    (folder / "files" / "in").mkdir(parents=True)
    (folder / "lesson.md").write_text(HEADER + BODY)
    (folder / "guide.md").write_text("Tell them of the zebra.\n")
    (folder / "files" / "dot.png").write_bytes(b"a dot")
    (folder / "files" / "in" / "numbers.csv").write_text("1,2\n")
    (folder / "files" / "page.html").write_text("<script>1</script>")
    settings.LESSON_DIRS = [tmp_path]
    return folder


def file_of(client, name, version=""):
    version = version or get_lesson("small").version
    return client.get(f"/lessons/small/files/{version}/{name}")


def link_to(response, words):
    (found,) = [link for link in elements(response, "a") if link.words == words]
    return found


def test_the_page_shows_the_picture(client, lesson):
    picture = element(client.get("/lessons/small/"), "img", alt="A dot")
    response = client.get(picture.attrs["src"])
    assert (response.content, response["Content-Type"]) == (b"a dot", "image/png")
    assert "immutable" in response["Cache-Control"]


def test_another_file_is_downloaded_whatever_is_in_it(client, lesson):
    response = client.get(link_to(client.get("/lessons/small/"), "The numbers").attrs["href"])
    assert (response.content, response["Content-Disposition"]) == (b"1,2\n", "attachment")
    page = file_of(client, "page.html")
    assert (page["Content-Type"], page["Content-Disposition"]) == (
        "application/octet-stream",
        "attachment",
    )
    assert page["X-Content-Type-Options"] == "nosniff"


def test_after_a_change_the_picture_of_then_is_still_there(client, lesson):
    client.get("/lessons/small/")
    then = get_lesson("small").version
    (lesson / "files" / "dot.png").write_bytes(b"another")
    assert file_of(client, "dot.png", then).content == b"a dot"


@pytest.mark.parametrize(
    "name", ["nothing.png", "../guide.md", "%2e%2e/guide.md", "../../small/guide.md", "in", "in/"]
)
def test_nothing_but_the_files_can_be_read(client, lesson, name):
    assert file_of(client, name).status_code == 404


def test_a_version_that_never_was_has_no_files(client, lesson):
    assert file_of(client, "dot.png", "0" * 16).status_code == 404
    assert client.get("/lessons/nothing/files/0/dot.png").status_code == 404
