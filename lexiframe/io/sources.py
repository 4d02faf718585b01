"""Which files a caller means, and what each run is called."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexiframe.errors import ReadError, first_three

SUFFIXES = (
    ".gz .bz2 .xz .zst .parquet .arrow .csv .tsv .jsonl .trec .run .runs .res .results .txt"
).split()


@dataclass(frozen=True)
class Source:
    """One file or frame that holds a run; ``name`` is None when the data name it.

    A name that the caller gave holds whatever the data say.
    """

    name: str | None
    origin: Any
    is_given: bool = False

    @property
    def where(self) -> str:
        """What error messages call it."""
        return str(self.origin) if isinstance(self.origin, Path) else f"run {self.name!r}"


def run_name(path: Path) -> str:
    """Give the run's name: its file's name without ``input.`` in front and endings behind.

    Examples
    --------
    >>> run_name(Path("runs/input.bm25.k1.2.trec.gz"))
    'bm25.k1.2'
    """
    name = path.name.removeprefix("input.")
    while (ending := Path(name).suffix).lower() in SUFFIXES and name != ending:
        name = name.removesuffix(ending)
    return name


def find_sources(runs: Any) -> list[Source]:
    """Resolve paths, folders, globs, frames, lists of them and ``{name: path or frame}``.

    Raises
    ------
    ReadError
        For a path that does not exist, a folder or glob without files, and two files of one name.
    """
    if isinstance(runs, Mapping):
        sources = [
            Source(name, only_file(origin) if isinstance(origin, str | Path) else origin, True)
            for name, origin in runs.items()
        ]
    else:
        several = isinstance(runs, Iterable) and not _is_one(runs)
        sources = [source for run in (runs if several else [runs]) for source in _expand(run)]
    if not sources:
        raise ReadError("no runs: expected at least one file or frame, found an empty list")
    refuse_twins((source.name, source.where) for source in sources if source.name is not None)
    return sources


def refuse_twins(named: Iterable[tuple[str, str]]) -> None:
    """Raise when two runs have one name."""
    places = list(named)
    twins = [name for name, n in Counter(name for name, _ in places).items() if n > 1]
    if twins:
        where = ", ".join(place for name, place in places if name == twins[0])
        raise ReadError(
            f"two runs are named {twins[0]!r}: {where}. Rename one, or pass "
            "{name: path} to name them yourself"
        )


def only_file(path: str | Path) -> Path:
    """Give the path of one existing file, or say why it is none."""
    path = Path(path).expanduser()
    if os.path.isdir(path):  # noqa: PTH112 - false, not an error, for a name that is too long
        raise ReadError(f"{path}: expected a file, found a folder")
    if not os.path.exists(path):  # noqa: PTH110
        raise ReadError(f"{path}: no such file")
    return path


def _is_one(runs: Any) -> bool:
    return isinstance(runs, str | Path) or hasattr(runs, "__arrow_c_stream__")


def _expand(run: Any) -> list[Source]:
    if not isinstance(run, str | Path):
        return [Source(None, run)]
    path = Path(run).expanduser()
    if os.path.isdir(path):  # noqa: PTH112
        files = [f for f in path.iterdir() if f.is_file() and not f.name.startswith(".")]
        if not files:
            raise ReadError(f"{path}: the folder has no files in it")
    elif glob.has_magic(str(path)) and not os.path.exists(path):  # noqa: PTH110
        files = [f for f in map(Path, glob.glob(str(path))) if f.is_file()]
        if not files:
            raise ReadError(f"{path}: the pattern matches no file")
    else:
        files = [only_file(path)]
    return [Source(run_name(file), file) for file in sorted(files)]


def one_run_per_source(names: list[str], where: str) -> str:
    """Give the only name that a file's rows carry, or say which they are."""
    if len(names) != 1:
        raise ReadError(
            f"{where}: expected one tag in the file, found {first_three(names)}; "
            "split the file, or read it under its file's name"
        )
    return names[0]
