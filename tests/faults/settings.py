"""The settings of processes that are to die: the only ones under which a failpoint can be armed."""

import os

from tests.settings import *  # noqa: F403 - the same site in all other respects

LAB_FAILPOINTS = os.environ.get("LAB_FAILPOINTS", "").split()
if "LAB_WITHOUT_BEAT" in os.environ:
    CELERY_BEAT_SCHEDULE = {}
ROOT_URLCONF = "tests.faults.urls"
