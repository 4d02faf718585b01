"""Folders: which files in them are data, which of these are parts of one run, and data sets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from lexiframe.core.base import Problem, ReadError, errors, n_and_first
from lexiframe.core.io.columns import KNOWN_NAMES

_HIDDEN = (".", "_")
"""How names of what is no data begin: Spark's `_SUCCESS`, `.part-0.crc`, `_delta_log`."""
# Endings of files that often lie in a folder of runs, but are no runs; and names of such files,
# which have no ending or that of any text. A run may be called so: README.trec.
_ABOUT = """
.md .rst .tex .bib .html .pdf .png .jpg .jpeg .svg .yaml .yml .toml .cfg .ini .log .lock .sh .py .r
.ipynb .md5 .sha1 .sha256 .sha512 .sum .bak .orig .old .tmp .swp .rej .err .db .cff
readme license licence notice provenance changelog authors citation makefile dockerfile notes
requirements metadata config settings stats statistics manifest md5sums sha256sums checksums info
version queries topics corpus dataset_info
""".split()
_OF_TEXT = ("", ".txt", ".json", ".csv", ".tsv")
_LOGS = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table"}
_ICEBERG = "an Iceberg table"
_PARQUET = b"PAR1"
_PART = re.compile(r"part[-_.](?:[rm][-_])?[0-9]+(?![0-9])", re.IGNORECASE)
_NTH = re.compile(
    r"(?P<of>.*?)[-_.]?(?P<nth>[0-9]+)[-_]of[-_](?P<n>[0-9]+)(?![0-9])", re.IGNORECASE
)
_BY_TOOLS = [
    re.compile(rf"{name}(?:\.[a-z][a-z0-9]*)*", re.IGNORECASE)
    for name in (
        r"(?P<of>)(?P<nth>[0-9]{6})_[0-9]+(?:_copy_[0-9]+)?",  # Hive
        r"(?P<of>.*?)(?P<nth>[0-9]{4})_part_[0-9]{2,}",  # Redshift
        r"(?P<of>.*?)[-_.]?(?P<nth>[0-9]{12})",  # BigQuery
        r"(?P<of>)data_(?P<nth>[0-9]+)",  # DuckDB
        r"(?P<of>.*?)[-_.]?(?:part|shard|chunk)[-_.]?(?P<nth>[0-9]+)",
    )
]
"""Names of parts that may be those of runs too, where not all names in a folder count parts."""


def printable(path: str) -> str:
    """Return a path as printable text, even if the name of the file is not UTF-8."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", path)


def is_folder(path: Path) -> bool:
    """Return whether there is a folder; a name that is too long is none."""
    return os.path.isdir(path)  # noqa: PTH112


def is_hidden(path: Path) -> bool:
    """Return whether the name of a file or folder says that it is no data."""
    return path.name.startswith(_HIDDEN)


def files_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files in a folder that may be runs, and the paths to warn of.

    Files that are hidden are left out; those that are called like text or tables are warned of.
    """
    refuse_table_with_log([folder])
    everything = [*folder.iterdir()]
    inside = {path for path in everything if not is_hidden(path)}
    refuse_odd(inside)
    left_out = {path for path in inside if path.is_dir() or is_about(path)}
    left_out |= {path for path in everything if path.name.startswith("_") and path.suffix}
    if not inside - left_out:
        if named := _named_by_folders(inside):
            return named, []
        why = ""
        if inner := sorted(path.name for path in inside if path.is_dir()):
            why = f"; the folders in it are not read ({n_and_first(inner)}): give a glob, such as "
            why += f"'{folder}/*/*'"
        elif left_out:
            names = n_and_first(sorted(path.name for path in left_out))
            why = f"; their names are not those of runs ({names}): to read one, name it"
        raise ReadError(f"{folder}: the folder has no files in it that could be read{why}")
    return sorted(inside - left_out), sorted(left_out)


def _named_by_folders(inside: Iterable[Path]) -> list[Path]:
    """Return the files of several folders, each with one file, of the same name; else none."""
    folders = [path for path in inside if path.is_dir()]
    found = [path for one in folders for path in one.iterdir() if not is_hidden(path)]
    files = sorted(path for path in found if not (path.is_dir() or is_about(path)))
    refuse_odd(files)
    is_one_each = 1 < len(files) == len(folders) == len({path.parent for path in files})
    return files if is_one_each and len({path.name for path in files}) == 1 else []


def is_about(path: Path) -> bool:
    """Return whether the name of a file says that it is about data, and has none."""
    if path.name.endswith("~") or path.name.startswith("#"):  # what editors leave
        return True
    ending = path.suffix.lower()
    return ending in _ABOUT or (ending in _OF_TEXT and path.stem.lower() in _ABOUT)


def matched(pattern: Path, paths: Iterable[Path]) -> list[Path]:
    """Return the paths that match a pattern, without files that hold no data.

    A pattern that names such files itself, like ``_*.run``, keeps them.
    """
    asks = any(part.startswith(_HIDDEN) for part in pattern.parts if "*" in part or "?" in part)
    fixed = len(pattern.parts) if asks else _n_fixed(pattern)
    kept = [f for f in paths if not any(part.startswith(_HIDDEN) for part in f.parts[fixed:])]
    refuse_odd(kept)
    refuse_table_with_log({path.parent for path in kept})
    return kept


def _n_fixed(pattern: Path) -> int:
    """Return how many parts of a path are the same in all that a pattern matches."""
    return next((n for n, part in enumerate(pattern.parts) if re.search(r"[*?\[]", part)), 0)


def refuse_odd(paths: Iterable[Path]) -> None:
    """Raise for devices and pipes: reading one may never end, or never begin."""
    odd = [path for path in paths if path.exists() and not (path.is_file() or path.is_dir())]
    if odd:
        where = printable(str(min(odd)))
        raise ReadError(Problem(where, "a file", "a device or a pipe", "name files alone"))


# --- Tables whose log says which of their files count -------------------------------------------


def kind_with_log(folder: Path) -> str | None:
    """Return the kind of a folder in which a log says which files count; None without a log."""
    found = next((kind for name, kind in _LOGS.items() if is_folder(folder / name)), None)
    if found is None and is_folder(folder / "metadata"):
        has_log = any(folder.glob("metadata/*.metadata.json"))
        return _ICEBERG if has_log else None
    return found


def refuse_table_with_log(folders: Iterable[Path]) -> None:
    """Raise if files of a table that has a log would be read without it: some may be removed."""
    tables = {one for folder in folders for one in (folder, *folder.absolute().parents)}
    for table in sorted(tables):
        if kind := kind_with_log(table):
            found = f"{kind}, whose log says which of its files count"
            advice = "read it with a library that knows the log, and give the frame"
            if kind == _LOGS["_delta_log"]:
                advice = "give the folder of the table, or read it with deltalake"
            raise ReadError(Problem(printable(str(table)), "files that all count", found, advice))


def delta_table(folder: Path) -> Any:
    """Open a Delta table as a data set, with the library deltalake, which obeys its log."""
    where = printable(str(folder))
    found = f"{_LOGS['_delta_log']}, whose log says which of its files count"
    try:
        deltalake = import_module("deltalake")
    except ImportError:
        advice = "install deltalake, which reads the log, or give a frame of the table"
        raise ReadError(Problem(where, "", found, advice)) from None
    try:
        return deltalake.DeltaTable(str(folder)).to_pyarrow_dataset()
    except Exception as error:  # noqa: BLE001 - of a library that raises errors of many kinds
        advice = "give a frame of the table"
        found += f", and deltalake cannot read it ({errors.one_line(error):.200})"
        raise ReadError(Problem(where, "", found, advice)) from None


# --- Parts of one run ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The name of a file as a part: its set, its number, and the number of parts.

    ``of`` is the text before the number; ``n`` is None where nothing says how many parts there are.
    """

    of: str
    nth: int = 0
    n: int | None = None


def part_of(path: Path) -> Part | None:
    """Return the set, number and count in the name of a part; None for any other file.

    Examples
    --------
    >>> part_of(Path("part-00001-c000.snappy.parquet")), part_of(Path("bm25-00001-of-00002.gz"))
    (Part(of='', nth=0, n=None), Part(of='bm25', nth=1, n=2))
    >>> part_of(Path("party.run")) is None
    True
    """
    if _PART.match(path.name):
        return Part("")
    found = _NTH.match(path.name)
    return found and Part(found["of"], int(found["nth"]), int(found["n"]))


def sets_of_parts(paths: Sequence[Path]) -> list[tuple[str | None, list[Path]]]:
    """Divide files into runs: parts of one run go together, any other file is alone.

    The name is that of a run of parts, and None for a file that is no part. It is the name of their
    folder; where there are several sets in one folder, it is the text before their numbers.
    """
    by_tools = _counted_by_tools(paths)
    sets: dict[tuple[Path, str | Path], list[Path]] = {}
    for path in paths:
        part = by_tools.get(path, part_of(path))
        sets.setdefault((path.parent, path if part is None else part.of), []).append(path)
    several: dict[Path, int] = {}
    for folder, of in sets:
        several[folder] = several.get(folder, 0) + isinstance(of, str)
    named: list[tuple[str | None, list[Path]]] = []
    for (folder, of), files in sets.items():
        if isinstance(of, Path):
            named.append((None, files))
        else:
            _refuse_missing_parts(folder, files)
            named.append((of if of and several[folder] > 1 else _folder_name(folder), files))
    return named


def _counted_by_tools(paths: Iterable[Path]) -> dict[Path, Part]:
    """Return the numbered parts of folders in which all file names count as a tool counts.

    The parts of a run are counted from 0 or 1 on; a date is no number of a part.
    """
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    counted: dict[Path, Part] = {}
    for inside in folders.values():
        for pattern in _BY_TOOLS:
            found = {path: at for path in inside if (at := pattern.fullmatch(path.name))}
            if len(found) < len(inside):
                continue
            parts = {path: Part(at["of"], int(at["nth"])) for path, at in found.items()}
            for of in {part.of for part in parts.values()}:
                of_one = {path: part for path, part in parts.items() if part.of == of}
                numbers = sorted({part.nth for part in of_one.values()})
                first = numbers[0]
                if len(of_one) > 1 and first < 2 and numbers[-1] - first < len(numbers):
                    counted |= of_one
            break
    return counted


def _folder_name(folder: Path) -> str:
    """Return the name of a folder; of a partition ``run=bm25`` only the run."""
    name = folder.absolute().name
    key, is_partition, value = name.partition("=")
    return unquote(value) if is_partition and key in KNOWN_NAMES["run"] else name


def _refuse_missing_parts(folder: Path, files: Sequence[Path]) -> None:
    """Raise if names say that there are more parts: an incomplete run would be evaluated."""
    parts = [part for path in files if (part := part_of(path)) is not None]
    n = max((part.n for part in parts if part.n is not None), default=None)
    if n is None or len({part.nth for part in parts}) >= n:
        return
    found = n_and_first(sorted(path.name for path in files))
    advice = "fetch the others, or name each file: {name: path}"
    raise ReadError(Problem(printable(str(folder)), f"{n} parts of one run", found, advice))


# --- Data sets -----------------------------------------------------------------------------------


def data_set_in(folder: Path) -> Any | None:
    """Return a folder with a Delta log or with partitions (``run=bm25/``) as a data set; else None.

    Partitions are Parquet files alone, below folders that are called ``name=value``, with no file
    beside these folders.
    """
    if not is_folder(folder):
        return None
    if kind_with_log(folder) == _LOGS["_delta_log"]:
        return delta_table(folder)
    inside = [path for path in folder.iterdir() if not is_hidden(path)]
    beside = [path for path in inside if not path.is_dir() and not is_about(path)]
    if beside or not any("=" in path.name for path in inside if path.is_dir()):
        return None
    return data_set(folder) if is_data_set(folder) else None


def is_data_set(path: Path) -> bool:
    """Return whether a path is a folder whose first file is Parquet."""
    if not is_folder(path):
        return False
    files = [file for file in _data_below(path) if file.is_file()]
    if not files:
        return False
    with min(files).open("rb") as first:
        return first.read(len(_PARQUET)) == _PARQUET


def is_empty(path: Path) -> bool:
    """Return whether a path is a folder without data; reading it as a data set says so."""
    return is_folder(path) and not any(file.is_file() for file in _data_below(path))


def _data_below(folder: Path) -> list[Path]:
    """Return the paths below a folder, without hidden files and folders."""
    inside = (path for path in folder.rglob("*") if not is_hidden(path))
    fixed = len(folder.parts)
    return [p for p in inside if not any(n.startswith(_HIDDEN) for n in p.parts[fixed:])]


def data_set(folder: Path) -> Any:
    """Open a folder of Parquet files as a data set; any other file in it is an error."""
    from pyarrow import dataset, fs

    if kind_with_log(folder) == _LOGS["_delta_log"]:
        return delta_table(folder)
    refuse_table_with_log([folder])
    inside = _data_below(folder)
    refuse_odd(inside)
    files = sorted(str(path) for path in inside if path.is_file())
    if not files:
        raise ReadError(Problem(str(folder), "Parquet files", "an empty folder"))
    inner = [part for file in files for part in Path(file).relative_to(folder).parts[:-1]]
    names = dict.fromkeys(part.partition("=")[0] for part in inner if "=" in part)
    # As text, since Arrow would read the run 007 as the number 7. Other columns are those of the
    # first file, for who reads all at once; a part is read with those of its file, and a broken
    # first file is found like any other.
    keys = pa.schema([(name, pa.string()) for name in names])
    schema = pa.schema([*_columns_of(files[0], names), *keys])
    factory = dataset.FileSystemDatasetFactory(
        fs.LocalFileSystem(),
        files,
        dataset.ParquetFileFormat(),
        dataset.FileSystemFactoryOptions(
            partitioning=dataset.HivePartitioning(keys),
            partition_base_dir=str(folder),
            exclude_invalid_files=False,
        ),
    )
    return factory.finish(schema)


def _columns_of(file: str, keys: Iterable[str]) -> list[pa.Field]:
    from pyarrow import parquet

    try:
        return [field for field in parquet.read_schema(file) if field.name not in {*keys}]
    except (OSError, pa.ArrowException):
        return []
