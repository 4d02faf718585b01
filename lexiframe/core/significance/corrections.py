"""Corrections of p-values for many comparisons, over a declared family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, resampling, shown, sums
from lexiframe.core.significance.differences import Alternative, Options

Correction = Literal["holm", "bonferroni", "bh", "none"]
PairedCorrection = Literal["auto", "max_t", "holm", "bonferroni", "bh", "none"]
"""Those of `compare`: ``max_t`` is found by the test of sign flips, not from its p-values."""
MAX_T = "max_t"
Family = Literal["measure", "all"]

CORRECTIONS = {"none": None, "bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
"""Our names of corrections, and their names in `statsmodels.stats.multitest.multipletests`."""


def usual(correction: str) -> str:
    """Return the correction of tests without joint sign flips: Holm's, unless another is named."""
    return correction if correction in CORRECTIONS else "holm"


def correct(p_values: np.ndarray, correction: str) -> np.ndarray:
    """Adjust the p-values of one family, as `statsmodels.stats.multitest.multipletests` does."""
    method = CORRECTIONS[correction]
    if method is None or not len(p_values):
        return p_values
    if method == "holm":
        return sums.holm(p_values)
    from statsmodels.stats.multitest import multipletests

    adjusted: np.ndarray = multipletests(p_values, method=method)[1]
    return adjusted


def correct_each(p_values: np.ndarray, correction: str) -> np.ndarray:
    """Adjust the p-values of many families, whose members lie along the last axis."""
    if p_values.shape[-1] == 1:
        return p_values
    return np.asarray(np.apply_along_axis(correct, -1, p_values, correction))


def correct_families(p_values: np.ndarray, family: np.ndarray, correction: str) -> np.ndarray:
    """Adjust p-values within each family; ``family`` has the number of each p-value's family.

    A p-value that is NaN belongs to no family, as nothing was tested.

    Examples
    --------
    >>> p_values = np.array([0.01, 0.02, 0.01])
    >>> correct_families(p_values, np.array([0, 0, 1]), "bonferroni").tolist()
    [0.02, 0.04, 0.01]
    >>> correct_families(np.array([0.01, np.nan]), np.array([0, 0]), "bonferroni").tolist()
    [0.01, nan]
    """
    adjusted = p_values.copy()
    is_tested = ~np.isnan(p_values)
    for number in np.unique(family):
        members = (family == number) & is_tested
        adjusted[members] = correct(p_values[members], correction)
    return adjusted


def check_max_t(
    called: str, tests: Sequence[Any], corrections: Sequence[str], *, by_t: bool = False
) -> None:
    """Raise for step-down max-t with another test than sign flips, which draw the maxima."""
    if MAX_T in corrections and by_t:
        raise LexiframeError(
            f"{called}: 'max_t' flips the signs of requests, which clusters and replicates make no "
            "independent evidence; take correction='holm', whose test is t"
        )
    other = [test for test in tests if test != "randomization"]
    if MAX_T in corrections and other:
        raise LexiframeError(
            f"{called}: expected the test 'randomization' with the correction 'max_t', which draws "
            f"the greatest of all statistics by sign flips, found {shown(other[0])}; take "
            "correction='holm', or test='randomization'"
        )


def families_of(table: pl.DataFrame, groups: Sequence[str], family: str) -> np.ndarray:
    """Number the families: of one test and, unless ``family="all"``, one measure and group."""
    same = ["test", *([*groups, "measure"] if family == "measure" else [])]
    runs = table.select(pl.struct(same).rle()).to_series().struct.unnest()  # few, of many pairs
    return np.repeat(runs["value"].rank("dense").to_numpy(), runs["len"].to_numpy())


def corrected(
    table: pl.DataFrame, family: np.ndarray, corrections: Sequence[str], names: Mapping[str, str]
) -> pl.DataFrame:
    """Repeat the rows for each correction, with the corrected p-values.

    ``names`` are the columns of p-values and of corrected ones; ``family`` numbers each row's
    family.
    """
    frames = []
    for correction in corrections:
        adjusted = {
            name: pl.Series(correct_families(table[p].to_numpy(), family, correction))
            for p, name in names.items()
        }
        frames.append(table.with_columns(correction=pl.lit(correction), **adjusted))
    return pl.concat(frames).with_columns(pl.col(*names.values()).fill_nan(None))


def check_corrected(
    called: str,
    tests: Sequence[Any],
    corrections: Sequence[str],
    family: str,
    options: Options,
    others: Sequence[str] = (),
) -> None:
    """Raise for tests, corrections, family or options that no correcting function accepts.

    ``others`` are corrections of the function's own.
    """
    for name in corrections:
        check_choice(called, name, (*others, *CORRECTIONS), "correction")
    if not (tests and corrections):
        raise LexiframeError(f"{called}: expected a test and a correction, found none")
    check_choice(called, family, get_args(Family), "family")
    resampling.check_share(called, "alpha", options.alpha)
    check_choice(called, options.alternative, get_args(Alternative), "alternative")
    resampling.check_draws(called, "trials", options.trials, options.seed)
