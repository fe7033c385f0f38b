"""The forms by which teachers set lessons for a class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from course.lateness import NoSuchTime, read_clock
from course.models import Assignment, Classroom
from course.steps import MAX_POINTS, Step
from labs.form_words import PlainForm

LAST_MINUTE = time(23, 59)
A_MINUTE = timedelta(minutes=1) - timedelta(microseconds=1)
FIELDS = (
    "opens_at",
    "due_at",
    "closes_at",
    "late",
    "late_percent",
    "attempts",
    "records_runs",
    "records_files",
)


class ClockField(forms.Field):
    """A day and a time on the class's clock, as a moment.

    `is_end`: the end of that minute, since 23:59 is not over while a clock shows 23:59.
    """

    plain_words = {"required": gettext_lazy("Say a day and a time.")}

    def __init__(self, *, zone: ZoneInfo, is_end: bool = False, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"type": "datetime-local", "step": "60"})
        super().__init__(widget=widget, **kwargs)
        self.zone = zone
        self.rest = A_MINUTE if is_end else timedelta()

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(self.zone).strftime("%Y-%m-%dT%H:%M")
        return value

    def to_python(self, value: Any) -> datetime | None:
        if not value:
            return None
        try:
            typed = datetime.fromisoformat(str(value).strip())
            minute = typed.replace(second=0, microsecond=0, tzinfo=None)
            return read_clock(minute, self.zone) + self.rest
        except NoSuchTime:
            raise forms.ValidationError(
                _("The clocks are put forward over this time. Choose an hour later.")
            ) from None
        except (ValueError, OverflowError):
            raise forms.ValidationError(_("Write day and time like 2027-03-01T14:30.")) from None


class AssignmentForm(PlainForm):
    """Dates, rules and points. `fields_of_assignment` are what the model takes."""

    late = forms.ChoiceField(
        label=gettext_lazy("What is handed in late"), choices=Assignment.Late.choices
    )
    late_percent = forms.IntegerField(
        label=gettext_lazy("Per cent lost for each day begun"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=gettext_lazy("Only for “some per cent for each day”."),
    )
    attempts = forms.IntegerField(
        label=gettext_lazy("Attempts"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=gettext_lazy(
            "How often one may hand in; the last counts. 0: as often as one likes."
        ),
    )
    records_runs = forms.BooleanField(
        label=gettext_lazy("The newest run of each command, with its output"), required=False
    )
    records_files = forms.BooleanField(
        label=gettext_lazy("The files of the student's lab"), required=False
    )

    def __init__(
        self,
        data: Any = None,
        *,
        classroom: Classroom,
        steps: Sequence[Step],
        assignment: Assignment | None = None,
    ) -> None:
        zone = ZoneInfo(classroom.time_zone)
        super().__init__(data, initial=_initial(assignment, zone), auto_id="field_%s")
        words = _("On the clock of the class: %(zone)s.") % {"zone": classroom.time_zone}
        self._add_dates(zone, words)
        self.steps = steps
        for step in steps:
            known = assignment.points.get(step.id, 0) if assignment else step.points
            self.fields[_points(step)] = forms.IntegerField(
                label=step.label, min_value=0, max_value=MAX_POINTS, initial=known, required=False
            )

    def _add_dates(self, zone: ZoneInfo, words: str) -> None:
        self.fields["opens_at"] = ClockField(label=_("Opens"), zone=zone, help_text=words)
        self.fields["due_at"] = ClockField(label=_("Due"), zone=zone, is_end=True, help_text=words)
        self.fields["closes_at"] = ClockField(
            label=_("Closes"),
            zone=zone,
            is_end=True,
            required=False,
            help_text=_("From then on nothing can be handed in. Empty: it stays open."),
        )

    def clean(self) -> dict[str, Any]:
        sent = self.cleaned_data
        opens, due, closes = (sent.get(name) for name in ("opens_at", "due_at", "closes_at"))
        if opens and due and due <= opens:
            self.add_error("due_at", _("It must be due after it opens."))
        if due and closes and closes < due:
            self.add_error("closes_at", _("It can't close before it is due."))
        if sent.get("late") == Assignment.Late.PER_DAY and not sent.get("late_percent"):
            self.add_error("late_percent", _("Say how many per cent are lost, from 1 to 100."))
        if not any(sent.get(_points(step)) for step in self.steps):
            self.add_error(None, _("Give points to at least one cell or command."))
        return sent

    @property
    def fields_of_assignment(self) -> dict[str, Any]:
        sent = self.cleaned_data
        numbers = {name: sent[name] or 0 for name in ("late_percent", "attempts")}
        points = {step.id: sent[_points(step)] for step in self.steps if sent[_points(step)]}
        return {name: sent[name] for name in FIELDS} | numbers | {"points": points}

    def points_fields(self) -> Iterator[tuple[Step, forms.BoundField]]:
        return ((step, self[_points(step)]) for step in self.steps)

    def date_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("opens_at", "due_at", "closes_at")]

    def rule_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("late", "late_percent", "attempts")]


class ExtensionForm(PlainForm):
    student: Any = forms.ModelChoiceField(queryset=None, label=gettext_lazy("Student"))
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        help_text=gettext_lazy("The student sees it, too."),
    )

    def __init__(self, data: Any = None, *, assignment: Assignment) -> None:
        super().__init__(data, auto_id="extension_%s")
        students: Any = self.fields["student"]
        students.queryset = assignment.classroom.students()
        students.to_field_name = "username"
        students.label_from_instance = lambda user: user.shown_name
        self.fields["due_at"] = ClockField(
            label=_("Due for this student"),
            zone=assignment.zone,
            is_end=True,
            initial=assignment.due_at + timedelta(days=7),
        )
        self.order_fields(["student", "due_at", "reason"])


def _points(step: Step) -> str:
    """The step's name in the form."""
    return f"points.{step.id}"


def _initial(assignment: Assignment | None, zone: ZoneInfo) -> dict[str, Any]:
    """Of a new one: open from now on, due in a week at the end of the day."""
    if assignment:
        return {name: getattr(assignment, name) for name in FIELDS}
    now = timezone.now().astimezone(zone)
    due = datetime.combine(now.date() + timedelta(days=7), LAST_MINUTE)
    return {
        "opens_at": now,
        "due_at": read_clock(due, zone),
        "late": Assignment.Late.FULL,
        "late_percent": 10,
        "attempts": 0,
        "records_runs": True,
        "records_files": True,
    }
