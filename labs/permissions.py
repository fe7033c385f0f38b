"""Who may do what with runs and labs, as far as labs can tell: `course` adds the teachers."""

from __future__ import annotations

from typing import Any

import rules


@rules.predicate
def is_owner(user: Any, thing: Any) -> bool:
    """The lab's or the run's own student."""
    return thing is not None and thing.owner_id == user.pk


def was_granted(permission: str) -> Any:
    """Django's own permission: superusers have them all, others where an admin gave it."""
    return rules.predicate(lambda user: user.has_perm(permission), name=permission)


@rules.predicate
def is_oneself(user: Any, person: Any) -> bool:
    return person is not None and person.pk == user.pk


rules.add_perm("labs.open_terminal", is_owner)
rules.add_perm("labs.watch_terminal", rules.is_staff)
rules.add_perm("labs.view_terminal", is_owner | rules.is_staff)
rules.add_perm("labs.view_terminals_of", is_oneself | rules.is_staff)
rules.add_perm("labs.record_terminal", rules.always_true)  # asked for the student: a class may not
rules.add_perm("labs.view_run", is_owner | rules.is_staff)
rules.add_perm("labs.stop_run", is_owner | rules.is_staff)
rules.add_perm("labs.view_files", is_owner | rules.is_staff)
rules.add_perm("labs.care_for_lab", is_owner | rules.is_staff)
rules.add_perm("labs.manage_labs", rules.is_staff)
rules.add_perm("labs.manage_hosts", rules.is_staff & was_granted("labs.change_host"))
rules.add_perm("labs.manage_limits", rules.is_staff & was_granted("labs.change_limitrule"))
rules.add_perm("labs.manage_images", rules.is_staff & was_granted("labs.add_imagebuild"))
rules.add_perm("labs.read_audit", rules.is_staff & was_granted("labs.view_auditentry"))
