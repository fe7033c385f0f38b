"""Lets templates show a row's sentences in the reader's language."""

from __future__ import annotations

from django import template

from labs.stored_words import in_readers_words

register = template.Library()
register.filter("in_readers_words", in_readers_words)
