"""The result of `bradley_terry`: `Strengths`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import escaped, printed, typed
from lexiframe.core.io import Tables
from lexiframe.core.orderings.likeliest.fitting import probabilities
from lexiframe.decide.votes.strengths.variances import Interval, Unit

Ties = Literal["half", "davidson"]
_SHOWN = 20
"""How many of the strongest runs are printed."""
_WITH_ELO = ("run", "strength", "ci_low", "ci_high", "rank", "elo", "elo_low", "elo_high")


@dataclass(frozen=True, repr=False, eq=False)
class Strengths(Tables):
    """Strengths of runs, as `bradley_terry` returns them.

    Attributes
    ----------
    strengths : polars.DataFrame
        Key ``run``: strength, interval, rank, standard error, number of judgments.
    pairs : polars.DataFrame
        Key ``run_a, run_b``: what was observed and what the strengths expect.
    covariates : polars.DataFrame
        Key ``covariate``: its coefficient; without rows where no covariates were given.
    groups : polars.DataFrame
        Key ``group, run``: strengths in groups of requests; without rows where none were given.
    loglik, nu : float
        The log-likelihood of the judgments; ν of Davidson's model, 0 where ties count half.
    n_judgments, n_requests, n_judges : int
        How many judgments, requests and judges (0 where nobody is named) there were.
    by, ties, level, prior, interval
        What was asked for.
    samples, without_maximum : int
        How many samples were drawn, and in how many no maximum existed.
    n_ties : int or None
        How many of the judgments are ties; None where means over judgments were given.
    both_bad, left_out : int
        How many ties say that both are bad, and how many rows named no winner, as
        `read_preferences` counted them.
    prevented : str
        With a prior, which sets of runs would have no finite strengths without it: those that never
        lost, never won, or never met; empty where there are none.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["a", "a", "b"]})
    >>> lf.bradley_terry(votes).strengths["strength"].round(4).to_list()
    [0.3466, -0.3466]
    """

    __module__ = "lexiframe"  # where users find it
    _TABLES = ("strengths", "pairs", "covariates", "groups")

    strengths: pl.DataFrame
    pairs: pl.DataFrame
    covariates: pl.DataFrame
    groups: pl.DataFrame
    loglik: float
    nu: float
    n_judgments: int
    n_requests: int
    n_judges: int
    by: Unit
    ties: Ties
    level: float
    prior: float
    samples: int = 0
    without_maximum: int = 0
    n_ties: int | None = None
    both_bad: int = 0
    left_out: int = 0
    interval: Interval = "sandwich"
    prevented: str = ""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the table of strengths."""
        return self.strengths.__arrow_c_stream__(requested_schema)

    @property
    def verdict(self) -> printed.Verdict:
        """What the strengths conclude: which runs may be first, and on what that rests."""
        return printed.Verdict({"sentence": strength_sentences(self)})

    def may_be_first(self) -> list[str]:
        """Return the runs than which no other is shown to be stronger, the strongest first.

        A run is shown to be stronger when ``p_adjusted`` of the pair, corrected over all pairs, is
        below 1 − level. Without intervals no run is shown to be stronger than another.
        """
        shown = self.pairs.filter(pl.col("p_adjusted") < 1 - self.level)
        weaker = shown.select(pl.when(pl.col("difference") > 0).then("run_b").otherwise("run_a"))
        kept = ~pl.col("run").is_in(weaker.to_series().implode())
        return self.strengths.filter(kept)["run"].to_list()

    @typed
    def largest_residuals(self, n: int = 10) -> pl.DataFrame:
        """Return the pairs that the strengths describe worst, by standardised residual."""
        seen = self.pairs.filter(pl.col("n_judgments") > 0)
        return seen.sort(
            pl.col("residual").abs(), "run_a", "run_b", descending=[True, False, False]
        ).head(n)

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: the strengths, and the pairs they describe worst."""
        seen = ["run_a", "run_b", "n_judgments", "observed_share", "expected_share", "residual"]
        # Where there is no room for all columns, what was asked for stands before the others.
        first = pl.selectors.by_name(*_WITH_ELO, require_all=False)
        whole = pl.selectors.starts_with("elo").round().cast(pl.Int64)
        strengths = self.strengths.select(first, ~first).head(_SHOWN).with_columns(whole)
        found: dict[str, Any] = {
            printed.begun("Strengths", self.strengths.height, _SHOWN): strengths,
            "Pairs that the strengths describe worst": self.largest_residuals(5).select(seen),
        }
        more = {"Covariates": self.covariates, "Strengths in groups of requests": self.groups}
        found |= {title: table for title, table in more.items() if table.height}
        rounded = pl.selectors.float().round(4)
        return {title: table.with_columns(rounded) for title, table in found.items()}


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
    """Return the sentences: possible first runs, the second, the judgments, the worst fit."""
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
    verb = "has" if len(strongest) == 1 else "share"
    of = printed.counted(len(runs), "run")
    text = f"{printed.listed(strongest)} {verb} the greatest strength of {of}"
    if found.pairs["p_adjusted"].null_count():
        return f"{text}. How sure that is cannot be said from one group of judgments."
    if found.strengths["ci_low"].null_count() == len(runs):
        return f"{text}. How sure that is cannot be said, as no two groups of judgments differ."
    first = found.may_be_first()
    how = f"level {100 * found.level:g} %, all pairs at once, {_UNITS[found.by]}"
    if len(first) == 1:
        return f"{text}, and is shown to be stronger than each other run ({how})."
    return (
        f"{text}; {len(first):,} may be first: {printed.listed(first)} (no run is shown to be "
        f"stronger; {how})."
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
    """Return the number of judgments, of ties, and of left-out rows, in words."""
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
    """Name the grounds of strengths beside judgments: covariates, a prior, the intervals."""
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
