"""The signing key of an installation that was given none: made once, kept beside the database."""

import os
import secrets
import tempfile
from pathlib import Path


def read_or_make_secret(path: Path) -> str:
    """The secret in `path`, made there first (readable by its owner only) where there is none."""
    if not path.exists():
        _make_secret(path)
    return path.read_text()


def _make_secret(path: Path) -> None:
    """Writes beside and links into place: of two processes one wins, and none reads half."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:
        file.write(secrets.token_urlsafe(50))
        file.flush()
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
