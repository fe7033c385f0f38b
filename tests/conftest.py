"""Fixtures are kept in modules of their own, by what they bring up."""

pytest_plugins = ["tests.engine_fixtures", "tests.site_fixtures"]
