"""Files of a job, which have their names only when they are whole: `write_whole`."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lexiframe.core.base import LexiframeError, errors

PART = ".part"
"""The ending of a file that is being written."""


@contextmanager
def named_when_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which is renamed to ``path`` without an error, else removed."""
    temporary = path.with_name(path.name + PART)
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of a job, which has its name only when it is whole; raise if it cannot be."""
    try:
        with named_when_whole(path) as temporary:
            temporary.write_bytes(data)
    except OSError as error:
        raise cannot_write(path.parent, error, len(data)) from None


def cannot_write(folder: Path, error: Exception, n_bytes: int) -> LexiframeError:
    """Build the error for a file that cannot be written."""
    if getattr(error, "errno", None) != errno.ENOSPC and "o space left" not in str(error):
        reason = getattr(error, "strerror", None) or errors.one_line(error)
        return LexiframeError(
            f"{folder}: buckets cannot be written there ({reason}); choose another folder or "
            "change its permissions"
        )
    try:
        free = f", {shutil.disk_usage(folder).free / 1e6:,.0f} MB are free"
    except OSError:
        free = ""
    return LexiframeError(
        f"{folder}: the disk is full: the next file takes about {n_bytes / 1e6:,.0f} MB{free}; "
        "make room and resume, or choose another folder"
    )
