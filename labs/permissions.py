"""Who may do what with runs and labs, as far as labs can tell: `course` adds the teachers."""

from __future__ import annotations

from typing import Any

import rules


@rules.predicate
def is_owner(user: Any, thing: Any) -> bool:
    """The lab's or the run's own student."""
    return thing is not None and thing.owner_id == user.pk


rules.add_perm("labs.view_run", is_owner | rules.is_staff)
rules.add_perm("labs.stop_run", is_owner | rules.is_staff)
rules.add_perm("labs.manage_labs", rules.is_staff)
