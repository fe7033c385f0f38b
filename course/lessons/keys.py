"""The keys of gaps, as an author writes them beside the table → Gap. No marking here."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from course.lessons.directives import Directive
from course.lessons.fields import Entry, Fields, NotReadable, read_mapping
from course.lessons.marking import normalise
from course.lessons.model import Gap
from course.lessons.patterns import PatternError, check_pattern
from course.lessons.problems import Problems

IGNORABLE = ("case", "spaces", "punctuation")
MAX_POINTS = 100
MAX_NEAR = 5
EXAMPLE = "Write accept:, number:, pattern:, choices: with accept:, or open: yes."


def read_keys(directive: Directive, problems: Problems) -> Mapping[str, Gap]:
    """The gaps of one `{gaps}` directive by id; none when its YAML can't be read.

    Their labels are empty unless the author wrote one: only the table knows them.
    """
    try:
        entries = read_mapping(directive.body, directive.body_line, problems)
    except NotReadable:
        return {}
    return {id_: _read_key(id_, entry, problems) for id_, entry in entries.items()}


def _read_key(id_: str, entry: Entry, problems: Problems) -> Gap:
    settings = entry.value
    if not isinstance(settings, dict):
        # The short form: `id: the answer`, or a list of answers.
        settings = {"accept": entry}
    fields = Fields(settings, problems, f"The gap “{id_}”", entry.line)
    gap = Gap(
        id=id_,
        label=fields.text("label", ""),
        accept=fields.texts("accept"),
        ignore=_read_ignore(fields, problems),
        near=fields.whole("near", 2, 0, MAX_NEAR),
        pattern=fields.text("pattern", ""),
        number=fields.decimal("number"),
        tolerance=abs(fields.decimal("tolerance") or Decimal(0)),
        choices=fields.texts("choices"),
        is_open=fields.flag("open"),
        points=fields.whole("points", 1, 0, MAX_POINTS),
        hint=fields.text("hint", ""),
        sample=fields.text("sample", ""),
        line=entry.line,
    )
    fields.finish()
    _check_key(gap, fields, problems)
    return gap


def _read_ignore(fields: Fields, problems: Problems) -> frozenset[str]:
    if "ignore" not in fields:
        return frozenset(IGNORABLE)
    words = fields.texts("ignore")
    for word in set(words) - set(IGNORABLE):
        problems.add(
            fields.line_of("ignore"),
            f"“{word}” can't be ignored.",
            f"There is: {', '.join(IGNORABLE)}; to ignore nothing write ignore: [].",
        )
    return frozenset(words) & frozenset(IGNORABLE)


def _check_key(gap: Gap, fields: Fields, problems: Problems) -> None:
    if not (gap.accept or gap.pattern or gap.is_open or "number" in fields):
        problems.add(gap.line, f"The gap “{gap.id}” has no answer.", EXAMPLE)
    if gap.is_open and not gap.sample:
        problems.add(
            gap.line,
            f"The open gap “{gap.id}” has no sample.",
            "Write sample: and a good answer; teachers mark by it.",
        )
    if "tolerance" in fields and "number" not in fields:
        problems.add(fields.line_of("tolerance"), "tolerance needs a number.", "Write number: 3.")
    _check_accepted(gap, fields, problems)
    _check_choices(gap, fields, problems)
    _check_pattern(gap, fields, problems)


def _check_accepted(gap: Gap, fields: Fields, problems: Problems) -> None:
    for text in gap.accept:
        if not normalise(text, gap.ignore):
            problems.add(
                fields.line_of("accept"),
                f"Of the answer “{text}” nothing is left when {', '.join(sorted(gap.ignore))}"
                " are ignored.",
                "Write ignore: [case, spaces], or another answer.",
            )


def _check_choices(gap: Gap, fields: Fields, problems: Problems) -> None:
    if not gap.choices:
        return
    line = fields.line_of("choices")
    others = [name for name in ("number", "pattern", "open", "near") if name in fields]
    if others:
        problems.add(line, f"choices doesn't go with {others[0]}.", f"Leave {others[0]} out.")
    shown = {normalise(choice, gap.ignore) for choice in gap.choices}
    if len(gap.choices) < 2 or len(shown) < len(gap.choices):
        problems.add(line, "choices needs two that differ.", "Write choices: [yes, no]")
    for text in gap.accept:
        if normalise(text, gap.ignore) not in shown:
            problems.add(
                fields.line_of("accept"),
                f"“{text}” is accepted but not among the choices.",
                f"The choices are: {', '.join(gap.choices)}.",
            )


def _check_pattern(gap: Gap, fields: Fields, problems: Problems) -> None:
    if not gap.pattern:
        return
    try:
        check_pattern(gap.pattern)
    except PatternError as error:
        problems.add(fields.line_of("pattern"), f"The pattern can't be used: {error}")
