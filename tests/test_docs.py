"""What the documents promise to list, they list."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
READ = re.compile(r"""\benv(?:\.\w+)?\(\s*"([A-Z_]+)\"""")
NAMED = re.compile(r"`([A-Z_]+)`")


def test_every_setting_is_told_of_and_none_that_there_is_not():
    modules = (ROOT / "config").glob("*settings.py")
    read = {name for module in modules for name in READ.findall(module.read_text())}
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs" / "settings.md").read_text(), re.M)
    assert {name for row in rows for name in NAMED.findall(row)} == read
