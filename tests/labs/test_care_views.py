"""The page of one lab: three ways to start afresh, undo, and what is wrong."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from labs.lifecycle import lab_of, this_host
from labs.models import Lab, Wish
from labs.wishes import create_done
from tests.factories import make_checkpoint, make_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def lab(client):
    student = make_user("ada")
    client.force_login(student)
    return lab_of(student)


def page_of(lab):
    return reverse("labs:lab-care", args=[lab.pk])


def press(client, lab, **fields):
    return client.post(reverse("labs:wish-create", args=[lab.pk]), fields, follow=True)


def test_three_buttons_say_what_each_keeps(client, lab):
    page = client.get(page_of(lab))
    for name in ("restart", "rebuild", "reset"):
        button = element(page, "button", value=name)
        words = element(page, id=button.attrs["aria-describedby"]).words
        assert "files" in words
    assert "one press undoes it" in words_of(page)


@pytest.mark.parametrize("kind", ["restart", "rebuild", "reset", "mend_modes", "examine"])
def test_a_press_is_written_down_and_shown(client, lab, kind):
    response = press(client, lab, kind=kind)
    wish = Wish.objects.get()
    assert (wish.kind, wish.state, wish.actor) == (kind, "queued", lab.owner)
    assert element(response, id="lab-care").attrs["hx-trigger"] == "every 1s"


def test_a_reset_goes_to_the_chosen_time(client, lab):
    checkpoint = make_checkpoint(lab, {"note": "a"})
    press(client, lab, kind="reset", to=checkpoint.pk)
    assert Wish.objects.get().target == checkpoint


def test_one_file_or_all_are_restored(client, lab):
    checkpoint = make_checkpoint(lab, {"a b": "a"})
    press(client, lab, kind="restore", to=checkpoint.pk, name="a%20b")
    assert (Wish.objects.get().target, Wish.objects.get().name) == (checkpoint, "a b")


def test_a_second_press_is_refused_in_words(client, lab):
    press(client, lab, kind="restart")
    assert "Nothing more was done" in words_of(press(client, lab, kind="reset"))


def test_a_running_command_keeps_its_files(client, lab):
    make_run(lab.owner)
    checkpoint = make_checkpoint(lab, {"note": "a"})
    assert "no file was changed" in words_of(press(client, lab, kind="restore", to=checkpoint.pk))


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "fly"},
        {"kind": "save"},
        {"kind": "restore"},
        {"kind": "remove_file", "name": "../x"},
    ],
)
def test_what_no_button_says_is_not_found(client, lab, fields):
    assert press(client, lab, **fields).status_code == 404


def test_undo_is_offered_once_it_is_done_and_brings_the_files_before_back(client, lab):
    before = make_checkpoint(lab, {"note": "a"})
    done = create_done(
        lab=lab, actor=lab.owner, kind=Wish.Kind.RESET, before=before, outcome="reset"
    )
    page = client.get(page_of(lab))
    assert "Reset: done Your lab has been reset." in words_of(page)
    assert element(page, "button", id=f"undo-{done.pk}").words == "Undo: Reset"
    client.post(reverse("labs:wish-undo", args=[lab.pk, done.pk]))
    undo = Wish.objects.first()
    assert (undo.kind, undo.target, undo.undoes) == ("restore", before, done)


def test_nothing_is_undone_of_another_lab(client, lab):
    theirs = create_done(lab=lab_of(make_user()), actor=None, kind=Wish.Kind.RESET)
    assert client.post(reverse("labs:wish-undo", args=[lab.pk, theirs.pk])).status_code == 404


def test_what_is_wrong_is_named_with_its_repairs(client, lab):
    full = {"total_bytes": 64 * 1024 * 1024, "free_bytes": 0, "places": 100, "free_places": 90}
    facts = {"workspace": full, "largest": [{"name": "a%3Cb%3E", "size_bytes": 5_000_000}]}
    create_done(lab=lab, actor=lab.owner, kind=Wish.Kind.EXAMINE, facts=facts)
    page = client.get(page_of(lab))
    assert "Your lab's disk is full" in words_of(page)
    buttons = [button.words for button in elements(page, "button", class_="button-small")]
    assert [words.replace("\xa0", " ") for words in buttons] == [
        "Remove a<b> (4.8 MB)",
        "Reset to no files",
    ]


def test_a_healthy_lab_is_called_so(client, lab):
    create_done(lab=lab, actor=lab.owner, kind=Wish.Kind.EXAMINE, facts={"process_limit": 96})
    assert "Nothing is wrong" in words_of(client.get(page_of(lab)))


def test_an_engine_that_is_down_is_named_without_a_worker_and_files_are_offered(client, lab):
    host = this_host()
    host.engine_error, host.seen_at = "Nobody answers.", timezone.now()
    host.save()
    Lab.objects.update(host=host)
    checkpoint = make_checkpoint(lab, {"note": "a"})
    page = client.get(page_of(lab))
    assert "The lab machine does not answer" in words_of(page)
    assert elements(page, "a", href=reverse("labs:files-zip", args=[lab.pk, checkpoint.pk]))


def test_a_lab_that_failed_says_why_and_what_to_press(client, lab):
    Lab.objects.update(state=Lab.State.FAILED, reason="It did not come up.")
    page = client.get(page_of(lab))
    assert "Your lab does not start" in words_of(page)
    assert "It did not come up." in words_of(page)
    finding = element(page, class_="finding")
    assert "Rebuild Reset to no files" in finding.words


def test_htmx_gets_the_part_that_changes_alone(client, lab):
    response = client.get(page_of(lab), **HTMX)
    assert not elements(response, "html")
    assert "hx-get" not in element(response, id="lab-care").attrs
