"""Labs under gVisor (`LAB_RUNTIME=runsc`), whose kernel stands between them and the host."""

from __future__ import annotations

import os
import subprocess
from types import SimpleNamespace

import pytest

from labs.receipts import output_of
from tests.faults.counted import LINE, await_outcome, once
from tests.labs.engine.test_terminals import closed, in_lab, opened
from tests.site_fixtures import REPOSITORY, await_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may run an engine"),
]

RUNSC = '#!/bin/sh\nexec /usr/bin/runsc --network=none "$@"\n'
"""As an admin names it in the engine's settings, with its runtimeArgs: labs have no network."""


@pytest.fixture
def gvisor_site(make_site, private_engine, tmp_path):
    """A site whose labs run under gVisor."""
    packages = [REPOSITORY / "bin" / "ensure-packages", "runsc"]
    subprocess.run(packages, check=True, timeout=300)
    private_engine.stop()
    runtime = tmp_path / "runsc"
    runtime.write_text(RUNSC)
    runtime.chmod(0o755)
    private_engine.start(f"--add-runtime=runsc={runtime}")
    site = make_site(engine_url=private_engine.url)
    site.start_ready_worker(LAB_RUNTIME="runsc")
    return site


def test_a_student_works_in_a_terminal_under_gvisor(gvisor_site):
    run = await_run(gvisor_site.press_live(LINE))

    async def work(line):
        shell = await opened(line)
        await shell.run(b"tty; id -un; echo in te''rminal", b"in terminal")
        await shell.run(b"echo kept > note; cat note; echo code $?", b"code 0")
        return await closed(shell)

    status = gvisor_site.engine.find_lab(str(run.lab_id))
    lab = SimpleNamespace(engine=gvisor_site.engine, status=status)
    assert in_lab(lab, work) == "closed"


def test_a_student_runs_commands_and_keeps_files_under_gvisor(gvisor_site, private_engine):
    run = gvisor_site.press_live(LINE)
    assert await_outcome(run, engine=private_engine.url) == once()
    kernel = await_run(gvisor_site.press_live("docker exec agent dmesg", owner=run.owner))
    assert b"Starting gVisor" in output_of(kernel)
