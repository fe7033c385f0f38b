"""What forms say of a field that can't be taken: what is wrong and what to do, in our own words.

Django's say “This field is required.”, which tells nobody what to write.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = dict[str, str | Promise]

OF_EVERY_FIELD: Words = {
    "required": _("This is empty. Fill it in, then send it again."),
    "max_value": _("At most %(limit_value)s. Write a smaller number."),
    "min_value": _("At least %(limit_value)s. Write a larger number."),
    "max_length": _(
        "Too long: at most %(limit_value)d characters, and these are %(show_value)d. Shorten it."
    ),
    "min_length": _("Too short: at least %(limit_value)d characters. Write more."),
    "null_characters_not_allowed": _("A character in it can't be kept. Type it anew."),
}
OF_CHOICES: Words = {
    "required": _("Nothing is chosen here. Choose one."),
    "invalid_choice": _("This is not one of the choices. Choose one of the list."),
}
OF_A_KIND: tuple[tuple[type[forms.Field], Words], ...] = (
    (forms.ChoiceField, OF_CHOICES),
    (forms.IntegerField, {"invalid": _("Write a whole number, such as 3.")}),
    (forms.FloatField, {"invalid": _("Write a number, such as 1 or 0.5.")}),
    (
        forms.EmailField,
        {"invalid": _("This is no e-mail address. Write one like ada@example.org.")},
    ),
)
"""Later ones count before earlier ones: to Django a FloatField is an IntegerField."""


class PlainWords:
    """For a form: its fields say these words. Also those that it was given after it was made."""

    fields: dict[str, forms.Field]

    def full_clean(self) -> None:
        for field in self.fields.values():
            field.error_messages.update(_words_of(field))
        super().full_clean()  # type: ignore[misc] # a form's


class PlainForm(PlainWords, forms.Form):
    """What every form of ours is."""


def _words_of(field: forms.Field) -> dict[str, Any]:
    """Those of the field's own class last: its `plain_words`."""
    words = dict(OF_EVERY_FIELD)
    for kind, its_words in OF_A_KIND:
        if isinstance(field, kind):
            words.update(its_words)
    return words | getattr(field, "plain_words", {})
