"""Whether a candidate may take the place of a baseline: `gate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, get_args

import numpy as np
import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, check_choice, resampling, sums, typed
from lexiframe.core.base.feature import Worst
from lexiframe.core.pairwise import By, PairCube, PairsLike, arrays, grouping
from lexiframe.core.projection import alone
from lexiframe.core.significance.bets import Bets, BoundsLike, Order
from lexiframe.core.significance.clusters import clusters_of, group_attributes
from lexiframe.core.significance.corrections import Correction, check_corrected
from lexiframe.core.significance.differences import Options, cube_of
from lexiframe.core.significance.margin_power import tost_power
from lexiframe.core.significance.margins import Margin, Margins, margins_of, mean_score
from lexiframe.core.significance.own_tests import several
from lexiframe.core.significance.replicates.designs import Replicates, Seeds, average_replicates
from lexiframe.core.significance.tests import ShiftedTest, check_shifted
from lexiframe.core.significance.weighed_tests import refuse_unweighed
from lexiframe.decide.gates.equivalence import compare_algorithms, uncorrected
from lexiframe.decide.gates.gate_coverage import RankedPairs, add_coverage, both_answered
from lexiframe.decide.gates.gate_evidence import (
    GateMissing,
    add_directions,
    is_answered,
    refuse_lone_requests,
    refuse_wide,
    settle_lone_requests,
)
from lexiframe.decide.gates.gate_in_words import Decision
from lexiframe.decide.gates.gate_of_catalogues import margins_apart, rows_of_catalogue
from lexiframe.decide.gates.gate_of_judges import answers_of_judges, check_model
from lexiframe.decide.gates.gate_reasons import reason
from lexiframe.decide.gates.gate_rules import Require, Rule
from lexiframe.decide.gates.gate_sizes import requests_to_decide, unchanged_passes
from lexiframe.decide.gates.gate_tables import margins_by_name, rows_of_measures, rows_of_two_runs
from lexiframe.decide.gates.gate_tests import (
    Chosen,
    adjusted,
    bets_in_family,
    check_require,
    chosen_test,
    fewest_ties,
    usual_correction,
)
from lexiframe.decide.gates.schemas import GATES
from lexiframe.decide.gates.unchanged import sameness, settled
from lexiframe.study.replicates import mean_of_replicates
from lexiframe.typing import Frame, RequestsLike, SharesLike, WeightsLike

ToDecide = Annotated[PairsLike, RankedPairs.of_evaluation]
"""As `PairsLike`; but of an evaluation of runs `RankedPairs`, and of one of scores the scores."""


@alone.each_collection
@typed
def gate(
    d: ToDecide,
    /,
    margin: Margin,
    *,
    baseline: str,
    candidate: str | Sequence[str],
    require: Require | Sequence[Require] = "not-worse",
    test: ShiftedTest | None = None,
    correction: Correction | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    trials: int = 10_000,
    seed: int = 0,
    bounds: BoundsLike | None = None,
    order: Order | Sequence[str] = "random",
    n_planned: int | None = None,
    cluster: str | None = None,
    replicates: Replicates | None = None,
    seeds: Seeds = "unrelated",
    model: Frame | None = None,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
    missing: GateMissing = "refuse",
    same_ok: bool = False,
    smaller_is_better: Sequence[str] = (),
    larger_is_better: Sequence[str] = (),
    worst: float | None = None,
) -> pl.DataFrame:
    """Decide for each measure whether a candidate run may take the place of a baseline.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken; or an `Evaluation`,
        whose groups of requests hold unless others are given; or what `catalogue` returns. Other
        runs than the two are left out.
    margin : float, str or dict
        The margin δ of all measures, or of each measure, as for `equivalence`: ``0.01``, ``"2%"``
        (of the baseline's mean, for scores), ``{"nDCG@10": 0.01, "AP": "2%"}``. Measures may have
        the names of other libraries (``"ndcg_cut_10"``), and those without a margin are left out.
        Of an evaluation with items, or of `catalogue`, it may name measures of all lists
        (``"Coverage@10"``), which a t-test of the jackknife's standard error decides.
    baseline, candidate : str
        The run that is in use, and the one that may take its place; or several candidates.
    require : {"not-worse", "better", "equivalent"}, with "all" or "any"
        What has to be shown of the mean difference: that it is above −δ, above 0, or between −δ
        and δ; and whether all measures have to show it, or any of them: ``"any"``,
        ``["better", "any"]``.
    test : {"t", "bootstrap", "betting"}, optional
        The paired test, as for `equivalence`. Default: ``betting`` where the differences are rare
        (fewer than a fifth of them are not 0) or discrete (three values or fewer, of ten requests
        or more), or losses are rare and large (of 25 requests or more, the 3 % that lose most have
        more than 40 % of Σ(d − mean)², and the mean is above −δ, or above 0 for "better", by less
        than four standard errors), and the measure has bounds, else ``t``; ``why`` says when
        ``betting`` decided.
    correction : {"none", "holm", "bonferroni", "bh"}, optional
        How p-values are corrected over all rows of the table. Default: none for one candidate of
        which all measures have to pass, because none is needed (see the notes); Holm's over the
        measures when any of them may pass, and over the candidates when there are several.
    alpha : float
        Significance level: the probability with which a row may pass although what is required is
        not so.
    power : float
        The probability, between 0 and 1, with which ``required`` requests decide.
    trials, seed, bounds, order, n_planned
        As for `compare`. With ``order="given"``, or the ids in their order, and ``n_planned`` one
        may look as often as one likes while requests come in, and stop when the gate is decided;
        ``test`` is ``betting``.
    cluster : str, optional
        The attribute in ``requests`` that correlated requests share, as for `compare`.
    replicates, seeds
        What the column ``replicate`` of scores names, as for `compare`: with "run" the gate
        is about algorithms that would be trained anew.
    model : frame, optional
        The scores by a model's judgments where ``d`` has those by people's, of the same runs and
        measures, in the requests that people judged and in others. ``t`` then decides about the
        estimate of `lexiframe.significance.prediction_powered`, which needs people's requests to be
        drawn at random; ``test`` is ``t(model)`` and ``n`` the number of people's requests.
    weights, strata, shares
        The weights of requests, as for `compare`; ``t`` then decides. ``n_effective`` is n*.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. Each group of requests has to pass; its attributes are the first columns.
    missing : {"refuse", "zero", "drop"}
        What is done with requests that have a score of only one of the two runs: an error with
        their counts, 0 for the run that lacks them, or leave them out.
    same_ok : bool
        Whether the candidate may be the baseline itself: one file that was given twice, or values
        that are the same in all requests, of runs whose rankings are not known. It is refused
        otherwise. Another file with the same rankings is never refused.
    smaller_is_better, larger_is_better : sequence of str
        Measures of scores of which smaller, or larger, values are better. They are named where
        neither their names nor a column ``smaller_is_better`` say it.
    worst : float, optional
        A share of the requests, such as 0.1: the candidate may not be worse by more than the margin
        in the mean of the requests that it serves worst either (see `worst_served`). A measure of
        scores then has a second row, ``AP, worst 0.1``, by ``t``.

    Returns
    -------
    polars.DataFrame
        Key ``measure, candidate``, after the attributes of groups, sorted by it; ``baseline``,
        ``require``, ``test``, ``correction`` and ``alpha`` as they were given, or chosen. ``n`` is
        the number of requests. ``mean_difference`` is the candidate's mean minus the baseline's,
        positive when the candidate is better (for search lengths, when its mean is smaller), with
        the ``margin`` in the same unit and the interval ``ci_low, ci_high`` of `equivalence`, of
        level 1 − 2 alpha. ``p_value`` belongs to what is required and ``p_opposite`` to its
        opposite, corrected to ``p_adjusted`` and ``p_opposite_adjusted``. ``outcome`` is
        ``"pass"``, ``"fail"`` or ``"undecided"``, and ``why`` says it in a sentence that begins
        with this word in capitals; it also says where the power is low: that it would pass a
        candidate that is as good in fewer than half of the cases (about, by the spread observed).
        ``required`` is the number of requests that would decide an undecided row, null for others.
        ``requests`` is the number of requests of which either run has a score,
        ``baseline_answered`` and ``candidate_answered`` how many of them each has; null for
        preferences, which do not tell. On the command line, with rankings, they are the judged
        requests and those that each run answers, and ``baseline_judged_at_10`` and
        ``candidate_judged_at_10`` the shares of judged documents among the first ten. With
        ``betting`` there are the ``level`` for which it was made, the ``order`` of the requests,
        the ``seed`` that drew it, and ``n_planned``: if these were chosen by the result, the error
        rate would no longer be alpha. With ``worst`` this share is in its rows, and null in others.

    Raises
    ------
    LexiframeError
        As `equivalence`; for an unknown ``require``, correction or run, two margins for one
        measure, a measure that has no request of both runs, and when the candidate is the baseline.
        Where there is no evidence: for requests of only one of the two runs, unless ``missing``
        says what they mean; for one run that was given as both, unless ``same_ok``; for a measure
        of unknown direction; and for a margin as wide as the range of its measure. With
        ``model``, for what is no table of scores, for runs and measures that the model lacks, and
        with another test than t, groups, clusters, replicates or an order. With ``worst`` for
        a share of less than one request, preferences, another ``require``, and clusters,
        replicates or a model.

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

    A candidate that ranks the same documents as the baseline, in the same order, in all judged
    requests has changed nothing. That is a fact about these requests and no result of a test: its
    rows pass (or fail, if it has to be better), ``test`` is ``"none"``, and there are no p-values
    and intervals. Equal values alone are no such fact: where the rankings differ, or other measures
    or groups of requests do, the test decides, and equal differences decide nothing until there are
    many. With ``order="given"`` the test always decides, since requests are still to come.

    Of several candidates each passes or not; with Holm's correction over them, the probability that
    any passes wrongly is at most alpha.

    A candidate passes the gate when all rows pass. The probability that it does so wrongly, that
    is, although in some row what is required is not so, is then at most alpha without any
    correction, because all rows have to show it: this is an intersection-union test (Berger,
    Technometrics 1982, doi:10.1080/00401706.1982.10487790; Berger & Hsu, Statistical Science 1996,
    doi:10.1214/ss/1032280304). A correction is for readers of single rows: with Holm's or
    Bonferroni's, the probability that any row passes wrongly is at most alpha, and so is the
    probability that any row fails wrongly. Fewer rows are then decided.

    Rare and large losses that no request shows cannot be known, and t passes a candidate that has
    them: of losses of 0.8 in 2 % of requests there are none among 50 in 36 % of samples. Where
    three times the greatest difference that the measure allows, over n, exceeds the margin, a row
    that passes by ``t`` or ``bootstrap`` says so; only ``betting`` then keeps its level, and passes
    hardly anything. Rare and large gains may let ``t`` fail a candidate too often in the same way.

    ``required`` assumes normal differences with the mean and standard deviation observed, and a
    t-test at the level alpha (with a correction: alpha divided by the number of rows); it is the
    least number of requests with which the row would pass, or with which it would fail, with the
    probability ``power``. It is null where this takes more than 10^9 requests, as on the margin,
    where all differences are equal or there is one request, and where it is no more than there are
    (the bootstrap takes more than a t-test where there are few). It rests on the observed
    difference, which is an estimate itself. With a model it counts people's requests, and takes
    the model to judge as many times theirs as it did.

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
    UNDECIDED: nDCG@10 does not show whether pca8_euclidean is worse than pixels_euclidean by more \
than the margin; about 563 requests would be enough if the difference is as observed (paired \
t-test and sequential test by betting, α = 0.05, n = 60 of 60 requests).
    """
    candidates = several(candidate)
    rule = check_gate(require, test, correction, alpha, power, trials, seed)
    check_choice("gate", missing, get_args(GateMissing), "missing")
    given: Any = d
    ranked = given if isinstance(given, RankedPairs) else None
    _refuse_runs(baseline, candidates)
    _refuse_order(order, test, ranked)
    _refuse_worst(worst, rule, cluster=cluster, replicates=replicates, model=model)
    no_model = {"cluster": cluster, "replicates": replicates, "n_planned": n_planned, "by": by}
    check_model(d, model, test, no_model)
    given = given if ranked is None else ranked.pairs
    given = average_replicates("gate", given, replicates, [test or "t"])
    weighed = weights, strata, shares
    given = arrays.weigh(given, requests, *weighed)
    has_weights = arrays.has_weights(given)
    if has_weights:
        test = test or ("t" if order == "random" else "betting")
        refuse_unweighed("gate", [test], cluster, replicates, ["t"])
        if model is not None:
            raise LexiframeError("gate: model= has no weights; leave one of them out")
    bets = Bets.check("gate", d, bounds, order, n_planned)
    corrected = correction or usual_correction(rule, candidates)
    names = grouping.names_of(group_attributes(requests, by, cluster, *weighed), by)
    grouping.refuse_taken(names, GATES.columns)
    of_each = {name: rows_of_two_runs(given, baseline, name) for name in candidates}
    unfit = {"cluster": cluster, "replicates": replicates, "model": model}
    reached = None if ranked is None else ranked.catalogue
    if ranked is not None and missing == "drop" and ranked.lacks([baseline, *candidates]):
        unfit["missing='drop'"] = missing
    margin, of_all, others = margins_apart(margin, reached, unfit)
    if has_weights and of_all:
        raise LexiframeError(
            f"gate: {next(iter(of_all))} has no weights, as it is of all lists; leave it out"
        )
    sizes, measures = margins_by_name(margin, given)
    margins = margins_of("gate", of_all if sizes == {} else sizes, baseline)
    margins.refuse_unknown([*measures, *others])
    measures = [name for name in measures if name in sizes] if isinstance(sizes, dict) else measures
    answers = {} if ranked is None else ranked.answers(baseline, candidates, missing)
    directed = partial(add_directions, smaller=smaller_is_better, larger=larger_is_better)
    asked_of = partial(_asked_rows, sizes=sizes, missing=missing, directed=directed)
    of_each = {name: asked_of(two) for name, two in of_each.items()}
    clusters = clusters_of("gate", of_each[candidates[0]], requests, cluster, [test or "t"])
    requests = group_attributes(requests, by, cluster, *weighed)
    n_groups = len([*grouping.groups_of(of_each[candidates[0]], requests, by)])
    rows = n_groups * len(measures) * len(candidates)
    bets = bets_in_family(bets, corrected, rule, rows, candidates)
    options = Options("greater", alpha, trials, seed, bets=bets, clusters=clusters)
    of_seeds = (replicates, seeds) if replicates in ("run", "both") else None
    who = baseline, rule, margins, measures
    asked = _Asked(*who, asked_of, options, test, missing, answers, of_seeds, model, worst)
    every = []
    for name, two in of_each.items():
        found = []
        if measures:
            of_one = partial(asked.rows_of_group, candidate=name)
            found = [grouping.group_tables(of_one, two, requests, by)]
        if of_all and reached is not None:
            rows_of_all = rows_of_catalogue(reached, of_all, (baseline, name), options, names)
            found.append(add_coverage(rows_of_all, None, None, baseline, name))
        tested = pl.concat(found, how="diagonal_relaxed")
        same = sameness(tested, given, ranked, (baseline, name), same_ok=same_ok)
        # Requests that are still to come may change what holds of those so far.
        unchanged = same.unchanged if bets.order == "random" else None
        why = pl.concat_list(pl.col("chosen"), pl.lit(same.changed))
        every.append(tested.with_columns(same=pl.lit(unchanged, pl.String), chosen=why))
    tested = pl.concat(every)
    tested = tested if has_weights else tested.drop("n_effective", strict=False)
    groups = tested.columns[: tested.columns.index("measure")]
    table = settled(decided(tested, rule, corrected, alpha), rule.claim)
    table = table.with_columns(baseline=pl.lit(baseline), of_all=pl.col("measure").is_in([*of_all]))
    if worst is not None:  # as many requests as would decide are not known there either
        table = table.with_columns(of_all=pl.col("of_all") | pl.col("worst").is_not_null())
    of_scores = arrays.is_scores(given) or getattr(given, "scores", None) is not None
    level = alpha / (1 if corrected == "none" else table.height)
    table = _add_reasons(table, rule.claim, level, power, bets, of_scores=of_scores)
    return Decision.whole(GATES.arranged(_add_bets(table, bets, seed), groups))


def _refuse_runs(baseline: str, candidates: Sequence[str]) -> None:
    if not candidates:
        raise LexiframeError("gate: expected a candidate, found none")
    if baseline in candidates:
        raise LexiframeError(
            f"gate: baseline and candidate are both called {baseline!r}; give the runs different "
            "names"
        )


def _refuse_worst(worst: float | None, rule: Rule, **unfit: Any) -> None:
    if worst is None:
        return
    if not 0 < worst <= 1:
        raise LexiframeError(f"gate: expected worst to be above 0 and up to 1, found {worst}")
    if rule.text != "not-worse":
        raise LexiframeError(
            f"gate: expected require='not-worse' with worst, which both have to hold, found "
            f"{rule.text!r}; leave one of them out"
        )
    if given := [name for name, value in unfit.items() if value is not None]:
        raise LexiframeError(f"gate: {given[0]} does not go with worst; leave one of them out")


def _refuse_order(order: Any, test: str | None, ranked: RankedPairs | None) -> None:
    if order != "random" and test not in (None, "betting"):
        raise LexiframeError(
            f"gate: expected test='betting' with order='given', found {test!r}: no other test may "
            "be looked at at any time"
        )
    if ranked is not None and isinstance(order, str) and order == "given":
        raise LexiframeError(
            "gate: expected the order in which the requests came, found an evaluation, which has "
            "them sorted by their ids; give the ids in their order: order=[...]"
        )


def _asked_rows(of_two: Any, sizes: Any, missing: str, directed: Callable[[Any], Any]) -> Any:
    """Return the rows of the measures with a margin; of scores, larger values are then better."""
    two = rows_of_measures(of_two, sizes)
    if isinstance(two, pl.DataFrame) and arrays.is_scores(two):
        two = directed(two)
        if missing == "refuse":
            refuse_lone_requests(two)
        if missing == "drop":
            two = two.filter(is_answered(two))
    return two


@dataclass(frozen=True)
class _Asked:
    """A gate's question about every group of requests and every candidate.

    ``of_seeds`` says how replicates of runs are compared, and ``model`` has the scores by a model's
    judgments; both are None where there are none. ``asked_of`` returns the rows of the measures.
    """

    baseline: str
    rule: Rule
    margins: Margins
    measures: Sequence[str]
    asked_of: Callable[[Any], Any]
    options: Options
    test: str | None
    missing: str
    answers: Mapping[str, Any]
    of_seeds: tuple[Replicates | None, Seeds] | None
    model: Any
    worst: float | None

    def rows_of_group(self, group: Any, candidate: str) -> pl.DataFrame:
        """Return a row for each measure, with the answers of its test and why it was chosen."""
        answers = self.answers.get(candidate)
        part = self._settled(group, answers)
        rows = mean_of_replicates("gate", part) if self.of_seeds else part
        test, is_plain = self.test, self.options.clusters is None
        if test is None and not (is_plain and self.of_seeds is None and self.model is None):
            test = "t"
        cube = cube_of(rows, self.baseline, of_sums=test in (None, "t") and is_plain)
        spread = _deviations(cube, candidate)
        _refuse_missing(spread, self.measures)
        delta = {}
        for name in self.measures:
            delta[name] = self.margins.size(name, mean_score(cube, self.baseline, name))
            refuse_wide(delta[name], name, self.options.bets.bounds.get(name))
        limits = {name: -size * (self.rule.claim != "better") for name, size in delta.items()}
        chosen = _chosen_tests(cube, candidate, test, self.options.bets, limits)
        how = self.options, self.baseline, self.margins
        if self.model is not None:
            theirs = self.asked_of(rows_of_two_runs(self.model, self.baseline, candidate))
            theirs = settle_lone_requests(theirs) if self.missing == "zero" else theirs
            found, spread = answers_of_judges(rows, theirs, delta, self.options, self.baseline)
        elif self.of_seeds is not None:
            found = compare_algorithms(part, *how, *self.of_seeds)
        else:
            tests = dict.fromkeys(one.test for one in chosen.values())
            cubes = {one: _tested_measures(cube, chosen, one) for one in tests}
            found = pl.concat(uncorrected(of_one, [one], *how) for one, of_one in cubes.items())
        why = [(name, one.why) for name, one in chosen.items()]
        tested = found.filter(run_a=candidate).join(spread, on="measure")
        tested = tested.join(pl.DataFrame(why, _CHOSEN, orient="row"), on="measure")
        tested = tested.with_columns(candidate=pl.lit(candidate))
        if self.worst is not None:
            gate_rows = features.needed(Worst, "gate").gate_rows
            two = candidate, self.baseline
            of_worst = gate_rows(rows, delta, self.worst, two, self.options)
            tested = pl.concat([tested, of_worst], how="diagonal_relaxed")
        return add_coverage(tested, group, answers, self.baseline, candidate)

    def _settled(self, group: Any, answers: Any) -> Any:
        """Return the requests that count, as ``missing`` says."""
        if self.missing == "drop" and answers is not None:
            return both_answered(group, answers)
        is_scores = isinstance(group, pl.DataFrame) and arrays.is_scores(group)
        return settle_lone_requests(group) if self.missing == "zero" and is_scores else group


def _add_reasons(
    table: pl.DataFrame, claim: str, level: float, power: float, bets: Bets, *, of_scores: bool
) -> pl.DataFrame:
    """Add how many requests would decide a row, and why it has its outcome."""
    required = _required_requests(table, claim, level, power, bets, of_scores=of_scores)
    bound = [bets.bound_of(name, of_scores) for name in table["measure"]]
    unchanged = _unchanged(table, claim, level)
    if "worst" in table.columns:  # its t has other degrees of freedom
        unchanged = unchanged.set(table["worst"].is_not_null(), None)
    table = table.with_columns(
        required=required.set(table["of_all"], None), unchanged=unchanged,
        bound=pl.Series(bound, dtype=pl.Float64),
    )  # fmt: skip
    reasons = [reason(row) for row in table.iter_rows(named=True)]
    return table.with_columns(why=pl.Series(reasons, dtype=pl.String))


_CHOSEN = {"measure": pl.String, "chosen": pl.String}


def _chosen_tests(
    cube: Any, candidate: str, test: str | None, bets: Bets, limits: Mapping[str, float]
) -> dict[str, Chosen]:
    """Return the test of each measure."""
    if test is not None or bets.order == "given":
        return dict.fromkeys(cube.measures, Chosen(test or "betting"))
    if not isinstance(cube, PairCube):  # sums do not tell how differences are distributed
        return dict.fromkeys(cube.measures, Chosen("t"))
    found = {}
    for measure, pairs in cube:
        pair = np.flatnonzero(pairs.runs.gather(pairs.a) == candidate)
        found[measure] = chosen_test(measure, pairs, int(pair[0]), bets, limits[measure])
    return found


def _tested_measures(cube: Any, chosen: Mapping[str, Chosen], test: str) -> Any:
    """Return the differences of the measures that a test decides."""
    names = [name for name, one in chosen.items() if one.test == test]
    return cube if len(names) == len(chosen) else cube.select_measures(names)


def _add_bets(table: pl.DataFrame, bets: Bets, seed: int) -> pl.DataFrame:
    """Add the settings of bets, or leave them out where nothing was decided by bets."""
    is_bet = pl.col("test") == "betting"
    if not table.select(is_bet.any()).item():
        return table.drop("level", strict=False)
    is_drawn = is_bet & (bets.order == "random")
    planned = pl.lit(bets.n_planned, pl.Int64)
    return table.with_columns(
        order=pl.when(is_bet).then(pl.lit(bets.order)),
        seed=pl.when(is_drawn).then(pl.lit(seed, pl.Int64)),
        n_planned=pl.when(is_bet).then(planned),
    )


def check_gate(
    require: Require | Sequence[Require],
    test: str | None,
    correction: str | None,
    alpha: float,
    power: float,
    trials: int,
    seed: int,
) -> Rule:
    """Raise for arguments that `gate` does not accept; return its requirement."""
    rule = check_require(require)
    check_shifted("gate", test or "t")
    resampling.check_share("gate", "power", power)
    options = Options("greater", alpha, trials, seed)
    check_corrected("gate", [test or "t"], [correction or "none"], "all", options)
    if alpha >= 0.5:
        raise LexiframeError(f"gate: expected alpha below 0.5, found {alpha}")
    return rule


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


def decided(tested: pl.DataFrame, rule: Rule, correction: str, alpha: float) -> pl.DataFrame:
    """Add the p-values of the requirement and of its opposite, and the outcome.

    ``tested`` is a table of `equivalence`, in which run_a is the candidate of each row.
    """
    shown, opposite = _QUESTIONS[rule.claim]
    table = tested.with_columns(p_value=shown, p_opposite=opposite)
    table = table.with_columns(
        p_adjusted=adjusted(table, "p_value", correction, rule),
        p_opposite_adjusted=adjusted(table, "p_opposite", correction, rule),
        correction=pl.lit(correction),
        require=pl.lit(rule.text),
        alpha=pl.lit(alpha),
    )
    passes = pl.when(pl.col("p_adjusted") < alpha).then(pl.lit("pass"))
    fails = pl.when(pl.col("p_opposite_adjusted") < alpha).then(pl.lit("fail"))
    return table.with_columns(outcome=pl.coalesce(passes, fails, pl.lit("undecided")))


def _required_requests(
    table: pl.DataFrame, require: str, level: float, power: float, bets: Bets, of_scores: bool
) -> pl.Series:
    """Return the requests needed to decide each undecided row; null for a decided one.

    Bets need as many as a t-test, and the requests that pass without any difference.
    """
    place = np.flatnonzero((table["outcome"] == "undecided") & (table["n"] > 1))
    names = ("mean_difference", "deviation", "margin")
    mean, deviation, margin = table.select(names).to_numpy()[place].T
    sizes, share = np.zeros(table.height, np.int64), np.ones(len(place), np.int64)
    if "n_effective" in table.columns:
        share = table.select(pl.col("n_effective") / pl.col("n")).to_series().to_numpy()[place]
    sizes[place] = requests_to_decide(require, mean, deviation, margin, level, power, share)
    for row in np.flatnonzero((table["test"] == "betting") & (table["outcome"] == "undecided")):
        measure, delta, spread = (
            table[name][int(row)] for name in ("measure", "margin", "deviation")
        )
        if require != "better" and (sizes[row] or not spread):
            sizes[row] += fewest_ties(delta, bets.set_level(measure, of_scores, level))
    # A number that is there already did not decide: with few requests the bootstrap cannot.
    sizes[sizes <= table["n"].to_numpy()] = 0
    return pl.Series(sizes).replace(0, None)


def _unchanged(table: pl.DataFrame, require: str, level: float) -> pl.Series:
    """Return the approximate probability that an equal candidate passes each row; null if unknown.

    Intervals by t tell the error by clusters, seeds or two judges, too.
    """
    has_weights = "n_effective" in table.columns
    counted = "n_effective" if has_weights else "n"
    names = ("mean_difference", "ci_low", "deviation", "margin", counted, "alpha")
    mean, low, deviation, margin, n, alpha = table.select(names).cast(pl.Float64).to_numpy().T
    freedom, half = np.maximum(n - 1, 1), mean - low
    is_t = table["test"].str.starts_with("t").to_numpy()
    error = np.where(
        is_t & (not has_weights), half / sums.t_reach(freedom, alpha), deviation / np.sqrt(n)
    )
    passes = unchanged_passes(require, half, error, margin)
    if require != "better":  # by t the spread is estimated anew, which matters for few requests
        by_t = np.flatnonzero(is_t & (error > 0))
        below = margin[by_t] / error[by_t]
        above = below if require == "equivalent" else np.full_like(below, np.inf)
        passes[by_t] = tost_power(below, above, freedom[by_t], level)
    return pl.Series(passes, nan_to_null=True)


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
