"""Rehearsals on the real engine: what is said, what is stored, and what the lesson's page tells."""

from __future__ import annotations

import subprocess

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from course.library import get_lesson
from course.models import Rehearsal
from tests.course.lessons.writing import HEADER
from tests.markup import elements, words_of

pytestmark = pytest.mark.django_db

DRIFTED = """\
:::{block} Keep a note
:id: keep
:check: file note says hello
:check: file note has 2 lines

docker exec agent sh -c "echo hello > note; echo kept; echo 'a  b'"
:::

:::{output} keep
kept
a b
:::

:::{block} Only in Python
:id: version
:track: python
:exit-code: 3

docker exec agent python3 -c "print(open('note').read())"
:::
"""


@pytest.fixture
def drifted(tmp_path, settings):
    settings.LESSON_DIRS = [tmp_path]
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "lesson.md").write_text(HEADER + DRIFTED)


def labs_left():
    listed = ["docker", "ps", "--all", "--quiet", "--filter"]
    label = f"label=agent-lab.installation={settings.LAB_INSTALLATION}-rehearsal"
    return subprocess.run([*listed, label], capture_output=True, text=True, check=True).stdout


@pytest.mark.docker
def test_a_lesson_of_ours_is_good_in_every_track_and_its_page_says_so(client, site_engine, capsys):
    call_command("rehearse", "checkpoints")
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["node: write-record: good", "node: write-job: good"]
    assert "python: torn-beside: good" in said
    rehearsal = Rehearsal.objects.get()
    assert (rehearsal.is_good, rehearsal.lesson_version) == (
        True,
        get_lesson("checkpoints").version,
    )
    assert rehearsal.image == site_engine.resolve_image(settings.LAB_IMAGE)
    assert rehearsal.report.splitlines() == said[:-1]
    today = f"{rehearsal.rehearsed_at:%-d %B %Y}"
    told = f"Every command rehearsed on {today} with image {rehearsal.image[7:19]}."
    assert told in words_of(client.get("/lessons/checkpoints/"))


@pytest.mark.docker
def test_a_drift_is_told_as_a_difference_and_stored_and_ends_with_1(
    client, site_engine, drifted, capsys
):
    with pytest.raises(CommandError, match="small has drifted") as error:
        call_command("rehearse", "small")
    assert error.value.returncode == 1
    in_node = [
        "node: keep: DRIFTED",
        "  does not hold: file note has 2 lines",
        "  Differs from the example: 1 line of it missing, 1 line not in it.",
        "    kept",
        "  - a·b",
        "  + a··b",
    ]
    in_python = [
        "python: version: DRIFTED",
        "  does not hold: ends with exit code 3",
        "  exited, exit code 0",
    ]
    said = capsys.readouterr().out.splitlines()
    assert said[:6] == in_node
    assert said[-3:] == in_python
    rehearsal = Rehearsal.objects.get()
    assert (rehearsal.is_good, rehearsal.report.splitlines()) == (False, said)
    assert not elements(client.get("/lessons/small/"), class_="rehearsed")


@pytest.mark.docker
def test_a_new_lesson_is_good_as_it_is_written(site_engine, tmp_path, settings):
    settings.LESSON_DIRS = [tmp_path]
    call_command("new_lesson", "first-steps")
    call_command("rehearse", "first-steps")
    assert Rehearsal.objects.get().is_good


@pytest.mark.docker
def test_every_lesson_is_rehearsed_and_all_drifts_told_without_a_row(
    site_engine, drifted, tmp_path, capsys, django_assert_num_queries
):
    call_command("new_lesson", "first-steps")
    capsys.readouterr()
    with pytest.raises(CommandError, match="small has drifted"), django_assert_num_queries(0):
        call_command("rehearse", "--unstored")
    said = capsys.readouterr().out.splitlines()
    assert any(line.startswith("first-steps is good with image ") for line in said)
    assert "node: keep: DRIFTED" in said


@pytest.mark.docker
def test_no_lab_is_left_of_a_rehearsal(site_engine, drifted):
    with pytest.raises(CommandError):
        call_command("rehearse", "small")
    assert labs_left() == ""


def test_a_lesson_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(CommandError, match="There is no lesson 'nothing'"):
        call_command("rehearse", "nothing")


def test_without_an_engine_nothing_is_stored_and_the_reason_is_told(settings):
    settings.LAB_IMAGE = "no-such-image:at-all"
    with pytest.raises(CommandError, match="nothing was stored"):
        call_command("rehearse", "tiny")
    assert not Rehearsal.objects.exists()


@pytest.mark.parametrize(
    "fields", [{"lesson_version": "an older one"}, {"is_good": False}, {"lesson": "checkpoints"}]
)
def test_a_page_tells_of_no_other_versions_rehearsal_and_of_none_that_drifted(client, fields):
    version = get_lesson("tiny").version
    row = {"lesson": "tiny", "lesson_version": version, "image": "sha256:1", "is_good": True}
    Rehearsal.objects.create(**row | fields)
    assert not elements(client.get("/lessons/tiny/"), class_="rehearsed")


def test_a_drift_after_a_good_rehearsal_takes_the_words_away(client):
    version = get_lesson("tiny").version
    row = {"lesson": "tiny", "lesson_version": version, "image": "sha256:1"}
    Rehearsal.objects.create(is_good=True, **row)
    assert elements(client.get("/lessons/tiny/"), class_="rehearsed")
    Rehearsal.objects.create(is_good=False, **row)
    assert not elements(client.get("/lessons/tiny/"), class_="rehearsed")
