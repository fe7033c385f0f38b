"""A run that can be counted: it leaves one line per execution, and output that is known."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
from dataclasses import dataclass

from labs.models import Lab, Run
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.site_fixtures import await_run

RECOVERY_S = 120
PROMISED_S = 30
"""From a kill of a worker, web process or link to the whole output, once somebody is back."""
ENGINE = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
FILE = "executions"
EXIT_CODE = 7


def counted_line(lines: int, every_s: float = 0.02) -> str:
    """A command that counts its execution in a file, prints numbered lines and exits with 7."""
    script = (
        f"echo once >> {FILE}; "
        f"for i in $(seq {lines}); do echo line $i; sleep {every_s}; done; exit {EXIT_CODE}"
    )
    return f"docker exec agent sh -c '{script}'"


def output_of_lines(lines: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in range(1, lines + 1))


ABOUT_A_SECOND = 40
LINE = counted_line(ABOUT_A_SECOND)
OUTPUT = output_of_lines(ABOUT_A_SECOND)
LONGER_THAN_ANY_HARM = 2000
LONG = counted_line(LONGER_THAN_ANY_HARM)
"""To be ended in its middle, however long that takes on a machine under load."""
LONG_OUTPUT = output_of_lines(LONGER_THAN_ANY_HARM)


@dataclass(frozen=True)
class Outcome:
    """What became of one run, as its owner finds it."""

    state: str
    exit_code: int | None
    output: bytes
    executions_in_lab: int
    executions_in_checkpoint: int


def once(output: bytes = OUTPUT) -> Outcome:
    """The only outcome that is right, whatever was killed."""
    return Outcome(Run.State.FINISHED, EXIT_CODE, output, 1, 1)


def await_outcome(run: Run, within_s: float = RECOVERY_S, engine: str = ENGINE) -> Outcome:
    """The run's outcome, once it is over and its files are saved."""
    await_run(run, within_s)
    wait_until(lambda: Lab.objects.filter(pk=run.lab_id, unsaved_since_at=None).exists(), within_s)
    run.lab.refresh_from_db()
    return Outcome(
        state=run.state,
        exit_code=run.exit_code,
        output=contiguous_output_of(run),
        executions_in_lab=count_in_lab(run.lab, engine),
        executions_in_checkpoint=read_checkpoint(run.lab, FILE).count(b"once\n"),
    )


def contiguous_output_of(run: Run) -> bytes:
    """All of the output. Fails where a piece is missing, or there twice."""
    ends = [0, *(chunk.end for chunk in run.chunks.all())]
    assert [chunk.offset for chunk in run.chunks.all()] == ends[:-1]
    assert ends[-1] == run.bytes_total
    return output_of(run)


def count_in_lab(lab: Lab, engine: str) -> int:
    """How often the counted command was executed, as the lab's own file says."""
    command = ["docker", "--host", engine, "exec", "--user", "0:0", lab.container_id]
    done = subprocess.run(
        [*command, "cat", f"/home/node/project/{FILE}"],
        capture_output=True,
        timeout=120,
        check=True,
    )
    return done.stdout.count(b"once\n")


def read_checkpoint(lab: Lab, name: str) -> bytes:
    """A file as the lab's newest checkpoint has it; empty where there is none."""
    newest = lab.checkpoints.select_related("blob").first()
    assert newest is not None
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(newest.blob.gzipped))) as archive:
        names = {member.name.removeprefix("./"): member for member in archive.getmembers()}
        file = archive.extractfile(names[name])
        assert file is not None
        return file.read()
