"""The student's workspace: whether it changed, and how it is saved and restored.

Root has no rights over the student's files here, so all of it is done as the student.
"""

import os

from processes import Order

WORKSPACE = b"/home/node/project"
MAX_ENTRIES = 5000
PATH = {b"PATH": b"/usr/bin:/bin", b"LC_ALL": b"C"}
DEEPEST = 101
"""One more than the site keeps, so that it sees that there is more. `tar` keeps the whole name of
each folder that it is in: of 15,000 in each other that is more memory than a lab has."""
SAVE = Order(
    [
        b"tar",
        b"-C",
        WORKSPACE,
        b"-S",
        b"--one-file-system",
        b"--anchored",
        b"--no-wildcards-match-slash",
        b"--exclude=." + b"/*" * (DEEPEST + 1),
        b"-cf",
        b"-",
        b".",
    ],
    PATH,
    b"/",
)
RESTORE = Order(
    [
        b"sh",
        b"-c",
        b"chmod -R u+rwX . && find . -mindepth 1 -delete && exec tar -xpf - --no-same-owner",
    ],
    PATH,
    WORKSPACE,
)


def fingerprint(uid: int) -> int | None:
    """A number that changes with any file's name, kind, size or times; None for too many files.

    Only for comparing within this process. A small tree takes a fraction of a millisecond.
    """
    open_up(uid)
    os.seteuid(uid)
    try:
        return _walk()
    finally:
        os.seteuid(0)


def open_up(uid: int) -> None:
    """Lets the student into the workspace's own folder again, where they have closed it to
    themselves: else it would be saved as an empty one."""
    os.seteuid(uid)
    try:
        mode = os.stat(WORKSPACE).st_mode & 0o7777
        if mode & 0o500 != 0o500:
            os.chmod(WORKSPACE, mode | 0o500)
    except OSError:
        return  # whoever reads it next says so
    finally:
        os.seteuid(0)


def _walk() -> int | None:
    result, entries = 0, 0
    pending = [WORKSPACE]
    while pending:
        directory = pending.pop()
        for name, is_directory, facts in _read_directory(directory):
            entries += 1
            if entries > MAX_ENTRIES:
                return None
            # Summed, since a directory's order may differ from one reading to the next.
            result = (result + hash((directory, name, facts))) & (1 << 62) - 1
            if is_directory:
                pending.append(directory + b"/" + name)
    return result


def _read_directory(path: bytes) -> list[tuple[bytes, bool, tuple[int, ...]]]:
    found = []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                found.append(_read_entry(entry))
                if len(found) > MAX_ENTRIES:
                    break
    except OSError:
        return found  # closed even to the student, or gone meanwhile
    return found


def _read_entry(entry: os.DirEntry[bytes]) -> tuple[bytes, bool, tuple[int, ...]]:
    try:
        stat = entry.stat(follow_symlinks=False)
    except OSError:
        return entry.name, False, ()
    facts = (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return entry.name, entry.is_dir(follow_symlinks=False), facts
