"""The test that each measure gets unless one is named, chosen from its differences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from lexiframe.base import warn
from lexiframe.metrics import derived
from lexiframe.pairwise import Pairs, arrays
from lexiframe.significance.differences import Options

AUTO = "auto"
_FEW = 50
"""The most requests of which preferences are tested by sign flips."""
_ENUMERATED = 18
"""Up to so many requests all sign flips are taken."""
_TRIALS = 20
"""The trials for each comparison and 1/α: the least p is then far below the level."""
_WORK = 10**12
"""The most products of a sign and a difference, which take minutes."""


def single_of(pairs: Any) -> Pairs | None:
    """Return the preferences of single requests; None where their sums alone are kept."""
    return pairs.single if isinstance(pairs, arrays.PairSums) else pairs


def test_of(
    measure: str, pairs: Any, options: Options, is_metric: bool, n_comparisons: int | None
) -> tuple[list[str], Options]:
    """Return the test of a measure's pairs, in a list, and the options that it is done with.

    It is ``sign`` where all differences are −c, 0 or c: there it is the exact test of all sign
    flips, and t finds differences between equal runs in far more evaluations than α. For
    other preferences, unless they are differences of a metric, it is ``randomization`` with few
    requests, for the same reason. All others have ``t``. The choice looks at sizes of differences
    alone, which sign flips do not change, so that it costs nothing.
    """
    if pairs.differences.have_one_size:
        return ["sign"], options
    if is_metric:
        return ["t"], options
    single, of_each = single_of(pairs), pairs.differences.n
    n_pairs = int((of_each > 0).sum())
    n = int(of_each.max(initial=0)) if single is None else len(single.queries)
    flips = sign_flips(n, n_pairs, options, n_comparisons)
    if n <= _FEW and (single is None or flips is None):
        warn(
            f"compare: {measure} has the t test, as sign flips of {n_pairs:,} pairs of runs in {n} "
            "requests take too long, or were not foreseen when it was evaluated; with few requests "
            "t can find differences that are not there: name a baseline, or take test='sign'"
        )
    if single is None or flips is None:
        return ["t"], options
    return ["randomization"], flips


def sign_flips(
    n: int, n_pairs: int, options: Options, n_comparisons: int | None = None
) -> Options | None:
    """Return the options of sign flips of n requests; None where they are many, or take too long.

    Examples
    --------
    >>> sign_flips(20, 45, Options("two-sided", 0.05)).trials
    18000
    """
    trials = _trials(n, n_comparisons or n_pairs, options) if n <= _FEW else 0
    too_long = n > _FEW or _work(n, n_pairs, trials) > _WORK
    return None if too_long else replace(options, trials=trials)


def most_requests(n_runs: int, baseline: str | None, alpha: float) -> int:
    """Return up to how many requests preferences between some runs are tested by sign flips.

    Examples
    --------
    >>> most_requests(40, None, 0.05), most_requests(1000, None, 0.05)
    (50, 17)
    """
    n_pairs = n_runs * (n_runs - 1) // 2 if baseline is None else n_runs - 1
    options = Options("two-sided", alpha)
    work = {n: _work(n, n_pairs, _trials(n, n_pairs, options)) for n in range(1, _FEW + 1)}
    return max((n for n, of in work.items() if of <= _WORK), default=0)


def is_metric(measure: str, scores: Any) -> bool:
    """Return whether a measure's preferences are differences of scores, known or by its name."""
    return measure in scores or derived.known_metric(measure) is not None


def _trials(n: int, n_comparisons: int, options: Options) -> int:
    """Return the number of trials; 2^n − 1 means that all choices of signs are taken."""
    if n <= _ENUMERATED:
        return (1 << n) - 1
    return max(options.trials, math.ceil(_TRIALS * n_comparisons / options.alpha))


def _work(n: int, n_pairs: int, trials: int) -> int:
    return n_pairs * n * (1 << (n - 1) if n <= _ENUMERATED else trials)
