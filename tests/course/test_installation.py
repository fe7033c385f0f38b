"""`manage.py doctor`: what it finds in an installation, and what it advises."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from labs.models import Host
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def well_installed(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text("{}")
    settings.WORKER_IS_EMBEDDED = True
    settings.CHANNEL_REDIS_URL = ""
    make_user("boss", is_superuser=True)


@pytest.fixture
def host():
    now = timezone.now()
    return Host.objects.create(name="one", seen_at=now, answered_at=now, engine_version="20.10")


def examine():
    """The report of an installation without mistakes."""
    said = StringIO()
    call_command("doctor", stdout=said)
    return said.getvalue()


def examine_ill(mistakes):
    """The report of one with so many."""
    said = StringIO()
    with pytest.raises(CommandError, match=f"^{mistakes} thing"):
        call_command("doctor", stdout=said)
    return said.getvalue()


def test_a_good_installation_is_well(host):
    report = examine()
    assert "MEND" not in report
    assert "Host one: engine 20.10, takes labs." in report


def test_a_silent_host_is_named(host):
    Host.objects.update(seen_at=timezone.now() - timedelta(minutes=2))
    assert "Host one: its worker has not reported" in examine_ill(1)


def test_an_engine_in_trouble_is_named(host):
    Host.objects.update(engine_error="Nobody answers at the socket.")
    assert "Host one: Nobody answers at the socket." in examine_ill(1)


def test_a_drained_host_is_no_mistake(host):
    Host.objects.update(is_draining=True)
    assert "is drained" in examine()


def test_a_host_that_was_drained_and_switched_off_is_no_mistake(host):
    Host.objects.update(is_draining=True, seen_at=timezone.now() - timedelta(days=2))
    assert "drained, and its worker has not reported" in examine()


def test_a_site_that_no_worker_has_reported_to_wants_one():
    assert "Start a worker." in examine_ill(1)


def test_a_migration_that_is_missing_is_named(host):
    (newest,) = MigrationLoader(connection).graph.leaf_nodes("labs")
    MigrationRecorder(connection).record_unapplied(*newest)
    assert "migrations are not applied" in examine_ill(1)


def test_a_redis_that_is_gone_is_said_with_what_works_meanwhile(host, settings):
    settings.CHANNEL_REDIS_URL = "redis://127.0.0.1:1/0"
    assert "runs start by the sweep" in examine_ill(1)


def test_several_processes_without_tls_with_demo_accounts_are_to_be_mended(host, settings):
    settings.WORKER_IS_EMBEDDED = False
    make_user("student1")
    make_user("teacher")
    report = examine_ill(2)
    assert "Without TLS" in report
    assert "demo accounts" in report
