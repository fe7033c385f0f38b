"""What a hand-in holds, as one canonical JSON text with one hash. Pure: no rows, no clock."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FORMAT = "agent-lab hand-in 1"


class Damaged(Exception):
    """What was stored doesn't have the hash that it was given."""


@dataclass(frozen=True)
class Receipt:
    """The newest run of one block as it was handed in."""

    block: str
    run: str
    command: str
    state: str
    is_over: bool
    exit_code: int | None
    duration_s: float | None
    queued_at: str
    image: str
    output: bytes
    bytes_total: int
    runs: int
    """How often this block had been run until then."""
    ticks: tuple[tuple[str, bool | None], ...]
    """What the block expects and whether it held; None where nobody could tell."""

    @property
    def output_text(self) -> str:
        return self.output.decode(errors="replace")


@dataclass(frozen=True)
class Content:
    """A hand-in as it can be marked, today or in a year."""

    answers: Mapping[str, str]
    """Gap id → text."""
    receipts: Mapping[str, Receipt]
    """Block id → receipt."""


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The one way to write it: sorted keys, no spaces, UTF-8."""
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pack(manifest: Mapping[str, Any]) -> bytes:
    return gzip.compress(canonical(manifest), mtime=0)


def unpack(gzipped: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(gzipped)))


def check(gzipped: bytes, sha256: str) -> dict[str, Any]:
    """The manifest, hashed anew together with the outputs in it. Raises Damaged."""
    data = gzip.decompress(gzipped)
    manifest = dict(json.loads(data))
    outputs = manifest["receipts"].values()
    if hash_of(data) != sha256 or any(
        hash_of(_read_output(receipt)) != receipt["output_sha256"] for receipt in outputs
    ):
        raise Damaged
    return manifest


def write_receipt(receipt: Receipt) -> dict[str, Any]:
    fields = {name: value for name, value in vars(receipt).items() if name != "block"}
    return fields | {
        "ticks": [list(tick) for tick in receipt.ticks],
        "output": _write_output(receipt.output),
        "output_sha256": hash_of(receipt.output),
    }


def read_content(manifest: Mapping[str, Any]) -> Content:
    return Content(
        answers={gap: answer["text"] for gap, answer in manifest["answers"].items()},
        receipts={block: _read(block, row) for block, row in manifest["receipts"].items()},
    )


def _read(block: str, row: Mapping[str, Any]) -> Receipt:
    fields = {name: value for name, value in row.items() if name != "output_sha256"}
    ticks = tuple((sentence, holds) for sentence, holds in row["ticks"])
    return Receipt(block=block, **fields | {"output": _read_output(row), "ticks": ticks})


def _write_output(output: bytes) -> dict[str, str]:
    try:
        return {"text": output.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(output).decode()}


def _read_output(row: Mapping[str, Any]) -> bytes:
    output = row["output"]
    return output["text"].encode() if "text" in output else base64.b64decode(output["base64"])
