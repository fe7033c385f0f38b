"""Rows of the labs and what ran in them. Reads are queryset methods; writes stand elsewhere.

`labs.lifecycle` writes hosts and labs, `labs.runs` runs and their output, `labs.checkpoints`
checkpoints, `labs.musters` musters, `labs.wishes` wishes, `labs.audit` the audit log.
"""

from labs.models.audit import AuditEntry
from labs.models.checkpoints import Blob, Checkpoint
from labs.models.hosts import Host
from labs.models.labs import Lab
from labs.models.musters import Muster
from labs.models.runs import OutputChunk, Run, RunQuerySet
from labs.models.wishes import Wish, WishQuerySet

__all__ = [
    "AuditEntry",
    "Blob",
    "Checkpoint",
    "Host",
    "Lab",
    "Muster",
    "OutputChunk",
    "Run",
    "RunQuerySet",
    "Wish",
    "WishQuerySet",
]
