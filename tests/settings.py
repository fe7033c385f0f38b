"""The site's settings for tests: their own directory, label and fast passwords."""

import os
import tempfile

os.environ.setdefault("VAR_DIR", tempfile.mkdtemp(prefix="agent-lab-test-"))
os.environ.setdefault("LAB_INSTALLATION", f"test-{os.getpid()}")
os.environ.setdefault(
    "STATICFILES_BACKEND", "django.contrib.staticfiles.storage.StaticFilesStorage"
)

from config.settings import *  # noqa: E402, F403 - the environment must be set first

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
WHITENOISE_AUTOREFRESH = True
