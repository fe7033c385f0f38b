"""A lab's files through time, on pages and as downloads."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.urls import reverse

from labs.engine.archive import ArchiveLimits
from labs.lifecycle import lab_of
from labs.models import AuditEntry, Checkpoint, Lab
from tests.factories import make_checkpoint, make_classroom, make_finished_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

NAUGHTY = "a<b>&\u202e.txt"


@pytest.fixture
def student(client):
    student = make_user("ada")
    client.force_login(student)
    return student


@pytest.fixture
def lab(student):
    return lab_of(student)


def url(page, lab, *args, **query):
    return reverse(f"labs:{page}", args=[lab.pk, *args], query=query)


def link_with(html, part):
    """The only link whose address holds `part`."""
    (found,) = (link for link in elements(html, "a") if part in link.attrs["href"])
    return found


def test_the_history_tells_what_changed_at_each_time_newest_first(client, lab):
    run = make_finished_run(lab.owner)
    make_checkpoint(lab, {"note": "a", "gone": "g"}, run=run)
    make_checkpoint(lab, {"note": "abc", "new": "n"})
    response = client.get(url("file-history", lab))
    newest, oldest = (li.words for li in elements(response, "li", class_="panel"))
    assert "after a run newest − removed gone 1 byte + new new 1 byte" in newest
    assert "~ changed note 1 byte → 3 bytes" in newest.replace("\xa0", " ")
    assert "+ new gone" in oldest
    assert "The run" in oldest


def test_the_history_says_what_is_never_saved(client, lab):
    make_checkpoint(lab, {"note": "a"})
    words = words_of(client.get(url("file-history", lab)))
    limits = ArchiveLimits()
    assert "Not saved, and gone when your lab stops" in words
    assert f"folders more than {limits.depth} deep" in words
    assert f"beyond {limits.content_bytes // 2**20} MB" in words


def test_an_empty_history_says_how_files_come_into_it(client, lab):
    assert "saved by themselves after each run" in words_of(client.get(url("file-history", lab)))


def test_a_long_history_comes_in_pages(client, lab):
    for number in range(25):
        make_checkpoint(lab, {"note": str(number)})
    first = client.get(url("file-history", lab))
    older = elements(first, "ul", class_="pagination")[0]
    assert older.words == "Older"
    second = client.get(link_with(first, "files/?before=").attrs["href"])
    assert len(elements(first, "li", class_="panel")) == 20
    assert len(elements(second, "li", class_="panel")) == 5


def test_the_history_asks_a_constant_number_of_queries(client, lab, django_assert_max_num_queries):
    for number in range(20):
        make_checkpoint(lab, {"note": str(number)})
    with django_assert_max_num_queries(12):
        client.get(url("file-history", lab))


def test_a_file_is_shown_as_it_was_with_nothing_in_it_acting(client, lab):
    then = make_checkpoint(lab, {NAUGHTY: "<b>bold</b>\u202e\n"})
    make_checkpoint(lab, {NAUGHTY: "now"})
    page = client.get(url("checkpoint-detail", lab, then.pk))
    link = link_with(page, "/file/")
    assert link.words == "a<b>&⟨U+202E⟩.txt"
    shown = element(client.get(link.attrs["href"]), "pre", class_="file-text")
    assert shown.words == "<b>bold</b>⟨U+202E⟩"


def test_what_is_no_text_is_only_a_download(client, lab):
    checkpoint = make_checkpoint(lab, {"data": "\0\1"})
    assert "not a text" in words_of(client.get(url("file-detail", lab, checkpoint.pk, "data")))


def test_a_download_is_never_run_by_a_browser(client, lab):
    checkpoint = make_checkpoint(lab, {"demo/page.html": "<script>"})
    response = client.get(url("file-download", lab, checkpoint.pk, "demo/page.html"))
    assert response.content == b"<script>"
    assert response["Content-Disposition"] == 'attachment; filename="page.html"'
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_all_files_of_a_time_come_as_one_zip(client, lab):
    checkpoint = make_checkpoint(lab, {"demo/note": "a", "other": "b"})
    response = client.get(url("files-zip", lab, checkpoint.pk))
    zipped = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert zipped.namelist() == ["demo/note", "other"]
    assert response["Content-Disposition"].startswith('attachment; filename="ada-')


def test_two_times_are_compared_line_by_line(client, lab):
    before = make_checkpoint(lab, {"note": "one\ntwo\n", "same": "s"})
    after = make_checkpoint(lab, {"note": "one\nTWO \n", "same": "s"})
    query = {"before": before.pk, "after": after.pk}
    listed = client.get(url("file-difference", lab, **query))
    changes = elements(listed, "li", class_="file-change")
    assert [change.words.split()[2] for change in changes] == ["note"]
    page = client.get(url("file-difference", lab, **query, name="note"))
    shown = element(page, class_="difference")
    assert "removed: −two added: +TWO·" in shown.words


def test_nothing_can_be_compared_before_there_is_anything(client, lab):
    assert "nothing to compare" in words_of(client.get(url("file-difference", lab)))


def test_a_file_that_is_not_there_is_not_found(client, lab):
    checkpoint = make_checkpoint(lab, {"note": "a"})
    for name in ("file-detail", "file-download"):
        assert client.get(url(name, lab, checkpoint.pk, "other")).status_code == 404
    assert client.get(url("file-difference", lab, name="other")).status_code == 404


def test_another_labs_checkpoint_is_not_found_through_ones_own_lab(client, lab):
    theirs = make_checkpoint(lab_of(make_user()), {"note": "secret"})
    for name in ("checkpoint-detail", "files-zip"):
        assert client.get(url(name, lab, theirs.pk)).status_code == 404
    assert client.get(url("file-difference", lab, before=theirs.pk)).status_code == 404
    posted = {"kind": "restore", "to": theirs.pk}
    assert client.post(url("wish-create", lab), posted).status_code == 404


def test_files_that_are_no_longer_kept_are_not_found(client, lab):
    checkpoint = make_checkpoint(lab, {"note": "a"})
    Checkpoint.objects.update(blob=None)
    assert client.get(url("checkpoint-detail", lab, checkpoint.pk)).status_code == 404


def test_files_are_read_while_the_lab_cannot_start(client, lab):
    make_checkpoint(lab, {"note": "a"})
    Lab.objects.update(state=Lab.State.FAILED, reason="The engine refused.")
    assert "note" in words_of(client.get(url("file-history", lab)))


def test_a_teacher_sees_a_students_files_and_is_noted(client, lab):
    teacher = make_user()
    make_classroom(teacher=teacher, students=[lab.owner])
    make_checkpoint(lab, {"note": "a"})
    client.force_login(teacher)
    assert "Lab of ada" in words_of(client.get(url("file-history", lab)))
    assert AuditEntry.objects.get().actor == teacher


def test_files_that_did_not_fit_are_offered(client, lab):
    kept = make_checkpoint(lab, {"note": "a"})
    Checkpoint.objects.update(cause=Checkpoint.Cause.NOT_RESTORED)
    page = client.get(url("file-history", lab))
    assert "started without your files" in words_of(page)
    offered = element(page, class_="callout-warning")
    assert "restore single files or download all of them" in offered.words
    assert elements(page, "a", href=url("checkpoint-detail", lab, kept.pk))
