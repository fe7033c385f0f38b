"""What the documents promise to list, they list."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
READ = re.compile(r"""\benv(?:\.\w+)?\(\s*"([A-Z_]+)\"""")
NAMED = re.compile(r"`([A-Z_]+)`")


def test_every_setting_is_told_of_and_none_that_there_is_not():
    read = set(READ.findall((ROOT / "config" / "settings.py").read_text()))
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs" / "settings.md").read_text(), re.M)
    assert {name for row in rows for name in NAMED.findall(row)} == read
