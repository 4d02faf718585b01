"""Whether a test could have rejected at all, given the number of requests or trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import printed, warn
from lexiframe.core.significance.corrections import MAX_T, correct_families
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.tests import DRAWING


def warn_of_few_requests(
    called: str,
    table: pl.DataFrame,
    family: np.ndarray,
    corrections: Sequence[str],
    options: Options,
) -> None:
    """Warn when there are too few requests or trials to reject anything.

    Nothing is warned of if all runs are equal, or in a family of one comparison, whose n shows it.
    ``family`` numbers each comparison's family.
    """
    is_tested = table["n"].to_numpy() > 0
    if not is_tested.all():
        table, family = table.filter(is_tested), family[is_tested]
    drawing = [name for name in table["test"].unique() if name.partition("(")[0] in DRAWING]
    trials = table["test"].is_in(drawing).to_numpy(writable=True)
    free = table["n"].to_numpy() - (options.alternative == "two-sided")
    trials &= free > math.log2(options.trials)  # else all signs are enumerated
    if [*corrections] == [MAX_T]:  # whose p-values hang on the pairs, too
        trials &= 1 / (1 + options.trials) >= options.alpha
    differs = family[table["mean_difference"].to_numpy() != 0]
    asked = (trials | _has_several(family)) & np.isin(family, differs)
    # Of t the sizes of the differences decide as well, so that no number of requests is enough.
    asked &= ~table["test"].str.contains(r"^t(\(|$)").to_numpy()

    def advice(members: np.ndarray, correction: str) -> str:
        advise = _more_trials if trials[members].all() else _more_requests
        return f"{called}: {advise(table.filter(members), correction, options)}"

    least = table["least_p"].to_numpy()
    if [*corrections] == [MAX_T]:  # which is known for each comparison, of all others
        least = table["least_p_adjusted"].fill_null(0.0).to_numpy()
    _warn_of_none(least, family, asked, corrections, options.alpha, advice)


def warn_of_small_groups(
    called: str, table: pl.DataFrame, family: np.ndarray, corrections: Sequence[str], alpha: float
) -> None:
    """Warn when groups have too few requests, or there are too few trials, to reject anything.

    In a family of one comparison, p itself shows it.
    """
    least = table["least_p"].to_numpy()

    def advice(members: np.ndarray, correction: str) -> str:
        return (
            f"{called}: no p-value of the permutation test can be below {alpha:g} after the "
            f"correction {correction!r} for {members.sum()} comparisons: the least is "
            f"{least[members].min():.2g} before it; take more trials, or, where "
            "groups have few requests, fewer comparisons or larger groups"
        )

    _warn_of_none(least, family, _has_several(family), corrections, alpha, advice)


def _has_several(family: np.ndarray) -> np.ndarray:
    """Return whether each comparison's family has several."""
    return np.asarray(np.bincount(family, minlength=1)[family] > 1)


def _warn_of_none(
    least: np.ndarray,
    family: np.ndarray,
    asked: np.ndarray,
    corrections: Sequence[str],
    alpha: float,
    advice: Callable[[np.ndarray, str], str],
) -> None:
    """Warn once when a correction cannot reject anything, whatever the differences are.

    It cannot if it rejects nothing even when all p-values of a family are the least possible,
    because a larger p-value never makes a corrected one smaller. ``advice`` is about such a family;
    only members in ``asked`` are looked at.
    """
    for correction in corrections:
        known = "none" if correction == MAX_T else correction
        could = correct_families(least, family, known) < alpha
        barren = family[asked & ~np.isin(family, family[could])]
        if correction != "none" and len(barren):
            warn(advice(family == barren[0], correction))
            return


def _more_trials(rows: pl.DataFrame, correction: str, options: Options) -> str:
    return (
        f"no p-value of {printed.counted(options.trials, 'trial')} can be below "
        f"{options.alpha:g}{_correction_in_words(rows, correction)}; take "
        f"trials={int(_divisor(rows, correction) / options.alpha)} or more"
    )


def _more_requests(rows: pl.DataFrame, correction: str, options: Options) -> str:
    """Return advice: the least p-value of n requests without ties is 2^−n (two-sided: twice)."""
    n, test = rows["n"].to_numpy().max(), rows["test"][0].partition("(")[0]
    sides = 2 if options.alternative == "two-sided" else 1
    enough = math.floor(math.log2(sides * _divisor(rows, correction) / options.alpha)) + 1
    enough_of_all = f"{enough} requests or more"
    if correction == MAX_T:  # the other pairs may ask for more
        enough_of_all = f"at least {enough} requests"
    without = f"{enough_of_all} without ties"
    without = without if enough > n else "requests without ties"
    return (
        f"no p-value of the test {test!r} over {printed.counted(int(n), 'request')} can be below "
        f"{options.alpha:g}{_correction_in_words(rows, correction)}; it takes {without}, or "
        "fewer comparisons"
    )


def _correction_in_words(rows: pl.DataFrame, correction: str) -> str:
    return f" after the correction {correction!r} for {printed.counted(rows.height, 'comparison')}"


def _divisor(rows: pl.DataFrame, correction: str) -> int:
    """Return the divisor of alpha for the first rejection.

    Any other correction can reject all comparisons at once: ``bh`` at alpha, joint sign flips if
    all have equal signs.
    """
    return rows.height if correction in ("holm", "bonferroni") else 1
