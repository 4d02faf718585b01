"""The spread of any measure over random orders of equal scores: `tie_spread`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    coded,
    errors,
    progress,
    resampling,
    schemas,
    typed,
)
from lexiframe.core.io import qrel_files, reading_options
from lexiframe.core.metrics import Metric, needed, scores
from lexiframe.core.pairwise import Measure, parse_measures, preferences
from lexiframe.core.projection import NoRelevant, ScoreType, Unjudged, alone, positions
from lexiframe.study.tie_spread.random_orders import RandomOrders
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike

_ROWS = 1 << 18
"""Items or preferences of the orders that are looked at together."""
_KNOWN = (needed.RELEVANT, needed.FOUND, needed.POOL, needed.JUDGED, needed.SUBTOPICS)


@alone.each_collection
@typed
def tie_spread(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    pairs: bool = False,
    draws: int = 1000,
    seed: int = 0,
    rel: float | None = None,
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | None = None,
    exclude_self: bool = False,
    exclude: QrelsLike | None = None,
    ranked_by: reading_options.RankedBy | None = None,
) -> pl.DataFrame:
    """Sample how far measures vary with the order of documents of equal score.

    Each draw orders the documents within each group of equal scores at random, independently in
    all groups, requests and runs. `evaluate` and `scores` with ``ties="expected"`` give the exact
    means of most measures; this estimates the mean of any other, and how often a run is preferred.

    Parameters
    ----------
    runs, qrels, rel, score_type, no_relevant, duplicates, unjudged, depth
        As for `positions`; so are ``exclude_self``, ``exclude`` and ``ranked_by``.
    measures
        Metrics and, with ``pairs=True``, preferences, compositions such as ``"RR>AP"``, and your
        own functions; or measures by subtopic, in a call of their own.
    pairs
        Whether runs are compared with one another, rather than looked at one by one.
    draws
        How many orders are drawn.
    seed
        The same seed gives the same table.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, measure``, sorted by it: ``mean``, the mean value over the draws;
        ``sd``, their standard deviation, which says how far the value of one order lies from it;
        and ``error``, the standard error of the mean, sd / √draws (both null for one draw). With
        ``pairs=True`` the key is ``query_id, run_a, run_b, measure`` with run_a < run_b; the three
        are those of the preference of run_a, of a metric the difference of its values, positive
        where run_a is better; and ``p_better``, ``p_equal`` and ``p_worse`` are the shares of the
        draws in which run_a is preferred, ties, and is not preferred. Values of replicates have the
        column ``replicate``.

    Raises
    ------
    LexiframeError
        As `positions`, `scores` and `preferences`; for preferences without ``pairs=True``; for
        measures that need whole lists, a catalogue or nuggets, such as ILD; for measures by
        subtopic beside others; for pairs of runs with replicates; and for draws or a seed out of
        their range.

    Warns
    -----
    LexiframeWarning
        As `positions`, `scores` and `preferences`.

    Notes
    -----
    Shares have the standard error √(p (1 − p) / draws), at most 0.016 for 1,000 draws. Items that
    are not judged are not drawn, and only sums over the draws are kept. A pool (``ISL(n="pool")``)
    has all documents that some order has within the ``depth``.

    Examples
    --------
    Of three documents with the same score one is relevant, at rank 1, 2 or 3 with chance 1/3 each.
    Another run has it at rank 2:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = {"tied": {"q": {"x": 1, "u": 1, "v": 1}}, "b": {"q": {"u": 3, "x": 2, "v": 1}}}
    >>> spread = lf.tie_spread(runs, {"q": {"x": 1}}, "RR", draws=10_000)
    >>> spread.select("run", pl.col("mean", "sd", "error").round(3)).rows()
    [('b', 0.5, 0.0, 0.0), ('tied', 0.611, 0.283, 0.003)]
    >>> spread = lf.tie_spread(runs, {"q": {"x": 1}}, "LR", pairs=True, draws=10_000)
    >>> spread.select(pl.col("mean", "p_better", "p_equal", "p_worse").round(2)).rows()
    [(0.0, 0.33, 0.33, 0.33)]

    The exact mean is 11/18:

    >>> p = lf.positions(runs, {"q": {"x": 1}}, ties="expected")
    >>> lf.scores(p, "RR").filter(run="tied").select(pl.col("value").round(3)).item()
    0.611
    """
    asked = parse_measures(measures)
    resampling.check_draws("tie_spread", "draws", draws, seed)
    _refuse_others(asked, are_pairs=pairs)
    needs = {measure.needs for measure in needed.parts_of(asked)}
    p = positions(
        runs, qrels, ties="expected", rel=rel, score_type=score_type, no_relevant=no_relevant,
        duplicates=duplicates, unjudged=unjudged, depth=depth, exclude_self=exclude_self,
        exclude=exclude, ranked_by=ranked_by, subtopics=needed.SUBTOPICS in needs,
        judged=needed.JUDGED in needs, pool=needed.POOL in needs,
    )  # fmt: skip
    p = p if pairs else coded.replicates_joined(p)
    compute: Any = preferences if pairs else scores
    one_order: pl.DataFrame = compute(
        p.drop("tied_from", "tied_to"), asked, no_relevant=no_relevant
    )
    key = (schemas.PREFERENCES if pairs else schemas.REPLICATED_SCORES).key
    first = one_order["preference" if pairs else "value"]
    orders, rng = RandomOrders.find(p), np.random.default_rng(seed)
    n_blocks = 1 if pairs else p["run"].n_unique()  # of rows, each with all orders

    def drawn() -> Iterator[np.ndarray]:
        at_once = min(max(_ROWS // max(p.height, len(first)), 1), draws)
        sizes = [min(at_once, draws - n) for n in range(0, draws, at_once)]
        for n in progress(sizes, len(sizes), "orders of equal scores"):
            with warnings.catch_warnings(action="ignore", category=errors.LexiframeWarning):
                found = compute(orders.positions(n, rng), asked, no_relevant=no_relevant)
            values = found[first.name].to_numpy().reshape(n_blocks, n, len(first) // n_blocks)
            yield values.swapaxes(0, 1).reshape(n, len(first))

    keys = one_order.select(name for name in key if name in one_order.columns)
    spread = keys.with_columns(*_columns(first.to_numpy(), drawn(), draws))
    return spread if pairs else spread.drop("p_better", "p_equal", "p_worse")


def _refuse_others(asked: list[Measure], *, are_pairs: bool) -> None:
    """Raise for measures that cannot be sampled over the orders of rankings, or not one by one."""
    parts = needed.parts_of(asked)
    if len({measure.needs == needed.SUBTOPICS for measure in parts}) > 1:
        raise LexiframeError(
            "tie_spread: expected measures by subtopic alone, or none of them, found both; ask for "
            "them in two calls"
        )
    for measure in parts:
        if measure.needs not in _KNOWN:
            raise LexiframeError(
                f"tie_spread: expected measures of the judged items of rankings, found {measure}, "
                f"which needs {measure.needs}; leave it out"
            )
    for measure in () if are_pairs else asked:
        if not isinstance(measure, Metric):
            raise LexiframeError(
                f"tie_spread: expected metrics, found {measure}, which compares two runs; say "
                "pairs=True"
            )


def _columns(one: np.ndarray, drawn: Iterable[np.ndarray], draws: int) -> Iterator[pl.Series]:
    """Yield the columns of the spread of values, which are drawn several orders at a time.

    Differences from the values of ``one`` order are summed, so that few digits cancel.
    """
    total, squares, *counts = np.zeros((5, len(one)))
    for values in drawn:
        delta = values - one
        total, squares = total + delta.sum(axis=0), squares + (delta**2).sum(axis=0)
        signs = (values > 0, values == 0, values < 0)
        counts = [n + sign.sum(axis=0) for n, sign in zip(counts, signs, strict=True)]
    yield pl.Series("mean", one + total / draws)
    variance = np.maximum(squares - total**2 / draws, 0) / max(draws - 1, 1)
    sd = pl.Series("sd", np.sqrt(variance if draws > 1 else variance * np.nan)).fill_nan(None)
    yield sd
    yield (sd / draws**0.5).alias("error")
    for name, n in zip(("p_better", "p_equal", "p_worse"), counts, strict=True):
        yield pl.Series(name, n / draws)
