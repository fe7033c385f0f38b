"""From what was seen in a lab to what is wrong with it, and the safe repair of each."""

from __future__ import annotations

import pytest

from labs.doctor import BigFile, Disk, Facts, Program, find_troubles, read_facts

MIB = 1024 * 1024
ROOMY = Disk(total_bytes=64 * MIB, free_bytes=60 * MIB, places=16384, free_places=16000)
FULL = Disk(total_bytes=64 * MIB, free_bytes=0, places=16384, free_places=16000)
CROWDED = Disk(total_bytes=64 * MIB, free_bytes=60 * MIB, places=16384, free_places=3)


def healthy(**fields):
    return Facts(**({"workspace": ROOMY, "tmp": ROOMY, "process_limit": 96} | fields))


def test_a_healthy_lab_has_no_findings():
    assert find_troubles(healthy(process_count=5, programs=(Program("node", 1.0, 300.0),))) == ()


@pytest.mark.parametrize(
    ("facts", "code", "repairs"),
    [
        ({"engine_error": "Nobody answers."}, "engine_down", []),
        ({"is_image_missing": True, "start_error": "no image"}, "image_gone", []),
        ({"start_error": "It did not come up."}, "lab_failed", ["rebuild", "reset"]),
        ({"waits_for": "All places are taken."}, "waits", []),
        ({"is_table_full": True}, "processes_full", ["restart"]),
        ({"process_count": 90}, "processes_full", ["restart"]),
        ({"is_memory_full": True}, "memory_full", ["restart"]),
        ({"programs": (Program("yes", 25.0, 60.0),)}, "runaway", ["restart"]),
        (
            {"workspace": FULL, "largest": (BigFile("big", 60 * MIB),)},
            "disk_full",
            ["remove_file", "reset"],
        ),
        ({"workspace": CROWDED}, "places_full", ["reset"]),
        ({"tmp": FULL}, "tmp_full", ["restart"]),
        ({"is_owned": False}, "wrong_owner", ["rebuild"]),
        ({"is_writable": False}, "unwritable", ["mend_modes"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_trouble_is_named_with_its_repair(facts, code, repairs):
    [finding] = find_troubles(healthy(**facts))
    assert finding.code == code
    assert [repair.kind for repair in finding.repairs] == repairs
    assert str(finding.title)
    assert str(finding.words).endswith(".")


def test_what_needs_an_admin_offers_nothing_that_could_not_help():
    for facts in (Facts(engine_error="x"), Facts(is_image_missing=True)):
        [finding] = find_troubles(facts)
        assert (finding.is_ours, finding.repairs) == (True, ())


def test_a_long_program_that_mostly_waits_is_no_runaway():
    assert not Program("node", cpu_s=30.0, age_s=3600.0).is_runaway
    assert not Program("node", cpu_s=2.0, age_s=4.0).is_runaway


def test_several_troubles_are_all_named():
    found = find_troubles(healthy(workspace=FULL, is_writable=False, process_count=96))
    assert [finding.code for finding in found] == ["processes_full", "disk_full", "unwritable"]


def test_facts_are_read_back_from_their_row():
    stored = {
        "workspace": {"total_bytes": 1, "free_bytes": 0, "places": 1, "free_places": 1},
        "programs": [{"command": "yes", "cpu_s": 30.0, "age_s": 60.0}],
        "largest": [{"name": "b%20g", "size_bytes": 7}],
        "is_writable": False,
    }
    facts = read_facts(stored)
    assert facts.workspace == Disk(1, 0, 1, 1)
    assert (facts.programs[0].command, facts.largest[0].name) == ("yes", "b%20g")
    assert not facts.is_writable
    assert read_facts({}) == Facts()
