"""Reads a tar's members, but none of those by which a few bytes cost minutes or all the memory.

Only what GNU tar itself writes for a workspace is let through. A student can write into the pipe of
their own `tar`, so that an archive may hold anything.
"""

from __future__ import annotations

import tarfile

LONG_NAME_BYTES = 64 * 1024
LONG_IN_A_ROW = 2
"""A member has a long name and a long target at most; each is read by one call more."""
SPARSE_BLOCKS = 1000
"""Twenty holes each: more than a workspace's pages can make."""
LONG = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
"""Never written here, and searched by patterns that take the square of their length."""
IS_LAST = 504
"""Where a block of holes says whether another one follows."""


class CarefulTarInfo(tarfile.TarInfo):
    """Raises tarfile.ReadError at the first member that nobody may read."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        """The one way to each kind of member, made to be overridden."""
        if self.type in PAX:
            raise tarfile.ReadError("an extended header")
        if self.type in LONG:
            self._check_long(tar)
        else:
            tar.long_in_a_row = 0  # type: ignore[attr-defined] # ours
        if self.type == tarfile.GNUTYPE_SPARSE:
            _check_sparse(self, tar)
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc] # not in typeshed
        return member

    def _check_long(self, tar: tarfile.TarFile) -> None:
        tar.long_in_a_row = getattr(tar, "long_in_a_row", 0) + 1  # type: ignore[attr-defined] # ours
        if self.size > LONG_NAME_BYTES or tar.long_in_a_row > LONG_IN_A_ROW:  # type: ignore[attr-defined]
            raise tarfile.ReadError("a name without end")


def _check_sparse(info: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
    if (file := tar.fileobj) is None:
        return
    at, is_extended = file.tell(), True
    blocks = 0
    while is_extended:
        block = file.read(tarfile.BLOCKSIZE)
        is_extended = len(block) == tarfile.BLOCKSIZE and bool(block[IS_LAST])
        blocks += 1
        if blocks > SPARSE_BLOCKS:
            raise tarfile.ReadError("holes without end")
    file.seek(at)
