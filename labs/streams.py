"""A run's output as it is stored, by server-sent events. Served by the ASGI side only.

Events: `lines` (a patch of the output's lines, see `labs.output`), `state` (words), `over`, and
`left` (words) where this stream ends though the run goes on.
A patch's id is the offset behind it. Whoever comes back gets a first patch from line 0, so that
nothing is missing and nothing stands twice, whatever was lost on the way.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import OperationalError, connection, connections
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, StreamingHttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from labs import doorbell
from labs.models import OutputChunk, Run
from labs.output import Screen
from labs.output_words import words_now
from labs.prepared import Select
from labs.rendering import (
    elapsed_s_of,
    feed_chunk,
    finish_screen,
    headline_of,
    is_just_asked,
)
from labs.stored_words import in_readers_words
from labs.stream_places import Place, take_place

P = ParamSpec("P")
R = TypeVar("R")

LOOK_EVERY_S = 1.0
READERS = 8
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="stream")
HEARTBEAT = ": still here\n\n"
_run = Select(lambda: Run.objects.without_command(), "labs_run.id = %s")
_chunks = Select(
    lambda: OutputChunk.objects.order_by(), 'run_id = %s AND "offset" >= %s ORDER BY "offset"'
)


@require_safe
async def run_events(
    request: HttpRequest, run_id: uuid.UUID
) -> HttpResponse | StreamingHttpResponse:
    """The stream of one run, from the beginning of its output to its end."""
    async with AsyncExitStack() as listening:
        # Before the first look, so that no ring falls between the two.
        wait = await listening.enter_async_context(doorbell.listen(str(run_id)))
        run = await _in_thread(_find_for, request, run_id)
        if run is None:
            return HttpResponseNotFound("There is no such run.", content_type="text/plain")
        place = listening.enter_context(take_place(request.user.pk))
        reader = RunReader(run, request.GET.get("lang", ""))
        events = _events(reader, wait, place, listening.pop_all())
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def close_readers() -> None:
    """Closes the readers' lines to the database; they open new ones when they need them."""
    together = threading.Barrier(READERS)

    def close() -> None:
        together.wait(timeout=10)  # so that each thread takes one of these
        connections.close_all()

    for closing in [_readers.submit(close) for _number in range(READERS)]:
        closing.result()


async def _in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Rows are read in any of several threads: one slow stream is not to hold up the others."""

    def read() -> R:
        try:
            return function(*args, **kwargs)
        except OperationalError:  # a lost line would otherwise stay in its thread for ever
            connection.close()
            return function(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(_readers, read)


def _find_for(request: HttpRequest, run_id: uuid.UUID) -> Run | None:
    run = _run.first(run_id)
    return run if run and request.user.has_perm("labs.view_run", run) else None


async def _events(
    reader: RunReader, wait: doorbell.Wait, place: Place, listening: AsyncExitStack
) -> AsyncIterator[str]:
    async with listening:
        if reader.words:  # what its page says already: there is nothing to tell before a ring
            await wait(LOOK_EVERY_S)
        while True:
            events, is_over = await _in_thread(reader.read)
            yield "".join(events) or HEARTBEAT
            if is_over:
                return
            await wait(LOOK_EVERY_S)
            if place.is_lost:
                yield reader.left_event()
                return


class RunReader:
    """What one stream has shown so far of one run."""

    def __init__(self, run: Run, language: str = "") -> None:
        self.run_id = run.pk
        is_known = language in dict(settings.LANGUAGES)
        self.language = language if is_known else settings.LANGUAGE_CODE
        self.offset = 0
        with translation.override(self.language):
            self.screen = Screen(words=words_now())
            # What every page says of a run in its first moment need not be said again.
            self.words = headline_of(run) if is_just_asked(run) else ""

    def read(self) -> tuple[list[str], bool]:
        """The events since the last read, and whether they are the last ones.

        The state is read before the output: output stored later belongs to a later read.
        """
        run = _run.first(self.run_id)
        if run is None:  # its owner's data were deleted meanwhile
            return [event("over", {"state": Run.State.LOST})], True
        events = [*self._lines_event(run), *self._state_event(run)]
        if run.is_over:
            events.append(event("over", {"state": run.state}))
        return events, run.is_over

    def left_event(self) -> str:
        """Why this stream ends before its run."""
        with translation.override(self.language):
            words = _(
                "You have many pages open, so this one no longer follows the run. The run goes on. "
                "Close some pages, then reload this one."
            )
        return event("left", {"words": words})

    def _lines_event(self, run: Run) -> list[str]:
        for chunk in self._new_chunks(run):
            feed_chunk(self.screen, chunk, self.offset)
            self.offset = chunk.end
        if run.is_over:
            finish_screen(self.screen, run, self.offset)
        patch = self.screen.patch()
        return [event("lines", patch.as_dict(), self.offset)] if patch else []

    def _new_chunks(self, run: Run) -> Iterable[OutputChunk]:
        if run.output_offset <= self.offset:
            return ()
        return _chunks.all(self.run_id, self.offset)

    def _state_event(self, run: Run) -> list[str]:
        with translation.override(self.language):
            words = in_readers_words(run.waiting_for) or headline_of(run)
        if words == self.words:
            return []
        self.words = words
        told = {"state": run.state, "words": words, "elapsed_s": elapsed_s_of(run)}
        return [event("state", told)]


def event(name: str, data: Mapping[str, object], offset: int | None = None) -> str:
    """One server-sent event as it goes over the wire."""
    head = f"id: {offset}\n" if offset is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"
