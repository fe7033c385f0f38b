"""What Prometheus is told, and to whom."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from labs.metrics import quantile
from labs.models import Host, Lab, Run, ServerError
from tests.factories import make_checkpoint, make_finished_run, make_run, make_terminal, make_user

pytestmark = pytest.mark.django_db
MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring"
TOKEN = "a token of many letters"


@pytest.fixture
def read(client, settings):
    """What a Prometheus with the right token reads: (name, labels) → value."""
    settings.METRICS_TOKEN = TOKEN

    def read():
        response = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(response.content.decode())
            for sample in family.samples
        }

    return read


def test_a_site_without_anything_is_measured(read):
    measured = read()
    assert measured["agent_lab_runs", "queued"] == 0
    assert measured["agent_lab_run_longest_wait_seconds",] == 0
    assert measured["agent_lab_checkpoint_bytes",] == 0


def test_runs_are_measured_by_state_with_their_waits(read):
    now = timezone.now()
    make_run(make_user(), queued_at=now - timedelta(seconds=30))
    times = {"queued_at": now - timedelta(seconds=3), "started_at": now - timedelta(seconds=1)}
    make_finished_run(make_user(), **times, ended_at=now)
    make_run(make_user(), state=Run.State.LOST, ended_at=now)
    measured = read()
    assert measured["agent_lab_runs", "queued"] == 1
    assert measured["agent_lab_runs_ended_lately", "finished"] == 1
    assert measured["agent_lab_errors_lately", "run_lost"] == 1
    assert 30 <= measured["agent_lab_run_longest_wait_seconds",] < 60
    assert measured["agent_lab_run_queue_seconds", "0.5"] == 2
    assert measured["agent_lab_run_first_output_seconds", "0.99"] >= 2


def test_labs_hosts_checkpoints_and_terminals_are_measured(read):
    host = Host.objects.create(name="one", answered_at=timezone.now(), capacity_labs=3)
    lab = Lab.objects.create(owner=make_user(), host=host, state=Lab.State.READY)
    make_checkpoint(lab, {"note": "12345"})
    make_terminal(lab.owner)
    measured = read()
    assert measured["agent_lab_labs", "one", "ready"] == 1
    assert measured["agent_lab_host_takes_labs", "one"] == 1
    assert measured["agent_lab_host_places_free", "one"] == 2
    assert measured["agent_lab_host_silent_seconds", "one"] < 30
    assert measured["agent_lab_checkpoints",] == 1
    assert measured["agent_lab_checkpoint_bytes",] > 0
    assert measured["agent_lab_terminals",] == 1


def test_failed_answers_are_measured_by_view_and_status(read):
    now = timezone.now()
    ServerError.objects.create(view="course:lesson", status=500, count=7, last_at=now)
    before = now - timedelta(hours=1)
    ServerError.objects.create(view="course:lesson", status=503, count=2, last_at=before)
    measured = read()
    assert measured["agent_lab_server_errors_total", "500", "course:lesson"] == 7
    assert measured["agent_lab_server_errors_total", "503", "course:lesson"] == 2
    assert measured["agent_lab_errors_lately", "page"] == 1


@pytest.mark.parametrize("file", ["grafana-dashboard.json", "alerts.yml"])
def test_what_is_drawn_and_woken_for_is_measured(file, read):
    host = Host.objects.create(name="one", answered_at=timezone.now())
    Lab.objects.create(owner=make_user(), host=host)
    now = timezone.now()
    make_finished_run(make_user(), queued_at=now, started_at=now, ended_at=now)
    ServerError.objects.create(view="course:lesson", status=500, count=1, last_at=now)
    measured = {name for name, *_labels in read()}
    asked = set(re.findall(r"agent_lab_\w+", (MONITORING / file).read_text()))
    assert asked
    assert asked <= measured


@pytest.mark.parametrize("said", ["", "Bearer ", "Bearer wrong", TOKEN])
def test_without_the_right_token_there_is_nothing(client, settings, said):
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics", headers={"authorization": said}).status_code == 404


def test_an_empty_token_opens_nothing(client):
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


def test_a_quantile_is_one_of_the_values():
    assert [quantile([3, 1, 2, 4], share) for share in (0.0, 0.5, 0.99)] == [1, 3, 4]
