"""A person's own data, all of it gone. What is taken along stands in `course.own_data`."""

from __future__ import annotations

from axes.utils import reset as forget_wrong_passphrases
from django.db import transaction
from django.utils.translation import gettext as _

from course.models import Membership, User
from labs import audit, lifecycle
from labs.models import Host
from labs.refusal import Refused


@transaction.atomic
def erase_person(user: User, *, actor: User | None) -> None:
    """The account and every row, output, recording and checkpoint of it; the lab soon after.

    The lab's machine is taken down by the next sweep of its host, which finds no row for it. Raises
    Refused for admins and for the only teacher of a class.
    """
    _refuse_who_is_needed(user)
    audit.record(actor=actor, action="delete account", subject=audit.subject_of(user))
    forget_wrong_passphrases(username=user.username)
    host = Host.objects.filter(labs__owner=user).first()
    user.delete()
    if host:
        lifecycle.want_sweep(host)


def _refuse_who_is_needed(user: User) -> None:
    if user.is_staff:
        raise Refused(
            _("Admins can't delete their own account, so nothing was deleted. Ask another admin.")
        )
    owned = Membership.objects.current().filter(user=user, role=Membership.Role.TEACHER)
    for membership in owned.select_related("classroom"):
        others = membership.classroom.memberships.current().filter(role=Membership.Role.TEACHER)
        if others.count() == 1:
            raise Refused(
                _(
                    "You are the only teacher of %(name)s, so nothing was deleted. Make somebody "
                    "else a teacher of it first."
                )
                % {"name": membership.classroom.name}
            )
