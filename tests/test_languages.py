"""Every text is translated, with the same places to fill, and the compiled files are up to date."""

from __future__ import annotations

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import get_language_info
from django.utils.translation.template import templatize

from tests.markup import element, elements, words_of

ROOT = Path(settings.BASE_DIR)
APPS = ("config", "course", "labs", "templates")
TRANSLATED = [code for code, _ in settings.LANGUAGES if code != "en"]
ONE = {"gettext", "_", "gettext_lazy", "gettext_noop"}
MANY = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}


def calls_in(source):
    """Each call that marks a text: the function's name and its arguments that are texts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
            yield node.func.id, [text for text in texts if isinstance(text, str)]


def keys_in(source):
    """What gettext looks a text up by, for each text that is marked in Python."""
    for name, texts in calls_in(source):
        if (name in ONE or name in MANY) and texts:
            yield texts[0]
        elif name in IN_CONTEXT and len(texts) == 2:
            yield "\x04".join(texts)


def python_of(template):
    """The template's marked texts as calls of Python, one on each line."""
    calls = re.compile(
        r"""\b(gettext|ngettext|pgettext)\((u?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')(?:,\s*u?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))*)"""
    )
    bare = re.compile(r"""(?<!\w)_\((u?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))""")
    text = templatize(template)
    found = [f"{name}({args})" for name, args in calls.findall(text)]
    return "\n".join([*found, *(f"_({arg})" for arg in bare.findall(text))])


def files(suffix):
    found = [path for app in APPS for path in (ROOT / app).rglob(f"*{suffix}")]
    return [path for path in found if "migrations" not in path.parts]


def all_keys():
    for path in files(".py"):
        yield from keys_in(path.read_text())
    for path in files(".html"):
        yield from keys_in(python_of(path.read_text()))


KEYS = sorted({key for key in all_keys() if key})


def catalogue_of(code):
    with (ROOT / "locale" / code / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)._catalog


def said_in(catalogue, key):
    """All forms of a text in that language; none where it is not translated."""
    forms = [catalogue.get(key), *(catalogue.get((key, number)) for number in (0, 1))]
    return [form for form in forms if form]


def places_in(text):
    return set(re.findall(r"%\(\w+\)[sd]|\{\w+\}", text))


def test_the_texts_are_found():
    assert {"Run", "Log in", "Waiting for your lab …"} <= set(KEYS)
    assert len(KEYS) > 500


@pytest.mark.parametrize("code", TRANSLATED)
def test_nothing_is_left_untranslated(code):
    """`bin/messages` collects what is new into locale/."""
    catalogue = catalogue_of(code)
    assert [key for key in KEYS if not said_in(catalogue, key)] == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_translation_fills_in_what_its_text_does(code):
    catalogue = catalogue_of(code)
    wrong = [
        (key, form)
        for key in KEYS
        for form in said_in(catalogue, key)
        if not places_in(form) <= places_in(key)
    ]
    assert wrong == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_compiled_is_what_is_written(code):
    written = (ROOT / "locale" / code / "LC_MESSAGES" / "django.po").read_text()
    keys = re.findall(r'^msgid (".+")$', written, re.M)
    catalogue = catalogue_of(code)
    assert [key for key in keys if not said_in_any_context(catalogue, ast.literal_eval(key))] == []


def said_in_any_context(catalogue, text):
    ends = ("", f"\x04{text}")
    return [k for k in catalogue if k == text or k == (text, 0) or str(k).endswith(ends[1])]


@pytest.mark.django_db
def test_a_reader_gets_their_browsers_language_until_they_choose_one(client):
    page = client.get("/", headers={"accept-language": "de-AT,de;q=0.9"})
    assert element(page, "html").attrs["lang"] == "de"
    assert "Lektionen mit einem echten Linux-Lab" in words_of(page)
    client.post("/reading/", {"language": "en"})
    page = client.get("/", headers={"accept-language": "de-AT,de;q=0.9"})
    assert element(page, "html").attrs["lang"] == "en"


@pytest.mark.django_db
def test_a_language_from_right_to_left_turns_the_page(client, settings):
    settings.LANGUAGES = [*settings.LANGUAGES, ("ar", "العربية")]
    page = client.get("/", headers={"accept-language": "ar"})
    assert element(page, "html").attrs["dir"] == "rtl"
    assert get_language_info("ar")["bidi"]


def test_stylesheets_say_start_and_end_and_never_left_and_right():
    sided = re.compile(
        r"[\s;{](?:margin|padding|border)-(?:left|right)\s*:|text-align:\s*(?:left|right)|[\s;{](?:left|right)\s*:|float:"
    )
    loose = [
        f"{path.name}: {line.strip()[:80]}"
        for path in (ROOT / "static" / "css").glob("*.css")
        for line in path.read_text().splitlines()
        if sided.search(line)
    ]
    assert loose == []


SAID_AS_IT_IS = {
    "Agent Lab",
    "CSV",
    "XLSX",
    "agent",
    "MiB",
    "s",
    "Ctrl",
    "Tab",
    "Esc",
    "Enter",
    "Aa",
    "½",
    # Names and output on the style page.
    *("Ada", "Ben", "021 s", "A1 done", "A3 Error"),
}
ATTRIBUTES = re.compile(r'(?:aria-label|title|placeholder|alt)="([^"{]*[a-z][^"{]*)"')


def bare_words_in(template):
    """What a template says without asking for a translation."""
    text = re.sub(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}", "", template, flags=re.S)
    text = re.sub(r"\{% block main_class %\}.*?\{% endblock %\}", "", text)
    text = re.sub(r"\{% blocktranslate.*?\{% endblocktranslate %\}", "", text, flags=re.S)
    attributes = ATTRIBUTES.findall(text)
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "\x00", text, flags=re.S)
    text = re.sub(r"<(script|style|code|kbd).*?</\1>", "", text, flags=re.S)
    pieces = re.split(r"\x00|<[^>]*>", text)
    words = [re.sub(r"[^\w ]", "", piece).strip() for piece in (*pieces, *attributes)]
    return [word for word in words if re.search(r"[^\W\d_]", word) and word not in SAID_AS_IT_IS]


def test_no_template_says_anything_that_cannot_be_translated():
    found = {
        str(path.relative_to(ROOT)): bare_words_in(path.read_text()) for path in files(".html")
    }
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.django_db
def test_a_lesson_says_in_which_language_it_is_where_the_page_is_in_another(client):
    client.post("/reading/", {"language": "de"})
    page = client.get("/lessons/tiny/")
    assert element(page, "h1").attrs["lang"] == "en"
    assert {e.attrs["lang"] for e in elements(page, class_="command-actions")} == {"de"}
    client.post("/reading/", {"language": "en"})
    assert "lang" not in element(client.get("/lessons/tiny/"), "h1").attrs
