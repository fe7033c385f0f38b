"""The form by which a teacher makes accounts: a list of names, or so many numbered ones."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from course.accounts import MOST_AT_ONCE, NewAccount
from course.forms import USERNAME_VALIDATORS
from course.models import User
from course.usernames import username_from
from labs.form_words import PlainForm


class NewAccountsForm(PlainForm):
    names = forms.CharField(
        label=gettext_lazy("Names, one on each line"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "First name, then last name. The username is made of them; a nickname is fine too."
        ),
    )
    number = forms.IntegerField(
        label=gettext_lazy("Or: how many accounts without a name"),
        required=False,
        min_value=1,
        max_value=MOST_AT_ONCE,
    )
    beginning = forms.CharField(
        label=gettext_lazy("Their usernames begin with"),
        required=False,
        max_length=20,
        validators=USERNAME_VALIDATORS,
        help_text=gettext_lazy("“7b” makes 7b-01, 7b-02 and so on."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        names, number = cleaned.get("names"), cleaned.get("number")
        if bool(names) == bool(number) and not self.errors:
            raise forms.ValidationError(_("Fill in either the names or the number."))
        if number and not cleaned.get("beginning") and not self.errors:
            self.add_error("beginning", _("Say what the usernames begin with."))
        if len(_lines(names or "")) > MOST_AT_ONCE:
            text = _("At most %(most)s at once, so no account was made. Take fewer names.")
            self.add_error("names", text % {"most": MOST_AT_ONCE})
        return cleaned

    def accounts(self) -> list[NewAccount]:
        """With usernames that nobody has yet. One query."""
        if self.cleaned_data["number"]:
            return _numbered(self.cleaned_data["beginning"].lower(), self.cleaned_data["number"])
        return _named(_lines(self.cleaned_data["names"]))


def _lines(names: str) -> list[str]:
    return [" ".join(line.split()) for line in names.splitlines() if line.strip()]


def _numbered(prefix: str, number: int) -> list[NewAccount]:
    taken = _usernames_from(f"{prefix}-")
    candidates = (f"{prefix}-{count:02}" for count in range(1, number + len(taken) + 1))
    free = [name for name in candidates if name not in taken]
    return [NewAccount(name) for name in free[:number]]


def _named(lines: list[str]) -> list[NewAccount]:
    taken = _usernames_from("")
    accounts = []
    for line in lines:
        first, _space, last = line.partition(" ")
        username = username_from(first, last, taken)
        taken.add(username)
        accounts.append(NewAccount(username, first[:150], last[:150]))
    return accounts


def _usernames_from(prefix: str) -> set[str]:
    names = User.objects.filter(username__istartswith=prefix).values_list("username", flat=True)
    return {name.lower() for name in names}
