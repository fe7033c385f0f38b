"""A run's own page, its output as a file, and Stop."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from labs.models import Run
from tests.factories import make_classroom, make_finished_run, make_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def student(client):
    student = make_user("ada")
    client.force_login(student)
    return student


def page_of(run):
    return reverse("labs:run-detail", args=[run.pk])


def text_of(run):
    return reverse("labs:run-output", args=[run.pk])


def stop_of(run):
    return reverse("labs:run-stop", args=[run.pk])


def test_a_run_shows_command_state_exit_code_duration_and_output(client, student):
    run = make_finished_run(student, b"A1: done\nA2: done\n", exit_code=1, duration_s=0.514)
    page = words_of(client.get(page_of(run)))
    assert "A run of ada" in page
    assert "docker exec agent echo hi" in page
    assert "Finished, exit code 1 0.51 s" in page
    assert "A1: done A2: done" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"state": "queued"}, "Waiting for your lab …"),
        ({"state": "starting"}, "Starting …"),
        ({"state": "running"}, "Running …"),
        ({"state": "running", "stop_asked_at": "2026-01-01T00:00Z"}, "Stopping …"),
        ({"state": "finished", "exit_code": 0}, "Finished, exit code 0"),
        ({"state": "finished", "exit_code": 137, "signal": 9}, "Ended by signal 9, exit code 137"),
        ({"state": "timed_out", "time_limit_s": 20}, "Stopped at its time limit of 20 s"),
        (
            {"state": "stopped", "reason": "stopped", "stop_asked_at": "2026-01-01T00:00Z"},
            "Stopped",
        ),
        (
            {"state": "stopped", "reason": "stopped"},
            "Stopped: the lab was stopped from outside. Output and files are kept; press Run again",
        ),
        (
            {"state": "stopped", "reason": "output_limit"},
            "Stopped: it wrote more than a run may write",
        ),
        ({"state": "lost", "reason": "lab_gone"}, "Lost: its lab ended in the middle"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_every_state_is_said_in_words(client, student, fields, words):
    run = make_run(student, **fields)
    state = element(client.get(page_of(run)), class_="run-state")
    assert (state.words, state.attrs["role"]) == (words, "status")


def test_what_was_left_out_left_over_or_short_of_memory_is_said(client, student):
    run = make_finished_run(
        student,
        b"a" * 10,
        bytes_total=1_204_341,
        truncated_bytes=1_204_331,
        leftovers=2,
        oom_kills=1,
    )
    page = words_of(client.get(page_of(run)))
    assert "2 processes left over and ended." in page
    assert "The lab ran out of memory." in page
    assert "1,204,331 bytes left out" in page


def test_a_run_without_output_says_so_and_offers_no_file(client, student):
    response = client.get(page_of(make_finished_run(student, b"")))
    assert "No output." in words_of(response)
    assert "Output as text" not in words_of(response)


def test_output_is_never_markup(client, student):
    evil = b'<img src=x onerror=alert(1)>\n<a hx-get="/">\x1b[31mred\x1b[0m &amp; \xff\n'
    response = client.get(page_of(make_finished_run(student, evil)))
    output = element(response, "pre", class_="output")
    assert (
        '<img src=x onerror=alert(1)>\n<a hx-get="/">red &amp; \N{REPLACEMENT CHARACTER}'
        in output.text
    )
    assert not elements(response, "img")


def test_a_run_that_goes_on_can_be_followed_and_says_how_without_script(client, student):
    run = make_run(student, state=Run.State.RUNNING)
    response = client.get(page_of(run))
    assert element(response, id=f"run-{run.pk}").attrs["data-run-stream"] == (
        f"/streams/runs/{run.pk}/?lang=en"
    )
    assert element(response, "noscript").words == "Reload this page to see how it goes on."


def test_a_run_that_is_over_is_not_followed(client, student):
    run = make_finished_run(student)
    response = client.get(page_of(run))
    assert "data-run-stream" not in element(response, id=f"run-{run.pk}").attrs


def test_htmx_gets_the_run_alone(client, student):
    response = client.get(page_of(make_finished_run(student)), **HTMX)
    assert not elements(response, "html")
    assert elements(response)[0].attrs["class"] == "run run-finished"


def test_the_output_is_a_download_that_no_browser_takes_for_a_page(client, student):
    run = make_finished_run(student, b"<script>alert(1)</script>\n")
    response = client.get(text_of(run))
    assert response.content == b"<script>alert(1)</script>\n"
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}.txt"'
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_download_has_every_stored_line_that_the_page_leaves_out(client, student):
    lines = b"".join(b"line %d\n" % number for number in range(5_000))
    run = make_finished_run(student, lines)
    assert client.get(text_of(run)).content == lines
    assert "3,000 lines left out" in words_of(client.get(page_of(run)))


def test_stop_is_written_down_and_said_at_once(client, student):
    run = make_run(student, state=Run.State.RUNNING)
    response = client.post(stop_of(run), **HTMX)
    assert element(response, class_="run-state").words == "Stopping …"
    assert Run.objects.get().stop_asked_at is not None


def test_stop_without_script_leads_to_the_run(client, student):
    run = make_run(student, state=Run.State.RUNNING)
    response = client.post(stop_of(run), follow=True)
    assert response.redirect_chain == [(page_of(run), 302)]
    assert "Stopping …" in words_of(response)


def test_a_block_hears_that_its_run_was_over_when_stop_was_pressed(client, student):
    assert client.post(stop_of(make_run(student)), **HTMX)["HX-Trigger"] == "run-over"
    running = make_run(student, state="running")
    assert "HX-Trigger" not in client.post(stop_of(running), **HTMX)


def test_stop_after_the_end_changes_nothing(client, student):
    run = make_finished_run(student)
    response = client.post(stop_of(run), **HTMX)
    assert element(response, class_="run-state").words == "Finished, exit code 0"
    assert Run.objects.get().stop_asked_at is None


def test_nobody_elses_run_can_be_seen_loaded_followed_or_stopped(client, student):
    theirs = make_run(make_user(), state=Run.State.RUNNING)
    for path in (page_of(theirs), text_of(theirs), reverse("labs:run-events", args=[theirs.pk])):
        assert client.get(path).status_code == 404
    assert client.post(stop_of(theirs)).status_code == 404
    assert Run.objects.get().stop_asked_at is None


def test_a_run_that_never_was_looks_like_somebody_elses(client, student):
    theirs = make_run(make_user())
    missing, hidden = (
        client.get(f"/runs/{run_id}/").content for run_id in (uuid.uuid4(), theirs.pk)
    )
    assert words_of(missing.decode()) == words_of(hidden.decode())


def test_a_teacher_sees_a_students_run_but_cannot_stop_it(client, student):
    teacher = make_user()
    make_classroom(teacher=teacher, students=[student])
    run = make_finished_run(student, b"so far\n", state=Run.State.RUNNING)
    client.force_login(teacher)
    assert "so far" in words_of(client.get(page_of(run)))
    assert client.post(stop_of(run)).status_code == 404


def test_a_visitor_logs_in_first(client):
    run = make_run(make_user())
    for path in (page_of(run), text_of(run)):
        assert client.get(path)["Location"] == f"/accounts/login/?next={path}"
    assert client.post(stop_of(run))["Location"].startswith("/accounts/login/")
