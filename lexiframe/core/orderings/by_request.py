"""Which requests are hard, and where measures disagree or a run fails: `Evaluation.requests`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.pairwise import PairCube, arrays

_CELL = ["measure", "query_id"]


def request_table(
    s: pl.DataFrame, d: pl.DataFrame, measures: Sequence[str], run: str | None = None
) -> pl.DataFrame:
    """Describe each request under each measure; with a run, also how the run does there.

    ``s`` and ``d`` may be empty. The agreement is with all measures of ``d``, shown or not.
    `Evaluation.requests` describes the columns; ``run`` is the run whose failures are wanted.
    """
    cube = arrays.pair_cube(d)
    table = _score_spread(s).join(_pair_statistics(cube), on=_CELL, how="full", coalesce=True)
    if run is not None:
        on_run = _run_against_others(s, cube, run)
        table = table.join(on_run, on=_CELL, how="left").with_columns(run=pl.lit(run))
    hardest = pl.when("smaller_is_better").then(-pl.col("mean")).otherwise("mean")
    first = [hardest] if run is None else ["mean_preference", "value"]
    place = pl.col("measure").cast(pl.Enum(list(measures)))
    table = table.filter(pl.col("measure").is_in(measures)).sort(place, *first, "query_id")
    return table.select(name for name in schemas.REQUESTS.columns if name in table.columns)


def _score_spread(s: pl.DataFrame) -> pl.DataFrame:
    """Return mean, standard deviation and range of each request's scores over the runs."""
    value = pl.col("value")
    cells = s.group_by(_CELL).agg(
        n=pl.len().cast(pl.Int64),
        mean=value.mean(),
        sd=value.std(),
        min=value.min(),
        max=value.max(),
    )
    cube = arrays.score_cube(s)
    smaller = pl.DataFrame({"measure": cube.measures, "smaller_is_better": cube.smaller_is_better})
    return cells.join(smaller, on="measure")


def _pair_statistics(cube: PairCube) -> pl.DataFrame:
    """Return, by request and measure, the share of ties and the agreement with other measures."""
    known = ~np.isnan(cube.values)
    sign = np.sign(np.nan_to_num(cube.values)).astype(np.int8)
    n = known.sum(axis=2)
    ties = (known & (sign == 0)).sum(axis=2)
    with np.errstate(
        invalid="ignore"
    ):  # a request without pairs, or that a measure ties throughout
        tie_rate, agreement = ties / n, _agreement_with_measures(sign, known)
    there = np.nonzero(n)
    return pl.DataFrame(
        {
            "measure": cube.measures.gather(there[0]),
            "query_id": cube.queries.gather(there[1]),
            "tie_rate": tie_rate[there],
            "agreement": pl.Series(agreement[there]).fill_nan(None),
        }
    )


def _agreement_with_measures(sign: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Σ I(π ≻_a π′ and π ≻_b π′) / Σ I(π ≻_a π′) over all other measures b: measures × requests."""
    agree, counted = (np.zeros(sign.shape[:2]) for _ in range(2))
    for a, b in np.ndindex(len(sign), len(sign)):
        if a != b:
            untied = (sign[a] != 0) & known[b]
            agree[a] += (untied & (sign[a] == sign[b])).sum(axis=1)
            counted[a] += untied.sum(axis=1)
    return np.asarray(agree / counted)


def _run_against_others(s: pl.DataFrame, cube: PairCube, run: str) -> pl.DataFrame:
    """Return a run's value, and how it does against the other runs, by request."""
    values = s.filter(run=run).select(*_CELL, "value")
    if not len(cube.measures):  # of a single run
        none = {
            "mean_preference": schemas.FLOAT,
            "better": schemas.INT,
            "worse": schemas.INT,
            "tied": schemas.INT,
        }
        return values.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in none.items())
    against = cube.against(run)
    known = ~np.isnan(against.values)
    measure, query = np.nonzero(known.any(axis=2))
    gains, there = against.values[measure, query], known[measure, query]
    of_pairs = pl.DataFrame(
        {
            "measure": cube.measures.gather(measure),
            "query_id": cube.queries.gather(query),
            "mean_preference": 0.0 - np.nanmean(gains, axis=1),  # the gains are the others'
            "better": (gains < 0).sum(axis=1),
            "worse": (gains > 0).sum(axis=1),
            "tied": (there & (gains == 0)).sum(axis=1),
        }
    )
    return values.join(of_pairs, on=_CELL, how="full", coalesce=True)
