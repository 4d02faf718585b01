"""Writing results: files that appear whole or not at all, and the folders for them."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from secrets import token_hex
from typing import Any, TextIO
from urllib.parse import unquote, urlsplit

from lexiframe.core.base import LexiframeError, errors

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PART = ".part"
_ELSEWHERE = "; choose another place or change its permissions"
_LETTERS = 50
"""The characters of a file's name that its temporary file's name keeps, lest it get too long."""
_PATIENCE = 600.0
"""The seconds for which a process waits until another has replaced a file."""
_PATIENCE_IN_FOLDER = 60.0
"""The seconds for which a process waits until another has read or replaced a folder's files."""
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
"""What systems say of a lock that another process has."""


def output_path(path: str | Path) -> Path:
    """Return the path of a result, with the home folder in place of ``~``."""
    if not isinstance(path, str | Path):
        raise errors.WrongTypeError(f"expected a path to write to, found {type(path).__name__}")
    if path == "" or "\0" in str(path):  # an empty path would mean the working folder
        raise LexiframeError(f"expected a path to write to, found {str(path)!r}")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise LexiframeError(f"{path}: there is no such home folder ({error})") from None


def found_at(path: str | Path) -> str:
    """Return the kind of entry at a path: ``"a folder"``, ``"a file"``, or ``""`` for none."""
    try:
        is_folder = stat.S_ISDIR(Path(path).stat().st_mode)
    except (OSError, ValueError):  # a name may be too long for any file, or hold a zero byte
        return ""
    return "a folder" if is_folder else "a file"


def write_page(path: str | Path, page: str) -> Path:
    """Write a page whole or not at all, with folders that are missing; return where it is."""
    place = output_path(path)
    output_folder(place.parent)
    with replacing(place) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return place


def output_file(path: Path) -> Path:
    """Return where the file of a result will be, with symbolic links followed; or raise."""
    try:
        state = path.stat()
    except FileNotFoundError:
        state = None
    except (OSError, ValueError) as error:
        raise _cannot_be_written(path, error, _ELSEWHERE) from None
    if state and stat.S_ISDIR(state.st_mode):
        raise LexiframeError(f"{path}: cannot be written, because it is a folder; choose a file")
    if state and not stat.S_ISREG(state.st_mode):  # the renamed file would replace it
        raise LexiframeError(
            f"{path}: cannot be written, because it is a device or a pipe; choose a file"
        )
    if state and any(_is_open_as(stream, state) for stream in (1, 2)):
        raise LexiframeError(
            f"{path}: the standard output or error goes there already; choose another file"
        )
    return Path(os.path.realpath(path))  # a rename would replace the link, not its target


def _output_files(paths: Iterable[Path]) -> list[Path]:
    """Return the places of several files; raise if one would replace another, or be its folder."""
    named: dict[Path, Path] = {}
    for path in paths:
        place = output_file(path)
        if place in named:
            raise LexiframeError(
                f"{path}: would replace {named[place]}, which is written too; choose another name"
            )
        named[place] = path
    for place, path in named.items():
        for above in named.keys() & {*place.parents}:
            raise LexiframeError(f"{named[above]}: is a file and the folder of {path}; choose one")
    return [*named]


def _is_open_as(stream: int, state: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(stream), state)
    except OSError:  # the stream is closed
        return False


def _cannot_be_written(path: Path, error: Exception, advice: str = "") -> LexiframeError:
    reason = getattr(error, "strerror", None) or error
    return LexiframeError(f"{path}: cannot be written ({reason}){advice}")


@dataclass
class _Waiting:
    """Written files that wait to be renamed together, and the sets of tables among them."""

    temporaries: ExitStack
    pairs: list[tuple[Path, Path]] = field(default_factory=list)
    sets: list[Any] = field(default_factory=list)


_waiting: ContextVar[_Waiting | None] = ContextVar("_waiting", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Rename all files that are written inside at the end, or none of them after an error.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> with together():
    ...     page = write_page(folder / "page.html", "<p>")
    ...     page.exists()
    False
    >>> page.exists()
    True
    """
    if _waiting.get() is not None:  # those around decide
        yield
        return
    with ExitStack() as temporaries:
        waiting = _Waiting(temporaries)
        token = _waiting.set(waiting)
        try:
            yield
        finally:
            _waiting.reset(token)
        if waiting.pairs:
            try:
                _rename_all(waiting)
            except OSError as error:
                raise _cannot_be_written(waiting.pairs[0][1].parent, error) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Provide a temporary path beside ``path``, and rename it to ``path`` if no error occurs."""
    with replacing_all([path]) as (temporary,):
        yield temporary


@contextmanager
def replacing_all(paths: Sequence[Path], files: Any = None) -> Iterator[list[Path]]:
    """Provide a temporary path for each path; either all are renamed, or none (see `together`).

    They are beside the paths, unless these are the files of a `result_folders.NewTables`. Raise
    LexiframeError when a folder cannot be written to, and for a path that cannot be a file.
    """
    targets = _output_files(paths)
    for target in targets:
        _remove_left_over(target)
    named = paths[0] if len(paths) == 1 else paths[0].parent
    waiting = _waiting.get()
    with ExitStack() as own:
        stack = own if waiting is None else waiting.temporaries
        try:
            if files is None:
                temporaries = [stack.enter_context(_temporary(target)) for target in targets]
            else:
                folder = stack.enter_context(files.made())
                temporaries = [folder / path.name for path in paths]
        except OSError as error:
            raise _cannot_be_written(named, error, _ELSEWHERE) from None
        try:
            yield temporaries
            whole = waiting or _Waiting(own)
            whole.pairs += zip(temporaries, targets, strict=True)
            whole.sets += [] if files is None else [files]
            if waiting is None:
                _rename_all(whole)
        except OSError as error:
            raise _cannot_be_written(named, error) from None


def _rename_all(files: _Waiting) -> None:
    """Rename files to their places; if one rename fails, restore the earlier files."""
    are_several = len(files.pairs) > 1
    for temporary, _ in files.pairs:
        wait_for_disk(temporary)
    # A set is no longer said to be whole before the files that it replaced are put back.
    with ExitStack() as kept, ExitStack() as undo, ExitStack() as declared:
        for one in files.sets:
            declared.enter_context(one.declared())
        for temporary, target in files.pairs:
            if are_several:  # a single rename happens or does not: there is nothing to restore
                undo.callback(_put_back, target, kept.enter_context(_second_name(target)))
            temporary.replace(target)
        undo.pop_all()


def wait_for_disk(path: Path) -> None:
    """Wait until a file is on the disk, so that its new name never stands for half of it."""
    if path.is_file():
        with path.open("rb") as written:
            os.fsync(written.fileno())


def _put_back(target: Path, before: Path | None) -> None:
    with suppress(OSError):
        if before is None:
            target.unlink(missing_ok=True)
        else:
            before.replace(target)


@contextmanager
def _second_name(target: Path) -> Iterator[Path | None]:
    """Give a file a second name (a hard link, which is fast), or copy it; None if there is none."""
    if not target.exists():
        yield None
        return
    with _temporary(target) as second, _locked(target):
        link = _temporary_name(target)
        try:
            link.hardlink_to(target)
            link.replace(second)
        except OSError:  # not every file system has hard links
            shutil.copy2(target, second)  # into the file that is locked
        yield second


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file, so that other processes do not take its second name for a left-over one."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # the file may be written to, but not read
        yield
        return
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """Make a file beside another, and remove it at the end.

    It is locked until then, except on Windows. A file that is not locked was left over by a process
    that was killed.
    """
    handle, path = _new_file(target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if sys.platform != "win32":
            os.close(handle)


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".{target.name[:_LETTERS]}.{token_hex(4)}{_PART}")


def _new_file(target: Path) -> tuple[int, Path]:
    while True:
        path = _temporary_name(target)
        # 0o666: the user's umask decides who may read it; tempfile makes files for the user alone.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if sys.platform == "win32":  # Windows does not rename open files
            os.close(handle)
            return handle, path
        _lock(handle, wait=True)
        if os.fstat(handle).st_nlink:
            return handle, path
        os.close(handle)  # another process removed it before it was locked


def _lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed, and return whether it was locked.

    The system closes the files of a process that is killed.
    """
    if sys.platform != "win32":
        with suppress(OSError):  # another process locked it, or the file system has no locks
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    return False


def _remove_left_over(target: Path) -> None:
    """Remove unlocked temporary files beside a file: the processes that made them were killed."""
    if sys.platform == "win32":  # there are no locks that tell whether a process still needs them
        return
    pattern = f".{glob.escape(target.name[:_LETTERS])}.????????{_PART}"
    for path in target.parent.glob(pattern):
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                if _lock(handle):
                    path.unlink()
            finally:
                os.close(handle)


@contextmanager
def added_to(path: Path) -> Iterator[Adding]:
    """Let no other process of this library add to a file, whose bytes are then known."""
    output_file(path)
    try:
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise _cannot_be_written(path, error, _ELSEWHERE) from None
    with file:
        _lock(file.fileno(), wait=True)
        file.seek(0)
        yield Adding(path, file, file.readall())


@dataclass(frozen=True)
class Adding:
    """A file to which lines are added, and its earlier content."""

    path: Path
    file: FileIO
    before: bytes

    def add(self, text: str) -> None:
        """Add text to the file as a whole, on a line of its own, or not at all."""
        end = b"" if not self.before or self.before.endswith(b"\n") else b"\n"
        whole, size, n = end + text.encode(), self._size(), 0
        try:
            while n < len(whole):  # a full disk takes a part of it
                n += self.file.write(whole[n:])
            os.fsync(self.file.fileno())
        except OSError as error:
            if self._size() == size + n:  # nothing was added behind it
                self.file.truncate(size)
            raise _cannot_be_written(self.path, error) from None

    def _size(self) -> int:
        return os.fstat(self.file.fileno()).st_size


@contextmanager
def temporary_folder(prefix: str = "lexiframe-") -> Iterator[Path]:
    """Make a folder for files that are needed for a while, and remove it at the end."""
    try:
        folder = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    except OSError as error:
        raise LexiframeError(
            f"no temporary folder can be made ({error.strerror or error}); make room there, or "
            "name another one in the environment variable TMPDIR"
        ) from None
    with folder as path:
        yield Path(path)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Let one process or thread at a time read a file and replace it; all other ones wait.

    The file itself cannot be locked, since another one takes its place: a file beside it is. The
    system unlocks it when the process ends, also when it is killed; the empty file that is then
    left does no harm.
    """
    target = output_file(path)
    beside = target.with_name(f".{target.name[:_LETTERS]}.lock")
    taken = (
        f"{path}: expected to be the only process that uses it, found another one for "
        f"{_PATIENCE:g} seconds; wait for that one, or end it"
    )
    with ExitStack() as lock:
        try:
            lock.enter_context(_held(beside, _PATIENCE, taken))
        except OSError as error:
            reason = f"{beside}: {error.strerror or error}"
            raise LexiframeError(f"{path}: cannot be locked ({reason}){_ELSEWHERE}") from None
        yield


@contextmanager
def alone_in(folder: Path, patience: float | None = None) -> Iterator[bool]:
    """Let one process or thread at a time work in a folder; yield whether it is locked.

    It is not where nothing can be written, and where the file system has no locks. Raise
    LexiframeError when another one works there for longer than ``patience``, in seconds.
    """
    seconds = _PATIENCE_IN_FOLDER if patience is None else patience
    taken = (
        f"{folder}: another process writes its results there, or reads them; wait until it is "
        "done, or choose another folder"
    )
    with ExitStack() as lock:
        is_locked = False
        with suppress(OSError):
            lock.enter_context(_held(folder / ".lock", seconds, taken))
            is_locked = True
        yield is_locked


@contextmanager
def _held(beside: Path, seconds: float, taken: str) -> Iterator[None]:
    """Hold the lock of a file; raise LexiframeError ``taken`` if it stays locked for some time."""
    end = time.monotonic() + seconds
    while (handle := _handle_of_lock(beside)) is None:
        if time.monotonic() > end:
            raise LexiframeError(taken)
        time.sleep(0.02)
    try:
        yield
    finally:
        if sys.platform != "win32":  # while it is locked, so that it is nobody else's
            beside.unlink(missing_ok=True)
        os.close(handle)
        if sys.platform == "win32":  # where a file is not removed that others have open
            with suppress(OSError):
                beside.unlink()


def _handle_of_lock(path: Path) -> int | None:
    """Open a file, or make it, and lock it until it is closed; None if another one has locked it.

    Who had it locked may have removed it meanwhile: then it is not what the next one locks.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if _is_locked_now(handle) and (
            sys.platform == "win32" or _identity(path) == _identity(handle)
        ):
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _is_locked_now(handle: int) -> bool:
    """Lock a file until it is closed, unless it is locked already; return whether it was done."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


def output_folder(path: str | Path) -> Path:
    """Make a folder for results if it does not exist; raise if it cannot be made or written to."""
    folder = output_path(path)
    refuse_unwritable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def refuse_unwritable(folder: Path) -> None:
    """Raise when a folder, or the nearest existing one above it, cannot be written to."""
    try:
        nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        # Permissions do not tell: the file system may be read-only.
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise LexiframeError(
            f"{folder}: results cannot be written there ({error.strerror or error}); "
            "choose another folder or change its permissions"
        ) from None


def refuse_outputs(files: Iterable[Path]) -> None:
    """Raise for files that cannot all be written, before their contents are computed."""
    for folder in dict.fromkeys(place.parent for place in _output_files(files)):
        refuse_unwritable(folder)


def refuse_replacing(files: Iterable[Path], read: Iterable[str]) -> None:
    """Raise when a file of results would replace a file that is read, also by another path.

    Paths, addresses and ``-`` (standard input) are named as the user wrote them.
    """
    results = {identity: file for file in files if (identity := _identity(file))}
    for path in read:
        if (identity := _identity_of_input(path)) in results:
            raise LexiframeError(
                f"{results[identity]}: would replace the file that is read; choose another name"
            )


def _identity_of_input(path: str) -> tuple[int, int] | None:
    if path == "-":
        return None if sys.stdin is None else _identity(sys.stdin)
    if path.lower().startswith("file://"):
        return _identity(unquote(urlsplit(path).path))
    return _identity(os.path.expanduser(path))  # noqa: PTH111 - no error for unknown users


def _identity(file: str | Path | int | TextIO) -> tuple[int, int] | None:
    """Return device and number of a file, which no other file has; None if there is no file."""
    try:
        place = file if isinstance(file, str | Path | int) else file.fileno()
        state = os.stat(place)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino
