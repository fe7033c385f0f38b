"""What an admin may ask of many labs, of a host and of the queue. Each deed is audited.

As in `labs.requests`, nothing below this module is called from a page.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from labs import audit, lifecycle, queue
from labs.models import Host, ImageBuild, Lab, Run, Wish
from labs.refusal import Refused

MESSAGE_CHARACTERS = 500


def send_message(lab: Lab, *, text: str, actor: Any) -> None:
    """The owner sees it on the next page with a lesson, until it is read. Raises Refused."""
    text = text.strip()
    if not text:
        raise Refused(_("The message was empty, so nothing was sent. Write what they should know."))
    if len(text) > MESSAGE_CHARACTERS:
        raise Refused(
            _("The message is longer than %(most)d characters, so nothing was sent. Shorten it.")
            % {"most": MESSAGE_CHARACTERS}
        )
    with transaction.atomic():
        lifecycle.set_message(lab, text=text)
        audit.record(
            actor=actor,
            action="send message",
            subject=f"lab {lab.pk}",
            subject_name=lab.owner.get_username(),
            before={"message": lab.message},
            after={"message": text},
        )


def note_read(lab: Lab) -> None:
    """Its owner has read the message that the page showed."""
    lifecycle.clear_message(lab, message_at=lab.message_at)


def request_drain(host: Host, *, is_draining: bool, actor: Any) -> None:
    """A draining host starts no lab any more. As it is already is success."""
    with transaction.atomic():
        if lifecycle.set_draining(host, is_draining=is_draining):
            audit.record(
                actor=actor,
                action="drain host" if is_draining else "end drain",
                subject=f"host {host.pk}",
                subject_name=host.name,
                before={"is_draining": not is_draining},
                after={"is_draining": is_draining},
            )


def set_capacity(
    host: Host, *, capacity_bytes: int | None, capacity_labs: int | None, actor: Any
) -> None:
    after = {"capacity_bytes": capacity_bytes, "capacity_labs": capacity_labs}
    before = {name: getattr(host, name) for name in after}
    if before == after:
        return
    with transaction.atomic():
        lifecycle.set_capacity(host, capacity_bytes=capacity_bytes, capacity_labs=capacity_labs)
        audit.record(
            actor=actor,
            action="set capacity",
            subject=f"host {host.pk}",
            subject_name=host.name,
            before=before,
            after=after,
        )


def ring_again(*, actor: Any) -> int:
    """Rings for everything that nobody holds; how many rings. Doubled rings do no harm."""
    now = timezone.now()
    runs = list(Run.objects.nobody_holds(now).select_related("lab__host"))
    wanted = list(Wish.objects.nobody_holds(now).select_related("lab__host"))
    builds = list(ImageBuild.objects.filter(state=ImageBuild.State.WAITING).select_related("host"))
    with transaction.atomic():
        for run in runs:
            queue.enqueue_run(run)
        for wish in wanted:
            queue.enqueue_wish(wish)
        for build in builds:
            queue.enqueue_build(build)
        rung = len(runs) + len(wanted) + len(builds)
        audit.record(actor=actor, action="ring again", subject="queue", rung=rung)
    return rung
