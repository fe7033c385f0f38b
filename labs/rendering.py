"""A run as a page shows it: its state in words and its output as safe HTML. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from labs.models import OutputChunk, Run
from labs.output import WHOLE, Screen
from labs.output_words import words_now

WONDER_S = 0.5
REASONS = {
    "output_limit": gettext_lazy("it wrote more than a run may write"),
    "lab_gone": gettext_lazy("its lab ended in the middle"),
    "overdue": gettext_lazy("nobody heard of it for too long"),
    "never_started": gettext_lazy("it never began"),
    "terminal_gone": gettext_lazy("its terminal was closed"),
}


@dataclass(frozen=True)
class RunView:
    """A run with what its page needs. The output is rendered when first asked for."""

    run: Run

    @cached_property
    def screen(self) -> Screen:
        """Feeds from `run.chunks`: prefetch them where many runs are shown."""
        return _play(self.run, Screen(words=words_now()))

    @cached_property
    def output_html(self) -> SafeString:
        return mark_safe(self.screen.html())  # noqa: S308 - labs.output escapes

    @property
    def elapsed_s(self) -> float | None:
        return elapsed_s_of(self.run)

    @property
    def headline(self) -> str:
        return headline_of(self.run)


def view_of_run(run: Run) -> RunView:
    return RunView(run)


def plain_output(run: Run) -> str:
    """Everything that is stored of the run's output, as text without colours or tricks."""
    return _play(run, Screen(WHOLE, words_now())).plain_text()


def _play(run: Run, screen: Screen) -> Screen:
    end = 0
    for chunk in run.chunks.all() if run.output_offset else ():
        feed_chunk(screen, chunk, end)
        end = chunk.end
    if run.is_over:
        finish_screen(screen, run, end)
    return screen


def feed_chunk(screen: Screen, chunk: OutputChunk, end: int) -> None:
    """Feeds one stored chunk, first saying how much is missing since `end`."""
    if chunk.offset > end:
        screen.gap(chunk.offset - end)
    screen.feed(bytes(chunk.data), chunk.stream)


def finish_screen(screen: Screen, run: Run, end: int) -> None:
    """After the last chunk of a run that is over: what is missing behind it, and nothing more."""
    screen.gap(run.bytes_total - end)
    screen.finish()


def elapsed_s_of(run: Run) -> float | None:
    """Seconds since the run began; None before."""
    return (timezone.now() - run.started_at).total_seconds() if run.started_at else None


def headline_of(run: Run) -> str:
    """The run's state in a few words, as a page and a screen reader say it."""
    if not run.is_over:
        return _waiting_words(run)
    if run.state == Run.State.FINISHED:
        return _finished_words(run)
    if run.reason == "not_typed":
        return _("Not run")
    words = {
        Run.State.TIMED_OUT: _("Stopped at its time limit of %(seconds)s s")
        % {"seconds": run.time_limit_s},
        Run.State.STOPPED: _("Stopped"),
        Run.State.LOST: _("Lost"),
    }[Run.State(run.state)]
    reason = str(REASONS.get(run.reason, ""))
    if run.reason == "stopped" and not run.stop_asked_at:
        reason = _("the lab was stopped from outside. Output and files are kept; press Run again")
    return f"{words}: {reason}" if reason else words


def _waiting_words(run: Run) -> str:
    if run.stop_asked_at:
        return _("Stopping …")
    if run.state == Run.State.QUEUED:
        return _queue_words(0 if is_just_asked(run) else Run.objects.ahead_of(run).count())
    return _("Starting …") if run.state == Run.State.STARTING else _("Running …")


def is_just_asked(run: Run) -> bool:
    """It waits, but not yet so long that its owner wonders why: mostly it begins before."""
    is_waiting = run.state == Run.State.QUEUED and not (run.waiting_for or run.stop_asked_at)
    return is_waiting and run.waited() < timedelta(seconds=WONDER_S)


def _queue_words(ahead: int) -> str:
    if not ahead:
        return _("Waiting for your lab …")
    words = ngettext(
        "Waiting: %(number)s run is before yours …",
        "Waiting: %(number)s runs are before yours …",
        ahead,
    )
    return words % {"number": ahead}


def _finished_words(run: Run) -> str:
    if run.signal is not None:
        ends = {"signal": run.signal, "code": run.exit_code}
        return _("Ended by signal %(signal)s, exit code %(code)s") % ends
    return _("Finished, exit code %(code)s") % {"code": run.exit_code}
