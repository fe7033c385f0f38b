"""System checks: a broken lesson is an author's error with file and line."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register

from course.library import lesson_errors


@register
def check_lessons(**kwargs: Any) -> list[CheckMessage]:
    return [
        Error(f"{error.path}:{error.line}: {error.message}", hint=error.hint, id="course.E001")
        for error in lesson_errors()
    ]
