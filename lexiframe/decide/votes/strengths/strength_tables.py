"""The tables of strengths: of runs, of pairs, and of covariates."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, sums
from lexiframe.core.orderings.likeliest.fitting import EQUAL, probabilities
from lexiframe.decide.votes.strengths.estimates import Estimate

ELO_UNIT, ELO_MEAN = 400 / np.log(10), 1000.0


def runs_table(found: Estimate, level: float, *, elo: bool = False) -> pl.DataFrame:
    """Return the strength of each run, with its interval and rank."""
    judged, beta, s = found.judged, found.fitted.beta, len(found.judged.runs)
    low = high = se = np.full(s, np.nan)
    if found.spread is not None:
        se = found.spread.parameter_errors()[:s]
        low, high = found.spread.around_runs(beta, level)
    n = np.bincount(judged.a, judged.weight, s) + np.bincount(judged.b, judged.weight, s)
    columns = {
        "run": judged.runs, "strength": beta, "ci_low": low, "ci_high": high,
        "rank": sums.mid_ranks(beta[None], EQUAL)[0], "se": se, "n_judgments": n.astype(np.int64),
    }  # fmt: skip
    if elo:
        names = {"elo": "strength", "elo_low": "ci_low", "elo_high": "ci_high"}
        columns |= {e: ELO_UNIT * np.asarray(columns[c]) + ELO_MEAN for e, c in names.items()}
    return _nan_to_null(columns).sort("rank", "run")


def pairs_table(found: Estimate, level: float) -> pl.DataFrame:
    """Return for each pair the observed and the expected wins."""
    judged, counts, fitted, s = found.judged, found.counts, found.fitted, len(found.judged.runs)
    a, b = np.triu_indices(s, k=1)
    place = counts.a * s + counts.b

    def of_pairs(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.bincount(place, x, s * s)[a * s + b])

    wins, ties, losses = (of_pairs(x) for x in (counts.wins, counts.ties, counts.losses))
    n = wins + ties + losses
    # Expected are the judgments as they were shown, with their covariates.
    p_a, _, p_tie = probabilities(counts.differences(fitted.theta), fitted.log_nu)
    each, share = counts.wins + counts.ties + counts.losses, p_a + p_tie / 2
    expected = of_pairs(each * share)
    variance = of_pairs(each * (p_a + p_tie / 4 - share**2))
    difference = fitted.beta[a] - fitted.beta[b]
    alike_a, alike_b, alike_tie = probabilities(difference, fitted.log_nu)
    low = high = p_value = np.full(len(a), np.nan)
    if found.spread is not None:
        low, high = found.spread.around_differences(difference, a, b, level)
        p_value = found.spread.p_values(difference, found.spread.difference_errors(a, b))
    ends = [probabilities(end, fitted.log_nu)[0] for end in (low, high)]
    columns = {
        "run_a": [judged.runs[i] for i in a], "run_b": [judged.runs[i] for i in b],
        "n_judgments": np.rint(n).astype(np.int64), "wins": wins, "ties": ties, "losses": losses,
        "observed_share": sums.ratio(wins + ties / 2, n),
        "expected_share": np.where(n > 0, sums.ratio(expected, n), alike_a + alike_tie / 2),
        "residual": sums.ratio(wins + ties / 2 - expected, np.sqrt(variance)),
        "difference": difference, "ci_low": low, "ci_high": high,
        "p_value": p_value, "p_adjusted": sums.holm(p_value), "p_a_wins": alike_a,
        "p_a_low": ends[0], "p_a_high": ends[1], "p_b_wins": alike_b,
    }  # fmt: skip
    return _nan_to_null(columns).select(*schemas.STRENGTH_PAIRS.columns).sort("run_a", "run_b")


def covariates_table(found: Estimate, level: float) -> pl.DataFrame:
    """Return the coefficient of each covariate, with its interval."""
    judged, gamma = found.judged, found.fitted.gamma
    half = se = p_value = np.full(len(gamma), np.nan)
    if found.spread is not None:
        se = found.spread.parameter_errors()[len(judged.runs) + 1 :]
        half = found.spread.half_width(gamma, se, level)
        p_value = found.spread.p_values(gamma, se)
    weight = judged.weight / judged.weight.sum()
    sd = np.sqrt(weight @ judged.x**2)
    columns = {
        "covariate": [*judged.covariates], "coefficient": gamma, "ci_low": gamma - half,
        "ci_high": gamma + half, "se": se, "p_value": p_value, "sd": sd, "per_sd": gamma * sd,
    }  # fmt: skip
    table = _nan_to_null(columns).cast({"covariate": pl.String})
    return table.select(*schemas.STRENGTH_COVARIATES.columns).sort("covariate")


def _nan_to_null(columns: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
