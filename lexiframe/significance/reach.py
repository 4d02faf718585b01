"""Whether a test could have rejected at all, given the number of requests or trials."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from lexiframe.base import warn
from lexiframe.significance.corrections import correct_families
from lexiframe.significance.differences import Options
from lexiframe.significance.tests import DRAWING


def warn_of_no_rejection(
    table: pl.DataFrame,
    family: np.ndarray,
    corrections: list[str],
    options: Options,
    called: str = "compare",
) -> None:
    """Warn once when a correction cannot reject anything, whatever the differences are.

    This is the case if it rejects nothing even when all p-values of a family are the least that
    they could be, because a larger p-value never makes a corrected one smaller. Too few trials are
    always warned of. Too few requests are not in a family of one comparison, whose n shows them,
    nor where all runs are the same. ``family`` has the number of each comparison's family.
    """
    is_tested = table["n"].to_numpy() > 0
    table, family = table.filter(is_tested), family[is_tested]
    least = table["least_p"].to_numpy()
    trials = table["test"].str.extract(r"^([^(]*)").is_in([*DRAWING]).to_numpy()
    trials &= table["n"].to_numpy() > math.log2(options.trials + 1)  # else all signs are enumerated
    differs = family[table["mean_difference"].to_numpy() != 0]
    asked = trials | ((np.bincount(family, minlength=1)[family] > 1) & np.isin(family, differs))
    for correction in corrections:
        could = correct_families(least, family, correction) < options.alpha
        barren = np.flatnonzero(asked & ~np.isin(family, family[could]))
        if correction != "none" and len(barren):
            members = family == family[barren[0]]
            advice = _more_trials if trials[members].all() else _more_requests
            warn(f"{called}: {advice(table.filter(members), correction, options)}")
            return


def _more_trials(rows: pl.DataFrame, correction: str, options: Options) -> str:
    return (
        f"no p-value of {options.trials} trials can be below {options.alpha:g} after the "
        f"correction for {rows.height} comparisons; take "
        f"trials={int(_divisor(rows, correction) / options.alpha)} or more"
    )


def _more_requests(rows: pl.DataFrame, correction: str, options: Options) -> str:
    """Return advice: the least p-value of n requests without ties is 2^−n (two-sided: twice)."""
    n, test = rows["n"].to_numpy().max(), rows["test"][0].partition("(")[0]
    sides = 2 if options.alternative == "two-sided" else 1
    enough = math.floor(math.log2(sides * _divisor(rows, correction) / options.alpha)) + 1
    without = f"{enough} requests or more without ties" if enough > n else "requests without ties"
    return (
        f"no p-value of the test {test!r} over {n} requests can be below "
        f"{options.alpha:g} after the correction for {rows.height} comparisons; it takes {without}"
        ", or fewer comparisons"
    )


def _divisor(rows: pl.DataFrame, correction: str) -> int:
    """Return the divisor of alpha for the first rejection; bh can reject all at once, at alpha."""
    return 1 if correction == "bh" else rows.height
