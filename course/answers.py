"""The only writer of answers."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from course.lessons.model import Lesson
from course.models import Answer, User
from course.models.answers import MAX_ANSWER_CHARS
from labs.refusal import Refused


def save_answer(*, user: User, lesson: Lesson, gap_id: str, text: str) -> Answer:
    """The stored answer. Raises Refused when it is too long; the last saved one is then kept."""
    _refuse_bad_text(lesson.gaps[gap_id].label, text)
    answer, _ = Answer.objects.update_or_create(
        user=user,
        lesson=lesson.slug,
        gap=gap_id,
        defaults={"text": text, "lesson_version": lesson.version, "saved_at": timezone.now()},
    )
    return answer


def save_answers(
    *, user: User, lesson: Lesson, texts: Mapping[str, str], shown: Mapping[str, str]
) -> int:
    """How many answers were changed on a page: all of its gaps in one go, or none.

    `shown` is what the page showed before anybody typed. What is still so is left as it is stored:
    an old page must not undo what was written on another one since.
    """
    before = answers_of(user, lesson)
    changed = {
        gap: text
        for gap, text in texts.items()
        if text not in (shown.get(gap, ""), before.get(gap, ""))
    }
    with transaction.atomic():
        for gap_id, text in changed.items():
            save_answer(user=user, lesson=lesson, gap_id=gap_id, text=text)
    return len(changed)


def answers_of(user: User, lesson: Lesson) -> dict[str, str]:
    """Gap id → text. One query."""
    rows = Answer.objects.of_lesson(lesson.slug).filter(user=user)
    return dict(rows.values_list("gap", "text"))


def _refuse_bad_text(label: str, text: str) -> None:
    if len(text) > MAX_ANSWER_CHARS:
        raise Refused(
            f"“{label}”: this answer has {len(text):,} characters; {MAX_ANSWER_CHARS:,} fit. "
            "What you saved before is kept. Make it shorter."
        )
    if "\0" in text:
        raise Refused(
            f"“{label}”: this answer holds a character that can't be kept. Type it by hand."
        )
