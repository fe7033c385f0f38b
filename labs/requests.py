"""What a person may ask of labs: each function writes the wish as a row and rings for a worker.

The web side ends here: nothing below this module is ever called from a page.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from labs import audit, lifecycle, queue, runs, terminals
from labs.command import NotRunnable, parse_command
from labs.models import Lab, Run
from labs.prepared import count_rows
from labs.refusal import Refused
from labs.stored_words import why_not_run

MAX_TIME_LIMIT_S = 600


def request_run(
    *,
    owner: Any,
    key: uuid.UUID,
    line: str,
    origin: str,
    origin_version: str = "",
    time_limit_s: int = 60,
    terminal: uuid.UUID | None = None,
) -> Run:
    """The run of this press: a new queued one, or the one that the same key made before.

    With `terminal`, one of the owner's own, its line is typed there. Raises Refused where the line
    can't run here, another run is not over, the key was used for another command, that terminal
    has ended, or too many runs were asked for in the last minute.
    """
    try:
        command = parse_command(line)
    except NotRunnable as error:
        raise Refused(why_not_run(error)) from error
    _refuse_a_flood(owner, key)
    if terminal and not Run.objects.filter(owner=owner, key=key).exists():
        terminals.refuse_ended(owner, terminal)
    lab = lifecycle.lab_of(owner)
    run = runs.create_run(
        owner=owner,
        key=key,
        lab=lab,
        command=command,
        line=line,
        origin=origin,
        origin_version=origin_version,
        time_limit_s=max(1, min(time_limit_s, lab.time_limit_s or MAX_TIME_LIMIT_S)),
        typed_into=terminal,
    )
    _refuse_another_command(run, line)
    queue.enqueue_run(run)
    return run


def request_stop_run(run: Run) -> None:
    """The run ends within two seconds where its lab can be reached. Already over is success.

    One that no lab was asked for yet ends here and now, however busy the workers are.
    """
    with transaction.atomic():
        runs.ask_stop(run)
        if not runs.stop_unstarted(run):
            queue.enqueue_stop_run(run)


def request_stop_lab(lab: Lab, *, actor: Any) -> None:
    """The lab saves its files and stops. Already stopping or absent is success."""
    with transaction.atomic():
        if lifecycle.begin_stop(lab):
            audit.record(
                actor=actor,
                action="stop lab",
                subject=f"lab {lab.pk}",
                subject_name=lab.owner.get_username(),
                before={"state": lab.state},
                after={"state": str(Lab.State.STOPPING)},
            )
            queue.enqueue_stop_lab(lab)


def _refuse_another_command(run: Run, line: str) -> None:
    """The key may have made a run before: then it must have been a run of the same line."""
    if run.command != line:
        raise Refused(
            _("This page is out of date, so nothing was started. Reload it, then press Run again.")
        )


def _refuse_a_flood(owner: Any, key: uuid.UUID) -> None:
    """A press that is only repeated, with its key, is no new one."""
    minute_ago = timezone.now() - timedelta(minutes=1)
    asked = count_rows(Run, "owner_id = %s AND queued_at >= %s", [owner.pk, minute_ago])
    if asked < settings.LAB_RUNS_PER_MINUTE:
        return
    if not Run.objects.filter(owner=owner, key=key).exists():
        raise Refused(
            _(
                "You have pressed Run %(times)s times within a minute. "
                "Nothing was started. Wait a minute, then press Run again."
            )
            % {"times": settings.LAB_RUNS_PER_MINUTE}
        )
