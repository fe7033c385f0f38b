"""The account forms in our words: a name and a passphrase, and an e-mail address if one likes."""

from __future__ import annotations

from typing import Any

from allauth.account import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from course.middleware import reading_of
from course.models import User
from course.preferences import DEFAULT, keep_on_account
from labs.form_words import PlainWords

USERNAME_VALIDATORS = [
    RegexValidator(
        r"\A[\w][\w.@+-]*\Z",
        gettext_lazy(
            "A username begins with a letter or a digit. After that . @ + - _ are fine too."
        ),
    )
]


class LoginForm(PlainWords, forms.LoginForm):  # type: ignore[misc] # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say_name_and_passphrase(self, "login", "password")
        self.fields["password"].help_text = _("Forgotten? Your teacher can get you a new one.")


class SignupForm(PlainWords, forms.SignupForm):  # type: ignore[misc] # allauth has no types
    field_order = ("username", "password1", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say_name_and_passphrase(self, "username", "password1")
        self.fields["password1"].help_text = _(
            "At least eight characters. Four words that only you would put together are easy to "
            "remember and hard to guess."
        )
        self.fields["email"].label = _("E-mail (you may leave it empty)")
        self.fields["email"].widget.attrs.pop("placeholder", None)

    def save(self, request: HttpRequest) -> User:
        """The new account, with what was chosen in this browser before it was made."""
        reading = reading_of(request)
        user: User = super().save(request)
        if reading != DEFAULT:
            keep_on_account(user=user, reading=reading)
        return user


def _say_name_and_passphrase(form: Any, name: str, passphrase: str) -> None:
    form.fields[name].label = _("Username")
    form.fields[passphrase].label = _("Passphrase")
    for field in (name, passphrase):
        form.fields[field].widget.attrs.pop("placeholder", None)
