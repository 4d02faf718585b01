"""The whole flow, from files to conclusions, in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import polars as pl

from lexiframe.errors import LexiframeError, check_choice, unknown_name
from lexiframe.evaluation import Evaluation
from lexiframe.gaps import coverage_table
from lexiframe.io.kept_results import read_results
from lexiframe.io.problems.duplicates import Duplicates
from lexiframe.io.qrels import held_or_data, sources_of_qrels
from lexiframe.io.tables.objects import held
from lexiframe.io.write_parquet import sources_of_origin
from lexiframe.layouts.cube import pair_cube_with_scores
from lexiframe.layouts.groups import By, attributes_of, names_of, refuse_taken
from lexiframe.metrics.metric import Metric
from lexiframe.orderings.agreement import sign_agreement, tie_rates
from lexiframe.orderings.correlations import rank_correlations
from lexiframe.orderings.kemeny import refuse_many
from lexiframe.orderings.means import best_first, run_means
from lexiframe.orderings.order import order_runs
from lexiframe.orderings.rule import Method
from lexiframe.orderings.win_rates import win_rates
from lexiframe.origin import Origin
from lexiframe.pairwise.pairs import Measure, parse_measures
from lexiframe.projected import Projected, project_runs
from lexiframe.projection.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.reuse import Known, completed, known_in
from lexiframe.schemas import (
    AGAINST_BASELINE,
    COMPARISONS,
    CORRELATIONS,
    MEANS,
    ORDERINGS,
    POWER,
    SIGN_AGREEMENT,
    TIE_RATES,
    VERDICT,
    WIN_RATES,
    TableSchema,
)
from lexiframe.significance.baseline import against_baseline
from lexiframe.significance.differences import Alternative
from lexiframe.significance.own_tests import OwnTest, name_of_test, several
from lexiframe.significance.paired import Correction, Family, Test, check_inference, compare
from lexiframe.significance.power import discriminative_power
from lexiframe.typing import MeasureLike, QrelsLike, RequestsLike, RunsLike

MEASURES = ("RPP", "LR", "LP", "AP", "nDCG@10", "RR")


def evaluate(
    runs: RunsLike,
    qrels: QrelsLike,
    /,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: Duplicates = "error",
    unjudged: Unjudged = "keep",
    depth: int | None = None,
    exclude_self: bool = False,
    order: Method = "mc4",
    test: Test | OwnTest = "t",
    correction: Correction = "holm",
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    baseline: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
    reuse: str | Path | None = None,
) -> Evaluation:
    """Compare runs under each measure: which run is better, and how sure one can be.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
        As for `positions`. ``depth`` cuts the runs for all tables, coverage too.
    measures
        Metrics and preferences, as objects, in their notation or as functions (see `preferences`).
        Measures by subtopic take the qrels' column ``iteration`` as the subtopic. A metric is used
        twice: for scores, and as the preference for the run with the better score. Default: RPP,
        LR, LP, AP, nDCG@10 and RR; for a single run only the metrics among them.
    order
        How preferences order the runs: a method of `order_runs`. Metrics order them by their mean.
    test, correction, family, alpha, alternative, trials, seed
        As for `compare`.
    baseline : str, optional
        The run to compare the others with: comparisons and power are then of these pairs alone, and
        ``against_baseline`` has a row for each run and measure. All other tables are of all pairs.
    requests, by
        A frame with the column ``query_id`` and attributes of requests, and the names of the
        attributes that form groups of requests. All tables about runs and pairs are then computed
        within each group and begin with these attributes as columns. Coverage, scores and
        preferences are not grouped.
    reuse : path, optional
        The folder to which `Evaluation.write` wrote the results of an earlier evaluation. Its
        scores and preferences are taken where they still hold, and all others are computed; the
        tables are the same as without it. They hold for runs that have not changed (files with
        the same sha256, frames with the same rows), under the same policies, for the requests
        whose judgments have not changed, for built-in measures, and for the same version of
        lexiframe (but for its last number). Measures that depend on the other runs (see `add_runs`)
        are computed again if a run was added, left out or changed. ``provenance["reused"]`` says
        how many runs, requests, measures and pairs were taken. The results may be written to the
        same folder.

    Returns
    -------
    Evaluation
        All tables; it prints a summary, and ``write`` and ``report`` store it.

    Raises
    ------
    LexiframeError
        As `positions`, `scores` and `compare`; when a measure's ``rel`` is below ``rel``, because
        lower grades are then no longer known; for a baseline that is not among the runs, or alone;
        and, before runs are read, when there are more pairs of runs, requests and measures than
        memory holds, and when ``reuse`` is not a folder of results, or one of its files is missing,
        damaged or of another evaluation.

    Warns
    -----
    LexiframeWarning
        With counts, when data were dropped or filled; and with the reason when nothing in ``reuse``
        holds.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.tie_rates.select("measure", "ties").rows()
    [('RPP', 1), ('RR', 6)]
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RR"], baseline="pca8_euclidean")
    >>> e.against_baseline.select("run", pl.col("mean").round(3), "better", "worse", "tied").rows()
    [('pca8_euclidean', 0.867, None, None, None), ('pixels_euclidean', 1.0, 1, 0, 4), \
('random', 0.388, 0, 4, 1)]
    """
    policies = Policies(
        rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
    )
    how = Asked(
        parse_measures(MEASURES if measures is None else measures),
        policies,
        order,
        Inference(test, correction, family, alpha, alternative, trials, seed, baseline),
        names_of(requests, by),
        held_or_data(requests),
        by_default=measures is None,
    )
    kept = None if reuse is None else read_results(reuse)  # before the work, lest it fail after it
    if hasattr(runs, "__arrow_c_stream__"):  # a reader can be read only once
        runs = held(runs, "runs")
    projected = project_runs(runs, held(qrels, "qrels"), how.measures, policies, hashed=True)
    known = None if kept is None else known_in(kept, projected, policies)
    return evaluate_projected(projected, how, known)


@dataclass(frozen=True)
class Asked:
    """What is asked for: the arguments of `evaluate` other than the data."""

    measures: list[Measure]
    policies: Policies
    order: Method
    inference: Inference
    groups: list[str]
    requests: Any
    by_default: bool

    def __post_init__(self) -> None:
        check_choice("evaluate", self.order, get_args(Method), "order")

    def measures_of(self, runs: list[str]) -> list[Measure]:
        """Return the measures for some runs; raise if they cannot be computed."""
        metrics: list[Measure] = [m for m in self.measures if isinstance(m, Metric)]
        if self.inference.baseline is not None:
            check_baseline("evaluate", self.inference.baseline, runs)
        if len(runs) == 1 and self.by_default:
            return metrics
        if len(runs) == 1 and len(self.measures) > len(metrics):
            raise LexiframeError(
                f"evaluate: preferences need at least two runs, found {runs[0]!r} alone; "
                "add a run, or ask for metrics only"
            )
        if self.order == "kemeny" and len(self.measures) > len(metrics):
            refuse_many(len(runs))  # fail before the work, not after it
        return self.measures


def evaluate_projected(projected: Projected, how: Asked, known: Known | None = None) -> Evaluation:
    """Compute all tables of runs whose positions are known; those of ``known`` are reused."""
    ranked, policies = projected.ranked, how.policies
    names = [run.name for run in ranked.runs]
    asked = how.measures_of(names)
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    compared = [] if len(names) == 1 else asked
    reused: dict[str, Any] = {}
    if known is None:
        s, d = projected.scores(metrics), projected.preferences(compared)
    else:
        done = completed(projected, compared, known)
        s, d, reused = done.scores, done.preferences, {"reused": done.reused}
    covered = coverage_table(ranked, projected.positions)
    provenance = {
        "runs": sources_of_origin(projected.runs, ranked.read),
        "qrels": sources_of_qrels(projected.qrels, sha256=ranked.judged.sha256),
        "measures": [str(measure) for measure in asked],
        "policies": asdict(policies),
        "inference": {"ordering": how.order, **how.inference.facts()},
        "groups": how.groups,
        "requests": sources_of_qrels(how.requests),
        **(reused if known and known.is_noted else {}),
    }
    origin = Origin.of(projected, how, provenance)
    del projected, ranked  # frees the positions if they are large
    grouped = Groups.of(s, d, how.requests, how.groups)
    of_pairs = pair_tables(s, d, asked, how.order, how.inference, grouped)
    of_pairs["means"] = best_first(of_pairs["means"], [str(m) for m in asked], how.groups)
    return Evaluation(
        covered,
        scores=s,
        preferences=d,
        **of_pairs,
        provenance=provenance,
        attributes=grouped.requests,
        _origin=origin,
    )


def pair_tables(
    s: pl.DataFrame,
    d: pl.DataFrame,
    asked: list[Measure],
    order: Method,
    inference: Inference,
    groups: Groups,
) -> dict[str, pl.DataFrame]:
    """Compute the tables about runs and pairs, by the names of the attributes of `Evaluation`.

    ``asked`` are the measures, of which preferences order the runs by ``order``.
    """
    within = groups.arguments
    by_mean = order_runs(s, "mean", **within) if s.height else groups.empty(ORDERINGS)
    means = [run_means(s, inference.alpha, **within)] if s.height else []
    if not d.height:
        none = (WIN_RATES, CORRELATIONS, TIE_RATES, SIGN_AGREEMENT, COMPARISONS, POWER)
        empty = {schema.name: groups.empty(schema) for schema in (*none, AGAINST_BASELINE)}
        return {"means": pl.concat(means), "orderings": by_mean, **empty}
    cube = pair_cube_with_scores(d, s)
    names = [str(measure) for measure in asked if not isinstance(measure, Metric)]
    chosen = cube.of_measures(names)
    o = pl.concat([by_mean, order_runs(chosen, order, **within)] if names else [by_mean])
    means += [run_means(chosen, inference.alpha, **within)] if names else []
    o = o.sort(*groups.names, "measure", "method", "rank", "run")
    c, wins = compare(cube, **asdict(inference), **within), win_rates(cube, **within)
    against = groups.empty(AGAINST_BASELINE)
    if inference.baseline is not None:
        against = against_baseline(by_mean, wins, c, inference.baseline, groups.names)
    return {
        "means": pl.concat(means).sort(*groups.names, *MEANS.key),
        "win_rates": wins,
        "orderings": o,
        "correlations": rank_correlations(o, by=groups.names),
        "tie_rates": tie_rates(cube, **within),
        "sign_agreement": sign_agreement(cube, **within),
        "comparisons": c,
        "power": discriminative_power(c, inference.alpha, by=groups.names),
        "against_baseline": against,
    }


def check_baseline(called: str, baseline: str, runs: list[str]) -> None:
    """Raise when the baseline is not among the runs, or is the only one."""
    if baseline not in runs:
        raise unknown_name("run", baseline, runs)
    if len(runs) == 1:
        raise LexiframeError(
            f"{called}: expected runs to compare with the baseline {baseline!r}, found it alone; "
            "add a run, or leave out baseline="
        )


@dataclass(frozen=True)
class Inference:
    """The arguments of `compare`, checked when they are given."""

    test: Test | OwnTest
    correction: Correction
    family: Family
    alpha: float
    alternative: Alternative
    trials: int
    seed: int
    baseline: str | None = None

    def __post_init__(self) -> None:
        check_inference(**{k: v for k, v in asdict(self).items() if k != "baseline"})

    def facts(self) -> dict[str, Any]:
        """Return the arguments as provenance: a test of one's own by its name."""
        names = [name_of_test(test) for test in several(self.test)]
        return asdict(self) | {"test": names if len(names) > 1 else names[0]}


@dataclass(frozen=True)
class Groups:
    """The groups of requests: a frame of attributes, and the names of those that form groups."""

    requests: pl.DataFrame | None
    names: list[str]

    @classmethod
    def of(cls, s: pl.DataFrame, d: pl.DataFrame, requests: Any, names: list[str]) -> Groups:
        """Look up the attributes of all requests once, so that a missing one is reported once."""
        if not names:
            return cls(None, names)
        # the other tables check their columns themselves
        refuse_taken(names, {**VERDICT.columns, **AGAINST_BASELINE.columns})
        return cls(attributes_of(d if d.height else s, requests, names), names)

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the functions that compute tables within groups."""
        return {"requests": self.requests, "by": self.names}

    def empty(self, schema: TableSchema) -> pl.DataFrame:
        """Return a table without rows that has the groups' columns."""
        columns = {} if self.requests is None else self.requests.select(self.names).schema
        # `compare` always returns the optional columns as well.
        optional = {} if schema is not COMPARISONS else COMPARISONS.columns
        return pl.DataFrame(schema={**columns, **schema.required, **optional})
