"""Paired tests between runs over requests: `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.codes import decode
from lexiframe.errors import LexiframeError, check_choice, unknown_name
from lexiframe.layouts.arrays import Pairs, check_finite
from lexiframe.layouts.cube import PairsLike, pair_cube
from lexiframe.layouts.groups import By, in_groups
from lexiframe.metrics import notation
from lexiframe.progress import progress
from lexiframe.resampling import check_draws, check_share
from lexiframe.schemas import COMPARISONS, FLOAT
from lexiframe.significance.corrections import CORRECTIONS, correct_families
from lexiframe.significance.differences import Alternative, Options, by_requests
from lexiframe.significance.intervals import INTERVALS
from lexiframe.significance.paired_tests import TESTS
from lexiframe.significance.reach import warn_of_no_rejection
from lexiframe.typing import RequestsLike

Test = Literal["t", "sign", "wilcoxon", "randomization", "bootstrap"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
Family = Literal["measure", "all"]


def compare(
    d: PairsLike,
    /,
    test: Test | Sequence[Test] = "t",
    correction: Correction | Sequence[Correction] = "holm",
    *,
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    baseline: str | None = None,
    intervals: Literal["t", "bca"] = "t",
    sign_ties: Literal["drop", "split"] = "drop",
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Test, for every pair of runs, whether they differ over the requests.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken.
    test : {"t", "sign", "wilcoxon", "randomization", "bootstrap"}, or several
        Student's paired t; the sign test of wins against losses, the papers' test for preferences
        that are signs; Wilcoxon's signed ranks; signs of the differences at random; and the
        bootstrap of t over requests.
    correction : {"holm", "bonferroni", "bh", "none"}, or several
        How p-values are corrected for the number of comparisons. Holm and Bonferroni bound the
        chance of any false rejection, ``bh`` (Benjamini and Hochberg) the share of false ones.
    family : {"measure", "all"}
        Over which comparisons: the pairs of one measure (in one group of requests), or those of
        all measures (and groups). Each test has its own family.
    alpha : float
        Level of the tests, and of the confidence intervals (1 − alpha).
    alternative : {"two-sided", "greater", "less"}
        ``greater``: run_a is better than run_b. Which of two runs is run_a hangs on their names, so
        this is for two runs, or a baseline, of which it asks whether the other run is better.
    baseline : str, optional
        Only compare with this run; the family is then smaller.
    intervals : {"t", "bca"}
        Of the mean difference: by the t distribution, or the bias-corrected and accelerated
        bootstrap.
    sign_ties : {"drop", "split"}
        Whether the sign test leaves ties out, or gives half of them to each run (an odd one is
        left out).
    trials : int
        Of randomisation, bootstrap and ``intervals="bca"``.
    seed : int
        For the same; the same seed gives the same table.
    requests, by
        A frame ``query_id`` → attributes, and which of them make groups of requests: everything is
        tested within each group, and the attributes are the first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction, run_a, run_b``, sorted by it. ``n`` requests;
        ``mean_difference`` (positive: run_a is better) and its interval ``ci_low, ci_high``, of
        this comparison alone, not corrected for the family; ``effect_size``, ``statistic``,
        ``p_value``, ``p_adjusted``, and ``reject``: p_adjusted < alpha; ``effect_low,
        effect_high``, the interval of the effect size. What is not the default stands behind the
        test: ``t(alternative='greater')``.

        ========================== ===================================== =========================
        test                       effect size                           statistic
        ========================== ===================================== =========================
        t, bootstrap               d_z = mean / sd of the differences    t, n − 1 degrees
        randomization              d_z                                   mean difference
        sign                       win odds, (wins + ties/2) /           wins
                                   (losses + ties/2)
        wilcoxon                   rank-biserial correlation, −1..1      SciPy's
        ========================== ===================================== =========================

    Raises
    ------
    LexiframeError
        For an unknown test, correction, family, attribute or baseline, an alpha outside 0..1,
        infinite values, or no pair of runs that share a request.

    Notes
    -----
    Differences that are all the same have no t: p is 1 when they are 0, else 0, and d_z and t are
    null or infinite. What counts as the same everywhere is what differs by no more than rounding:
    1e-12, and of scores above 1 that share of them, however small the difference (of preferences,
    whose scores are not known, that share of the preferences). With one request, too, p is 1
    (one-sided, 0.5 at the least, by what does not need a deviation), and there are no intervals. A
    one-sided interval has one end; the other is infinite, or the least or greatest that the effect
    size can be.

    t: `scipy.stats.ttest_rel`; sign: `scipy.stats.binomtest`; Wilcoxon: `scipy.stats.wilcoxon` of
    the differences, where sizes that differ by rounding alone are made the same, so that it does
    not break ties. Randomisation and bootstrap: p = (1 + count) / (1 + trials); when there are no
    more than ``trials`` ways to choose signs, all are gone through, and p is exact. So Holm and
    Bonferroni over m comparisons reject nothing by these two tests unless ``trials`` is above
    m / alpha − 1. Of n requests without ties no p by signs, ranks or all ways to choose signs is
    below 2^(1 − n) (one-sided 2^−n). When a correction can reject nothing for want of requests or
    trials, a warning says how many it takes. The bootstrap draws from the centred differences and
    compares t, as Sakai, SIGIR 2006, doi:10.1145/1148170.1148261.
    Smucker, Allan & Carterette, CIKM 2007, doi:10.1145/1321440.1321528, compare these tests. The
    intervals of d_z come from the noncentral t distribution.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "run_a": "a", "run_b": "b",
    ...                   "measure": "RPP", "preference": [0.5, 0.25, 0.75, 0.5]})
    >>> lf.compare(d).select("n", "mean_difference", "statistic", "reject").rows()
    [(4, 0.5, 4.898979485566356, True)]
    >>> lf.compare(d, ["sign", "randomization"]).select("test", "p_value").rows()
    [('randomization', 0.125), ('sign', 0.125)]
    """
    tests, corrections = several(test), several(correction)
    check_inference(tests, corrections, family, alpha, alternative, trials, seed)
    check_choice("compare", intervals, INTERVALS, "intervals")
    check_choice("compare", sign_ties, ("drop", "split"), "sign_ties")
    options = Options(alternative, alpha, trials, seed, sign_ties, alternative)
    test_group = partial(
        _of_group, tests=tests, options=options, baseline=baseline, intervals=intervals
    )
    table = in_groups(test_group, d, requests, by)
    groups = table.columns[: table.width - len(_UNCORRECTED)]
    if not table.height:
        raise LexiframeError(
            "compare: expected preferences between runs, or scores of two runs for the same "
            "requests, found none"
        )
    same = ["test", *([*groups, "measure"] if family == "measure" else [])]
    number = table.select(pl.struct(same).rank("dense")).to_series().to_numpy()
    corrected = [_corrected(table, number, name, alpha) for name in corrections]
    warn_of_no_rejection(table, number, corrections, options)
    both = pl.concat(corrected).select(*groups, *COMPARISONS.columns)
    return both.sort(*groups, *COMPARISONS.key)


def several(given: str | Sequence[str]) -> list[str]:
    """Give what may be one name or several as a list, each once."""
    return list(dict.fromkeys([given] if isinstance(given, str) else given))


def _corrected(
    table: pl.DataFrame, family: np.ndarray, correction: str, alpha: float
) -> pl.DataFrame:
    adjusted = correct_families(table["p_value"].to_numpy(), family, correction)
    return table.with_columns(
        correction=pl.lit(correction), p_adjusted=adjusted, reject=pl.Series(adjusted < alpha)
    )


def check_inference(
    test: str | Sequence[str],
    correction: str | Sequence[str],
    family: str,
    alpha: float,
    alternative: str,
    trials: int,
    seed: int,
) -> None:
    """Raise for arguments of `compare` that do not exist."""
    for name in several(test):
        check_choice("compare", name, TESTS, "test")
    for name in several(correction):
        check_choice("compare", name, CORRECTIONS, "correction")
    if not (several(test) and several(correction)):
        raise LexiframeError("compare: expected a test and a correction, found none")
    check_choice("compare", family, get_args(Family), "family")
    check_share("compare", "alpha", alpha)
    check_choice("compare", alternative, get_args(Alternative), "alternative")
    check_draws("compare", "trials", trials, seed)


def _of_group(
    d: Any, tests: list[str], options: Options, baseline: str | None, intervals: str
) -> pl.DataFrame:
    """Give a row for each measure, test and pair, not corrected yet."""
    cube = pair_cube(d, baseline)
    check_finite("compare", cube.values)
    if baseline is not None and baseline not in cube.runs:
        raise unknown_name("run", baseline, cube.runs)
    frames = [
        _of_measure(measure, pairs, tests, of_direction, intervals, chosen)
        for measure, pairs in progress(cube, len(cube.measures), "compare")
        for of_direction, chosen in _directions(pairs, options, baseline)
        if len(chosen)
    ]
    return pl.concat([pl.DataFrame(schema=_UNCORRECTED), *frames])


_TURNED: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}
_CORRECTED = ("correction", "p_adjusted", "reject")
_UNCORRECTED = {k: v for k, v in COMPARISONS.columns.items() if k not in _CORRECTED}
_UNCORRECTED |= {"least_p": FLOAT}


def _directions(
    pairs: Pairs, options: Options, baseline: str | None
) -> Iterator[tuple[Options, np.ndarray]]:
    """Give the pairs to compare, and the options: one-sided ones are about the baseline's rival."""
    there = pairs.n > 0
    if baseline is None:
        yield options, np.flatnonzero(there)
        return
    is_baseline = (pairs.runs == baseline).to_numpy()
    turned = _TURNED[options.alternative]
    yield options, np.flatnonzero(there & is_baseline[pairs.b])
    yield (
        replace(options, alternative=turned, asked=options.alternative),
        np.flatnonzero(there & is_baseline[pairs.a]),
    )


def _of_measure(
    measure: str,
    pairs: Pairs,
    tests: list[str],
    options: Options,
    intervals: str,
    chosen: np.ndarray,
) -> pl.DataFrame:
    frames = []
    for pair, d in by_requests(pairs, chosen):
        low, high = INTERVALS[intervals](d, options)
        same = {
            "measure": pl.repeat(measure, len(pair), eager=True),
            "run_a": decode(pairs.runs, pairs.a[pair]),
            "run_b": decode(pairs.runs, pairs.b[pair]),
            "n": pl.repeat(d.n, len(pair), dtype=pl.Int64, eager=True),
            "mean_difference": d.mean,
            "ci_low": low,
            "ci_high": high,
        }
        for test in tests:
            found = TESTS[test](d, options)._asdict()
            called = pl.repeat(_called(test, options), len(pair), eager=True)
            frames.append(pl.DataFrame({**same, **found, "test": called}))
    table = pl.concat([frame.select(*_UNCORRECTED) for frame in frames])
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _called(test: str, options: Options) -> str:
    """Name a test, with what is not the default."""
    said: dict[str, object] = {}
    if options.alternative != "two-sided":
        said["alternative"] = options.asked
    if test == "sign" and options.sign_ties != "drop":
        said["ties"] = options.sign_ties
    return notation.write(test, None, said, None)
