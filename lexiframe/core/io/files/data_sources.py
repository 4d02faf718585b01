"""Finding the files, streams or frames that a caller means, and the name of each run."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

from lexiframe import features
from lexiframe.core.base import (
    Problem,
    ReadError,
    SchemaError,
    coded,
    n_and_first,
    schemas,
    shown,
    to_polars,
    warn,
)
from lexiframe.core.base.feature import Places
from lexiframe.core.io.column_forms.objects import held, is_frame, is_one_run, may_be_run
from lexiframe.core.io.files.folders import (
    data_set_in,
    files_in,
    is_folder,
    matched,
    printable,
    refuse_table_with_log,
    sets_of_parts,
)
from lexiframe.core.io.files.form import TREC
from lexiframe.core.io.files.packings import PACKINGS
from lexiframe.core.io.files.unpacking import Content, content_of
from lexiframe.core.io.forms import BY_ENDING

SUFFIXES = {*BY_ENDING, *(ending for packing in PACKINGS for ending in packing.endings)}
WRITTEN = (*TREC.endings, ".parquet", ".gz")
"""The endings of files that are written when they are converted."""
PLACES = "give a table as a frame, and files of replicates as pathlib.Path, a folder or a glob"
STANDARD_INPUT = "-"
IR_DATASETS = "irds:"


@dataclass(frozen=True)
class File:
    """A file: its path or address, and its bytes if they can be read only once.

    Standard input, pipes and remote files are read as soon as they are found; other files are read
    when they are needed.
    """

    path: str
    data: bytes | None = None

    def __str__(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else printable(self.path)

    def read(self) -> bytes:
        """Return the bytes; raise ReadError if the file cannot be read."""
        with self._errors():
            return Path(self.path).read_bytes() if self.data is None else self.data

    @contextmanager
    def opened(self) -> Iterator[BufferedReader | BytesIO]:
        """Open the file to read it in parts; raise ReadError if it cannot be read."""
        data = self.data
        with self._errors(), Path(self.path).open("rb") if data is None else BytesIO(data) as file:
            yield file

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            found = f"cannot be read ({error.strerror or error})"
            raise ReadError(Problem(str(self), "", found)) from None

    def held(self) -> File:
        """Return the file with its bytes, so that later steps see the same bytes."""
        return replace(self, data=self.read())

    def stamp(self) -> tuple[int, ...] | None:
        """Return identity, size and time of the file, which change when it is written to.

        The result is None for a file whose bytes are kept, and for one that does not exist.
        """
        try:
            state = None if self.data is not None else Path(self.path).stat()
        except (OSError, ValueError):
            return None
        return state and (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)

    def content(self, what: str = "runs or judgments") -> Content:
        """Unpack and decode the bytes; ``what`` names the expected content in error messages."""
        return content_of(self.read(), str(self), what)

    def facts(self, sha256: str | None = None, **more: Any) -> dict[str, Any]:
        """Return the path as given and the sha256 of the bytes.

        Pass ``sha256`` if the file was read before: it may have changed since. Otherwise the file
        is read to compute it.
        """
        return {**more, "path": printable(self.path), "sha256": sha256 or self._sha256()}

    def _sha256(self) -> str:
        with self.opened() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Parts:
    """The files of one run that lies in several, as Spark, Dask and Hugging Face write it."""

    files: tuple[File, ...]

    def __str__(self) -> str:
        return printable(str(Path(self.files[0].path).parent))

    def stamp(self) -> tuple[int, ...] | None:
        """Return the stamps of all files in one tuple (see `File.stamp`)."""
        stamps = [stamp for file in self.files if (stamp := file.stamp()) is not None]
        return tuple(n for stamp in stamps for n in stamp)


def kept_apart(data: Any) -> Any:
    """Return data for a copy or another process; a relation of DuckDB becomes a table there."""
    is_relation = type(data).__module__.partition(".")[0] in ("duckdb", "_duckdb")
    return to_polars(data) if is_relation else data


@dataclass(frozen=True)
class Source:
    """One file or frame with runs. ``name`` is None when only the data can name them.

    If the caller gave the name (``is_given``), it overrides the name in the data. The name of one
    of several replicates of a run is that of `coded.join_replicate`.
    """

    name: str | None
    origin: Any
    is_given: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"origin": kept_apart(self.origin)}

    @property
    def where(self) -> str:
        """The name of the source in error messages."""
        if isinstance(self.origin, File | Parts):
            return str(self.origin)
        return "runs" if self.name is None else f"run {coded.said(self.name)}"

    @property
    def files(self) -> tuple[File, ...]:
        """The files, one for each part of the run; none for frames and objects."""
        if isinstance(self.origin, File):
            return (self.origin,)
        if isinstance(self.origin, Parts):
            return self.origin.files
        is_set = type(self.origin).__module__ == "pyarrow._dataset"
        is_local = is_set and self.origin.filesystem.type_name == "local"
        return tuple(map(File, self.origin.files)) if is_local else ()

    def apart(self) -> Iterator[Source]:
        """Yield the parts of a run as sources of their own, or the source itself."""
        if is_in_ir_datasets(self.origin):
            found = "a data set of ir_datasets, which has runs and judgments alone"
            raise ReadError(Problem(self.origin, "a file or a frame", found, "name a file"))
        if isinstance(self.origin, Parts):
            yield from (replace(self, origin=file) for file in self.files)
        else:
            yield self


@dataclass(frozen=True)
class Found:
    """The sources that a caller means, and the paths in folders that are no runs."""

    sources: list[Source]
    left_out: list[Path] = field(default_factory=list)

    @classmethod
    def together(cls, found: Iterable[Found]) -> Found:
        """Join the sources and the left-out paths of several searches."""
        several = list(found)
        return cls(
            [source for one in several for source in one.sources],
            [path for one in several for path in one.left_out],
        )


def warn_of_left_out(left_out: Sequence[Path]) -> None:
    """Warn once of all paths that were left out, in one or several folders."""
    folders = list(dict.fromkeys(path.parent for path in left_out))
    why = "since they are folders, or not called like runs (to read one, name it): "
    if len(folders) == 1:
        warn(f"{folders[0]}: left out, {why}{n_and_first([path.name for path in left_out])}")
    elif folders:
        paths = [str(path) for path in left_out]
        warn(f"left out of {len(folders)} folders, {why}{n_and_first(paths)}")


def read_by_spark() -> dict[str, Mapping[str, Any]]:
    """Return the endings of files that Spark reads, with the options with which it does."""
    return {ending: form.spark for ending, form in BY_ENDING.items() if form.spark is not None}


def run_name(path: Path) -> str:
    """Return the run's name: its file's name without the prefix ``input.`` and known endings."""
    name = printable(path.name).removeprefix("input.")  # TREC calls runs input.NAME in its archive
    while (ending := Path(name).suffix).lower() in SUFFIXES and name != ending:
        name = name.removesuffix(ending)
    return name


def find_sources(runs: Any) -> Found:
    """Find the sources a caller gives: paths, folders, globs, frames, lists, ``{name: ...}``."""
    found = sources_of_runs(runs)
    refuse_twins((one.name, one.where) for one in found.sources if one.name is not None)
    return found


def sources_of_runs(runs: Any) -> Found:
    """Find the sources as `find_sources` does, but allow several to have the same name."""
    runs = held(runs, "runs")
    is_one = isinstance(runs, str | Path | File) or is_frame(runs) or is_one_run(runs)
    if isinstance(runs, Mapping) and not is_one:
        refuse_data([runs])
        found = _expand(runs)
    else:
        several = isinstance(runs, Iterable) and not is_one and getattr(runs, "ndim", 1) > 0
        every = [*runs] if several else [runs]
        refuse_data(every)
        found = Found.together(map(_expand, every))
    if not found.sources:
        raise ReadError("expected at least one file or frame, found an empty list")
    for one in found.sources:
        schemas.warn_of_index(one.origin, one.where)
    return found if len(found.sources) == 1 else replace(found, sources=_join_parts(found.sources))


def refuse_data(several: Sequence[Any]) -> None:
    """Raise if the texts in dictionaries are data, before one of them is opened as a path.

    Under the name of a run, a text is a path. It is data beside a value that can be no run, and
    where the dictionaries of a list have equal names, like the rows of a table.
    """
    named = [of for of in several if isinstance(of, Mapping) and not is_one_run(of)]
    names = Counter(tuple(of) for of in named if len(of) > 1)
    for of in (of for of in named if any(isinstance(one, str) for one in of.values())):
        odd = [name for name, one in of.items() if not _is_run_or_place(one)]
        if odd or names[tuple(of)] > 1:
            found = f"{odd[0]!r}: {shown(of[odd[0]])}" if odd else f"rows with {n_and_first(of)}"
            raise SchemaError(Problem("dictionaries", "{run: file or frame}", found, PLACES))


def _is_run_or_place(one: Any) -> bool:
    are_paths = isinstance(one, list | tuple) and all(isinstance(path, Path) for path in one)
    return isinstance(one, str | File) or are_paths or may_be_run(one)


def _join_parts(sources: Sequence[Source]) -> list[Source]:
    """Join the files that are parts of one run, where several files were found."""
    paths = {
        Path(source.origin.path): source
        for source in sources
        if isinstance(source.origin, File) and source.origin.data is None and not source.is_given
    }
    if len(paths) < sum(isinstance(source.origin, File) for source in sources):
        return [*sources]
    sets = [(name, files) for name, files in sets_of_parts([*paths]) if name is not None]
    parts = [path for _, files in sets for path in files]
    refuse_table_with_log({path.parent for path in parts})
    joined = {
        id(paths[files[0]]): replace(
            paths[files[0]], name=run_name(Path(name)), origin=_origin(files)
        )
        for name, files in sets
    }
    others = {id(paths[path]) for path in parts} - joined.keys()
    return [joined.get(id(source), source) for source in sources if id(source) not in others]


def _origin(files: Sequence[Path]) -> File | Parts:
    """Return one file, or several files as the parts of one run."""
    several = tuple(map(only_file, sorted(files)))
    return several[0] if len(several) == 1 else Parts(several)


def refuse_twins(named: Iterable[tuple[str, str]]) -> None:
    """Raise when two runs have the same name."""
    places = list(named)
    twins = [name for name, n in Counter(name for name, _ in places).items() if n > 1]
    if twins:
        where = ", ".join(place for name, place in places if name == twins[0])
        raise ReadError(
            f"two runs are named {coded.said(twins[0])}: {where}. Rename one, or pass "
            "{name: path or frame} to name them yourself"
        )


def only_file(path: str | Path | File) -> File:
    """Return the one file that a path means, also ``-`` (standard input) or an address."""
    if isinstance(path, File):
        return path
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise ReadError(Problem("standard input", "", "it is closed", "name a file"))
        return File(STANDARD_INPUT, sys.stdin.buffer.read())
    if is_remote(path):
        fetch = features.needed(Places, str(path)).fetch
        address = public_address(str(path))
        return File(address, fetch(str(path), address))
    _refuse_single_slash(path)
    place = expanded(path)
    shown = printable(str(place))
    if os.path.isdir(place):  # noqa: PTH112 - false, not an error, for a name that is too long
        raise ReadError(Problem(shown, "a file", "a folder"))
    if not os.path.exists(place):  # noqa: PTH110
        raise ReadError(Problem(shown, "", "no such file"))
    mode = os.stat(place).st_mode  # noqa: PTH116
    if stat.S_ISREG(mode):
        return File(str(place))
    if not stat.S_ISFIFO(mode):  # some devices never end
        raise ReadError(Problem(shown, "a file", "a device; standard input is -"))
    return File(str(place)).held()


def expanded(path: str | Path) -> Path:
    """Return a path with the home folder in place of ``~``; raise for an unknown user."""
    if path == "":  # it would mean the working folder
        raise ReadError("expected a path, found ''")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~nobody
        raise ReadError(f"{path}: there is no such home folder ({error})") from None


def is_in_ir_datasets(name: Any) -> bool:
    """Return whether a name is ``irds:...``, a data set of ir_datasets."""
    return isinstance(name, str) and name.startswith(IR_DATASETS)


def is_remote(path: str | Path) -> bool:
    """Return whether a path is the address of a remote file: ``https://``, ``s3://`` ..."""
    return isinstance(path, str) and "://" in path


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/{1,2}")


def public_address(address: str) -> str:
    """Return an address without user, password, query and fragment, which may be secret.

    Passwords may have any character: all before the last @ is left out. Where it is not clear
    whether that @ is behind a password or in the query, nothing but the scheme is left.

    Examples
    --------
    >>> public_address("https://me:word@example.org/bm25.run?token=abc#top")
    'https://example.org/bm25.run'
    >>> public_address("s3://key:wo/rd@bucket/bm25.run")
    's3://bucket/bm25.run'
    """
    found = _SCHEME.match(address)
    scheme = found[0] if found else ""
    plain, *hidden = re.split("[?#]", address.removeprefix(scheme), maxsplit=1)
    if scheme and ":" in plain.partition("/")[0] and "@" in "".join(hidden):
        return f"{scheme}..."
    return scheme + (plain.rpartition("@")[2] if scheme else plain)


def _refuse_single_slash(path: str | Path) -> None:
    """Raise for an address that became a Path, which drops a slash."""
    text = str(path)
    if _SCHEME.match(text) and not os.path.exists(text):  # noqa: PTH110
        advice = "give addresses as text: a Path drops one"
        raise ReadError(Problem(public_address(text), "an address with two slashes", "one", advice))


def _named_by_caller(name: str, run: Any) -> Found:
    """Return the sources of one run: several files, or data with names, are its replicates."""
    if isinstance(run, Mapping) and not (is_frame(run) or is_one_run(run)) and run:
        several = {coded.join_replicate(name, str(one)): data for one, data in run.items()}
        return Found.together(_one_named(*one) for one in several.items())
    are_paths = isinstance(run, list | tuple) and all(isinstance(one, Path) for one in run)
    if not (isinstance(run, str | Path) or (are_paths and run)):
        return _one_named(name, run)
    found = sources_of_runs(run)
    names = [name]
    if len(found.sources) > 1:
        names = [coded.join_replicate(name, source.name) for source in found.sources]
    given = zip(found.sources, names, strict=True)
    return replace(found, sources=[replace(s, name=n, is_given=True) for s, n in given])


def _one_named(name: str, run: Any) -> Found:
    """Return the source of one run or replicate: data, a file, or a folder with its parts."""
    if isinstance(run, str):
        said = coded.said(name)
        raise SchemaError(Problem(f"run {said}", "a path or a frame", shown(run), PLACES))
    if not isinstance(run, Path):
        return Found([_held(Source(name, run, is_given=True))])
    found = sources_of_runs(run)
    if len(found.sources) > 1:
        names = n_and_first([source.where for source in found.sources])
        raise ReadError(Problem(str(run), "one run", names, "name each file"))
    return replace(found, sources=[replace(found.sources[0], name=name, is_given=True)])


def _held(source: Source) -> Source:
    return replace(source, origin=held(source.origin, source.where))


def _expand(run: Any) -> Found:
    if isinstance(run, Mapping) and not (is_frame(run) or is_one_run(run)):
        return Found.together(_named_by_caller(str(name), one) for name, one in run.items())
    if is_in_ir_datasets(run):
        return Found([Source(run.removeprefix(IR_DATASETS), run)])
    if isinstance(run, File) or is_remote(run):
        file = only_file(run)
        return Found([Source(run_name(Path(file.path)), file)])
    if not isinstance(run, str | Path):
        name = getattr(run, "name", None)  # ranx names its runs
        return Found([_held(Source(name if isinstance(name, str) else None, run))])
    if str(run) == STANDARD_INPUT:
        return Found([Source("stdin", only_file(run))])
    path = expanded(run)
    if (table := data_set_in(path)) is not None:
        return Found([Source(run_name(path.absolute()), table)])
    files, left_out = _files_meant(run)
    if len(files) == 1 and files[0] == path:
        return Found([Source(run_name(path), only_file(path))])
    several = sets_of_parts(sorted(files))
    names = [run_name(Path(n or f[0])) for n, f in several]
    if len({*names}) == 1 < len(names):  # then their folders name the runs
        names = [printable(f[0].absolute().parent.name) for _, f in several]
    sources = zip(names, several, strict=True)
    return Found([Source(name, _origin(f)) for name, (_, f) in sources], left_out)


def _files_meant(run: str | Path) -> tuple[list[Path], list[Path]]:
    """Return the files of a path, folder or glob, and the further entries of a folder."""
    _refuse_single_slash(run)
    path = expanded(run)
    if is_folder(path):
        return files_in(path)
    if glob.has_magic(str(path)) and not os.path.exists(path):  # noqa: PTH110
        paths = matched(path, map(Path, glob.glob(str(path), recursive=True)))
        files = [file for file in paths if not file.is_dir()]
        if not files:
            raise ReadError(f"{path}: the pattern matches no file")
        return files, []
    return [path], []


def one_run_per_source(names: list[str], where: str) -> str:
    """Return the only tag in the rows of a file; raise ReadError when there are several."""
    if len(names) != 1:
        raise ReadError(
            f"{where}: expected one tag in the file, found {n_and_first(names)}; "
            "split the file, or read it under its file's name"
        )
    return names[0]
