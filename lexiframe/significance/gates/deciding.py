"""Whether a candidate may take the place of a baseline: `gate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, check_choice, resampling, schemas, typed
from lexiframe.pairwise import By, PairsLike, arrays, grouping
from lexiframe.significance.corrections import Correction, check_corrected, correct
from lexiframe.significance.differences import Options, cube_of
from lexiframe.significance.equivalences.equivalence import equivalence
from lexiframe.significance.gates.gate_coverage import RankedPairs, both_answered, with_coverage
from lexiframe.significance.gates.gate_evidence import (
    GateMissing,
    refuse_lone_requests,
    refuse_same,
    refuse_wide,
    settle_lone_requests,
    with_directions,
)
from lexiframe.significance.gates.gate_reasons import reason
from lexiframe.significance.gates.gate_sizes import requests_to_decide
from lexiframe.significance.gates.gate_tables import margins_by_name, of_measures, of_two_runs
from lexiframe.significance.margins import Margin, margins_of, mean_score
from lexiframe.significance.tests import ShiftedTest, check_shifted
from lexiframe.typing import RequestsLike

ToDecide = Annotated[PairsLike, "ranked_pairs"]
"""As `PairsLike`; but of an evaluation of runs `RankedPairs`, and of one of scores the scores."""
Require = Literal["not-worse", "better", "equivalent"]


@typed
def gate(
    d: ToDecide,
    /,
    margin: Margin,
    *,
    baseline: str,
    candidate: str,
    require: Require = "not-worse",
    test: ShiftedTest = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    power: float = 0.8,
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
    missing: GateMissing = "refuse",
    same_ok: bool = False,
    smaller_is_better: Sequence[str] = (),
    larger_is_better: Sequence[str] = (),
) -> pl.DataFrame:
    """Decide for each measure whether a candidate run may take the place of a baseline.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken; or an `Evaluation`,
        whose groups of requests hold unless others are given. Other runs than the two are left out.
    margin : float, str or dict
        The margin δ of all measures, or of each measure, as for `equivalence`: ``0.01``, ``"2%"``
        (of the baseline's mean, for scores), ``{"nDCG@10": 0.01, "AP": "2%"}``. Measures may have
        the names of other libraries (``"ndcg_cut_10"``), and those without a margin are left out.
    baseline, candidate : str
        The run that is in use, and the one that may take its place.
    require : {"not-worse", "better", "equivalent"}
        What has to be shown of the mean difference: that it is above −δ, above 0, or between −δ
        and δ.
    test : {"t", "bootstrap"}
        The paired test, as for `equivalence`.
    correction : {"none", "holm", "bonferroni", "bh"}
        How p-values are corrected over all rows of the table. None is needed for the whole: see the
        notes.
    alpha : float
        Significance level: the probability with which a row may pass although what is required is
        not so.
    power : float
        The probability, between 0 and 1, with which ``required`` requests decide.
    trials, seed
        As for `compare`.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. Each group of requests has to pass; its attributes are the first columns.
    missing : {"refuse", "zero", "drop"}
        What is done with requests that have a score of only one of the two runs: an error with
        their counts, 0 for the run that lacks them, or leave them out.
    same_ok : bool
        Whether the two runs may have the same values in all requests.
    smaller_is_better, larger_is_better : sequence of str
        Measures of scores of which smaller, or larger, values are better, where neither their
        names nor a column ``smaller_is_better`` say it.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, after the attributes of groups, sorted by it; ``baseline``, ``candidate``,
        ``require``, ``test``, ``correction`` and ``alpha`` as they were given. ``n`` is the number
        of requests. ``mean_difference`` is the candidate's mean minus the baseline's, positive when
        the candidate is better (for search lengths, when its mean is smaller), with the ``margin``
        in the same unit and the interval ``ci_low, ci_high`` of `equivalence`, of level 1 − 2
        alpha. ``p_value`` belongs to what is required and ``p_opposite`` to its opposite, corrected
        to ``p_adjusted`` and ``p_opposite_adjusted``. ``outcome`` is ``"pass"``, ``"fail"`` or
        ``"undecided"``, and ``why`` says it in a sentence. ``required`` is the number of requests
        that would decide an undecided row, null for the others. ``requests`` is the number of
        requests of which either run has a score, ``baseline_answered`` and ``candidate_answered``
        how many of them each has; null for preferences, which do not tell. On the command line,
        with rankings, they are the judged requests and those that each run answers, and
        ``baseline_judged_at_10`` and ``candidate_judged_at_10`` the shares of judged documents
        among the first ten.

    Raises
    ------
    LexiframeError
        As `equivalence`; for an unknown ``require``, correction or run, two margins for one
        measure, a measure that has no request of both runs, and when the candidate is the baseline.
        Where there is no evidence: for requests of only one of the two runs, unless ``missing``
        says what they mean; for runs with the same values in all requests, unless ``same_ok``; for
        a measure of unknown direction; and for a margin as wide as the range of its measure.

    Notes
    -----
    A row passes when what is required is shown at the level alpha. It fails when the opposite is
    shown, and is undecided when neither is. With μ, the true mean difference:

    ============= ================= ========================= =====================================
    require       passes if shown   fails if shown            p of pass, p of fail in `equivalence`
    ============= ================= ========================= =====================================
    not-worse     μ > −δ            μ < −δ                    p_not_worse_a, p_better_by_margin_b
    better        μ > 0             μ < δ, and μ > 0 is not   p_better (two-sided), p_not_worse_b
    equivalent    −δ < μ < δ        μ > δ or μ < −δ           p_equivalent, twice the smaller of
                                                              p_better_by_margin_a and _b
    ============= ================= ========================= =====================================

    With ``"better"`` any improvement passes that is shown, however small it is. A candidate fails
    when an improvement by δ, the least that matters, is excluded: if only those failed that are
    worse, a candidate that is as good as the baseline would stay undecided for ever, however many
    requests there are. A candidate that is better by less than δ may therefore pass or fail. A row
    passes with a probability of at most alpha if μ ≤ −δ (not-worse), μ ≤ 0 (better) or |μ| ≥ δ
    (equivalent), and fails with a probability of at most alpha if μ ≥ −δ, μ ≥ δ or |μ| ≤ δ. The
    interval belongs to one-sided tests: it may be above 0 where "better" is undecided.

    A candidate passes the gate when all rows pass. The probability that it does so wrongly, that
    is, although in some row what is required is not so, is then at most alpha without any
    correction, because all rows have to show it: this is an intersection-union test (Berger,
    Technometrics 1982, doi:10.1080/00401706.1982.10487790; Berger & Hsu, Statistical Science 1996,
    doi:10.1214/ss/1032280304). A correction is for readers of single rows: with Holm's or
    Bonferroni's, the probability that any row passes wrongly is at most alpha, and so is the
    probability that any row fails wrongly. Fewer rows are then decided.

    ``required`` assumes normal differences with the mean and standard deviation observed, and a
    t-test at the level alpha (with a correction: alpha divided by the number of rows); it is the
    least number of requests with which the row would pass, or with which it would fail, with the
    probability ``power``. It is null where this takes more than 10^9 requests, as on the margin,
    where all differences are equal or there is one request, and where it is no more than there are
    (the bootstrap takes more than a t-test where there are few). It rests on the observed
    difference, which is an estimate itself.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> p = lf.positions(folder / "runs", folder / "qrels.parquet")
    >>> s = lf.scores(p, ["nDCG@10", "AP"])
    >>> g = lf.gate(s, {"nDCG@10": 0.05, "map": "2%"}, baseline="pixels_euclidean",
    ...             candidate="pca8_euclidean")
    >>> g.select("measure", pl.col("mean_difference", "margin").round(4), "outcome").rows()
    [('AP', 0.015, 0.0131, 'pass'), ('nDCG@10', -0.0385, 0.05, 'undecided')]
    >>> print(lf.verdict(g)["sentence"][0])
    pca8_euclidean does not pass the gate: nDCG@10 does not decide whether it is not worse than \
pixels_euclidean by more than the margin, but about 495 requests would (paired t-test, α = 0.05, \
n = 60 of 60 requests).
    """
    check_gate(require, test, correction, alpha, power, trials, seed)
    check_choice("gate", missing, get_args(GateMissing), "missing")
    if baseline == candidate:
        raise LexiframeError(
            f"gate: baseline and candidate are both called {candidate!r}; give the runs different "
            "names"
        )
    grouping.refuse_taken(grouping.names_of(requests, by), schemas.GATES.columns)
    given: Any = d
    ranked = given if isinstance(given, RankedPairs) else None
    given = given if ranked is None else ranked.pairs
    two = of_two_runs(given, baseline, candidate)
    sizes, measures = margins_by_name(margin, given)
    margins = margins_of("gate", sizes, baseline)
    margins.refuse_unknown(measures)
    two = of_measures(two, sizes)
    measures = [name for name in measures if name in sizes] if isinstance(sizes, dict) else measures
    answers = None if ranked is None else ranked.answers(baseline, candidate, missing)
    if isinstance(two, pl.DataFrame) and arrays.is_scores(two):
        two = with_directions(two, smaller_is_better, larger_is_better)
        if missing == "refuse":
            refuse_lone_requests(two)

    def of_group(group: Any) -> pl.DataFrame:
        part = group
        if missing == "drop" and answers is not None:
            part = both_answered(group, answers)
        elif missing == "zero" and isinstance(group, pl.DataFrame) and arrays.is_scores(group):
            part = settle_lone_requests(group)
        cube = cube_of(part, baseline, of_sums=test == "t")
        spread = _deviations(cube, candidate)
        _refuse_missing(spread, measures)
        deltas = {name: margins.of(name, mean_score(cube, baseline, name)) for name in measures}
        for name, delta in deltas.items():
            refuse_wide(delta, name)
        tested = equivalence(
            cube, deltas, test, "none", alpha=alpha, baseline=baseline, trials=trials, seed=seed
        )
        tested = tested.filter(run_a=candidate).join(spread, on="measure")
        return with_coverage(tested, group, answers, baseline, candidate)

    tested = grouping.in_groups(of_group, two, requests, by)
    if not same_ok:
        refuse_same(tested, baseline, candidate)
    groups = tested.columns[: tested.columns.index("measure")]
    table = decided(tested, require, correction, alpha).with_columns(
        baseline=pl.lit(baseline), candidate=pl.lit(candidate)
    )
    level = alpha if correction == "none" else alpha / table.height
    table = table.with_columns(required=_required(table, require, level, power))
    reasons = [reason(row) for row in table.iter_rows(named=True)]
    table = table.with_columns(why=pl.Series(reasons, dtype=pl.String))
    return schemas.GATES.arranged(table, groups)


def check_gate(
    require: str, test: str, correction: str, alpha: float, power: float, trials: int, seed: int
) -> None:
    """Raise for arguments that `gate` does not accept."""
    check_choice("gate", require, get_args(Require), "require")
    check_shifted("gate", test)
    resampling.check_share("gate", "power", power)
    options = Options("greater", alpha, trials, seed)
    check_corrected("gate", [test], [correction], "all", options)
    if alpha >= 0.5:
        raise LexiframeError(f"gate: expected alpha below 0.5, found {alpha}")


_MEAN, _ABOVE, _BELOW = (
    pl.col(name) for name in ("mean_difference", "p_better_by_margin_a", "p_better_by_margin_b")
)
_QUESTIONS = {
    "not-worse": (pl.col("p_not_worse_a"), _BELOW),
    # The test is two-sided: it also finds candidates that are worse.
    "better": (pl.when(_MEAN > 0).then("p_better").otherwise(1.0), pl.col("p_not_worse_b")),
    # One of two claims is shown with probability alpha at most, if each is with alpha / 2.
    "equivalent": (
        pl.col("p_equivalent"),
        pl.min_horizontal(2 * pl.min_horizontal(_ABOVE, _BELOW), 1.0),
    ),
}
"""For what may be required, its p-value and that of its opposite."""


def decided(tested: pl.DataFrame, require: str, correction: str, alpha: float) -> pl.DataFrame:
    """Add the p-values of what is required and of its opposite, and what follows from them.

    ``tested`` is a table of `equivalence`, in which run_a is the candidate of each row.
    """
    shown, opposite = _QUESTIONS[require]
    table = tested.with_columns(p_value=shown, p_opposite=opposite)
    table = table.with_columns(
        p_adjusted=correct(table["p_value"].to_numpy(), correction),
        p_opposite_adjusted=correct(table["p_opposite"].to_numpy(), correction),
        correction=pl.lit(correction),
        require=pl.lit(require),
        alpha=pl.lit(alpha),
    )
    passes = pl.when(pl.col("p_adjusted") < alpha).then(pl.lit("pass"))
    fails = pl.when(pl.col("p_opposite_adjusted") < alpha).then(pl.lit("fail"))
    return table.with_columns(outcome=pl.coalesce(passes, fails, pl.lit("undecided")))


def _required(table: pl.DataFrame, require: str, level: float, power: float) -> pl.Series:
    """Return the numbers of requests that would decide the undecided rows; null for the others."""
    place = np.flatnonzero((table["outcome"] == "undecided") & (table["n"] > 1))
    names = ("mean_difference", "deviation", "margin")
    mean, deviation, margin = table.select(names).to_numpy()[place].T
    sizes = np.zeros(table.height, np.int64)
    sizes[place] = requests_to_decide(require, mean, deviation, margin, level, power)
    # A number that is there already did not decide: with few requests the bootstrap cannot.
    sizes[sizes <= table["n"].to_numpy()] = 0
    return pl.Series(sizes).replace(0, None)


def _deviations(cube: Any, candidate: str) -> pl.DataFrame:
    """Return the standard deviation of the candidate's differences, if it has some, by measure."""
    found = []
    for measure, pairs in cube:
        moments = pairs.differences[np.flatnonzero(pairs.runs.gather(pairs.a) == candidate)]
        found += [(measure, *moments.deviation)] if moments.n.sum() else []
    return pl.DataFrame(found, {"measure": pl.String, "deviation": pl.Float64}, orient="row")


def _refuse_missing(spread: pl.DataFrame, measures: Sequence[str]) -> None:
    """Raise unless each measure has a row: one that is left out would not be seen to be missing."""
    missing = [name for name in measures if name not in spread["measure"]]
    if missing:
        raise LexiframeError(
            f"gate: expected requests of both runs for {', '.join(missing)}, found none; leave the "
            "measure out, or give both runs its values"
        )
