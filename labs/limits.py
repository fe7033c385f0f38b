"""What a lab may use: the limits of its lesson, its class or the site. Only writer of the rules.

A rule counts from the next start of a lab on. One rule counts whole, the closest one: rules that
were mixed might not hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from labs import audit
from labs.audience import Audience, get_audience
from labs.engine.archive import ArchiveLimits
from labs.engine.base import MIB, Limits
from labs.models import Checkpoint, Host, Lab, LimitRule, Run
from labs.models.limits import SITE
from labs.refusal import Refused
from labs.requests import MAX_TIME_LIMIT_S

KEPT_FOR_SUPERVISOR = 32
"""Processes that a student can't take: the supervisor must always be able to start one."""
LEAST = {"memory_bytes": 96 * MIB, "pids": 64, "workspace_bytes": 4 * MIB, "tmp_bytes": 4 * MIB}
NO_CEILING = 2**62
"""Of a host that has not reported its memory yet."""
MOST_CPUS = 64
MOST_PIDS = 4096
MOST_WORKSPACE_BYTES = ArchiveLimits.content_bytes
"""What is kept of a workspace: files beyond it would be gone with the lab."""


@dataclass(frozen=True)
class Allowance:
    """What one lab may use, as an admin sets it."""

    memory_bytes: int = Limits.memory_bytes
    cpus: float = Limits.cpus
    pids: int = Limits.pids
    workspace_bytes: int = Limits.workspace_bytes
    tmp_bytes: int = Limits.tmp_bytes
    time_limit_s: int = MAX_TIME_LIMIT_S

    def limits(self) -> Limits:
        """As the engine takes them."""
        return Limits(
            memory_bytes=self.memory_bytes,
            cpus=self.cpus,
            pids=self.pids,
            nproc=self.pids - KEPT_FOR_SUPERVISOR,
            file_bytes=self.workspace_bytes,
            workspace_bytes=self.workspace_bytes,
            tmp_bytes=self.tmp_bytes,
        )


def allowance_of(lab: Lab) -> Allowance:
    """Of the lesson that its newest run belongs to, else of its owner's class, else of the site.

    Of several classes, the one that gives most memory counts. Three queries; only for starts.
    """
    rules = {rule.scope: rule for rule in LimitRule.objects.all()}
    if not rules:
        return Allowance()
    audience = get_audience()
    if (lesson := _lesson_of(lab, audience)) in rules:
        return allowance_in(rules[lesson])
    classes = audience.classes_of([lab.owner_id]).get(lab.owner_id, ())
    closest = [rules[scope.key] for scope in classes if scope.key in rules]
    if closest:
        return allowance_in(max(closest, key=lambda rule: rule.memory_bytes))
    return allowance_in(rules[SITE]) if SITE in rules else Allowance()


def allowance_in(rule: LimitRule) -> Allowance:
    return Allowance(**{name: getattr(rule, name) for name in asdict(Allowance())})


def allowance_for_scope(scope: str) -> Allowance:
    """What is set for this very scope; the site's where nothing is."""
    rules = {rule.scope: rule for rule in LimitRule.objects.filter(scope__in=[scope, SITE])}
    rule = rules.get(scope) or rules.get(SITE)
    return allowance_in(rule) if rule else Allowance()


def _lesson_of(lab: Lab, audience: Audience) -> str:
    newest = Run.objects.filter(lab=lab).newest_first().values_list("origin", flat=True).first()
    return audience.scope_of_origin(newest) if newest else ""


# Whether they hold


def why_not(allowance: Allowance) -> list[str]:
    """The sentences that say why these can't hold; none where they can. Pure."""
    return [
        *_too_small(allowance),
        *_too_many(allowance),
        *([] if _leaves_memory(allowance) else [_in_memory(allowance)]),
    ]


def _too_small(allowance: Allowance) -> list[str]:
    names = {
        "memory_bytes": _("Memory has to be at least %(least)d MiB."),
        "pids": _("A lab needs at least %(least)d processes, some of which keep it alive."),
        "workspace_bytes": _("The files of the workspace need at least %(least)d MiB."),
        "tmp_bytes": _("Temporary files need at least %(least)d MiB."),
    }
    small = [name for name, least in LEAST.items() if getattr(allowance, name) < least]
    least_of = {name: n if name == "pids" else n // MIB for name, n in LEAST.items()}
    return [names[name] % {"least": least_of[name]} for name in small]


def _too_many(allowance: Allowance) -> list[str]:
    wrong = []
    if not 0.1 <= allowance.cpus <= MOST_CPUS:
        wrong.append(_("A lab gets between 0.1 and %(most)d cores.") % {"most": MOST_CPUS})
    if allowance.pids > MOST_PIDS:
        wrong.append(_("A lab gets at most %(most)d processes.") % {"most": MOST_PIDS})
    if allowance.workspace_bytes > MOST_WORKSPACE_BYTES:
        most = MOST_WORKSPACE_BYTES // MIB
        wrong.append(
            _("The files of the workspace get at most %(most)d MiB: more could not be saved.")
            % {"most": most}
        )
    if not 1 <= allowance.time_limit_s <= MAX_TIME_LIMIT_S:
        wrong.append(_("A run takes between 1 and %(most)d seconds.") % {"most": MAX_TIME_LIMIT_S})
    return wrong


def _leaves_memory(allowance: Allowance) -> bool:
    """Files in memory must leave half of it, or no command could run, not even rm."""
    return allowance.limits().tmpfs_bytes() * 2 <= allowance.memory_bytes


def _in_memory(allowance: Allowance) -> str:
    limits = allowance.limits()
    own = (limits.supervisor_bytes + limits.shm_bytes) // MIB
    return _(
        "Files are kept in memory and may take at most half of it. The workspace, temporary files "
        "and %(own)d MiB of the lab's own come to %(files)d MiB, so that memory has to be at least "
        "%(least)d MiB. Give more memory, or less room for files."
    ) % {
        "own": own,
        "files": limits.tmpfs_bytes() // MIB,
        "least": limits.tmpfs_bytes() * 2 // MIB,
    }


def _beyond_hosts(allowance: Allowance) -> list[str]:
    """A lab that no host has room for would wait for ever. One query."""
    ceilings = [_ceiling(host) for host in Host.objects.all()]
    most = max(ceilings, default=NO_CEILING)
    if allowance.memory_bytes <= most:
        return []
    return [
        _("No host has so much memory for one lab: the largest has %(most)d MiB.")
        % {"most": most // MIB}
    ]


def _ceiling(host: Host) -> int:
    """The most that one lab could ever get there; a drained host counts, since drains end."""
    known = [size for size in (host.memory_bytes, host.capacity_bytes) if size is not None]
    return min(known, default=NO_CEILING)


def _beyond_files(allowance: Allowance, scope: str) -> list[str]:
    """Labs whose files would not fit could never start again. One query."""
    newest = Checkpoint.objects.filter(lab=OuterRef("pk")).order_by("-made_at", "-pk")
    labs = Lab.objects.annotate(files_bytes=Subquery(newest.values("blob__size_bytes")[:1]))
    owners = get_audience().owners_in(scope)
    if owners is not None:
        labs = labs.filter(owner__in=owners)
    sizes = labs.filter(files_bytes__gt=allowance.workspace_bytes).values_list("files_bytes")
    if not (too_large := [size for (size,) in sizes]):
        return []
    return [
        ngettext(
            "The files of %(count)d lab would not fit any more: it holds %(most)d MiB.",
            "The files of %(count)d labs would not fit any more: the largest holds %(most)d MiB.",
            len(too_large),
        )
        % {"count": len(too_large), "most": -(-max(too_large) // MIB)}
    ]


# Writing


def set_limits(*, actor: Any, scope: str, allowance: Allowance) -> LimitRule:
    """Sets the limits of every lab in `scope` from its next start on.

    Raises Refused with every reason why they can't hold; then the old ones stay.
    """
    wrong = why_not(allowance) or [
        *_beyond_hosts(allowance),
        *_beyond_files(allowance, scope),
    ]
    if wrong:
        raise Refused("\n".join(wrong))
    with transaction.atomic():
        before = _as_it_is(scope)
        fields = {**asdict(allowance), "changed_at": timezone.now()}
        rule, _new = LimitRule.objects.update_or_create(scope=scope, defaults=fields)
        audit.record(
            actor=actor,
            action="set limits",
            subject=scope,
            subject_name=name_of_scope(scope),
            before=before,
            after=asdict(allowance),
        )
    return rule


def remove_limits(*, actor: Any, scope: str) -> None:
    """The labs of this scope get the next wider limits again. Nothing set is success."""
    with transaction.atomic():
        before = _as_it_is(scope)
        removed, _kinds = LimitRule.objects.filter(scope=scope).delete()
        if removed:
            audit.record(
                actor=actor,
                action="remove limits",
                subject=scope,
                subject_name=name_of_scope(scope),
                before=before,
            )


def labs_in_scope(scope: str) -> list[Lab]:
    """The started labs that the limits of this very scope are for. A handful of queries.

    For a lesson: those whose newest run is of it.
    """
    audience = get_audience()
    labs = Lab.objects.filter(state__in=[Lab.State.READY, Lab.State.PAUSED])
    labs = labs.select_related("owner", "host")
    owners = audience.owners_in(scope)
    if owners is not None:
        return list(labs.filter(owner__in=owners))
    if scope == SITE:
        return list(labs)
    newest = Run.objects.filter(lab=OuterRef("pk")).newest_first().values("origin")[:1]
    origins = dict(labs.annotate(newest_origin=Subquery(newest)).values_list("pk", "newest_origin"))
    return [lab for lab in labs if audience.scope_of_origin(origins.get(lab.pk) or "") == scope]


def _as_it_is(scope: str) -> dict[str, Any]:
    rule = LimitRule.objects.filter(scope=scope).first()
    return asdict(allowance_in(rule)) if rule else {}


def name_of_scope(scope: str) -> str:
    """As people call it; the key itself where the class or the lesson is gone."""
    return next((name for key, name in scope_choices() if key == scope), scope)


def scope_choices() -> Sequence[tuple[str, str]]:
    """Every scope that limits can be set for, as a form offers it: key, name."""
    site = (SITE, _("All labs"))
    return [site, *((scope.key, scope.name) for scope in get_audience().scopes())]
