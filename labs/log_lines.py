"""Log lines for machines: one JSON object each, with the run and the lab that it is about."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

_about: ContextVar[dict[str, str] | None] = ContextVar("about", default=None)
OF_TASKS = {
    "labs.tasks.execute_run": "run",
    "labs.tasks.stop_run": "run",
    "labs.tasks.stop_lab": "lab",
    "labs.tasks.fulfil_wish": "wish",
    "labs.tasks.carry_out_muster": "muster",
    "labs.tasks.build_image": "build",
    "labs.tasks.sweep_host": "host",
}
"""What the only argument of each task is the id of."""


def begin_task(*, task: Any = None, args: Any = (), **rest: Any) -> None:
    """From now on this thread's lines are about this task: a receiver of `task_prerun`."""
    name = getattr(task, "name", "")
    facts = {"task": name}
    if name in OF_TASKS and args:
        facts[OF_TASKS[name]] = str(args[0])
    _about.set(facts)


def note(**facts: object) -> None:
    """Adds to what this thread's lines are about, until its next task begins."""
    _about.set({**(_about.get() or {}), **{name: str(value) for name, value in facts.items()}})


class JsonLine(logging.Formatter):
    """at, level, logger, message, then what it is about, then the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **(_about.get() or {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
