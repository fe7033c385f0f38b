"""What steps of hand-ins are worth: the mark that holds, and everything that was ever given."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from course.models.assignments import Assignment
from course.models.handins import HandIn


class MarkQuerySet(models.QuerySet["Mark"]):
    def of_assignment(self, assignment: Assignment) -> MarkQuerySet:
        """Of the hand-ins that count, of those who are in the class now."""
        return self.filter(
            handin__assignment=assignment,
            handin__state=HandIn.State.HANDED_IN,
            handin__student__in=assignment.student_ids(),
        )

    def waiting(self) -> MarkQuerySet:
        return self.filter(verdict=Mark.Verdict.WAITING)

    def same_answer(self, mark: Mark) -> MarkQuerySet:
        """Marks of the same step for the same answer, this one included."""
        return self.of_assignment(mark.handin.assignment).filter(
            step=mark.step, answer_key=mark.answer_key
        )


class Mark(models.Model):
    """What one step of one hand-in is worth now: the summary row that pages read."""

    class Verdict(models.TextChoices):
        RIGHT = "right", _("right")
        NEARLY = "nearly", _("nearly")
        WRONG = "wrong", _("not right")
        EMPTY = "empty", _("nothing there")
        WAITING = "waiting", _("to be marked")
        MARKED = "marked", _("marked")

    class Cause(models.TextChoices):
        AUTOMATIC = "automatic", _("marked by the lesson's key")
        TEACHER = "teacher", _("marked by a teacher")
        SAME_ANSWER = "same_answer", _("marked together with equal answers")
        EARLIER = "earlier", _("marked by a teacher in an earlier attempt, for the same answer")
        UNDONE = "undone", _("marking of equal answers undone")
        NEW_KEY = "new_key", _("marked again by a changed key")

    handin = models.ForeignKey(HandIn, on_delete=models.CASCADE, related_name="marks")
    step = models.CharField(max_length=120)
    """`gap:<id>` or `block:<id>`."""
    hundredths = models.PositiveIntegerField(default=0)
    """Of a point: whole numbers add up exactly, and cost nothing to read by the thousand."""
    verdict = models.CharField(max_length=10, choices=Verdict)
    reason = models.TextField(blank=True)
    """Why, in a sentence that the student may read."""
    comment = models.TextField(blank=True)
    """The teacher's, to the student."""
    cause = models.CharField(max_length=12, choices=Cause, default=Cause.AUTOMATIC)
    answer_key = models.CharField(max_length=64, blank=True)
    """The same for answers that say the same; empty where nothing is to be compared."""
    version = models.PositiveIntegerField(default=1)
    """Counts the changes: who writes on an older one is told so."""
    marked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """None: the site itself."""
    marked_at = models.DateTimeField(default=timezone.now)

    objects = MarkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["handin", "step"], name="mark_once_per_step")
        ]
        indexes = [models.Index(fields=["step", "answer_key"], name="mark_by_answer")]

    def __str__(self) -> str:
        return f"{self.hundredths / 100:g} for {self.step} of {self.handin_id}"

    @property
    def is_automatic(self) -> bool:
        """No person has had a say in it."""
        return self.cause in (self.Cause.AUTOMATIC, self.Cause.NEW_KEY)


class Group(models.Model):
    """One mark for everybody who wrote the same. Later hand-ins get it too, until it is undone."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="groups")
    step = models.CharField(max_length=120)
    answer_key = models.CharField(max_length=64)
    hundredths = models.PositiveIntegerField()
    comment = models.TextField(blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.hundredths / 100:g} for equal answers to {self.step}"


class MarkEntry(models.Model):
    """One mark as it was given: who, when, why. Rows are added, never changed."""

    handin = models.ForeignKey(HandIn, on_delete=models.CASCADE, related_name="mark_entries")
    step = models.CharField(max_length=120)
    version = models.PositiveIntegerField()
    hundredths = models.PositiveIntegerField()
    verdict = models.CharField(max_length=10, choices=Mark.Verdict)
    reason = models.TextField(blank=True)
    comment = models.TextField(blank=True)
    cause = models.CharField(max_length=12, choices=Mark.Cause)
    lesson_version = models.CharField(max_length=64)
    """Whose key was used."""
    group = models.ForeignKey(Group, on_delete=models.SET_NULL, null=True, related_name="entries")
    marked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    marked_at = models.DateTimeField()

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["handin", "step", "version"], name="mark_entry_once_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"version {self.version} of {self.step} of {self.handin_id}"


class RubricLine(models.Model):
    """Points and a comment that a teacher gives again and again at one step."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="rubric")
    step = models.CharField(max_length=120)
    hundredths = models.PositiveIntegerField()
    comment = models.CharField(max_length=500)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.comment


class RemarkQuerySet(models.QuerySet["Remark"]):
    def of_assignment(self, assignment: Assignment) -> RemarkQuerySet:
        """Of those who are in the class now."""
        return self.filter(
            handin__assignment=assignment, handin__student__in=assignment.student_ids()
        )


class Remark(models.Model):
    """A student's wish to have one mark looked at again, and the teacher's answer."""

    class State(models.TextChoices):
        OPEN = "open", _("waits for the teacher")
        ANSWERED = "answered", _("answered")

    handin = models.ForeignKey(HandIn, on_delete=models.CASCADE, related_name="remarks")
    step = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    wish = models.TextField(max_length=1_000)
    asked_at = models.DateTimeField(default=timezone.now)
    answer = models.TextField(max_length=1_000, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = RemarkQuerySet.as_manager()

    class Meta:
        ordering = ["asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["handin", "step"], condition=Q(state="open"), name="remark_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"wish for {self.step} of {self.handin_id}"
