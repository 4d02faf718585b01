"""How much memory there is, and the refusal of work that needs more: before it is begun."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from lexiframe.errors import LexiframeError

_ROOT = Path("/")


def refuse_more_than_available(needed: float, what: str, advice: str) -> None:
    """Raise when work needs more memory than there is; where nobody can tell, nothing is said.

    Parameters
    ----------
    needed
        An estimate, in bytes.
    what
        What is counted, as the subject of "need".
    advice
        What to do.

    Examples
    --------
    >>> refuse_more_than_available(1e18, "2 runs", "give one")
    Traceback (most recent call last):
    lexiframe.errors.LexiframeError: 2 runs need about 1000000000.0 GB of memory, and ... GB are \
there; give one
    """
    there = available()
    if there is not None and needed > there:
        raise LexiframeError(
            f"{what} need about {needed / 1e9:.1f} GB of memory, and {there / 1e9:.1f} GB are "
            f"there; {advice}"
        )


def available(root: Path = _ROOT) -> int | None:
    """Give the bytes that this process may still take: of the machine, its group, its limit.

    Parameters
    ----------
    root
        Where the file system of the machine begins.

    Returns
    -------
    int or None
        None where nobody can tell.
    """
    known = [_of_machine(root), *_of_groups(root), _of_limit(root)]
    return min((number for number in known if number is not None), default=None)


def _of_machine(root: Path) -> int | None:
    """Give what Linux says is available, swap too; of another system all of its memory."""
    facts = _numbers(root / "proc/meminfo", unit=1024)
    if "MemAvailable" in facts:
        return facts["MemAvailable"] + facts.get("SwapFree", 0)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        return None


def _of_groups(root: Path) -> Iterator[int]:
    """Give what is left of the limits of the control groups that a container is made of."""
    for folder, limit, used in _groups(root):
        most, now = _number(folder / limit), _number(folder / used)
        if most is not None and now is not None:
            facts = _numbers(folder / "memory.stat")
            files = (facts.get(f"{kind}_file", 0) for kind in ("active", "inactive"))
            yield max(most - max(now - sum(files), 0), 0)  # files in memory give way


def _groups(root: Path) -> Iterable[tuple[Path, str, str]]:
    """Give the folders of the process's groups and of those around them, of both versions."""
    for line in _lines(root / "proc/self/cgroup"):
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


def _of_limit(root: Path) -> int | None:
    """Give what is left of the limit of the process's addresses (``ulimit -v``)."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = next(iter(_lines(root / "proc/self/statm")), "0").split()[0]
    if most == resource.RLIM_INFINITY:
        return None
    return max(most - int(pages) * resource.getpagesize(), 0)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []


def _number(path: Path) -> int | None:
    text = next(iter(_lines(path)), "")
    return int(text) if text.isdigit() else None  # "max" is no limit


def _numbers(path: Path, unit: int = 1) -> dict[str, int]:
    """Give the numbers that stand behind names, as ``MemAvailable: 3 kB``."""
    fields = (line.replace(":", " ").split() for line in _lines(path))
    return {f[0]: int(f[1]) * unit for f in fields if len(f) > 1 and f[1].isdigit()}
