"""What a rule of ordering is: `OrderingRule`, and what those in the folder ``rules`` share.

A unit is what counts once: a request, a collection, a replicate. A rule does not know which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lexiframe.base import sums
from lexiframe.pairwise import Pairs, arrays

AnyPairs = Pairs | arrays.PairSums
AnyScores = arrays.Scores | arrays.RunSums
ValuesAndRanks = tuple[np.ndarray, np.ndarray]
"""The runs' values and mid-ranks: samples × runs."""


@dataclass(frozen=True)
class OrderingRule:
    """A rule by which runs are ordered; all that the package knows of it.

    A rule either has ``of_units`` and ``of_sums``, and orders by means over the units; or it has
    ``of_leads``. The lead of a pair is the number of units (or their weight) that prefer run a to
    run b, minus that of those that prefer b.

    Attributes
    ----------
    name
        The method of `order_runs`.
    of_units
        From a measure's table to the values that are averaged, units × runs, and the rounding
        errors that they may have, units × runs or units × 1.
    of_sums
        From a measure's table, or its sums over the units, to the moments of the same values.
    of_leads
        From the runs and their pairs, the leads and the numbers of units that know the pair, both
        samples × pairs, and its options by name, to values and ranks.
    takes_scores
        Whether scores are ordered by themselves; other rules take their differences.
    smaller_is_better
        Whether the run of the least mean comes first.
    of_majorities
        Whether it only asks which run of a pair has the majority, so that a warning names cycles.
    options
        Which of the options of `order_runs` it has.
    most_runs
        The number of runs of which it can search all orders; None if it does not search.
    allows_gaps
        Whether it orders runs of which some share no unit, or lack units that others have.
    """

    name: str
    of_units: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    of_sums: Callable[..., sums.Moments] | None = None
    of_leads: Callable[..., ValuesAndRanks] | None = None
    takes_scores: bool = False
    smaller_is_better: bool = False
    of_majorities: bool = False
    options: tuple[str, ...] = ()
    most_runs: int | None = None
    allows_gaps: bool = False


_LAST = -1e300  # below all values; −∞ would make differences NaN


def ranks_of(values: np.ndarray, errors: np.ndarray | float = sums.TIE) -> np.ndarray:
    """Rank the values; runs without a value (NaN) come last."""
    return sums.mid_ranks(np.where(np.isnan(values), _LAST, values), np.nan_to_num(errors))


def ranked(values: np.ndarray) -> ValuesAndRanks:
    """Return the values with their ranks."""
    return values, ranks_of(values)


def sums_by_run(pairs: AnyPairs, of_pairs: np.ndarray) -> np.ndarray:
    """Sum numbers of the pairs by run, + as run a and − as run b: samples × runs."""
    return np.stack([pairs.square(of_sample).sum(axis=1) for of_sample in of_pairs])
