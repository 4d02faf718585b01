"""The requests that a gate needs to decide, and its outcome when nothing changed."""

from __future__ import annotations

import numpy as np

from lexiframe.core.significance.margin_power import question_size


def requests_to_decide(
    require: str,
    mean: np.ndarray,
    deviation: np.ndarray,
    margin: np.ndarray,
    alpha: float,
    power: float,
    share: np.ndarray | int = 1,
) -> np.ndarray:
    """Return the least numbers of requests that let rows pass, or fail, with probability ``power``.

    The arrays have the mean difference of each row, its standard deviation and the margin, and by
    weights the ``share`` n*/n. The
    result is 0 where more than 10^9 requests would be needed, and where the deviation is 0: equal
    differences do not tell how much further ones would vary.
    """

    def above(distance: np.ndarray, level: float) -> np.ndarray:
        """Return the requests that show, one-sided, that a mean is above a limit."""
        return question_size("a not worse", distance, deviation, 0.0, power, level, share)

    if require == "not-worse":
        sizes = above(mean + margin, alpha), above(-mean - margin, alpha)
    elif require == "better":  # by a two-sided test; else not by the margin
        sizes = above(mean, alpha / 2), above(margin - mean, alpha)
    else:
        within = question_size(
            "equivalent", mean / margin, deviation / margin, 1.0, power, alpha, share
        )
        sizes = within, above(np.abs(mean) - margin, alpha / 2)
    none = np.iinfo(np.int64).max
    least = np.minimum(*(np.where(size > 0, size, none) for size in sizes))
    return np.where(least == none, 0, least)


def unchanged_passes(
    require: str,
    half: np.ndarray,
    error: np.ndarray,
    margin: np.ndarray,
) -> np.ndarray:
    """Return the approximate probability that an equal candidate passes; NaN if unknown.

    ``half`` is the distance of the interval's lower end from the mean, ``error`` the standard error
    of the mean, which is taken for normal and around 0: Φ((δ − half) / error), for "equivalent" on
    both sides, as if another sample had equal spread. NaN for "better", which cannot be unchanged.

    Examples
    --------
    >>> half, error = np.array([0.01, 0.03]), np.array([0.006, 0.018])
    >>> unchanged_passes("not-worse", half, error, np.full(2, 0.02)).round(3).tolist()
    [0.952, 0.289]
    """
    from scipy.special import ndtr

    if require == "better":
        return np.full(len(half), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = (margin - half) / error
    either = np.maximum(2 * ndtr(room) - 1, 0.0)
    return np.asarray(either if require == "equivalent" else ndtr(room))
