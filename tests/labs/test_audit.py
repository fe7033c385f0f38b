"""The audit log grows and is never changed: neither through Django nor past it."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from labs import audit
from labs.models import AuditEntry
from labs.models.audit import LogIsSealed
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]


@pytest.fixture
def entry():
    boss = make_user("boss", is_staff=True)
    return audit.record(
        actor=boss,
        action="stop lab",
        subject="lab 7",
        subject_name="ada",
        before={"state": "ready"},
        after={"state": "stopping"},
    )


def test_an_entry_says_who_did_what_and_how_it_was_before_and_after(entry):
    kept = AuditEntry.objects.get()
    assert (kept.actor_name, kept.action, kept.subject_name) == ("boss", "stop lab", "ada")
    assert (kept.before, kept.after) == ({"state": "ready"}, {"state": "stopping"})


def test_what_the_site_does_by_itself_has_no_actor():
    assert audit.record(actor=None, action="stop lab", subject="lab 7").actor_name == ""


DEEDS = {
    "save": lambda entry: entry.save(),
    "delete": lambda entry: entry.delete(),
    "update them all": lambda entry: AuditEntry.objects.update(action="nothing"),
    "delete them all": lambda entry: AuditEntry.objects.all().delete(),
    "update in bulk": lambda entry: AuditEntry.objects.bulk_update([entry], ["action"]),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS.keys())
def test_django_refuses_to_change_or_remove_an_entry(entry, deed):
    with pytest.raises(LogIsSealed, match="append-only"):
        deed(entry)
    assert AuditEntry.objects.get().action == "stop lab"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE labs_auditentry SET action = 'nothing'",
        "DELETE FROM labs_auditentry",
        "DELETE FROM labs_auditentry WHERE id = (SELECT max(id) FROM labs_auditentry)",
    ],
)
def test_the_database_itself_refuses_what_goes_past_django(entry, statement):
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEntry.objects.get().action == "stop lab"


def test_an_entry_is_not_replaced_by_another_with_its_number(entry):
    other = AuditEntry(pk=entry.pk, action="nothing", subject="lab 7")
    with pytest.raises(DatabaseError), transaction.atomic():
        other.save(force_insert=True)
    assert AuditEntry.objects.get().action == "stop lab"


def test_an_entry_outlives_the_account_of_who_did_it(entry):
    entry.actor.delete()
    assert AuditEntry.objects.get().actor_name == "boss"


def test_entries_are_found_by_actor_action_and_subject_together(entry):
    audit.record(actor=None, action="stop lab", subject="lab 8", subject_name="bob")
    assert [e.subject for e in AuditEntry.objects.that_mention("boss stop")] == ["lab 7"]
    assert [e.subject for e in AuditEntry.objects.that_mention("STOP bob")] == ["lab 8"]
    assert not AuditEntry.objects.that_mention("restart").exists()


@pytest.mark.django_db(transaction=True)
def test_emptying_the_whole_database_empties_the_log_and_seals_it_again(entry):
    call_command("flush", interactive=False, verbosity=0)
    assert not AuditEntry.objects.exists()
    audit.record(actor=None, action="start over", subject="site")
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("DELETE FROM labs_auditentry")
