"""Runs ordered by the strengths that make the wins of units likeliest (Bradley & Terry 1952)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiframe.core.orderings.ordering_rules import AnyLeads, OrderingRule, ValuesAndRanks, ranks_of
from lexiframe.core.pairwise import arrays

if TYPE_CHECKING:
    from lexiframe.core.orderings.likeliest.fitting import Counts


def _win_counts(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> Counts:
    """Return the wins and losses of one sample; ties are half of either."""
    from lexiframe.core.orderings.likeliest.fitting import Counts

    of_pairs = (n + lead) / 2, (n - lead) / 2, np.zeros_like(lead)
    return Counts(len(pairs.runs), pairs.a, pairs.b, *of_pairs)


def bradley_terry(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """β of P(a over b) = e^{β_a}/(e^{β_a} + e^{β_b}), Σ β = 0; each unit counts once, by its sign.

    Samples without a maximum get prior = 1.
    """
    from lexiframe.core.orderings.likeliest.existence import has_maximum
    from lexiframe.core.orderings.likeliest.fitting import EQUAL, fit

    counts = [_win_counts(pairs, *of_sample) for of_sample in zip(lead, n, strict=True)]
    has = [has_maximum(one) for one in counts]
    beta = np.stack(
        [fit(o, prior=0.0 if h else 1.0).beta for o, h in zip(counts, has, strict=True)]
    )
    return ValuesAndRanks(beta, ranks_of(beta, EQUAL), has.count(False))


def _refuse_no_maximum(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray, function: str) -> None:
    """Raise where no strengths are likeliest, and name the runs that prevent it."""
    from lexiframe.core.orderings.likeliest.existence import refuse_no_maximum

    refuse_no_maximum(_win_counts(pairs, lead, n), pairs.runs.to_list(), function=function)


def points(cells: arrays.Cells, weights: np.ndarray) -> np.ndarray:
    """Return points whose mean is β, units × runs: β + n H⁻¹ u for a unit with the scores u.

    Their weighted mean is β, because the scores of all units cancel there; with equal weights their
    variance gives the sandwich over units times n/(n − 1), as in the intervals of `bradley_terry`.
    """
    from lexiframe.core.orderings.likeliest.fitting import fit, probabilities

    n, n_runs = cells.values.shape
    fitted = fit(_win_counts(cells, *(of[0] for of in cells.leads(n * weights[None]))))
    beta = fitted.beta
    expected = probabilities(beta[:, None] - beta, np.nan)[0].sum(axis=1)
    # Wins against all runs, and half a win against itself as expected has it.
    scores = n_runs + 0.5 - cells.ranks - expected
    return np.asarray(beta + n * scores @ fitted.bread[:-1, :-1])


RULE = OrderingRule(
    "bradley_terry",
    of_leads=bradley_terry,
    refuse=_refuse_no_maximum,
    of_tests=points,
    alike="borda",
    allows_gaps=True,
)
