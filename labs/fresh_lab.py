"""A lab that is nobody's, for trying commands in: no rows, no queue, gone at the end.

For commands of authors, on a machine with an engine. It belongs to an installation of its own, so
that no sweeper takes it for a lab without a student.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from labs.command import parse_command
from labs.engine.base import Engine, EngineError, Exit, LabSpec, Output, RunSpec, SupervisorLink
from labs.output import WHOLE, Screen


@dataclass(frozen=True)
class Ran:
    """What one command left."""

    exit: Exit
    output: str
    """As plain text, without colours or tricks."""


class FreshLab:
    """A started lab with an empty workspace."""

    def __init__(self, link: SupervisorLink, image: str) -> None:
        self._link = link
        self.image = image
        """By digest."""

    def run(self, line: str, *, time_limit_s: int) -> Ran:
        """Runs the line to its end. Raises NotRunnable, EngineError."""
        command = parse_command(line)
        spec = RunSpec(
            run_id=str(uuid.uuid4()),
            argv=command.argv,
            workdir=command.workdir,
            env=dict(command.env),
            time_limit_s=time_limit_s,
        )
        self._link.start_run(spec)
        return self._follow(spec.run_id)

    def save(self) -> bytes:
        """The workspace as a tar."""
        return self._link.save_workspace()

    def _follow(self, run_id: str) -> Ran:
        screen, end = Screen(WHOLE), 0
        for piece in self._link.follow_run(run_id):
            if isinstance(piece, Output):
                screen.gap(piece.offset - end)
                screen.feed(piece.data, piece.stream)
                end = piece.offset + len(piece.data)
            elif isinstance(piece, Exit):
                screen.finish()
                return Ran(piece, screen.plain_text())
        raise EngineError("the supervisor ended the run's story without its end")


@contextmanager
def fresh_lab() -> Iterator[FreshLab]:
    """A lab of the site's own image, removed at the end. Raises EngineError."""
    installation = f"{settings.LAB_INSTALLATION}-rehearsal"
    engine: Engine = import_string(settings.LAB_ENGINE)(installation=installation)
    spec = LabSpec(
        lab_id=uuid.uuid4().hex,
        generation=1,
        uid=settings.LAB_FIRST_UID - 1,
        image=engine.resolve_image(settings.LAB_IMAGE),
        runtime=settings.LAB_RUNTIME,
    )
    status = engine.create_lab(spec)
    try:
        yield FreshLab(engine.link(status.container_id), spec.image)
    finally:
        engine.remove_lab(status.container_id)
