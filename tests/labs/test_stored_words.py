"""What a worker wrote into a row is read in the reader's language, on pages and in streams."""

from __future__ import annotations

import json

import pytest
from django.utils import translation

from labs.command import NotRunnable, parse_command
from labs.models import OutputChunk, Run
from labs.rendering import view_of_run
from labs.room import in_line_words
from labs.stored_words import in_readers_words, why_not_run
from labs.streams import RunReader
from tests.factories import make_finished_run, make_run, make_user

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


def test_a_place_in_the_line_that_a_worker_wrote_is_told_with_its_numbers():
    with translation.override("de"):
        said = in_readers_words(in_line_words(3, minutes=2))
    assert "Nummer 3" in said
    assert "2 Minuten" in said


@pytest.mark.parametrize(
    "line",
    ["docker run x", "docker exec agent ls | wc", "docker exec agent echo $HOME", "ls *", "'"],
)
def test_why_a_line_does_not_run_is_said_in_the_readers_language(line):
    with pytest.raises(NotRunnable) as no, translation.override("de"):
        parse_command(line)
    assert why_not_run(no.value) == str(no.value)
    with translation.override("de"):
        said = why_not_run(no.value)
    assert said.count(".") >= 1
    assert not set(said.split()) & {"the", "your", "line"}


@pytest.mark.django_db
def test_our_own_words_among_an_output_are_in_the_readers_language():
    run = make_run(make_user(), state="finished", bytes_total=1_204_331, output_offset=0)
    with translation.override("de"):
        shown = view_of_run(run).output_html
    assert "… 1.204.331 Bytes ausgelassen …" in shown


@pytest.mark.django_db
def test_errors_are_announced_in_the_readers_language():
    run = make_finished_run(make_user(), b"")
    OutputChunk.objects.create(run=run, offset=0, stream="stderr", at_s=0.0, data=b"no\n")
    run.output_offset = run.bytes_total = 3
    with translation.override("de"):
        assert "Fehlerausgabe: " in view_of_run(run).output_html
