"""Makes students who are logged in already, on the site whose settings are in the environment.

`python -m tests.bench.make_students 16` prints a JSON list of their session keys and lab uids.
"""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402

from course.models import User  # noqa: E402
from course.sessions import SessionStore  # noqa: E402
from labs.lifecycle import lab_of  # noqa: E402


def make_student(number: int) -> dict[str, object]:
    user = User.objects.create(username=f"bench{number}")
    lab = lab_of(user)
    return {"session": make_session(user), "lab": str(lab.pk), "uid": lab.uid}


def make_session(user: User) -> str:
    """The key of a new session in which the user is logged in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "course.backends.AccountBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


if __name__ == "__main__":
    students = [make_student(number) for number in range(int(sys.argv[1]))]
    sys.stdout.write(json.dumps(students))
