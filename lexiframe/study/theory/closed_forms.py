"""How often two random rankings tie, in closed form: `tie_probability`."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.metrics import notation
from lexiframe.study.theory.arguments import check_sizes, refuse_large
from lexiframe.typing import MeasureLike

_BY_ONE_RANK = ("RR", "TSE")
_LEXICOGRAPHIC = ("LR", "LP", "sgnLR", "sgnLP")
_BY_NUMBER_FOUND = ("R", "P")
_DECREASING = ("AP", "RR", "nDCG", "RBP")
"""Metrics whose exposure decreases strictly, so that TSE of it has the closed form."""


@typed
def tie_probability(method: MeasureLike, n: int, m: int, *, first: int | None = None) -> float:
    """Compute how probable it is that two random rankings of n items tie.

    The rankings are drawn independently, each order of the n items being equally likely; m of the
    items are relevant, and both rankings are complete.

    Parameters
    ----------
    method
        ``"RR"``, ``"TSE"`` (of any exposure that decreases strictly), ``"R@1000"`` or ``"P@10"``
        with any cut-off, ``"Rprec"``, ``"LR"`` or ``"LP"``; or the measure: ``lf.R @ 1000``.
    n
        The number of items.
    m
        The number of relevant items, 1 ≤ m ≤ n.
    first
        For ``"RR"`` and ``"LP"`` the rank of the first relevant item of one of the two rankings;
        the result is then the probability under this condition. For ``"LP"`` it is the same for
        every rank.

    Returns
    -------
    float
        Between 0 and 1, with a relative error below 10⁻⁹; 0 when it is less than the least float.

    Raises
    ------
    LexiframeError
        When there is no closed form for the method, or n, m or ``first`` is out of its range.

    Notes
    -----
    C(n,m)⁻² Σ_i C(i−1,m−1)² for TSE, and by symmetry for RR; C(n,m)⁻² Σ_i [C(k,i) C(n−k,m−i)]² for
    R@k; 1/C(n,m) for LR and LP: Diaz, Ekstrand & Mitra, ACM TORS 2025,
    doi:10.1145/3728373, arXiv:2302.11370, appendix D. Given p_1, C(n−p_1,m−1)/C(n,m) for RR.

    Examples
    --------
    >>> import lexiframe as lf
    >>> round(lf.theory.tie_probability("TSE", n=1000, m=10), 3)
    0.005
    >>> round(lf.theory.tie_probability("R@1000", n=100_000, m=10), 3)
    0.826
    """
    check_sizes("tie_probability", n, m)
    name, k = _closed_form(method, n, m)
    if first is not None:
        return _given_first(name, n, m, first)
    if name in _LEXICOGRAPHIC:
        return _one_of_all(n, m)
    refuse_large("tie_probability", n - m if name in _BY_ONE_RANK else min(k, m))
    weights = (
        _weights_of_last_rank(n, m) if name in _BY_ONE_RANK else _weights_of_number_found(n, m, k)
    )
    return float((weights**2).sum() / weights.sum() ** 2)


@typed
def distinct_values(method: MeasureLike, n: int, m: int) -> int:
    """Count the values that a method can tell apart among all rankings of n items.

    Parameters
    ----------
    method
        As for `tie_probability`.
    n, m
        The number of items, and of relevant ones.

    Returns
    -------
    int
        n − m + 1 for RR and TSE, C(n, m) for LR and LP; for R@k, P@k and Rprec how many numbers of
        relevant items the first k ranks can hold.

    Raises
    ------
    LexiframeError
        When the number is not known for the method, or unless 1 ≤ m ≤ n.

    Notes
    -----
    Adding k relevant items multiplies C(n, m) by Π_{i=m+1..m+k} (n+1−i)/i.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.theory.distinct_values("RR", n=1000, m=3), lf.theory.distinct_values("LP", n=1000, m=3)
    (998, 166167000)
    """
    check_sizes("distinct_values", n, m)
    name, k = _closed_form(method, n, m)
    if name in _LEXICOGRAPHIC:
        if min(m, n - m) > _MOST_FACTORS:
            raise LexiframeError(
                f"distinct_values: C({n}, {m}) has too many digits; expected m or n − m up to "
                f"{_MOST_FACTORS:,}"
            )
        return comb(n, m)
    return n - m + 1 if name in _BY_ONE_RANK else min(k, m) - max(0, m - (n - k)) + 1


_MOST_FACTORS = 100_000


def _one_of_all(n: int, m: int) -> float:
    """Return 1/C(n, m), which is less than the least double from C(2000, 1000) on."""
    return float(Fraction(1, comb(n, m))) if min(m, n - m) <= 1000 else 0.0


def _closed_form(method: Any, n: int, m: int) -> tuple[str, int]:
    """Return the name of a method that has a closed form, and its cut-off: at most n.

    A cut-off, or an exposure that is equal at several ranks, makes more rankings tie under RR and
    TSE than the closed forms say. Other methods are an error.
    """
    written = notation.read(str(method))
    name, operand = written.name, written.operand
    is_plain = written.cutoff is None and (operand is None or operand in _DECREASING)
    if is_plain and name in (*_BY_ONE_RANK, *_LEXICOGRAPHIC, "Rprec"):
        return name, m
    if name in _BY_NUMBER_FOUND and isinstance(written.cutoff, int) and written.cutoff:
        return name, min(written.cutoff, n)
    raise LexiframeError(
        f"there is no closed form for {method}; expected RR, TSE, R@k, P@k, Rprec, LR or LP; "
        "lf.theory.simulate_ties estimates the probability for others"
    )


def _weights_of_last_rank(n: int, m: int) -> np.ndarray:
    """Return numbers proportional to P(p_m = i), for i = n down to m.

    P(p_m = i) = C(i−1, m−1)/C(n, m). The ratio of successive terms is (i−m)/(i−1): a product of
    them keeps ten more digits than the logarithm of the gamma function does.
    """
    i = np.arange(n, m, -1.0)
    return np.cumprod(np.append(1.0, (i - m) / (i - 1)))


def _weights_of_number_found(n: int, m: int, k: int) -> np.ndarray:
    """Return numbers proportional to P(the first k ranks hold i relevant items), for all i.

    They begin with 1 at the most probable i, so that none overflows, and go down on both sides.
    """
    least, most = max(0, m - (n - k)), min(k, m)
    mode = min(max((k + 1) * (m + 1) // (n + 2), least), most)
    up = np.arange(mode, most, dtype=float)
    down = np.arange(mode, least, -1.0)
    above = np.cumprod((k - up) * (m - up) / ((up + 1) * (n - k - m + up + 1)))
    below = np.cumprod(down * (n - k - m + down) / ((k - down + 1) * (m - down + 1)))
    return np.concatenate([below[::-1], [1.0], above])


def _given_first(name: str, n: int, m: int, first: int) -> float:
    if not 1 <= first <= n - m + 1:
        raise LexiframeError(
            f"tie_probability: expected first from 1 to n − m + 1 = {n - m + 1}, found {first}"
        )
    if name in ("LP", "sgnLP"):
        return _one_of_all(n, m)
    if name != "RR":
        raise LexiframeError(f"tie_probability: first is for RR and LP, found {name}")
    refuse_large("tie_probability", first)
    p = np.arange(1.0, first)  # P(p_1 = 1) = m/n, and successive ones have these ratios
    return float(m / n * np.prod((n - p - m + 1) / (n - p)))
