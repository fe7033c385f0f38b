"""The console's forms. Sizes are typed in MiB and kept in bytes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from labs.console.words import MIB
from labs.form_words import PlainForm
from labs.limits import MOST_CPUS, MOST_PIDS, Allowance, scope_choices
from labs.models import Host
from labs.requests import MAX_TIME_LIMIT_S

LARGEST_MIB = 1024 * 1024


class CapacityForm(PlainForm):
    capacity_labs = forms.IntegerField(
        label=_("Labs at most"),
        required=False,
        min_value=0,
        max_value=100_000,
        help_text=_("Labs that may be started at once. Empty: what the settings say."),
    )
    capacity_mib = forms.IntegerField(
        label=_("Memory of all labs at most (MiB)"),
        required=False,
        min_value=0,
        max_value=LARGEST_MIB,
        help_text=_(
            "What the limits of the started labs may add up to. Empty: what the settings say."
        ),
    )

    @staticmethod
    def initial_of(host: Host) -> dict[str, Any]:
        capacity = host.capacity_bytes
        return {
            "capacity_labs": host.capacity_labs,
            "capacity_mib": None if capacity is None else capacity // MIB,
        }

    def capacity(self) -> dict[str, int | None]:
        """As `labs.admin_requests.set_capacity` takes it."""
        mib = self.cleaned_data["capacity_mib"]
        return {
            "capacity_labs": self.cleaned_data["capacity_labs"],
            "capacity_bytes": None if mib is None else mib * MIB,
        }


class ScopeForm(PlainForm):
    """Whose limits are to be set."""

    scope = forms.ChoiceField(
        label=_("Labs of"),
        choices=scope_choices,
        widget=forms.Select(attrs={"class": "input"}),
    )


class LimitForm(PlainForm):
    """What is only nonsense is said here; whether the limits hold, `labs.limits` says."""

    memory_mib = forms.IntegerField(
        label=_("Memory (MiB)"),
        min_value=1,
        max_value=LARGEST_MIB,
        help_text=_("Files are kept in memory too: at least twice the room for files."),
    )
    cpus = forms.FloatField(label=_("Cores"), min_value=0.1, max_value=MOST_CPUS)
    pids = forms.IntegerField(label=_("Processes"), min_value=1, max_value=MOST_PIDS)
    workspace_mib = forms.IntegerField(
        label=_("Files of the workspace (MiB)"), min_value=1, max_value=LARGEST_MIB
    )
    tmp_mib = forms.IntegerField(
        label=_("Temporary files (MiB)"), min_value=1, max_value=LARGEST_MIB
    )
    time_limit_s = forms.IntegerField(
        label=_("Longest run (seconds)"), min_value=1, max_value=MAX_TIME_LIMIT_S
    )
    restart = forms.BooleanField(
        label=_("Restart these labs now"),
        required=False,
        help_text=_(
            "Their files are saved first. Otherwise the limits count from each lab's next start on."
        ),
    )

    @staticmethod
    def initial_of(allowance: Allowance) -> dict[str, Any]:
        return {
            "memory_mib": allowance.memory_bytes // MIB,
            "cpus": allowance.cpus,
            "pids": allowance.pids,
            "workspace_mib": allowance.workspace_bytes // MIB,
            "tmp_mib": allowance.tmp_bytes // MIB,
            "time_limit_s": allowance.time_limit_s,
        }

    def allowance(self) -> Allowance:
        data = self.cleaned_data
        return Allowance(
            memory_bytes=data["memory_mib"] * MIB,
            cpus=data["cpus"],
            pids=data["pids"],
            workspace_bytes=data["workspace_mib"] * MIB,
            tmp_bytes=data["tmp_mib"] * MIB,
            time_limit_s=data["time_limit_s"],
        )
