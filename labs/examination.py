"""Looks into a lab and writes down what is there, for `labs.doctor` to judge. For workers."""

from __future__ import annotations

import json
import logging
from datetime import datetime
from typing import Any

from django.conf import settings

from labs import keeper, lab_files, lifecycle
from labs.engine.base import EngineDown, EngineError, ImageMissing, SupervisorLink
from labs.engine.container import WORKSPACE
from labs.engines import get_engine
from labs.models import Lab
from labs.room import NotYet, StartsTaken
from labs.troubles import reason_for

logger = logging.getLogger(__name__)

LOOK_S = 10
MAX_REPORT_BYTES = 64 * 1024
PROBE = f"""
import json, os, resource, time
from urllib.parse import quote_from_bytes

ROOT = b"{WORKSPACE}"

def disk(path):
    stat = os.statvfs(path)
    return dict(total_bytes=stat.f_blocks * stat.f_frsize, free_bytes=stat.f_bavail * stat.f_frsize,
                places=stat.f_files, free_places=stat.f_ffree)

def can_change(path, mode):
    want = os.R_OK | os.W_OK | (os.X_OK if mode & 0o040000 else 0)
    return os.access(path, want)

def files():
    largest, writable, owned, seen = [], can_change(ROOT, 0o040000), True, 0
    me = os.getuid()
    owned = os.stat(ROOT).st_uid == me
    for folder, folders, names in os.walk(ROOT):
        for name in folders + names:
            path = folder + b"/" + name
            try:
                stat = os.lstat(path)
            except OSError:
                continue
            seen += 1
            is_link = (stat.st_mode & 0o170000) == 0o120000
            owned = owned and stat.st_uid == me
            writable = writable and (is_link or can_change(path, stat.st_mode))
            largest.append((stat.st_size, path[len(ROOT) + 1:]))
        largest = sorted(largest, reverse=True)[:5]
        if seen > 20000:
            break
    named = [dict(name=quote_from_bytes(path, safe="/"), size_bytes=size)
             for size, path in largest if size >= 4096]
    return dict(largest=named, is_writable=writable, is_owned=owned)

def programs():
    ticks, found = os.sysconf("SC_CLK_TCK"), []
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat("/proc/" + pid).st_uid != os.getuid() or int(pid) == os.getpid():
                continue
            with open("/proc/" + pid + "/stat", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
            rest = rest.split()
            cpu_s = (int(rest[11]) + int(rest[12])) / ticks
            found.append(dict(command=name, cpu_s=cpu_s, age_s=now - int(rest[19]) / ticks))
        except (OSError, ValueError, IndexError):
            continue
    count = len(found)
    found.sort(key=lambda program: -program["cpu_s"])
    return dict(programs=found[:5], process_count=count,
                process_limit=resource.getrlimit(resource.RLIMIT_NPROC)[0])

print(json.dumps(dict(workspace=disk(ROOT), tmp=disk("/tmp"), **files(), **programs())))
"""
"""Runs in the lab as the student: it can see no more and do no more than its commands can."""


def examine(lab: Lab, *, asked_at: datetime | None = None) -> dict[str, Any]:
    """The facts, as `doctor.read_facts` reads them. Starts the lab, if it can.

    Raises nothing but StartsTaken: where only others who asked before have to start first.
    """
    try:
        get_engine().ping()
    except EngineError as error:
        return {"engine_error": str(error)}
    return {"is_image_missing": _is_image_missing(), **_look_inside(lab, asked_at)}


def _is_image_missing() -> bool:
    try:
        get_engine().resolve_image(settings.LAB_IMAGE)
    except ImageMissing:
        return True
    except EngineError as error:
        logger.warning("the lab's image can't be looked up: %s", error)
    return False


def _look_inside(lab: Lab, asked_at: datetime | None) -> dict[str, Any]:
    lifecycle.try_again_now(lab)
    try:
        status = keeper.ensure_lab(lab, keep=lambda: None, asked_at=asked_at)
        return _probe(get_engine().link(status.container_id))
    except EngineDown as error:
        return {"engine_error": str(error)}
    except StartsTaken:
        raise
    except NotYet as error:
        return {"waits_for": str(error)}
    except EngineError as error:
        logger.warning("an examination of lab %s: %s", lab.pk, error)
        return {"start_error": reason_for(error)}


def _probe(link: SupervisorLink) -> dict[str, Any]:
    argv = ["/usr/bin/python3", "-I", "-S", "-c", PROBE]
    exit, report = lab_files.run_in_lab(link, argv, limit_s=LOOK_S)
    if exit.exit_code == 0 and len(report) <= MAX_REPORT_BYTES:
        return dict(json.loads(report))
    logger.info("an examination ended with %s %s", exit.exit_code, exit.detail)
    return {"is_memory_full": True} if exit.oom_kills else {"is_table_full": True}
