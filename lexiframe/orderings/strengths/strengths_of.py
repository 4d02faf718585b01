"""Strengths of runs from side-by-side judgments: `bradley_terry`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, check_choice, resampling, schemas, sums, typed, warn
from lexiframe.orderings.strengths.existence import refuse_no_maximum
from lexiframe.orderings.strengths.fitted_strengths import Strengths
from lexiframe.orderings.strengths.fitting import EQUAL, Counts, Fit, fit, probabilities
from lexiframe.orderings.strengths.judged import Judged, judged_of
from lexiframe.orderings.strengths.resampling import resampled
from lexiframe.orderings.strengths.variances import Spread, Unit, check_unit, spread
from lexiframe.typing import VotesLike

Ties = Literal["half", "davidson"]
Interval = Literal["sandwich", "bootstrap"]
ELO_UNIT, ELO_MEAN = 400 / np.log(10), 1000.0


@typed
def bradley_terry(
    judgments: VotesLike,
    /,
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    by: Unit = "request",
    interval: Interval = "sandwich",
    level: float = 0.95,
    samples: int = 1000,
    seed: int = 0,
    elo: bool = False,
) -> Strengths:
    """Compute how strong runs are from side-by-side judgments (Bradley–Terry, Davidson).

    Parameters
    ----------
    judgments
        What `read_preferences` returns; a table of judgments (``query_id, run_a, run_b, winner``);
        or stated preferences of one measure, which count ``n_judgments`` each.
    ties : {"half", "davidson"}
        ``half``: a tie is half a win for each run. ``davidson``: ties have a probability of their
        own, with the parameter ν; strengths are then on another scale.
    prior : float
        Each run gets so many comparisons with one imaginary run, half of them won. With it,
        strengths exist for all data.
    by : {"request", "judge", "both", "judgment"}
        Which judgments hang together, for the intervals: those of a request, of a judge, both, or
        none. Intervals by single judgments are what other tools print; they are too narrow where
        judgments of a request resemble one another.
    interval : {"sandwich", "bootstrap"}
        The standard error: from the scores of the groups, or from ``samples`` samples of groups,
        with ``seed`` (for ``request`` and ``judge``). A sample without a maximum is fitted with
        prior = 1 and counted in ``without_maximum``.
    level : float
        The level of the intervals.
    samples, seed : int
        For the bootstrap.
    elo : bool
        Add the strengths on Elo's scale: 400/ln 10 · β + 1000.

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
        interval (that of the difference, at the given ν). Values that need judgments, or several
        groups, are null without.

    Raises
    ------
    LexiframeError
        When no maximum exists: the error names the parts of the runs that never met, the sets that
        nobody outside of them beat, and those that beat nobody outside; for ties alone with
        ``davidson``; for options that do not fit.

    Notes
    -----
    P(a wins against b) = e^{β_a} / (e^{β_a} + e^{β_b}); Davidson: P(a), P(b), P(tie) ∝ e^{β_a},
    e^{β_b}, ν e^{(β_a + β_b)/2}. The maximum exists when the graph of wins (ties both ways) is
    strongly connected (Ford 1957, doi:10.2307/2308513). Davidson's ν has a finite best value only
    when some cycle of runs has more wins than ties.

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
    _check(ties, prior, interval, by, level)
    resampling.check_draws("bradley_terry", "samples", samples, seed)
    judged = judged_of(judgments)
    check_unit(judged, by)
    counts = judged.counts()
    davidson = ties == "davidson"
    refuse_no_maximum(counts, judged.runs, prior=prior, davidson=davidson)
    fitted = fit(counts, davidson=davidson, prior=prior)
    found, without = spread(judged, fitted, by), 0
    if interval == "bootstrap" and found is not None:
        group = judged.request if by == "request" else judged.judge
        how = {"prior": prior, "davidson": davidson, "samples": samples, "seed": seed}
        drawn, without = resampled(judged, group, fitted, **how)  # type: ignore[arg-type]
        found = _of_samples(drawn, found)
        if without:
            warn(
                f"samples without strengths of greatest likelihood, fitted with prior=1: {without}"
            )
    return Strengths(
        _runs_table(judged, fitted, found, level, elo=elo),
        _pairs_table(judged, counts, fitted, found, level),
        fitted.loglik, fitted.nu, int(judged.weight.sum()), judged.n_requests,
        judged.n_judges, by, ties, level, prior,
        samples if interval == "bootstrap" else 0, without,
        int(np.rint(counts.ties.sum())) if judged.are_single else None,
        getattr(judgments, "both_bad", 0), getattr(judgments, "left_out", 0),
    )  # fmt: skip


def _check(ties: str, prior: float, interval: str, by: str, level: float) -> None:
    check_choice("bradley_terry", ties, ("half", "davidson"), "ties")
    check_choice("bradley_terry", interval, ("sandwich", "bootstrap"), "interval")
    resampling.check_share("bradley_terry", "level", level)
    if not 0 <= prior < np.inf:
        raise LexiframeError(
            f"bradley_terry: expected prior to be a number of comparisons from 0, found {prior}"
        )
    if interval == "bootstrap" and by not in ("request", "judge"):
        raise LexiframeError(
            "bradley_terry: interval='bootstrap' draws requests or judges, so by must be 'request' "
            f"or 'judge', found {by!r}; take interval='sandwich'"
        )


def _of_samples(drawn: np.ndarray, found: Spread) -> Spread:
    """Return the covariance of strengths over samples in place of the sandwich."""
    covariance = np.zeros_like(found.covariance)
    covariance[:-1, :-1] = np.cov(drawn, rowvar=False)
    return Spread(covariance, found.df)


def _runs_table(
    judged: Judged, fitted: Fit, found: Spread | None, level: float, *, elo: bool
) -> pl.DataFrame:
    beta, s = fitted.beta, len(judged.runs)
    se = np.full(s, np.nan) if found is None else found.of_runs()
    half = se * (np.nan if found is None else found.reach(level))
    n = np.bincount(judged.a, judged.weight, s) + np.bincount(judged.b, judged.weight, s)
    columns = {
        "run": judged.runs, "strength": beta, "ci_low": beta - half, "ci_high": beta + half,
        "rank": sums.mid_ranks(beta[None], EQUAL)[0], "se": se, "n_judgments": n.astype(np.int64),
    }  # fmt: skip
    if elo:
        names = {"elo": "strength", "elo_low": "ci_low", "elo_high": "ci_high"}
        columns |= {e: ELO_UNIT * np.asarray(columns[c]) + ELO_MEAN for e, c in names.items()}
    table = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    return table.sort("rank", "run")


def _pairs_table(
    judged: Judged, counts: Counts, fitted: Fit, found: Spread | None, level: float
) -> pl.DataFrame:
    s = len(judged.runs)
    a, b = np.triu_indices(s, k=1)
    wins, ties, losses = (np.zeros((s, s)) for _ in range(3))
    for square, x in ((wins, counts.wins), (ties, counts.ties), (losses, counts.losses)):
        np.add.at(square, (counts.a, counts.b), x)
    w, t, lost = wins[a, b], ties[a, b], losses[a, b]
    n = w + t + lost
    p_a, p_b, p_tie = probabilities(difference := fitted.beta[a] - fitted.beta[b], fitted.log_nu)
    expected = p_a + p_tie / 2
    observed = sums.ratio(w + t / 2, n)
    spread_of_one = np.sqrt(p_a + p_tie / 4 - expected**2)
    half = p_value = np.full(len(a), np.nan)
    if found is not None:
        half = found.of_differences(a, b) * found.reach(level)
        p_value = found.p_values(difference, a, b)
    ends = [probabilities(difference + x, fitted.log_nu) for x in (-half, half)]
    columns = {
        "run_a": [judged.runs[i] for i in a], "run_b": [judged.runs[i] for i in b],
        "n_judgments": np.rint(n).astype(np.int64), "wins": w, "ties": t, "losses": lost,
        "observed_share": observed, "expected_share": expected,
        "residual": (observed - expected) * np.sqrt(n) / spread_of_one,
        "difference": difference, "ci_low": difference - half, "ci_high": difference + half,
        "p_value": p_value, "p_adjusted": sums.holm(p_value), "p_a_wins": p_a,
        "p_a_low": ends[0][0], "p_a_high": ends[1][0], "p_b_wins": p_b,
    }  # fmt: skip
    table = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    return table.select(*schemas.STRENGTH_PAIRS.columns).sort("run_a", "run_b")
