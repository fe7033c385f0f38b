"""Settings, routes and the process entry points; no feature code."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
