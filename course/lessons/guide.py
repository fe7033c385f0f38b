"""A lesson's `guide.md` → HTML for teachers only."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it.token import Token

from course.lessons.directives import Directive
from course.lessons.model import Gap, Section
from course.lessons.problems import Problems
from course.lessons.render import Renderer
from course.lessons.sanitise import clean_html
from course.lessons.source import read_text


def render_guide(path: Path, sections: Sequence[Section], problems: Problems) -> str:
    """The guide's HTML; empty where there is none or a problem was noted."""
    if not path.exists():
        return ""
    text = read_text(path, problems)
    if text is None:
        return ""

    def answers(renderer: Renderer, directive: Directive) -> str:
        renderer.refuse_options(directive)
        return _answers_table(sections)

    def no_role(token: Token, line: int) -> str:
        said = f"A guide has no {{{token.meta['name']}}}."
        problems.add(line, said, "Gaps stand in lesson.md.")
        return ""

    renderer = Renderer(text.split("\n"), problems, {"answers": answers}, no_role)
    rendered = renderer.page(text, 1)
    for link in renderer.links:
        said = f"The link “{link.target}” leads nowhere from the guide."
        problems.add(link.line, said, "Write https://… or the section's name in words.")
    return clean_html(rendered)


def _answers_table(sections: Sequence[Section]) -> str:
    """Every gap with what is accepted and a good answer: always what the lesson's keys say."""
    rows = "\n".join(
        f'<tr><th scope="row">{html.escape(gap.label)}</th>'
        f"<td>{_lines(answers_of(gap))}</td><td>{html.escape(gap.sample)}</td>"
        f"<td>{gap.points}</td></tr>"
        for section in sections
        for gap in section.parts
        if isinstance(gap, Gap)
    )
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("Gap", "Right by itself", "A good answer", "Points")
    )
    return (
        '<div class="table-scroll" tabindex="0" role="region" aria-label="Answers to every gap">'
        f"<table><caption>Answers to every gap</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>\n"
    )


def _lines(texts: Iterator[str]) -> str:
    return "<br>".join(html.escape(text) for text in texts)


def answers_of(gap: Gap) -> Iterator[str]:
    """What is marked right, a line each, in words for a teacher."""
    yield from gap.accept
    if gap.number is not None:
        spread = f" ± {gap.tolerance}" if gap.tolerance else ""
        yield f"the number {gap.number}{spread}"
    if gap.pattern:
        yield f"what fits the pattern {gap.pattern}"
    if gap.is_open:
        yield "otherwise marked by a teacher"
