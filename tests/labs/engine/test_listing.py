"""What a kept archive holds, whatever the names; archives made from archives."""

from __future__ import annotations

import gzip
import io
import tarfile

from hypothesis import given
from hypothesis import strategies as st

from labs.engine.archive import sanitise
from labs.engine.listing import (
    EMPTY,
    FILE,
    FOLDER,
    LINK,
    list_entries,
    only_entry,
    pack,
    read_name,
    show_name,
    spell_name,
    stream_entries,
    unpack,
    with_entry_of,
    without_entry,
)


def archive(*members):
    """Of (name, content): bytes are a file, None is a folder, text a link's target."""
    target = io.BytesIO()
    with tarfile.open(
        fileobj=target, mode="w:", format=tarfile.GNU_FORMAT, errors="surrogateescape"
    ) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            kinds = {bytes: tarfile.REGTYPE, str: tarfile.SYMTYPE, type(None): tarfile.DIRTYPE}
            info.type, info.mode = kinds[type(content)], 0o755
            info.linkname = content if isinstance(content, str) else ""
            data = content if isinstance(content, bytes) else b""
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return sanitise(target.getvalue()).data


def contents(data):
    return {info.name: file.read() for info, file in stream_entries(gzip.compress(data))}


def names(data):
    return [entry.name for entry in list_entries(data)]


def test_files_folders_and_links_are_listed_with_size_mode_and_digest():
    data = archive(("demo", None), ("demo/a.txt", b"abc"), ("link", "demo/a.txt"))
    found = {entry.name: entry for entry in list_entries(data)}
    assert [entry.kind for entry in found.values()] == [FOLDER, FILE, LINK]
    assert (found["demo/a.txt"].size_bytes, found["demo/a.txt"].rights) == (3, "rwxr-xr-x")
    assert len({entry.digest for entry in found.values()}) == 3


def test_an_empty_workspace_has_no_files():
    assert list_entries(EMPTY) == ()


@given(st.binary(min_size=1, max_size=40))
def test_any_name_is_spelled_in_ascii_and_read_back(raw):
    name = raw.decode("utf-8", "surrogateescape")
    assert spell_name(name).isascii()
    assert read_name(spell_name(name)) == name


def test_a_list_is_stored_and_read_back_with_names_of_any_bytes():
    data = archive((b"f\xff\n".decode("utf-8", "surrogateescape"), b"x"), ("ü", b"y"))
    assert unpack(pack(list_entries(data))) == list_entries(data)


def test_a_name_that_reorders_or_hides_is_shown_by_number():
    assert show_name("a\u202etxt.exe\n") == "a⟨U+202E⟩txt.exe⟨U+000A⟩"


def test_one_file_is_taken_out_or_brought_in_beside_the_others():
    now = archive(("demo", None), ("demo/a", b"new"), ("other", b"kept"))
    then = archive(("demo", None), ("demo/a", b"old"), ("gone", b"gone"))
    assert contents(with_entry_of(now, then, "demo/a")) == {"demo/a": b"old", "other": b"kept"}
    assert contents(with_entry_of(now, then, "gone"))["gone"] == b"gone"
    assert contents(without_entry(now, "demo")) == {"other": b"kept"}
    assert names(only_entry(then, "demo/a")) == ["demo", "demo/a"]


def test_folders_that_lead_to_a_file_come_with_it_and_files_in_their_place_give_way():
    then = archive(("demo", None), ("demo/deep", None), ("demo/deep/a", b"old"))
    assert names(with_entry_of(EMPTY, then, "demo/deep/a")) == ["demo", "demo/deep", "demo/deep/a"]
    blocked = archive(("demo", b"a file"))
    assert contents(with_entry_of(blocked, then, "demo/deep/a")) == {"demo/deep/a": b"old"}
