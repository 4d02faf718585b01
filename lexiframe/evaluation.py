"""The whole flow, from files to conclusions, in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from math import inf
from pathlib import Path
from typing import Any, get_args

import polars as pl

from lexiframe.errors import LexiframeError, check_choice, unknown_name
from lexiframe.gaps import coverage_table
from lexiframe.io.files.outputs import output_folder, output_path, replacing, replacing_all
from lexiframe.io.problems.duplicates import Duplicates
from lexiframe.io.qrels import held_or_data, sources_of_qrels
from lexiframe.io.tables.objects import held
from lexiframe.io.write_parquet import sources_of_origin, write_parquet_file
from lexiframe.layouts.cube import pair_cube_with_scores
from lexiframe.layouts.groups import By, attributes_of, names_of, refuse_taken
from lexiframe.metrics.metric import Metric
from lexiframe.metrics.scores import as_list
from lexiframe.orderings.agreement import sign_agreement, tie_rates
from lexiframe.orderings.by_request import request_table
from lexiframe.orderings.correlations import rank_correlations
from lexiframe.orderings.kemeny import refuse_many
from lexiframe.orderings.means import run_means
from lexiframe.orderings.order import order_runs
from lexiframe.orderings.rule import Method
from lexiframe.orderings.win_rates import win_rates
from lexiframe.origin import Origin
from lexiframe.pairwise.explanation import explain, explainable
from lexiframe.pairwise.one_pair import NO_LEVELS, pair_table
from lexiframe.pairwise.pairs import Measure, parse_measures
from lexiframe.projected import project_runs
from lexiframe.projection.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
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


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """The tables of an evaluation and their provenance; `evaluate` makes it.

    Attributes
    ----------
    means
        Key ``run, measure``. ``mean`` over the ``n`` requests, of a preference that of the share of
        the other runs that the run is preferred to in a request (0..1, ties half: the share of
        requests won), with its t interval ``ci_low, ci_high`` of level 1 − alpha. ``rank`` is that
        of the mean, 1 the best; of preferences ``orderings`` may have another (see ``order``).
    coverage, scores, preferences, win_rates, orderings, correlations, tie_rates, sign_agreement, \
    comparisons, power
        The tables that the functions of the same name return (for the orderings, correlations,
        comparisons and power: `order_runs`, `rank_correlations`, `compare` and
        `discriminative_power`). With a single run, the tables about pairs are empty. With a
        baseline, comparisons and power are those of the other runs against it.
    against_baseline
        The same comparisons in one row a run; without a baseline it is empty. Key ``measure, test,
        correction, run``, sorted by it. ``mean`` is the run's mean score over its requests (of
        metrics; null for preferences). ``mean_difference`` (positive: better than the baseline)
        has the interval ``ci_low, ci_high``; ``n``, ``effect_size``, ``p_value``, ``p_adjusted``
        and ``reject`` are those of `compare`. ``better``, ``worse`` and ``tied`` count requests.
        The baseline itself has a row with its mean alone.
    provenance
        What the tables were computed from: the files, their sha256 and how they were read, the
        policies, the measures, the tests and the groups.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.power.select("measure", "n_pairs").rows()
    [('RPP', 3), ('RR', 3)]
    """

    coverage: pl.DataFrame
    means: pl.DataFrame
    scores: pl.DataFrame
    preferences: pl.DataFrame
    win_rates: pl.DataFrame
    orderings: pl.DataFrame
    correlations: pl.DataFrame
    tie_rates: pl.DataFrame
    sign_agreement: pl.DataFrame
    comparisons: pl.DataFrame
    power: pl.DataFrame
    against_baseline: pl.DataFrame
    provenance: dict[str, Any]
    _origin: Origin | None = None

    @property
    def positions(self) -> pl.DataFrame:
        """The table of `positions` that the evaluation was computed from.

        It has the judged items that are not relevant, and ``pool_size``, if a measure needs them.
        It is kept when it takes at most a tenth of the memory that is available; else the runs and
        judgments are read again, and frames that were given are used again.

        Raises
        ------
        ReadError
            When a file that is read again has changed since the evaluation, or is not there.
        LexiframeError
            When the evaluation was computed from scores, without rankings.
        """
        return self._read("positions").positions()

    @property
    def collection(self) -> tuple[Any, Any]:
        """The runs and judgments as they were given, for functions that take both.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or is not there.
        LexiframeError
            When the evaluation was computed from scores, without rankings.
        """
        return self._read("collection").collection()

    def pair(
        self,
        run_a: str,
        run_b: str,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """Compare two runs request by request, from where the first gains most to where it loses.

        Parameters
        ----------
        run_a, run_b
            The runs, in the direction asked for: differences are positive where run_a is better.
        measures
            Some of the measures of the evaluation. Default: all.

        Returns
        -------
        polars.DataFrame
            Key ``measure, query_id``. The measures are in the order asked for, and the requests of
            each are sorted by ``preference``, run_a's greatest gain first; equal ones by id.
            ``value_a`` and ``value_b`` are the scores of a metric, null for a preference.
            ``deciding_level`` is the recall level, from 1, that decides a lexicographic preference,
            null for ties and for other measures; for these levels alone positions are needed.

        Raises
        ------
        UnknownNameError
            With near matches, for a run or a measure that the evaluation does not have.
        LexiframeError
            When both runs are the same; and as `positions`, if there are lexicographic measures.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["LR", "RR"])
        >>> both = e.pair("pixels_euclidean", "pca8_euclidean")
        >>> both.filter(measure="LR").select("query_id", "preference", "deciding_level").rows()
        [('q0113', 1.0, 14), ('q0175', 1.0, 20), ('q0206', 1.0, 14), ('q0066', 0.0, None), \
('q0078', -1.0, 21)]
        """
        run_a, run_b = self._run_named(run_a), self._run_named(run_b)
        if run_a == run_b:
            raise LexiframeError(f"pair: expected two different runs, found {run_a!r} twice")
        names = self._names_of(measures)
        levels = NO_LEVELS if self._origin is None else self._origin.levels((run_a, run_b), names)
        return pair_table(self.scores, self.preferences, levels, (run_a, run_b), names)

    def explain(
        self,
        query_id: str,
        run_a: str,
        run_b: str,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """Explain the preference between two rankings of one request, recall level by recall level.

        Parameters
        ----------
        query_id, run_a, run_b
            The request, and the runs whose rankings are compared, in this order.
        measures
            Preferences and metrics that are sums over levels. Default: those of the evaluation;
            RPP, LR and LP when it has none.

        Returns
        -------
        polars.DataFrame
            The table of `explain`: a row for each recall level, with the items, their positions,
            and what they contribute to each measure.

        Raises
        ------
        LexiframeError
            As `explain` and ``positions``.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
        >>> e.explain("q0066", "pixels_euclidean", "random").columns[-4:]
        ['RPP weight', 'RPP', 'AP_a', 'AP_b']
        """
        p = self.positions
        if measures is None:
            grades = p.filter(pl.col("query_id") == str(query_id))["relevance"].drop_nulls()
            greatest = max(grades, default=inf)
            measures = explainable(self._read("explain").measures, greatest) or None
        return explain(p, query_id, run_a, run_b, measures)

    def requests(
        self,
        run: str | None = None,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """List the requests: which are hard, where measures disagree, and where a run fails.

        Parameters
        ----------
        run
            A run whose failures are wanted. Default: only what holds for all runs.
        measures
            Some of the measures of the evaluation. Default: all.

        Returns
        -------
        polars.DataFrame
            Key ``measure, query_id``, the measures in the order asked for. ``n`` runs have the
            scores whose ``mean``, standard deviation ``sd``, ``min`` and ``max`` follow, null for
            preferences, which have no scores. ``tie_rate`` is the share of pairs of runs that the
            measure ties, in 0..1. ``agreement``, in 0..1, is the share of the pairs that it does
            not tie for which another measure prefers the same run, over all other measures of the
            evaluation (see `sign_agreement`); null if there are none. The hardest request, of the
            worst mean, comes first.

            With a run, ``run`` names it, ``value`` is its score, and ``mean_preference`` its mean
            difference from the other runs (negative: worse than they are). It is better than
            ``better`` of them, worse than ``worse``, and equal to ``tied``. The request where it
            fails most, of the least ``mean_preference``, then comes first.

        Raises
        ------
        UnknownNameError
            With near matches, for a run or a measure that the evaluation does not have.

        Examples
        --------
        >>> import lexiframe as lf, polars as pl
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
        >>> hardest = e.requests(measures="AP")
        >>> hardest.select("query_id", pl.col("mean").round(3), "agreement").row(0)
        ('q0113', 0.408, 1.0)
        >>> e.requests("random", "AP").select("query_id", "better", "worse").row(0)
        ('q0078', 0, 2)
        """
        names = self._names_of(measures)
        if run is not None:
            run = self._run_named(run)
        return request_table(self.scores, self.preferences, names, run)

    def _read(self, what: str) -> Origin:
        if self._origin is None:
            raise LexiframeError(
                f"{what}: this evaluation was computed from scores, so the rankings are not known; "
                "use evaluate(runs, qrels) for that"
            )
        return self._origin

    def _run_named(self, name: str) -> str:
        """Return the name of a run as text, as ids are in every table; raise if there is none."""
        known = self.orderings["run"].unique().sort()  # scores of other tools have no coverage
        if str(name) not in known:
            raise unknown_name("run", str(name), known)
        return str(name)

    def _names_of(self, measures: Any) -> list[str]:
        """Return the names of some measures of the evaluation, or of all."""
        known = self.provenance["measures"]
        if measures is None:
            return [*known]
        given = [m if m in known else str(parse_measures(m)[0]) for m in as_list(measures)]
        for name in given:
            if name not in known:
                raise unknown_name("measure", name, known)
        return list(dict.fromkeys(given))

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        return {name: getattr(self, name) for name in _names_of_tables()}

    def write(self, folder: str | Path) -> list[Path]:
        """Write each table as Parquet, all of them or none.

        Parameters
        ----------
        folder
            The folder to write to; it is made if it does not exist.

        Returns
        -------
        list of pathlib.Path
            ``coverage.parquet``, ``scores.parquet`` ..., with the provenance in their schema
            metadata. The same inputs give the same bytes.

        Raises
        ------
        LexiframeError
            When the folder cannot be written to.
        """
        target = output_folder(folder)
        paths = table_files(target)
        with replacing_all(paths) as temporaries:
            for (name, table), file in zip(self.tables().items(), temporaries, strict=True):
                write_parquet_file(file, table, {"table": name, **self.provenance})
        return paths

    def report(self, path: str | Path) -> Path:
        """Write the summary as one HTML page that loads no other file.

        Raises
        ------
        LexiframeError
            When the page cannot be written.
        """
        from lexiframe.views.report import html_page

        path = output_path(path)
        output_folder(path.parent)
        with replacing(path) as temporary:
            temporary.write_text(html_page(self.tables(), self.provenance), encoding="utf-8")
        return path

    def __str__(self) -> str:
        from lexiframe.views.summary import as_text

        return as_text(self.tables(), self.provenance)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lexiframe.views.summary import as_html

        return as_html(self.tables(), self.provenance)


def _names_of_tables() -> list[str]:
    return [field.name for field in fields(Evaluation) if field.type == "pl.DataFrame"]


def table_files(folder: Path) -> list[Path]:
    """Return the paths of the files that `Evaluation.write` writes to a folder."""
    return [folder / f"{name}.parquet" for name in _names_of_tables()]


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
        memory holds.

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
    asked = parse_measures(MEASURES if measures is None else measures)
    policies = Policies(
        rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
    )
    check_choice("evaluate", order, get_args(Method), "order")
    inference = Inference(test, correction, family, alpha, alternative, trials, seed, baseline)
    groups, requests = names_of(requests, by), held_or_data(requests)
    if hasattr(runs, "__arrow_c_stream__"):  # a reader can be read only once
        runs = held(runs, "runs")
    projected = project_runs(runs, held(qrels, "qrels"), asked, policies, hashed=True)
    ranked = projected.ranked
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    is_alone = len(ranked.runs) == 1
    if baseline is not None:
        check_baseline("evaluate", baseline, [run.name for run in ranked.runs])
    if is_alone and measures is None:
        asked = [*metrics]
    if is_alone and len(asked) > len(metrics):
        raise LexiframeError(
            f"evaluate: preferences need at least two runs, found {ranked.runs[0].name!r} alone; "
            "add a run, or ask for metrics only"
        )
    if order == "kemeny" and len(asked) > len(metrics):  # fail before the work, not after it
        refuse_many(len(ranked.runs))
    s = projected.scores(metrics)
    covered = coverage_table(ranked, projected.positions)
    d = projected.preferences([] if is_alone else asked)
    provenance = {
        "runs": sources_of_origin(projected.runs, ranked.read),
        "qrels": sources_of_qrels(projected.qrels, sha256=ranked.judged.sha256),
        "measures": [str(measure) for measure in asked],
        "policies": asdict(policies),
        "inference": {"ordering": order, **inference.facts()},
        "groups": groups,
        "requests": sources_of_qrels(requests),
    }
    origin = Origin.of(projected, policies, provenance)
    del projected, ranked  # frees the positions if they are large
    of_pairs = pair_tables(s, d, asked, order, inference, Groups.of(s, d, requests, groups))
    return Evaluation(
        covered, scores=s, preferences=d, **of_pairs, provenance=provenance, _origin=origin
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
