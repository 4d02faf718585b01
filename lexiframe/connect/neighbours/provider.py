"""A provider of measures for ir_measures, which computes them by this library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple, cast

import ir_measures
import numpy as np
import polars as pl
from ir_measures import measures as known
from ir_measures import providers
from ir_measures.providers.base import Any as AnyValue

from lexiframe.core.base import LexiframeError
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics import Metric, needed
from lexiframe.core.pairwise import measured, parse_measure
from lexiframe.core.projection import Policies, ScoreType, judgments

_WITHOUT_UNJUDGED = "judged_only"
_OF_QRELS = ("query_id", "doc_id", "relevance", "iteration")


def _widest_measure(measure: Any) -> Any:
    every: Any = AnyValue
    return type(measure)(**{name: every() for name in measure.SUPPORTED_PARAMS})


def _ours(measure: Any) -> tuple[Metric, bool]:
    """Return a measure of ir_measures as a metric, and whether unjudged documents are removed."""
    others = {k: v for k, v in measure.params.items() if k != _WITHOUT_UNJUDGED}
    written = str(type(measure)(**others))
    if measure.NAME == "IPrec":  # it asks an older trec_eval, which rounds levels otherwise
        written = f"IPrec(rel={measure['rel']},rounding='up')@{measure['recall']}"
    if measure.NAME == "Accuracy" and "rel" not in others:  # as text it may be other tools' hits
        written = written.replace("Accuracy", "Accuracy(rel=1)")
    metric = cast(Metric, parse_measure(written))  # ir_measures names no preferences
    return metric, bool(measure.params.get(_WITHOUT_UNJUDGED, False))


def _held(data: Any, names: tuple[str, ...]) -> Any:
    """Return judgments or a run that can be read repeatedly; of frames, the columns that count."""
    if hasattr(data, "columns"):
        return data[[name for name in names if name in data.columns]]
    return data if isinstance(data, dict) else [*data]


class LexiframeProvider(providers.Provider):
    """Computes all measures that ir_measures names."""

    NAME = "lexiframe"
    SUPPORTED_MEASURES: list[Any] = [  # noqa: RUF012 - the base class says so
        _widest_measure(measure) for measure in dict.fromkeys(known.registry.values())
    ]

    def __init__(self, score_type: ScoreType, duplicates: qrel_files.Duplicates) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.policies = Policies(score_type=score_type, no_relevant="zero", duplicates=duplicates)

    def supports(self, measure: Any) -> bool:
        """Return whether the measure is one of ir_measures' own, and can be computed."""
        if not super().supports(measure):
            return False
        try:
            needs = _ours(measure)[0].needs
        except LexiframeError:
            return False
        has_none = "cutoff" in measure.SUPPORTED_PARAMS and "cutoff" not in measure.params
        return not (needs == needed.SUBTOPICS and has_none)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of judgments that some measures need, subtopics among them."""
        usual: list[str] = super().qrel_inputs(measures)
        of_subtopics = any(_ours(measure)[0].needs == needed.SUBTOPICS for measure in measures)
        return [*usual, *["iteration"] * of_subtopics]

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> providers.Evaluator:
        return LexiframeEvaluator([*measures], qrels, self.policies)


class _Group(NamedTuple):
    """Measures with equal rankings of the runs."""

    policies: Policies
    judged: judgments.JudgedItems
    measures: dict[Any, Metric]


class _Column(NamedTuple):
    """The values of a measure for some requests, and the requests that have none."""

    measure: Any
    queries: list[str]
    values: list[float]
    missing: list[str]

    @classmethod
    def fill(
        cls, measure: Any, queries: list[str], values: np.ndarray, every: Iterable[str]
    ) -> _Column:
        """Return the values of a measure, without requests whose value is NaN: no subtopic."""
        known = ~np.isnan(values)
        if not known.all():
            queries = [*compress(queries, known)]
        missing = sorted({*every}.difference(queries))
        return cls(measure, queries, values[known].tolist(), missing)


class LexiframeEvaluator(providers.Evaluator):
    """Evaluates runs by the same judgments, which are read once.

    Each run is ranked once; and once more for measures that remove unjudged documents, and for
    `Judged`, to which documents of a negative grade are judged.
    """

    def __init__(self, measures: list[Any], qrels: Any, policies: Policies) -> None:
        read = qrel_files.load_qrels(_held(qrels, _OF_QRELS))
        rows = read.rows
        self._groups: list[_Group] = []
        of_each: dict[tuple[bool, bool], dict[Any, Metric]] = {}
        for measure in measures:
            metric, removed = _ours(measure)
            of_each.setdefault((removed, measure.NAME == "Judged"), {})[measure] = metric
        for (removed, is_any_grade), some in of_each.items() if rows.height else ():
            of_these = replace(policies, unjudged="remove" if removed else "keep")
            # To others a document of a negative grade is unjudged, as in trec_eval.
            grades = pl.col("relevance").clip(0) if is_any_grade else pl.col("relevance")
            some_read = replace(read, rows=rows.with_columns(grades))
            judged = judgments.judged_items(some_read, of_these, nonrelevant=True, are_part=True)
            self._groups.append(_Group(of_these, replace(judged, kept={}), some))
        super().__init__(measures, {*rows["query_id"].cast(pl.String).unique()})

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield the value of each request and measure; at last the defaults of missing requests.

        The base class looks for missing requests by hashing each measure again for each value,
        which takes longer than the values do.
        """
        found = [*self._columns(run)]
        for measure, queries, values, _ in found:
            for query, value in zip(queries, values, strict=True):
                yield ir_measures.Metric(query, measure, value)
        for measure, _, _, missing in sorted(found, key=lambda one: str(one.measure)):
            for query in missing:
                yield ir_measures.Metric(query, measure, measure.DEFAULT)

    def calc_aggregate(self, run: Any) -> dict[Any, Any]:
        """Return the mean of each measure, or ir_measures' own aggregate of its values."""
        means = {}
        for measure, _, values, missing in self._columns(run):
            aggregator = measure.aggregator()
            for value in values:
                aggregator.add(value)
            for _ in missing:
                aggregator.add(measure.DEFAULT)
            means[measure] = aggregator.result()
        return means

    def _columns(self, run: Any) -> Iterator[_Column]:
        if not self._groups:  # without judgments no request has a value, as with other providers
            yield from (_Column(measure, [], [], []) for measure in self.measures)
        run = _held(run, ("query_id", "doc_id", "score"))
        for group in self._groups:
            metrics = [*dict.fromkeys(group.measures.values())]
            ranked = measured.rank(
                {"run": run}, group.judged, metrics, group.policies, are_part=True
            )
            cube = measured.projected_of(ranked, metrics, "zero").scores(metrics)
            every = cube.queries.to_list()
            index = [group.judged.query_index[query] for query in every]
            there = np.flatnonzero(ranked.runs[0].answered[index])
            place = {name: n for n, name in enumerate(cube.measures)}
            queries = [every[n] for n in there.tolist()]
            for measure, metric in group.measures.items():
                values = cube.values[place[str(metric)], there, 0]
                yield _Column.fill(measure, queries, values, self.qrel_qids)
