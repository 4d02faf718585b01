"""Kendall's τ-b between every two rows of values, where rows may have gaps: `kendall_of_all`."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums


def kendall_of_all(values: np.ndarray) -> np.ndarray:
    """Return τ-b between every two rows of values, over the columns that both have: rows × rows.

    NaN is no value; τ is NaN where a row ties all columns that both have.
    """
    known = ~np.isnan(values)
    has_gaps = not known.all()
    signs, untied = np.zeros((2, len(values), len(values)))
    for column in range(values.shape[1] - 1):
        later, now = values[:, column + 1 :], values[:, column, None]
        sign = (later > now).astype(np.float32) - (later < now)  # single precision counts exactly
        signs += sign @ sign.T
        both = known[:, column + 1 :] & known[:, column, None]
        untied += (
            np.abs(sign) @ both.T.astype(np.float32)
            if has_gaps
            else np.abs(sign).sum(axis=1)[:, None]
        )
    return sums.ratio(signs, np.sqrt(untied * untied.T))
