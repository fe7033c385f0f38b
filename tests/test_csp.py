"""The strict policy stands on every answer, and no page needs what it forbids."""

from __future__ import annotations

from itertools import product

import pytest

from tests.markup import elements
from tests.site_walk import SENT, all_addresses, make_world

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}
ADDRESSES = all_addresses()
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
PLAYER = {**POLICY, "script-src": "'self' 'wasm-unsafe-eval'"}
POLICIES = {"labs:terminal-replay": PLAYER}
"""Pages that need more than the others: asciinema's player is WebAssembly."""
LOADED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "object": "data",
    "form": "action",
}


@pytest.fixture
def world():
    return make_world()


def answers(world, name):
    """What the address says to those who see most of it and least, with and without script."""
    address = world.address(name, ADDRESSES[name])
    for person, headers in product(("visitor", "owner", "admin"), ({}, HTMX)):
        client = world.client(person)
        yield client.get(address, **headers)
        yield client.post(address, SENT.get(name, {}), **headers)


def is_html(response):
    return response["Content-Type"].startswith("text/html")


def policy_of(response):
    directives = [d.strip().split(" ", 1) for d in response["Content-Security-Policy"].split(";")]
    return dict(filter(any, directives))


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_every_answer_has_the_policy_and_nothing_in_it_breaks_it(world, name):
    given = list(answers(world, name))
    policy = POLICIES.get(name, POLICY)
    assert [policy_of(response) for response in given] == [policy] * len(given)
    assert {response["X-Content-Type-Options"] for response in given} == {"nosniff"}
    breaches = [b for r in filter(is_html, given) for b in breaches_of(r.content.decode())]
    assert breaches == []


@pytest.mark.parametrize("path", ["/nowhere/", "/static/nothing.css", "/admin/nothing/"])
def test_an_error_page_has_the_policy_too(world, path):
    response = world.client("admin").get(path)
    assert response.status_code == 404
    assert policy_of(response) == POLICY
    assert breaches_of(response.content.decode()) == []


def breaches_of(html):
    """What a browser would refuse under the policy, and what htmx would evaluate as code."""
    found = elements(html)
    return [
        *(e for e in found if e.tag == "style"),
        *(e for e in found if e.tag == "script" and "src" not in e.attrs),
        *(e for e in found if "style" in e.attrs or any(is_code(name) for name in e.attrs)),
        *(e for e in found if any(v.lower().startswith("javascript:") for v in e.attrs.values())),
        *(e for e in found if not is_here(e.attrs.get(LOADED.get(e.tag, ""), ""))),
    ]


def is_here(address):
    """On this site: nothing, a path of it, or this very page with another query or place."""
    is_path = address.startswith("/") and not address.startswith("//")
    return not address or is_path or address.startswith(("?", "#"))


def is_code(name):
    return name.startswith(("on", "hx-on", "hx-vars")) or name == "hx-vals-js"


@pytest.mark.parametrize(
    "html",
    [
        "<style>p {}</style>",
        "<script>1</script>",
        '<p style="color: red">',
        '<p onclick="x()">',
        '<p hx-on:click="x()">',
        '<a href="JavaScript:x()">',
        '<script src="https://example.org/x.js"></script>',
        '<script src="//example.org/x.js"></script>',
        '<form action="//example.org">',
    ],
)
def test_the_test_itself_sees_each_breach(html):
    assert len(breaches_of(html)) == 1
