"""What an admin does to many labs: asked once more, done lab by lab, written into the log."""

from __future__ import annotations

import pytest
from django.urls import reverse

from labs.models import AuditEntry, Lab, Wish
from labs.wishes import create_wish
from tests.factories import make_finished_run, make_user
from tests.labs.console.helpers import make_lab
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

BULK = reverse("labs:lab-bulk")


@pytest.fixture
def two():
    return [make_lab("ada", state="ready"), make_lab("bob", state="ready")]


def press(client, deed, labs, **rest):
    """The button under the list, with these labs ticked."""
    return client.post(BULK, {"deed": deed, "lab": [lab.pk for lab in labs], **rest})


def confirm(client, question):
    """The question's own button, with all that its form sends."""
    fields = {e.attrs["name"]: e.attrs["value"] for e in elements(question, "input", type="hidden")}
    return client.post(BULK, fields | {"confirmed": "yes"}, follow=True)


def test_stopping_asks_once_more_and_changes_nothing_until_then(client, admin, two):
    question = press(client, "stop", two)
    assert "Stop: 2 labs?" in words_of(question)
    assert "The files are saved" in words_of(question)
    assert {"ada (ready)", "bob (ready)"} <= {li.words for li in elements(question, "li")}
    assert set(Lab.objects.values_list("state", flat=True)) == {"ready"}
    assert not AuditEntry.objects.exists()


def test_a_confirmed_stop_stops_every_chosen_lab_and_is_written_down(client, admin, two):
    make_lab("cyd", state="ready")
    page = confirm(client, press(client, "stop", two))
    states = dict(Lab.objects.values_list("owner__username", "state"))
    assert states == {"ada": "stopping", "bob": "stopping", "cyd": "ready"}
    assert "Labs that save their files and stop: 2" in words_of(page)
    entries = AuditEntry.objects.order_by("subject_name")
    assert [(e.actor, e.action, e.subject_name) for e in entries] == [
        (admin, "stop lab", "ada"),
        (admin, "stop lab", "bob"),
    ]
    assert (entries[0].before, entries[0].after) == ({"state": "ready"}, {"state": "stopping"})


@pytest.mark.parametrize("deed", ["restart", "rebuild"])
def test_a_restart_and_a_rebuild_become_wishes_of_the_admin(client, admin, two, deed):
    confirm(client, press(client, deed, two))
    wishes = Wish.objects.values_list("lab__owner__username", "kind", "actor__username")
    assert sorted(wishes) == [("ada", deed, "boss"), ("bob", deed, "boss")]
    assert AuditEntry.objects.filter(action=f"{deed} lab").count() == 2


def test_a_lab_that_refuses_is_named_and_the_others_go_on(client, admin, two):
    create_wish(lab=two[0], actor=two[0].owner, kind=Wish.Kind.RESET)
    page = confirm(client, press(client, "restart", two))
    assert "Labs that save their files and restart: 1" in words_of(page)
    assert "ada: Your lab is just being changed" in words_of(page)
    assert Wish.objects.filter(kind="restart").get().lab == two[1]


def test_a_message_is_written_to_every_chosen_lab_in_place_of_an_earlier_one(client, admin, two):
    Lab.objects.filter(pk=two[0].pk).update(message="Old.")
    question = press(client, "message", two)
    numbers = element(question, "input", name="labs").attrs["value"]
    sent = {"deed": "message", "labs": numbers, "text": " Labs stop at 3. ", "confirmed": "yes"}
    page = client.post(BULK, sent, follow=True)
    assert set(Lab.objects.values_list("message", flat=True)) == {"Labs stop at 3."}
    assert "message not read yet" in words_of(page)
    entry = AuditEntry.objects.get(subject_name="ada")
    assert (entry.before, entry.after) == ({"message": "Old."}, {"message": "Labs stop at 3."})


@pytest.mark.parametrize("text", ["", "   ", "x" * 501])
def test_a_message_that_is_empty_or_too_long_is_asked_for_again(client, admin, two, text):
    sent = {"deed": "message", "labs": str(two[0].pk), "text": text, "confirmed": "yes"}
    page = client.post(BULK, sent)
    assert page.status_code == 200
    assert "nothing was sent" in element(page, id="text-error").words
    assert element(page, "textarea").attrs["aria-describedby"] == "text-error"
    assert not AuditEntry.objects.exists()


def test_all_that_the_list_found_can_be_meant(client, admin, two):
    make_lab("cyd", state="failed")
    question = client.post(BULK, {"deed": "stop", "everyone": "on", "query": "state=ready"})
    assert "Stop: 2 labs?" in words_of(question)
    page = confirm(client, question)
    assert Lab.objects.get(owner__username="cyd").state == "failed"
    assert page.redirect_chain[-1][0] == "/labs/?state=ready"


def test_a_thousand_labs_are_confirmed_by_one_field(client, admin):
    first = make_lab("pupil", state="ready")
    numbers = ",".join(str(first.pk + n) for n in range(1_500))
    page = client.post(BULK, {"deed": "stop", "labs": numbers, "confirmed": "yes"}, follow=True)
    assert "Labs that save their files and stop: 1" in words_of(page)


@pytest.mark.parametrize("sent", [{}, {"lab": "x"}, {"labs": "1e9,-2,"}, {"lab": "9" * 30}])
def test_without_a_lab_nothing_is_done_and_the_page_says_so(client, admin, sent):
    page = client.post(BULK, {"deed": "stop"} | sent, follow=True)
    assert "No lab was chosen, so nothing was done." in words_of(page)


def test_there_are_no_other_deeds(client, admin, two):
    assert press(client, "remove", two).status_code == 404


def test_a_student_can_do_nothing_to_labs_not_even_their_own(client, two):
    client.force_login(two[0].owner)
    assert press(client, "stop", two, confirmed="yes").status_code == 403
    assert Lab.objects.get(pk=two[0].pk).state == "ready"


def test_one_labs_page_tells_its_runs_its_wishes_and_what_was_done_to_it(client, admin, two):
    lab = two[0]
    make_finished_run(lab.owner, exit_code=3)
    confirm(client, press(client, "restart", [lab]))
    page = client.get(reverse("labs:lab-detail", args=[lab.pk]))
    for words in ("finished, exit code 3", "Restart boss waiting", "boss restart lab"):
        assert words in words_of(page)


def test_one_labs_page_leads_to_its_files_and_its_doctor(client, admin, two):
    page = client.get(reverse("labs:lab-detail", args=[two[0].pk]))
    links = {a.words: a.attrs["href"] for a in elements(page, "a")}
    for name in ("Files and history", "Doctor and reset"):
        assert client.get(links[name]).status_code == 200


def test_one_labs_page_hides_the_log_from_who_may_not_read_it(client, two):
    client.force_login(make_user("helper", is_staff=True))
    page = client.get(reverse("labs:lab-detail", args=[two[0].pk]))
    assert page.status_code == 200
    assert "What staff and teachers did to it" not in words_of(page)


def test_a_lab_that_never_was_is_not_found(client, admin):
    assert client.get(reverse("labs:lab-detail", args=[999])).status_code == 404
