"""The settings of processes that are to die: the only ones under which a failpoint can be armed."""

import os

from tests.settings import *  # noqa: F403 - the same site in all other respects
from tests.settings import LAB_ENGINE, WHOLE_SCHEDULE

LAB_FAILPOINTS = os.environ.get("LAB_FAILPOINTS", "").split()
LAB_ENGINE = os.environ.get("LAB_ENGINE", LAB_ENGINE)
CELERY_BEAT_SCHEDULE = {} if "LAB_WITHOUT_BEAT" in os.environ else WHOLE_SCHEDULE
ROOT_URLCONF = "tests.faults.urls"
