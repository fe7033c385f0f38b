"""Pressing Run: one press is one run, and every no is said in words on the block itself."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from labs.models import Run
from tests.factories import make_finished_run, make_run, make_user
from tests.markup import element, elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

HTMX = {"HTTP_HX_REQUEST": "true"}
BLOCK = reverse("course:block-detail", args=["tiny", "hello"])
RUN = reverse("course:block-run", args=["tiny", "hello"])
RUNS = reverse("course:block-run-list", args=["tiny", "hello"])


@pytest.fixture
def student(client):
    student = make_user()
    client.force_login(student)
    return student


def press(client, key=None, path=RUN, **headers):
    return client.post(path, {"key": str(key or uuid.uuid4())}, **headers)


def test_a_press_asks_for_a_run_of_the_very_command_on_the_page(client, student):
    key = uuid.uuid4()
    press(client, key, **HTMX)
    run = Run.objects.get()
    assert (run.owner, run.key, run.state) == (student, key, Run.State.QUEUED)
    assert run.command == "docker exec agent echo hello from the lab"
    assert run.argv == ["echo", "hello", "from", "the", "lab"]
    assert (run.origin, run.time_limit_s) == ("tiny#hello", 20)


def test_the_block_comes_back_with_its_run_and_a_stop_button(client, student):
    response = press(client, **HTMX)
    run = Run.objects.get()
    assert "Waiting for your lab …" in element(response, id="block-hello").words
    assert elements(response, "form", action=f"/runs/{run.pk}/stop/")
    assert not elements(response, "html")


def test_when_a_run_is_over_its_block_brings_what_is_left_up_to_date(client, student):
    make_finished_run(student, origin="tiny#hello")
    left = element(client.get(BLOCK, **HTMX), id="what-is-left")
    assert left.attrs["hx-swap-oob"] == "true"
    assert "1 of 4 commands run" in left.words


def test_without_script_a_press_leads_back_to_the_block_with_its_run(client, student):
    response = press(client)
    assert response["Location"] == "/lessons/tiny/#block-hello"
    page = client.get("/lessons/tiny/")
    assert "Waiting for your lab …" in words_of(page)
    assert element(page, "noscript").words == "Reload this page to see how it goes on."


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["with script", "without script"])
def test_the_same_press_twice_is_one_run(client, student, headers):
    key = uuid.uuid4()
    first, second = (press(client, key, **headers) for _ in range(2))
    assert Run.objects.count() == 1
    assert first.status_code == second.status_code
    assert not elements(second.content.decode(), role="alert")


def test_the_same_press_after_the_end_shows_the_run_and_starts_nothing(client, student):
    key = uuid.uuid4()
    make_finished_run(
        student, key=key, origin="tiny#hello", command="docker exec agent echo hello from the lab"
    )
    assert "Finished, exit code 0" in element(press(client, key, **HTMX), "section").words
    assert Run.objects.count() == 1


@pytest.mark.parametrize("key", ["", "not-a-key", "0" * 31])
def test_a_press_without_a_proper_key_is_not_found_and_runs_nothing(client, student, key):
    assert client.post(RUN, {"key": key}).status_code == 404
    assert client.post(RUN, {}).status_code == 404
    assert not Run.objects.exists()


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["with script", "without script"])
def test_a_second_command_while_one_runs_is_refused_on_its_own_block(client, student, headers):
    make_run(student, origin="tiny#slow", state=Run.State.RUNNING)
    response = press(client, **headers)
    assert response.status_code == 200
    alert = element(response, role="alert")
    assert alert.words == (
        "Another command is still running in your lab. Nothing was started. "
        "Wait until it ends, or stop it, then press Run again."
    )
    assert Run.objects.count() == 1


def test_a_refused_press_leaves_a_button_with_a_new_press(client, student):
    running = make_run(student, origin="tiny#slow", state=Run.State.RUNNING)
    key = uuid.uuid4()
    refused = press(client, key, **HTMX)
    Run.objects.filter(pk=running.pk).update(state=Run.State.FINISHED)
    fresh = element(refused, "input", name="key").attrs["value"]
    assert fresh != str(key)
    press(client, fresh, **HTMX)
    assert Run.objects.filter(origin="tiny#hello").count() == 1


def test_a_key_that_was_used_for_another_command_is_refused(client, student):
    key = uuid.uuid4()
    make_finished_run(student, key=key, command="docker exec agent echo something else")
    response = press(client, key, **HTMX)
    assert (
        "This page is out of date, so nothing was started." in element(response, role="alert").words
    )


def test_too_many_presses_a_minute_are_refused_in_words(client, student, settings):
    settings.LAB_RUNS_PER_MINUTE = 3
    for _ in range(3):
        make_finished_run(student)
    response = press(client, **HTMX)
    assert "You have pressed Run 3 times within a minute." in element(response, role="alert").words


def test_one_students_key_means_nothing_for_another(client, student):
    theirs = make_finished_run(make_user(), b"a secret\n", origin="tiny#hello")
    response = press(client, theirs.key, **HTMX)
    assert "secret" not in response.content.decode()
    assert Run.objects.filter(owner=student, key=theirs.key).exists()


@pytest.mark.parametrize("slug_and_block", [("tiny", "nothing"), ("nothing", "hello")])
@pytest.mark.parametrize("name", ["block-detail", "block-run-list"])
def test_a_block_that_is_not_in_the_lesson_is_not_found(client, student, name, slug_and_block):
    assert client.get(reverse(f"course:{name}", args=slug_and_block)).status_code == 404
    path = reverse("course:block-run", args=slug_and_block)
    assert press(client, path=path).status_code == 404
    assert not Run.objects.exists()


def test_a_visitor_logs_in_first_and_nothing_runs(client):
    assert press(client)["Location"] == "/accounts/login/?next=/lessons/tiny/"
    for response in (client.get(BLOCK), client.get(RUNS)):
        assert response["Location"].startswith("/accounts/login/?next=/lessons/tiny/blocks/hello/")
    assert not Run.objects.exists()


def test_the_block_by_itself_is_a_page_and_for_htmx_a_fragment(client, student):
    make_finished_run(student, b"hello\n", origin="tiny#hello")
    page, fragment = client.get(BLOCK), client.get(BLOCK, **HTMX)
    assert element(page, "h1").words == "A tiny lesson"
    assert elements(page, "a", href="/lessons/tiny/#block-hello")
    assert not elements(fragment, "html")
    for response in (page, fragment):
        assert "Finished, exit code 0" in element(response, "section").words


def test_every_run_of_a_command_is_listed_newest_first(client, student):
    for text in (b"one\n", b"two\n"):
        make_finished_run(student, text, origin="tiny#hello")
    make_finished_run(student, b"of another command\n", origin="tiny#slow")
    make_finished_run(make_user(), b"of another student\n", origin="tiny#hello")
    response = client.get(RUNS)
    assert element(response, "h1").words == "Runs of “Say hello”"
    assert elements(response, "a", href="/lessons/tiny/#block-hello")
    page = words_of(response)
    assert "docker exec agent echo hello from the lab" in page
    assert 0 < page.index("two") < page.index("one", page.index("Runs of"))
    assert "of another" not in page


def test_no_run_yet_is_said_in_words(client, student):
    assert "You have not run this command yet." in words_of(client.get(RUNS))


def test_a_list_of_fifty_runs_takes_as_many_queries_as_one_of_two(
    client, student, django_assert_max_num_queries
):
    for _ in range(50):
        make_finished_run(student, origin="tiny#hello")
    with django_assert_max_num_queries(6):
        client.get(RUNS)
