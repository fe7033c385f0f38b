"""The console's page of images, and building one anew by wish with its log."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from course.library import get_lesson
from course.models import Rehearsal
from labs import images
from labs.models import AuditEntry, Host, Image, ImageBuild
from labs.refusal import Refused
from tests.factories import make_admin
from tests.labs.console.helpers import HTMX, MIB, make_lab, queries_of
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

IMAGES = reverse("labs:image-list")
DIGEST = "sha256:" + "a1" * 32


@pytest.fixture
def host():
    return Host.objects.create(name="lab1")


def make_image(host, digest=DIGEST, **fields):
    now = timezone.now()
    defaults = {"tags": ["agent-lab/agent:one"], "size_bytes": 375 * MIB, "made_at": now}
    return Image.objects.create(host=host, digest=digest, seen_at=now, **(defaults | fields))


def row_of(page):
    return elements(page, "tr")[1].words


def build_path(host):
    return reverse("labs:image-build", args=[host.pk])


def test_an_image_tells_its_size_and_who_uses_it(client, admin, host, settings):
    settings.LAB_IMAGE = "agent-lab/agent:one"
    make_image(host)
    make_lab(state="ready", host=host, image=DIGEST)
    make_lab(state="absent", host=host, image=DIGEST)
    row = row_of(client.get(IMAGES))
    assert row.startswith("a1a1a1a1a1a1 new labs start from it agent-lab/agent:one lab1 375 MiB")
    assert " 1 no lesson yet" in row


def test_an_image_tells_how_each_lesson_was_rehearsed_in_it(client, admin, host):
    make_image(host)
    for slug, version, is_good in [
        ("tiny", get_lesson("tiny").version, False),
        ("tiny", "0", True),
    ]:
        Rehearsal.objects.create(lesson=slug, lesson_version=version, image=DIGEST, is_good=is_good)
    assert "tiny: an older version of the lesson, all commands good" in row_of(client.get(IMAGES))
    Rehearsal.objects.all().delete()
    version = get_lesson("tiny").version
    Rehearsal.objects.create(lesson="tiny", lesson_version=version, image=DIGEST, is_good=False)
    assert "tiny: drifted" in row_of(client.get(IMAGES))


def test_many_images_take_as_many_queries_as_one(client, admin, host):
    make_image(host)
    few = queries_of(client, IMAGES)
    for number in range(20):
        make_image(host, digest=f"sha256:{number:064}")
    assert queries_of(client, IMAGES) == few


def test_a_build_asks_once_more_then_is_a_wish_with_an_entry_in_the_log(client, admin, host):
    assert "Build the image anew on lab1?" in words_of(client.post(build_path(host)))
    assert not ImageBuild.objects.exists()
    page = client.post(build_path(host), {"confirmed": "yes"}, follow=True)
    build = ImageBuild.objects.get()
    assert (build.state, build.asked_by) == ("waiting", admin)
    assert page.redirect_chain[-1][0] == reverse("labs:build-detail", args=[build.pk])
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject_name, entry.detail) == (
        "build image",
        "lab1",
        {"build": build.pk},
    )


def test_one_build_at_a_time_on_one_host(host):
    boss = make_admin()
    images.request_build(host, actor=boss)
    with pytest.raises(Refused, match="is being built on this host already"):
        images.request_build(host, actor=boss)
    images.request_build(Host.objects.create(name="lab2"), actor=boss)
    assert ImageBuild.objects.count() == 2


def test_a_build_that_nobody_took_up_fails_and_makes_way_for_the_next(host):
    images.request_build(host, actor=None)
    ImageBuild.objects.update(state_deadline_at=timezone.now() - timedelta(seconds=1))
    images.request_build(host, actor=None)
    newer, older = ImageBuild.objects.all()
    assert (newer.state, older.state) == ("waiting", "failed")
    assert "No worker took it up" in older.reason


def test_the_worker_keeps_the_log_of_a_build(host, settings, site_engine):
    settings.LAB_BUILD_COMMAND = ["sh", "-c", "echo step one; echo $SHOW_STEPS >&2"]
    build = images.request_build(host, actor=None)
    images.build_image(build.pk)
    build.refresh_from_db()
    assert (build.state, build.reason) == ("done", "")
    assert build.log == "step one\nyes\n"
    assert host.images.filter(size_bytes__gt=0).exists()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["sh", "-c", "echo broken; exit 3"], "exit code 3"),
        (["no-such-program-at-all"], "This worker can't build images"),
    ],
)
def test_a_build_that_fails_says_why(host, settings, command, reason):
    settings.LAB_BUILD_COMMAND = command
    build = images.request_build(host, actor=None)
    images.build_image(build.pk)
    build.refresh_from_db()
    assert build.state == "failed"
    assert reason in build.reason


def test_a_build_is_carried_out_once_however_often_it_is_rung(host, settings, tmp_path):
    settings.LAB_BUILD_COMMAND = ["sh", "-c", f"echo x >> {tmp_path}/count; exit 1"]
    build = images.request_build(host, actor=None)
    images.build_image(build.pk)
    images.build_image(build.pk)
    assert (tmp_path / "count").read_text() == "x\n"


def test_the_log_is_shown_as_far_as_it_got_and_asked_for_again_until_it_is_over(
    client, admin, host
):
    build = images.request_build(host, actor=admin)
    ImageBuild.objects.update(log="<b>step</b> one\n")
    path = reverse("labs:build-detail", args=[build.pk])
    assert element(client.get(path), "pre").words == "<b>step</b> one"
    fragment = client.get(path, **HTMX)
    assert not elements(fragment, "html")
    assert element(fragment, id="build").attrs["hx-get"] == path
    ImageBuild.objects.update(state="done")
    assert "hx-get" not in element(client.get(path, **HTMX), id="build").attrs


def test_staff_needs_the_right_to_build_images(client, host):
    helper = make_admin()
    client.force_login(helper)
    assert client.post(build_path(host), {"confirmed": "yes"}).status_code == 403
    helper.user_permissions.add(Permission.objects.get(codename="add_imagebuild"))
    assert client.post(build_path(host), {"confirmed": "yes"}).status_code == 302
