"""The kind of a rule of ordering, `OrderingRule`, and helpers of the folder ``rules``.

A unit is what counts once, or with a weight: a request, a collection. A rule does not know which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.pairwise import Pairs, arrays

AnyPairs = Pairs | arrays.PairSums
AnyScores = arrays.Scores | arrays.RunSums
AnyLeads = AnyPairs | arrays.Cells


class ValuesAndRanks(NamedTuple):
    """The runs' values and mid-ranks, samples × runs.

    ``n_unlike`` is the number of samples that the rule cannot order unless it adds what is not in
    them, as `bradley_terry` does.
    """

    values: np.ndarray
    ranks: np.ndarray
    n_unlike: int = 0

    @classmethod
    def together(cls, blocks: Iterable[ValuesAndRanks]) -> ValuesAndRanks:
        """Return the samples of several blocks as one."""
        values, ranks, n_unlike = zip(*blocks, strict=True)
        return cls(np.concatenate(values), np.concatenate(ranks), sum(n_unlike))


@dataclass(frozen=True)
class OrderingRule:
    """A rule by which runs are ordered, with all its facts.

    A rule either has ``of_units``, and orders by means over the units; or it has ``of_leads``, or
    ``of_samples``.
    The lead of a pair is the number of units (or their weight) that prefer run a to run b, minus
    that of those that prefer b. A larger value is better.

    Attributes
    ----------
    name
        The method of `order_runs` and rule of `leaderboard`.
    of_units
        From a measure's table, or the cells of a leaderboard, to the values that are averaged,
        units × runs, and the rounding errors that they may have, units × runs or units × 1. With
        ``of_leads`` it is asked of cells alone, in which units rank all runs.
    of_sums
        From a measure's table, or its sums over the units, to the moments of the same values; None
        where sums do not tell them.
    of_leads
        From the runs and their pairs, the leads and the numbers of units that know the pair, both
        samples × pairs, and its options by name, to values and ranks.
    of_samples
        From a measure's table, or cells, and the numbers of times that samples have each unit,
        samples × units, to values and ranks; None stands for each unit once.
    refuse
        Raise for runs and their pairs, leads, and numbers of units that have no order by the rule;
        and the function that was called.
    of_tests
        From cells without gaps, and the weights of units, to what averages to the values of a rule
        that is no mean over the units: its tests.
    alike
        A rule that orders cells without gaps in the same way, and takes less time.
    takes_scores
        Whether scores are ordered by themselves; other rules take their differences. In cells it
        does without votes, so that a run without a result cannot lose.
    of_majorities
        Whether it only asks which run of a pair has the majority, so that a warning names cycles.
    options
        Which of the options of `order_runs` it has.
    most_runs
        The number of runs of which it can search all orders; None if it does not search.
    are_places
        Whether its values are mean places with a minus sign, which tables show without it.
    allows_gaps
        Whether it orders runs of which some share no unit, or lack units that others have.
    """

    name: str
    of_units: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    of_sums: Callable[..., sums.Moments] | None = None
    of_leads: Callable[..., ValuesAndRanks] | None = None
    of_samples: Callable[..., ValuesAndRanks] | None = None
    refuse: Callable[..., None] | None = None
    of_tests: Callable[[arrays.Cells, np.ndarray], np.ndarray] | None = None
    alike: str | None = None
    takes_scores: bool = False
    of_majorities: bool = False
    options: tuple[str, ...] = ()
    most_runs: int | None = None
    are_places: bool = False
    allows_gaps: bool = False


_LAST = -1e300  # below all values; −∞ would make differences NaN


def ranks_of(values: np.ndarray, errors: np.ndarray | float = sums.TIE) -> np.ndarray:
    """Rank the values; runs without a value (NaN) come last."""
    return sums.mid_ranks(np.where(np.isnan(values), _LAST, values), np.nan_to_num(errors))


def ranked(values: np.ndarray) -> ValuesAndRanks:
    """Return the values with their ranks."""
    return ValuesAndRanks(values, ranks_of(values))


def sums_by_run(pairs: AnyLeads, of_pairs: np.ndarray) -> np.ndarray:
    """Sum numbers of the pairs by run, + as run a and − as run b: samples × runs."""
    return np.stack([pairs.square(of_sample).sum(axis=1) for of_sample in of_pairs])
