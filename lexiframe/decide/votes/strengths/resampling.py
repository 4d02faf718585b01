"""Strengths in samples of requests or judges, drawn with replacement."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from lexiframe.core.base import progress, resampling
from lexiframe.core.orderings.likeliest.existence import has_maximum
from lexiframe.core.orderings.likeliest.fitting import Counts, Fit, fit
from lexiframe.decide.votes.strengths.judged import Judged

_BLOCK = 50


def resampled(
    judged: Judged, group: np.ndarray, whole: Fit, *, prior: float, davidson: bool, samples: int,
    seed: int,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """Return the strengths in each sample, and how many samples have no maximum.

    Samples without one are fitted with a comparison of each run with an imaginary one (prior = 1).
    """
    k, s = int(group.max()) + 1, len(judged.runs)
    one, kind = judged.alike()
    a, b = judged.a[one], judged.b[one]
    parts = [coo_array((x, (group, kind)), (k, len(one))).tocsr() for x in judged.outcomes()]
    drawn = resampling.drawn_blocks(k, samples, seed, rows=_BLOCK)
    strengths, without = np.empty((samples, s)), 0
    for start, block in zip(
        progress(range(0, samples, _BLOCK), -(-samples // _BLOCK), "resampling"), drawn, strict=True
    ):
        sums = [block @ part for part in parts]
        for n in range(len(block)):
            counts = Counts(s, a, b, *(part[n] for part in sums))
            has = bool(prior) or has_maximum(counts, davidson=davidson)
            without += not has
            fitted = fit(counts, davidson=davidson, prior=prior if has else 1.0, start=whole.beta)
            strengths[start + n] = fitted.beta
    return strengths, without
