"""Whether judges lead to the same conclusions about runs: `compare_judges`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed, progress, resampling, schemas, typed
from lexiframe.core.io import Tables, qrel_files, run_scan, scan_runs
from lexiframe.core.metrics import needed
from lexiframe.core.orderings import ChosenRule, Method, missing_requests
from lexiframe.core.pairwise import By, Measure, arrays, grouping, parse_measures
from lexiframe.core.projection import NoRelevant, Policies, ScoreType, Ties, Unjudged, alone
from lexiframe.core.significance import (
    Family,
    Test,
    check_inference,
    compare,
    conclusion_pairs,
    conclusions,
    corrections,
)
from lexiframe.decide.judges.answers import FOUND, answers_of, check_limits
from lexiframe.decide.judges.graded_items import check_judges, read_judges
from lexiframe.decide.judges.judge_tables import (
    Judged,
    add_attributes,
    compared_requests,
    correlations_of,
    judged_by,
    orderings_of,
    scored_requests,
    shifts_of,
)
from lexiframe.decide.judges.judged_scores import drop_unjudged, read_judged_scores, same_cells
from lexiframe.decide.judges.judged_statements import share_answers
from lexiframe.decide.judges.judges import judge_agreement
from lexiframe.decide.judges.schemas import JUDGE_AGREEMENT, JUDGE_COMPARISONS
from lexiframe.decide.judges.trust_in_words import trust_sentences
from lexiframe.typing import (
    BaselineLike,
    FrameKind,
    JudgesLike,
    MeasureLike,
    QrelsLike,
    RequestsLike,
)


@dataclass(frozen=True, repr=False, eq=False)
class JudgeComparison(Tables):
    """What runs look like to several judges; `compare_judges` makes it.

    Every table has the attributes of groups of requests, if there are any, as its first columns,
    except ``judges``. Of two judges ``judge_a`` (``name_a``) is the one that was given first.

    Attributes
    ----------
    judges
        Key ``judge``. How many ``requests`` the judge judged, and how many it did not that others
        did (``missing``); in how many it found nothing relevant (``without_relevant``); how many
        documents it ``judged``; both are null where scores were given. ``compared`` requests, the
        same for all judges, are what the other tables but ``agreement`` are about.
    left_out
        Key ``judge, measure, run, query_id``, with nulls for all of them: what was left out for all
        judges since ``judge`` lacks it: a request (``run`` is null), a run (``query_id`` is null),
        or the score of a run in a request. Without scores ``measure`` is null, too.
    agreement
        The table of `judge_agreement`, of all documents, or of all answers judged by the same
        nuggets; without rows where other scores were given.
    orderings
        The table of `order_runs` under each judge: key ``judge, measure, method, run``.
    correlations
        Key ``measure, method, judge_a, judge_b``, sorted by it: how alike the judges order the
        ``n`` runs. ``method`` is ``kendall`` (τ-b), ``spearman``, or ``tau_ap`` with judge_a as the
        truth, in both directions; ``kendall(top=5)`` is τ-b among the runs that the first judge has
        among its five best, with those that tie with the fifth. ``correlation`` has the interval
        ``ci_low, ci_high`` of `bootstrap_correlations`, over requests that are drawn jointly for
        all judges.
    rank_shifts
        Key ``measure, method, judge_a, judge_b, run``, sorted by it: the run's ``value_a``,
        ``value_b``, ``rank_a`` and ``rank_b`` under both. ``shift`` = rank_a − rank_b is positive
        when judge_b ranks the run higher up.
    comparisons
        The table of `compare` under each judge: key ``judge, measure, test, correction, run_a,
        run_b``.
    conclusions, conclusion_pairs
        The tables of `conclusions` and `conclusion_pairs` for every two judges.
    answers
        Key ``measure, judge_a, judge_b``: whether judge_b leads to the conclusions of judge_a.
        ``answer`` is ``yes``, ``no`` or null (not known), and ``reason`` says why. Of the
        significant pairs by judge_a, judge_b has ``found``, ``missed`` and ``reversed`` so many;
        ``share`` is that of the found ones, and ``invented`` are significant by judge_b alone.
        ``tau`` between the orders of ``n_runs`` has the interval ``ci_low, ci_high``.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> judges = {name: folder / f"judges/{name}.parquet" for name in ("people", "classifier")}
    >>> runs = [folder / f"runs/{run}.parquet" for run in ("pixels_euclidean", "pca2_euclidean")]
    >>> found = lf.compare_judges(runs, judges, ["AP"], samples=100)
    >>> found.conclusions.select("name_a", "name_b", "n_pairs", "AA").row(0)
    ('people', 'classifier', 1, 1)
    """

    judges: pl.DataFrame
    left_out: pl.DataFrame
    agreement: pl.DataFrame
    orderings: pl.DataFrame
    correlations: pl.DataFrame
    rank_shifts: pl.DataFrame
    comparisons: pl.DataFrame
    conclusions: pl.DataFrame
    conclusion_pairs: pl.DataFrame
    answers: pl.DataFrame
    _asked: tuple[str, ...] = ()

    _TABLES = (
        "judges", "left_out", "agreement", "orderings", "correlations", "rank_shifts",
        "comparisons", "conclusions", "conclusion_pairs", "answers",
    )  # fmt: skip

    @property
    def verdict(self) -> printed.Verdict:
        """What the other judges find of the differences that the first finds, in sentences.

        It has a row for each row of ``conclusions`` that is about the first judge: its key, and
        ``sentence``. It prints its sentences.
        """
        is_of_first = pl.col("name_a") == self._first
        about_first = self._sort_as_asked(self.conclusions.filter(is_of_first))
        said = trust_sentences(
            self.answers, about_first, self.rank_shifts, self.correlations, self._groups
        )
        return printed.Verdict(said)

    @property
    def _groups(self) -> list[str]:
        """The attributes of requests that form groups."""
        return self.conclusions.columns[: self.conclusions.width - len(schemas.CONCLUSIONS.columns)]

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first, the other judges against the first: tables by titles.

        Of the pairs of runs that differ significantly by the first judge, the other one finds
        ``found``, misses ``missed`` and sees ``reversed`` the other way round, significantly too;
        ``invented`` are significant by the other judge alone. ``pairs`` are all pairs of runs.
        """
        first, by = self._first, self._groups
        answers = self.answers.filter(judge_a=first).select(
            *by, "measure", "judge_b", "answer", "tau", "ci_low", "ci_high", *FOUND
        )
        shown = ["n", "agreement", "kappa", "kappa_quadratic", "kappa_binary", "alpha"]
        reference = self.agreement.filter(pl.col("judge_a") == first)
        found = {
            f"Order of the runs, and conclusions about pairs, against {first}": self._sort_as_asked(
                answers
            )
        }
        if reference.height:
            grades = reference.select(*by, "judge_b", *shown)
            what = "credits of nuggets" if "unit" in reference.columns else "grades"
            found[f"Agreement with {first} about {what}"] = grades
        return {
            title: table.with_columns(pl.selectors.float().round(3))
            for title, table in found.items()
        }

    def _sort_as_asked(self, table: pl.DataFrame) -> pl.DataFrame:
        """Sort the rows by the user's order of measures, within their groups."""
        groups = table.columns[: table.columns.index("measure")]
        return table.sort(*groups, printed.place_among(self._asked), maintain_order=True)

    @property
    def _first(self) -> str:
        """The judge that was given first: the one that is never the second of two."""
        seconds = self.conclusions["name_b"].implode()
        first: str = self.conclusions.filter(~pl.col("name_a").is_in(seconds))["name_a"][0]
        return first


@alone.each_collection
@typed
def compare_judges(
    runs: BaselineLike,
    judges: JudgesLike,
    measures: MeasureLike | Iterable[MeasureLike] | Mapping[str, Any] | None,
    *,
    rel: float | None = None,
    test: Test = "auto",
    correction: corrections.PairedCorrection = "auto",
    family: Family = "measure",
    alpha: float = 0.05,
    baseline: str | None = None,
    order: Method = "win_rate",
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 0,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | None = None,
    exclude_self: bool = False,
    exclude: QrelsLike | None = None,
    missing: missing_requests.Missing | None = None,
    top: int | None = None,
    least_found: float = 0.8,
    most_reversed: int = 0,
    least_tau: float = 0.7,
    fewest: int = 5,
    requests: RequestsLike = None,
    by: By = None,
    frames: FrameKind | None = None,
) -> JudgeComparison:
    """Compare what runs look like to several judges: their order, and which of them differ.

    Parameters
    ----------
    runs
        The runs, as `positions` takes them. Files are read once for each judge. None: the judges
        have scores.
    judges
        The judgments by the names of their judges, as for `judge_agreement`; without runs the
        scores of the same runs by each judge, as `read_scores` reads them, ``{"people": s}``, or
        its judgments of their answers, as `read_nuggets` returns them.
    measures
        Metrics and preferences, as for `preferences`. Of scores: measures, by any of their names
        (None: all that the judges share), or those of each judge, ``{"people": "NuggetRecall",
        "auto": "GRADE"}``; tables then call the measure ``NuggetRecall/GRADE``.
    rel : float, optional
        The least grade that is relevant, for all judges; None: any positive grade.
    test, correction, family, alpha, baseline, trials
        How the runs are compared under each judge, as for `compare`.
    order
        How preferences order the runs, as for `order_runs`; metrics order them by their mean.
    samples : int
        The number of bootstrap samples for the intervals of correlations, which have level
        1 − alpha.
    seed : int
        Seed of the trials and samples; the same seed gives the same tables.
    ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self, exclude
        As for `positions`; not with scores.
    missing
        Of scores: what it means that a run lacks a request by all judges, as for `order_runs`.
    top : int, optional
        Also correlate the orders of the runs that the first judge has among its ``top`` best, at
        least 2. A cut by the truth leaves few runs that are close, so that this is a noisy number.
    least_found : float
        The least share of the first judge's significant pairs that another judge must find, 0 to 1,
        for the answer that conclusions can be drawn from it.
    most_reversed : int
        The greatest number of these pairs that it may see the other way round, significantly too.
    least_tau : float
        The least lower limit of the interval of Kendall's τ between the orders, −1 to 1.
    fewest : int
        The least number of runs, and of significant pairs, for an answer; at least 2.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The tables are computed within each group.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    JudgeComparison
        The agreement about grades, and under each judge orderings and comparisons; between every
        two judges correlations of the orderings with bootstrap intervals, the shift of each run's
        rank, and the agreement of conclusions. All are frames; ``write`` writes them.

    Raises
    ------
    LexiframeError
        As `judge_agreement`, `positions`, `preferences`, `compare` and `bootstrap_correlations`;
        when no request has a relevant document by all judges; for a ``top`` below 2 and for limits
        out of range; and of scores when judges have no measure, run and request in common.

    Warns
    -----
    LexiframeWarning
        With the count, when requests are left out: those that a judge did not judge, or in which it
        found nothing relevant (with ``rel``, also that of a measure), so that all judges compare
        the runs by the same requests; and runs and requests that a judge has no scores of. The
        table ``judges`` counts them for each judge, and ``left_out`` names them.

    Notes
    -----
    Voorhees, "Variations in relevance judgments and the measurement of retrieval effectiveness",
    IPM 2000, doi:10.1016/S0306-4573(00)00010-8, finds that judges who disagree much about grades
    may still order systems alike. A judge of the same kind as one of the runs may favour it:
    ``rank_shifts`` shows that, and an average over all runs does not. Where the other judge lacks
    what the first one has, there is no yes: it may lack what it would judge badly. Nor is there one
    where all differences are equal to the last bit: it may be the same file twice. More reversed
    pairs than allowed make a no, however few runs there are. Where τ is the same in nearly all
    samples, and so has no interval, its limit is τ after two swaps of neighbours.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> judges = {name: folder / f"judges/{name}.parquet" for name in ("people", "classifier")}
    >>> runs = [folder / f"runs/{run}.parquet" for run in ("shifted_euclidean", "pca32_whitened")]
    >>> found = lf.compare_judges(runs, judges, ["nDCG@10"], samples=100)
    >>> found.rank_shifts.select("judge_b", "run", "rank_a", "rank_b", "shift").rows()
    [('classifier', 'pca32_whitened', 2.0, 1.0, 1.0), ('classifier', 'shifted_euclidean', 1.0, \
2.0, -1.0)]
    """
    policies = Policies(
        rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self, exclude
    )
    asked = parse_measures(measures) if runs is not None else []
    needed.refuse_lower_rel(asked, rel)
    check_inference(test, correction, family, alpha, "two-sided", trials, seed)
    resampling.check_draws("compare_judges", "samples", samples, seed)
    _check_top(top)
    limits = {"least_found": least_found, "most_reversed": most_reversed, "least_tau": least_tau,
              "fewest": fewest}  # fmt: skip
    check_limits(limits)
    method = ChosenRule(order).method
    names, groups = grouping.names_of(requests, by), dict[str, Any]()
    if names:  # read once: a stream cannot be read again
        groups = {"requests": grouping.all_attributes(requests, names), "by": names}
    if runs is None:
        judged, tables = _judged_scores(judges, measures, policies, missing, groups)
    elif missing is not None:
        raise LexiframeError(
            "compare_judges: missing says what gaps in scores mean, and runs are read; leave it out"
        )
    else:
        judged, tables = _judged_runs(runs, judges, asked, policies, groups)
    test_all = partial(compare, test=test, correction=correction, family=family, alpha=alpha,
                       baseline=baseline, trials=trials, seed=seed, **groups)  # fmt: skip
    comparisons = {judge: test_all(found.part) for judge, found in judged.items()}
    of_judge = [c.with_columns(judge=pl.lit(judge)) for judge, c in comparisons.items()]
    orderings = orderings_of(judged, method, groups, names, missing)
    how = {"samples": samples, "seed": seed, "alpha": alpha, "missing": missing}
    correlations = correlations_of(judged, method, how, groups, top)
    pairs = conclusion_pairs(comparisons, by=names)
    return JudgeComparison(
        **tables,
        orderings=orderings,
        correlations=correlations,
        rank_shifts=shifts_of(orderings, [*judged], names),
        comparisons=JUDGE_COMPARISONS.arranged(pl.concat(of_judge), names),
        conclusions=conclusions(comparisons, by=names),
        conclusion_pairs=pairs,
        answers=answers_of(pairs, correlations, tables["left_out"], limits, names),
        _asked=next(iter(judged.values())).asked,
    )


Found = tuple[dict[str, Judged], dict[str, pl.DataFrame]]
"""What the measures say under each judge, and the tables of the judges themselves."""


def _judged_runs(
    runs: Any, judges: Any, asked: Sequence[Measure], policies: Policies, groups: Mapping[str, Any]
) -> Found:
    """Compute scores and preferences of runs under each judge's judgments."""
    read = read_judges("compare_judges", judges, policies.duplicates)
    agreement = judge_agreement(read, policies.rel, **groups)
    compared, of_judges, left_out = compared_requests(read, asked, policies)
    if not (isinstance(runs, run_scan.RunScan) or hasattr(runs, "__arrow_c_stream__")):
        runs = scan_runs(runs)  # which holds what can be read only once
    judged = {
        judge: judged_by(runs, part, asked, policies)
        for judge, part in progress(compared.items(), len(compared), "judges")
    }
    left_out = add_attributes(left_out, groups)
    return judged, {"judges": of_judges, "left_out": left_out, "agreement": agreement}


def _judged_scores(
    judges: Any, measures: Any, policies: Policies, missing: Any, groups: Mapping[str, Any]
) -> Found:
    """Take the scores that judges have."""
    said = [f.name for f in fields(policies) if getattr(policies, f.name) != f.default]
    if said:
        raise LexiframeError(
            f"compare_judges: {', '.join(said)} says how runs and judgments are read, and scores "
            "are given; leave it out"
        )
    check_judges("compare_judges", judges)
    read = {judge: read_judged_scores(judge, scores) for judge, scores in judges.items()}
    drop_unjudged(read, judges)
    same, left_out, names = same_cells("compare_judges", read, measures)
    first, asked = next(iter(same.values())), tuple(names)
    judged = {
        judge: Judged(arrays.pair_cube(missing_requests.settle(s, missing)[0]), asked, asked)
        for judge, s in same.items()
    }
    are_answers = all(hasattr(given, "nugget_rows") for given in judges.values())
    if are_answers and share_answers(judges):
        agreement = judge_agreement(judges, **groups)
    else:
        columns = {"query_id": schemas.STR, **JUDGE_AGREEMENT.required}
        agreement = add_attributes(pl.DataFrame(schema=columns), groups).drop("query_id")
    of_judges = scored_requests(read, first["query_id"].n_unique())
    left_out = add_attributes(left_out, groups)
    return judged, {"judges": of_judges, "left_out": left_out, "agreement": agreement}


def _check_top(top: int | None) -> None:
    if top is not None and top < 2:
        raise LexiframeError(f"compare_judges: expected top to be 2 or more runs, found {top}")
