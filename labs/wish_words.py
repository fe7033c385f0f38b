"""What became of a wish, as a word in its row and as a sentence in the reader's own language."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Outcome(models.TextChoices):
    """Each says what happened, what was kept and what to do next."""

    ENGINE_TROUBLE = (
        "engine_trouble",
        _(
            "The lab machine does not answer just now. Your press is kept and tried again "
            "by itself."
        ),
    )
    IN_LINE = (
        "in_line",
        _(
            "Many labs are starting just now. Your files are kept, and your lab starts with them "
            "by itself in a moment."
        ),
    )
    SAVED = "saved", _("Your files are saved.")
    SAVED_EARLIER = (
        "saved_earlier",
        _("Your lab did not answer, so your files as they were last saved are kept."),
    )
    NO_FILES = "no_files", _("There are no files yet, so there was nothing to save.")
    RESTARTED = (
        "restarted",
        _("Your lab has been restarted. Your files are as they were; no program runs any more."),
    )
    REBUILT = (
        "rebuilt",
        _("Your lab has been built anew from the newest image. Your files are as they were."),
    )
    RESET = (
        "reset",
        _("Your lab has been reset. The files from before are kept: Undo brings them back."),
    )
    NO_PLACE = (
        "no_place",
        _(
            "Done, but all places for labs are taken just now. Your files are ready: your lab "
            "starts with them when you press Run and a place is free."
        ),
    )
    RESTORED = (
        "restored",
        _("The files are restored. Those from before are kept: Undo brings them back."),
    )
    UNDONE = "undone", _("Undone: your files are as they were before.")
    FILE_REMOVED = (
        "file_removed",
        _("The file is removed. It is kept in the history: Undo brings it back."),
    )
    MENDED = "mended", _("You can read and change all of your files again.")
    EXAMINED = "examined", _("Your lab has been looked at.")
    BUSY = (
        "busy",
        _(
            "A command was running in the lab, so no file was changed. "
            "Wait until it ends, or stop it, then press again."
        ),
    )
    DOES_NOT_FIT = (
        "does_not_fit",
        _(
            "These files don't fit into the lab, so it has the files from before. "
            "Remove large files, or download these instead."
        ),
    )
    NO_LONGER_KEPT = (
        "no_longer_kept",
        _(
            "The files of that time are no longer kept, so nothing was changed. "
            "Choose another time."
        ),
    )
    NOT_SAVED = (
        "not_saved",
        _(
            "Your files could not be saved first, so nothing was changed. Try again in a minute. "
            "If it never works, Reset starts your lab from files that were saved earlier."
        ),
    )
    NOT_MENDED = (
        "not_mended",
        _("Some files could not be changed. Nothing is lost. Reset to an earlier time, or ask."),
    )
    GAVE_UP = (
        "gave_up",
        _(
            "The lab machine did not answer for minutes, so this was given up. Your files are "
            "kept as they were last saved. Press again later, or tell your teacher."
        ),
    )


def words_of(outcome: str) -> str:
    """The sentence of an outcome; empty for none."""
    return str(Outcome(outcome).label) if outcome in Outcome.values else ""
