"""How much memory is available, and the error for work that needs more, raised before it begins."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from lexiframe.core.base.errors import LexiframeError

_ROOT = Path("/")


class NotEnoughMemoryError(LexiframeError):
    """The work would need more memory than there is."""


def refuse_more_than_available(
    needed: float, what: str, advice: str, limit: int | None = None
) -> None:
    """Raise when work needs more bytes than are available; do nothing where that is not known.

    ``what`` is the subject of the message's "need", ``advice`` tells the user what to do, and
    ``limit`` is the most memory in bytes.
    """
    there = min((n for n in (available(), limit) if n is not None), default=None)
    if there is not None and needed > there:
        raise NotEnoughMemoryError(
            f"{what} need about {needed / 1e9:.1f} GB of memory, but {there / 1e9:.1f} GB are "
            f"available; {advice}"
        )


def available(root: Path = _ROOT) -> int | None:
    """Return the bytes that this process may still take; None where the system does not say.

    They are the least of the machine's memory, the limits of the process's control groups
    (containers), and ``ulimit -v``. Tests put another folder in place of the file system's root.
    """
    known = [_machine_memory(root), *_group_memory(root), _address_space_left(root)]
    return min((number for number in known if number is not None), default=None)


def peak_memory() -> str:
    """Return the most memory that this process has taken so far, in words."""
    held = _file_numbers(_ROOT / "proc/self/status", unit=1024).get("VmHWM")
    if held is not None:  # what `getrusage` says begins with the memory of the parent process
        return f"{held / 1e9:.2f} GB"
    try:
        import resource
    except ImportError:  # Windows
        return "an unknown amount"
    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9:.2f} GB"


def give_back() -> None:
    """Give memory that was freed back to the system; do nothing where the C library cannot.

    The GNU C library keeps what was freed for later, and its pieces add up from bucket to bucket.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other C libraries lack the function
            ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))


def _machine_memory(root: Path) -> int | None:
    """Return the available memory and swap on Linux; on other systems all memory there is."""
    facts = _file_numbers(root / "proc/meminfo", unit=1024)
    if "MemAvailable" in facts:
        return facts["MemAvailable"] + facts.get("SwapFree", 0)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        return None


def _group_memory(root: Path) -> Iterator[int]:
    """Yield the bytes that each of the process's control groups (containers) still allows."""
    for folder, limit, used in _control_groups(root):
        most, now = _file_number(folder / limit), _file_number(folder / used)
        if most is not None and now is not None:
            facts = _file_numbers(folder / "memory.stat")
            files = (facts.get(f"{kind}_file", 0) for kind in ("active", "inactive"))
            # The kernel counts cached files as used memory, but drops them when it is needed.
            yield max(most - max(now - sum(files), 0), 0)


def _control_groups(root: Path) -> Iterable[tuple[Path, str, str]]:
    """Yield the folders of the process's groups and their parents, with the files to read there.

    Version 2 of control groups has one hierarchy, whose line begins with ``0::``; version 1 has one
    for each kind of resource; only "memory" counts here.
    """
    for line in _file_lines(root / "proc/self/cgroup"):
        _, kinds, path, *_ = [*line.split(":", 2), "", ""]
        names = ("memory.max", "memory.current")
        mounts = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        if "memory" in kinds.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
            mounts = [root / "sys/fs/cgroup/memory"]
        elif kinds:
            continue
        inner = Path(path.lstrip("/"))
        for mount in mounts:
            yield from ((mount / part, *names) for part in (inner, *inner.parents))


def _address_space_left(root: Path) -> int | None:
    """Return how much more address space the process may take (``ulimit -v``)."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = next(iter(_file_lines(root / "proc/self/statm")), "0").split()[0]
    if most == resource.RLIM_INFINITY:
        return None
    return max(most - int(pages) * resource.getpagesize(), 0)


def _file_lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []


def _file_number(path: Path) -> int | None:
    text = next(iter(_file_lines(path)), "")
    return int(text) if text.isdigit() else None  # "max" is no limit


def _file_numbers(path: Path, unit: int = 1) -> dict[str, int]:
    """Return the numbers of a file with lines such as ``MemAvailable: 3 kB``, by name."""
    fields = (line.replace(":", " ").split() for line in _file_lines(path))
    return {f[0]: int(f[1]) * unit for f in fields if len(f) > 1 and f[1].isdigit()}
