"""What strengths conclude, in words: which runs may be first, and on what that rests."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import escaped, printed
from lexiframe.orderings.likeliest.fitting import probabilities

_LARGE = 3.0
"""The standardised residual from which a pair is said not to fit one dimension."""
_UNITS = {
    "request": "judgments of a request taken together",
    "judge": "judgments by the same judge taken together",
    "both": "judgments of a request and by the same judge taken together",
    "judgment": "each judgment taken for independent of all others",
}


Found = Any
"""What is put into words: `Strengths`, whose module imports this one."""


def strength_sentences(found: Found) -> list[str]:
    """Return the sentences: who may be first, the second, what was counted, what does not fit."""
    said = [
        _first_sentence(found),
        *_second(found),
        _counts_sentence(found),
        *_largest_residual(found),
        *_made_up(found),
    ]
    return [escaped(sentence) for sentence in said]


def _first_sentence(found: Found) -> str:
    runs = found.strengths["run"].to_list()
    strongest = found.strengths.filter(pl.col("rank") == pl.col("rank").min())["run"].to_list()
    verb = "is the strongest" if len(strongest) == 1 else "are equally strong, and the strongest"
    text = f"{printed.listed(strongest)} {verb} of {printed.counted(len(runs), 'run')}"
    if found.pairs["p_adjusted"].null_count():
        return f"{text}. How sure that is cannot be said from one group of judgments."
    if found.strengths["ci_low"].null_count() == len(runs):
        return f"{text}. How sure that is cannot be said, as no two groups of judgments differ."
    first = found.may_be_first()
    how = f"level {100 * found.level:g} %, all pairs at once, {_UNITS[found.by]}"
    if len(first) == 1:
        return f"{text}: it is shown to be stronger than each other run ({how})."
    return (
        f"{text}, among {len(first):,} runs that may be first: no run is shown to be stronger than "
        f"{printed.listed(first)} ({how})."
    )


def _second(found: Found) -> list[str]:
    """Say how likely the strongest run wins against the next, by the interval of this pair."""
    a, b = found.strengths["run"][:2]
    if found.strengths["rank"].min() == found.strengths["rank"][1]:
        return []  # The strongest runs are equal: there is no next one.
    row = _pair(found, a, b)
    if row["ci_low"] is None:
        return [f"{a} wins against {b}, the next, with probability {row['p_a_wins']:.2f}."]
    interval = f"{row['p_a_low']:.2f} to {row['p_a_high']:.2f}"
    chance = f"{a} wins against {b}, the next, with probability {row['p_a_wins']:.2f}"
    return [f"{chance} ({100 * found.level:g} % interval of this pair alone: {interval})."]


def _pair(found: Found, a: str, b: str) -> dict[str, Any]:
    """Return the row of two runs, as seen from the first."""
    low, high = sorted((a, b))
    pair = found.pairs.filter(pl.col("run_a") == low, pl.col("run_b") == high)
    row: dict[str, Any] = pair.row(0, named=True)
    if low == a:
        return row
    turned: dict[str, Any] = {"p_a_wins": row["p_b_wins"], "ci_low": None}
    if row["ci_low"] is not None:
        ends = np.array([-row["ci_high"], -row["ci_low"]])
        p, _, _ = probabilities(ends, np.log(found.nu) if found.nu else np.nan)
        turned |= dict(zip(("ci_low", "ci_high", "p_a_low", "p_a_high"), [*ends, *p], strict=True))
    return row | turned


def _counts_sentence(found: Found) -> str:
    """Say on how many judgments this rests, and what was counted as a tie or left out."""
    by = f" by {printed.counted(found.n_judges, 'judge')}" if found.n_judges else ""
    text = (
        f"This rests on {printed.counted(found.n_judgments, 'judgment')} in "
        f"{printed.counted(found.n_requests, 'request')}{by}"
    )
    if found.n_ties is not None:
        bad = f", {found.both_bad:,} of them of two bad answers" if found.both_bad else ""
        text += f"; {found.n_ties:,} {'is a tie' if found.n_ties == 1 else 'are ties'}{bad}"
    if found.left_out:
        text += f"; {printed.counted(found.left_out, 'row')} without a winner left out"
    return f"{text}."


def _largest_residual(found: Found) -> list[str]:
    """Say where the picture of one dimension is most wrong, if it is."""
    worst = found.largest_residuals(1)
    if worst.is_empty() or abs(worst["residual"][0]) < _LARGE:
        return []
    row = worst.row(0, named=True)
    many = found.pairs.filter(pl.col("residual").abs() >= _LARGE).height
    also = f"; {many:,} pairs are {_LARGE:g} standard deviations or more away" if many > 1 else ""
    share = f"wins {row['expected_share']:.2f} of the"
    judgments = printed.counted(row["n_judgments"], "judgment")
    text = (
        f"The strengths describe {row['run_a']} against {row['run_b']} worst: they expect that "
        f"{row['run_a']} {share} {judgments}, and it wins {row['observed_share']:.2f} (ties half)"
    )
    return [f"{text}{also}."]


def _made_up(found: Found) -> list[str]:
    """Say what strengths rest on beside judgments: covariates, a prior, and how intervals came."""
    said = []
    if found.covariates.height:
        names = printed.listed(found.covariates["covariate"].to_list())
        said.append(f"Strengths are those of answers that do not differ in {names}.")
    if found.interval == "percentile":
        said.append(
            f"Intervals are percentiles of {found.samples:,} samples; with few groups they hold "
            f"the true strength in less than {100 * found.level:g} % of cases."
        )
    if found.prior:
        each = f"{found.prior:g} comparison{'s' * (found.prior != 1)}"
        said.append(f"Each run has {each} with an imaginary run, half of them won (prior).")
    if found.prevented:
        said.append(
            "Without the prior no strengths would be likeliest, and their distances rest on it: "
            f"{found.prevented}."
        )
    if found.without_maximum:
        said.append(
            f"In {found.without_maximum:,} of {found.samples:,} samples a set of runs never lost "
            "or never won, so that no strengths are likeliest; these samples were fitted with "
            "prior=1."
        )
    return said
