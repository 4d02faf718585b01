"""What `bradley_terry` returns: `Strengths`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from lexiframe.base import printed
from lexiframe.io import Tables
from lexiframe.orderings.strengths.in_words import strength_sentences
from lexiframe.orderings.strengths.variances import Interval, Unit

Ties = Literal["half", "davidson"]
_SHOWN = 20
"""How many of the strongest runs are printed."""
_WITH_ELO = ("run", "strength", "ci_low", "ci_high", "elo", "elo_low", "elo_high", "rank")


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
        strengths = self.strengths.select(first, ~first).head(_SHOWN)
        found: dict[str, Any] = {
            printed.begun("Strengths", self.strengths.height, _SHOWN): strengths,
            "Pairs that the strengths describe worst": self.largest_residuals(5).select(seen),
        }
        more = {"Covariates": self.covariates, "Strengths in groups of requests": self.groups}
        found |= {title: table for title, table in more.items() if table.height}
        rounded = pl.selectors.float().round(4)
        return {title: table.with_columns(rounded) for title, table in found.items()}
