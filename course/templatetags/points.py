"""Hundredths of points as people write them, and a kept output as it is shown."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from course.steps import show_points
from labs.output import Screen

register = template.Library()
register.filter("points", show_points)


@register.filter
def output_html(output: bytes) -> SafeString:
    screen = Screen()
    screen.feed(output, "stdout")
    screen.finish()
    return mark_safe(screen.html())  # noqa: S308 - labs.output escapes
