"""What a lab's archive may hold, whoever made it."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.engine.archive import ArchiveLimits, Sanitised, sanitise
from labs.zips import zip_pieces


def make_tar(
    *members: tarfile.TarInfo | tuple[str, bytes], format: int = tarfile.GNU_FORMAT
) -> bytes:
    target = io.BytesIO()
    with tarfile.open(
        fileobj=target, mode="w", format=format, encoding="utf-8", errors="surrogateescape"
    ) as tar:
        for member in members:
            tar.addfile(*as_file(member))
    return target.getvalue()


def as_file(member: tarfile.TarInfo | tuple[str, bytes]) -> tuple[tarfile.TarInfo, io.BytesIO]:
    if isinstance(member, tarfile.TarInfo):
        return member, io.BytesIO(bytes(member.size))
    info = tarfile.TarInfo(member[0])
    info.size = len(member[1])
    return info, io.BytesIO(member[1])


def special(name: str, kind: bytes, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    info.size = size
    return info


def directory(name: str) -> tarfile.TarInfo:
    return special(name, tarfile.DIRTYPE)


def link(name: str, target: str) -> tarfile.TarInfo:
    return special(name, tarfile.SYMTYPE, target)


def read(archive: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(
        fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape"
    ) as tar:
        return {info.name: info for info in tar}


def content(archive: bytes, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        file = tar.extractfile(name)
        assert file is not None
        return file.read()


def names(result: Sanitised) -> list[str]:
    return list(read(result.data))


def test_files_and_directories_are_kept() -> None:
    result = sanitise(make_tar(directory("./"), directory("./src"), ("./src/a.js", b"hello")))

    assert names(result) == ["src", "src/a.js"]
    assert content(result.data, "src/a.js") == b"hello"
    assert (result.left_out, result.is_partial) == ((), False)


def test_the_order_of_the_members_makes_no_difference() -> None:
    members = [("b", b"2"), ("a", b"1"), directory("c")]

    assert sanitise(make_tar(*members)) == sanitise(make_tar(*reversed(members)))


def test_what_is_sanitised_stays_as_it_is() -> None:
    once = sanitise(make_tar(directory("d"), ("d/f", b"x"), link("l", "d/f"))).data

    assert sanitise(once).data == once


def test_owners_and_special_bits_are_dropped() -> None:
    info = tarfile.TarInfo("tool")
    info.mode, info.uid, info.gid, info.uname, info.mtime = (
        0o6755,
        4711,
        4711,
        "root",
        1_700_000_000,
    )

    kept = read(sanitise(make_tar(info)).data)["tool"]

    assert (kept.mode, kept.uid, kept.gid, kept.uname) == (0o755, 0, 0, "")
    assert kept.mtime == 1_700_000_000


@pytest.mark.parametrize(
    "member",
    [
        special("disk", tarfile.BLKTYPE),
        special("tty", tarfile.CHRTYPE),
        special("pipe", tarfile.FIFOTYPE),
        ("/etc/passwd", b"root"),
        ("../outside", b"x"),
        ("a/../../outside", b"x"),
        ("a/..", b"x"),
        special("hard", tarfile.LNKTYPE, "/etc/shadow"),
        special("hard", tarfile.LNKTYPE, "not-here"),
        link("abs", "/etc/passwd"),
        link("up", "../outside"),
        link("deep/up", "../../outside"),
        link("sly", "a/../../outside"),
        link("inner", "a/.."),
        link("nowhere", ""),
        link("/abs", "kept"),
    ],
)
def test_what_leads_out_is_left_out_and_told(member: tarfile.TarInfo | tuple[str, bytes]) -> None:
    result = sanitise(make_tar(("kept", b"x"), member, ("z", b"x")))

    assert names(result) == ["kept", "z"]
    assert len(result.left_out) == 1


@pytest.mark.parametrize("target", ["file", "./file", "dir/file", "dir//file", "not-there-yet"])
def test_links_within_the_tree_are_kept(target: str) -> None:
    assert read(sanitise(make_tar(link("l", target))).data)["l"].linkname == target


def test_a_link_may_climb_as_far_as_it_is_deep() -> None:
    result = sanitise(make_tar(directory("a"), directory("a/b"), link("a/b/l", "../../file")))

    assert names(result) == ["a", "a/b", "a/b/l"]


def test_nothing_is_written_through_a_link_or_below_a_file() -> None:
    result = sanitise(make_tar(link("door", "."), ("door/x", b"1"), ("f", b"2"), ("f/x", b"3")))

    assert names(result) == ["door", "f"]
    assert sorted(result.left_out) == ["door/x", "f/x"]


def test_of_two_members_with_one_name_the_later_counts() -> None:
    result = sanitise(make_tar(("a", b"first"), ("./a", b"second")))

    assert names(result) == ["a"]
    assert content(result.data, "a") == b"second"


def test_a_hard_link_becomes_a_copy() -> None:
    result = sanitise(make_tar(("one", b"twin"), special("two", tarfile.LNKTYPE, "./one")))

    assert read(result.data)["two"].isreg()
    assert content(result.data, "two") == b"twin"


@pytest.mark.parametrize(
    "name", ["-rf", "two\nlines", "\udce9t\udcff", "žluťoučký 🐎", " ", "a" * 200, "c:\\d"]
)
def test_names_of_any_bytes_are_kept(name: str) -> None:
    assert names(sanitise(make_tar((name, b"x")))) == [name]


def test_a_sparse_file_of_ten_gigabytes_is_left_out_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "z").write_bytes(b"y")
    with (tmp_path / "holes").open("wb") as holes:
        holes.truncate(10 * 2**30)
    command = ["tar", "-C", tmp_path, "-S", "-cf", "-", "a", "holes", "z"]

    result = sanitise(subprocess.check_output(command))

    assert names(result) == ["a", "z"]
    assert result.left_out == ("holes",)
    assert result.is_partial


def test_a_small_sparse_file_is_kept_with_its_holes_filled(tmp_path: Path) -> None:
    with (tmp_path / "holes").open("wb") as holes:
        holes.write(b"start")
        holes.truncate(2**20)
    archive = subprocess.check_output(["tar", "-C", tmp_path, "-S", "-cf", "-", "holes"])

    assert len(archive) < 2**20
    assert content(sanitise(archive).data, "holes") == b"start".ljust(2**20, b"\0")


def test_a_file_of_thousands_of_holes_is_kept_within_seconds(tmp_path: Path) -> None:
    page, pages = 4096, 12_000
    with (tmp_path / "holes").open("wb") as holes:
        for number in range(1, pages, 2):
            holes.seek(number * page)
            holes.write(b"x" * page)
    archive = subprocess.check_output(["tar", "-C", tmp_path, "-S", "-cf", "-", "holes"])

    began_at = time.monotonic()
    result = sanitise(archive)

    assert time.monotonic() - began_at < 15
    assert content(result.data, "holes") == (bytes(page) + b"x" * page) * (pages // 2)


def test_content_beyond_the_limit_is_left_out_and_smaller_files_are_kept() -> None:
    limits = ArchiveLimits(content_bytes=100)

    result = sanitise(make_tar(("a", bytes(60)), ("b", bytes(60)), ("c", bytes(30))), limits)

    assert names(result) == ["a", "c"]
    assert (result.left_out, result.is_partial) == (("b",), True)


def test_members_beyond_the_limit_are_left_out() -> None:
    archive = make_tar(*((f"{n:03}", b"") for n in range(100)))

    result = sanitise(archive, ArchiveLimits(members=10))

    assert len(names(result)) == 10
    assert result.is_partial


def test_no_time_means_nothing_is_kept() -> None:
    assert names(sanitise(make_tar(("a", b"x")), ArchiveLimits(seconds=0))) == []


def test_an_archive_that_breaks_off_is_kept_as_far_as_it_goes() -> None:
    whole = make_tar(("a", b"x" * 600), ("b", b"y" * 600))

    result = sanitise(whole[: len(whole) - 10240 + 2000])

    assert names(result)[0] == "a"


def test_an_empty_archive_is_an_empty_workspace() -> None:
    assert names(sanitise(b"")) == []
    assert names(sanitise(make_tar())) == []


@given(st.binary(max_size=4096))
def test_any_bytes_are_survived(noise: bytes) -> None:
    assert isinstance(sanitise(noise).data, bytes)


@given(st.data())
def test_a_damaged_archive_is_survived(data: st.DataObject) -> None:
    archive = bytearray(make_tar(directory("d"), ("d/f", b"x" * 600), link("l", "d/f")))
    for _ in range(data.draw(st.integers(1, 8))):
        position = data.draw(st.integers(0, 4095))
        archive[position] = data.draw(st.integers(0, 255))

    result = sanitise(bytes(archive))

    assert all(not name.startswith("/") and ".." not in name.split("/") for name in names(result))


def head(kind: bytes, size: int = 0) -> bytes:
    return special("x", kind, size=size).tobuf(tarfile.GNU_FORMAT)


def with_checksum(block: bytes) -> bytes:
    total = sum(block[:148]) + sum(b" " * 8) + sum(block[156:])
    return block[:148] + b"%06o\0 " % total + block[156:]


def filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % tarfile.BLOCKSIZE)


KEPT = make_tar(("kept", b"x")).rstrip(b"\0")
KEPT += bytes(-len(KEPT) % tarfile.BLOCKSIZE)
LONG_NAME = head(tarfile.GNUTYPE_LONGNAME, 2) + filled(b"a\0")
HOLES = bytes(504) + b"\1" + bytes(7)
WITH_MORE_HOLES = with_checksum(head(tarfile.GNUTYPE_SPARSE)[:482] + b"\1" + bytes(29))


@pytest.mark.parametrize(
    "bomb",
    [
        head(tarfile.XHDTYPE, 400_000) + filled(b"1" * 400_000),
        head(tarfile.XGLTYPE, 400_000) + filled(b"1" * 400_000),
        LONG_NAME * 5000,
        head(tarfile.GNUTYPE_LONGNAME, 10_000_000) + filled(b"a/" * 5_000_000),
        head(tarfile.GNUTYPE_LONGLINK, 10_000_000) + filled(b"a/" * 5_000_000),
        WITH_MORE_HOLES + HOLES * 100_000,
    ],
    ids=["header", "global header", "names of names", "name", "target", "holes"],
)
def test_a_member_that_would_cost_minutes_ends_the_archive(bomb: bytes) -> None:
    began_at = time.monotonic()
    result = sanitise(KEPT + bomb + make_tar(("after", b"x")))
    assert time.monotonic() - began_at < 30
    assert names(result) == ["kept"]
    assert result.is_partial


def test_folders_in_folders_without_end_are_left_out() -> None:
    deep = [directory("/".join(["a"] * depth)) for depth in range(1, 1500)]
    began_at = time.monotonic()
    result = sanitise(make_tar(*deep, ("kept", b"x")))
    assert time.monotonic() - began_at < 30
    assert len(names(result)) == 101
    assert result.is_partial
    assert max(map(len, result.left_out)) <= ArchiveLimits().name_bytes


def test_a_time_beyond_every_calendar_is_the_last_one_that_a_zip_knows() -> None:
    late = special("late", tarfile.REGTYPE)
    late.mtime = 2**62
    saved = sanitise(make_tar(late)).data
    assert b"late" in b"".join(zip_pieces(gzip.compress(saved)))
