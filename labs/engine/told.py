"""What a supervisor tells of a run, read with care: who broke into a lab would tell anything."""

from __future__ import annotations

from labs.engine.base import Exit, Output
from labs.engine.frames import BadFrame, Frame

STREAMS = ("stdout", "stderr")
SMALL = 2**15
COUNT = 2**31
LARGE = 2**53
LONGEST_REASON = 40
LONGEST_DETAIL = 2000


def read_piece(frame: Frame) -> Output | Exit:
    """Raises BadFrame for what no supervisor of ours says."""
    if frame.word == "exit":
        return _read_exit(frame)
    if frame.word == "output":
        return _read_output(frame)
    raise BadFrame("The lab's supervisor answered something else than it was asked.")


def _read_output(frame: Frame) -> Output:
    stream = frame.text("stream")
    if stream not in STREAMS:
        raise BadFrame("The lab's supervisor sent output of a stream that is none.")
    return Output(
        offset=_number(frame, "offset", LARGE) or 0,
        stream=stream,
        at_s=(_number(frame, "at_ms", LARGE) or 0) / 1000,
        data=frame.body,
    )


def _read_exit(frame: Frame) -> Exit:
    return Exit(
        reason=_text(frame, "reason")[:LONGEST_REASON],
        exit_code=_number(frame, "exit_code", SMALL),
        signal=_number(frame, "signal", SMALL),
        duration_s=(_number(frame, "duration_us", LARGE) or 0) / 1_000_000,
        bytes_total=_number(frame, "bytes_total", LARGE) or 0,
        lines_total=_number(frame, "lines_total", LARGE) or 0,
        truncated_bytes=_number(frame, "truncated_bytes", LARGE) or 0,
        leftovers=_number(frame, "leftovers", COUNT) or 0,
        oom_kills=_number(frame, "oom_kills", COUNT),
        memory_peak_bytes=_number(frame, "memory_peak_bytes", LARGE),
        workspace_changed=frame.text("workspace_changed") == "1",
        detail=_text(frame, "detail")[:LONGEST_DETAIL],
        typed_at_ms=_number(frame, "typed_at_ms", LARGE),
    )


def _number(frame: Frame, name: str, beyond: int) -> int | None:
    """From nothing up to what a row can hold; None where it is not told."""
    number = frame.number(name)
    if number is not None and not 0 <= number < beyond:
        raise BadFrame(f"The lab's supervisor told a number that can't be: {name} of a run.")
    return number


def _text(frame: Frame, name: str) -> str:
    """As a row can hold it: bytes that are no text become signs for it."""
    return frame.text(name).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
