"""Which rows people state and measures prefer alike: the counts behind `concordance`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, coded, schemas, to_polars, unknown_name
from lexiframe.io import stated
from lexiframe.pairwise import arrays
from lexiframe.significance.clusters import sums_of

_PAIR = ["query_id", "run_a", "run_b"]


@dataclass(frozen=True)
class Counted:
    """The rows (request, pair) in which people prefer a run, and what measures prefer there.

    ``credit`` is rows × measures: 1 where the measure prefers the same run, ½ where it ties, 0
    where it prefers the other, and NaN where it has no value. ``request`` numbers the rows of
    ``queries``; ``strength`` is |stated preference|. ``n_stated`` rows were given, of which
    ``n_undecided`` are ties of people.
    """

    measures: list[str]
    queries: pl.Series
    request: np.ndarray
    strength: np.ndarray
    credit: np.ndarray
    n_stated: int
    n_undecided: int

    @cached_property
    def known(self) -> np.ndarray:
        """Which measures have a value for which row."""
        return np.asarray(~np.isnan(self.credit))

    def by_request(self, values: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Add up rows by request: requests × columns; only ``rows``, if they are given."""
        values = np.nan_to_num(values.astype(float))
        if rows is not None:
            values = values * rows[:, None]
        return np.asarray(sums_of(values, self.request))


def counted(d: Any, said: Any, measures: Any) -> Counted:
    """Look up what each measure prefers where people prefer a run."""
    rows = stated.stated_rows_of("concordance", said)
    turned = pl.col("run_a") > pl.col("run_b")
    rows = rows.select(
        "query_id",
        run_a=pl.min_horizontal("run_a", "run_b"),
        run_b=pl.max_horizontal("run_a", "run_b"),
        preference=pl.when(turned).then(-pl.col("preference")).otherwise("preference"),
    )
    if rows.select(_PAIR).is_duplicated().any():
        raise LexiframeError(
            "concordance: expected one stated preference for each request and pair, found several"
        )
    decided = rows.filter(pl.col("preference") != 0).sort(_PAIR)
    if not decided.height:
        raise LexiframeError(
            f"concordance: expected stated preferences other than ties, found {rows.height:,} ties"
        )
    cube = arrays.pair_cube(_rows_that_occur(d, decided))
    if not cube.values.size:  # scores of one run alone make no pair
        raise _nothing_shared(decided)
    names = _measure_names(measures, cube.measures.to_list())
    values = _looked_up(cube, decided)
    values = values[:, [cube.measures.to_list().index(n) for n in names]]
    if np.isnan(values).all():
        raise _nothing_shared(decided)
    sign = np.sign(decided["preference"].to_numpy())
    queries, request = coded.encode(decided["query_id"])
    return Counted(
        names, queries, np.asarray(request), np.abs(decided["preference"].to_numpy()),
        (1 + np.sign(values) * sign[:, None]) / 2, rows.height, rows.height - decided.height,
    )  # fmt: skip


def _rows_that_occur(d: Any, decided: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of scores or preferences whose request and runs occur in what people say."""
    table = to_polars(d)
    is_scores = arrays.is_scores(table)
    table = schemas.check(table, schemas.SCORES if is_scores else schemas.PREFERENCES)
    runs = pl.concat([decided["run_a"], decided["run_b"]]).unique().implode()
    ends = ["run"] if is_scores else ["run_a", "run_b"]
    of_runs = [pl.col(end).cast(pl.String).is_in(runs) for end in ends]
    queries = decided["query_id"].unique().implode()
    kept = table.filter(pl.col("query_id").cast(pl.String).is_in(queries), *of_runs)
    if not kept.height:
        raise _nothing_shared(decided)
    return kept


def _nothing_shared(decided: pl.DataFrame) -> LexiframeError:
    return LexiframeError(
        "concordance: expected measures of the requests and runs that people judged, found none; "
        f"people judged requests such as {decided['query_id'][0]!r} and runs such as "
        f"{decided['run_a'][0]!r}; do both tables name them alike?"
    )


def _measure_names(measures: Any, known: list[str]) -> list[str]:
    if measures is None:
        return known
    one = isinstance(measures, str) or not isinstance(measures, Sequence)
    asked = [str(measure) for measure in ([measures] if one else measures)]
    for name in asked:
        if name not in known:
            raise unknown_name("measure", name, known)
    if not asked:
        raise LexiframeError("concordance: expected a measure, found none")
    return list(dict.fromkeys(asked))


def _looked_up(cube: Any, decided: pl.DataFrame) -> np.ndarray:
    """Return the preferences of all measures for the rows: rows × measures, NaN where none is."""
    runs, queries = cube.runs.to_list(), cube.queries.to_list()
    place = {
        name: decided[name].replace_strict(known, range(len(known)), default=-1).to_numpy()
        for name, known in (("query_id", queries), ("run_a", runs), ("run_b", runs))
    }
    pair_of = np.full((len(runs) + 1, len(runs) + 1), -1)  # the last row and column: no such run
    pair_of[cube.a, cube.b] = np.arange(len(cube.a))
    pair = pair_of[place["run_a"], place["run_b"]]
    found = cube.values[:, place["query_id"], pair].T.copy()
    found[(place["query_id"] < 0) | (pair < 0)] = np.nan
    return np.asarray(found)
