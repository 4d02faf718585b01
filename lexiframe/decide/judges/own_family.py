"""Whether a judge favours runs of its own family: `own_family`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    n_and_first,
    resampling,
    schemas,
    shown,
    sums,
    typed,
    unknown_name,
)
from lexiframe.core.io import logs
from lexiframe.core.pairwise import arrays
from lexiframe.core.significance import correct_families
from lexiframe.decide.judges.judged_scores import (
    drop_unjudged,
    given_by_judge,
    read_judged_scores,
    same_cells,
)
from lexiframe.decide.judges.schemas import OWN_FAMILY
from lexiframe.typing import LogLike, MeasureLike, ScoresLike

PEOPLE, ONE_JUDGE = "people", "judge"
_LEAST = 4
"""The least number of runs of other families: of three, one residual alone says how far they lie
from the line."""


@typed
def own_family(
    people: ScoresLike,
    judges: ScoresLike,
    families: LogLike,
    own: str | Mapping[str, str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | Mapping[str, Any] | None = None,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Say whether a judge favours the runs of its own family.

    Parameters
    ----------
    people
        Scores by the judgments of people: a table of `scores`, or what `read_scores` reads; or
        their judgments of answers, as `read_nuggets` returns them.
    judges : scores, or scores by names of judges
        The same of the same runs by the judge's judgments, or of several judges, ``{"gpt": s}``.
    families
        The ``family`` of each ``run``: a frame, or a file that `read_log` reads.
    own : str, or str by names of judges
        The judge's own family, or that of each judge.
    measures
        The measures to look at, or those of each judge, ``{"people": "NuggetRecall", "judge":
        "GRADE"}``, by the judge's name if it has one. Default: all that people and judge have.
    alpha : float
        The intervals have level 1 − alpha.

    Returns
    -------
    polars.DataFrame
        Key ``judge, measure``, sorted by it; without ``judge`` for a judge without a name.
        ``family`` is the judge's own, of ``n_own`` runs; ``n_other`` are the runs of others.
        ``bias`` is by how much the judge's means of its own runs are greater than what its means of
        the others let one expect, in the unit of the judge's measure, with the standard error
        ``se`` and the interval ``ci_low, ci_high``. ``p_value`` is two-sided; ``p_adjusted`` has
        Holm's correction over the judges, for each measure. ``slope`` is by how much the judge's
        mean of another family's run grows with people's. ``extrapolated`` says that people's mean
        of an own run is beyond those of all others, where the line is a guess. ``reason`` says why
        a bias, or only its error, is null: there are fewer than four runs of others, their means by
        people are equal, or they lie on a line.

    Raises
    ------
    LexiframeError
        For a run without a family and a family without a run; for measures that a judge lacks; and
        when people and a judge have no run and request in common.

    Warns
    -----
    LexiframeWarning
        With counts, for runs and requests that people or a judge lack; they are left out of both.

    Notes
    -----
    The means s of the judge are regressed on those of people, t, over the n runs of other families:
    bias = mean of s − (a + b t) over the own runs, with se² = σ² (1/n_own + 1/n + (t_own − t̄)²/Sxx)
    and n − 2 degrees of freedom, where t_own is the own runs' mean and σ² the residual variance.
    To compare (s − t) of the own runs with that of others is wrong: a judge whose scale is
    compressed or noisy seems to dislike good runs. The bias can not be told from a real difference
    that people missed.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs = ["a1", "a2", "b1", "b2", "c1", "c2"]
    >>> s = pl.DataFrame({"run": runs, "query_id": "q", "measure": "NuggetRecall",
    ...                   "value": [0.3, 0.5, 0.2, 0.4, 0.6, 0.5]})
    >>> judged = s.with_columns(value=pl.Series([0.52, 0.63, 0.3, 0.41, 0.49, 0.46]))
    >>> families = pl.DataFrame({"run": runs, "family": ["a", "a", "b", "b", "c", "c"]})
    >>> found = lf.own_family(s, judged, families, own="a")
    >>> found.select("n_own", "n_other", pl.col("bias", "ci_low", "ci_high").round(3)).row(0)
    (2, 4, 0.172, 0.13, 0.215)
    """
    resampling.check_share("own_family", "alpha", alpha)
    are_named = isinstance(judges, Mapping)
    given: dict[str, Any] = dict(judges) if isinstance(judges, Mapping) else {ONE_JUDGE: judges}
    if not given or PEOPLE in given:
        raise LexiframeError(
            "own_family: expected a judge or several, none of them called people, found "
            f"{n_and_first([*given]) if given else 'none'}"
        )
    of = given_by_judge("own_family", "own family", given, own)
    if not all(isinstance(one, str) for one in of.values()):
        raise TypeError(f"own_family: expected own to be the name of a family, found {shown(own)}")
    family = _families(families, {*of.values()})
    by_people, rows = read_judged_scores(PEOPLE, people), list[dict[str, Any]]()
    for judge, scores in given.items():
        asked: Any = measures
        if isinstance(measures, Mapping):
            asked = {one: names for one, names in measures.items() if one in (PEOPLE, judge)}
        tables = {PEOPLE: by_people, judge: read_judged_scores(judge, scores)}
        drop_unjudged(tables, {PEOPLE: people, judge: scores})
        both, *_ = same_cells("own_family", tables, asked)
        for (measure, t), (_, s) in zip(*map(arrays.score_cube, both.values()), strict=True):
            is_own = _are_own(t.runs, family, of[judge])
            found = favour_of(t.scores.mean, s.scores.mean, is_own, alpha)
            rows.append({"judge": judge, "measure": measure, "family": of[judge], **found})
    return _corrected(pl.DataFrame(rows, schema=_FOUND), are_named)


_FAMILIES = schemas.TableSchema("families", ("run",), {"run": schemas.STR, "family": schemas.STR})
_FOUND = {n: t for n, t in OWN_FAMILY.columns.items() if n != "p_adjusted"}


def _families(families: Any, own: set[str]) -> dict[str, str]:
    """Read the family of each run; raise for an own family that none of them has."""
    table = logs.read_log(families) if isinstance(families, str | Path) else families
    entries = schemas.check(logs.entries_of(table, "run", "families"), _FAMILIES)
    entries = entries.filter(pl.col("family").str.strip_chars() != "")  # and null: they are missing
    known = entries["family"].unique().sort().to_list()
    for one in sorted(own.difference(known)):
        raise unknown_name("family", one, known)
    return dict(entries.rows())


def _are_own(runs: pl.Series, family: Mapping[str, str], own: str) -> np.ndarray:
    without = [run for run in runs if run not in family]
    if without:
        raise LexiframeError(
            f"own_family: expected a family of each run, found none of {n_and_first(without)}; add "
            "rows, with a family of its own for a run that belongs to none"
        )
    return np.array([family[run] == own for run in runs], bool)


def favour_of(t: np.ndarray, s: np.ndarray, is_own: np.ndarray, alpha: float) -> dict[str, Any]:
    """Return the row of a judge and measure, from the means of runs by people and by the judge."""
    x, y, n = t[~is_own], s[~is_own], int((~is_own).sum())
    row: dict[str, Any] = {"n_own": int(is_own.sum()), "n_other": n}
    if not is_own.any():
        return row | {"reason": "no run of its family has scores by both"}
    if n < _LEAST:
        return row | {"reason": f"fewer than {_LEAST} runs of other families"}
    if np.ptp(x) <= sums.TIE:
        return row | {"reason": "by people the runs of other families are all equal"}
    from_mean, own_t = x - x.mean(), t[is_own].mean()
    spread = from_mean @ from_mean
    slope = from_mean @ y / spread
    residuals = y - y.mean() - slope * from_mean
    bias = s[is_own].mean() - y.mean() - slope * (own_t - x.mean())
    is_beyond = t[is_own].min() < x.min() or t[is_own].max() > x.max()
    row |= {"bias": bias, "slope": slope, "extrapolated": bool(is_beyond)}
    if np.abs(residuals).max() <= sums.TIE:
        return row | {"reason": "the runs of other families lie on a line, so the error is unknown"}
    variance = residuals @ residuals / (n - 2)
    se = np.sqrt(variance * (1 / row["n_own"] + 1 / n + (own_t - x.mean()) ** 2 / spread))
    estimate = sums.Estimates(np.array([bias]), np.array([se]), n - 2)
    low, high = estimate.ends(alpha / 2)
    p = estimate.apart()[0]
    return row | {"se": se, "ci_low": low[0], "ci_high": high[0], "p_value": p}


def _corrected(table: pl.DataFrame, are_named: bool) -> pl.DataFrame:
    """Correct the p-values of each measure over the judges."""
    measure = table["measure"].rank("dense").to_numpy()
    p = table["p_value"].fill_null(np.nan).to_numpy()
    table = table.with_columns(p_adjusted=pl.Series(correct_families(p, measure, "holm")))
    table = OWN_FAMILY.arranged(table.with_columns(pl.col("p_adjusted").fill_nan(None)))
    return table if are_named else table.drop("judge")
