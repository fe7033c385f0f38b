"""Saves and stops every lab of this host, for a site that is taken down by hand."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from labs import keeper, lifecycle
from labs.engine.base import EngineError
from labs.models import Lab

logger = logging.getLogger(__name__)
AT_ONCE = 8


def stop_labs_of_this_host() -> None:
    """Files are saved first. A lab that can't be reached is left to the next start."""
    labs = list(lifecycle.this_host().labs.exclude(state=Lab.State.ABSENT))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_stop, labs))


def _stop(lab: Lab) -> None:
    try:
        lifecycle.begin_stop(lab)
        keeper.stop_lab(lab.pk)
    except EngineError as error:
        logger.warning("lab %s was left as it is: %s", lab.pk, error)
    finally:
        connection.close()
