"""What a typed time means on a class's clock, and how late a hand-in is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.lateness import (
    IN_TIME,
    Lateness,
    LateRule,
    NoSuchTime,
    days_late,
    lateness,
    penalty,
    read_clock,
)

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
TEN_A_DAY = LateRule("per_day", 10)
# The night before the clocks of Berlin are put forward, and the one before they are put back.
BEFORE_SPRING = read_clock(datetime(2027, 3, 27, 23, 59), BERLIN)
BEFORE_AUTUMN = read_clock(datetime(2027, 10, 30, 23, 59), BERLIN)


def test_a_typed_time_is_read_on_the_classs_clock_on_both_sides_of_a_change():
    assert read_clock(datetime(2027, 3, 27, 12), BERLIN) == datetime(2027, 3, 27, 11, tzinfo=UTC)
    assert read_clock(datetime(2027, 3, 28, 12), BERLIN) == datetime(2027, 3, 28, 10, tzinfo=UTC)
    assert read_clock(datetime(2027, 7, 1, 12), NEW_YORK) == datetime(2027, 7, 1, 16, tzinfo=UTC)


def test_a_time_that_the_clocks_skip_is_refused():
    with pytest.raises(NoSuchTime):
        read_clock(datetime(2027, 3, 28, 2, 30), BERLIN)


def test_a_time_that_comes_twice_is_the_later_one():
    twice = datetime(2027, 10, 31, 2, 30)
    assert read_clock(twice, BERLIN) == datetime(2027, 10, 31, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize("late", [timedelta(0), timedelta(minutes=-1), timedelta(days=-9)])
def test_up_to_the_very_moment_it_is_in_time(late):
    assert lateness(TEN_A_DAY, BEFORE_SPRING, BEFORE_SPRING + late, BERLIN) == IN_TIME


@pytest.mark.parametrize(
    ("due_at", "hours_of_the_next_day"), [(BEFORE_SPRING, 23), (BEFORE_AUTUMN, 25)]
)
def test_a_day_late_is_a_day_on_the_clock_however_many_hours_it_has(due_at, hours_of_the_next_day):
    a_day = timedelta(hours=hours_of_the_next_day)
    assert days_late(due_at, due_at + a_day, BERLIN) == 1
    assert days_late(due_at, due_at + a_day + timedelta(seconds=1), BERLIN) == 2


def test_a_second_late_within_the_hour_that_comes_twice_is_late():
    due_at = datetime(2027, 10, 31, 0, 40, tzinfo=UTC)
    assert days_late(due_at, due_at + timedelta(minutes=30), BERLIN) == 1


@pytest.mark.parametrize(
    ("rule", "hours", "expected"),
    [
        (LateRule("full"), 49, Lateness(3, 0)),
        (LateRule("nothing"), 1, Lateness(1, 100)),
        (TEN_A_DAY, 1, Lateness(1, 10)),
        (TEN_A_DAY, 24, Lateness(1, 10)),
        (TEN_A_DAY, 25, Lateness(2, 20)),
        (LateRule("per_day", 60), 30, Lateness(2, 100)),
    ],
)
def test_each_rule_says_what_late_work_loses(rule, hours, expected):
    due_at = datetime(2027, 1, 10, 12, tzinfo=UTC)
    assert lateness(rule, due_at, due_at + timedelta(hours=hours), BERLIN) == expected


def test_a_penalty_is_of_what_was_earned_to_the_nearest_hundredth():
    assert penalty(1_000, Lateness(1, 10)) == 100
    assert penalty(333, Lateness(1, 15)) == 50
    assert penalty(0, Lateness(9, 100)) == 0


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)),
    st.timedeltas(timedelta(0), timedelta(days=400)),
    st.timedeltas(timedelta(0), timedelta(days=5)),
    st.sampled_from([BERLIN, NEW_YORK, ZoneInfo("UTC"), ZoneInfo("Australia/Lord_Howe")]),
)
def test_who_hands_in_later_is_never_less_late(due, after, more, zone):
    due_at = due.replace(tzinfo=UTC)
    first, second = due_at + after, due_at + after + more
    # Only within the hour that comes twice the clock itself goes back, by less than a day.
    assert (
        lateness(TEN_A_DAY, due_at, first, zone).days
        <= lateness(TEN_A_DAY, due_at, second, zone).days + 1
    )
