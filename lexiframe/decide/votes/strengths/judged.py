"""Judgments as arrays: the pairs, the winners, the requests and the judges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    coded,
    memory_use,
    n_and_first,
    schemas,
    sums,
    to_polars,
)
from lexiframe.core.io import column_forms
from lexiframe.core.orderings.likeliest.existence import refuse_no_maximum
from lexiframe.core.orderings.likeliest.fitting import EQUAL, Counts, fit
from lexiframe.decide.votes import stated
from lexiframe.decide.votes.strengths.covariates import differences

_MOST = 2.0**53
"""Larger whole numbers are no floats."""
_BYTES = 320
"""Bytes of each pair of runs, in either order: rows of all pairs, and covariances."""
_ADVICE = "leave out runs, such as those with the fewest judgments"


@dataclass(frozen=True)
class Judged:
    """One entry a judgment, or a row of preferences of ``weight`` judgments.

    ``share`` is what a won of it (1, 1/2, 0, or a mean of these); ``request`` and ``judge`` are
    numbers from 0 without gaps, ``judge`` −1 where nobody is named. ``x`` has a column for each
    covariate: by how much a's answer exceeds b's in it.
    """

    runs: list[str]
    a: np.ndarray
    b: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    request: np.ndarray
    judge: np.ndarray
    are_single: bool
    covariates: tuple[str, ...]
    x: np.ndarray

    @property
    def n_requests(self) -> int:
        """The number of requests."""
        return int(self.request.max()) + 1

    @property
    def n_judges(self) -> int:
        """The number of judges who are named."""
        return int(self.judge.max()) + 1

    def part(self, those: np.ndarray) -> Judged:
        """Return some of the judgments, with numbers without gaps again."""
        there, both = np.unique(np.concatenate([self.a[those], self.b[those]]), return_inverse=True)
        a, b = both.reshape(2, -1)
        request = np.unique(self.request[those], return_inverse=True)[1]
        judge = np.unique(np.append(self.judge[those], -1), return_inverse=True)[1][:-1] - 1
        return replace(
            self, runs=[self.runs[i] for i in there], a=a, b=b, share=self.share[those],
            weight=self.weight[those], request=request, judge=judge, x=self.x[those],
        )  # fmt: skip

    def alike(self) -> tuple[np.ndarray, np.ndarray]:
        """Return one of each kind of entry, and for each entry the number of its kind.

        Entries of one pair are alike; with covariates, each is a kind of its own.
        """
        if self.covariates:
            every = np.arange(len(self.a))
            return every, every
        place = self.a * len(self.runs) + self.b
        _, one, number = np.unique(place, return_index=True, return_inverse=True)
        return one, number

    def counts(self) -> Counts:
        """Add up the judgments of each pair of runs; with covariates, leave them single."""
        one, kind = self.alike()
        wins, losses, ties = (np.bincount(kind, x, len(one)) for x in self.outcomes())
        x = self.x[one] if self.covariates else None
        return Counts(len(self.runs), self.a[one], self.b[one], wins, losses, ties, x)

    def outcomes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the wins, losses and ties of each entry; a mean counts as wins and losses."""
        is_tie = self.are_single & (self.share == 0.5)
        w = self.weight
        return (
            w * np.where(is_tie, 0, self.share),
            w * np.where(is_tie, 0, 1 - self.share),
            w * is_tie,
        )


def judged_of(
    votes: Any, function: str = "bradley_terry", answers: Any = None, covariates: Any = None
) -> Judged:
    """Make arrays of judgments, of the result of `read_preferences`, or of stated preferences."""
    frame, share, weight = _vote_shares(votes, function)
    x = differences(frame, answers, covariates)
    return _arrays(frame, share, weight, x, function)


def given_of(votes: Any) -> stated.StatedPreferences | pl.DataFrame:
    """Return the preferences of `read_preferences`, or a table in lexiframe's words."""
    if isinstance(votes, stated.StatedPreferences):
        return votes
    if column_forms.is_frame(votes):
        frame = to_polars(votes, "the judgments")
        if "winner" not in frame.columns or {"run_a", "run_b"} <= {*frame.columns}:
            return frame
    return stated.read_preferences(votes)


def frame_of(votes: Any) -> pl.DataFrame:
    """Return the table of judgments, or of stated preferences."""
    given = given_of(votes)
    return given.judgments if isinstance(given, stated.StatedPreferences) else given


def _vote_shares(votes: Any, function: str) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Return the checked table, run_a's share of each row, and the row's number of judgments."""
    frame = frame_of(votes)
    if "winner" in frame.columns:
        frame = schemas.check(frame, schemas.JUDGMENTS, "the judgments")
        side = frame["winner"].cast(pl.Enum(["b", "tie", "a"]), strict=False).to_physical()
        if side.null_count():
            odd = frame["winner"].filter(side.is_null())[0]
            raise LexiframeError(
                f"{function}: expected the winner to be 'a', 'b' or 'tie', found {odd!r}; "
                "read_preferences understands other words"
            )
        return frame, side.to_numpy() / 2, np.ones(frame.height)
    frame = schemas.check(frame, schemas.PREFERENCES, "the stated preferences")
    measures = frame["measure"].unique()
    if len(measures) > 1:
        raise LexiframeError(
            f"{function}: expected the preferences of one measure, found {len(measures)}; "
            "filter them, or take order_runs(d, method='bradley_terry')"
        )
    weight = np.ones(frame.height)
    if "n_judgments" in frame.columns:
        weight = _n_judgments(frame["n_judgments"], function)
    preference = frame["preference"].to_numpy()
    if not (np.abs(preference) <= 1).all():
        raise LexiframeError(
            f"{function}: expected stated preferences from -1 to 1, found others; others "
            "count once a request, by their sign: order_runs(d, method='bradley_terry')"
        )
    return frame, (1 + preference) / 2, weight


def _n_judgments(column: pl.Series, function: str) -> np.ndarray:
    """Return how many judgments each row is; raise for numbers that none can be."""
    odd = column.filter((column < 1).fill_null(True))
    if len(odd):
        found = n_and_first(odd)
        raise LexiframeError(
            f"{function}: expected n_judgments to be numbers from 1, found {found}"
        )
    if (total := column.cast(pl.Float64).sum()) > _MOST:
        raise LexiframeError(
            f"{function}: expected up to 2^53 judgments in n_judgments together, found {total:g}"
        )
    return column.to_numpy().astype(float)


def _arrays(
    frame: pl.DataFrame,
    share: np.ndarray,
    weight: np.ndarray,
    covariates: dict[str, np.ndarray],
    function: str,
) -> Judged:
    if not frame.height:
        raise LexiframeError(f"{function}: expected at least one judgment, found none")
    same = frame.filter(pl.col("run_a") == pl.col("run_b"))
    if same.height:
        raise LexiframeError(
            f"{function}: expected two runs in each judgment, found {same['run_a'][0]!r} against "
            f"itself ({same.height} such rows)"
        )
    sides = [coded.encode(frame[c]) for c in ("run_a", "run_b")]
    runs = pl.concat([names for names, _ in sides]).unique().sort()
    memory_use.refuse_more_than_available(
        _BYTES * len(runs) ** 2, f"{function}: all pairs of {len(runs):,} runs", _ADVICE
    )
    a, b = (
        names.cast(pl.Enum(runs)).to_physical().to_numpy().astype(np.int64)[code]
        for names, code in sides
    )
    number, are_single = np.full(frame.height, -1), "winner" in frame.columns
    if are_single and "judge" in frame.columns:
        known = frame["judge"].is_not_null()
        number[known.to_numpy()] = coded.encode(frame["judge"].filter(known))[1]
    turned = a > b
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    share = np.where(turned, 1 - share, share)
    x = np.stack([*covariates.values()], axis=1) if covariates else np.zeros((len(a), 0))
    x = np.where(turned[:, None], -x, x)
    request = coded.encode(frame["query_id"])[1]
    names = tuple(covariates)
    return Judged(runs.to_list(), a, b, share, weight, request, number, are_single, names, x)


def order_of_judgments(d: pl.DataFrame) -> pl.DataFrame:
    """Order the runs by stated preferences, where each judgment counts once."""
    tables = [pl.DataFrame(schema=schemas.ORDERINGS.columns)]
    for measure in d["measure"].unique().sort():
        judged = judged_of(d.filter(measure=measure), "order_runs")
        counts = judged.counts()
        refuse_no_maximum(counts, judged.runs, function="order_runs")
        beta = fit(counts).beta
        columns = {"measure": measure, "method": "bradley_terry", "run": judged.runs}
        values = {"value": beta, "rank": sums.mid_ranks(beta[None], EQUAL)[0]}
        tables.append(pl.DataFrame(columns | values))
    return pl.concat(tables).sort("measure", "method", "rank", "run")
