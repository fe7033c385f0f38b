"""Times pages by calling the site's WSGI application in this very process; prints JSON.

Run by `tests.bench.page_bench` with a VAR_DIR of its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.decorators import login_required  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402

from course.lesson_html import Seen, lesson_html  # noqa: E402
from course.lessons.model import Lesson  # noqa: E402
from course.lessons.parser import parse_lesson  # noqa: E402
from course.library import get_lesson, why_not_runnable  # noqa: E402
from tests.bench.make_reader import SLUG, add_runs, make_reader  # noqa: E402
from tests.bench.page_bench import by_turns  # noqa: E402
from tests.bench.without_server import queries_of, site  # noqa: E402

ROUNDS = 150
MORE_RUNS = 1000
GAPS, BLOCKS = 200, 60


def empty(_request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [
    path("empty/", login_required(empty)),
    path("empty-without-login/", empty),
    path("", include("config.urls")),
]


def measure_pages() -> dict[str, float]:
    """Medians in seconds, and the number of queries of a page."""
    lesson = _lesson()
    (_, few), (user, many) = make_reader(lesson), make_reader(lesson)
    add_runs(user, lesson, MORE_RUNS)
    settings.ROOT_URLCONF = __name__
    ask, page = site(), f"/lessons/{SLUG}/"
    ask(page, few)
    count = queries_of(lambda: ask(page, many))
    times = by_turns(
        ROUNDS,
        empty=lambda: ask("/empty/", few),
        empty_without_login=lambda: ask("/empty-without-login/", few),
        page=lambda: ask(page, few),
        page_grown=lambda: ask(page, many),
    )
    return times | {"queries": count}


def measure_a_large_lesson() -> dict[str, float]:
    """Seconds: reading it, its first page, and the median of later ones."""
    with tempfile.TemporaryDirectory() as folder:
        lesson_folder = Path(folder, "large")
        lesson_folder.mkdir()
        (lesson_folder / "lesson.md").write_text(_large_lesson())
        parse = by_turns(5, parse=lambda: parse_lesson(lesson_folder, why_not_runnable))
        lesson = parse_lesson(lesson_folder, why_not_runnable)
    user, _ = make_reader(lesson)
    began = time.perf_counter()
    lesson_html(lesson, user, "token", Seen())
    first = {"first_render": time.perf_counter() - began}
    later = by_turns(20, render=lambda: lesson_html(lesson, user, "token", Seen()))
    return parse | first | later


def _large_lesson() -> str:
    rows = "".join(f"| Word {n} | What it means | {{gap}}`gap-{n}` |\n" for n in range(GAPS))
    keys = "".join(f"gap-{n}: answer {n}\n" for n in range(GAPS))
    blocks = "".join(
        f":::{{block}} Command {n}\n:id: block-{n}\n\ndocker exec agent echo {n}\n:::\n\n"
        f":::{{output}} block-{n}\n{n}\n:::\n\n"
        for n in range(BLOCKS)
    )
    return (
        "---\ntitle: Large\nslug: large\noutcome: I can wait.\nminutes: 60\n"
        "lab:\n  title: A lab\n---\n\n## All {#all}\n\n"
        f"| Word | Meaning | Example |\n|---|---|---|\n{rows}\n:::{{gaps}}\n{keys}:::\n\n{blocks}"
    )


def _lesson() -> Lesson:
    lesson = get_lesson(SLUG)
    assert lesson is not None
    return lesson.for_track("node")


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    sys.stdout.write(json.dumps(measure_pages() | measure_a_large_lesson()))
