"""The Celery application; its settings are the `CELERY_` ones of Django's settings."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

TRANSPORT_ALIASES["memory"] = "labs.memory_broker:Transport"

app = Celery("agent_lab")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# By name: it reads rows, whose models are there only when Django is set up.
app.steps["consumer"].add("labs.shared_queue:ListenWithRoom")
