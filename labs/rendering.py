"""A run as a page shows it: its state in words and its output as safe HTML. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe

from labs.models import OutputChunk, Run
from labs.output import Screen

REASONS = {
    "output_limit": "it wrote more than a run may write",
    "lab_gone": "its lab ended in the middle",
    "overdue": "nobody heard of it for too long",
    "never_started": "it never began",
}


@dataclass(frozen=True)
class RunView:
    """A run with what its page needs. The output is rendered when first asked for."""

    run: Run

    @cached_property
    def screen(self) -> Screen:
        """Feeds from `run.chunks`: prefetch them where many runs are shown."""
        screen = Screen()
        end = 0
        for chunk in self.run.chunks.all():
            feed_chunk(screen, chunk, end)
            end = chunk.end
        if self.run.is_over:
            finish_screen(screen, self.run, end)
        return screen

    @cached_property
    def output_html(self) -> SafeString:
        return mark_safe(self.screen.html())  # noqa: S308 - labs.output escapes

    @property
    def headline(self) -> str:
        return headline_of(self.run)

    @property
    def is_as_expected_end(self) -> bool:
        return self.run.state == Run.State.FINISHED and self.run.exit_code == 0


def view_of_run(run: Run) -> RunView:
    return RunView(run)


def feed_chunk(screen: Screen, chunk: OutputChunk, end: int) -> None:
    """Feeds one stored chunk, first saying how much is missing since `end`."""
    if chunk.offset > end:
        screen.gap(chunk.offset - end)
    screen.feed(bytes(chunk.data), chunk.stream)


def finish_screen(screen: Screen, run: Run, end: int) -> None:
    """After the last chunk of a run that is over: what is missing behind it, and nothing more."""
    screen.gap(run.bytes_total - end)
    screen.finish()


def headline_of(run: Run) -> str:
    """The run's state in a few words, as a page and a screen reader say it."""
    if not run.is_over:
        return _waiting_words(run)
    if run.state == Run.State.FINISHED:
        return _finished_words(run)
    words = {
        Run.State.TIMED_OUT: f"Stopped at its time limit of {run.time_limit_s} s",
        Run.State.STOPPED: "Stopped",
        Run.State.LOST: "Lost",
    }[Run.State(run.state)]
    reason = REASONS.get(run.reason)
    return f"{words}: {reason}" if reason else words


def _waiting_words(run: Run) -> str:
    if run.stop_asked_at:
        return "Stopping …"
    return {
        Run.State.QUEUED: "Waiting for your lab …",
        Run.State.STARTING: "Starting …",
        Run.State.RUNNING: "Running …",
    }[Run.State(run.state)]


def _finished_words(run: Run) -> str:
    if run.signal is not None:
        return f"Ended by signal {run.signal}, exit code {run.exit_code}"
    return f"Finished, exit code {run.exit_code}"
