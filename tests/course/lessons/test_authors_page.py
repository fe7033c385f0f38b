"""docs/authors.md shows what works: its examples are read as a lesson."""

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from course.lessons.blocks import read_check
from course.lessons.parser import parse_lesson
from course.library import why_not_runnable
from tests.factories import make_admin
from tests.markup import elements, words_of

PAGE = (Path(__file__).parents[3] / "docs" / "authors.md").read_text(encoding="utf-8")
EXAMPLES = [found[1] for found in re.finditer(r"^```(?:yaml)?\n(.*?)^```$", PAGE, re.M | re.S)]
HEADER = next(example for example in EXAMPLES if example.startswith("---"))


def examples_with(word: str) -> str:
    """All examples that hold this word."""
    return "\n".join(example for example in EXAMPLES if word in example)


SHOWN = "\n".join(re.findall(r"^> ?(.*)$", PAGE, re.M))
"""Everything that the page says readers see."""


def write_all_examples(tmp_path: Path) -> Path:
    """The folder of a lesson that is made of the page's examples."""
    folder = tmp_path / "checkpoints"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "places.png").touch()
    kinds = [gap for gap in EXAMPLES if gap.startswith(":::{gaps}")]
    ids = re.findall(r"^([a-z-]+):", kinds[0], re.M)
    table = "\n".join(f"| {id_} | {{gap}}`{id_}` |" for id_ in ids)
    body = "\n".join(
        [
            examples_with("## Key words"),
            examples_with(":::{table}"),
            f"| Kind | Gap |\n|---|---|\n{table}\n\n{kinds[0]}",
            examples_with(":::{block}"),
            examples_with(":::{output}"),
            examples_with(":::{note}"),
            examples_with(":::{comment}"),
        ]
    )
    (folder / "lesson.md").write_text(f"{HEADER}\n{body}", encoding="utf-8")
    (folder / "guide.md").write_text(examples_with("{answers}"), encoding="utf-8")
    return folder


def test_the_pages_examples_make_one_whole_lesson(tmp_path: Path) -> None:
    lesson = parse_lesson(write_all_examples(tmp_path), why_not_runnable)
    assert {"my-resume", "my-check", "words", "count", "shape", "choose"} <= set(lesson.gaps)
    assert set(lesson.blocks) == {"run-fresh", "run-python"}
    assert lesson.blocks["run-fresh"].example is not None
    assert "Answers to every gap" in lesson.guide_html


@pytest.mark.parametrize("check", re.findall(r"^:check: (.+)$", PAGE, re.M))
def test_every_check_on_the_page_is_one(check: str) -> None:
    assert read_check(check) is not None


@pytest.mark.django_db
def test_what_the_page_says_that_readers_see_is_what_the_examples_show(
    client: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.LESSON_DIRS = [write_all_examples(tmp_path).parent]
    client.force_login(make_admin())
    response = client.get("/authors/checkpoints/?track=python")
    pictures = " ".join(picture.attrs["alt"] for picture in elements(response, "img"))
    shown = re.findall(r"\w+", f"{words_of(response)} {pictures}")
    said = re.findall(r"\w+", re.sub(r"</?(u|mark|br)>|_{2,}", " ", SHOWN))
    assert set(said) <= set(shown)
    assert len(said) > 100
