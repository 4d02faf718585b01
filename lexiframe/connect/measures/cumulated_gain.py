"""Cumulated gains relative to the ideal ranking: Q, and trec_eval's G, ndcg_rel and Rndcg.

g_i is the gain of the i-th relevant item from the top, p_i its rank, and m the number of items
with a positive gain. The ideal ranking has the items in decreasing order of gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.metrics.kinds.counts import ratio, retrieved
from lexiframe.core.metrics.kinds.exposures import logarithmic
from lexiframe.core.metrics.kinds.graded import best_first, mapped
from lexiframe.core.metrics.rankings import GRADE, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row

GainOfGrade = Mapping[float, float] | None

_DCG = (pl.col("gain") * logarithmic(pl.col("rank"))).cum_sum()


@dataclass(frozen=True)
class Found:
    """The relevant items that were retrieved, from the top of each ranking, beside the ideal.

    Attributes
    ----------
    items
        ``ranking``, ``rank``, ``gain``; ``i``, ``total`` and ``dcg``, the number of items,
        their gains and DCG up to the item.
    ideal
        A row for each place of each request's ideal ranking: ``gain``, ``rank``; ``total``, ``dcg``
        and ``cost`` (the sum of the gains, of those below 1 as 1) up to the place; ``is_last``
        (the next place has less gain).
    at
        For each item the row of ``ideal`` with its rank, or with the last rank of its request.
    m, n_levels, ideal_dcg, ideal_gain
        For each ranking: the items and the distinct gains of its request, DCG and gain in all.
    """

    items: pl.DataFrame
    ideal: pl.DataFrame
    at: np.ndarray
    m: np.ndarray
    n_levels: np.ndarray
    ideal_dcg: np.ndarray
    ideal_gain: np.ndarray

    @classmethod
    def beside_ideal(cls, rankings: Rankings, gains: GainOfGrade) -> Found:
        """Put the items found beside the ideal rankings of their requests."""
        gain = mapped(GRADE, gains)
        ideal = _ideal(rankings, gain)
        request = ideal["ranking"].to_numpy()
        n_requests = len(rankings.ideal_rows)
        first = np.searchsorted(request, np.arange(n_requests))

        def each(values: np.ndarray | pl.Series | None) -> np.ndarray:
            weights = None if values is None else np.asarray(values, np.float64)
            return rankings.spread_over(
                np.bincount(request, weights, n_requests).astype(np.float64)
            )

        m = each(None)
        items = _found_gains(rankings, gain)
        ranking, rank = items["ranking"].to_numpy(), items["rank"].to_numpy()
        begin = rankings.spread_over(first.astype(np.float64))
        at = (begin[ranking] + np.minimum(rank, m[ranking]) - 1).astype(np.int64)
        terms = ideal["gain"] * (1 / (ideal["rank"] + 1).log(2))
        return cls(items, ideal, at, m, each(ideal["is_last"]), each(terms), each(ideal["gain"]))

    def sums(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of a term of the items for each ranking."""
        return np.bincount(self.items["ranking"].to_numpy(), terms, len(self.m))

    def column(self, name: str) -> np.ndarray:
        """Return a column of the items found."""
        return self.items[name].to_numpy()

    def ideally(self, name: str) -> np.ndarray:
        """Return, for each item found, a column of the ideal ranking at the item's rank."""
        return np.asarray(self.ideal[name].to_numpy()[self.at])


def _ideal(rankings: Rankings, gain: pl.Expr) -> pl.DataFrame:
    rows = rankings.ideal_rows
    table = pl.DataFrame({"ranking": rows.relevant_rankings, "gain": best_first(rows, gain)})
    table = table.filter(pl.col("gain") > 0).with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("ranking").cast(pl.Float64)
    )
    following = pl.col("gain").shift(-1).over("ranking")
    return table.with_columns(
        total=pl.col("gain").cum_sum().over("ranking"),
        dcg=_DCG.over("ranking"),
        cost=pl.max_horizontal("gain", pl.lit(1.0)).cum_sum().over("ranking"),
        is_last=following.is_null() | (following != pl.col("gain")),
    )


def _found_gains(rankings: Rankings, gain: pl.Expr) -> pl.DataFrame:
    rank = pl.col("position").cast(pl.Float64)
    items = row_by_row(rankings.items_by_level, ranking=pl.col("ranking"), rank=rank, gain=gain)
    items = items.filter(pl.col("rank").is_not_null(), pl.col("gain") > 0)
    return items.with_columns(
        i=pl.int_range(1, pl.len() + 1).over("ranking"),
        total=pl.col("gain").cum_sum().over("ranking"),
        dcg=_DCG.over("ranking"),
    )


def blended_ratio(
    rankings: Rankings, *, beta: float, gains: GainOfGrade = None, cutoff: int | None = None
) -> np.ndarray:
    """1/min(m, k) Σ_i (i + β G_i) / (p_i + β I_{p_i}) over the items of the first k ranks."""
    found = Found.beside_ideal(rankings, gains)
    rank = found.column("rank")
    ratios = (found.column("i") + beta * found.column("total")) / (
        rank + beta * found.ideally("total")
    )
    if cutoff is None:
        return ratio(found.sums(ratios), found.m)
    return ratio(found.sums(np.where(rank <= cutoff, ratios, 0.0)), np.minimum(found.m, cutoff))


def normalised_gain(rankings: Rankings, *, gains: GainOfGrade = None) -> np.ndarray:
    """Σ_i g_i / log2(2 + cost(p_i) − (g_1 + … + g_i)), over the sum of all gains."""
    found = Found.beside_ideal(rankings, gains)
    m = found.m[found.column("ranking")]
    # beyond the last item of the ideal ranking each rank costs 1
    cost = found.ideally("cost") + np.maximum(found.column("rank") - m, 0)
    terms = found.column("gain") / np.log2(2 + cost - found.column("total"))
    return ratio(found.sums(terms), found.ideal_gain)


def mean_at_relevant(rankings: Rankings, *, gains: GainOfGrade = None) -> np.ndarray:
    """1/m Σ_i DCG/IDCG at p_i, with the whole ranking's for an item that was not retrieved."""
    found = Found.beside_ideal(rankings, gains)
    n_found = found.sums(np.ones(found.items.height))
    at_items = found.sums(found.column("dcg") / found.ideally("dcg"))
    dcg = found.sums(found.column("gain") / np.log2(found.column("rank") + 1))
    return ratio(at_items + (found.m - n_found) * ratio(dcg, found.ideal_dcg), found.m)


def mean_at_levels(
    rankings: Rankings, *, gains: GainOfGrade = None, level: float | None = None
) -> np.ndarray:
    """The mean of DCG/IDCG at the ranks where the gain of the ideal ranking falls, and at ñ.

    As in trec_eval, the end of the ranking counts only when ñ > m + 1. With a ``level``, as with
    trec_eval's -l, requests without an item of that grade have 0; gains are as without it.
    """
    found = Found.beside_ideal(rankings, gains)
    at_last = _dcg_at_last_places(rankings, found)
    goes_on = retrieved(rankings) > found.m + 1
    dcg = found.sums(found.column("gain") / np.log2(found.column("rank") + 1))
    at_end = np.where(goes_on, ratio(dcg, found.ideal_dcg), 0.0)
    values = ratio(at_last + at_end, found.n_levels + goes_on)
    return values if level is None else np.where(_reach(rankings, level), values, 0.0)


def _dcg_at_last_places(rankings: Rankings, found: Found) -> np.ndarray:
    """Return for each ranking Σ DCG/IDCG at the ranks where the gain of its ideal ranking falls."""
    last = found.ideal.filter("is_last")
    n_last = np.bincount(last["ranking"].to_numpy(), minlength=len(rankings.ideal_rows))
    n = rankings.spread_over(n_last.astype(np.float64)).astype(np.int64)
    first = rankings.spread_over((np.cumsum(n_last) - n_last).astype(np.float64)).astype(np.int64)
    ranking = np.repeat(np.arange(len(n)), n)
    place = np.repeat(first - (np.cumsum(n) - n), n) + np.arange(len(ranking))
    # the item found last that does not stand below the place has the DCG up to it
    ranks = last["rank"].to_numpy(), found.column("rank")
    deepest = max(x.max(initial=0.0) for x in ranks) + 1
    keys = found.column("ranking") * deepest + found.column("rank")
    above = np.searchsorted(keys, ranking * deepest + ranks[0][place], "right") - 1
    of_same = found.column("ranking")[above] == ranking if len(keys) else np.zeros(0, bool)
    dcg = np.where((above >= 0) & of_same, found.column("dcg")[above], 0.0) if len(keys) else 0.0
    return np.bincount(ranking, dcg / last["dcg"].to_numpy()[place], len(n))


def _reach(rankings: Rankings, level: float) -> np.ndarray:
    """Return which rankings are of requests with a relevant item of a grade."""
    grades = rankings.relevant["relevance"].to_numpy()
    return np.bincount(rankings.relevant_rankings, grades >= level, len(rankings)) > 0
