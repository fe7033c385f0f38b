"""Accounts that teachers make: cards shown once, passphrases renewed, and only their own."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.accounts import MOST_AT_ONCE, NewAccount, make_accounts, reset_passphrases, resettable
from course.classrooms import add_member, archive_classroom, end_membership
from course.models import Membership, User
from course.passphrases import make_passphrase
from labs.models import AuditEntry
from labs.refusal import Refused
from tests.factories import make_classroom, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

LOGIN = reverse("account_login")


@pytest.fixture
def teacher(client):
    teacher = make_user("ms-frizzle")
    client.force_login(teacher)
    return teacher


@pytest.fixture
def classroom(teacher):
    return make_classroom(teacher=teacher, students=[])


@pytest.fixture
def ada(classroom, teacher):
    make_accounts(classroom, actor=teacher, accounts=[NewAccount("ada", "Ada", "Lovelace")])
    return User.objects.get(username="ada")


def post(client, name, classroom, /, **sent):
    return client.post(reverse(f"course:{name}", args=[classroom.pk]), sent, follow=True)


def passphrases_of(cards):
    return [dd.words for dd in elements(cards, "dd")][2::3]


def reset(classroom, teacher, *usernames):
    return reset_passphrases(classroom, actor=teacher, usernames=usernames)


def test_a_teacher_makes_accounts_of_names_and_the_card_is_all_one_needs_to_log_in(
    client, classroom
):
    names = "Ada Lovelace\n\n  Ada   Lovelace \nZoë\n"
    cards = post(client, "account-create", classroom, names=names)
    usernames = [user.username for user in classroom.students()]
    assert usernames == ["ada.lovelace", "ada.lovelace2", "zoe"]
    assert "Ada Lovelace 7b" in words_of(cards)
    client.logout()
    known = {"login": "zoe", "password": passphrases_of(cards)[2]}
    assert client.post(LOGIN, known)["Location"] == "/"


def test_accounts_without_names_are_numbered_past_those_that_exist(client, classroom):
    make_user("7b-02")
    post(client, "account-create", classroom, number="2", beginning="7B")
    assert [user.username for user in classroom.students()] == ["7b-01", "7b-03"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"number": ""}, "Fill in either the names or the number."),
        ({"names": "Ada", "number": "3"}, "Fill in either the names or the number."),
        ({"number": "3"}, "Say what the usernames begin with."),
        ({"number": "3", "beginning": "a b"}, "A username begins with"),
        ({"number": str(MOST_AT_ONCE + 1), "beginning": "x"}, "At most 120."),
        ({"names": "A\n" * (MOST_AT_ONCE + 1)}, "so no account was made"),
    ],
)
def test_what_is_wrong_with_the_form_is_said_and_no_account_made(client, classroom, sent, words):
    page = post(client, "account-create", classroom, **sent)
    assert words in words_of(page)
    assert list(classroom.students()) == []


def test_a_passphrase_is_stored_nowhere_and_shown_once(client, classroom):
    cards = post(client, "account-create", classroom, number="1", beginning="x")
    (passphrase,) = passphrases_of(cards)
    assert "no-store" in cards["Cache-Control"]
    user = User.objects.get(username="x-01")
    assert user.check_password(passphrase)
    kept = [user.password, *(str(entry.__dict__) for entry in AuditEntry.objects.all())]
    assert not [text for text in kept if passphrase in text]


def test_the_first_log_in_with_a_card_stores_its_passphrase_at_the_sites_own_cost(
    client, classroom, settings
):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    cards = post(client, "account-create", classroom, number="1", beginning="x")
    assert "m=19456" in User.objects.get(username="x-01").password
    client.logout()
    known = {"login": "x-01", "password": passphrases_of(cards)[0]}
    assert client.post(LOGIN, known).status_code == 302
    assert "m=102400" in User.objects.get(username="x-01").password


def test_a_passphrase_is_four_words_that_can_be_read_aloud():
    words = make_passphrase().split("-")
    assert [len(word) for word in words] == [4, 4, 4, 4]


def test_a_new_passphrase_ends_the_old_one_and_every_log_in_with_it(
    client, classroom, teacher, ada, django_user_model
):
    students_browser = type(client)()
    students_browser.force_login(ada)
    assert students_browser.get("/classes/").status_code == 200
    cards = post(client, "passphrase-reset", classroom, username="ada")
    ada.refresh_from_db()
    assert ada.check_password(passphrases_of(cards)[0])
    assert students_browser.get("/classes/").status_code == 302
    entry = AuditEntry.objects.get(action="reset passphrase")
    assert (entry.actor_id, entry.subject) == (teacher.pk, f"user {ada.pk}")


def test_a_new_passphrase_opens_a_name_that_was_locked_by_wrong_ones(client, classroom, ada):
    client.logout()
    for number in range(8):
        locked = client.post(LOGIN, {"login": "ada", "password": f"wrong {number}"})
    assert locked.status_code == 429
    client.force_login(User.objects.get(username="ms-frizzle"))
    cards = post(client, "passphrase-reset", classroom, username="ada")
    client.logout()
    known = {"login": "ada", "password": passphrases_of(cards)[0]}
    assert client.post(LOGIN, known).status_code == 302


def test_the_passphrase_of_an_account_of_ones_own_is_never_changed(client, classroom, teacher):
    own = make_user("own")
    add_member(classroom=classroom, user=own, role=Membership.Role.STUDENT)
    said = post(client, "passphrase-reset", classroom, username="own")
    assert "No passphrase was changed" in words_of(said)
    own.refresh_from_db()
    assert own.check_password("a good passphrase")


def test_nor_that_of_an_account_made_in_another_class(classroom, teacher, ada):
    stranger = make_user()
    theirs = make_classroom(teacher=stranger, students=[ada], name="8c")
    assert stranger.has_perm("course.manage_classroom", theirs)
    with pytest.raises(Refused):
        reset(theirs, stranger, "ada")


@pytest.mark.parametrize("grown", ["is_staff", "is_superuser", "may_teach"])
def test_nor_that_of_one_who_has_other_rights_by_now(classroom, teacher, ada, grown):
    User.objects.filter(pk=ada.pk).update(**{grown: True})
    with pytest.raises(Refused):
        reset(classroom, teacher, "ada")


def test_nor_that_of_one_who_teaches_somewhere_by_now(classroom, teacher, ada):
    elsewhere = make_classroom(teacher=make_user(), students=[], name="8c")
    add_member(classroom=elsewhere, user=ada, role=Membership.Role.ASSISTANT)
    assert list(resettable(classroom)) == []


def test_nor_that_of_one_who_left_the_class(classroom, teacher, ada):
    end_membership(classroom, actor=teacher, user=ada)
    assert list(resettable(classroom)) == []


def test_an_archived_class_makes_no_accounts(client, classroom, teacher):
    archive_classroom(classroom, actor=teacher)
    said = post(client, "account-create", classroom, number="1", beginning="x")
    assert "This class is archived, so nothing was changed." in words_of(said)
    assert not User.objects.filter(username__startswith="x-").exists()


def test_a_username_that_is_taken_meanwhile_makes_none_of_the_accounts(classroom, teacher):
    make_user("bob")
    with pytest.raises(Refused, match="“bob” was taken meanwhile"):
        make_accounts(classroom, actor=teacher, accounts=[NewAccount("ann"), NewAccount("bob")])
    assert list(classroom.students()) == []
