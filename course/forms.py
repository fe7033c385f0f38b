"""The account forms in our words: a name and a passphrase, and an e-mail address if one likes."""

from __future__ import annotations

from typing import Any

from allauth.account import forms
from django.core.validators import RegexValidator

USERNAME_VALIDATORS = [
    RegexValidator(
        r"\A[\w][\w.@+-]*\Z",
        "A username begins with a letter or a digit. After that . @ + - _ are fine too.",
    )
]


class LoginForm(forms.LoginForm):  # type: ignore[misc] # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say_name_and_passphrase(self, "login", "password")
        self.fields["password"].help_text = "Forgotten? Your teacher can get you a new one."


class SignupForm(forms.SignupForm):  # type: ignore[misc] # allauth has no types
    field_order = ("username", "password1", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say_name_and_passphrase(self, "username", "password1")
        self.fields["password1"].help_text = (
            "At least eight characters. Four words that only you would put together are easy to "
            "remember and hard to guess."
        )
        self.fields["email"].label = "E-mail (you may leave it empty)"
        self.fields["email"].widget.attrs.pop("placeholder", None)


def _say_name_and_passphrase(form: Any, name: str, passphrase: str) -> None:
    form.fields[name].label = "Username"
    form.fields[passphrase].label = "Passphrase"
    for field in (name, passphrase):
        form.fields[field].widget.attrs.pop("placeholder", None)
