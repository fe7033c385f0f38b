"""Each mistake of an author's, with the line it stands on and what to write instead."""

from pathlib import Path

import pytest

from tests.course.lessons.writing import mistakes

GAP = "| A | B |\n|---|---|\n| x | {gap}`g` |\n"
KEY = ":::{gaps}\ng: yes\n:::\n"


def key(text: str) -> str:
    """A table with one gap and its key, whose settings begin on line 6."""
    return f"{GAP}\n:::{{gaps}}\ng: {{{text}}}\n:::\n"


def block(options: str = ":id: b\n", command: str = "docker exec agent ls") -> str:
    return f":::{{block}} List\n{options}\n{command}\n:::\n"


ONE_MISTAKE = {
    "a section without an id": (
        "\n## Key words!\n",
        "2: The section “Key words!” has no id. Write ## Key words! {#key-words}",
    ),
    "a malformed id": (
        "## A {#Key_Words}\n",
        "1: “Key_Words” can't be an id. "
        "Use small letters, digits and single hyphens, such as run-fresh.",
    ),
    "an id used twice": (
        "## A {#g}\n\n" + GAP + "\n" + KEY,
        "1: The id “g” is already used on line 16. Give one of the two another id.",
    ),
    "a title in the text": (
        "# A title\n",
        "1: A heading with one # would be a second title of the page. Write ## or ###.",
    ),
    "a section in a callout": (
        ":::{note}\n\n## A {#a}\n:::\n",
        "3: A section can't begin inside {note}. Write ### for a heading in there.",
    ),
    "a gap without a key": (
        GAP,
        "3: The gap “g” has no key. Write `g: the answer` inside a :::{gaps} below the table.",
    ),
    "a key without a gap": (KEY, "2: There is a key “g” but no gap. Write {gap}`g` in a cell."),
    "a gap outside of tables": (
        "Fill in {gap}`g`.\n\n" + KEY,
        "1: The gap “g” stands in no table, so it has no label. "
        "Write label: with its key, for screen readers.",
    ),
    "a key twice": (
        GAP + "\n" + KEY + "\n" + KEY,
        "10: The gap “g” has a key on line 17 already. Keep one of them.",
    ),
    "a name twice in YAML": (
        GAP + "\n:::{gaps}\ng:\n  accept: a\n  accept: b\n:::\n",
        "8: “accept” is set twice. Keep one of them.",
    ),
    "a key without an answer": (
        key("points: 2"),
        "6: The gap “g” has no answer. "
        "Write accept:, number:, pattern:, choices: with accept:, or open: yes.",
    ),
    "an open gap without a sample": (
        key("open: yes"),
        "6: The open gap “g” has no sample. Write sample: and a good answer; teachers mark by it.",
    ),
    "an unknown setting": (
        key("acept: a, number: 1"),
        "6: The gap “g” has no setting “acept”. Did you mean “accept”?",
    ),
    "a number that is none": (
        key("number: two"),
        "6: number must be a number. Write number: 2.5",
    ),
    "points that are no whole number": (
        key("accept: a, points: 1.5"),
        "6: points must be a whole number from 0 to 100. Write points: 1",
    ),
    "a flag that is none": (
        key("accept: a, open: maybe"),
        "6: open must be yes or no. Write open: yes",
    ),
    "a list where a text is wanted": (
        key("accept: a, hint: [a, b]"),
        "6: hint must be one text. Write hint: some words",
    ),
    "something else to ignore": (
        key("accept: a, ignore: accents"),
        "6: “accents” can't be ignored. "
        "There is: case, spaces, punctuation; to ignore nothing write ignore: [].",
    ),
    "an answer of punctuation alone": (
        key("accept: '&&'"),
        "6: Of the answer “&&” nothing is left when case, punctuation, spaces are ignored. "
        "Write ignore: [case, spaces], or another answer.",
    ),
    "an answer that can't be chosen": (
        key("accept: maybe, choices: [yes, no]"),
        "6: “maybe” is accepted but not among the choices. The choices are: yes, no.",
    ),
    "one choice only": (
        key("accept: yes, choices: [yes]"),
        "6: choices needs two that differ. Write choices: [yes, no]",
    ),
    "choices of a number": (
        key("accept: a, choices: [a, b], number: 1"),
        "6: choices doesn't go with number. Leave number out.",
    ),
    "a tolerance of nothing": (
        key("accept: a, tolerance: 1"),
        "6: tolerance needs a number. Write number: 3.",
    ),
    "a pattern that can't be read": (
        key("pattern: '(a'"),
        "6: The pattern can't be used: The pattern ends too early: something is not closed. ",
    ),
    "a pattern that looks around": (
        key("pattern: '(?=a)b'"),
        "6: The pattern can't be used: “(?” begins something that patterns here can't do. "
        "Plain ( ) are enough. ",
    ),
    "broken YAML": (
        ":::{gaps}\na: [b\n:::\n",
        "2: This YAML can't be read: expected ',' or ']', but got '<stream end>'. "
        "Put quotes around values that begin with a sign, and indent with spaces.",
    ),
    "a colon in YAML": (
        ":::{gaps}\na: b: c\n:::\n",
        "2: This YAML can't be read: mapping values are not allowed here. "
        "Put quotes around a value that has a colon in it.",
    ),
    "YAML that is no mapping": (
        ":::{gaps}\n- a\n:::\n",
        "2: This is not a list of settings. Write `name: value`.",
    ),
    "a YAML alias": (
        key("accept: &a [x], hint: *a"),
        "6: That is nested too deeply or uses * and &. Write it out.",
    ),
    "a row with too many cells": (
        "| A | B |\n|---|---|\n| x | `a | b` |\n",
        "3: This row has 3 cells, its table has 2. "
        "Leave no cell out; a | inside a cell is written \\|.",
    ),
    "a table without a caption": (
        ":::{table}\n| A |\n|---|\n| x |\n:::\n",
        "1: This table has no caption. Write :::{table} What it shows",
    ),
    "no table in a table": (
        ":::{table} T\nWords.\n:::\n",
        "1: Inside {table} there must be one table and nothing else. "
        "Write its rows as | cell | cell |.",
    ),
    "an unknown directive": (
        "A\n\n:::{warnign} T\nx\n:::\n",
        "3: There is no directive {warnign}. Did you mean “warning”?",
    ),
    "an unknown role": (
        "A {glossary}`x`.\n",
        "1: There is no role {glossary}. A gap is written {gap}`its-id`.",
    ),
    "a directive that is never closed": (
        "A\n\n:::{note}\nB\n",
        "3: What begins with :::{note} is never closed. Write a line ::: below it.",
    ),
    "an option of a callout": (
        ":::{note} N\n:class: big\n\nB\n:::\n",
        "2: {note} has no setting “class”. There is none yet.",
    ),
    "a block without an id": (
        block(options=""),
        "1: This block has no id. Write :id: and a short name.",
    ),
    "a block without a title": (
        block().replace(" List", ""),
        "1: This block has no title. Write :::{block} What it does",
    ),
    "a block without a command": (
        block(command=""),
        "1: This block has no command. Write it below the options.",
    ),
    "an unknown option of a block": (
        block(":id: b\n:exitcode: 1\n"),
        "3: This block has no setting “exitcode”. Did you mean “exit-code”?",
    ),
    "an option twice": (
        block(":id: b\n:exit-code: 1\n:exit-code: 1\n"),
        "4: “:exit-code:” is set twice. Keep one of them.",
    ),
    "an exit code beyond all": (
        block(":id: b\n:exit-code: 256\n"),
        "3: exit-code must be a whole number from 0 to 255. Write exit-code: 0",
    ),
    "a time limit beyond all": (
        block(":id: b\n:time-limit: 601\n"),
        "3: time-limit must be a whole number from 1 to 600. Write time-limit: 60",
    ),
    "a check in other words": (
        block(":id: b\n:check: has five lines\n"),
        "3: “has five lines” is not a check. Write one of: prints TEXT · never prints TEXT · "
        "file PATH exists · file PATH has 5 lines · file PATH says TEXT",
    ),
    "a check outside of the workspace": (
        block(":id: b\n:check: file ../../etc/passwd exists\n"),
        "3: The file “../../etc/passwd” is not in the workspace. "
        "Write its path from /home/node/project on, such as demo/charges.log.",
    ),
    "an invisible character in a command": (
        block(command="docker exec agent \\\n  rm \u202efdp.x"),
        "5: The command holds an invisible character (U+202E). Delete it.",
    ),
    "a block in a callout": (
        f"::::{{note}} N\n{block()}\n::::\n",
        "2: A block can't stand inside something else. Only a {track} may hold it.",
    ),
    "a track that is not in the header": (
        block(":id: b\n:track: ruby\n"),
        "1: The lesson has no track “ruby”. There is: node, python.",
    ),
    "a block of one track in another": (
        f"::::{{track}} python\n{block(':id: b' + chr(10) + ':track: node' + chr(10))}\n::::\n",
        "2: This block is of track “node” inside track “python”. Leave :track: out.",
    ),
    "the output of no block": (
        block() + ":::{output} c\nx\n:::\n",
        "6: There is no block “c” that this could be the output of. There is: b.",
    ),
    "two outputs of one block": (
        block() + ":::{output} b\nx\n:::\n:::{output} b\nx\n:::\n",
        "9: The block “b” has an example already. Keep one of them.",
    ),
    "a link to no id": (
        "## Words {#words}\n\n[see](#word)\n",
        "3: Nothing here is called “#word”. Did you mean “words”?",
    ),
    "a link to no file": (
        "[see](files/a.txt)\n",
        "1: The lesson has no file “files/a.txt”. There is: lesson.md.",
    ),
    "a link out of the lesson": (
        "[see](../other/lesson.md)\n",
        "1: The link “../other/lesson.md” leads nowhere. Write #an-id, files/name.png or https://…",
    ),
    "a picture without words": (
        "![](https://example.org/x.png)\n",
        "1: This picture has no description for those who can't see it. "
        "Write ![what it shows](files/name.png).",
    ),
    "a control character": (
        "A\nB\x1b[1m\n",
        "2: There is an invisible control character (U+001B). Delete it.",
    ),
}


@pytest.mark.parametrize(("body", "mistake"), ONE_MISTAKE.values(), ids=ONE_MISTAKE)
def test_a_mistake_is_one_error_with_its_line_and_a_hint(
    tmp_path: Path, body: str, mistake: str
) -> None:
    assert mistakes(tmp_path, body) == [mistake]


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    opening = "".join(f"{':' * (60 - depth)}{{note}}\n" for depth in range(50))
    closing = "".join(f"{':' * (60 - depth)}\n" for depth in reversed(range(50)))

    assert mistakes(tmp_path, opening + closing) == ["6: This is nested too deeply. Take it out."]
