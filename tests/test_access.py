"""Who gets what at every address of the site: one table, and no address may be missing from it."""

from __future__ import annotations

from itertools import product

import pytest

from tests.site_walk import PEOPLE, SENT, all_addresses, make_world

pytestmark = pytest.mark.django_db

# Columns as in PEOPLE. `login` is a redirect to the log-in page; anything else is the status.
TABLE = """
                                visitor owner other assistant teacher stranger admin
GET  course:home                200     200   200   200       200     200      200
POST course:home                405     405   405   405       405     405      405
GET  course:healthz             200     200   200   200       200     200      200
POST course:healthz             405     405   405   405       405     405      405
GET  course:readyz              200     200   200   200       200     200      200
POST course:readyz              405     405   405   405       405     405      405
GET  labs:metrics-detail        404     404   404   404       404     404      200
POST labs:metrics-detail        405     405   405   405       405     405      405
GET  course:reading             200     200   200   200       200     200      200
POST course:reading             302     302   302   302       302     302      302
GET  course:help                login   200   200   200       200     200      200
POST course:help                login   302   302   302       302     302      302
GET  course:help-answer         login   405   405   405       405     405      405
POST course:help-answer         login   404   404   302       302     404      302
GET  course:design              login   403   403   403       403     403      200
POST course:design              login   405   405   405       405     405      405
GET  course:draft-list          login   403   403   403       403     403      200
POST course:draft-list          login   405   405   405       405     405      405
GET  course:lesson-preview      login   403   403   403       403     403      200
POST course:lesson-preview      login   405   405   405       405     405      405
GET  course:lesson-detail       200     200   200   200       200     200      200
POST course:lesson-detail       405     405   405   405       405     405      405
GET  course:track-choose        405     405   405   405       405     405      405
POST course:track-choose        302     302   302   302       302     302      302
GET  course:guide-detail        login   403   403   200       200     200      200
POST course:guide-detail        login   405   405   405       405     405      405
GET  course:lesson-file         200     200   200   200       200     200      200
POST course:lesson-file         405     405   405   405       405     405      405
GET  course:lesson-state        login   403   403   403       403     403      200
POST course:lesson-state        login   405   405   405       405     405      405
GET  course:answers-save        login   405   405   405       405     405      405
POST course:answers-save        login   302   302   302       302     302      302
GET  course:gap-save            login   405   405   405       405     405      405
POST course:gap-save            login   200   200   200       200     200      200
GET  course:block-detail        login   200   200   200       200     200      200
POST course:block-detail        login   405   405   405       405     405      405
GET  course:block-run           login   405   405   405       405     405      405
POST course:block-run           login   302   302   302       302     302      302
GET  course:block-run-list      login   200   200   200       200     200      200
POST course:block-run-list      login   405   405   405       405     405      405
GET  course:classroom-list      login   200   200   200       200     200      200
POST course:classroom-list      login   405   405   405       405     405      405
GET  course:classroom-detail    login   404   404   200       200     404      200
POST course:classroom-detail    login   405   405   405       405     405      405
GET  course:muster-detail       login   404   404   404       200     404      200
POST course:muster-detail       login   405   405   405       405     405      405
GET  course:muster-begin        login   405   405   405       405     405      405
POST course:muster-begin        login   404   404   404       302     404      302
GET  course:muster-repair       login   405   405   405       405     405      405
POST course:muster-repair       login   404   404   404       302     404      302
GET  labs:lab-notice            login   200   200   200       200     200      200
POST labs:lab-notice            login   405   405   405       405     405      405
GET  labs:lab-keep              login   405   405   405       405     405      405
POST labs:lab-keep              login   302   302   302       302     302      302
GET  course:student-work        login   404   404   200       200     404      200
POST course:student-work        login   405   405   405       405     405      405
GET  course:join                200     200   200   200       200     200      200
POST course:join                302     302   302   302       302     302      302
GET  course:join-confirm        200     200   200   200       200     200      200
POST course:join-confirm        login   302   302   302       302     302      302
GET  course:classroom-create    login   403   403   403       200     200      200
POST course:classroom-create    login   403   403   403       302     302      302
GET  course:classroom-settings  login   404   404   404       200     404      200
POST course:classroom-settings  login   404   404   404       302     404      302
GET  course:classroom-archive   login   405   405   405       405     405      405
POST course:classroom-archive   login   404   404   404       302     404      302
GET  course:class-download      login   404   404   404       200     404      200
POST course:class-download      login   404   404   404       200     404      200
GET  course:classroom-leave     login   405   405   405       405     405      405
POST course:classroom-leave     login   302   404   302       302     404      404
GET  course:join-code           login   404   404   404       200     404      200
POST course:join-code           login   404   404   404       302     404      302
GET  course:join-qr             login   404   404   404       200     404      200
POST course:join-qr             login   405   405   405       405     405      405
GET  course:member-list         login   404   404   404       200     404      200
POST course:member-list         login   405   405   405       405     405      405
GET  course:member-remove       login   405   405   405       405     405      405
POST course:member-remove       login   404   404   404       302     404      302
GET  course:member-role         login   405   405   405       405     405      405
POST course:member-role         login   404   404   404       302     404      302
GET  course:request-answer      login   405   405   405       405     405      405
POST course:request-answer      login   404   404   404       302     404      302
GET  course:invitation-create   login   405   405   405       405     405      405
POST course:invitation-create   login   404   404   404       302     404      302
GET  course:invitation-withdraw login   405   405   405       405     405      405
POST course:invitation-withdraw login   404   404   404       302     404      302
GET  course:invitation-answer   login   405   405   405       405     405      405
POST course:invitation-answer   login   404   302   404       404     404      404
GET  course:account-create      login   404   404   404       200     404      200
POST course:account-create      login   404   404   404       200     404      200
GET  course:passphrase-reset    login   405   405   405       405     405      405
POST course:passphrase-reset    login   404   404   404       302     404      302
GET  course:roster              login   404   404   404       200     404      200
POST course:roster              login   404   404   404       200     404      200
GET  course:roster-plan         login   404   404   404       200     404      404
POST course:roster-plan         login   404   404   404       302     404      404
GET  course:roster-export       login   404   404   404       200     404      200
POST course:roster-export       login   405   405   405       405     405      405
GET  course:privacy             login   200   200   200       200     200      200
POST course:privacy             login   405   405   405       405     405      405
GET  course:data-export         login   200   200   200       200     200      200
POST course:data-export         login   405   405   405       405     405      405
GET  course:data-delete         login   200   200   200       200     200      200
POST course:data-delete         login   200   200   200       200     200      200
GET  course:todo                login   200   200   200       200     200      200
POST course:todo                login   405   405   405       405     405      405
GET  course:assignment-list     login   404   404   200       200     404      200
POST course:assignment-list     login   405   405   405       405     405      405
GET  course:assignment-create   login   404   404   404       200     404      200
POST course:assignment-create   login   404   404   404       200     404      200
GET  course:class-gradebook     login   404   404   200       200     404      200
POST course:class-gradebook     login   405   405   405       405     405      405
GET  course:class-export        login   404   404   404       200     404      200
POST course:class-export        login   405   405   405       405     405      405
GET  course:assignment-detail   login   200   404   200       200     404      200
POST course:assignment-detail   login   405   405   405       405     405      405
GET  course:assignment-edit     login   404   404   404       200     404      200
POST course:assignment-edit     login   404   404   404       200     404      200
GET  course:assignment-delete   login   405   405   405       405     405      405
POST course:assignment-delete   login   404   404   404       302     404      404
GET  course:extension-give      login   405   405   405       405     405      405
POST course:extension-give      login   404   404   404       302     404      302
GET  course:extension-take-back login   405   405   405       405     405      405
POST course:extension-take-back login   404   404   404       302     404      404
GET  course:marks-release       login   405   405   405       405     405      405
POST course:marks-release       login   404   404   404       302     404      302
GET  course:hand-in             login   405   405   405       405     405      405
POST course:hand-in             login   302   404   404       404     404      404
GET  course:handin-detail       login   200   404   200       200     404      200
POST course:handin-detail       login   405   405   405       405     405      405
GET  course:handin-withdraw     login   405   405   405       405     405      405
POST course:handin-withdraw     login   302   404   404       404     404      404
GET  course:handin-manifest     login   200   404   200       200     404      200
POST course:handin-manifest     login   405   405   405       405     405      405
GET  course:remark-ask          login   405   405   405       405     405      405
POST course:remark-ask          login   302   404   404       404     404      404
GET  course:remark-list         login   404   404   200       200     404      200
POST course:remark-list         login   405   405   405       405     405      405
GET  course:remark-answer       login   405   405   405       405     405      405
POST course:remark-answer       login   404   404   302       200     404      200
GET  course:rubric              login   404   404   200       200     404      200
POST course:rubric              login   404   404   302       302     404      302
GET  course:marking             login   404   404   200       200     404      200
POST course:marking             login   404   404   404       404     404      404
GET  course:same-answers        login   404   404   404       404     404      404
POST course:same-answers        login   404   404   404       404     404      404
GET  course:same-answers-undo   login   405   405   405       405     405      405
POST course:same-answers-undo   login   404   404   404       404     404      404
GET  course:new-key             login   404   404   404       200     404      200
POST course:new-key             login   404   404   404       200     404      200
GET  course:board               login   404   404   200       200     404      200
POST course:board               login   405   405   405       405     405      405
GET  course:class-guide         login   404   404   200       200     404      200
POST course:class-guide         login   405   405   405       405     405      405
GET  course:review              login   404   404   200       200     404      200
POST course:review              login   404   404   302       200     404      200
GET  course:gradebook           login   404   404   200       200     404      200
POST course:gradebook           login   405   405   405       405     405      405
GET  course:marks-export        login   404   404   404       200     404      200
POST course:marks-export        login   405   405   405       405     405      405
GET  labs:run-detail            login   200   404   200       200     404      200
POST labs:run-detail            login   405   405   405       405     405      405
GET  labs:run-output            login   200   404   200       200     404      200
POST labs:run-output            login   405   405   405       405     405      405
GET  labs:run-in-terminal       login   302   404   302       302     404      302
POST labs:run-in-terminal       login   405   405   405       405     405      405
GET  labs:run-stop              login   405   405   405       405     405      405
POST labs:run-stop              login   302   404   404       404     404      302
GET  labs:terminal-detail       login   200   200   200       200     200      200
POST labs:terminal-detail       login   405   405   405       405     405      405
GET  labs:terminal-open         login   405   405   405       405     405      405
POST labs:terminal-open         login   200   200   200       200     200      200
GET  labs:terminal-list         login   200   404   200       200     404      200
POST labs:terminal-list         login   405   405   405       405     405      405
GET  labs:terminal-replay       login   200   404   200       200     404      200
POST labs:terminal-replay       login   405   405   405       405     405      405
GET  labs:terminal-cast         login   200   404   200       200     404      200
POST labs:terminal-cast         login   405   405   405       405     405      405
GET  labs:terminal-text         login   200   404   200       200     404      200
POST labs:terminal-text         login   405   405   405       405     405      405
GET  labs:terminal-watch        login   404   404   200       200     404      200
POST labs:terminal-watch        login   405   405   405       405     405      405
GET  labs:terminal-ticket       login   405   405   405       405     405      405
POST labs:terminal-ticket       login   404   404   200       200     404      200
GET  labs:my-lab                login   302   302   302       302     302      302
POST labs:my-lab                login   405   405   405       405     405      405
GET  labs:my-files              login   302   302   302       302     302      302
POST labs:my-files              login   405   405   405       405     405      405
GET  labs:lab-care              login   200   404   404       200     404      200
POST labs:lab-care              login   405   405   405       405     405      405
GET  labs:wish-create           login   405   405   405       405     405      405
POST labs:wish-create           login   302   404   404       302     404      302
GET  labs:wish-undo             login   405   405   405       405     405      405
POST labs:wish-undo             login   302   404   404       302     404      302
GET  labs:file-history          login   200   404   200       200     404      200
POST labs:file-history          login   405   405   405       405     405      405
GET  labs:file-difference       login   200   404   200       200     404      200
POST labs:file-difference       login   405   405   405       405     405      405
GET  labs:checkpoint-detail     login   200   404   200       200     404      200
POST labs:checkpoint-detail     login   405   405   405       405     405      405
GET  labs:files-zip             login   200   404   200       200     404      200
POST labs:files-zip             login   405   405   405       405     405      405
GET  labs:file-detail           login   200   404   200       200     404      200
POST labs:file-detail           login   405   405   405       405     405      405
GET  labs:file-download         login   200   404   200       200     404      200
POST labs:file-download         login   405   405   405       405     405      405
GET  labs:run-events            404     200   404   200       200     404      200
POST labs:run-events            405     405   405   405       405     405      405
GET  labs:lab-list              login   403   403   403       403     403      200
POST labs:lab-list              login   405   405   405       405     405      405
GET  labs:lab-detail            login   403   403   403       403     403      200
POST labs:lab-detail            login   405   405   405       405     405      405
GET  labs:lab-bulk              login   405   405   405       405     405      405
POST labs:lab-bulk              login   403   403   403       403     403      302
GET  labs:queue-list            login   403   403   403       403     403      200
POST labs:queue-list            login   405   405   405       405     405      405
GET  labs:queue-ring            login   405   405   405       405     405      405
POST labs:queue-ring            login   403   403   403       403     403      302
GET  labs:host-list             login   403   403   403       403     403      200
POST labs:host-list             login   405   405   405       405     405      405
GET  labs:host-edit             login   403   403   403       403     403      200
POST labs:host-edit             login   403   403   403       403     403      302
GET  labs:host-drain            login   405   405   405       405     405      405
POST labs:host-drain            login   403   403   403       403     403      200
GET  labs:limit-list            login   403   403   403       403     403      200
POST labs:limit-list            login   405   405   405       405     405      405
GET  labs:limit-edit            login   403   403   403       403     403      200
POST labs:limit-edit            login   403   403   403       403     403      200
GET  labs:limit-remove          login   405   405   405       405     405      405
POST labs:limit-remove          login   403   403   403       403     403      200
GET  labs:image-list            login   403   403   403       403     403      200
POST labs:image-list            login   405   405   405       405     405      405
GET  labs:image-build           login   405   405   405       405     405      405
POST labs:image-build           login   403   403   403       403     403      200
GET  labs:build-detail          login   403   403   403       403     403      200
POST labs:build-detail          login   405   405   405       405     405      405
GET  labs:audit-list            login   403   403   403       403     403      200
POST labs:audit-list            login   405   405   405       405     405      405
GET  labs:message-read          login   405   405   405       405     405      405
POST labs:message-read          login   302   404   404       404     404      404
GET  account_login              200     302   302   302       302     302      302
POST account_login              200     302   302   302       302     302      302
GET  account_signup             200     302   302   302       302     302      302
POST account_signup             200     302   302   302       302     302      302
GET  account_logout             302     200   200   200       200     200      200
POST account_logout             302     302   302   302       302     302      302
GET  account_inactive           200     200   200   200       200     200      200
POST account_inactive           405     405   405   405       405     405      405
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
# A stream reads its rows in threads, which don't see a test's own: tests/browser asks for one.
STREAM = ["GET", "labs:run-events"]
ADDRESSES = all_addresses()
OURS = sorted(name for name in ADDRESSES if name.startswith(("course:", "labs:")))
# Its log-in shows only a form, and its log-out ends a session.
IN_DJANGO_ADMIN = sorted(
    name
    for name in ADDRESSES
    if name.startswith("admin:") and name not in ("admin:login", "admin:logout")
)


@pytest.fixture
def world():
    return make_world()


def answer(world, person, method, name):
    client = world.client(person)
    path = world.address(name, ADDRESSES[name])
    response = client.generic(method, path, **form(name))
    is_to_login = response.get("Location", "").startswith(("/accounts/login/", "/admin/login/"))
    return {True: "login"}.get(is_to_login, str(response.status_code))


def form(name):
    """The body of a form that was sent from the page."""
    sent = "&".join(f"{key}={value}" for key, value in SENT.get(name, {}).items())
    return {"data": sent, "content_type": "application/x-www-form-urlencoded"}


def test_every_address_of_the_site_stands_in_the_table_for_both_methods():
    in_table = sorted((name, method) for method, name, *_ in ROWS)
    with_a_page = sorted(name for name in ADDRESSES if not name.startswith("admin:"))
    assert in_table == [(name, method) for name in with_a_page for method in ("GET", "POST")]


@pytest.mark.parametrize(
    ("method", "name", "expected"),
    [
        pytest.param(row[0], row[1], row[2:], id=f"{row[0]} {row[1]}")
        for row in ROWS
        if row[:2] != STREAM
    ],
)
def test_everybody_gets_what_is_theirs_and_nothing_else(world, method, name, expected):
    answers = [answer(world, person, method, name) for person in PEOPLE]
    assert dict(zip(PEOPLE, answers, strict=True)) == dict(zip(PEOPLE, expected, strict=True))


@pytest.mark.parametrize("name", OURS)
def test_no_page_knows_other_methods(world, name):
    others = product(["visitor", "owner", "admin"], ["PUT", "PATCH", "DELETE", "TRACE"])
    assert {answer(world, *asked, name) for asked in others} <= {"405", "login"}


@pytest.mark.parametrize("name", OURS)
def test_a_head_is_answered_as_its_get(world, name):
    gets = [answer(world, person, "GET", name) for person in PEOPLE]
    assert [answer(world, person, "HEAD", name) for person in PEOPLE] == gets


@pytest.mark.parametrize(
    "name", [name for method, name, *rest in ROWS if method == "POST" and "302" in rest]
)
def test_nothing_is_changed_by_a_form_of_another_site(world, name):
    client = world.client("admin", enforce_csrf_checks=True)
    response = client.post(world.address(name, ADDRESSES[name]), SENT.get(name, {}))
    assert response.status_code == 403


def test_djangos_admin_is_for_admins_only(world):
    asked = list(product(PEOPLE[:-1], ["GET", "POST"], IN_DJANGO_ADMIN))
    answers = {
        (person, method, name): answer(world, person, method, name)
        for person, method, name in asked
    }
    assert answers == dict.fromkeys(asked, "login")


def test_an_admin_gets_into_djangos_admin(world):
    assert answer(world, "admin", "GET", "admin:index") == "200"
