"""What a lab must be able to do before a lesson: a command that tries it, and its report. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from labs.engine.base import MIB
from labs.engine.container import WORKSPACE

LIMIT_S = 20.0
LEAST_DISK_BYTES = 8 * MIB
SCRIPT = f"""
cd {WORKSPACE} || exit 1
echo "node $(node -v 2>/dev/null)"
echo "python $(python3 --version 2>/dev/null)"
trial=.muster-$$
if echo kept > $trial && test "$(cat $trial)" = kept; then echo "file kept"; fi
rm -f $trial
echo "disk $(df -P --block-size=1 . | tail -n 1 | tr -s ' ' | cut -d ' ' -f 4)"
"""
ARGV = ("sh", "-c", SCRIPT)
"""As the student; leaves the workspace as it was."""


@dataclass(frozen=True)
class Found:
    """What the command reported; what it could not tell is empty."""

    node_version: str = ""
    python_version: str = ""
    is_file_kept: bool = False
    disk_left_bytes: int | None = None
    is_complete: bool = False
    """It came to its end."""


def read_report(written: bytes, *, exit_code: int | None) -> Found:
    """The report may hold anything: what it says is a student's to forge, for oneself alone."""
    facts: dict[str, str] = {}
    for line in written.decode(errors="replace").splitlines():
        name, _space, value = line.partition(" ")
        facts.setdefault(name, value.strip()[:40])
    disk = facts.get("disk", "")
    return Found(
        node_version=facts.get("node", ""),
        python_version=facts.get("python", "").removeprefix("Python "),
        is_file_kept=facts.get("file") == "kept",
        disk_left_bytes=int(disk) if disk.isascii() and disk.isdigit() and len(disk) < 16 else None,
        is_complete=exit_code == 0,
    )


def name_problem(found: Found) -> str:
    """What is wrong and what helps, in words; empty where all is well."""
    if not found.is_complete and not found.node_version:
        return _("No command can be run in it. Repair it: it gets fresh processes, same files.")
    if found.disk_left_bytes is not None and found.disk_left_bytes < LEAST_DISK_BYTES:
        return _("Its disk is nearly full: files have to be removed, or reset, by the student.")
    if not found.is_file_kept:
        return _("No file can be written in its project. Repair it, or let the student reset it.")
    if not found.node_version:
        return _("Node does not run in it. Repair it; if that does not help, tell an admin.")
    if not found.python_version:
        return _("Python does not run in it. Repair it; if that does not help, tell an admin.")
    return ""
