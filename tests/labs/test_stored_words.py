"""What a worker wrote into a row is read in the reader's language, on pages and in streams."""

from __future__ import annotations

import json

import pytest
from django.utils import translation

from labs.models import Run
from labs.stored_words import in_readers_words
from labs.streams import RunReader
from tests.factories import make_run, make_user

DOWN = "The lab machine does not answer just now."
KEPT = "Your run is kept and starts by itself."


def test_a_stored_sentence_is_said_in_the_readers_language():
    with translation.override("de"):
        assert in_readers_words("It had not begun.") == "Er hatte noch nicht begonnen."


def test_two_sentences_that_were_stored_as_one_are_both_said():
    with translation.override("de"):
        said = in_readers_words(f"{DOWN} {KEPT}")
    assert said.startswith("Der Lab-Rechner antwortet gerade nicht. ")
    assert said.endswith("Dein Lauf bleibt erhalten und startet von selbst.")


@pytest.mark.parametrize("stored", ["", "exit status 3", "A text. Of nobody. At all."])
def test_what_nobody_has_translated_stays_as_it_is_stored(stored):
    with translation.override("de"):
        assert in_readers_words(stored) == stored


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"), [("de", "Läuft …"), ("en", "Running …"), ("<b>", "Running …")]
)
def test_a_stream_speaks_the_language_of_its_page(language, words):
    run = make_run(make_user(), state=Run.State.RUNNING)
    events, _ = RunReader(run, language).read()
    (told,) = [json.loads(e.split("data: ", 1)[1]) for e in events if "event: state" in e]
    assert told["words"] == words
