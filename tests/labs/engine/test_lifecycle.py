"""Labs come and go: what the engine promises about containers."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from labs.engine.base import EngineDown, EngineError, ImageMissing, LabGone, LabSpec, UnknownRun
from labs.engine.docker_engine import DockerEngine
from tests.engine_fixtures import ReadyLab, wait_until

pytestmark = pytest.mark.docker


@pytest.fixture
def strangers(lab_image: str) -> Iterator[Callable[..., str]]:
    """Makes containers that no engine of ours has made."""
    made: list[str] = []

    def make(name: str, *options: str) -> str:
        command = ["docker", "create", "--name", name, "--network", "none", *options, lab_image]
        made.append(subprocess.check_output(command, text=True).strip())
        return made[-1]

    yield make
    subprocess.run(["docker", "rm", "--force", *made], check=True, capture_output=True)


def installation_of(lab: ReadyLab) -> str:
    return str(lab.inspect()["Config"]["Labels"]["agent-lab.installation"])


def test_a_created_lab_runs_commands_at_once(lab: ReadyLab) -> None:
    assert lab.status.is_running
    assert lab.run("echo", "hello").output == b"hello\n"


def test_a_lab_is_found_by_its_id_and_in_the_list(engine: DockerEngine, lab: ReadyLab) -> None:
    assert engine.find_lab(lab.status.lab_id) == lab.status
    assert lab.status in engine.list_labs()


def test_nobody_is_found_under_an_unknown_id(engine: DockerEngine) -> None:
    assert engine.find_lab("no-such-lab") is None


def test_another_installation_sees_none_of_our_labs(lab: ReadyLab) -> None:
    other = DockerEngine("test-other")

    assert other.list_labs() == []
    assert other.find_lab(lab.status.lab_id) is None


def test_a_lab_tells_the_digest_of_its_image(
    engine: DockerEngine, lab: ReadyLab, lab_image: str
) -> None:
    assert lab.status.image == engine.resolve_image(lab_image)
    assert lab.status.image.startswith("sha256:")


def test_removing_twice_is_success(engine: DockerEngine, lab: ReadyLab) -> None:
    engine.remove_lab(lab.status.container_id)
    engine.remove_lab(lab.status.container_id)

    assert engine.find_lab(lab.status.lab_id) is None


def test_many_may_remove_the_same_lab_at_once(engine: DockerEngine, lab: ReadyLab) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(engine.remove_lab, [lab.status.container_id] * 8))

    wait_until(lambda: engine.find_lab(lab.status.lab_id) is None)


def test_a_removed_lab_is_gone_for_its_link(engine: DockerEngine, lab: ReadyLab) -> None:
    link = lab.link
    engine.remove_lab(lab.status.container_id)

    with pytest.raises(LabGone):
        link.list_runs()
    with pytest.raises(LabGone):
        engine.link(lab.status.container_id)


def test_a_lab_killed_from_outside_is_gone_and_still_listed(
    engine: DockerEngine, lab: ReadyLab
) -> None:
    run_id = lab.start("sleep", "60")
    subprocess.run(["docker", "kill", lab.status.container_id], check=True, capture_output=True)

    with pytest.raises(LabGone):
        lab.follow(run_id)
    found = engine.find_lab(lab.status.lab_id)
    assert found is not None
    assert found.state == "exited"


def test_a_paused_lab_is_told_from_one_that_is_gone(lab: ReadyLab) -> None:
    link = DockerEngine(installation_of(lab))
    subprocess.run(["docker", "pause", lab.status.container_id], check=True, capture_output=True)

    with pytest.raises(EngineError, match="paused") as raised:
        link.link(lab.status.container_id)
    assert not isinstance(raised.value, LabGone)


def test_an_earlier_container_of_the_same_lab_is_replaced(
    engine: DockerEngine, make_lab: Callable[..., ReadyLab]
) -> None:
    first = make_lab(lab_id="again", generation=1)
    second = make_lab(lab_id="again", generation=2)

    assert [status.container_id for status in engine.list_labs()] == [second.status.container_id]
    assert first.status.container_id != second.status.container_id


def test_a_half_made_container_of_the_same_generation_is_replaced(
    engine: DockerEngine,
    lab: ReadyLab,
    make_lab: Callable[..., ReadyLab],
    strangers: Callable[..., str],
) -> None:
    ours = installation_of(lab)
    half_made = strangers(
        f"agent-lab-{ours}-half",
        f"--label=agent-lab.installation={ours}",
        "--label=agent-lab.lab=half",
        "--label=agent-lab.generation=1",
        "--label=agent-lab.spec=0",
    )

    whole = make_lab(lab_id="half", generation=1)

    assert whole.status.container_id != half_made
    assert whole.run("true").exit.exit_code == 0


def test_an_older_generation_does_not_replace_a_newer_one(
    engine: DockerEngine, make_lab: Callable[..., ReadyLab], make_spec: Callable[..., LabSpec]
) -> None:
    newer = make_lab(lab_id="race", generation=5)

    with pytest.raises(EngineError, match="newer generation"):
        engine.create_lab(make_spec(lab_id="race", generation=4))

    assert newer.run("true").exit.exit_code == 0


def test_a_strangers_container_with_our_name_is_reported_and_left_alone(
    engine: DockerEngine,
    lab: ReadyLab,
    make_spec: Callable[..., LabSpec],
    strangers: Callable[..., str],
) -> None:
    stranger = strangers(f"agent-lab-{installation_of(lab)}-taken")

    with pytest.raises(EngineError, match="is not ours"):
        engine.create_lab(make_spec(lab_id="taken"))

    names = subprocess.check_output(["docker", "inspect", "--format", "{{.Id}}", stranger])
    assert names.decode().strip() == stranger
    assert engine.find_lab("taken") is None


def test_a_missing_image_is_told(engine: DockerEngine, make_spec: Callable[..., LabSpec]) -> None:
    with pytest.raises(ImageMissing):
        engine.resolve_image("agent-lab/never-built:latest")
    with pytest.raises(ImageMissing):
        engine.create_lab(LabSpec(lab_id="x", generation=1, uid=1, image="sha256:" + "0" * 64))


def test_a_lab_whose_supervisor_dies_leaves_nothing_behind(
    engine: DockerEngine, make_spec: Callable[..., LabSpec]
) -> None:
    impossible = make_spec(lab_id="stillborn", uid=-5)

    with pytest.raises(EngineError):
        engine.create_lab(impossible)

    assert engine.find_lab("stillborn") is None


# The SDK leaves the socket of a failed connection to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_engine_that_is_down_is_told_in_words(tmp_path: Path) -> None:
    nobody = DockerEngine("test-nobody", base_url=f"unix://{tmp_path}/no.sock")

    with pytest.raises(EngineDown, match="Nobody answers"):
        nobody.ping()
    with pytest.raises(EngineDown):
        nobody.list_labs()
    gc.collect()


def test_the_engine_tells_its_version(engine: DockerEngine) -> None:
    assert engine.ping()[0].isdigit()


def test_twenty_threads_share_one_engine(engine: DockerEngine, lab: ReadyLab) -> None:
    with ThreadPoolExecutor(20) as pool:
        outputs = pool.map(lambda n: lab.run("echo", str(n)).output, range(40))

    assert list(outputs) == [f"{n}\n".encode() for n in range(40)]


def test_an_engine_keeps_few_connections_however_much_it_is_asked(engine: DockerEngine) -> None:
    engine.ping()
    before = len(list(Path("/proc/self/fd").iterdir()))

    for number in range(100):
        engine.find_lab(f"nobody-{number}")

    # a worker of other tests, in this process too, may open some meanwhile
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 20


def test_a_run_of_another_lab_is_unknown(lab: ReadyLab, make_lab: Callable[..., ReadyLab]) -> None:
    run_id = lab.start("true")

    with pytest.raises(UnknownRun):
        make_lab().follow(run_id)


def test_a_closed_link_leaves_no_relay_in_the_lab(lab: ReadyLab) -> None:
    lab.run("true")
    wait_until(lambda: lab.as_root("pgrep", "-c", "nc").strip() == "1")

    lab.link.close()

    wait_until(lambda: lab.as_root("pgrep", "-c", "nc").strip() == "0")
