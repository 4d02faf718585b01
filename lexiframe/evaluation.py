"""The whole flow in one call: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import polars as pl

from lexiframe.coverage import coverage_table
from lexiframe.errors import LexiframeError
from lexiframe.io.duplicates import Duplicates
from lexiframe.io.qrels import file_or_data, sources_of_qrels
from lexiframe.io.runs import RunScan, scan_runs
from lexiframe.io.write import output_folder, replacing, sources_of, write_parquet_file
from lexiframe.measures.metric import Metric
from lexiframe.measures.needs import POOL, RELEVANT
from lexiframe.measures.projections import from_projections, needs_of, projections_for
from lexiframe.measures.scores import scores
from lexiframe.orderings.agreement import sign_agreement, tie_rates
from lexiframe.orderings.correlations import rank_correlations
from lexiframe.orderings.order import order_runs
from lexiframe.orderings.rule import Method, check_method
from lexiframe.orderings.win_rates import win_rates
from lexiframe.positions.collection import rank_runs
from lexiframe.positions.coverage import warn_of_gaps
from lexiframe.positions.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.preferences.cube import pair_cube
from lexiframe.preferences.pairs import Asked, Measure, parse_measures, preferences
from lexiframe.schemas import (
    COMPARISONS,
    CORRELATIONS,
    ORDERINGS,
    POWER,
    PREFERENCES,
    SCORES,
    SIGN_AGREEMENT,
    TIE_RATES,
    WIN_RATES,
    TableSchema,
)
from lexiframe.significance.paired import Correction, Test, check_inference, compare
from lexiframe.significance.power import discriminative_power

MEASURES = ("RPP", "LR", "LP", "AP", "nDCG@10", "RR")


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """The tables of an evaluation, and what they were computed from; made by `evaluate`.

    Attributes
    ----------
    coverage, scores, preferences, win_rates, orderings, correlations, tie_rates, sign_agreement, \
    comparisons, power
        The tables of the functions of the same name (`order_runs`, `rank_correlations`, `compare`
        and `discriminative_power`). With one run, those about pairs are empty.
    provenance
        Files with their sha256, policies, measures and tests.

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
        """Give the tables by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "provenance"}

    def write(self, folder: str | Path) -> list[Path]:
        """Write each table as Parquet, all of them or none.

        Parameters
        ----------
        folder
            Where; it is made when it is not there.

        Returns
        -------
        list of pathlib.Path
            ``scores.parquet``, ``preferences.parquet`` ... with the provenance in the schema
            metadata. The same inputs give the same bytes.

        Raises
        ------
        LexiframeError
            When the folder cannot be written to.
        """
        target = output_folder(folder)
        paths = [target / f"{name}.parquet" for name in self.tables()]
        with ExitStack() as stack:
            for path, table in zip(paths, self.tables().values(), strict=True):
                temporary = stack.enter_context(replacing(path))
                write_parquet_file(temporary, table, {"table": path.stem, **self.provenance})
        return paths

    def report(self, path: str | Path) -> Path:
        """Write the summary as one HTML page that needs nothing else.

        Raises
        ------
        LexiframeError
            When it cannot be written.
        """
        from lexiframe.views.report import html_page

        path = Path(path).expanduser()
        output_folder(path.parent)
        with replacing(path) as temporary:
            temporary.write_text(html_page(self), encoding="utf-8")
        return path

    def __str__(self) -> str:
        from lexiframe.views.tables import as_text

        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lexiframe.views.tables import as_html

        return as_html(self)


def evaluate(
    runs: Any,
    qrels: Any,
    measures: Asked | Iterable[Asked] | None = None,
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    no_relevant: NoRelevant = "drop",
    duplicates: Duplicates = "error",
    unjudged: Unjudged = "keep",
    method: Method = "mc4",
    test: Test = "t",
    correction: Correction = "holm",
    family: Literal["measure", "all"] = "measure",
    alpha: float = 0.05,
) -> Evaluation:
    """Compare runs under each measure: from files to who is better, and how sure one can be.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, no_relevant, duplicates, unjudged
        As for `positions`.
    measures
        Metrics and preferences, or their notation, and functions, see `preferences`. Those by
        subtopic take the qrels' iteration as
        the subtopic. A metric also takes part as the preference of its difference. Unless given:
        RPP, LR, LP, AP, nDCG@10 and RR; of one run alone the metrics.
    method
        How preferences order the runs, see `order_runs`. Metrics order them by their mean.
    test, correction, family, alpha
        As for `compare`.

    Returns
    -------
    Evaluation
        All tables; it prints a summary, and ``write`` and ``report`` store it.

    Raises
    ------
    LexiframeError
        As `positions`, `scores` and `compare`; and for a measure's ``rel`` below that of the
        evaluation, because lower grades are not there any more.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.tie_rates.select("measure", "ties").rows()
    [('RPP', 1), ('RR', 6)]
    """
    asked = parse_measures(MEASURES if measures is None else measures)
    policies = Policies(rel, ties, score_type, no_relevant, duplicates, unjudged)
    _refuse_lower_rel(asked, rel)
    check_method(method)
    check_inference(test, correction, family, alpha)
    if not (isinstance(runs, RunScan) or hasattr(runs, "__arrow_c_stream__")):
        runs = scan_runs(runs)
    qrels = file_or_data(qrels)  # once: standard input cannot be read again for its sha256
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    ranked = rank_runs(runs, qrels, policies, nonrelevant=True, pool=POOL in needs_of(asked))
    warn_of_gaps(ranked)
    p = projections_for(ranked, asked, no_relevant)
    is_alone = len(ranked.runs) == 1
    if is_alone and measures is None:
        asked = [*metrics]
    if is_alone and len(asked) > len(metrics):
        raise LexiframeError(
            f"evaluate: preferences need at least two runs, found {ranked.runs[0].name!r} alone; "
            "add a run, or ask for metrics only"
        )
    s = from_projections(scores, p, metrics, no_relevant) if metrics else _empty(SCORES)
    pairs = [] if is_alone else asked
    d = from_projections(preferences, p, pairs, no_relevant) if pairs else _empty(PREFERENCES)
    provenance = {
        "runs": sources_of(runs),
        "qrels": sources_of_qrels(qrels),
        "measures": [str(measure) for measure in asked],
        "policies": asdict(policies),
        "inference": {
            "ordering": method,
            "test": test,
            "correction": correction,
            "family": family,
            "alpha": alpha,
        },
    }
    of_pairs = _pair_tables(s, d, asked, method, test, correction, family, alpha)
    covered = coverage_table(ranked, p[RELEVANT])
    return Evaluation(covered, s, d, **of_pairs, provenance=provenance)


def _pair_tables(
    s: pl.DataFrame,
    d: pl.DataFrame,
    asked: list[Measure],
    method: Method,
    test: Test,
    correction: Correction,
    family: Literal["measure", "all"],
    alpha: float,
) -> dict[str, pl.DataFrame]:
    by_mean = order_runs(s, "mean") if s.height else _empty(ORDERINGS)
    if not d.height:
        empty = (WIN_RATES, CORRELATIONS, TIE_RATES, SIGN_AGREEMENT, COMPARISONS, POWER)
        return {"orderings": by_mean, **{schema.name: _empty(schema) for schema in empty}}
    cube = pair_cube(d)
    names = [str(measure) for measure in asked if not isinstance(measure, Metric)]
    by_preference = order_runs(cube.of_measures(names), method) if names else _empty(ORDERINGS)
    o = pl.concat([by_mean, by_preference]).sort("measure", "method", "rank", "run")
    c = compare(cube, test, correction, family=family, alpha=alpha)
    return {
        "win_rates": win_rates(cube),
        "orderings": o,
        "correlations": rank_correlations(o),
        "tie_rates": tie_rates(cube),
        "sign_agreement": sign_agreement(cube),
        "comparisons": c,
        "power": discriminative_power(c, alpha),
    }


def _empty(schema: TableSchema) -> pl.DataFrame:
    return pl.DataFrame(schema=schema.required)


def _refuse_lower_rel(asked: list[Measure], rel: float | None) -> None:
    for measure in asked:
        if rel is not None and measure.rel is not None and measure.rel < rel:
            raise LexiframeError(
                f"{measure} counts grades from {measure.rel:g}, but rel={rel:g} takes lower ones "
                "out; leave rel out, or raise that of the measure"
            )
