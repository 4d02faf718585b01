"""One run, or a part of it, as every reader returns it: `RunPart`, and its checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal

import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    coded,
    n_and_first,
    schemas,
    warn,
)
from lexiframe.core.io.doubts.first_looks import may_be_several
from lexiframe.core.io.doubts.scores_against_ranks import (
    NOTHING_AGAINST,
    Against,
)
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.reading_options import TextOptions

NameFrom = Literal["file", "tag"]
UNNAMED = "run"
_NUMBERS = ("score", "relevance", "rank")
RUNS_ALONE = replace(
    schemas.RUNS,
    key=("run", "query_id", "doc_id"),
    columns={name: kind for name, kind in schemas.RUNS.columns.items() if name != "replicate"},
)
"""Runs where replicates have no place."""


@dataclass(frozen=True)
class RunPart:
    """One run, or one of its replicates, which then is in its name: see `coded.join_replicate`.

    The columns of ``rows`` are ``query_id``, ``doc_id``, ``score`` and perhaps ``rank``; the rows
    are in the order of the file. Ids are strings, or categories if they were integers.
    """

    name: str
    rows: pl.DataFrame
    where: str  # what error messages call the run
    empty: tuple[str, ...] = ()  # queries answered with an empty list, which have no rows
    places: Places | None = None  # returns the line or record of every row that comes from text
    header: str | None = None  # the ir_metadata in the file's comments, as YAML
    n_wider: int = 0  # how many lines of the file have more fields than are read
    sha256: str | None = None  # the hash of the file's bytes, if it was asked for
    unread: tuple[str, ...] = ()  # names of columns or fields that may tell several runs apart
    doubts: tuple[Problem, ...] = ()  # what the run may be instead, which nobody has said yet
    is_known: bool = True  # whether a name, a column or the form of the file says that it is a run
    distinct: bool = False  # whether no document can occur twice: dictionaries have each name once
    against: Against = NOTHING_AGAINST  # the rows whose scores contradict the ranks
    collection: str | None = None  # of a table with a column of collections


def no_rows(names: Sequence[str]) -> SchemaError:
    """Return the error of runs whose table has no row."""
    found = f"no rows of {n_and_first(names)}"
    advice = "leave a run out that was not read, and check the filter that made the frame"
    return SchemaError(Problem("runs", "the rows of each run's rankings", found, advice))


def warn_of_doubts(doubts: Iterable[Problem]) -> None:
    """Warn of doubts about runs, once for each file or frame."""
    for said in dict.fromkeys(map(str, doubts)):
        warn(said)


def refuse_replicates(parts: Iterable[RunPart]) -> None:
    """Raise for runs with replicates if their kind is unknown or unspecified."""
    of_replicates = [part.name for part in parts if coded.split_replicate(part.name)[1]]
    if of_replicates:
        raise LexiframeError(
            f"runs: found replicates (run {coded.said(min(of_replicates))}), and what they "
            "are is unspecified; evaluate takes replicates='run' (each run's own seeds), 'request' "
            "(samples of each request's data, the same for all runs), 'cell' (repetitions of each "
            "run and request) or 'both' (seeds that all runs share), and so do compare, "
            "equivalence and gate of their scores: scores(positions(runs, qrels), ...); elsewhere, "
            "give each replicate a name of its own as run"
        )


def doubts_of_run(
    rows: pl.DataFrame,
    others: pl.DataFrame,
    where: str,
    unread: Sequence[str],
    *,
    named_lines: bool = False,
) -> tuple[Problem, ...]:
    """Return the doubts about the rows of a run; raise for a certain problem.

    ``named_lines``: the caller named the run of lines without column names, so that it is one run.
    """
    if not may_be_several(rows, others):
        return ()
    from lexiframe.core.io.doubts.several_rankings import several_rankings

    several = several_rankings(rows, others, where, unread)
    if several is None or (named_lines and not several.is_certain and not several.has_twins):
        return ()
    if several.is_certain:
        raise SchemaError(several.problem)
    return (several.problem,)


def orient_scores(rows: pl.DataFrame, options: TextOptions, where: str) -> pl.DataFrame:
    """Negate scores if low ones are better; use the negative rank where there is no score."""
    is_ranked = options.ranked_by == "rank"
    if is_ranked and "rank" not in rows.columns:
        advice = "say which column has them (columns={'rank': '...'}), or leave ranked_by out"
        raise SchemaError(Problem(where, "a column of whole ranks", "none", advice))
    if "score" in rows.columns and not is_ranked:
        return rows if options.better == "high" else rows.with_columns(-pl.col("score"))
    if "rank" not in rows.columns:
        return rows
    return rows.with_columns(score=-pl.col("rank").cast(pl.Float64))


def refuse_no_number(rows: pl.DataFrame, column: str, where: str) -> None:
    """Raise when a score or grade is null or NaN."""
    numbers = rows[column]
    if not (numbers.has_nulls() or isnan(numbers.sum())):  # as mostly, and faster
        return
    from lexiframe.core.io.problems.advice import NO_NUMBER

    bad = (numbers.is_null() | numbers.is_nan()).arg_true()
    if len(bad):
        first = rows.row(int(bad[0]), named=True)
        raise SchemaError(
            f"{where}: expected a number in {column} of every row, found none in {len(bad)} "
            f"(row {bad[0] + 1} first, query {first['query_id']!r}, document {first['doc_id']!r}); "
            f"{NO_NUMBER[column]}"
        )


def as_written(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> tuple[pl.DataFrame, str, str]:
    """Return a file's runs, queries and numbers as text, and two names for `refuse_lost_digits`."""
    from lexiframe.core.io.problems.rows_as_written import columns_in
    from lexiframe.core.io.rows_of_files import rows_of

    blocks, number = [], ""
    for rows in rows_of(content, where, options, schema):
        found, _ = columns_in(rows, where, schema, options.columns)
        number = next(name for name in _NUMBERS if name in found)
        texts = [found[name].texts.alias(name) for name in ("run", "query_id") if name in found]
        blocks.append(pl.DataFrame([*texts, found[number].texts.alias("score")]))
    return pl.concat(blocks, how="diagonal"), where, number


def as_text(given: pl.DataFrame, where: str) -> tuple[pl.DataFrame, str, str]:
    """Return a frame's runs, queries and numbers as text, with two names (see `as_written`)."""
    names = [name for name in ("run", "query_id") if name in given.columns]
    number = next(name for name in _NUMBERS if name in given.columns)
    score = pl.col(number).cast(pl.String).alias("score")
    return given.select(pl.col(names).cast(pl.String), score), where, number
