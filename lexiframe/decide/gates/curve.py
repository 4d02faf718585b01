"""The outcomes of a gate when nothing changed, and when something did, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import progress, resampling, typed
from lexiframe.core.pairwise import PairsLike, arrays
from lexiframe.core.projection import alone
from lexiframe.core.significance.arguments import checked_sizes
from lexiframe.core.significance.bets import Bets, BoundsLike
from lexiframe.core.significance.betting_on_means import shifted_answers
from lexiframe.core.significance.differences import Differences, Options, cube_of
from lexiframe.core.significance.margins import Margin, margins_of, mean_score
from lexiframe.core.significance.tests import SHIFTED, ShiftedTest
from lexiframe.decide.gates.deciding import check_gate, decided
from lexiframe.decide.gates.gate_rules import Require
from lexiframe.decide.gates.gate_tables import margins_by_name, rows_of_two_runs
from lexiframe.decide.gates.gate_tests import chosen_test
from lexiframe.decide.gates.schemas import GATE_CURVES

CASES = {
    "better by the margin": 1.0,
    "unchanged": 0.0,
    "worse by half the margin": -0.5,
    "worse by the margin": -1.0,
    "worse by twice the margin": -2.0,
}
"""What the candidate is in the trials, and its true mean difference in margins."""
_CELLS = 2**22


@alone.each_collection
@typed
def gate_curve(
    d: PairsLike,
    /,
    margin: Margin,
    *,
    baseline: str,
    candidate: str,
    sizes: int | Sequence[int] = (25, 50, 100, 200, 400, 800),
    require: Require | Sequence[Require] = "not-worse",
    test: ShiftedTest | None = None,
    alpha: float = 0.05,
    bounds: BoundsLike | None = None,
    trials: int = 1000,
    inner_trials: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Measure how often a gate passes when nothing changed, and when the candidate is worse.

    Each trial draws requests with replacement from those at hand, moves their mean difference to
    where it is to be, and asks the gate. A second sample says how often two runs of the same gate
    disagree.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, with the two runs. How their differences vary is
        taken from it, not which of them is better.
    margin, baseline, candidate, require, test, alpha, bounds
        As for `gate`.
    sizes : int, or several
        The numbers of requests that a trial draws, each at least 2.
    trials, inner_trials, seed
        The number of trials of each size, that of samples of the bootstrap in each, and the seed.

    Returns
    -------
    polars.DataFrame
        Key ``measure, case, n_requests``, sorted by measure, by the case from better to worse, and
        by size. ``mean_difference`` is the true one of the case. ``pass_rate``, with its
        Clopper–Pearson interval of 95 % ``pass_low, pass_high``, ``fail_rate`` and ``disagree`` are
        shares of the ``trials``, 0 to 1: that the gate passes, that it fails, and that two samples
        of as many requests do not get the same outcome. ``test`` is the one that decides.

    Raises
    ------
    LexiframeError
        As `gate`, and for sizes below 2.

    Notes
    -----
    For a gate that requires "not-worse", passing a candidate that is worse by the margin or more is
    wrong, and its rate should be at most alpha; not passing an unchanged one is a lack of requests.
    The requests at hand are drawn again and again, so the curve says what would happen in others
    like these. For ``betting`` the limits are moved instead of the differences, which have bounds.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> s = lf.scores(lf.positions(folder / "runs", folder / "qrels.parquet"), ["nDCG@10"])
    >>> two = {"baseline": "pixels_euclidean", "candidate": "pca16_cosine"}
    >>> c = lf.significance.gate_curve(s, 0.02, **two, sizes=[60, 600], trials=200)
    >>> c.filter(case="worse by twice the margin").select("n_requests", "pass_rate").rows()
    [(60, 0.0), (600, 0.0)]
    """
    check_gate(require, test, "none", alpha, 0.8, inner_trials, seed)
    arrays.refuse_weights("gate_curve", d)
    resampling.check_draws("gate_curve", "trials", trials, seed)
    numbers = checked_sizes("gate_curve", [sizes] if isinstance(sizes, int) else sizes).tolist()
    cube = cube_of(rows_of_two_runs(d, baseline, candidate), baseline)
    asked, names = margins_by_name(margin, d)
    margins = margins_of("gate_curve", asked, baseline)
    margins.refuse_unknown(names)
    bets = Bets.check("gate_curve", d, bounds, "random", None)
    rows = []
    for measure, pairs in cube:
        pair = int(np.flatnonzero(pairs.runs.gather(pairs.a) == candidate)[0])
        x = pairs.values[:, pair]
        x = x[~np.isnan(x)]
        delta = margins.size(measure, mean_score(cube, baseline, measure))
        name = test or chosen_test(measure, pairs, pair, bets, x.mean() - delta).test
        options = Options("greater", alpha, inner_trials, seed)
        if name == "betting":
            options = replace(options, bets=bets.bound_measure(measure, pairs, alpha))
        for case, size in progress(
            [(case, size) for case in CASES for size in numbers],
            len(CASES) * len(numbers),
            f"gate_curve, {measure}",
        ):
            shift = CASES[case] * delta
            drawn = _Trials(x, size, trials, seed, name, options, delta)
            outcomes = [drawn.outcomes(shift, require, which) for which in (0, 1)]
            rows.append(_curve_row(measure, case, size, name, shift, outcomes, trials))
    return pl.DataFrame(rows, GATE_CURVES.columns)


@dataclass(frozen=True)
class _Trials:
    """Samples of requests, and a gate's outcomes on them."""

    x: np.ndarray
    size: int
    trials: int
    seed: int
    test: str
    options: Options
    margin: float

    def outcomes(self, shift: float, require: Any, which: int) -> np.ndarray:
        """Return the outcome of each trial, of the first or the second sample."""
        found, at_once = [], max(1, _CELLS // self.size)
        rule = check_gate(require, self.test, "none", self.options.alpha, 0.8, 1, 0)
        for number, start in enumerate(range(0, self.trials, at_once)):
            spawned = np.random.SeedSequence(self.seed, spawn_key=(self.size, which, number))
            rng = np.random.default_rng(spawned)
            n = min(at_once, self.trials - start)
            drawn = self.x[rng.integers(0, len(self.x), (self.size, n))]
            answers = self._answers(drawn, shift)
            p_equivalent = np.maximum(answers.p_not_worse_a, answers.p_not_worse_b)
            centred = drawn.mean(axis=0) - self.x.mean() + shift
            columns = {"mean_difference": centred, "p_equivalent": p_equivalent}
            table = pl.DataFrame(columns | answers._asdict())
            found.append(decided(table, rule, "none", self.options.alpha)["outcome"].to_numpy())
        return np.concatenate(found)

    def _answers(self, drawn: np.ndarray, shift: float) -> Any:
        margin, mean = np.full(drawn.shape[1], self.margin), self.x.mean()
        if self.test == "betting":
            d = Differences(drawn, np.zeros((1, 1)))
            return shifted_answers(d, margin, self.options, np.full(len(margin), mean - shift))
        moved = drawn - mean + shift
        return SHIFTED[self.test](Differences(moved, np.full((1, 1), 1e-12)), margin, self.options)


def _curve_row(
    measure: str, case: str, size: int, test: str, shift: float, outcomes: list[Any], trials: int
) -> dict[str, Any]:
    from statsmodels.stats.proportion import proportion_confint

    first, second = outcomes
    passed = int((first == "pass").sum())
    low, high = proportion_confint(passed, trials, alpha=0.05, method="beta")
    return {
        "measure": measure, "case": case, "n_requests": size, "test": test,
        "mean_difference": shift, "pass_rate": passed / trials, "pass_low": float(low),
        "pass_high": float(high), "fail_rate": float((first == "fail").mean()),
        "disagree": float((first != second).mean()), "trials": trials,
    }  # fmt: skip
