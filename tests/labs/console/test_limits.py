"""Limits of lessons and classes: set by form, refused where they can't hold, used by a start."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from labs.engine.base import Limits
from labs.lifecycle import lab_of
from labs.limits import Allowance, allowance_of, labs_in_scope, remove_limits, set_limits, why_not
from labs.models import AuditEntry, Checkpoint, Host, Lab, LimitRule, Wish
from labs.refusal import Refused
from labs.requests import request_run
from tests.factories import make_admin, make_checkpoint, make_classroom, make_run, make_user
from tests.labs.console.helpers import MIB, make_lab
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LIMITS = reverse("labs:limit-list")
EDIT = reverse("labs:limit-edit")
LARGE = Allowance(memory_bytes=512 * MIB, cpus=1.0, workspace_bytes=60 * MIB, time_limit_s=120)
SENT = {
    "memory_mib": "512",
    "cpus": "1",
    "pids": "200",
    "workspace_mib": "60",
    "tmp_mib": "64",
    "time_limit_s": "120",
}


def test_the_built_in_limits_hold():
    assert why_not(Allowance()) == []


def test_the_built_in_limits_are_the_engines_own():
    assert Allowance().limits() == Limits()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"memory_bytes": 239 * MIB}, "memory has to be at least 240 MiB"),
        ({"workspace_bytes": 73 * MIB}, "come to 129 MiB"),
        ({"workspace_bytes": 65 * MIB}, "at most 64 MiB: more could not be saved"),
        ({"tmp_bytes": 128 * MIB}, "at most half of it"),
        ({"memory_bytes": 64 * MIB}, "Memory has to be at least 96 MiB"),
        ({"pids": 40}, "at least 64 processes"),
        ({"pids": 5000}, "at most 4096 processes"),
        ({"workspace_bytes": 1 * MIB}, "need at least 4 MiB"),
        ({"cpus": 0.0}, "between 0.1 and 64 cores"),
        ({"time_limit_s": 601}, "between 1 and 600 seconds"),
    ],
)
def test_limits_that_cant_hold_say_why(fields, reason):
    assert any(reason in sentence for sentence in why_not(Allowance(**fields)))


@pytest.mark.parametrize("memory_mib", [240, 512, 4096])
def test_what_holds_here_holds_for_the_engine_as_well(memory_mib):
    limits = Allowance(memory_bytes=memory_mib * MIB).limits()
    assert limits.tmpfs_bytes() * 2 <= limits.memory_bytes
    assert limits.nproc < limits.pids


@pytest.fixture
def student():
    """A student of two classes whose newest run is of the tiny lesson."""
    student = make_user("ada")
    make_classroom(teacher=make_user("t1"), students=[student], name="7b")
    make_classroom(teacher=make_user("t2"), students=[student], name="art")
    make_run(student, origin="tiny#hello")
    return student


def class_scope(student, name):
    return f"class:{student.memberships.get(classroom__name=name).classroom_id}"


def test_a_lesson_counts_before_a_class_and_a_class_before_the_site(student):
    lab, boss = lab_of(student), make_admin()
    assert allowance_of(lab) == Allowance()
    set_limits(actor=boss, scope="site", allowance=Allowance(pids=70))
    assert allowance_of(lab).pids == 70
    set_limits(actor=boss, scope=class_scope(student, "7b"), allowance=Allowance(pids=80))
    assert allowance_of(lab).pids == 80
    set_limits(actor=boss, scope="lesson:tiny", allowance=Allowance(pids=90))
    assert allowance_of(lab).pids == 90
    remove_limits(actor=boss, scope="lesson:tiny")
    assert allowance_of(lab).pids == 80


def test_of_two_classes_the_one_with_more_memory_counts_whole(student):
    boss = make_admin()
    set_limits(actor=boss, scope=class_scope(student, "7b"), allowance=Allowance(pids=300))
    set_limits(actor=boss, scope=class_scope(student, "art"), allowance=LARGE)
    assert allowance_of(lab_of(student)) == LARGE


def test_another_lessons_and_another_classes_limits_change_nothing(student):
    boss = make_admin()
    other = make_classroom(teacher=make_user("t3"), students=[make_user("bob")], name="8c")
    set_limits(actor=boss, scope=f"class:{other.pk}", allowance=LARGE)
    set_limits(actor=boss, scope="lesson:checkpoints", allowance=LARGE)
    assert allowance_of(lab_of(student)) == Allowance()


def test_the_time_limit_that_a_lab_started_with_bounds_its_runs():
    student = make_user()
    Lab.objects.filter(pk=lab_of(student).pk).update(time_limit_s=5)
    run = request_run(
        owner=student,
        key="00000000-0000-0000-0000-000000000001",
        line="docker exec agent true",
        origin="tiny#hello",
        time_limit_s=60,
    )
    assert run.time_limit_s == 5


def test_limits_that_no_host_has_memory_for_are_refused():
    Host.objects.create(name="small", memory_bytes=400 * MIB)
    with pytest.raises(Refused, match="the largest has 400 MiB"):
        set_limits(actor=make_admin(), scope="site", allowance=LARGE)
    assert not LimitRule.objects.exists()
    assert not AuditEntry.objects.exists()


def test_limits_that_files_of_today_would_not_fit_into_are_refused(student):
    make_checkpoint(lab_of(student), {"large": "x" * 5 * MIB})
    small = Allowance(workspace_bytes=4 * MIB)
    with pytest.raises(Refused, match="The files of 1 lab would not fit any more"):
        set_limits(actor=make_admin(), scope="site", allowance=small)
    other = make_classroom(teacher=make_user("t3"), students=[make_user("bob")], name="8c")
    set_limits(actor=None, scope=f"class:{other.pk}", allowance=small)


def test_the_labs_of_a_lesson_are_those_that_run_it_now(student):
    Lab.objects.update(state="ready")
    make_lab("bob", state="ready")
    assert [lab.owner for lab in labs_in_scope("lesson:tiny")] == [student]
    assert len(labs_in_scope("site")) == 2
    assert [lab.owner for lab in labs_in_scope(class_scope(student, "art"))] == [student]


# The pages


def test_the_page_shows_the_built_in_limits_and_offers_every_scope(client, admin, student):
    page = client.get(LIMITS)
    assert "Every other lab as built in 256 0.5 128 64 32 600" in words_of(page)
    offered = [option.attrs["value"] for option in elements(page, "option")]
    assert {"site", "lesson:tiny", class_scope(student, "7b")} <= set(offered)


def test_limits_are_set_by_form_and_written_down(client, admin):
    page = client.post(f"{EDIT}?scope=lesson:tiny", SENT, follow=True)
    assert "The limits of “A tiny lesson” are set." in words_of(page)
    assert "A tiny lesson lesson:tiny 512 1.0 200 60 64 120" in words_of(page)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject) == (admin, "set limits", "lesson:tiny")
    assert (entry.before, entry.after["memory_bytes"]) == ({}, 512 * MIB)


def test_a_change_is_written_down_with_what_was_before(client, admin):
    client.post(f"{EDIT}?scope=lesson:tiny", SENT)
    client.post(f"{EDIT}?scope=lesson:tiny", SENT | {"pids": "100"})
    newest = AuditEntry.objects.first()
    assert (newest.before["pids"], newest.after["pids"]) == (200, 100)


def test_the_form_says_why_limits_cant_hold_and_keeps_what_was_typed(client, admin):
    page = client.post(f"{EDIT}?scope=lesson:tiny", SENT | {"memory_mib": "290"})
    assert page.status_code == 200
    assert "These limits can’t hold, so the old ones stay." in words_of(page)
    assert "memory has to be at least 296 MiB" in element(page, class_="refusal").words
    assert element(page, "input", name="memory_mib").attrs["value"] == "290"
    assert not LimitRule.objects.exists()


def test_what_is_no_number_is_said_at_its_field(client, admin):
    page = client.post(f"{EDIT}?scope=lesson:tiny", SENT | {"cpus": "many"})
    field = element(page, "input", name="cpus")
    assert field.attrs["aria-invalid"] == "true"
    assert "Write a number, such as 1 or 0.5." in words_of(page)


def test_labs_are_restarted_with_their_files_saved_where_the_admin_says_so(client, admin, student):
    Lab.objects.update(state="ready")
    student.runs.all().delete()
    make_run(student, origin="tiny#hello", state="finished")
    page = client.post(f"{EDIT}?scope=lesson:tiny", SENT | {"restart": "on"}, follow=True)
    assert "1 lab saves its files and restarts with the new limits." in words_of(page)
    wish = Wish.objects.get()
    assert (wish.kind, wish.cause) == (Wish.Kind.RESTART, Checkpoint.Cause.LIMITS)


def test_removing_limits_asks_once_more(client, admin):
    client.post(f"{EDIT}?scope=lesson:tiny", SENT)
    path, sent = reverse("labs:limit-remove"), {"scope": "lesson:tiny"}
    assert "Remove the limits of “A tiny lesson”?" in words_of(client.post(path, sent))
    assert LimitRule.objects.exists()
    client.post(path, sent | {"confirmed": "yes"})
    assert not LimitRule.objects.exists()
    assert AuditEntry.objects.first().action == "remove limits"


def test_there_are_no_limits_of_a_class_that_never_was(client, admin):
    assert client.get(f"{EDIT}?scope=class:999").status_code == 404


def test_staff_needs_the_right_to_change_limits(client):
    helper = make_admin()
    client.force_login(helper)
    assert client.post(f"{EDIT}?scope=site", SENT).status_code == 403
    helper.user_permissions.add(Permission.objects.get(codename="change_limitrule"))
    assert client.post(f"{EDIT}?scope=site", SENT).status_code == 302
