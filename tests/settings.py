"""The site's settings for tests: their own directory, label and fast passwords."""

import atexit
import os
import random
import shutil
import tempfile
from pathlib import Path

if "VAR_DIR" not in os.environ:
    os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="agent-lab-test-")
    atexit.register(shutil.rmtree, os.environ["VAR_DIR"], ignore_errors=True)
os.environ.setdefault("LAB_INSTALLATION", f"test-{os.getpid()}")
os.environ.setdefault("LAB_FIRST_UID", str(random.randrange(2_000_000, 4_000_000)))
os.environ.setdefault(
    "STATICFILES_BACKEND", "django.contrib.staticfiles.storage.StaticFilesStorage"
)
os.environ.setdefault(
    "LESSON_DIRS", f"{Path(__file__).parent}/lessons,{Path(__file__).parent.parent}/course/content"
)

from celery.schedules import schedule

from config.settings import *  # noqa: F403 - the environment must be set first
from config.settings import CELERY_BEAT_SCHEDULE as WHOLE_SCHEDULE

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "django.contrib.auth.hashers.Argon2PasswordHasher",  # of log-in cards
]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
WHITENOISE_AUTOREFRESH = True
# What the beat does to a whole installation would happen amid tests that count on it not happening.
# The sites that fault tests break have the whole schedule.
CELERY_BEAT_SCHEDULE = {"sweep": WHOLE_SCHEDULE["sweep"] | {"schedule": schedule(3.5)}}
