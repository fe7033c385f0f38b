"""What becomes of answers and runs when an author changes a lesson."""

from __future__ import annotations

import uuid

import pytest
from django.core.management import CommandError, call_command

from course.answers import save_answer
from course.library import get_lesson
from course.models import Answer, Rehearsal
from labs.models import Run
from tests.course.lessons.writing import HEADER
from tests.factories import make_admin, make_classroom, make_finished_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

BODY = """\
| Word | Example |
|------|---------|
| One  | {gap}`one` |
| Two  | {gap}`two` |
| Gone | {gap}`gone` |

:::{gaps}
one: first
two: second
gone: third
:::

:::{block} List
:id: list

docker exec agent ls
:::
"""
CHANGED = """\
| Word | Example |
|------|---------|
| One  | {gap}`one` |
| Two  | {gap}`second-word` |
| Last | {gap}`fresh` |

:::{gaps}
one: first or so
second-word: second
fresh: fourth
:::

:::{block} List
:id: list-files

docker exec agent ls
:::
"""


def write(folder, body):
    """A folder with the lesson; a version of no other test, as this process remembers those."""
    (folder / "small" / "files").mkdir(parents=True)
    (folder / "small" / "files" / "number").write_text(str(uuid.uuid4()))
    (folder / "small" / "lesson.md").write_text(HEADER + body)
    return folder


@pytest.fixture
def before(tmp_path, settings):
    """The folder of the lesson as it was, with what two students left in it."""
    folder = write(tmp_path / "before", BODY)
    settings.LESSON_DIRS = [folder]
    lesson = get_lesson("small")
    first, second = make_user(), make_user()
    for user, gap_id in [(first, "one"), (second, "one"), (first, "two"), (first, "gone")]:
        save_answer(user=user, lesson=lesson, gap_id=gap_id, text="my own")
    save_answer(user=second, lesson=lesson, gap_id="gone", text="")
    make_finished_run(first, origin="small#list", origin_version=lesson.version)
    return folder / "small"


@pytest.fixture
def changed(tmp_path, settings, before):
    settings.LESSON_DIRS = [write(tmp_path / "after", CHANGED)]


def said_by(capsys, *arguments):
    call_command("lesson_diff", "small", *arguments)
    return capsys.readouterr().out.splitlines()


def test_as_long_as_nothing_has_changed_everything_is_kept(before, capsys):
    assert said_by(capsys) == [
        "gap one: kept, 2 answers",
        "gap two: kept, 1 answer",
        "gap gone: kept, 1 answer",
        "block list: kept, 1 run",
    ]


def test_a_change_tells_what_was_renamed_orphaned_and_added(before, changed, capsys):
    assert said_by(capsys, "--before", str(before)) == [
        "gap one: kept, 2 answers, 2 of an earlier version",
        "gap two: renamed to second-word, not re-mapped, 1 answer, 1 of an earlier version",
        "gap gone: orphaned, 1 answer, 1 of an earlier version",
        "gap second-word: new, 0 answers",
        "gap fresh: new, 0 answers",
        "block list: renamed to list-files, not re-mapped, 1 run, 1 of an earlier version",
        "block list-files: new, 0 runs",
    ]


def test_the_version_that_answers_were_made_with_is_what_today_is_compared_with(
    client, tmp_path, settings, before, capsys
):
    client.get("/lessons/small/")
    settings.LESSON_DIRS = [write(tmp_path / "after", CHANGED)]
    assert said_by(capsys) == said_by(capsys, "--before", str(before))


def test_what_was_renamed_twice_is_still_found(client, tmp_path, settings, before, capsys):
    client.get("/lessons/small/")
    for number, new_id in enumerate(["second-word", "third-name"]):
        body = CHANGED.replace("second-word", new_id)
        settings.LESSON_DIRS = [write(tmp_path / f"after{number}", body)]
        client.get("/lessons/small/")
    said = said_by(capsys)
    assert (
        "gap two: renamed to third-name, not re-mapped, 1 answer, 1 of an earlier version" in said
    )


def test_of_two_gaps_that_are_alike_nobody_can_tell_which_was_renamed(
    client, tmp_path, settings, before, capsys
):
    client.get("/lessons/small/")
    alike = "| Two  | {gap}`second-word` |\n| Two  | {gap}`another-word` |"
    body = CHANGED.replace("| Two  | {gap}`second-word` |", alike)
    body = body.replace("second-word: second\n", "second-word: second\nanother-word: second\n")
    settings.LESSON_DIRS = [write(tmp_path / "after", body)]
    said = said_by(capsys)
    assert "gap two: orphaned, 1 answer, 1 of an earlier version" in said


def test_without_the_lesson_as_it_was_orphans_are_still_told(changed, capsys):
    said = said_by(capsys)
    assert "gap two: orphaned, 1 answer, 1 of an earlier version" in said
    assert "block list: orphaned, 1 run, 1 of an earlier version" in said
    assert "gap fresh: kept, 0 answers" in said


def test_nothing_is_changed_by_asking(before, changed, capsys):
    said_by(capsys, "--before", str(before))
    assert sorted(Answer.objects.values_list("gap", flat=True)) == [
        "gone",
        "gone",
        "one",
        "one",
        "two",
    ]
    assert Run.objects.get().origin == "small#list"


def test_a_lesson_that_cant_be_read_is_told_with_its_mistakes(changed, tmp_path):
    with pytest.raises(CommandError, match=r"lesson\.md:1: "):
        call_command("lesson_diff", "small", "--before", str(tmp_path))
    with pytest.raises(CommandError, match="There is no lesson 'nothing'"):
        call_command("lesson_diff", "nothing")


def test_an_admin_sees_the_state_of_a_changed_lesson_on_a_page(client, changed):
    client.force_login(make_admin())
    response = client.get("/lessons/small/state/")
    rows = [row.words for row in elements(response, "tr")]
    assert "two gap orphaned 1 1" in rows
    assert "list-files block kept 0 0" in rows
    assert "This version has not been rehearsed: manage.py rehearse small" in words_of(response)


def test_the_page_says_what_was_renamed_and_how_much_hangs_on_each_version(
    client, tmp_path, settings, before
):
    client.get("/lessons/small/")
    old = get_lesson("small").version
    settings.LESSON_DIRS = [write(tmp_path / "after", CHANGED)]
    client.force_login(make_admin())
    response = client.get("/lessons/small/state/")
    rows = [row.words for row in elements(response, "tr")]
    assert "two gap renamed to second-word, not moved 1 1" in rows
    assert "one gap kept 2 2" in rows
    (of_then,) = [row for row in rows if row.startswith(old)]
    assert of_then.endswith(" 4 1")
    assert f"{get_lesson('small').version} today's not kept 0 0" in rows
    assert Answer.objects.filter(gap="second-word").count() == 0


def test_the_page_shows_what_drifted_in_the_last_rehearsal(client, changed):
    client.force_login(make_admin())
    Rehearsal.objects.create(
        lesson="small",
        lesson_version=get_lesson("small").version,
        image="sha256:0123456789abcdef",
        is_good=False,
        report="list: DRIFTED\n  + <b>",
    )
    response = client.get("/lessons/small/state/")
    assert "0123456789ab: drifted" in words_of(response)
    assert element(response, "pre", class_="output").text == "list: DRIFTED\n  + <b>"


def test_an_admin_finds_the_state_from_the_guide_and_a_teacher_does_not(client):
    state = "/lessons/tiny/state/"
    client.force_login(make_admin())
    assert elements(client.get("/lessons/tiny/guide/"), "a", href=state)
    teacher = make_user()
    make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    assert not elements(client.get("/lessons/tiny/guide/"), "a", href=state)
    assert client.get(state).status_code == 403


def test_a_lesson_that_is_not_there_has_no_state(client):
    client.force_login(make_admin())
    assert client.get("/lessons/nothing/state/").status_code == 404
