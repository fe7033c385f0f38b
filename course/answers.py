"""The only writer of answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course.json_rows import fetch_plain
from course.lessons.model import Lesson
from course.models import Answer, AnswerEntry, User
from course.models.answers import MAX_ANSWER_CHARS
from labs.refusal import Refused

STOOD_FOR = timedelta(minutes=1)
"""What an answer said for so long is kept when it changes; what came in between was typing."""

# Every page of a lesson asks for these.
TEXTS = "SELECT gap, text FROM course_answer WHERE user_id = %s AND lesson = %s"


class Overtaken(Refused):
    """The answer was changed elsewhere since this page showed it. What is stored is kept."""

    def __init__(self, gap_id: str, stored: str) -> None:
        super().__init__(
            _("This answer was also changed somewhere else. The saved one is: “%(text)s”")
            % {"text": stored}
        )
        self.gap_id = gap_id
        self.stored = stored


def save_answer(
    *, user: User, lesson: Lesson, gap_id: str, text: str, shown: str | None = None
) -> Answer:
    """The stored answer. Raises Refused when it is too long; the last saved one is then kept.

    `shown` is what the page showed as saved before this was typed; None: whatever it was. Raises
    Overtaken when something else is stored by now.
    """
    _refuse_bad_text(lesson.gaps[gap_id].label, text)
    with transaction.atomic():
        answer, is_new = Answer.objects.select_for_update().get_or_create(
            user=user, lesson=lesson.slug, gap=gap_id, defaults=_written(lesson, text)
        )
        if is_new:
            return answer
        if shown is not None and answer.text not in (shown, text):
            raise Overtaken(gap_id, answer.text)
        written = _written(lesson, text)
        _keep_before(answer, text, written["saved_at"])
        for name, value in written.items():
            setattr(answer, name, value)
        answer.save()
    return answer


def _keep_before(answer: Answer, text: str, now: datetime) -> None:
    """No statement while somebody types on."""
    if answer.text not in ("", text) and now - answer.saved_at >= STOOD_FOR:
        names = ("user_id", "lesson", "gap", "text", "lesson_version", "saved_at")
        AnswerEntry.objects.create(**{name: getattr(answer, name) for name in names})


def _written(lesson: Lesson, text: str) -> dict[str, Any]:
    return {"text": text, "lesson_version": lesson.version, "saved_at": timezone.now()}


def save_answers(
    *, user: User, lesson: Lesson, texts: Mapping[str, str], shown: Mapping[str, str]
) -> list[Overtaken]:
    """The answers of a page that were changed elsewhere since; all its others are saved.

    `shown` is what the page showed before anybody typed. What is still so is left as it is stored:
    an old page must not undo what was written on another one since. Raises Refused when one can't
    be kept; then none is saved.
    """
    before = answers_of(user, lesson)
    changed = {
        gap: text
        for gap, text in texts.items()
        if text not in (shown.get(gap, ""), before.get(gap, ""))
    }
    overtaken = []
    with transaction.atomic():
        for gap_id, text in changed.items():
            try:
                save_answer(
                    user=user, lesson=lesson, gap_id=gap_id, text=text, shown=shown.get(gap_id)
                )
            except Overtaken as error:
                overtaken.append(error)
    return overtaken


def answers_of(user: User, lesson: Lesson) -> dict[str, str]:
    """Gap id → text. One query."""
    return dict(fetch_plain(TEXTS, [user.pk, lesson.slug]))


def _refuse_bad_text(label: str, text: str) -> None:
    if len(text) > MAX_ANSWER_CHARS:
        raise Refused(
            _(
                "“%(label)s”: this answer has %(length)s characters; %(limit)s fit. "
                "What you saved before is kept. Make it shorter."
            )
            % {"label": label, "length": f"{len(text):,}", "limit": f"{MAX_ANSWER_CHARS:,}"}
        )
    if "\0" in text:
        raise Refused(
            _("“%(label)s”: this answer holds a character that can't be kept. Type it by hand.")
            % {"label": label}
        )
