"""A school's work grows by tens of thousands of rows a month: no page and no sweep may read a whole
table of it. SQLite says beforehand how it will find what it is asked for."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from course.retention import delete_overdue_classes
from course.sealing import seal_waiting
from labs import checkpoints, hosts, metrics, musters, reconcile, runs, terminals, wishes
from labs.lifecycle import this_host
from labs.models import Run
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)

GROWING = (
    "course.Answer",
    "course.AnswerEntry",
    "course.BlockOutcome",
    "course.HandIn",
    "course.Manifest",
    "course.Mark",
    "course.MarkEntry",
    "labs.Run",
    "labs.OutputChunk",
    "labs.Checkpoint",
    "labs.Blob",
    "labs.TerminalSession",
    "labs.RecordingPiece",
    "labs.Wish",
)
TABLES = {apps.get_model(name)._meta.db_table for name in GROWING}
OF_STUDENT = ("/", "/todo/", "/lessons/tiny/", "/help/", "/privacy/", "/lab/files/", "/terminal/")
OF_CLASS = ("", "assignments/", "gradebook/", "download/")
OF_ASSIGNMENT = (
    "",
    "board/",
    "guide/",
    "gradebook/",
    "marking/",
    "marking/?show=all&step=gap:animal",
    "asked/",
    "rubric/",
    "review/ada/",
)
OF_ADMIN = (
    "/labs/",
    "/labs/?sort=-memory",
    "/labs/?scope=lesson:tiny",
    "/labs/queue/",
    "/labs/hosts/",
    "/labs/images/",
    "/labs/limits/",
)
SWEEPS = {
    "hand-ins": seal_waiting,
    "retention": lambda: delete_overdue_classes(timezone.now()),
    "checkpoints": lambda: checkpoints.tidy(timezone.now()),
    "recordings": terminals.remove_old_recordings,
    "metrics": metrics.write_metrics,
    "leases of runs": lambda: runs.free_dead_leases(this_host()),
    "leases of wishes": lambda: wishes.free_dead_leases(this_host()),
    "overdue runs": lambda: reconcile.lose_overdue_runs(this_host()),
    "lost rings": lambda: reconcile.ring_again(this_host()),
    "musters": lambda: musters.ring_again(this_host()),
    "moves of labs": lambda: hosts.move_labs_to(this_host()),
}
ALL_OF_IT = {
    "checkpoints": {"labs_checkpoint", "labs_blob"},  # every half hour, to thin them out
    "metrics": {"labs_blob"},  # their sizes, from an index
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def school():
    """A class in which one student has done something of everything."""
    teacher, ada = make_user("frizzle"), make_user("ada")
    classroom = make_classroom(teacher=teacher, students=[ada, make_user("bob")])
    assignment = make_assignment(classroom)
    run = make_finished_run(ada, origin="tiny#hello")
    make_checkpoint(run.lab, {"a.txt": "one"}, run=run)
    make_terminal(ada, "$ ls")
    make_handin(ada, assignment, {"animal": "quokka", "own-words": "It waits."})
    return assignment


@pytest.fixture
def shown(client):
    """A page that is really shown."""

    def get(path):
        answer = client.get(path, follow=True)
        assert answer.status_code == 200
        return answer

    return get


@pytest.fixture
def whole_tables_read_by():
    """Which growing tables a call reads from end to end."""

    def read(call):
        asked = []

        def listen(execute, sql, params, many, context):
            asked.append((sql, params))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(listen):
            call()
        return {table for sql, params in asked for table in scanned_by(sql, params)}

    return read


def scanned_by(sql, params):
    """The growing tables that one statement reads from end to end, in whatever order."""
    if not re.match(r"\s*(SELECT|UPDATE|DELETE)", sql):
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        steps = [row[3] for row in cursor.fetchall()]
    scanned = {found[1] for step in steps if (found := re.match(r"SCAN (\w+)", step))}
    return {table for table in TABLES if scanned & names_of(table, sql)}


def names_of(table, sql):
    """What a table is called in a statement: by itself, or by another name."""
    return {table, *re.findall(rf'"?{table}"?\s+(?:AS\s+)?"?(\w+)"?', sql)}


@pytest.mark.parametrize("path", OF_STUDENT)
def test_no_page_of_a_student_reads_a_whole_table(
    client, shown, school, whole_tables_read_by, path
):
    client.force_login(school.handins.get().student)
    assert whole_tables_read_by(lambda: shown(path)) == set()


@pytest.mark.parametrize("path", OF_CLASS)
def test_no_page_of_a_class_reads_a_whole_table(client, shown, school, whole_tables_read_by, path):
    client.force_login(school.made_by)
    address = f"/classes/{school.classroom_id}/{path}"
    assert whole_tables_read_by(lambda: shown(address)) == set()


@pytest.mark.parametrize("path", OF_ASSIGNMENT)
def test_no_page_of_an_assignment_reads_a_whole_table(
    client, shown, school, whole_tables_read_by, path
):
    client.force_login(school.made_by)
    assert whole_tables_read_by(lambda: shown(f"/assignments/{school.pk}/{path}")) == set()


@pytest.mark.parametrize("path", OF_ADMIN)
def test_no_page_of_the_console_reads_a_whole_table(
    client, shown, school, whole_tables_read_by, path
):
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    assert whole_tables_read_by(lambda: shown(path)) == set()


@pytest.mark.parametrize("name", SWEEPS)
def test_no_sweep_reads_a_whole_table(school, whole_tables_read_by, name):
    assert whole_tables_read_by(SWEEPS[name]) <= ALL_OF_IT.get(name, set())


def test_a_whole_table_is_noticed(whole_tables_read_by, school):
    assert whole_tables_read_by(lambda: list(Run.objects.filter(exit_code=1))) == {"labs_run"}
