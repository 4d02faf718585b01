"""Runs ordered by their mean z-scores: how far above the mean of the runs they are in a unit."""

from __future__ import annotations

import numpy as np

from lexiframe.core.orderings.ordering_rules import OrderingRule
from lexiframe.core.orderings.rules.mean import unit_means
from lexiframe.core.pairwise import Pairs, arrays


def _unit_z_scores(table: arrays.Scores | Pairs | arrays.Cells) -> tuple[np.ndarray, np.ndarray]:
    """z = (x − mean)/sd over the runs, the sample's sd (S − 1); 0 where all are equal.

    With S in place of S − 1 all values would be larger by √(S/(S − 1)), in the same order. Mean
    preferences have the z of the scores that they are differences of.
    """
    values, errors = unit_means(table)
    known = ~np.isnan(values)
    x, n = np.where(known, values, 0.0), known.sum(axis=1, keepdims=True)
    centred = np.where(known, x - x.sum(axis=1, keepdims=True) / np.maximum(n, 1), 0.0)
    sd = np.sqrt((centred**2).sum(axis=1, keepdims=True) / np.maximum(n - 1, 1))
    error = np.where(known, errors, 0.0).max(axis=1, keepdims=True)
    highest, lowest = (of(values, axis=1, keepdims=True) for of in (np.fmax.reduce, np.fmin.reduce))
    spread = np.where(highest - lowest > error, sd, np.inf)
    return np.where(known, centred / spread, np.nan), error / spread


RULE = OrderingRule("mean_z", of_units=_unit_z_scores, takes_scores=True)
