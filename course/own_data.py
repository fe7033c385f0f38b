"""All that is kept of one person, as the files of a zip. Reads only.

Every table that holds something of people stands here, with what of it they take along, or in
LEFT_OUT with the reason: a test compares both with the models that there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, Q

from course.manifests import canonical, unpack
from course.models import Manifest, User
from labs import audit
from labs.history import newest_checkpoint
from labs.models import Blob, Run, TerminalSession
from labs.recordings import cast_of
from labs.rendering import plain_output
from labs.zips import Packed

ANSWER = ("lesson", "gap", "text", "lesson_version", "saved_at")
RUN = (
    *("id", "origin", "origin_version", "command", "state", "reason", "exit_code", "duration_s"),
    *("queued_at", "started_at", "ended_at", "bytes_total", "lines_total", "image"),
)
HANDIN = (
    *("id", "assignment__title", "attempt", "state", "handed_in_at", "withdrawn_at", "sha256"),
    "checkpoint__blob",
)
MARK = ("handin", "step", "hundredths", "verdict", "reason", "comment", "cause", "marked_at")
REMARK = ("handin", "step", "wish", "asked_at", "answer", "answered_at", "answered_by__username")
SHOWN = Q(handin__assignment__released_at__isnull=False)
"""What isn't shown yet may still change, and nobody has said it."""
SAID = SHOWN & Q(marked_at__gte=F("handin__assignment__released_at"))


@dataclass(frozen=True)
class Table:
    """One kind of rows, and how they belong to a person."""

    file: str
    model: str
    """As Django labels it."""
    person: str
    """The field, or the way over other rows, that names the person."""
    columns: tuple[str, ...]
    order: str = "pk"
    only: Q = field(default_factory=Q)

    def rows(self, user: User) -> list[dict[str, Any]]:
        """One query."""
        found = apps.get_model(self.model)._default_manager.filter(self.only, **{self.person: user})
        rows = found.order_by(self.order).values_list(*self.columns)
        names = [column.replace("__", "_") for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in rows]


TABLES = (
    # What a student does
    Table("answers", "course.Answer", "user", ANSWER),
    Table("earlier-answers", "course.AnswerEntry", "user", ANSWER, "saved_at"),
    Table("runs", "labs.Run", "owner", RUN, "queued_at"),
    Table(
        "commands-came-out",
        "course.BlockOutcome",
        "student",
        ("lesson", "block", "lesson_version", "run", "state"),
    ),
    Table(
        "asked-for-help", "course.HelpRequest", "student", ("asked_at", "answered_at"), "asked_at"
    ),
    Table("hand-ins", "course.HandIn", "student", HANDIN),
    Table("marks", "course.Mark", "handin__student", MARK, only=SHOWN),
    Table("marks-since-shown", "course.MarkEntry", "handin__student", MARK, only=SAID),
    Table("questions-about-marks", "course.Remark", "handin__student", REMARK),
    Table(
        "more-time",
        "course.Extension",
        "student",
        ("assignment__title", "due_at", "reason", "given_at"),
    ),
    # The lab
    Table(
        "lab",
        "labs.Lab",
        "owner",
        ("state", "state_since_at", "active_at", "generation", "last_error", "message"),
    ),
    Table(
        "lab-uses",
        "labs.Sample",
        "lab__owner",
        ("at", "memory_bytes", "cpu_percent", "pids", "disk_bytes"),
    ),
    Table(
        "asked-of-the-lab",
        "labs.Wish",
        "lab__owner",
        ("kind", "cause", "state", "asked_at", "over_at", "name", "outcome"),
    ),
    Table(
        "saved-files", "labs.Checkpoint", "lab__owner", ("id", "made_at", "cause", "run", "blob")
    ),
    Table(
        "terminals",
        "labs.TerminalSession",
        "owner",
        (*("id", "opened_at", "closed_at", "reason"), *("is_recorded", "is_cut", "recorded_s")),
        "opened_at",
    ),
    # The account
    Table(
        "classes",
        "course.Membership",
        "user",
        ("classroom__name", "role", "external_id", "joined_at", "left_at"),
        "joined_at",
    ),
    Table("asked-to-join", "course.JoinRequest", "user", ("classroom__name", "asked_at")),
    Table("invited-to", "course.Invitation", "user", ("classroom__name", "role", "invited_at")),
    Table("e-mail", "account.EmailAddress", "user", ("email", "verified", "primary")),
    # What a teacher or an admin does
    Table(
        "assignments-set",
        "course.Assignment",
        "made_by",
        ("title", "lesson", "classroom__name", "made_at"),
    ),
    Table(
        "marks-given",
        "course.MarkEntry",
        "marked_by",
        ("handin__assignment__title", "step", "hundredths", "comment", "marked_at"),
    ),
    Table(
        "marks-given-together",
        "course.Group",
        "made_by",
        ("assignment__title", "step", "hundredths", "comment", "made_at", "undone_at"),
    ),
    Table("questions-answered", "course.Remark", "answered_by", ("answer", "answered_at")),
    Table(
        "classes-downloaded",
        "course.ClassDownload",
        "asked_by",
        ("classroom__name", "asked_at", "state", "bytes_sent"),
    ),
    Table("images-built", "labs.ImageBuild", "asked_by", ("asked_at", "state")),
    Table("done-in-the-admin", "admin.LogEntry", "user", ("action_time", "action_flag")),
    Table("deeds", "labs.AuditEntry", "actor", ("at", "action", "subject"), "at"),
)
AS_FILES = {
    "course.User": "account.json",
    "course.Manifest": "hand-ins/",
    "labs.OutputChunk": "outputs/",
    "labs.RecordingPiece": "terminals/",
    "labs.Blob": "saved-files/",
}
"""Models whose rows are no table, and where they are."""
LEFT_OUT = {
    "course.LogInTries": "counts of wrong passphrases, kept for an hour",
    "course.Attempt": "counts of tries, kept for a day",
    "sessions.Session": "secrets of browsers that are logged in",
    "account.EmailConfirmation": "a secret that is good for an hour",
    "course.RosterPlan": "names of other people, kept for twelve hours",
    "course.RubricLine": "the class's, not a person's",
    "labs.Muster": "that a class's labs were warmed, and nothing of its students",
}


def files_of_person(user: User) -> Iterator[Packed]:
    """Everything, a part at a time in memory."""
    names = ("username", "first_name", "last_name", "email", "date_joined", "last_login", "reading")
    yield _json("account", {name: getattr(user, name) for name in names})
    for table in TABLES:
        yield _json(table.file, table.rows(user))
    yield _json("who-looked", list(audit.views_of(user).values("at", "actor_name")))
    yield from _outputs(user)
    yield from _handed_in(user)
    for session in TerminalSession.objects.of_owner(user):
        pieces = (text.encode() for text in cast_of(session))
        yield Packed(f"terminals/{session.pk}.cast", pieces)
    yield from _saved_files(user)


def _outputs(user: User) -> Iterator[Packed]:
    for run in Run.objects.filter(owner=user).without_command().iterator(chunk_size=50):
        yield Packed(f"outputs/{run.pk}.txt", [plain_output(run).encode()])


def _handed_in(user: User) -> Iterator[Packed]:
    """Each as the very bytes that its hash is of: answers, commands and outputs."""
    mine = Manifest.objects.filter(handin__student=user).order_by("handin")
    for manifest in mine.iterator(chunk_size=20):
        data = canonical(unpack(bytes(manifest.gzipped)))
        yield Packed(f"hand-ins/{manifest.pk}.json", [data])


def _saved_files(user: User) -> Iterator[Packed]:
    """The newest by a plain name, and every content once, by the hash that the tables name."""
    newest = newest_checkpoint(user)
    held = Blob.objects.filter(checkpoint__lab__owner=user).distinct().values_list("pk", flat=True)
    for sha256 in held.order_by("pk"):
        blob = Blob.objects.filter(pk=sha256).only("gzipped").first()
        if blob is None:
            continue  # retention was faster
        data = bytes(blob.gzipped)
        if newest and newest.blob_id == sha256:
            yield Packed("files.tar.gz", [data])
        yield Packed(f"saved-files/{sha256}.tar.gz", [data])


def _json(name: str, value: object) -> Packed:
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    return Packed(f"{name}.json", [text.encode("utf-8", "surrogatepass")])
