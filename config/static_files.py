"""How static files are stored: compressed, and under names that change with their content."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage

_OF_MODULES = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # it has no types
    """The scripts that ours import are named by content too, so that browsers keep them for good.

    Only ours: vendored ones say `import` in comments, of files that aren't there.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", _OF_MODULES))
