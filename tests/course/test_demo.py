"""The demo class of a first start."""

from __future__ import annotations

import stat

import pytest

from course.demo import ensure_demo
from course.models import Assignment, Classroom, HandIn, HelpRequest, Remark, User
from course.passphrases import make_passphrase

pytestmark = pytest.mark.django_db


def test_the_first_start_makes_an_account_for_each_kind_of_person(tmp_path):
    accounts = ensure_demo(tmp_path / "accounts.json")
    assert [a.username for a in accounts] == ["admin", "teacher", "student1", "student2"]
    assert all(User.objects.get(username=a.username).check_password(a.password) for a in accounts)
    assert User.objects.get(username="admin").is_staff
    assert [s.username for s in Classroom.objects.get().students()] == ["student1", "student2"]


def test_a_second_start_changes_nothing(tmp_path):
    first = ensure_demo(tmp_path / "accounts.json")
    assert ensure_demo(tmp_path / "accounts.json") == first
    assert Classroom.objects.count() == 1


def test_the_demo_class_has_marks_a_question_and_an_answer_still_to_be_marked(
    tmp_path,
):
    ensure_demo(tmp_path / "accounts.json")
    handin = HandIn.objects.get()
    assert (handin.student.username, handin.state) == ("student1", HandIn.State.HANDED_IN)
    assert handin.assignment.is_released
    assert handin.earned > 0
    assert handin.waiting == 1
    assert Remark.objects.get().handin == handin
    assert HelpRequest.objects.waiting().get().student.username == "student2"


def test_work_that_a_teacher_took_out_of_the_demo_class_stays_out(tmp_path):
    ensure_demo(tmp_path / "accounts.json")
    HandIn.objects.all().delete()
    Assignment.objects.all().delete()
    ensure_demo(tmp_path / "accounts.json")
    assert not Assignment.objects.exists()


def test_a_passphrase_that_was_changed_since_stays_changed(tmp_path):
    ensure_demo(tmp_path / "accounts.json")
    teacher = User.objects.get(username="teacher")
    teacher.set_password("my own passphrase")
    teacher.save()
    ensure_demo(tmp_path / "accounts.json")
    assert User.objects.get(username="teacher").check_password("my own passphrase")


def test_accounts_get_new_passphrases_when_the_file_is_lost(tmp_path):
    ensure_demo(tmp_path / "accounts.json")
    (tmp_path / "accounts.json").unlink()
    accounts = ensure_demo(tmp_path / "accounts.json")
    assert all(User.objects.get(username=a.username).check_password(a.password) for a in accounts)


def test_only_the_owner_of_the_site_can_read_the_passphrases(tmp_path):
    ensure_demo(tmp_path / "accounts.json")
    assert stat.S_IMODE((tmp_path / "accounts.json").stat().st_mode) == 0o600


def test_no_two_passphrases_are_the_same():
    assert len({make_passphrase() for _ in range(1000)}) == 1000
