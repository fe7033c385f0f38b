"""Fixtures of the fault tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from labs.engine.base import Engine
from tests.faults.sites import Site


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
