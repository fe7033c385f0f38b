"""Fixtures are kept in modules of their own, by what they bring up."""

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.engine_fixtures", "tests.site_fixtures"]

# The same examples at every run, each with as long as it takes on a machine under load.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure is told at once, too: whoever ends a long run early still learns why."""
    report = yield
    if report.failed:
        reporter = item.config.pluginmanager.getplugin("terminalreporter")
        reporter.write_line(f"\n{report.when} of {report.nodeid}\n{report.longreprtext[-2000:]}")
    return report
