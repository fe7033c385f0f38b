"""Fixtures of the fault tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from labs.engine.base import Engine
from tests.faults.brokers import Broker
from tests.faults.sites import Site
from tests.site_fixtures import REPOSITORY


@pytest.fixture
def make_site(transactional_db: None, site_engine: Engine) -> Iterator[Callable[[], Site]]:
    """Makes sites, which are taken down after the test. Safe to call from several threads."""
    made: list[Site] = []

    def make() -> Site:
        made.append(Site())
        return made[-1]

    yield make
    for site in made:
        site.close()


@pytest.fixture
def site(make_site: Callable[[], Site]) -> Site:
    return make_site()


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A running broker of this test's own."""
    packages = [REPOSITORY / "bin" / "ensure-packages", "redis-server"]
    subprocess.run(packages, check=True, timeout=300)
    broker = Broker()
    yield broker
    broker.kill()
