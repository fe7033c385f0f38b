"""What a passphrase must be: Django's rules in our words, which say what to do."""

from __future__ import annotations

from django.contrib.auth import password_validation
from django.utils.translation import gettext as _


class LongEnough(password_validation.MinimumLengthValidator):
    def get_error_message(self) -> str:
        words = _("This passphrase is too short: it needs at least %(least)s characters.")
        advice = _("Four words are long enough and easy to remember.")
        return f"{words % {'least': self.min_length}} {advice}"


class NotCommon(password_validation.CommonPasswordValidator):
    def get_error_message(self) -> str:
        return _("Many people use this passphrase, so it is soon guessed. Think of another one.")


class NotOnlyDigits(password_validation.NumericPasswordValidator):
    def get_error_message(self) -> str:
        return _("Digits alone are soon guessed. Put words with them.")
