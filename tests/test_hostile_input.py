"""Whatever a browser can send, the answer is a page in words and never a bug of ours."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode, urlsplit

import pytest
from django.db import transaction
from django.urls import Resolver404, resolve

from tests.factories import make_user
from tests.markup import elements, words_of
from tests.site_walk import SENT, all_addresses, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.core]

STREAM = "labs:run-events"
"""Answered by a server of its own, from threads of its own."""
ADDRESSES = {
    name: parameters
    for name, parameters in all_addresses().items()
    if not name.startswith("admin:") and name != STREAM
}
WALKERS = ("owner", "admin")
NOT_IN_FORMS = {
    "course:hand-in": ["attempt"],
    "course:join": ["code"],
    "course:marking": ["mark", "give", "points", "comment", "version", "rubric"],
    "course:new-key": ["fingerprint"],
    "course:remark-answer": ["points", "comment", "line"],
    "course:review": ["points", "comment"],
    "course:same-answers": ["fingerprint", "points", "comment", "give", "answer"],
    "course:same-answers-undo": ["group"],
    "labs:lab-bulk": ["lab", "labs", "text", "query"],
    "labs:terminal-open": ["number", "session"],
    "labs:wish-create": ["to", "name"],
}
"""Fields that scripts send, or forms of other states of a page."""
QUERIES = {
    "course:assignment-create": ["lesson", "track"],
    "course:board": ["page", "seen", "names"],
    "course:gradebook": ["sort", "show", "q", "page"],
    "course:marking": ["mark", "way", "step"],
    "course:rubric": ["step"],
    "course:same-answers": ["step", "answer"],
    "labs:audit-list": ["q", "actor", "action", "subject", "page", "since", "until"],
    "labs:file-difference": ["before", "after", "name"],
    "labs:file-history": ["before"],
    "labs:lab-list": ["q", "page", "lab", "order", "state", "host", "class"],
    "labs:limit-edit": ["scope"],
    "labs:terminal-replay": ["q"],
}
ODD = {
    "long": b"x" * 20_000,
    "not-utf-8": b"%ED%A0%80%FF%C0%80",
    "turned round": quote("\u202e\u200b\ufeff\u2028٣²").encode(),
    "very many digits": b"9" * 5_000,
    "beyond the database": str(2**63).encode(),
    "a huge power": b"1e999999999",
    "the last day": b"9999-12-31T23:59",
    "markup": quote("<script>alert(1)</script>'\"=cmd|\r\nSet-Cookie: a=b").encode(),
}
"""As a form's body and an address spell them."""
NUMBER = re.compile(r"(?<=/)\d+(?=/)")


@pytest.fixture(scope="module")
def fields(django_db_setup, django_db_blocker):
    """Name of an address → the fields of its forms, with what they hold."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        found = {name: dict(sent) for name, sent in SENT.items()}
        for name, names in NOT_IN_FORMS.items():
            found[name] = dict.fromkeys(names, "") | found.get(name, {})
        for address, person in ((a, p) for a in ADDRESSES for p in WALKERS):
            path = world.address(address, ADDRESSES[address])
            for name, sent in forms_of(world.client(person).get(path), path):
                found[name] = sent | found.get(name, {})
        transaction.set_rollback(True)
    return {name: sent for name, sent in found.items() if name in ADDRESSES}


def forms_of(response, path):
    """Address and fields of each form of a page that posts."""
    is_page = not response.streaming and "html" in response.headers.get("Content-Type", "")
    action = ""
    names = {}
    for each in elements(response) if is_page else []:
        if each.tag == "form":
            action, names = each.attrs.get("action") or path, {}
        elif action and each.tag in ("input", "select", "textarea", "button"):
            names[each.attrs.get("name", "")] = each.attrs.get("value", "")
            yield name_at(action), {key: value for key, value in names.items() if key}


def name_at(address):
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return ""


def statuses(client, requests):
    """Of each of these, as if none of the others had been made."""
    found = {}
    for key, ask in requests.items():
        with transaction.atomic():
            found[key] = ask(client).status_code
            transaction.set_rollback(True)
    return found


def post(path, body):
    form = "application/x-www-form-urlencoded"
    return lambda client: client.generic("POST", path, body, content_type=form)


def get(path, query):
    return lambda client: client.get(path, QUERY_STRING=query)


def body_with(sent, field, spelled):
    rest = urlencode({name: value for name, value in sent.items() if name != field})
    return f"{rest}&{quote(field)}=".encode() + spelled


def walk_forms(world, fields, values):
    """(address, field, value) → the request that sends it with all else as the page has it."""
    return {
        (name, field, value): post(
            world.address(name, ADDRESSES[name]), body_with(sent, field, values[value])
        )
        for name, sent in fields.items()
        for field in sent
        for value in values
    }


def walk_queries(world, values):
    return {
        (name, field, value): get(
            world.address(name, ADDRESSES[name]), f"{field}={values[value].decode()}"
        )
        for name, names in QUERIES.items()
        for field in names
        for value in values
    }


def test_the_forms_of_the_site_were_found(fields):
    assert {"course:answers-save", "course:review", "labs:limit-edit"} <= fields.keys()
    assert "comment" in fields["course:review"]
    assert sum(map(len, fields.values())) > 100


def test_a_nul_character_is_refused_in_words_in_every_field(fields):
    world = make_world()
    nul = {"nul": b"a%00b"}
    asked = walk_forms(world, fields, nul) | walk_queries(world, nul)
    for person in ("owner", "admin"):
        answers = statuses(world.client(person), asked)
        assert {key: status for key, status in answers.items() if status != 400} == {}


def test_a_nul_character_is_refused_in_the_name_of_a_field_in_an_address_and_in_a_file_form(client):
    refused = [
        client.post("/join/", "a%00b=c", content_type="application/x-www-form-urlencoded"),
        client.post("/join/", {"code": "a\0b"}),
        client.get("/join/a%00b/"),
        client.get("/accounts/login/?next=%00"),
    ]
    assert [response.status_code for response in refused] == [400] * len(refused)
    assert "too large or damaged, so nothing was changed" in words_of(refused[0])


@pytest.mark.parametrize("cookie", ["sessionid", "csrftoken", "reading", "track", "device"])
@pytest.mark.parametrize("text", ['"a\\000bcdefghij"', "\udcff\udcff", "x" * 4000, "....", "a:b:c"])
def test_a_broken_cookie_is_as_good_as_none(client, cookie, text):
    make_user("ada")
    headers = {
        "HTTP_COOKIE": f"{cookie}={text}".encode("utf-8", "surrogateescape").decode("latin-1")
    }
    asked = [client.get("/", **headers), client.get("/lessons/checkpoints/", **headers)]
    known = {"login": "ada", "password": "a good passphrase"}
    asked.append(client.post("/accounts/login/", known, **headers))
    assert [response.status_code for response in asked] == [200, 200, 302]


def test_odd_texts_in_forms_are_answered_in_words(fields):
    """All of a form's fields at once: which of them is looked at first is its page's business."""
    world = make_world()
    asked = {
        (name, value): post(
            world.address(name, ADDRESSES[name]),
            b"&".join(quote(field).encode() + b"=" + spelled for field in sent),
        )
        for name, sent in fields.items()
        for value, spelled in ODD.items()
    }
    answers = statuses(world.client("admin"), asked)
    assert {key: status for key, status in answers.items() if status >= 500} == {}


def test_odd_texts_in_queries_are_answered_in_words():
    world = make_world()
    answers = statuses(world.client("admin"), walk_queries(world, ODD))
    assert {key: status for key, status in answers.items() if status >= 500} == {}


def test_a_number_beyond_the_database_names_nothing():
    world = make_world()
    paths = {world.address(name, parameters) for name, parameters in ADDRESSES.items()}
    asked = {
        (path, len(digits), method): generic(method, NUMBER.sub(digits, path))
        for path in paths
        if NUMBER.search(path)
        for digits in (str(2**63), "9" * 300)
        for method in ("GET", "POST")
    }
    answers = statuses(world.client("admin"), asked)
    assert len(asked) > 100
    assert set(answers.values()) <= {404, 405}


def generic(method, path):
    return lambda client: client.generic(method, path)


@pytest.mark.parametrize(
    "name", ["x" * 5000, "%ED%A0%80", "..%2f..%2fetc", "a%0d%0ab", "%E2%80%AE"]
)
def test_odd_names_in_addresses_name_nothing(name):
    world = make_world()
    spelled = {"slug": "tiny", "username": "owner", "code": world.classroom.join_code}
    asked = {}
    for address, parameters in ADDRESSES.items():
        path = world.address(address, parameters)
        for parameter in spelled.keys() & set(parameters):
            odd = path.replace(f"/{spelled[parameter]}/", f"/{name}/")
            asked[address, "GET"] = generic("GET", odd)
            asked[address, "POST"] = generic("POST", odd)
    answers = statuses(world.client("admin"), asked)
    assert {key: status for key, status in answers.items() if status >= 500} == {}


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "text/plain",
        "a",
    ],
)
def test_forms_of_another_kind_are_answered_in_words(fields, content_type):
    world = make_world()
    asked = {name: post_as(content_type, world.address(name, ADDRESSES[name])) for name in fields}
    answers = statuses(world.client("admin"), asked)
    assert {name: status for name, status in answers.items() if status >= 500} == {}


def post_as(content_type, path):
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a\r\nb"\r\n\r\n{"\xff'
    return lambda client: client.generic("POST", path, body, content_type=content_type)
