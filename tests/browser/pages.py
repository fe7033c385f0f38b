"""Every page that somebody can open, for tests and screenshots that look at all of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.served import REPOSITORY, ServedSite
from tests.browser.steps import run_to_the_end

TINY = "/lessons/tiny/"
LESSON = "/lessons/checkpoints/"
PAGES = {
    "visitor": (
        "/",
        LESSON,
        "/accounts/login/",
        "/accounts/signup/",
        "/reading/",
        "/nowhere/",
        "/join/",
        "/join/{code}/",
        "/accounts/inactive/",
    ),
    "student1": (
        "/",
        LESSON,
        TINY,
        f"{TINY}blocks/hello/",
        f"{TINY}blocks/fails/runs/",
        f"{LESSON}guide/",
        "/classes/",
        "/help/",
        "/terminal/",
        "/terminals/of/student1/",
        "/accounts/logout/",
        "/todo/",
        "/join/",
        "/privacy/",
        "/privacy/delete/",
        "/lab/",
        "/lab/files/",
        "/join/{code}/",
        "/assignments/1/",
        "/assignments/{open}/",
        "/hand-ins/1/",
        "{run}",
    ),
    "teacher": (
        "/classes/",
        "/classes/1/",
        "/classes/1/students/student1/",
        f"{LESSON}guide/",
        "/classes/new/",
        "/classes/1/settings/",
        "/classes/1/code/",
        "/classes/1/people/",
        "/classes/1/roster/",
        "/classes/1/accounts/",
        "/classes/1/assignments/",
        "/classes/1/assignments/new/",
        "/classes/1/gradebook/",
        "/classes/1/download/",
        "/classes/1/labs/",
        "/assignments/1/",
        "/assignments/1/edit/",
        "/assignments/1/board/",
        "/assignments/1/marking/",
        "/assignments/1/marking/?show=all",
        "/assignments/1/rubric/",
        "/assignments/1/asked/",
        "/assignments/1/guide/",
        "/assignments/1/gradebook/",
        "/assignments/1/review/student1/",
        "/assignments/1/review/student2/",
        "/hand-ins/1/",
        "/classes/{full}/",
        "/classes/{full}/settings/",
        "/classes/{full}/people/",
        "/classes/{full}/code/",
        "/classes/{full}/labs/",
        "/classes/{full}/download/",
        "/classes/{full}/assignments/",
        "/classes/{full}/assignments/new/?lesson=tiny",
        "/classes/{full}/gradebook/",
        "/classes/{empty}/roster/{bad_plan}/",
        "/classes/{full}/roster/{plan}/",
        "/classes/{full}/students/mara/",
        "/assignments/{assignment}/",
        "/assignments/{assignment}/board/",
        "/assignments/{assignment}/marking/",
        "/assignments/{assignment}/marking/same/?mark={mark}&points=2",
        "/assignments/{assignment}/marking/same/?mark={mark}&points=99",
        "/assignments/{assignment}/rubric/",
        "/assignments/{assignment}/guide/",
        "/assignments/{assignment}/gradebook/",
        "/assignments/{assignment}/review/mara/",
        "/assignments/{open}/board/",
        "/assignments/{open}/marking/",
        "/assignments/{open}/asked/",
        "/assignments/{open}/gradebook/",
        "/runs/{broken_run}/",
        "/terminals/of/mara/",
        "/terminals/{terminal}/?run={broken_run}&q=node",
        "/lab/{lab}/",
        "/lab/{lab}/files/",
        "/lab/{lab}/files/{after}/",
        "/lab/{lab}/files/{after}/file/job.js",
        "/lab/{lab}/files/difference/?before={before}&after={after}",
        "/lab/{lab}/files/difference/?before={before}&after={after}&name=job.js",
        "/classes/{empty}/",
        "/classes/{empty}/people/",
        "/classes/{empty}/labs/",
        "/classes/{empty}/assignments/",
        "/classes/{empty}/gradebook/",
        "/classes/{over}/",
        "/classes/{over}/settings/",
    ),
    "admin": (
        "/authors/",
        "/authors/checkpoints/",
        f"{LESSON}state/",
        "/labs/",
        "/design/",
        "/labs/1/",
        "/labs/queue/",
        "/labs/hosts/",
        "/labs/hosts/1/",
        "/labs/limits/",
        "/labs/limits/edit/?scope=lesson:tiny",
        "/labs/images/",
        "/labs/audit/",
        "/labs/{lab}/",
        "/labs/?q=nobody-of-this-name",
        "/labs/audit/?words=nobody-of-this-name",
        "/labs/images/builds/{build}/",
    ),
}
"""What stands in braces is made by `make_work`; numbers are those of a fresh site."""

WRONG: dict[str, dict[str, str]] = {
    "visitor": {
        "/accounts/login/": "main form button",
        "/accounts/signup/": "main form button",
        "/join/": "main form button",
    },
    "teacher": {
        "/classes/new/": "main form button",
        "/classes/{full}/settings/": "main form button",
        "/classes/{full}/roster/": "main form button",
        "/classes/{full}/accounts/": "main form button",
        "/classes/{full}/assignments/new/?lesson=tiny": "main form button",
        "/assignments/{assignment}/marking/": ".mark-form .button[value=typed]",
    },
    "admin": {"/labs/limits/edit/?scope=lesson:tiny": "main form button"},
}
"""Forms that are sent with nothing in them: path → the button."""


ALL = [(person, path) for person, paths in PAGES.items() for path in paths]
ALL_WRONG = [(person, path) for person, forms in WRONG.items() for path in forms]


def make_names(site: ServedSite) -> Mapping[str, Any]:
    """What to put in the braces of the addresses, once it is there to be seen."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.make_work"],
        cwd=REPOSITORY,
        env=dict(site.env) | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def press_in_vain(page: Page, person: str, path: str, names: Mapping[str, Any]) -> Page:
    """The page after its form was sent with every field emptied."""
    page.goto(path.format_map(names))
    button = WRONG[person][path]
    page.locator(button).first.evaluate("""button => {
        button.form.noValidate = true;
        for (const field of button.form.elements)
            if (!["hidden", "submit", "button", "checkbox", "radio"].includes(field.type))
                field.value = "";
    }""")
    page.locator(button).first.click()
    expect(page.locator("main :is(.errorlist, .refusal, .field-error)").first).to_be_visible()
    return page


def do_some_work(page: Page) -> str:
    """Gives a student's pages something to show; where their newest run is."""
    page.goto(TINY)
    page.get_by_label("Answer: A cell of a teacher").fill("My own words about it.")
    for block_id in ("hello", "colours", "fails"):
        shown = run_to_the_end(page, block_id)
    text = shown.get_by_role("link", name="Output as text").get_attribute("href") or ""
    return text.removesuffix("output.txt")
