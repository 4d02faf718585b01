"""Covariates of strengths: by how much two answers differ in length, position, and the like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, to_polars, unknown_name
from lexiframe.core.io import File, logs
from lexiframe.core.orderings.likeliest.fitting import Counts

POSITION = "position"
_KEY = ("query_id", "run")
_SAME = 1e-9
"""The share of a covariate's variation that strengths and others must leave unexplained."""
_CERTAIN = 25.0
"""Log odds beyond which no judgment was seen to be anything else than certain."""


def differences(
    frame: pl.DataFrame, answers: Any, covariates: str | Sequence[str] | None
) -> dict[str, np.ndarray]:
    """Return, by covariate, the difference between run_a's and run_b's answers in each judgment.

    ``position`` is 1 where run_a was shown first, −1 where run_b was, and 0 where nobody knows.
    """
    table = None if answers is None else _answers(answers)
    names = [covariates] if isinstance(covariates, str) else covariates
    if names is None:
        names = [] if table is None else [c for c in table.columns if c not in _KEY]
    twice = {name for name in names if [*names].count(name) > 1}
    if twice:
        raise LexiframeError(f"covariates: {min(twice)!r} is named twice; name it once")
    found = {}
    for name in names:
        if name == POSITION:
            found[name] = _shown_first(frame)
        elif table is None:
            raise LexiframeError(
                f"covariates: {name!r} needs a table of what was shown; give answers=, with the "
                f"columns query_id, run and {name}"
            )
        else:
            found[name] = _difference(frame, table, name)
    return found


def _answers(answers: Any) -> pl.DataFrame:
    """Return the table of answers, with one row for each request and run."""
    is_file = isinstance(answers, str | Path | File)
    table = to_polars(logs.read_log(answers) if is_file else answers, "answers")
    missing = [name for name in _KEY if name not in table.columns]
    if missing:
        raise SchemaError(
            f"answers: expected a row for each query_id and run, found no column {missing[0]} "
            f"(found: {', '.join(table.columns)}); rename the column that has it"
        )
    if POSITION in table.columns:
        raise SchemaError(
            f"answers: the column {POSITION} would be taken for the covariate {POSITION!r}, which "
            "says who was shown first in a judgment; rename the column"
        )
    table = table.with_columns(pl.col(_KEY).cast(pl.String))
    twice = table.filter(table.select(_KEY).is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise SchemaError(
            f"answers: expected one row for each query_id and run, found "
            f"{twice.select(_KEY).is_duplicated().sum():,} rows that share theirs (first: "
            f"{row['query_id']!r}, {row['run']!r})"
        )
    return table


def _shown_first(frame: pl.DataFrame) -> np.ndarray:
    first = frame["first"] if "first" in frame.columns else pl.Series([None], dtype=pl.String)
    if first.null_count() == len(first):
        raise LexiframeError(
            f"covariates: {POSITION!r} needs to know which answer was shown first, and no judgment "
            "says it (column first); leave it out"
        )
    signs = pl.when(pl.col("first") == "a").then(1.0).when(pl.col("first") == "b").then(-1.0)
    return frame.select(signs.otherwise(0.0)).to_series().to_numpy()


def _difference(frame: pl.DataFrame, table: pl.DataFrame, name: str) -> np.ndarray:
    if name not in table.columns or name in _KEY:
        raise unknown_name("covariate", name, [c for c in table.columns if c not in _KEY])
    dtype = table.schema[name]
    if not (dtype.is_numeric() or dtype == pl.Boolean):
        raise SchemaError(
            f"answers: expected numbers in {name}, found values of type {dtype}; make a column of "
            "0 and 1 for each of them"
        )
    values = table.select(*_KEY, pl.col(name).cast(pl.Float64).alias("value"))
    a, b = (
        frame.select("query_id", run=run)
        .join(values, on=_KEY, how="left", maintain_order="left")
        .with_columns(pl.when(pl.col("value").is_finite()).then("value"))
        for run in ("run_a", "run_b")
    )
    lacks = pl.concat([a, b]).filter(pl.col("value").is_null()).unique(maintain_order=True)
    if lacks.height:
        shown = [f"{run} for {query}" for query, run, _ in lacks.head(1).rows()]
        raise SchemaError(
            f"answers: expected a number in {name} for each answer that was judged, found none for "
            f"{lacks.height:,} answers (first: {shown[0]}); add them, or leave the judgments out"
        )
    return (a["value"] - b["value"]).to_numpy()


def refuse_collinear(counts: Counts, names: Sequence[str]) -> None:
    """Raise for a covariate that the strengths and the covariates before it explain."""
    x = counts.covariates
    n = counts.wins + counts.losses + counts.ties
    k = len(names)
    if not k:
        return
    scale = np.sqrt(n @ x**2)
    scaled = x / np.where(scale > 0, scale, 1)
    met = -counts.square(n, n)
    np.fill_diagonal(met, -met.sum(axis=1))
    cross = np.stack([counts.run_sums(n * column) for column in scaled.T])
    left = (scaled.T * n) @ scaled - cross @ np.linalg.pinv(met) @ cross.T
    for place in range(k):
        before = left[:place, place]
        rest = left[place, place] - before @ np.linalg.pinv(left[:place, :place]) @ before
        if rest < _SAME:
            others = f" and in {', '.join(names[:place])}" if place else ""
            raise LexiframeError(
                f"covariates: {names[place]!r} is no more than a difference between runs"
                f"{others}, so that its effect cannot be told from theirs; leave it out"
            )


def refuse_separated(
    counts: Counts, names: Sequence[str], log_odds: np.ndarray, *, has_ended: bool
) -> None:
    """Raise where strengths and covariates predict judgments perfectly: estimates are infinite.

    They do when some direction makes no judgment less likely and one likelier. It is looked for
    only where some judgment seems certain, or where no maximum was found.
    """
    if not names or (has_ended and np.abs(log_odds).max() < _CERTAIN):
        return
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack, vstack

    m, s = len(counts.a), counts.n_runs
    rows = np.tile(np.arange(m), 2)
    columns, signs = np.concatenate([counts.a, counts.b]), np.repeat([1.0, -1.0], m)
    scale = np.abs(counts.covariates).max(axis=0)
    design = hstack([coo_array((signs, (rows, columns)), (m, s)), counts.covariates / scale])
    design = design.tocsr()
    # A pair that either run won, or that was tied, has to stay as it is.
    both = (counts.ties > 0) | ((counts.wins > 0) & (counts.losses > 0))
    won, lost = design[~both & (counts.wins > 0)], design[~both & (counts.losses > 0)]
    one = vstack([won, -lost]).tocsr()
    found = linprog(
        -np.asarray(one.sum(axis=0)).ravel(), A_ub=-one, b_ub=np.zeros(one.shape[0]),
        A_eq=design[both], b_eq=np.zeros(int(both.sum())), bounds=(-1, 1),
    )  # fmt: skip
    if found.status == 0 and -found.fun > 1e-6:
        raise LexiframeError(
            f"covariates: with {', '.join(names)} some judgments can be told beforehand without "
            "an error, so that the likeliest coefficients are infinite; leave a covariate out"
        )
