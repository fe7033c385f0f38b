"""A class's roster by file: planned, shown, then applied as shown. The only writer of plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _

from course.accounts import (
    MOST_AT_ONCE,
    Card,
    NewAccount,
    Secret,
    change_names,
    make_account,
    make_secrets,
)
from course.classrooms import add_member, end_membership, refuse_archived
from course.models import Classroom, Membership, RosterPlan, User
from course.roster_file import (
    Problem,
    RosterFile,
    RosterLine,
    Unreadable,
    read_roster,
    write_roster,
)
from course.roster_plan import Entry, Kind, Member, Plan, Roster, make_plan, plan_from
from course.usernames import username_from
from labs import audit
from labs.refusal import Refused

KEPT = timedelta(hours=12)
MANAGING = (Membership.Role.TEACHER, Membership.Role.CO_TEACHER)


def preview_roster(
    classroom: Classroom, *, actor: User, data: bytes, remove_missing: bool
) -> RosterPlan:
    """The plan as a row, and no other change. Raises Refused where `data` is no roster."""
    refuse_archived(classroom)
    try:
        file = read_roster(data)
    except Unreadable as error:
        raise Refused(str(error)) from error
    plan = _plan(classroom, actor, file, remove_missing)
    with transaction.atomic():
        old = Q(made_at__lt=timezone.now() - KEPT) | Q(classroom=classroom, made_by=actor)
        RosterPlan.objects.filter(old).delete()
        stored = {"plan": asdict(plan), "file": _stored(file), "remove_missing": remove_missing}
        return RosterPlan.objects.create(
            classroom=classroom, made_by=actor, plan=stored, fingerprint=plan.fingerprint
        )


def shown_plan(row: RosterPlan) -> Plan:
    return plan_from(row.plan["plan"])


def apply_roster(row: RosterPlan, *, actor: User) -> list[Card]:
    """Carries out the plan exactly as it was shown; the log-in cards of the new accounts.

    Raises Refused, with nothing changed, where the class or the accounts have changed since.
    """
    refuse_archived(row.classroom)
    made_secrets = make_secrets(len(shown_plan(row).of(Kind.ADD)))
    with transaction.atomic():
        Classroom.objects.select_for_update().get(pk=row.classroom_id)
        plan = _same_plan_or_refuse(row, actor)
        if not RosterPlan.objects.filter(pk=row.pk).delete()[0]:
            raise Refused(_("This plan was applied already, so nothing was changed again."))
        return _carry_out(row.classroom, actor, plan, made_secrets)


def export_roster(classroom: Classroom) -> str:
    """The class as a file that `preview_roster` reads without a change."""
    members = classroom.memberships.current().students().select_related("user")
    return write_roster(
        (m.user.username, m.external_id, m.user.first_name, m.user.last_name)
        for m in members.order_by("user__username")
    )


def _same_plan_or_refuse(row: RosterPlan, actor: User) -> Plan:
    plan = _plan(row.classroom, actor, _file_from(row), row.plan["remove_missing"])
    if plan.fingerprint != row.fingerprint or not plan.can_be_applied:
        raise Refused(
            _(
                "The class has changed since this plan was shown, so nothing was done. "
                "Upload the file again and look at the new plan."
            )
        )
    return plan


def _plan(classroom: Classroom, actor: User, file: RosterFile, remove_missing: bool) -> Plan:
    roster = _roster(classroom, actor, file)
    return make_plan(file, roster, remove_missing=remove_missing, most_new=MOST_AT_ONCE)


def _roster(classroom: Classroom, actor: User, file: RosterFile) -> Roster:
    """Three queries, however long the file."""
    managed = Classroom.objects.filter(Membership.among(actor, MANAGING))
    ours = set(managed.values_list("pk", flat=True)) | {classroom.pk}
    memberships = classroom.memberships.select_related("user").order_by("pk")
    members = [_member(membership, ours) for membership in memberships]
    named = User.objects.annotate(small=Lower("username")).filter(_named(file))
    accounts = dict(named.values_list("username", "made_in"))
    known = {member.username for member in members}
    return Roster(
        members,
        {name for name, made_in in accounts.items() if made_in in ours and name not in known},
        {name.lower() for name in accounts},
    )


def _named(file: RosterFile) -> Q:
    """The usernames that stand in the file, and those like the ones that it may come to."""
    bases = {username_from(line.first_name, line.last_name, ()) for line in file.lines}
    named = Q(small__in={line.username for line in file.lines})
    for base in bases if any(not line.username for line in file.lines) else ():
        named |= Q(small__startswith=base)
    return named


def _member(membership: Membership, ours: set[int]) -> Member:
    user = membership.user
    return Member(
        username=user.username,
        external_id=membership.external_id,
        first_name=user.first_name,
        last_name=user.last_name,
        is_current=membership.left_at is None,
        teaches=membership.left_at is None and membership.role in Membership.TEACHING,
        is_ours=user.made_in_id in ours,
    )


def _carry_out(
    classroom: Classroom, actor: User, plan: Plan, made_secrets: Iterable[Secret]
) -> list[Card]:
    for entry in plan.of(Kind.CHANGE, Kind.RETURN, Kind.ENROL):
        _update(classroom, entry)
    for entry in plan.of(Kind.REMOVE):
        end_membership(classroom, actor=actor, user=User.objects.get(username=entry.username))
    cards = [
        make_account(classroom, actor=actor, account=_account(entry), secret=secret)
        for entry, secret in zip(plan.of(Kind.ADD), made_secrets, strict=True)
    ]
    counts = {kind.value: len(plan.of(kind)) for kind in Kind}
    audit.record(
        actor=actor,
        action="apply roster",
        subject=f"class {classroom.pk}",
        subject_name=classroom.name,
        after=counts,
    )
    return cards


def _update(classroom: Classroom, entry: Entry) -> None:
    user = User.objects.get(username=entry.username)
    if entry.kind != Kind.CHANGE:
        add_member(classroom=classroom, user=user, role=Membership.Role.STUDENT)
    memberships = Membership.objects.filter(classroom=classroom, user=user)
    memberships.update(external_id=entry.external_id)
    if entry.changes.keys() & {"first_name", "last_name"}:
        change_names(user, first_name=entry.first_name, last_name=entry.last_name)


def _account(entry: Entry) -> NewAccount:
    return NewAccount(entry.username, entry.first_name, entry.last_name, entry.external_id)


def _stored(file: RosterFile) -> dict[str, object]:
    return asdict(file) | {"columns": sorted(file.columns)}


def _file_from(row: RosterPlan) -> RosterFile:
    file = row.plan["file"]
    return RosterFile(
        tuple(RosterLine(**line) for line in file["lines"]),
        frozenset(file["columns"]),
        tuple(Problem(**problem) for problem in file["problems"]),
        tuple(file["notices"]),
    )
