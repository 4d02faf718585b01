"""Which files, streams or frames a caller means, and what each run is called."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lexiframe.errors import Problem, ReadError, first_three, warn
from lexiframe.io.files.unpacking import Content, content_of
from lexiframe.io.tables.objects import held, is_frame, is_one_run, refuse_open_file

SUFFIXES = (
    ".gz .bz2 .xz .zst .zstd .parquet .arrow .arrows .feather .ipc .csv .tsv .json .jsonl .ndjson "
    ".inter .trec .run .runs .res .results .txt"
).split()
# What lies beside runs in a folder, by ending or by name.
_ABOUT = ".md .rst .html .pdf .yaml .yml .toml .log .sh .py README LICENSE PROVENANCE".split()
STANDARD_INPUT = "-"
IR_DATASETS = "irds:"


def _decoded(path: str) -> str:
    """Give a path as text, also where the name of a file is no UTF-8."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", path)


@dataclass(frozen=True)
class File:
    """A file: its path or address, and its bytes where they can be read only once.

    Standard input, pipes and remote files are read when they are found, the others when they are
    needed.
    """

    path: str
    data: bytes | None = None

    def __str__(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else _decoded(self.path)

    def read(self) -> bytes:
        """Give the bytes.

        Raises
        ------
        ReadError
            When the file cannot be opened.
        """
        try:
            return Path(self.path).read_bytes() if self.data is None else self.data
        except OSError as error:
            raise self._unreadable(error) from None

    def held(self) -> File:
        """Give the file with its bytes, for what is read in several steps."""
        return replace(self, data=self.read())

    def stamp(self) -> tuple[int, ...] | None:
        """Give what differs once a file was written to; None for what is held or not there."""
        try:
            state = None if self.data is not None else Path(self.path).stat()
        except (OSError, ValueError):
            return None
        return state and (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)

    def content(self, what: str = "runs or judgments") -> Content:
        """Give what is in it, unpacked and decoded; ``what`` is what errors say was expected."""
        return content_of(self.read(), str(self), what)

    def facts(self, sha256: str | None = None, **more: Any) -> dict[str, Any]:
        """Say which file it is: its path as given and the sha256 of its bytes.

        The file is read for the ``sha256``, unless it is known: whoever read the file knows it,
        and by now the file may be another.
        """
        return {**more, "path": _decoded(self.path), "sha256": sha256 or self._sha256()}

    def _sha256(self) -> str:
        if self.data is not None:
            return hashlib.sha256(self.data).hexdigest()
        try:
            with Path(self.path).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> ReadError:
        return ReadError(Problem(str(self), "", f"cannot be read ({error.strerror or error})"))


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
        if isinstance(self.origin, File):
            return str(self.origin)
        return "runs" if self.name is None else f"run {self.name!r}"


@dataclass(frozen=True)
class Found:
    """The files or frames that a caller means, and what else is in folders: no run, left out."""

    sources: list[Source]
    left_out: list[Path] = field(default_factory=list)

    @classmethod
    def together(cls, found: Iterable[Found]) -> Found:
        """Put what was found in several places together."""
        several = list(found)
        return cls(
            [source for one in several for source in one.sources],
            [path for one in several for path in one.left_out],
        )


def warn_of_left_out(left_out: Sequence[Path]) -> None:
    """Warn once of what is no run in one or several folders."""
    folders = list(dict.fromkeys(path.parent for path in left_out))
    if len(folders) == 1:
        names = [path.name for path in left_out]
        warn(f"{folders[0]}: what is no run, left out: {first_three(names)}")
    elif folders:
        paths = [str(path) for path in left_out]
        warn(f"what is no run, left out of {len(folders)} folders: {first_three(paths)}")


def run_name(path: Path) -> str:
    """Give the run's name: its file's name without ``input.`` in front and endings behind.

    Examples
    --------
    >>> run_name(Path("runs/input.bm25.k1.2.trec.gz"))
    'bm25.k1.2'
    """
    name = _decoded(path.name).removeprefix("input.")
    while (ending := Path(name).suffix).lower() in SUFFIXES and name != ending:
        name = name.removesuffix(ending)
    return name


def find_sources(runs: Any) -> Found:
    """Resolve paths, folders, globs, frames, lists of them and ``{name: path or frame}``.

    Raises
    ------
    ReadError
        For a path that does not exist or is a device, a folder or glob without files, or with
        pipes or devices, and two files of one name.
    """
    found = sources_of_runs(runs)
    refuse_twins((one.name, one.where) for one in found.sources if one.name is not None)
    return found


def sources_of_runs(runs: Any) -> Found:
    """Give the sources of `find_sources`, of which several may have one name."""
    refuse_open_file(runs)
    if isinstance(runs, Iterator) and not is_frame(runs):
        runs = list(runs)
    if isinstance(runs, Mapping) and not is_one_run(runs):
        found = Found(
            [
                Source(str(name), run if _is_data(run) else only_file(run), True)
                for name, run in runs.items()
            ]
        )
    else:
        several = isinstance(runs, Iterable) and not _is_one(runs)
        found = Found.together(_expand(run) for run in (runs if several else [runs]))
    if not found.sources:
        raise ReadError("no runs: expected at least one file or frame, found an empty list")
    sources = [replace(one, origin=held(one.origin, one.where)) for one in found.sources]
    return replace(found, sources=sources)


def refuse_twins(named: Iterable[tuple[str, str]]) -> None:
    """Raise when two runs have one name."""
    places = list(named)
    twins = [name for name, n in Counter(name for name, _ in places).items() if n > 1]
    if twins:
        where = ", ".join(place for name, place in places if name == twins[0])
        raise ReadError(
            f"two runs are named {twins[0]!r}: {where}. Rename one, or pass "
            "{name: path or frame} to name them yourself"
        )


def only_file(path: str | Path | File) -> File:
    """Give one existing file, standard input (``-``), or a remote one; or say why it is none."""
    if isinstance(path, File):
        return path
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise ReadError(Problem("standard input", "", "it is closed", "name a file"))
        return File(STANDARD_INPUT, sys.stdin.buffer.read())
    if is_remote(path):
        return _remote(str(path))
    place = expanded(path)
    shown = _decoded(str(place))
    if os.path.isdir(place):  # noqa: PTH112 - false, not an error, for a name that is too long
        raise ReadError(Problem(shown, "a file", "a folder"))
    if not os.path.exists(place):  # noqa: PTH110
        raise ReadError(Problem(shown, "", "no such file"))
    mode = os.stat(place).st_mode  # noqa: PTH116
    if stat.S_ISREG(mode):
        return File(str(place))
    if not stat.S_ISFIFO(mode):  # some never end
        raise ReadError(Problem(shown, "a file", "a device; standard input is -"))
    return File(str(place)).held()


def expanded(path: str | Path) -> Path:
    """Give a path with the home folder for ``~``.

    Raises
    ------
    ReadError
        For none at all, and for the home folder of nobody.
    """
    if path == "":  # which would be the folder that one is in
        raise ReadError("expected a path, found ''")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~nobody
        raise ReadError(f"{path}: there is no such home folder ({error})") from None


def is_in_ir_datasets(name: Any) -> bool:
    """Tell whether it is the name of a data set of ir_datasets: ``irds:vaswani``."""
    return isinstance(name, str) and name.startswith(IR_DATASETS)


def is_remote(path: str | Path) -> bool:
    """Tell whether a path is the address of a remote file: ``https://``, ``s3://`` ..."""
    return isinstance(path, str) and "://" in path


def public_address(address: str) -> str:
    """Give an address without user, password, query and fragment, which may be secret.

    Examples
    --------
    >>> public_address("https://me:word@example.org/bm25.run?token=abc#top")
    'https://example.org/bm25.run'
    """
    without_user = re.sub("//[^/]*@", "//", address, count=1)
    return re.split("[?#]", without_user, maxsplit=1)[0]


def _remote(address: str) -> File:
    from lexiframe.io.files.remote import fetch

    return File(public_address(address), fetch(address, public_address(address)))


def _is_data(run: Any) -> bool:
    return not isinstance(run, str | Path) or is_in_ir_datasets(run)


def _is_one(runs: Any) -> bool:
    return isinstance(runs, str | Path | File) or is_frame(runs) or is_one_run(runs)


def _expand(run: Any) -> Found:
    if is_in_ir_datasets(run):
        return Found([Source(run.removeprefix(IR_DATASETS), run)])
    if isinstance(run, File):
        return Found([Source(run_name(Path(run.path)), run)])
    if not isinstance(run, str | Path):
        name = getattr(run, "name", None)  # ranx names its runs
        return Found([Source(name if isinstance(name, str) else None, run)])
    if str(run) == STANDARD_INPUT:
        return Found([Source("stdin", only_file(run))])
    if is_remote(run):
        return Found([Source(run_name(Path(public_address(str(run)))), only_file(run))])
    files, left_out = _files(run)
    return Found([Source(run_name(file), only_file(file)) for file in sorted(files)], left_out)


def _files(run: str | Path) -> tuple[list[Path], list[Path]]:
    """Give the files that a path, folder or glob means, and what else is in the folder."""
    path = expanded(run)
    if os.path.isdir(path):  # noqa: PTH112
        return _files_in(path)
    if glob.has_magic(str(path)) and not os.path.exists(path):  # noqa: PTH110
        files = [f for f in map(Path, glob.glob(str(path), recursive=True)) if f.is_file()]
        if not files:
            raise ReadError(f"{path}: the pattern matches no file")
        return files, []
    return [path], []


def _files_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Give the files that may be runs, and the others and folders; hidden ones are neither."""
    inside = {f for f in folder.iterdir() if not f.name.startswith(".")}
    odd = [f for f in inside if f.exists() and not (f.is_file() or f.is_dir())]
    if odd:  # what comes out of them may never end, or never begin
        where = _decoded(str(min(odd)))
        raise ReadError(Problem(where, "a file", "a device or a pipe", "name files alone"))
    about = {f for f in inside if f.suffix.lower() in _ABOUT or f.name.upper() in _ABOUT}
    left_out = about | {f for f in inside if f.is_dir()}
    if not inside - left_out:
        inner = sorted(f.name for f in inside if f.is_dir())
        deeper = (
            f"; the folders in it are not read ({first_three(inner)}): give a glob, such as "
            f"'{folder}/*/*', or of partitions a dataset of PyArrow"
        )
        raise ReadError(
            f"{folder}: the folder has no files in it that could be runs{deeper if inner else ''}"
        )
    return sorted(inside - left_out), sorted(left_out)


def one_run_per_source(names: list[str], where: str) -> str:
    """Give the only name that a file's rows carry, or say which they are."""
    if len(names) != 1:
        raise ReadError(
            f"{where}: expected one tag in the file, found {first_three(names)}; "
            "split the file, or read it under its file's name"
        )
    return names[0]
