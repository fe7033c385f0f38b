"""The image: named by a hash of what it is made of, and made as the lab's spec wants it."""

from __future__ import annotations

import subprocess

import pytest

from tests.bin.conftest import Checkout

IMAGE = "agent-lab/agent:latest"


def tag_of(checkout: Checkout, *arguments: str) -> str:
    return checkout.run("build-image", "--print-tag", *arguments).stdout.strip()


def in_image(command: str) -> str:
    """What a shell in a container prints that is set up as a lab is, but has no supervisor."""
    docker = ["docker", "run", "--rm", "--network", "none", "--read-only"]
    tail = ["--tmpfs", "/run/names", "--entrypoint", "sh", IMAGE, "-c", command]
    return subprocess.run([*docker, *tail], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def image() -> None:
    from tests.bin.conftest import REPO

    subprocess.run([REPO / "bin" / "ensure-docker"], check=True)
    subprocess.run([REPO / "bin" / "build-image"], check=True)


def test_the_same_inputs_give_the_same_tag(checkout: Checkout) -> None:
    assert tag_of(checkout).startswith("agent-lab/agent:")
    assert tag_of(checkout) == tag_of(checkout)


@pytest.mark.parametrize("name", ["agent/Dockerfile", "base/packages.txt", "agent/new.py"])
def test_the_tag_changes_with_a_file_that_the_image_is_made_of(
    checkout: Checkout, name: str
) -> None:
    before = tag_of(checkout)

    with (checkout.path / "sandbox_images" / name).open("a") as file:
        file.write("# another line\n")

    assert tag_of(checkout) != before


def test_the_tag_changes_with_the_chosen_base(checkout: Checkout) -> None:
    assert tag_of(checkout, "--base", "other:1") != tag_of(checkout)


def test_the_tag_does_not_change_with_a_note(checkout: Checkout) -> None:
    before = tag_of(checkout)

    (checkout.path / "sandbox_images" / "agent" / "README.md").write_text("Other words.\n")

    assert tag_of(checkout) == before


def test_no_dockerfile_needs_a_frontend_from_a_registry(repo: Checkout) -> None:
    agent = repo.path / "sandbox_images" / "agent" / "Dockerfile"

    assert "syntax=" not in agent.read_text() + (repo.path / "Dockerfile").read_text()


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_node_22_python_and_the_tools_of_the_lessons_are_there() -> None:
    assert in_image("node --version").startswith("v22.")
    assert in_image("python3 --version").startswith("Python 3.")
    assert in_image("for t in tini ps less nano git npm; do command -v $t; done").count("\n") == 6


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_no_file_lends_its_owners_rights() -> None:
    assert in_image("find / -xdev -type f -perm /6000") == ""


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_the_supervisors_files_are_roots_and_writable_by_nobody() -> None:
    assert in_image("find /opt/agent-lab ! -user 0 -o ! -type l -perm /222") == ""


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_the_project_folder_is_the_students() -> None:
    assert in_image("stat -c '%u:%g %F' /home/node/project") == "1000:1000 directory\n"


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_names_of_users_live_where_the_supervisor_can_write_them() -> None:
    assert in_image("readlink /etc/passwd /etc/group") == ("/run/names/passwd\n/run/names/group\n")


@pytest.mark.docker
@pytest.mark.usefixtures("image")
def test_an_image_with_the_same_inputs_is_not_built_again(repo: Checkout) -> None:
    assert "is there already" in repo.run("build-image").stdout
