"""Fixtures of the fault tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from labs.engine.base import Engine
from tests.faults.brokers import Broker
from tests.faults.engines import PrivateEngine
from tests.faults.sites import Site
from tests.site_fixtures import REPOSITORY


@pytest.fixture
def make_site(transactional_db: None, site_engine: Engine) -> Iterator[Callable[..., Site]]:
    """Makes sites, which are taken down after the test. Safe to call from several threads."""
    made: list[Site] = []

    def make(**rest: str) -> Site:
        site = Site(**rest)
        made.append(site)
        return site

    yield make
    for site in made:
        site.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A running broker of this test's own."""
    packages = [REPOSITORY / "bin" / "ensure-packages", "redis-server"]
    subprocess.run(packages, check=True, timeout=300)
    broker = Broker()
    yield broker
    broker.kill()


@pytest.fixture(scope="module")
def private_engine(lab_image: str) -> Iterator[PrivateEngine]:
    """An engine that has the agent image. Each test leaves it running."""
    engine = PrivateEngine()
    engine.start()
    engine.load(lab_image)
    yield engine
    engine.take_down()
