"""Corrections of p-values for many comparisons, over a declared family."""

from __future__ import annotations

import numpy as np

CORRECTIONS = {"none": None, "bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
"""Our names of corrections, and their names in `statsmodels.stats.multitest.multipletests`."""


def correct(p_values: np.ndarray, correction: str) -> np.ndarray:
    """Adjust the p-values of one family, as `statsmodels.stats.multitest.multipletests` does.

    Examples
    --------
    >>> correct(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    method = CORRECTIONS[correction]
    if method is None or not len(p_values):
        return p_values
    if method == "holm":  # own code: statsmodels runs the garbage collector at each call
        order = np.argsort(p_values)
        stepped = p_values[order] * np.arange(len(p_values), 0, -1)
        holm = np.empty_like(p_values)
        holm[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
        return holm
    from statsmodels.stats.multitest import multipletests

    adjusted: np.ndarray = multipletests(p_values, method=method)[1]
    return adjusted


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
