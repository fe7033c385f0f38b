"""Our own words among the output of a run, in the language of whoever reads it now."""

from __future__ import annotations

from functools import lru_cache

from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from labs.output import Words


def words_now() -> Words:
    """In the language of this moment."""
    return _words_in(get_language() or "")


@lru_cache(maxsize=32)
def _words_in(_language: str) -> Words:
    announcements = {"stdout": _("Output:") + " ", "stderr": _("Error output:") + " "}
    return Words(announcements, _left_out)


def _left_out(unit: str, count: int) -> str:
    shown = {"count": number_format(count, use_l10n=True, force_grouping=True)}
    if unit == "byte":
        form = ngettext("… %(count)s byte left out …", "… %(count)s bytes left out …", count)
    elif unit == "line":
        form = ngettext("… %(count)s line left out …", "… %(count)s lines left out …", count)
    else:
        form = ngettext(" … %(count)s more character", " … %(count)s more characters", count)
    return form % shown
