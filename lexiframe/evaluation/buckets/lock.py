"""One job at a time in one folder: `locked`."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lexiframe.base import LexiframeError

_LOCK = "lock"
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, and remove its file afterwards; raise if another process has it.

    The system gives the lock back when a process ends, however it ends. Where the file system has
    no locks, none is held.

    Raises
    ------
    LexiframeError
        When another process works in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _LOCK
    with _taken(path):
        try:
            yield
        finally:
            with suppress(OSError):  # Windows removes no file that is open
                path.unlink(missing_ok=True)


@contextmanager
def _taken(path: Path) -> Iterator[None]:
    while True:
        with path.open("a+b") as file:
            try:
                _lock(file)
            except OSError as error:
                if error.errno in _TAKEN:
                    raise LexiframeError(
                        f"{path.parent.parent}: another process writes its results there; wait "
                        "until it is done, or choose another folder"
                    ) from None
            if _is_still(path, file):  # not so if the process before has just removed the file
                yield
                return


def _lock(file: IO[bytes]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still(path: Path, file: IO[bytes]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
