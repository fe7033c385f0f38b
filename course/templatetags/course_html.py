"""Marks the parser's sanitised HTML as safe: here and nowhere else."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

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


@register.simple_tag
def lesson_lang() -> SafeString:
    """The attribute that says in which language a lesson is written, where the page is in another,
    so that it is read aloud as it should be."""
    return _lang(settings.LESSON_LANGUAGE)


@register.simple_tag
def site_lang() -> SafeString:
    """The same of the site's own words where they stand within a lesson."""
    return _lang(get_language() or settings.LANGUAGE_CODE)


def _lang(code: str) -> SafeString:
    is_plain = get_language() == settings.LESSON_LANGUAGE
    return SafeString("") if is_plain else format_html(' lang="{}"', code)


register.filter("show_spaces", show_spaces)
register.filter("in_words", in_words)
