"""Settings of Celery, which is a doorbell: rows are the truth, and the sweeper rings again for what
was not heard."""

import environ
from celery.schedules import schedule

from config.secret import with_password

env = environ.FileAwareEnv()

# One Redis for both, with its password in a file. Celery itself reads CELERY_BROKER_URL from the
# environment, past these settings, so that no password could be put into that one.
REDIS_URL = with_password(
    env.str("REDIS_URL", default=""), env.str("REDIS_PASSWORD", default="").strip()
)
CELERY_BROKER_URL = env.str(
    "CELERY_BROKER_URL", default=f"{REDIS_URL}/0" if REDIS_URL else "memory://localhost/"
)
CHANNEL_REDIS_URL = env.str("CHANNEL_REDIS_URL", default=f"{REDIS_URL}/1" if REDIS_URL else "")
WORKER_IS_EMBEDDED = CELERY_BROKER_URL.startswith("memory:")
# Nothing is kept until acknowledged: a worker that loses its broker would die of putting it back.
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {}
    if WORKER_IS_EMBEDDED
    else {"socket_timeout": 3, "socket_connect_timeout": 2, "ack_emulation": False}
)
CELERY_WORKER_PREFETCH_MULTIPLIER = 0 if WORKER_IS_EMBEDDED else 1
# A run holds a thread, mostly asleep, as long as it runs: there must be more than live labs.
CELERY_WORKER_CONCURRENCY = env.int("CELERY_WORKER_CONCURRENCY", default=128)
# Stops and sweeps have threads of their own, in the embedded process or in a second worker.
LAB_CONTROL_CONCURRENCY = env.int("LAB_CONTROL_CONCURRENCY", default=8)
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "labs"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BEAT_SCHEDULE = {
    "tidy": {"task": "labs.tasks.tidy_checkpoints", "schedule": schedule(1800.0)},
    "recordings": {"task": "labs.tasks.tidy_recordings", "schedule": schedule(3600.0)},
    "hand-ins": {
        "task": "course.tasks.seal_hand_ins",
        "schedule": schedule(10.0),
        "options": {"expires": 10, "queue": "labs.control"},
    },
    "lessons": {
        "task": "course.tasks.keep_lessons",
        "schedule": schedule(60.0),
        "options": {"expires": 60},
    },
    "retention": {"task": "course.tasks.delete_overdue", "schedule": schedule(3600.0)},
    "sweep": {
        "task": "labs.tasks.sweep",
        "schedule": schedule(5.0),
        # Behind runs that hold every thread it would expire, and nobody see to any lab.
        "options": {"expires": 5, "queue": "labs.control"},
    },
}
