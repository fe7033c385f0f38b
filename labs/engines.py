"""This process's engine, by the dotted name in `LAB_ENGINE`. Only workers ask for it."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from labs.engine.base import Engine


def get_engine() -> Engine:
    return _make_engine(settings.LAB_ENGINE)


@cache
def _make_engine(dotted_name: str) -> Engine:
    engine: Engine = import_string(dotted_name)(installation=settings.LAB_INSTALLATION)
    return engine
