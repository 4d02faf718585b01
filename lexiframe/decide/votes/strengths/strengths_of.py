"""Strengths of runs from side-by-side judgments: `bradley_terry`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, resampling, typed, warn
from lexiframe.core.orderings.likeliest.existence import why_no_maximum
from lexiframe.core.pairwise import By, arrays
from lexiframe.decide.votes.schemas import STRENGTHS_BY_GROUP
from lexiframe.decide.votes.strengths.estimates import Estimate, How, estimated
from lexiframe.decide.votes.strengths.fitted_strengths import Strengths
from lexiframe.decide.votes.strengths.judged import Judged, frame_of, given_of, judged_of
from lexiframe.decide.votes.strengths.strength_tables import (
    covariates_table,
    pairs_table,
    runs_table,
)
from lexiframe.decide.votes.strengths.variances import Interval, Unit, check_unit
from lexiframe.typing import FrameKind, LogLike, RequestsLike, VotesLike

Ties = Literal["half", "davidson"]
_FEWEST_SAMPLES = 2
"""One sample of requests does not vary."""


@typed
def bradley_terry(
    judgments: VotesLike,
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    by: Unit = "request",
    interval: Interval = "sandwich",
    level: float = 0.95,
    samples: int = 1000,
    seed: int = 0,
    elo: bool = False,
    answers: LogLike | None = None,
    covariates: str | Sequence[str] | None = None,
    requests: RequestsLike = None,
    groups: By = None,
    frames: FrameKind | None = None,
) -> Strengths:
    """Compute how strong runs are from side-by-side judgments (Bradley–Terry, Davidson).

    Parameters
    ----------
    judgments
        What `read_preferences` returns or reads, such as a file; or stated preferences of one
        measure, which count ``n_judgments`` each.
    ties : {"half", "davidson"}
        A tie is half a win for each run (``half``), or has a probability of its own
        (``davidson``). With its parameter ν strengths are on another scale.
    prior : float
        Each run gets so many comparisons with one imaginary run, half of them won. With it,
        strengths exist for all data.
    by : {"request", "judge", "both", "judgment"}
        Which judgments count as correlated, for the intervals: those of a request, of a judge,
        both, or none. Intervals by single judgments are what other tools print; they are too narrow
        where judgments of a request resemble one another.
    interval : {"sandwich", "bootstrap", "percentile"}
        ``sandwich`` and ``bootstrap``: a number of standard errors to either side, which are those
        of the groups' scores, or those in ``samples`` samples of groups, with ``seed``.
        ``percentile``: percentiles of the strengths in these samples, which for few groups hold the
        strength less often than their level says. Samples are of requests or judges; one without a
        maximum is fitted with prior = 1 and counted in ``without_maximum``.
    level : float
        The level of the intervals.
    samples, seed : int
        For the bootstrap.
    elo : bool
        Add the strengths on Elo's scale: 400/ln 10 · β + 1000.
    answers
        A frame or file with a row for each answer that was shown: ``query_id``, ``run``, and a
        number for each covariate, such as its length.
    covariates : str or sequence of str
        The columns of ``answers`` (by default all of them), and ``position``, who was shown first:
        what may win judgments beside the strength. Strengths are then those at equal covariates.
    requests, groups
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        the groups in which strengths are estimated as well.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Strengths
        ``strengths``, sorted by rank, key ``run``: ``strength`` β (Σ β = 0; larger is better),
        ``ci_low, ci_high``, ``rank`` from 1 (equal strengths share mid-ranks), ``se``, and
        ``n_judgments`` in which the run took part; with ``elo``, also ``elo, elo_low, elo_high``.
        ``pairs``, key ``run_a, run_b``, for all pairs: ``n_judgments``, ``wins, ties, losses`` of
        run_a, ``observed_share`` of run_a (ties half), ``expected_share``, their
        standardised ``residual``, the ``difference`` of the strengths with its interval, its
        ``p_value`` against 0 and that corrected over all pairs (Holm) in ``p_adjusted``, and
        ``p_a_wins`` and ``p_b_wins``, the probabilities that either wins, that of run_a with its
        interval (that of the difference, at the given ν). Values that need judgments, or groups of
        them that differ, are null without. With covariates, expected are the answers as they were
        shown, and the probabilities are those at equal covariates.
        ``covariates``, key ``covariate``: the ``coefficient`` by which one unit more changes the
        log odds, with its interval, ``se`` and ``p_value``; ``sd``, the root mean square of the
        differences between two answers, and ``per_sd`` = coefficient · sd.
        ``groups``, key ``group, run``: as ``strengths``, with ``n_requests``, and the
        ``difference`` to the strength in all other requests with its interval and ``p_value``
        (for ``request`` and ``judgment``). Strengths are null in a group without a maximum, and
        differences where a group lacks a run.

    Raises
    ------
    LexiframeError
        When no maximum exists: the error names the parts of the runs that never met, the sets that
        nobody outside of them beat, and those that beat nobody outside; for ties alone with
        ``davidson``; for options that do not fit; for covariates whose effect cannot be told from
        the strengths', or with which some judgments are certain.
    SchemaError
        When ``answers`` lacks a column, a judged answer, or a number.

    Notes
    -----
    P(a wins against b) = e^{β_a} / (e^{β_a} + e^{β_b}); Davidson: P(a), P(b), P(tie) ∝ e^{β_a},
    e^{β_b}, ν e^{(β_a + β_b)/2}. The maximum exists when the graph of wins (ties both ways) is
    strongly connected (Ford 1957, doi:10.2307/2308513). Davidson's ν has a finite best value only
    when some cycle of runs has more wins than ties. Covariates add Σ γ (x_a − x_b) to β_a − β_b.

    Intervals are β ± t(K − 1) · √(K/(K − 1)) · se for K groups, with the sandwich H⁻¹ (Σ u uᵀ) H⁻¹
    of the groups' scores u. ``both`` adds the sandwiches of requests and judges, subtracts that
    of single judgments, below which it never falls, and has min(K, J) − 1 degrees of freedom.
    ``se`` is without the factor √(K/(K − 1)).

    Bradley & Terry, Biometrika 39 (1952), doi:10.2307/2334029; Davidson, JASA 65 (1970),
    doi:10.1080/01621459.1970.10481082.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> votes = pl.DataFrame({"query_id": ["1", "1", "2", "2"], "run_a": ["x", "x", "x", "y"],
    ...                       "run_b": ["y", "z", "y", "z"], "winner": ["a", "tie", "b", "a"]})
    >>> lf.bradley_terry(votes).strengths.select("run", "rank").rows()
    [('y', 1.0), ('x', 2.0), ('z', 3.0)]
    """
    resampling.check_draws("bradley_terry", "samples", samples, seed)
    _check_options(ties, prior, interval, by, level, samples)
    given = given_of(judgments)
    judged = judged_of(given, answers=answers, covariates=covariates)
    check_unit(judged, by)
    if judged.covariates and interval != "sandwich":
        raise LexiframeError(
            f"bradley_terry: interval={interval!r} is without covariates; take interval='sandwich'"
        )
    how = How(ties == "davidson", prior, by, interval, samples, seed, level)
    found = estimated(judged, how)
    if found.without_maximum:
        warn(
            "samples without strengths of greatest likelihood, fitted with prior=1: "
            f"{found.without_maximum}"
        )
    fitted = found.fitted
    return Strengths(
        runs_table(found, level, elo=elo), pairs_table(found, level),
        covariates_table(found, level),
        groups_table(frame_of(given), judged, how, requests, groups),
        fitted.loglik, fitted.nu, int(judged.weight.sum()), judged.n_requests, judged.n_judges,
        by, ties, level, prior, 0 if interval == "sandwich" else samples, found.without_maximum,
        int(np.rint(found.counts.ties.sum())) if judged.are_single else None,
        getattr(given, "both_bad", 0), getattr(given, "left_out", 0), interval,
        why_no_maximum(found.counts, judged.runs) if prior else "",
    )  # fmt: skip


def _check_options(
    ties: str, prior: float, interval: str, by: str, level: float, samples: int
) -> None:
    check_choice("bradley_terry", ties, ("half", "davidson"), "ties")
    check_choice("bradley_terry", interval, get_args(Interval), "interval")
    resampling.check_share("bradley_terry", "level", level)
    if not 0 <= prior < np.inf:
        raise LexiframeError(
            f"bradley_terry: expected prior to be a number of comparisons from 0, found {prior}"
        )
    if interval != "sandwich" and by not in ("request", "judge"):
        raise LexiframeError(
            f"bradley_terry: interval={interval!r} draws requests or judges, so by must be "
            f"'request' or 'judge', found {by!r}; take interval='sandwich'"
        )
    if interval != "sandwich" and samples < _FEWEST_SAMPLES:
        raise LexiframeError(
            f"bradley_terry: interval={interval!r} needs at least {_FEWEST_SAMPLES} samples, found "
            f"{samples}"
        )


_SCHEMA = STRENGTHS_BY_GROUP


def groups_table(
    frame: pl.DataFrame, judged: Judged, how: How, requests: Any, groups: Any
) -> pl.DataFrame:
    """Return the strengths in each group; null where no maximum exists, which a warning says."""
    if groups is None and requests is None:
        return pl.DataFrame(schema=_SCHEMA.columns)
    if groups is None or requests is None:
        raise LexiframeError(
            "bradley_terry: groups of requests need both, requests= (a frame or file of their "
            "attributes) and groups= (the attributes that form the groups)"
        )
    found = arrays.named_groups("bradley_terry", frame, requests, groups)
    tables, reasons = [], {}
    for name, queries in found:
        inside = frame["query_id"].is_in(queries.implode()).to_numpy()
        own = _estimated(judged.part(inside), how)
        rest = _estimated(judged.part(~inside), how)
        if isinstance(own, LexiframeError):
            reasons[name] = own
        tables.append(_group(name, judged.part(inside), own, rest, how))
    table = pl.concat(tables, how="vertical")
    if reasons:
        name, reason = next(iter(reasons.items()))
        warn(
            f"groups of requests whose strengths are null, as they cannot be estimated: "
            f"{', '.join(reasons)} ({name}: {reason})"
        )
    return table.select(*_SCHEMA.columns).sort(*_SCHEMA.key)


Tried = Estimate | LexiframeError


def _estimated(judged: Judged, how: How) -> Tried:
    """Return the strengths of some requests, or why they cannot be estimated."""
    try:
        return estimated(judged, how)
    except LexiframeError as reason:
        return reason


def _group(name: str, part: Judged, own: Tried, rest: Tried, how: How) -> pl.DataFrame:
    if isinstance(own, Estimate):
        table = runs_table(own, how.level).sort("run")
        table = table.with_columns(**_strength_differences(own, rest, how))
    else:
        n = np.bincount(np.concatenate([part.a, part.b]), np.tile(part.weight, 2))
        table = pl.DataFrame({"run": part.runs, "n_judgments": n.astype(np.int64)})
    known = [pl.col(c) if c in table.columns else pl.lit(None) for c in _SCHEMA.columns]
    named = [x.alias(c).cast(t) for x, (c, t) in zip(known, _SCHEMA.columns.items(), strict=True)]
    return table.select(named).with_columns(
        group=pl.lit(name), n_requests=pl.lit(part.n_requests, pl.Int64)
    )


def _strength_differences(own: Estimate, rest: Tried, how: How) -> dict[str, pl.Series]:
    """Return the differences of strengths from the strengths in all other requests.

    Both sum to 0 over their runs, so that only equal sets of runs can be compared. Requests are
    independent of one another; judges are in both parts, so that their intervals would be wrong.
    """
    if not isinstance(rest, Estimate) or rest.judged.runs != own.judged.runs:
        return {}
    found = {"difference": own.fitted.beta - rest.fitted.beta}
    are_independent = how.by in ("request", "judgment")
    if own.spread is not None and rest.spread is not None and are_independent:
        spread = own.spread.difference(rest.spread)
        ends = spread.around_runs(found["difference"], how.level)
        found |= dict(zip(("difference_low", "difference_high"), ends, strict=True))
        se = spread.parameter_errors()[: len(own.judged.runs)]
        found["p_value"] = spread.p_values(found["difference"], se)
    return {name: pl.Series(values) for name, values in found.items()}
