"""Whether a test could have found anything at all, with so many requests or trials."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from lexiframe.errors import warn
from lexiframe.significance.corrections import correct_families
from lexiframe.significance.differences import Options


def warn_of_no_rejection(
    table: pl.DataFrame, family: np.ndarray, corrections: list[str], options: Options
) -> None:
    """Warn, once, when a correction cannot but reject nothing.

    That is so where it rejects nothing although all p-values of a family are the least that they
    could be: a greater p-value never makes a corrected one smaller. Of one comparison n says
    enough, and runs that are all the same nobody expects to be told apart; but too few trials are
    warned of even then.

    Parameters
    ----------
    table
        A row for each comparison: ``test``, ``n``, ``mean_difference`` and ``least_p``.
    family
        The number of each comparison's family.
    corrections, options
        How p-values are corrected, and the level.
    """
    least = table["least_p"].to_numpy()
    trials = table["test"].str.contains("^(randomization|bootstrap)").to_numpy()
    trials &= table["n"].to_numpy() > math.log2(options.trials + 1)  # else all ways are taken
    differs = family[table["mean_difference"].to_numpy() != 0]
    asked = trials | ((np.bincount(family, minlength=1)[family] > 1) & np.isin(family, differs))
    for correction in corrections:
        could = correct_families(least, family, correction) < options.alpha
        barren = np.flatnonzero(asked & ~np.isin(family, family[could]))
        if correction != "none" and len(barren):
            members = family == family[barren[0]]
            advice = _more_trials if trials[members].all() else _more_requests
            warn(advice(table.filter(members), correction, options))
            return


def _more_trials(rows: pl.DataFrame, correction: str, options: Options) -> str:
    return (
        f"compare: no p-value of {options.trials} trials can be below {options.alpha:g} after the "
        f"correction for {rows.height} comparisons; take "
        f"trials={int(_divisor(rows, correction) / options.alpha)} or more"
    )


def _more_requests(rows: pl.DataFrame, correction: str, options: Options) -> str:
    """Say how many requests it takes: p of n without ties is 2^−n, two-sided twice that."""
    n, test = rows["n"].to_numpy().max(), rows["test"][0].partition("(")[0]
    sides = 2 if options.alternative == "two-sided" else 1
    enough = math.floor(math.log2(sides * _divisor(rows, correction) / options.alpha)) + 1
    without = f"{enough} requests or more without ties" if enough > n else "requests without ties"
    return (
        f"compare: no p-value of the test {test!r} over {n} requests can be below "
        f"{options.alpha:g} after the correction for {rows.height} comparisons; it takes {without}"
        ", or fewer comparisons"
    )


def _divisor(rows: pl.DataFrame, correction: str) -> int:
    """Give by what alpha is divided for the first rejection; bh can reject all at once."""
    return 1 if correction == "bh" else rows.height
