"""The forms by which teachers keep their classes."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from course.models import Membership
from labs.form_words import PlainForm

RETENTION_DAYS = {
    "": _("Until somebody deletes it"),
    "30": _("30 days after it was archived"),
    "180": _("Half a year after it was archived"),
    "365": _("A year after it was archived"),
    "1095": _("Three years after it was archived"),
}
CODE_DAYS = {"1": _("One day"), "7": _("A week"), "30": _("30 days"), "120": _("120 days")}
INVITED = (Membership.Role.CO_TEACHER, Membership.Role.ASSISTANT, Membership.Role.TEACHER)


def time_zones() -> list[tuple[str, str]]:
    """Those named by continent and place, which people find themselves in; and UTC."""
    places = sorted(zone for zone in available_timezones() if "/" in zone and "Etc/" not in zone)
    return [("UTC", "UTC"), *((zone, zone.replace("_", " ")) for zone in places)]


class NewClassroomForm(PlainForm):
    name = forms.CharField(
        label=_("Name of the class"),
        max_length=100,
        help_text=_("As your students know it, such as “7b Computer science”."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=time_zones,
        help_text=_("In which you say when work is due."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("time_zone", settings.TIME_ZONE)


class ClassroomForm(NewClassroomForm):
    retention_days = forms.TypedChoiceField(
        label=_("How long an archived class is kept"),
        choices=list(RETENTION_DAYS.items()),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_(
            "Then its assignments, hand-ins and marks are deleted for good, and with them the "
            "accounts that were made in it and are in no other class."
        ),
    )
    records_terminals = forms.BooleanField(
        label=_("Record what students' terminals show"),
        required=False,
        help_text=_(
            "Students see a notice. They and the teachers of the class can replay it. Terminals "
            "that are open already stay as they are."
        ),
    )


class JoinCodeForm(PlainForm):
    days = forms.TypedChoiceField(
        label=_("The code works for"), choices=list(CODE_DAYS.items()), coerce=int, initial=30
    )
    needs_approval = forms.BooleanField(
        label=_("I let in everybody myself who typed the code"), required=False
    )


class InvitationForm(PlainForm):
    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(label=_("As"), choices=[(role.value, role.label) for role in INVITED])


class RoleForm(PlainForm):
    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=[(role.value, role.label) for role in INVITED])
