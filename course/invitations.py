"""Those who are asked to teach or help in a class. The only writer of invitations."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from course.classrooms import add_member, refuse_archived, role_in
from course.models import Classroom, Invitation, Membership, User
from labs import audit
from labs.refusal import Refused


@transaction.atomic
def invite(classroom: Classroom, *, actor: User, username: str, role: str) -> Invitation:
    """Raises Refused for names that nobody has, and for members."""
    refuse_archived(classroom)
    user = User.objects.filter(username=username.strip().lower(), is_active=True).first()
    if user is None:
        raise Refused(
            _(
                "Nobody is called “%(name)s” here, so nobody was invited. Check the username with "
                "them: it stands at the top of each of their pages."
            )
            % {"name": username}
        )
    if role_in(classroom, user):
        raise Refused(
            _("%(name)s is in this class already, so nobody was invited.")
            % {"name": user.shown_name}
        )
    invitation, _is_new = Invitation.objects.update_or_create(
        classroom=classroom, user=user, defaults={"role": role, "invited_by": actor}
    )
    _record(invitation, actor, "invite to teach")
    return invitation


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, actor: User) -> None:
    refuse_archived(invitation.classroom)
    _record(invitation, actor, "withdraw invitation")
    invitation.delete()


@transaction.atomic
def accept_invitation(invitation: Invitation) -> Membership:
    """The membership of the one who was invited."""
    refuse_archived(invitation.classroom)
    membership = add_member(
        classroom=invitation.classroom, user=invitation.user, role=invitation.role
    )
    _record(invitation, invitation.user, "accept invitation")
    invitation.delete()
    return membership


@transaction.atomic
def decline_invitation(invitation: Invitation) -> None:
    _record(invitation, invitation.user, "decline invitation")
    invitation.delete()


def _record(invitation: Invitation, actor: User, action: str) -> None:
    audit.record(
        actor=actor,
        action=action,
        subject=f"user {invitation.user_id}",
        subject_name=invitation.user.username,
        after={"role": invitation.role},
        classroom=invitation.classroom_id,
    )
