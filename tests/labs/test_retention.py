"""Checkpoints are kept: all of today, one a day after that, every hand-in for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from labs.checkpoints import keep_for_ever, keep_newest, store_checkpoint, tidy
from labs.engine.listing import EMPTY
from labs.lab_requests import request_restore
from labs.models import Blob, Checkpoint
from labs.retention import ROOM_BYTES, Kept, choose_to_thin
from tests.factories import make_checkpoint, make_finished_run, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def at(pk, *, days=0, hour=10, lab_id=1, is_for_ever=False, size_bytes=1):
    made_at = NOW.replace(hour=hour) - timedelta(days=days)
    return Kept(pk, lab_id, made_at, is_for_ever, size_bytes)


def thinned(*checkpoints, zone=UTC):
    return sorted(choose_to_thin(checkpoints, now=NOW, zone=zone))


def test_all_of_today_are_kept():
    assert thinned(at(1, hour=1), at(2, hour=9), at(3, hour=11)) == []


def test_one_lab_fills_no_disk_in_a_day_and_costs_no_other_lab_a_file():
    half = ROOM_BYTES // 2
    mine = [at(hour, hour=hour, size_bytes=half) for hour in range(1, 7)]
    assert thinned(*mine, at(9, hour=1, lab_id=2)) == [1, 2, 3, 4]


def test_the_newest_files_and_hand_ins_stay_however_large():
    large = [at(hour, hour=hour, size_bytes=2 * ROOM_BYTES) for hour in (2, 3)]
    assert thinned(*large, at(1, hour=1, size_bytes=ROOM_BYTES, is_for_ever=True)) == [2]


def test_the_last_of_an_earlier_day_is_kept_and_no_other():
    assert thinned(at(1, days=1, hour=8), at(2, days=1, hour=20), at(3, days=1, hour=9)) == [1, 3]


def test_of_the_same_moment_the_later_row_is_kept():
    assert thinned(at(1, days=1), at(2, days=1)) == [1]


def test_each_day_and_each_lab_keeps_one():
    labs = (at(1, days=1), at(2, days=2), at(3, days=1, lab_id=2), at(4, days=1, hour=9))
    assert thinned(*labs) == [4]


def test_a_hand_in_is_kept_for_ever():
    handed_in = at(1, days=400, hour=8, is_for_ever=True)
    assert thinned(handed_in, at(2, days=400, hour=9), at(3, days=400, hour=7)) == [3]


def test_the_day_is_the_sites_own_also_when_the_clocks_change():
    zone = ZoneInfo("Europe/Berlin")  # on 29 March 2026 midnight is 23:00 UTC of the 28th
    late, early = at(1, days=1, hour=23), at(2, days=1, hour=22)
    assert thinned(late, early, zone=zone) == []
    assert thinned(late, early, zone=UTC) == [2]


def old(lab, text, *, days=2, hours=0, **fields):
    made_at = timezone.now() - timedelta(days=days, hours=hours)
    checkpoint = make_checkpoint(lab, {"note": text}, made_at=made_at, **fields)
    Blob.objects.update(used_at=made_at)
    return checkpoint


@pytest.fixture
def run():
    return make_finished_run(make_user())


def test_thinned_files_and_their_bytes_go_and_what_others_hold_stays(run):
    noon = timezone.now().replace(hour=12) - timedelta(days=3)
    first = old(run.lab, "first", run=run)
    last = old(run.lab, "last")
    Checkpoint.objects.filter(pk=first.pk).update(made_at=noon)
    Checkpoint.objects.filter(pk=last.pk).update(made_at=noon + timedelta(hours=1))
    tidied = tidy(timezone.now())
    assert (tidied.checkpoints, tidied.blobs) == (1, 1)
    assert list(Checkpoint.objects.kept()) == [last]
    assert Checkpoint.objects.get(pk=first.pk).run == run
    assert list(Blob.objects.values_list("pk", flat=True)) == [last.blob_id]


def test_bytes_that_were_in_use_a_moment_ago_stay_for_their_next_checkpoint(run):
    checkpoint = store_checkpoint(run.lab, EMPTY, cause="run")
    checkpoint.delete()
    assert tidy(timezone.now()).blobs == 0
    assert tidy(timezone.now() + timedelta(hours=2)).blobs == 1


def test_bytes_taken_again_are_fresh_and_stored_once(run):
    old(run.lab, "same")
    archive_of_same = make_checkpoint(run.lab, {"note": "same"})
    again = keep_newest(run.lab, cause=Checkpoint.Cause.HAND_IN)
    assert again.blob_id == archive_of_same.blob_id
    assert Blob.objects.get().used_at > timezone.now() - timedelta(minutes=1)


def test_what_somebody_wants_back_just_now_is_not_thinned(run):
    wanted = old(run.lab, "wanted", days=3)
    newer = old(run.lab, "newer", days=3)
    Checkpoint.objects.filter(pk=newer.pk).update(made_at=wanted.made_at)
    request_restore(run.lab, actor=run.owner, checkpoint=wanted)
    assert tidy(timezone.now()).checkpoints == 0


def test_files_of_a_hand_in_outlive_the_checkpoint_they_were_taken_from(run):
    source = old(run.lab, "handed in", days=3)
    later = old(run.lab, "later", days=3)
    Checkpoint.objects.filter(pk=later.pk).update(made_at=source.made_at)
    kept = keep_for_ever(source)
    tidy(timezone.now())
    assert Checkpoint.objects.kept().filter(pk=kept.pk).exists()
    assert not Checkpoint.objects.kept().filter(pk=source.pk).exists()
