"""Two lab hosts, an engine and a worker each; one of them dies in the middle of a class."""

from __future__ import annotations

import os

import pytest
from django.urls import reverse

from labs.hosts import RUN_DIED
from labs.models import Lab, Run
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.faults.counted import LINE, LONG, await_outcome, once
from tests.faults.sites import end
from tests.site_fixtures import await_output, await_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may run an engine"),
]

DEAD_S = "12"
LOOK = "docker exec agent sh -c 'cat note; ls'"


def host_name_of(run: Run) -> str:
    return Lab.objects.select_related("host").get(pk=run.lab_id).host.name


def test_labs_of_a_dead_host_go_on_elsewhere_and_it_comes_back_empty(make_site, private_engine):
    private_engine.stop()
    private_engine.start()
    dying, other = make_site(engine_url=private_engine.url), make_site()
    worker = dying.start_ready_worker(LAB_HOST_DEAD_S=DEAD_S)
    first = dying.have_files()
    run = dying.press_live(LONG, owner=first.owner)
    await_output(run, b"line 10\n")

    end(worker)
    private_engine.kill()
    other.start_ready_worker(LAB_HOST_DEAD_S=DEAD_S)
    waiting = other.press_live(LINE, owner=dying.make_student())  # its lab belongs to the dead one
    await_run(run)
    assert (run.state, run.reason, run.detail) == (Run.State.LOST, "host_gone", RUN_DIED)
    assert RUN_DIED in other.read_as(run.owner, reverse("labs:run-detail", args=[run.pk]))
    assert await_outcome(waiting) == once()
    again = await_run(other.press_live(LOOK, owner=first.owner))
    assert output_of(again) == b"kept\nnote\n"
    assert {host_name_of(waiting), host_name_of(again)} == {other.name}

    private_engine.start()
    assert dying.engine.list_labs()
    dying.start_worker(LAB_HOST_DEAD_S=DEAD_S)
    wait_until(lambda: not dying.engine.list_labs())
    assert {host_name_of(waiting), host_name_of(again)} == {other.name}
