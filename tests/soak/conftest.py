"""The soak is made of the parts of the fault tests."""

from tests.faults.conftest import broker, make_site

__all__ = ["broker", "make_site"]
