"""Django's own admin: what it shows of classes, and what it writes down of accounts."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from course.models import Membership, User
from labs.models import AuditEntry
from tests.factories import make_classroom, make_finished_run, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

NEW = "correct horse battery"


@pytest.fixture
def admin(client):
    admin = make_user("boss", is_staff=True, is_superuser=True)
    client.force_login(admin)
    return admin


@pytest.fixture
def classroom():
    return make_classroom(teacher=make_user("ms-frizzle"), students=[make_user("ada")])


def change(client, user, **fields):
    """Sends the form of an account as its page shows it, with these fields changed."""
    address = reverse("admin:course_user_change", args=[user.pk])
    joined = user.date_joined
    sent = {
        "username": user.username,
        "is_active": "on",
        "date_joined_0": f"{joined:%Y-%m-%d}",
        "date_joined_1": f"{joined:%H:%M:%S}",
    }
    return client.post(address, sent | fields)


def test_a_class_is_read_here_and_changed_on_its_own_pages(client, admin, classroom):
    address = reverse("admin:course_classroom_change", args=[classroom.pk])
    page = client.get(address)
    assert "ms-frizzle" in words_of(page)
    assert elements(page, "a", href=reverse("course:member-list", args=[classroom.pk]))
    assert not elements(page, "input", name="_save")
    before = list(Membership.objects.values())
    assert client.post(address, {"name": "9z"}).status_code == 403
    assert client.get(reverse("admin:course_classroom_add")).status_code == 403
    removal = reverse("admin:course_classroom_delete", args=[classroom.pk])
    assert client.post(removal, {"post": "yes"}).status_code == 403
    assert list(Membership.objects.values()) == before


def test_every_right_that_is_given_is_written_down_with_what_was_before(client, admin):
    user, group = make_user("ada"), Group.objects.create(name="authors")
    assert change(client, user, may_teach="on", groups=[group.pk]).status_code == 302
    entry = AuditEntry.objects.get(action="change account")
    assert (entry.actor, entry.subject_name) == (admin, "ada")
    assert entry.before == {"may_teach": False, "groups": []}
    assert entry.after == {"may_teach": True, "groups": ["authors"]}


def test_a_form_that_changes_nothing_is_no_deed(client, admin):
    assert change(client, make_user("ada")).status_code == 302
    assert not AuditEntry.objects.filter(action="change account").exists()


def test_a_new_account_and_a_new_passphrase_are_written_down_without_it(client, admin):
    sent = {"username": "bob", "password1": NEW, "password2": NEW, "usable_password": "true"}
    assert client.post(reverse("admin:course_user_add"), sent).status_code == 302
    bob = User.objects.get(username="bob")
    other = {"password1": NEW + " 2", "password2": NEW + " 2", "usable_password": "true"}
    address = reverse("admin:auth_user_password_change", args=[bob.pk])
    assert client.post(address, other).status_code == 302
    deeds = AuditEntry.objects.filter(subject=f"user {bob.pk}").order_by("pk")
    assert [entry.action for entry in deeds] == ["make account", "reset passphrase"]
    assert NEW not in str(list(deeds.values()))


def test_an_account_is_deleted_with_its_lab_and_written_down(client, admin):
    user = make_user("ada")
    make_finished_run(user)
    address = reverse("admin:course_user_delete", args=[user.pk])
    assert client.post(address, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=user.pk).exists()
    assert AuditEntry.objects.get(action="delete account").actor == admin


def test_whoever_is_needed_is_not_deleted_and_the_reason_is_said(client, admin, classroom):
    teacher = User.objects.get(username="ms-frizzle")
    address = reverse("admin:course_user_delete", args=[teacher.pk])
    page = client.post(address, {"post": "yes"}, follow=True)
    assert "only teacher of 7b" in words_of(page)
    chosen = {"action": "delete_selected", "_selected_action": [teacher.pk], "post": "yes"}
    page = client.post(reverse("admin:course_user_changelist"), chosen, follow=True)
    assert "only teacher of 7b" in words_of(page)
    assert User.objects.filter(pk=teacher.pk).exists()
