"""What each side of the site loads."""

from __future__ import annotations

import subprocess
import sys

WEB = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import config.asgi
from django.urls import get_resolver
get_resolver().url_patterns
from django.test import Client
assert Client().get("/healthz").status_code == 200
print(sorted({name.partition(".")[0] for name in sys.modules} & {"docker", "labs"}))
"""


def test_the_web_side_never_loads_docker():
    done = subprocess.run(
        [sys.executable, "-c", WEB], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "['labs']"
