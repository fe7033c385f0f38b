"""The signing key of an installation that was given none: made once, kept beside the database."""

import os
import secrets
from pathlib import Path


def read_or_make_secret(path: Path) -> str:
    """The secret in `path`, made there first (readable by its owner only) where there is none."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    secret = secrets.token_urlsafe(50)
    with os.fdopen(handle, "w") as file:
        file.write(secret)
    return secret
