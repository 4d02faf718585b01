"""Joining tables with descriptions of runs or requests: `with_log` and `with_attributes`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import (
    SchemaError,
    errors,
    likely_cause,
    n_and_first,
    schemas,
    to_polars,
    typed,
    warn,
)
from lexiframe.core.io.column_forms.column_names import candidates_for
from lexiframe.core.io.columns import KNOWN_NAMES, NAMES
from lexiframe.core.io.files.data_sources import run_name
from lexiframe.core.io.logs.files import name_runs, read_log
from lexiframe.typing import Frame, LogLike

_DIFFERENCES_OF_RUNS = {"the folder or the ending of a file": lambda name: run_name(Path(name))}
_ENTRY = {  # what warnings call a row
    "log": "a log entry",
    "requests": "attributes",
    "queries": "a text",
    "texts": "a title or an image",
}
MLFLOW_RUN_NAME = "tags.mlflow.runName"  # the run's name in tables of mlflow.search_runs


@typed
def with_log(table: Frame, log: LogLike, on: str = "run") -> pl.DataFrame:
    """Join any table with a log of experiments: add the log's columns to the rows of the table.

    Tables of pairs (``run_a``, ``run_b``) get each column of the log twice, with the endings ``_a``
    and ``_b``. Rows without an entry in the log have nulls. One warning counts them, and the
    entries of the log that are not in the table.

    Parameters
    ----------
    table
        Any table of lexiframe that names runs or pairs of them, in any frame that exports Arrow.
    log
        One row for each run: a file, in the forms that `read_log` reads, or any frame that exports
        Arrow, from `read_mlflow`, ``mlflow.search_runs`` or elsewhere.
    on
        The column that both have; in tables of pairs, ``{on}_a`` and ``{on}_b``. In the log, the
        column ``run`` may also be called ``name``, ``system``, ``tag``, ``model`` or
        ``tags.mlflow.runName``, and ``query_id`` and ``doc_id`` may have the names that `read_runs`
        knows, if the log has only one such column. Integer ids are compared as text.

    Returns
    -------
    polars.DataFrame
        The rows and columns of ``table`` in their order, then the columns of ``log`` without its
        key. A column whose name the table has too gets the ending ``_log``.

    Raises
    ------
    SchemaError
        When a key column is missing or holds no ids, when several rows of the log have the same
        key, when no key is in both, and when two columns would get the same name.

    Examples
    --------
    >>> import lexiframe as lf
    >>> log = pl.DataFrame({"run": ["pca8", "pca16"], "params.k": [8, 16]})
    >>> pairs = pl.DataFrame({"run_a": ["pca16"], "run_b": ["pca8"], "mean_difference": 0.01})
    >>> lf.with_log(pairs, log).to_dict(as_series=False)
    {'run_a': ['pca16'], 'run_b': ['pca8'], 'mean_difference': [0.01], 'params.k_a': [16],
    'params.k_b': [8]}
    """
    return join_entries(table, _read_entries(log), on, "with_log", "log")


@typed
def with_attributes(table: Frame, attributes: LogLike, on: str = "query_id") -> pl.DataFrame:
    """Join any table with what describes requests: add the attributes to the rows of the table.

    Rows of requests without attributes have nulls, and one warning counts these requests.

    Parameters
    ----------
    table
        Any table of lexiframe that names requests, in any frame that exports Arrow.
    attributes
        One row for each request, such as its category, length or user group: a file, in the forms
        that `read_log` reads, or any frame that exports Arrow.
    on
        The column that both have. In the attributes, ``query_id`` and ``doc_id`` may have the names
        that `read_runs` knows, if there is only one such column. Ids may be of any type: they are
        compared as text, and floats that are whole, which pandas makes of integers beside missing
        values, as integers.

    Returns
    -------
    polars.DataFrame
        The rows and columns of ``table`` in their order, then the attributes without the key. A
        column whose name the table has too gets the ending ``_attributes``.

    Raises
    ------
    SchemaError
        When a key column is missing or has rows without an id, when several rows of the attributes
        have the same key, when no key is in both, and when two columns would get the same name.

    Examples
    --------
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"run": "bm25", "query_id": ["1", "2"], "value": [0.5, 1]})
    >>> requests = pl.DataFrame({"qid": [1, 2], "words": [3, 8]})
    >>> lf.with_attributes(s, requests).select("query_id", "value", "words").rows()
    [('1', 0.5, 3), ('2', 1.0, 8)]
    """
    given, entries = to_polars(table), to_polars(_read_entries(attributes))
    keys = [name for name in (on, f"{on}_a", f"{on}_b") if name in given.columns]
    rows = _ids_as_text(given, keys)
    entries = _ids_as_text(entries, {on, *KNOWN_NAMES.get(on, [])})
    joined = join_entries(rows, entries, on, "with_attributes", "attributes")
    return joined.with_columns(given[name] for name in keys)


def _read_entries(entries: Any) -> Any:
    """Read a file; return a frame unchanged."""
    return read_log(entries) if isinstance(entries, str | Path) else entries


def _ids_as_text(table: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return a table whose columns of ids are text, whatever their type."""
    return table.with_columns(_id_text(table[name]) for name in names if name in table.columns)


def _id_text(ids: pl.Series) -> pl.Series:
    if ids.dtype == pl.Object:  # Python's own objects, such as UUIDs
        return pl.Series(ids.name, [None if i is None else str(i) for i in ids], dtype=schemas.STR)
    if ids.dtype.is_float() and bool((ids.drop_nulls().drop_nans() % 1 == 0).all()):
        ids = ids.fill_nan(None).cast(pl.Int64)
    return ids.cast(schemas.STR)


def join_entries(table: Any, log: Any, on: str, function: str, log_name: str) -> pl.DataFrame:
    """Join as `with_log` does; messages name the ``function`` and call the log ``log_name``."""
    rows = to_polars(table)
    keys = _keys(rows, on, function)
    entries = entries_of(log, on, log_name, keys)
    _compare_keys(keys, entries, on, function, log_name)
    joined = {
        name.removeprefix(on): keys.select(pl.col(name).alias(on)).join(
            entries, on=on, how="left", maintain_order="left"
        )
        for name in keys.columns
    }
    ending = "_attributes" if log_name == "attributes" else "_log"
    columns = [
        part[name].alias(name + suffix + ending * (name + suffix in rows.columns))
        for name in entries.columns
        if name != on
        for suffix, part in joined.items()
    ]
    _refuse_same_names([*rows.columns, *(column.name for column in columns)], function, log_name)
    return rows.hstack(columns)


def _keys(rows: pl.DataFrame, on: str, function: str) -> pl.DataFrame:
    """Return the columns of a table that hold ids of the log, as text or null."""
    names = [on] if on in rows.columns else [f"{on}_a", f"{on}_b"]
    if not set(names) <= set(rows.columns):
        raise SchemaError(
            f"{function}: expected the table to have the column {on}, or {on}_a and {on}_b, found "
            f"{', '.join(rows.columns)}{_renaming(on, rows.columns)}"
        )
    key = tuple(names)
    return schemas.check(
        rows,
        schemas.TableSchema("table", key, dict.fromkeys(key, schemas.STR), nullable=key),
        "table",
    )


def entries_of(log: Any, on: str, log_name: str, keys: Any = ()) -> pl.DataFrame:
    """Return the log with its key as text in the column ``on``; raise for a repeated key.

    ``keys`` are the keys of the table: advice names the column that has some of them.
    """
    entries = name_runs(to_polars(log))
    name = _key_of_log(entries, on, log_name, keys)
    key = schemas.check(
        entries.rename({name: on}), schemas.TableSchema(log_name, (on,), {on: schemas.STR})
    )[on]
    repeated = key.filter(key.is_duplicated()).unique(maintain_order=True)
    if len(repeated):
        raise SchemaError(
            f"{log_name}: expected one row for each {on}, found several for "
            f"{n_and_first(repeated)}; choose one of each, such as the last: "
            f"{log_name}{_last_of_each(name, log, entries.columns)}"
        )
    return entries.rename({name: on}).with_columns(key)


def _last_of_each(name: str, log: Any, columns: list[str]) -> str:
    """Return the code that keeps the last entry of each run, in pandas or Polars."""
    is_pandas = hasattr(log, "drop_duplicates")
    by_time = f'.sort{"_values" * is_pandas}("start_time")' * ("start_time" in columns)
    if is_pandas:
        return f'{by_time}.drop_duplicates("{name}", keep="last")'
    return f'{by_time}.unique("{name}", keep="last", maintain_order=True)'


def _key_of_log(entries: pl.DataFrame, on: str, log_name: str, keys: Any) -> str:
    columns = entries.columns
    if on in columns:
        return on
    words = [*KNOWN_NAMES.get(on, [on]), *[MLFLOW_RUN_NAME] * (on == "run")]
    candidates = candidates_for(words, columns)
    if len(candidates) > 1:
        raise SchemaError(
            f"{log_name}: {' and '.join(candidates)} could each be the {on}; rename the one that "
            f"is: {log_name}.rename({{{candidates[0]!r}: {on!r}}})"
        )
    if not candidates:
        texts = entries.select(pl.col(pl.String))
        holding = [c.name for c in texts if any(c.is_in(key.implode()).any() for key in keys)]
        raise SchemaError(
            f"{log_name}: expected a column {on} to join on, found {', '.join(columns)}"
            f"{_renaming(on, columns, holding)}"
        )
    return candidates[0]


_SIMILAR = 0.7
_OF_TIME = re.compile(r"(?i)time|duration")
"""Names of columns that never say whose a row is: Runtime is no run."""


def _renaming(on: str, columns: Iterable[str], holding: Sequence[str] = ()) -> str:
    """Return how to rename the column that is meant: one ``holding`` the ids, if there is any."""
    candidates = holding or errors.nearest(columns, NAMES.get(on, [on]), cutoff=_SIMILAR)
    candidates = [name for name in candidates if not _OF_TIME.search(name)]
    return f"; rename it: .rename({{{candidates[0]!r}: {on!r}}})" if candidates else ""


def _compare_keys(
    keys: pl.DataFrame, entries: pl.DataFrame, on: str, function: str, log_name: str
) -> None:
    """Warn of keys that are only in the table or only in the log; raise if none is in both."""
    ours = pl.concat([column.alias(on) for column in keys]).drop_nulls().unique().sort()
    theirs = entries[on]
    without_entry = ours.filter(~ours.is_in(theirs.implode()))
    without_row = theirs.filter(~theirs.is_in(ours.implode()))
    if len(ours) and len(without_entry) == len(ours):
        raise no_common_keys(function, ours, entries, on, log_name)
    alone = {f"{on} without {_ENTRY.get(log_name, log_name)}": without_entry}
    if log_name == "log":  # attributes of requests may cover more than the evaluated ones
        alone[f"log entry without a {on}"] = without_row
    counts = [f"{what}: {n_and_first(names)}" for what, names in alone.items() if len(names)]
    if counts:
        warn(f"{function}: {'; '.join(counts)}")


def no_common_keys(
    function: str,
    ours: Sequence[str] | pl.Series,
    entries: pl.DataFrame,
    on: str = "query_id",
    log_name: str = "requests",
    n: int | None = None,
) -> SchemaError:
    """Return the error for a table whose ``n`` keys, beginning with ``ours``, are in no entry."""
    return SchemaError(
        f"{function}: expected some {on} that is in both, found {n_and_first(ours, n)} in the "
        f"table and {n_and_first(entries[on])} in the {log_name}"
        f"{_id_hint(set(ours), entries, on, log_name)}"
    )


def _id_hint(ours: set[str], entries: pl.DataFrame, on: str, log_name: str) -> str:
    """Return why ids that may be meant to be equal differ."""
    for column in entries.drop(on).select(pl.col(pl.String)):
        if common := ours & set(column):
            found = f"the {log_name}'s column {column.name} has {len(common)} of them"
            return f"; {found}: rename it to {on}"
    cause = likely_cause(ours, entries[on], _DIFFERENCES_OF_RUNS)
    return f"; likely cause: {cause}; write them alike" if cause else ""


def _refuse_same_names(names: list[str], function: str, log_name: str) -> None:
    same = [name for name, n in Counter(names).items() if n > 1]
    if same:
        raise SchemaError(
            f"{function}: two columns would be called {', '.join(same)}; rename the {log_name}'s, "
            "or leave them out"
        )
