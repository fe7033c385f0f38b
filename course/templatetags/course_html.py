"""Marks the parser's sanitised HTML as safe: here and nowhere else."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from course.lessons.comparing import show_spaces
from course.lessons.model import Example, Html, Lesson
from course.said import in_words

register = template.Library()


@register.simple_tag
def lesson_html(part: Html) -> SafeString:
    return mark_safe(part.html)  # noqa: S308 - sanitised by course.lessons


@register.simple_tag
def guide_html(lesson: Lesson) -> SafeString:
    return mark_safe(lesson.guide_html)  # noqa: S308 - sanitised by course.lessons


@register.simple_tag
def example_html(example: Example) -> SafeString:
    return mark_safe(example.html)  # noqa: S308 - escaped by course.lessons


register.filter("show_spaces", show_spaces)
register.filter("in_words", in_words)
