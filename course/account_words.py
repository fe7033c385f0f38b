"""What is said of an account that can't be made or opened, in our words for allauth's."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import gettext_lazy as _


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth has no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _(
            "This username and this passphrase do not belong together. Look at both again: small "
            "and capital letters differ in a passphrase."
        ),
        "username_taken": _("Somebody has this username already. Choose another one."),
        "email_taken": _("Another account has this address. Leave it empty, or log in there."),
    }
