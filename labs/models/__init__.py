"""Rows of the labs and what ran in them. Reads are queryset methods; writes stand elsewhere.

`labs.lifecycle` writes hosts and labs, `labs.runs` runs and their output, `labs.checkpoints`
checkpoints, `labs.musters` musters, `labs.wishes` wishes, `labs.samples` samples, `labs.limits`
limits, `labs.images` images and their builds, `labs.terminals` terminals, `labs.server_errors` what
failed, `labs.audit` the audit log.
"""

from labs.models.audit import AuditEntry
from labs.models.checkpoints import Blob, Checkpoint
from labs.models.hosts import Host
from labs.models.images import Image, ImageBuild
from labs.models.labs import Lab
from labs.models.limits import LimitRule
from labs.models.musters import Muster
from labs.models.runs import OutputChunk, Run, RunQuerySet
from labs.models.samples import Sample
from labs.models.server_errors import ServerError
from labs.models.terminals import RecordingPiece, TerminalSession
from labs.models.wishes import Wish, WishQuerySet

__all__ = [
    "AuditEntry",
    "Blob",
    "Checkpoint",
    "Host",
    "Image",
    "ImageBuild",
    "Lab",
    "LimitRule",
    "Muster",
    "OutputChunk",
    "RecordingPiece",
    "Run",
    "RunQuerySet",
    "Sample",
    "ServerError",
    "TerminalSession",
    "Wish",
    "WishQuerySet",
]
