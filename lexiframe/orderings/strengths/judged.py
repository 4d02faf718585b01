"""Judgments as arrays: who met whom, who won, and in which request and by which judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, coded, schemas, to_polars
from lexiframe.orderings.strengths.fitting import Counts


@dataclass(frozen=True)
class Judged:
    """One entry a judgment, or a row of preferences of ``weight`` judgments.

    ``share`` is what a won of it (1, 1/2, 0, or a mean of these); ``request`` and ``judge`` are
    numbers from 0 without gaps, ``judge`` −1 where nobody is named.
    """

    runs: list[str]
    a: np.ndarray
    b: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    request: np.ndarray
    judge: np.ndarray
    are_single: bool

    @property
    def n_requests(self) -> int:
        """The number of requests."""
        return int(self.request.max()) + 1

    @property
    def n_judges(self) -> int:
        """The number of judges who are named."""
        return int(self.judge.max()) + 1

    def counts(self) -> Counts:
        """Add up the judgments of each pair of runs."""
        s = len(self.runs)
        place = self.a * s + self.b
        pair = np.flatnonzero(np.bincount(place, minlength=s * s))
        sums = [np.bincount(place, x, s * s)[pair] for x in self.outcomes()]
        return Counts(s, pair // s, pair % s, *sums)

    def outcomes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the wins, losses and ties of each entry; a mean counts as wins and losses."""
        is_tie = self.are_single & (self.share == 0.5)
        w = self.weight
        return (
            w * np.where(is_tie, 0, self.share),
            w * np.where(is_tie, 0, 1 - self.share),
            w * is_tie,
        )


def judged_of(votes: Any, function: str = "bradley_terry") -> Judged:
    """Make arrays of judgments, of what `read_preferences` returns, or of stated preferences."""
    frame = getattr(votes, "judgments", None)
    frame = to_polars(votes if frame is None else frame, "the judgments")
    if "winner" in frame.columns:
        frame = schemas.check(frame, schemas.JUDGMENTS, "the judgments")
        side = frame["winner"].cast(pl.Enum(["b", "tie", "a"]), strict=False).to_physical()
        if side.null_count():
            odd = frame["winner"].filter(side.is_null())[0]
            raise LexiframeError(
                f"{function}: expected the winner to be 'a', 'b' or 'tie', found {odd!r}; "
                "read_preferences understands other words"
            )
        weight = np.ones(frame.height)
        judge = frame["judge"] if "judge" in frame.columns else None
        return _arrays(frame, side.to_numpy() / 2, weight, judge, function, are_single=True)
    frame = schemas.check(frame, schemas.PREFERENCES, "the stated preferences")
    measures = frame["measure"].unique()
    if len(measures) > 1:
        raise LexiframeError(
            f"{function}: expected the preferences of one measure, found {len(measures)}; "
            "filter them, or take order_runs(d, method='bradley_terry')"
        )
    weight = np.ones(frame.height)
    if "n_judgments" in frame.columns:
        weight = frame["n_judgments"].to_numpy().astype(float)
    preference = frame["preference"].to_numpy()
    if not (np.abs(preference) <= 1).all():
        raise LexiframeError(
            f"{function}: expected stated preferences from -1 to 1, found others; others "
            "count once a request, by their sign: order_runs(d, method='bradley_terry')"
        )
    return _arrays(frame, (1 + preference) / 2, weight, None, function, are_single=False)


def _arrays(
    frame: pl.DataFrame,
    share: np.ndarray,
    weight: np.ndarray,
    judge: pl.Series | None,
    function: str,
    *,
    are_single: bool,
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
    a, b = (
        names.cast(pl.Enum(runs)).to_physical().to_numpy().astype(np.int64)[code]
        for names, code in sides
    )
    number = np.full(frame.height, -1)
    if judge is not None:
        known = judge.is_not_null()
        number[known.to_numpy()] = coded.encode(judge.filter(known))[1]
    turned = a > b
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    share = np.where(turned, 1 - share, share)
    request = coded.encode(frame["query_id"])[1]
    return Judged(runs.to_list(), a, b, share, weight, request, number, are_single)
