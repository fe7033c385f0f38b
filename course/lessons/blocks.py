"""The `{block}` and `{output}` directives → Block, Check and Example. Runs nothing."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from course.lessons.directives import Directive
from course.lessons.fields import Entry, Fields
from course.lessons.model import Block, Check, Example, Span
from course.lessons.problems import Problems

CommandCheck = Callable[[str], str]
"""Why a command line can't be run here, as a sentence; empty when it can."""

MAX_TIME_LIMIT_S = 600
MAX_COMMAND_BYTES = 64 * 1024
VARYING = re.compile(r"\{~(.*?)~\}")
# Letters that turn the reading direction round can make a command look like another one.
HIDDEN = re.compile("[\u200b\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
CHECKS = (
    ("file exists", re.compile(r"file (?P<path>\S+) exists")),
    ("file lines", re.compile(r"file (?P<path>\S+) has (?P<count>\d{1,7}) lines?")),
    ("file says", re.compile(r"file (?P<path>\S+) says (?P<text>.+)")),
    ("never prints", re.compile(r"never prints (?P<text>.+)")),
    ("prints", re.compile(r"prints (?P<text>.+)")),
)
CHECK_HINT = (
    "Write one of: prints TEXT · never prints TEXT · file PATH exists · "
    "file PATH has 5 lines · file PATH says TEXT"
)


def read_block(directive: Directive, check_command: CommandCheck, problems: Problems) -> Block:
    """The block; every mistake in it is noted, the id's own included only if it is missing."""
    fields = Fields(directive.options, problems, "This block", directive.line)
    block = Block(
        id=_read_id(fields, directive, problems),
        title=directive.argument,
        command=directive.body,
        exit_code=fields.whole("exit-code", 0, 0, 255),
        time_limit_s=fields.whole("time-limit", 60, 1, MAX_TIME_LIMIT_S),
        track=fields.text("track", ""),
        checks=_read_checks(directive.options.get("check"), fields, problems),
        line=directive.line,
    )
    fields.finish()
    if not block.title:
        problems.add(block.line, "This block has no title.", "Write :::{block} What it does")
    _check_command(block, directive.body_line, check_command, problems)
    return block


def _read_id(fields: Fields, directive: Directive, problems: Problems) -> str:
    id_ = fields.text("id", "")
    if not id_:
        problems.add(directive.line, "This block has no id.", "Write :id: and a short name.")
    return id_


def _check_command(
    block: Block, line: int, check_command: CommandCheck, problems: Problems
) -> None:
    if not block.command.strip():
        problems.add(block.line, "This block has no command.", "Write it below the options.")
    elif len(block.command.encode()) > MAX_COMMAND_BYTES:
        problems.add(line, "The command has more than 64 KiB.", "Put it into two blocks.")
    elif hidden := HIDDEN.search(block.command):
        line += block.command.count("\n", 0, hidden.start())
        said = f"The command holds an invisible character (U+{ord(hidden[0]):04X})."
        problems.add(line, said, "Delete it.")
    elif sentence := check_command(block.command):
        problems.add(line, f"This command can't be run here: {sentence}")


def _read_checks(entry: Entry | None, fields: Fields, problems: Problems) -> tuple[Check, ...]:
    fields.texts("check")
    checks = []
    for each in entry.value if entry else []:
        check = read_check(each.value.strip())
        if check is None:
            problems.add(each.line, f"“{each.value}” is not a check.", CHECK_HINT)
        else:
            _check_path(check, each.line, problems)
            checks.append(check)
    return tuple(checks)


def read_check(sentence: str) -> Check | None:
    """The check that the sentence asks for, or None."""
    for kind, form in CHECKS:
        if found := form.fullmatch(sentence):
            said = found.groupdict()
            return Check(
                kind=kind,
                sentence=sentence,
                path=said.get("path", ""),
                text=said.get("text", ""),
                count=int(said.get("count", 0)),
            )
    return None


def _check_path(check: Check, line: int, problems: Problems) -> None:
    if check.path.startswith("/") or ".." in check.path.split("/"):
        problems.add(
            line,
            f"The file “{check.path}” is not in the workspace.",
            "Write its path from /home/node/project on, such as demo/charges.log.",
        )


def read_example(directive: Directive) -> Example:
    """The output as written, with what stands between `{~` and `~}` marked as varying."""
    lines = tuple(_read_spans(line) for line in directive.body.split("\n"))
    return Example(lines, "\n".join("".join(map(_span_html, line)) for line in lines))


def _read_spans(line: str) -> tuple[Span, ...]:
    # Odd pieces are what stood inside the marks: split keeps the pattern's one group.
    pieces = enumerate(VARYING.split(line))
    return tuple(Span(text, varies=bool(at % 2)) for at, text in pieces if text or at % 2)


def _span_html(span: Span) -> str:
    text = html.escape(span.text, quote=False)
    return f'<mark class="varies">{text}</mark>' if span.varies else text
