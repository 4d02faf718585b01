"""Why a row of a gate passes, fails or is undecided, in a sentence: `reason`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from lexiframe.decide.gates.gate_rules import rule_of

Row = Mapping[str, Any]


def reason(row: Row) -> str:
    """Return the sentence of a row of the table of `gate`, which begins with the outcome.

    Examples
    --------
    >>> reason({"baseline": "bm25", "candidate": "dense", "require": "not-worse",
    ...         "outcome": "undecided", "mean_difference": -0.004, "margin": 0.01, "n": 50,
    ...         "p_adjusted": 0.21, "p_opposite_adjusted": 0.79, "required": 320, "ci_low": -0.012})
    'UNDECIDED: it is not known whether dense is worse than bm25 by more than 0.01: the test of \
"not worse" has p = 0.21, the test of "worse" p = 0.79, mean difference -0.004, n = 50; it would \
take about 320 requests if the difference is as observed.'
    """
    outcome: str = row["outcome"]
    claim = _CLAIMS[rule_of(row["require"]).claim, outcome](row)
    if row.get("same"):
        return (
            f"{outcome.upper()}: {row['same']}" + f", so that {claim}" * (outcome == "fail") + "."
        )
    chosen = "".join(f"; {one}" for one in row.get("chosen") or () if one)
    return f"{outcome.upper()}: {claim}: {_EVIDENCE[outcome](row)}{chosen}."


def _worse(row: Row) -> str:
    return f"worse than {row['baseline']} by more than {_margin_text(row)}"


def _opposite_of_equivalent(row: Row) -> str:
    than = "better" if row["mean_difference"] > 0 else "worse"
    return f"{row['candidate']} is {than} than {row['baseline']} by more than {_margin_text(row)}"


def _differ(row: Row) -> str:
    return f"{row['candidate']} and {row['baseline']} differ by less than {_margin_text(row)}"


_ANSWERS = {
    "not-worse": ("not worse", "worse"),
    "better": ("better", "not better"),
    "equivalent": ("equivalent", "not equivalent"),
}
"""What the two tests of an undecided row are about."""
_UNKNOWN = "it is not known whether"
_CLAIMS: dict[tuple[str, str], Callable[[Row], str]] = {
    ("not-worse", "pass"): lambda row: f"{row['candidate']} is not {_worse(row)}",
    ("not-worse", "fail"): lambda row: f"{row['candidate']} is {_worse(row)}",
    ("not-worse", "undecided"): lambda row: f"{_UNKNOWN} {row['candidate']} is {_worse(row)}",
    ("better", "pass"): lambda row: f"{row['candidate']} is better than {row['baseline']}",
    ("better", "fail"): lambda row: (
        f"{row['candidate']} is not better than {row['baseline']} by {_margin_text(row)}"
    ),
    ("better", "undecided"): lambda row: (
        f"{_UNKNOWN} {row['candidate']} is better than {row['baseline']}"
    ),
    ("equivalent", "pass"): _differ,
    ("equivalent", "fail"): _opposite_of_equivalent,
    ("equivalent", "undecided"): lambda row: f"{_UNKNOWN} {_differ(row)}",
}


def _margin_text(row: Row) -> str:
    return f"{row['margin']:.4g}"


def _observed(row: Row) -> str:
    mean = round(row["mean_difference"], _ROUNDED) + 0.0  # which turns -0.0 into 0.0
    by_weight = row.get("n_effective")
    counted = f", by weights n* = {by_weight:.3g}" if by_weight else ""
    return f"mean difference {mean:.3g}, n = {row['n']:,}{counted}"


_ROUNDED = 12
"""Decimals of means: what is smaller is rounding."""


def _undecided_reason(row: Row) -> str:
    shown, opposite = _ANSWERS[rule_of(row["require"]).claim]
    other = _p(row["p_opposite_adjusted"])
    p = f'the test of "{shown}" has {_p(row["p_adjusted"])}, the test of "{opposite}" {other}'
    if row["n"] == 1:
        needed = "one request shows nothing"
    elif row["ci_low"] is None and row.get("of_all"):
        needed = (
            "how much it varies is unknown, as all requests change it alike or a run has one list"
        )
    elif row["ci_low"] is None:
        needed = "all differences are equal, so how much those of others vary is unknown"
    elif row.get("of_all"):
        needed = "how many requests would decide it is not known, as the measure depends on them"
    elif row["required"] is None:
        needed = "no number of requests that was tried would decide it"
    else:
        needed = f"it would take about {row['required']:,} requests{AS_OBSERVED}"
    return f"{p}, {_observed(row)}; {_poor(row)}{needed}"


_POOR = 0.5
"""A gate that would pass a candidate that is as good less often than this is said to."""


def _poor(row: Row) -> str:
    """Say that a gate would hardly pass a candidate that is as good; nothing where it would."""
    rate = row.get("unchanged")
    if rate is None or not rate < _POOR:
        return ""
    share = "less than 1 %" if rate < 0.01 else f"about {100 * rate:.0f} %"
    return (
        f"with {row['n']:,} requests a candidate that is as good as {row['baseline']}, and whose "
        f"differences vary as much, would pass in {share} of cases; "
    )


UNSEEN = "could have gone unseen in"
"""What a verdict takes over from the reason of a row that passes."""
AS_OBSERVED = " if the difference is as observed"


def _unseen(row: Row) -> str:
    """Say that a rare loss may have been missed, where three times the bound over n is too much.

    If one in n / 3 requests loses, there is none among n with a probability of about 5 %.
    """
    bound, n = row.get("bound", math.inf), row["n"]
    # Bets take bounds into account, and a model judges more requests than those that are counted.
    is_sure = row.get("of_all") or row.get("test") in ("betting", "t(model)")
    if is_sure or not row["margin"] < 3 * bound / n < math.inf:
        return ""
    one_in = max(math.ceil(n / 3), 2)
    return f"; a loss of up to {bound:g} in one of {one_in:,} requests {UNSEEN} {n:,}"


_EVIDENCE: dict[str, Callable[[Row], str]] = {
    "pass": lambda row: f"{_p(row['p_adjusted'])}, {_observed(row)}{_unseen(row)}",
    "fail": lambda row: f"{_p(row['p_opposite_adjusted'])}, {_observed(row)}",
    "undecided": _undecided_reason,
}


def _p(value: float) -> str:
    """Return a p-value with four digits, so that 0.0498 is not written as 0.05."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.4g}"
