"""Joining a class by its code: who gets in, who waits, who is stopped from guessing."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from course.classrooms import archive_classroom, close_joining, end_membership, open_joining
from course.join_codes import ALPHABET, LENGTH, make_code, read, written
from course.models import Attempt, Classroom, JoinRequest, Membership, User
from course.throttle import SIGN_UPS, WRONG_CODES, network_of
from tests.factories import make_classroom, make_user
from tests.markup import element, elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

JOIN, SIGNUP = reverse("course:join"), reverse("account_signup")
NEW = {"username": "ada", "password1": "four quiet words here"}
WRONG = "BCD-FGH-JKM"


@pytest.fixture
def teacher():
    return make_user("ms-frizzle", first_name="Valerie", last_name="Frizzle")


@pytest.fixture
def classroom(teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    return open_joining(classroom, actor=teacher, days=7, needs_approval=False)


@pytest.fixture
def student(client):
    student = make_user("bob")
    client.force_login(student)
    return student


def link_of(classroom):
    return reverse("course:join-confirm", args=[written(classroom.join_code)])


def try_wrong_codes(client, times):
    return [client.get(reverse("course:join-confirm", args=[WRONG])) for _ in range(times)][-1]


def test_a_code_has_at_least_forty_bits_and_no_letter_to_mistake():
    assert len(ALPHABET) ** LENGTH >= 2**40
    assert not set(ALPHABET) & set("01OILAEU")
    assert len({make_code() for _ in range(1000)}) == 1000


@given(st.text(ALPHABET, min_size=LENGTH, max_size=LENGTH), st.sampled_from(["-", " ", "", "–"]))
def test_a_code_is_read_however_it_is_typed(code, between):
    typed = between.join([code[:3], code[3:6], code[6:]])
    assert read(f" {typed.lower()}\n") == code
    assert read(written(code)) == code


@pytest.mark.parametrize("typed", ["", "BCD-FGH", "BCD-FGH-JKMN", "OOO-III-LLL", "<b>", "ß" * 9])
def test_what_is_no_code_is_read_as_none(typed):
    assert read(typed) == ""


def test_a_student_types_the_code_sees_the_class_and_joins(client, classroom, student):
    typed = written(classroom.join_code).lower()
    page = client.post(JOIN, {"code": typed}, follow=True)
    assert "Join 7b?" in words_of(page)
    assert "Taught by Valerie Frizzle" in words_of(page)
    assert "see your answers, your runs and the files of your lab" in words_of(page)
    joined = client.post(link_of(classroom), follow=True)
    assert "You joined 7b." in words_of(joined)
    assert list(classroom.students()) == [student]


def test_looking_at_the_link_joins_nothing(client, classroom, student):
    client.get(link_of(classroom))
    assert list(classroom.students()) == []


def test_a_visitor_signs_up_and_then_goes_on_joining(client, classroom):
    link = link_of(classroom)
    page = client.get(link)
    assert "7b" not in words_of(page)
    (sign_up,) = [a for a in elements(page, "a") if "new: sign up" in a.words]
    response = client.post(SIGNUP, NEW | {"next": link}, follow=True)
    assert sign_up.attrs["href"] == f"{SIGNUP}?next={link}"
    assert "Join 7b?" in words_of(response)
    client.post(link)
    assert [user.username for user in classroom.students()] == ["ada"]


def test_a_form_sent_after_log_out_leads_back_to_the_link(client, classroom):
    response = client.post(link_of(classroom))
    assert response["Location"] == f"/accounts/login/?next={link_of(classroom)}"


def test_a_new_code_ends_the_old_one(client, classroom, student, teacher):
    old = link_of(classroom)
    open_joining(classroom, actor=teacher, days=7, needs_approval=False)
    assert client.get(old).status_code == 404
    assert client.get(link_of(classroom)).status_code == 200


def test_a_code_runs_out(client, classroom, student):
    past = timezone.now() - timedelta(seconds=1)
    Classroom.objects.filter(pk=classroom.pk).update(join_code_until_at=past)
    page = client.get(link_of(classroom))
    assert page.status_code == 404
    assert "No class has this code, or it has run out. You joined no class." in words_of(page)


def test_a_closed_or_archived_class_lets_nobody_in(client, classroom, student, teacher):
    link = link_of(classroom)
    close_joining(classroom, actor=teacher)
    assert client.post(link).status_code == 404
    open_joining(classroom, actor=teacher, days=1, needs_approval=False)
    link = link_of(classroom)
    archive_classroom(classroom, actor=teacher)
    assert client.post(link).status_code == 404
    assert list(classroom.students()) == []


def test_with_approval_a_student_waits_until_the_teacher_lets_them_in(
    client, classroom, student, teacher
):
    open_joining(classroom, actor=teacher, days=1, needs_approval=True)
    client.post(link_of(classroom))
    page = client.post(link_of(classroom), follow=True)
    assert "You asked to join 7b. Its teacher lets you in." in words_of(page)
    assert "waiting to be let in" in words_of(page)
    assert list(classroom.students()) == []
    client.force_login(teacher)
    answer = reverse("course:request-answer", args=[classroom.pk])
    client.post(answer, {"username": "bob", "answer": "yes"})
    assert list(classroom.students()) == [student]
    again = client.post(answer, {"username": "bob", "answer": "no"}, follow=True)
    assert "This request was answered already" in words_of(again)
    assert list(classroom.students()) == [student]


def test_a_student_who_is_not_let_in_is_not_in_the_class(client, classroom, student, teacher):
    open_joining(classroom, actor=teacher, days=1, needs_approval=True)
    client.post(link_of(classroom))
    client.force_login(teacher)
    answer = reverse("course:request-answer", args=[classroom.pk])
    client.post(answer, {"username": "bob", "answer": "no"})
    assert list(classroom.students()) == []
    assert JoinRequest.objects.count() == 0


def test_joining_twice_changes_nothing(client, classroom, student):
    client.post(link_of(classroom))
    said = client.post(link_of(classroom), follow=True)
    assert "You were in 7b already." in words_of(said)
    assert Membership.objects.filter(user=student).count() == 1


def test_a_teacher_does_not_become_a_student_of_their_own_class(client, classroom, teacher):
    client.force_login(teacher)
    said = client.post(link_of(classroom), follow=True)
    assert "You teach this class" in words_of(said)
    assert list(classroom.students()) == []


def test_a_student_leaves_and_comes_back_by_the_code(client, classroom, student):
    client.post(link_of(classroom))
    left = client.post(reverse("course:classroom-leave", args=[classroom.pk]), follow=True)
    assert "You left 7b. Your answers, runs and marks are kept." in words_of(left)
    client.post(link_of(classroom))
    assert list(classroom.students()) == [student]
    assert Membership.objects.filter(user=student).count() == 1


def test_guessing_is_stopped_for_this_account_even_with_the_right_code(client, classroom, student):
    assert try_wrong_codes(client, WRONG_CODES.per_user).status_code == 404
    page = client.get(link_of(classroom))
    assert page.status_code == 429
    assert "Wait a quarter of an hour" in words_of(page)
    client.force_login(make_user("next-desk"))
    assert client.get(link_of(classroom)).status_code == 200


def test_guessing_is_stopped_for_an_address_however_many_accounts_it_has(
    client, classroom, student
):
    Attempt.objects.bulk_create(
        Attempt(kind=WRONG_CODES.kind, by="address 127.0.0.1")
        for _ in range(WRONG_CODES.per_address)
    )
    assert client.get(link_of(classroom)).status_code == 429
    assert client.get(link_of(classroom), REMOTE_ADDR="192.0.2.7").status_code == 200


def test_guesses_are_forgotten_after_a_while(client, classroom, student):
    try_wrong_codes(client, WRONG_CODES.per_user)
    Attempt.objects.update(at=timezone.now() - WRONG_CODES.within)
    assert client.get(link_of(classroom)).status_code == 200


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        (None, "unknown"),
    ],
)
def test_a_machine_with_many_addresses_counts_as_one(address, network):
    assert network_of(address) == network


def test_sign_ups_from_one_address_are_bounded_but_never_those_with_a_join_link(client, classroom):
    Attempt.objects.bulk_create(
        Attempt(kind=SIGN_UPS.kind, by="address 127.0.0.1") for _ in range(SIGN_UPS.per_address)
    )
    refused = client.post(SIGNUP, NEW)
    assert refused.status_code == 429
    assert "use the link or the QR code of your class" in words_of(refused)
    dead_link = reverse("course:join-confirm", args=[WRONG])
    assert client.post(SIGNUP, NEW | {"next": dead_link}).status_code == 429
    assert not User.objects.filter(username="ada").exists()
    assert client.post(SIGNUP, NEW | {"next": link_of(classroom)}).status_code == 302
    assert User.objects.filter(username="ada").exists()


def test_the_sign_up_tells_nobody_which_codes_are_right(client, classroom):
    """Where sign-ups are used up, only those with a right code are let through."""
    address = "address 127.0.0.1"
    Attempt.objects.bulk_create(
        Attempt(kind=SIGN_UPS.kind, by=address) for _ in range(SIGN_UPS.per_address)
    )
    Attempt.objects.bulk_create(
        Attempt(kind=WRONG_CODES.kind, by=address) for _ in range(WRONG_CODES.per_address - 1)
    )
    dead_link = reverse("course:join-confirm", args=[WRONG])
    assert client.post(SIGNUP, {"next": dead_link}).status_code == 429
    assert client.post(SIGNUP, {"next": link_of(classroom)}).status_code == 429


def test_guessing_is_stopped_for_the_site_however_many_addresses_share_it(
    client, classroom, student
):
    Attempt.objects.bulk_create(
        Attempt(kind=WRONG_CODES.kind, by="the whole site") for _ in range(WRONG_CODES.per_site)
    )
    assert client.get(link_of(classroom)).status_code == 429


def test_the_teacher_shows_code_link_and_picture(client, classroom, teacher):
    client.force_login(teacher)
    page = client.get(reverse("course:join-code", args=[classroom.pk]))
    assert written(classroom.join_code) in words_of(page)
    assert f"http://testserver{link_of(classroom)}" in words_of(page)
    picture = client.get(element(page, "img", class_="join-code-qr").attrs["src"])
    assert picture["Content-Type"] == "image/svg+xml"
    assert ElementTree.fromstring(picture.content).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_class_without_a_code_says_so_and_has_no_picture(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    page = client.get(reverse("course:join-code", args=[classroom.pk]))
    assert "No code works just now" in words_of(page)
    assert client.get(reverse("course:join-qr", args=[classroom.pk])).status_code == 404


def test_the_teacher_makes_a_code_and_switches_it_off(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    address = reverse("course:join-code", args=[classroom.pk])
    client.post(address, {"days": "7", "needs_approval": "on"})
    classroom.refresh_from_db()
    assert classroom.open_code
    assert classroom.join_needs_approval
    assert classroom.join_code_until_at < timezone.now() + timedelta(days=7)
    client.post(address, {"do": "close"})
    classroom.refresh_from_db()
    assert classroom.open_code == ""


def test_no_code_is_made_for_a_time_that_is_not_offered(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    client.post(reverse("course:join-code", args=[classroom.pk]), {"days": "9999"})
    classroom.refresh_from_db()
    assert classroom.join_code is None


def test_who_was_removed_sees_no_class_any_more(client, classroom, student, teacher):
    client.post(link_of(classroom))
    end_membership(classroom, actor=teacher, user=student)
    assert "You are in no class yet." in words_of(client.get(reverse("course:classroom-list")))
