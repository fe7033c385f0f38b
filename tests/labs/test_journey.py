"""From the press of Run to the receipt and back, on the real engine."""

from __future__ import annotations

import pytest

from labs.engine.base import Engine
from labs.manager import LAB_DIED
from labs.models import Lab, OutputChunk, Run
from labs.receipts import output_of
from labs.requests import request_stop_lab, request_stop_run
from tests.engine_fixtures import PATIENCE_S, wait_until
from tests.factories import make_admin, make_user
from tests.site_fixtures import await_output, await_run, press_run

pytestmark = [pytest.mark.docker, pytest.mark.core, pytest.mark.django_db(transaction=True)]


def test_a_run_leaves_its_output_exit_code_and_duration(press):
    run = press(make_user(), "docker exec agent sh -c 'echo one; echo two >&2; exit 3'")
    assert (run.state, run.reason, run.exit_code) == (Run.State.FINISHED, "exited", 3)
    assert sorted(output_of(run).splitlines()) == [b"one", b"two"]
    assert {chunk.stream for chunk in OutputChunk.objects.all()} == {"stdout", "stderr"}
    assert 0 < run.duration_s < PATIENCE_S
    assert (run.bytes_total, run.lines_total, run.lab_generation) == (8, 2, 1)
    assert run.image.startswith("sha256:")


def test_files_stay_from_run_to_run_in_the_same_lab(press):
    owner = make_user()
    press(owner, "docker exec agent sh -c 'echo kept > note'")
    run = press(owner, "docker exec agent cat note")
    assert (output_of(run), run.lab_generation) == (b"kept\n", 1)


def test_two_students_never_meet_in_one_lab(press):
    first, second = make_user(), make_user()
    press(first, "docker exec agent sh -c 'echo secret > note'")
    run = press(second, "docker exec agent cat note")
    assert run.exit_code == 1
    assert b"secret" not in output_of(run)
    assert Lab.objects.values("container_id").distinct().count() == 2


def test_a_program_that_is_not_there_is_a_result_with_a_sentence(press):
    run = press(make_user(), "docker exec agent no-such-program")
    assert (run.state, run.exit_code) == (Run.State.FINISHED, 127)
    assert "no-such-program" in run.detail


def test_a_run_ends_at_its_time_limit(press):
    run = press(make_user(), "docker exec agent sleep 60", time_limit_s=1)
    assert run.state == Run.State.TIMED_OUT
    assert run.duration_s < 60


def test_stop_ends_a_run_and_keeps_what_it_wrote(worker):
    run = press_run(make_user(), "docker exec agent sh -c 'echo begun; exec sleep 60'")
    await_output(run, b"begun\n")
    request_stop_run(run)
    assert await_run(run).state == Run.State.STOPPED
    assert output_of(run) == b"begun\n"


def test_a_run_that_is_stopped_before_it_began_never_begins(worker):
    owner = make_user()
    Lab.objects.create(owner=owner, state=Lab.State.STOPPING)
    run = press_run(owner, "docker exec agent touch never")
    request_stop_run(run)
    assert await_run(run).state == Run.State.STOPPED
    assert run.lab_generation is None


def test_a_lab_that_an_admin_stops_starts_again_with_its_files(press):
    owner = make_user()
    press(owner, "docker exec agent sh -c 'echo kept > note'")
    lab = Lab.objects.get()
    request_stop_lab(lab, actor=make_admin())
    wait_until(lambda: Lab.objects.filter(state=Lab.State.ABSENT).exists())
    run = press(owner, "docker exec agent cat note")
    assert (output_of(run), run.lab_generation) == (b"kept\n", 2)


def test_a_run_whose_lab_is_removed_is_lost_and_the_next_one_works_on_saved_files(
    press, site_engine: Engine
):
    owner = make_user()
    press(owner, "docker exec agent sh -c 'echo kept > note'")
    wait_until(lambda: not Lab.objects.get().unsaved_since_at)
    run = press_run(owner, "docker exec agent sh -c 'echo begun; exec sleep 60'")
    await_output(run, b"begun\n")
    site_engine.remove_lab(Lab.objects.get().container_id)
    lost = await_run(run)
    assert (lost.state, lost.detail, lost.exit_code) == (Run.State.LOST, LAB_DIED, None)
    again = press(owner, "docker exec agent cat note")
    assert (output_of(again), again.lab_generation) == (b"kept\n", 2)


def test_a_lab_that_was_removed_between_two_runs_is_not_noticed(press, site_engine: Engine):
    owner = make_user()
    press(owner, "docker exec agent sh -c 'echo kept > note'")
    wait_until(lambda: not Lab.objects.get().unsaved_since_at)
    site_engine.remove_lab(Lab.objects.get().container_id)
    run = press(owner, "docker exec agent cat note")
    assert (run.state, output_of(run)) == (Run.State.FINISHED, b"kept\n")


def test_the_command_reaches_the_program_as_a_list_and_no_shell_of_the_host(press):
    run = press(make_user(), "docker exec agent printf '%s|' '$(id)' '; ls' '*' '`id`'")
    assert output_of(run) == b"$(id)|; ls|*|`id`|"
