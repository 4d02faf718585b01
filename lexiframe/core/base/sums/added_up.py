"""Moments of requests that may have weights: `add_up`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiframe.core.base.sums.moments import Moments

if TYPE_CHECKING:
    from lexiframe.core.base.sums.weighed import Weighing


def add_up(values: np.ndarray, rounding: np.ndarray, weighing: Weighing | None) -> Moments:
    """Add up values as `Moments.add_up` does, by weight unless all requests count alike."""
    if weighing is None or weighing.are_equal:
        return Moments.add_up(values, rounding)
    from lexiframe.core.base.sums.weighed import add_weighed

    return add_weighed(values, rounding, weighing)
