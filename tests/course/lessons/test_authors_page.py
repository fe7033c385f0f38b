"""docs/authors.md shows what works: its examples are read as a lesson."""

import re
from pathlib import Path

import pytest

from course.lessons.blocks import read_check
from course.lessons.parser import parse_lesson
from course.library import why_not_runnable

PAGE = (Path(__file__).parents[3] / "docs" / "authors.md").read_text(encoding="utf-8")
EXAMPLES = [found[1] for found in re.finditer(r"^```(?:yaml)?\n(.*?)^```$", PAGE, re.M | re.S)]
HEADER = next(example for example in EXAMPLES if example.startswith("---"))


def examples_with(word: str) -> str:
    """All examples that hold this word."""
    return "\n".join(example for example in EXAMPLES if word in example)


def test_the_pages_examples_make_one_whole_lesson(tmp_path: Path) -> None:
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
    lesson = parse_lesson(folder, why_not_runnable)

    assert {"my-resume", "my-check", "words", "count", "shape", "choose"} <= set(lesson.gaps)
    assert set(lesson.blocks) == {"run-fresh", "run-python"}
    assert lesson.blocks["run-fresh"].example is not None
    assert "Answers to every gap" in lesson.guide_html


@pytest.mark.parametrize("check", re.findall(r"^:check: (.+)$", PAGE, re.M))
def test_every_check_on_the_page_is_one(check: str) -> None:
    assert read_check(check) is not None
