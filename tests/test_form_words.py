"""What forms say of a wrong field: our own words, on every form, and what to do."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from django import forms
from django.conf import settings

from labs.form_words import PlainForm, PlainWords
from tests.factories import make_classroom, make_user
from tests.markup import elements

ROOT = Path(settings.BASE_DIR)
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for app in ("course", "labs")
    for path in (ROOT / app).rglob("*forms.py")
]
FORMS = [
    thing
    for module in MODULES
    for thing in vars(importlib.import_module(module)).values()
    if isinstance(thing, type) and issubclass(thing, forms.BaseForm) and thing.base_fields
]
STOCK = ("field is required", "Select a valid", "Enter a", "Ensure this value")


class Every(PlainForm):
    text = forms.CharField(min_length=3, max_length=5)
    choice = forms.ChoiceField(choices=[("a", "A")])
    number = forms.IntegerField(min_value=2, max_value=4)
    share = forms.FloatField()
    address = forms.EmailField()


def said_of(field, value):
    return Every({field: value}).errors[field]


def test_the_forms_are_found():
    assert {"LoginForm", "AssignmentForm", "LimitForm"} <= {form.__name__ for form in FORMS}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_says_our_words(form):
    assert issubclass(form, PlainWords)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("text", "", "This is empty. Fill it in, then send it again."),
        ("text", "ab", "Too short: at least 3 characters. Write more."),
        ("text", "abcdefg", "Too long: at most 5 characters, and these are 7. Shorten it."),
        ("text", "ab\0c", "A character in it can't be kept. Type it anew."),
        ("choice", "", "Nothing is chosen here. Choose one."),
        ("choice", "b", "This is not one of the choices. Choose one of the list."),
        ("number", "x", "Write a whole number, such as 3."),
        ("number", "5", "At most 4. Write a smaller number."),
        ("number", "1", "At least 2. Write a larger number."),
        ("share", "x", "Write a number, such as 1 or 0.5."),
        ("address", "x", "This is no e-mail address. Write one like ada@example.org."),
    ],
)
def test_a_wrong_field_says_what_to_do(field, value, words):
    assert said_of(field, value) == [words]


@pytest.mark.django_db
def test_dates_that_are_missing_are_asked_for_as_dates(client):
    teacher = make_user("theo", may_teach=True)
    classroom = make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    page = client.post(f"/classes/{classroom.pk}/assignments/new/?lesson=tiny", {"opens_at": ""})
    said = [e.words for e in elements(page, "ul", class_="errorlist")]
    assert said.count("Say a day and a time.") == 2
    assert not [words for words in said if any(stock in words for stock in STOCK)]
