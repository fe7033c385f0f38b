"""Secrets: those that come in files, and the signing key of an installation that was given none."""

import os
import secrets
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit


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


def with_password(url: str, password: str) -> str:
    """The address of a service with its password in it; unchanged where either is missing."""
    if not url or not password:
        return url
    parts = urlsplit(url)
    user, _at, place = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return parts._replace(netloc=f"{name}:{quote(password, safe='')}@{place}").geturl()
