"""A person's own data: who looked, all of it as a file, all of it gone; and classes kept no longer
than their teachers said."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from course.accounts import NewAccount, make_accounts
from course.classrooms import add_member, archive_classroom, end_membership
from course.models import Answer, Classroom, Membership, User
from course.privacy import erase_person
from course.retention import delete_overdue_classes
from course.throttle import WRONG_PASSPHRASES
from labs.engines import get_engine
from labs.lifecycle import this_host
from labs.models import AuditEntry, Checkpoint, Run
from labs.reconcile import sweep_host
from labs.refusal import Refused
from tests.factories import (
    do_work,
    make_admin,
    make_classroom,
    make_user,
)
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

PRIVACY, EXPORT, DELETE = (
    reverse(f"course:{name}") for name in ("privacy", "data-export", "data-delete")
)
PASSPHRASE = "a good passphrase"


@pytest.fixture
def student(client, student):
    """Logged in."""
    client.force_login(student)
    return student


def look_at_work(client, teacher, classroom, student):
    client.force_login(teacher)
    return client.get(reverse("course:student-work", args=[classroom.pk, student.username]))


def rows_about(user):
    """Every row that names the person, the sealed log and the account itself left out."""
    keys = [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.concrete and field.related_model is User and model is not AuditEntry
    ]
    return [row for model, name in keys for row in model._default_manager.filter(**{name: user.pk})]


def test_a_student_sees_who_looked_at_their_work_once_a_day(client, teacher, classroom, student):
    run = do_work(student)
    for _ in range(2):
        look_at_work(client, teacher, classroom, student)
        client.get(reverse("labs:run-detail", args=[run.pk]))
    client.force_login(student)
    rows = [row.words for row in elements(client.get(PRIVACY), "tr")]
    assert rows == ["Day Who", f"{timezone.localdate():%-d %b %Y} ms-frizzle"]


def test_another_day_is_another_line(client, teacher, classroom, student):
    look_at_work(client, teacher, classroom, student)
    yesterday = timezone.now() - timedelta(days=1)
    (entry,) = AuditEntry.objects.filter(action="look at work")
    AuditEntry.objects.create(
        at=yesterday, actor=teacher, action=entry.action, subject=entry.subject
    )
    client.force_login(student)
    assert len(elements(client.get(PRIVACY), "tr")) == 3


def test_looking_at_ones_own_run_is_not_noted(client, student):
    run = do_work(student)
    client.get(reverse("labs:run-detail", args=[run.pk]))
    assert "Nobody has looked at your work so far." in words_of(client.get(PRIVACY))


def test_deleting_asks_for_the_passphrase(client, student):
    page = client.post(DELETE, {"passphrase": "wrong"})
    assert "This is not your passphrase, so nothing was deleted." in words_of(page)
    assert User.objects.filter(pk=student.pk).exists()


def test_the_passphrase_is_not_guessed_here_either(client, student):
    for number in range(WRONG_PASSPHRASES.per_user):
        client.post(DELETE, {"passphrase": f"wrong {number}"})
    page = client.post(DELETE, {"passphrase": PASSPHRASE})
    assert "Too many wrong passphrases." in words_of(page)
    assert User.objects.filter(pk=student.pk).exists()


def test_a_student_deletes_everything_and_is_logged_out(client, teacher, classroom, student):
    do_work(student)
    look_at_work(client, teacher, classroom, student)
    client.force_login(student)
    page = client.post(DELETE, {"passphrase": PASSPHRASE}, follow=True)
    assert "Your account and everything in it are deleted." in words_of(page)
    assert "Log in" in words_of(page)
    assert not User.objects.filter(pk=student.pk).exists()
    assert rows_about(student) == []
    assert [m.objects.count() for m in (Answer, Run, Checkpoint)] == [0, 0, 0]
    assert AuditEntry.objects.get(action="delete account").subject_name == ""


def test_what_others_did_is_kept(teacher, classroom, student):
    bob = make_user("bob")
    add_member(classroom=classroom, user=bob, role=Membership.Role.STUDENT)
    do_work(bob)
    erase_person(student, actor=student)
    assert Answer.objects.filter(user=bob).count() == 1
    assert Checkpoint.objects.filter(lab__owner=bob, blob__isnull=False).count() == 1


def test_the_only_teacher_of_a_class_and_an_admin_can_not_delete_themselves(
    teacher, classroom, student
):
    with pytest.raises(Refused, match="the only teacher of 7b"):
        erase_person(teacher, actor=teacher)
    admin = make_admin()
    with pytest.raises(Refused, match="Ask another admin"):
        erase_person(admin, actor=admin)


@pytest.mark.docker
def test_the_lab_of_a_deleted_student_is_taken_down_with_its_files(press):
    student = make_user("gone")
    run = press(student, "docker exec agent sh -c 'echo secret > kept.txt'")
    container_id = run.container_id
    assert container_id in [lab.container_id for lab in get_engine().list_labs()]
    erase_person(student, actor=student)
    sweep_host(this_host())
    assert container_id not in [lab.container_id for lab in get_engine().list_labs()]
    assert Checkpoint.objects.count() == 0


@pytest.fixture
def old_class(teacher):
    """Kept 30 days, archived just now, with an account that was made in it and one that wasn't."""
    classroom = make_classroom(teacher=teacher, students=[make_user("own")], name="6b")
    make_accounts(classroom, actor=teacher, accounts=[NewAccount("made"), NewAccount("moved")])
    Classroom.objects.filter(pk=classroom.pk).update(retention_days=30)
    return archive_classroom(Classroom.objects.get(pk=classroom.pk), actor=teacher)


def days_from_now(days):
    return timezone.now() + timedelta(days=days)


def test_a_class_is_deleted_when_its_time_is_over_and_not_before(old_class):
    assert delete_overdue_classes(days_from_now(29)) == 0
    assert Classroom.objects.filter(pk=old_class.pk).exists()
    assert delete_overdue_classes(days_from_now(31)) == 1
    assert not Classroom.objects.filter(pk=old_class.pk).exists()
    entry = AuditEntry.objects.get(action="delete class")
    assert (entry.actor_id, entry.subject_name, entry.detail["days"]) == (None, "6b", 30)


def test_accounts_made_for_the_class_go_with_it_and_others_stay(old_class, teacher):
    moved = User.objects.get(username="moved")
    make_classroom(teacher=teacher, students=[moved], name="7b")
    do_work(User.objects.get(username="own"))
    do_work(User.objects.get(username="made"))
    delete_overdue_classes(days_from_now(31))
    left = User.objects.exclude(username="ms-frizzle").order_by("username")
    assert [user.username for user in left] == ["moved", "own"]
    assert [answer.user.username for answer in Answer.objects.all()] == ["own"]


def test_who_left_the_other_class_is_in_no_other(old_class, teacher):
    moved = User.objects.get(username="moved")
    other = make_classroom(teacher=teacher, students=[moved], name="7b")
    end_membership(other, actor=teacher, user=moved)
    delete_overdue_classes(days_from_now(31))
    assert not User.objects.filter(username="moved").exists()


@pytest.mark.parametrize("change", [{"archived_at": None}, {"retention_days": None}])
def test_a_class_in_use_or_without_an_end_is_never_deleted(old_class, change):
    Classroom.objects.filter(pk=old_class.pk).update(**change)
    assert delete_overdue_classes(days_from_now(5000)) == 0


def test_the_day_is_said_to_the_teacher_and_to_the_students(client, old_class, teacher):
    day = f"{days_from_now(30):%-d %b %Y}"
    client.force_login(teacher)
    page = client.get(reverse("course:classroom-detail", args=[old_class.pk]))
    assert f"On {day} it is deleted for good" in words_of(page)
    client.force_login(User.objects.get(username="own"))
    assert f"6b (student) · deleted on {day}" in words_of(client.get(PRIVACY))
