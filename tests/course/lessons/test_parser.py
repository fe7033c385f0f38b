"""What an author writes, and the lesson that comes of it."""

import re
from decimal import Decimal
from pathlib import Path

from course.lessons.model import Block, Check, Html, Lesson, Span, Track
from course.lessons.parser import parse_lesson
from tests.course.lessons.writing import (
    BODY_LINE,
    HEADER,
    anything_runs,
    read_lesson,
    write_lesson,
)

WORDS = """\
## Key words {#words}

:::{table} Two words
| Word   | Example        |
|--------|---------------:|
| Resume | {gap}`resume`  |
| Log    | {gap}`log`     |
:::

:::{gaps}
resume: go on
log:
  accept: [a list, no]
  hint: What happened?
  points: 3
:::
"""
TAB = "\t"
BLOCK = f"""\
:::{{block}} Say it twice
:id: say
:exit-code: 3
:time-limit: 9
:track: node
:check: prints hello
:check: file demo/x.log has 5 lines

docker exec agent sh -c "echo 'hello'
  echo  hello{TAB}
"
:::
"""


def html_of(lesson: Lesson) -> str:
    return "".join(part.html for part in lesson.parts() if isinstance(part, Html))


def test_the_header_says_what_stands_at_the_lessons_top(tmp_path: Path) -> None:
    lesson = read_lesson(tmp_path, "Hello.", HEADER.replace("minutes: 5", "minutes: 5\nfree: yes"))

    assert (lesson.title, lesson.slug, lesson.outcome) == ("A small lesson", "small", "I can test.")
    assert (lesson.minutes, lesson.is_free, lesson.lab.title) == (5, True, "A lab")
    assert lesson.tracks == (Track("node", "Node.js"), Track("python", "Python"))


def test_second_level_headings_make_sections_with_the_authors_ids(tmp_path: Path) -> None:
    lesson = read_lesson(tmp_path, "Before.\n\n## One *fine* day {#one}\n\nA\n\n## Two {#two}\nB")

    assert [(s.id, s.title) for s in lesson.sections] == [
        ("", ""),
        ("one", "One fine day"),
        ("two", "Two"),
    ]
    assert lesson.sections[1].parts == (Html("<p>A</p>\n"),)


def test_a_gap_in_a_cell_is_labelled_by_its_column_and_row(tmp_path: Path) -> None:
    lesson = read_lesson(tmp_path, WORDS)

    assert [gap.label for gap in lesson.gaps.values()] == ["Example: Resume", "Example: Log"]
    assert lesson.gaps["resume"].accept == ("go on",)
    assert lesson.gaps["resume"].line == BODY_LINE + 5


def test_yaml_words_stay_the_words_that_the_author_wrote(tmp_path: Path) -> None:
    lesson = read_lesson(tmp_path, WORDS.replace("a list, no", "no, 1.0, ~, on"))

    assert lesson.gaps["log"].accept == ("no", "1.0", "~", "on")


def test_every_kind_of_key_is_read(tmp_path: Path) -> None:
    body = """\
:::{table} Kinds
| Kind | Gap |
|---|---|
| a | {gap}`a` |
| b | {gap}`b` |
| c | {gap}`c` |
| d | {gap}`d` |
:::
:::{gaps}
a: {number: 2.50, tolerance: 0.1}
b: {choices: [yes, no], accept: no}
c: {open: yes, sample: A long one., label: Say why}
d: {pattern: 'ab+', ignore: [case], near: 0}
:::
"""
    gaps = read_lesson(tmp_path, body).gaps

    assert [gap.kind for gap in gaps.values()] == ["number", "choice", "open", "text"]
    assert (gaps["a"].number, gaps["a"].tolerance) == (Decimal("2.50"), Decimal("0.1"))
    assert (gaps["b"].choices, gaps["b"].accept) == (("yes", "no"), ("no",))
    assert (gaps["c"].label, gaps["c"].sample) == ("Say why", "A long one.")
    assert (gaps["d"].ignore, gaps["d"].near) == (frozenset({"case"}), 0)


def test_html_and_gaps_together_are_the_table(tmp_path: Path) -> None:
    parts = read_lesson(tmp_path, WORDS).sections[0].parts

    page = "".join(part.html if isinstance(part, Html) else f"[{part.id}]" for part in parts)
    assert re.sub(r"\n", "", page) == (
        '<div class="table-scroll" tabindex="0" role="region" aria-label="Two words"><table>'
        "<caption>Two words</caption>"
        '<thead><tr><th scope="col">Word</th><th class="align-right" scope="col">Example</th></tr>'
        "</thead><tbody>"
        '<tr><th scope="row">Resume</th><td class="align-right">[resume]</td></tr>'
        '<tr><th scope="row">Log</th><td class="align-right">[log]</td></tr>'
        "</tbody></table></div>"
    )


def test_a_bare_table_is_named_by_its_headings(tmp_path: Path) -> None:
    html = html_of(read_lesson(tmp_path, "|   | <Two> |\n|---|---|\n| 1 | 2 |\n"))

    assert 'aria-label="&lt;Two&gt;"><table aria-label="&lt;Two&gt;">' in html
    assert "<th></th>" in html


def test_a_block_keeps_its_command_to_the_last_space(tmp_path: Path) -> None:
    block = read_lesson(tmp_path, BLOCK).blocks["say"]

    assert block.command == "docker exec agent sh -c \"echo 'hello'\n  echo  hello\t\n\""
    assert (block.title, block.exit_code, block.time_limit_s) == ("Say it twice", 3, 9)
    assert (block.track, block.line) == ("node", BODY_LINE)
    assert block.checks == (
        Check("prints", "prints hello", text="hello"),
        Check("file lines", "file demo/x.log has 5 lines", path="demo/x.log", count=5),
    )


def test_a_block_may_stand_in_backticks_and_hold_colons(tmp_path: Path) -> None:
    body = BLOCK.replace(":::", "```").replace("echo  hello", "::: not the end")
    block = read_lesson(tmp_path, body).blocks["say"]

    assert "::: not the end" in block.command


def test_an_output_belongs_to_its_blocks_and_marks_what_varies(tmp_path: Path) -> None:
    body = BLOCK + ":::{output} say\ntook {~0.21~} s\n\n{~x~}<b>\n:::\n"
    example = read_lesson(tmp_path, body).blocks["say"].example

    assert example is not None
    assert example.lines[0] == (Span("took "), Span("0.21", varies=True), Span(" s"))
    assert example.html == (
        'took <mark class="varies">0.21</mark> s\n\n<mark class="varies">x</mark>&lt;b&gt;'
    )
    assert example.text == "took 0.21 s\n\nx<b>"


def test_a_reader_of_one_track_sees_no_part_of_the_other(tmp_path: Path) -> None:
    body = "All.\n\n::::{track} python\nOnly snakes.\n\n:::{block} B\n:id: b\nx\n:::\n::::\n\nEnd."
    section = read_lesson(tmp_path, body).sections[0]

    seen = {track: list(section.parts_for(track)) for track in ("node", "python")}
    assert seen["node"] == [Html("<p>All.</p>\n"), Html("<p>End.</p>\n")]
    assert [type(part) for part in seen["python"]] == [Html, Html, Block, Html]
    assert seen["python"][1] == Html("<p>Only snakes.</p>\n", "python")


def test_callouts_are_named_for_screen_readers(tmp_path: Path) -> None:
    html = html_of(read_lesson(tmp_path, ":::{warning} “Safe”\nNo, *never*.\n:::\n"))

    assert html == (
        '<div class="callout callout-warning" role="note" aria-label="Warning: “Safe”">'
        '<p class="callout-title">“Safe”</p>\n<p>No, <em>never</em>.</p>\n</div>\n'
    )


def test_no_markup_of_the_authors_own_reaches_the_page(tmp_path: Path) -> None:
    body = '<script>x()</script>\n\n<b onclick="x()">a</b> [x](javascript:x)\n\n:::{note} <i>\n:::'
    html = html_of(read_lesson(tmp_path, body))

    assert "<script" not in html
    assert "<b" not in html
    assert "<i>" not in html
    assert "href" not in html


def test_a_comment_is_for_authors_only(tmp_path: Path) -> None:
    assert html_of(read_lesson(tmp_path, "Yes.\n\n:::{comment}\nNo.\n:::\n")) == "<p>Yes.</p>\n"


def test_links_lead_to_sections_gaps_and_blocks(tmp_path: Path) -> None:
    links = "\n[a](#words) [b](#log) [c](#say) [d](https://example.org/x)\n"
    html = html_of(read_lesson(tmp_path, WORDS + links + BLOCK))

    assert re.findall(r'href="([^"]*)"', html) == [
        "#words",
        "#gap-log",
        "#block-say",
        "https://example.org/x",
    ]


def test_the_guide_has_every_answer_and_never_stands_in_the_lesson(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, WORDS)
    (folder / "guide.md").write_text("## Aims\n\nTell <em> it.\n\n:::{answers}\n:::\n")
    lesson = parse_lesson(folder, anything_runs)

    assert "Tell &lt;em&gt; it." in lesson.guide_html
    assert "<td>a list<br>no</td>" in lesson.guide_html
    assert "go on" not in html_of(lesson)


def test_the_version_changes_with_any_file_of_the_lesson(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, "Hello.")
    versions = [parse_lesson(folder, anything_runs).version]
    (folder / "files").mkdir()
    (folder / "files" / "a.txt").write_text("1")
    versions.append(parse_lesson(folder, anything_runs).version)
    (folder / "files" / "a.txt").rename(folder / "files" / "b.txt")
    versions.append(parse_lesson(folder, anything_runs).version)
    (folder / "lesson.md").write_text(HEADER + "Hello!")
    versions.append(parse_lesson(folder, anything_runs).version)

    assert len(set(versions)) == 4


def test_the_version_does_not_change_with_what_editors_leave_behind(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, "Hello.")
    before = parse_lesson(folder, anything_runs).version
    (folder / "lesson.md~").write_text("old")
    (folder / ".lesson.md.swp").write_text("x")

    assert parse_lesson(folder, anything_runs).version == before


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, "")
    text = (HEADER + WORDS + BLOCK).replace("\n", "\r\n")
    (folder / "lesson.md").write_bytes(b"\xef\xbb\xbf" + text.encode())
    lesson = parse_lesson(folder, anything_runs)

    assert "\r" not in lesson.blocks["say"].command
    assert lesson.gaps["log"].points == 3


def test_a_text_in_arabic_with_emoji_stays_as_it_is(tmp_path: Path) -> None:
    lesson = read_lesson(
        tmp_path, WORDS.replace("Resume", "استئناف 🚀").replace("go on", "تابع 👍🏽")
    )

    assert lesson.gaps["resume"].label == "Example: استئناف 🚀"
    assert lesson.gaps["resume"].accept == ("تابع 👍🏽",)


def test_a_lesson_of_one_track_counts_only_what_its_reader_sees(tmp_path: Path) -> None:
    body = BLOCK + BLOCK.replace("node", "python").replace(":id: say", ":id: say-python")
    lesson = read_lesson(tmp_path, body)

    assert list(lesson.blocks) == ["say", "say-python"]
    assert list(lesson.for_track("python").blocks) == ["say-python"]
    assert lesson.for_track("ruby") is lesson
    assert [lesson.pick_track(track) for track in ("python", "ruby")] == ["python", "node"]
