"""The whole flow, from files to conclusions, in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_args

import polars as pl

from lexiframe.errors import LexiframeError, check_choice
from lexiframe.gaps import coverage_table
from lexiframe.io.files.outputs import output_folder, output_path, replacing, replacing_all
from lexiframe.io.problems.duplicates import Duplicates
from lexiframe.io.qrels import held_or_data, sources_of_qrels
from lexiframe.io.write_parquet import sources_of, write_parquet_file
from lexiframe.layouts.cube import known_pairs
from lexiframe.layouts.groups import By, attributes_of, names_of, refuse_taken
from lexiframe.metrics.metric import Metric
from lexiframe.orderings.agreement import sign_agreement, tie_rates
from lexiframe.orderings.correlations import rank_correlations
from lexiframe.orderings.kemeny import refuse_many
from lexiframe.orderings.order import order_runs
from lexiframe.orderings.rule import Method
from lexiframe.orderings.win_rates import win_rates
from lexiframe.pairwise.pairs import Measure, parse_measures
from lexiframe.projected import project_runs
from lexiframe.projection.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.schemas import (
    COMPARISONS,
    CORRELATIONS,
    ORDERINGS,
    POWER,
    SIGN_AGREEMENT,
    TIE_RATES,
    VERDICT,
    WIN_RATES,
    TableSchema,
)
from lexiframe.significance.differences import Alternative
from lexiframe.significance.paired import Correction, Family, Test, check_inference, compare
from lexiframe.significance.power import discriminative_power
from lexiframe.typing import MeasureLike, QrelsLike, RequestsLike, RunsLike

MEASURES = ("RPP", "LR", "LP", "AP", "nDCG@10", "RR")


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """The tables of an evaluation and their provenance; `evaluate` makes it.

    Attributes
    ----------
    coverage, scores, preferences, win_rates, orderings, correlations, tie_rates, sign_agreement, \
    comparisons, power
        The tables that the functions of the same name return (for the orderings, correlations,
        comparisons and power: `order_runs`, `rank_correlations`, `compare` and
        `discriminative_power`). With a single run, the tables about pairs are empty.
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
    scores: pl.DataFrame
    preferences: pl.DataFrame
    win_rates: pl.DataFrame
    orderings: pl.DataFrame
    correlations: pl.DataFrame
    tie_rates: pl.DataFrame
    sign_agreement: pl.DataFrame
    comparisons: pl.DataFrame
    power: pl.DataFrame
    provenance: dict[str, Any]

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
        from lexiframe.views.tables import as_text

        return as_text(self.tables(), self.provenance)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lexiframe.views.tables import as_html

        return as_html(self.tables(), self.provenance)


def _names_of_tables() -> list[str]:
    return [field.name for field in fields(Evaluation) if field.name != "provenance"]


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
    test: Test = "t",
    correction: Correction = "holm",
    family: Family = "measure",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
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
        lower grades are then no longer known; and, before runs are read, when there are more pairs
        of runs, requests and measures than memory holds.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.tie_rates.select("measure", "ties").rows()
    [('RPP', 1), ('RR', 6)]
    """
    asked = parse_measures(MEASURES if measures is None else measures)
    policies = Policies(
        rel, ties, score_type, no_relevant, duplicates, unjudged, depth, exclude_self
    )
    check_choice("evaluate", order, get_args(Method), "order")
    inference = Inference(test, correction, family, alpha, alternative, trials, seed)
    groups, requests = names_of(requests, by), held_or_data(requests)
    projected = project_runs(runs, qrels, asked, policies, hashed=True)
    ranked = projected.ranked
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    is_alone = len(ranked.runs) == 1
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
        "runs": sources_of(projected.runs, ranked.read),
        "qrels": sources_of_qrels(projected.qrels, sha256=ranked.judged.sha256),
        "measures": [str(measure) for measure in asked],
        "policies": asdict(policies),
        "inference": {"ordering": order, **asdict(inference)},
        "groups": groups,
        "requests": sources_of_qrels(requests),
    }
    del projected, ranked  # frees the positions, which are as large as all tables that follow
    of_pairs = _pair_tables(s, d, asked, order, inference, Groups.of(s, d, requests, groups))
    return Evaluation(covered, s, d, **of_pairs, provenance=provenance)


def _pair_tables(
    s: pl.DataFrame,
    d: pl.DataFrame,
    asked: list[Measure],
    order: Method,
    inference: Inference,
    groups: Groups,
) -> dict[str, pl.DataFrame]:
    within = groups.arguments
    by_mean = order_runs(s, "mean", **within) if s.height else groups.empty(ORDERINGS)
    if not d.height:
        none = (WIN_RATES, CORRELATIONS, TIE_RATES, SIGN_AGREEMENT, COMPARISONS, POWER)
        return {"orderings": by_mean, **{schema.name: groups.empty(schema) for schema in none}}
    cube = known_pairs(d, s)
    names = [str(measure) for measure in asked if not isinstance(measure, Metric)]
    chosen = cube.of_measures(names)
    o = pl.concat([by_mean, order_runs(chosen, order, **within)] if names else [by_mean])
    o = o.sort(*groups.names, "measure", "method", "rank", "run")
    c = compare(cube, **asdict(inference), **within)
    return {
        "win_rates": win_rates(cube, **within),
        "orderings": o,
        "correlations": rank_correlations(o, by=groups.names),
        "tie_rates": tie_rates(cube, **within),
        "sign_agreement": sign_agreement(cube, **within),
        "comparisons": c,
        "power": discriminative_power(c, inference.alpha, by=groups.names),
    }


@dataclass(frozen=True)
class Inference:
    """The arguments of `compare`, checked when they are given."""

    test: Test
    correction: Correction
    family: Family
    alpha: float
    alternative: Alternative
    trials: int
    seed: int

    def __post_init__(self) -> None:
        check_inference(**asdict(self))


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
        refuse_taken(names, VERDICT.columns)  # the other tables check their columns themselves
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
