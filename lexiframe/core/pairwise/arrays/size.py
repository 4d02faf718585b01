"""How much memory preferences need, estimated before they are computed."""

from __future__ import annotations

from collections.abc import Collection

from lexiframe.core.base import memory_use

IN_TABLE = 40
"""Bytes of each preference while its table is made."""
IN_ARRAYS = 20
"""Bytes of each difference of scores while it is computed."""
IN_CUBE = 32
"""Bytes of each cell of an array of stated preferences, of which most may be empty."""
IN_EVALUATION = 100
"""Bytes of each preference during a comparison: its row as codes, and its cell in an array."""

_ADVICE = (
    "ask for fewer measures or fewer runs, or compare with one run alone (preferences and compare "
    "with baseline='RUN'); evaluate with memory='4GB' sums preferences up and does not keep them; "
    "metrics need no pairs: scores; bradley_terry has strengths of stated preferences"
)


def refuse_too_many(
    function: str,
    n_runs: int,
    n_requests: int,
    n_measures: int,
    bytes_each: int = IN_TABLE,
    *,
    baseline: str | Collection[str] | None = None,
    limit: int | None = None,
) -> None:
    """Raise when preferences need more memory than there is; the message begins with ``function``.

    With a ``baseline``, one run or several, only pairs that contain one are counted. ``limit`` is
    the most memory in bytes.
    """
    n_wanted = n_runs if baseline is None else 1 if isinstance(baseline, str) else len(baseline)
    n_pairs = n_wanted * (n_wanted - 1) // 2 + n_wanted * (n_runs - n_wanted)
    sizes = f"{n_pairs:,} pairs × {n_requests:,} requests × {n_measures:,} measures"
    needed = n_pairs * n_requests * n_measures * bytes_each
    what = f"{function}: the preferences of {n_runs:,} runs ({sizes})"
    memory_use.refuse_more_than_available(needed, what, _ADVICE, limit)
