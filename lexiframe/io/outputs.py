"""Where results go: files that appear whole or not at all, and their folders."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lexiframe.errors import LexiframeError


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a temporary path beside ``path`` and rename it to ``path`` when all went well.

    Raises
    ------
    LexiframeError
        When the folder cannot be written to, and for a path that is no file.
    """
    if path.is_dir():
        raise LexiframeError(f"{path}: cannot be written, because it is a folder")
    if path.exists() and not path.is_file():  # which the renamed file would replace
        raise LexiframeError(
            f"{path}: cannot be written, because it is a device or a pipe; choose a file"
        )
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise LexiframeError(
            f"{path}: cannot be written ({error.strerror or error}); "
            "choose another place or change its permissions"
        ) from None
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise LexiframeError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        temporary.unlink(missing_ok=True)


def output_folder(path: str | Path) -> Path:
    """Make a folder for results, when it is not there.

    Raises
    ------
    LexiframeError
        When it cannot be made or written to.
    """
    folder = Path(path).expanduser()
    refuse_unwritable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def refuse_unwritable(folder: Path) -> None:
    """Raise when a folder, or the nearest one above it that is there, cannot be written to."""
    try:
        nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise LexiframeError(
            f"{folder}: results cannot be written there ({error.strerror or error}); "
            "choose another folder or change its permissions"
        ) from None
