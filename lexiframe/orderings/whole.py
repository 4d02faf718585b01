"""The ordering of the runs over all requests, from sums over them: `order_whole`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lexiframe.base import sums, to_polars
from lexiframe.orderings.from_leads import FROM_LEADS, ranks_of
from lexiframe.orderings.gaps import n_lacking, refuse_lacking
from lexiframe.orderings.rule import Rule
from lexiframe.orderings.sums import ballots, points, preferred
from lexiframe.orderings.weighted import Ordered, refuse_gaps
from lexiframe.pairwise import PairCube, Pairs, arrays

Table = arrays.ScoreCube | arrays.ScoreSums | PairCube | arrays.Reduced


def table_for(d: Any, method: str) -> Table:
    """Turn scores or preferences into what the method needs; sums stay as they are."""
    if isinstance(d, Table):
        return d
    d = to_polars(d)  # once: a stream can be read only once
    return arrays.score_cube(d) if method == "mean" and arrays.is_scores(d) else arrays.pair_cube(d)


def order_whole(table: Table, rule: Rule, *, refuse: bool = True) -> Iterator[Ordered]:
    """Order the runs under each measure over all requests, as one sample.

    Where runs lack requests, the order is refused as `refuse_lacking` says; or, without
    ``refuse``, the values have no ranks.
    """
    for measure, of_measure in table:
        if refuse:
            refuse_lacking(measure, of_measure, rule.missing)
        found = _ordered(measure, of_measure, rule)
        if not refuse and rule.missing is None and n_lacking(of_measure).any():
            found = replace(found, ranks=np.full_like(found.ranks, np.nan))
        yield found


def _ordered(measure: str, of_measure: Any, rule: Rule) -> Ordered:
    if isinstance(of_measure, arrays.Scores | arrays.RunSums):
        sign = -1 if of_measure.smaller_is_better else 1
        return _by_mean(measure, of_measure, score_moments(of_measure), sign)
    refuse_gaps(measure, of_measure)
    return _by_preferences(measure, of_measure, rule)


def score_moments(scores: arrays.Scores | arrays.RunSums) -> sums.Moments:
    """Return the moments of each run's scores."""
    if isinstance(scores, arrays.RunSums):
        return scores.scores
    return sums.Moments.of(scores.values, sums.rounding(scores.values))


def _by_preferences(measure: str, pairs: Pairs | arrays.PairSums, rule: Rule) -> Ordered:
    if rule.method in ("mean", "borda"):
        return _by_mean(measure, pairs, (preferred if rule.method == "mean" else points)(pairs))
    d = pairs.differences
    by_ballots = rule.method in ("mc4", "kemeny")
    lead = ballots(pairs, rule.votes) if by_ballots else d.wins - d.losses
    values, ranks = FROM_LEADS[rule.method](pairs, lead[None], d.n[None], rule)
    return Ordered(measure, pairs.runs, values, ranks)


def _by_mean(measure: str, table: Any, moments: sums.Moments, sign: int = 1) -> Ordered:
    mean, errors = moments.mean[None], moments.mean_rounding[None]
    return Ordered(measure, table.runs, mean, ranks_of(sign * mean, errors))
