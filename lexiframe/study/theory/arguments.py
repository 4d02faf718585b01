"""The arguments n and m, which every function of the theory takes."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from lexiframe.core.base import LexiframeError, memory_use


def check_sizes(function: str, n: int, m: int) -> None:
    """Raise unless 1 ≤ m ≤ n; `typed` has seen that both are whole numbers."""
    if not 1 <= m <= n:
        raise LexiframeError(
            f"{function}: expected 1 ≤ m ≤ n, m relevant items among n, found m = {m}, n = {n}"
        )


def refuse_large(function: str, numbers: int) -> None:
    """Raise, before the work, when as many numbers as it needs do not fit in memory."""
    memory_use.refuse_more_than_available(
        32 * numbers, f"{function}: arrays of {numbers:,} numbers", "ask for fewer items"
    )


def sizes_of(m: int | Iterable[int]) -> list[int]:
    """Return one or several numbers of relevant items as a sorted list, each once."""
    several = m if isinstance(m, Iterable) else [m]
    sizes = sorted({int(size) for size in several})
    if not sizes:
        raise LexiframeError("m: expected at least one number of relevant items, found none")
    return sizes


_MOST = 1000
"""This many rankings make half a million pairs."""


def check_few(function: str, n: int, m: int) -> None:
    """Raise as `check_sizes`, and when there are more rankings than can be looked at one by one."""
    check_sizes(function, n, m)
    if m < n and n > _MOST:  # the number of rankings alone could take long to compute
        raise LexiframeError(
            f"{function}: expected at most {_MOST:,} rankings, found C({n}, {m}), which is {n:,} "
            "or more"
        )
    if comb(n, m) > _MOST:
        raise LexiframeError(
            f"{function}: expected at most {_MOST:,} rankings, found C({n}, {m}) = {comb(n, m):,}"
        )
