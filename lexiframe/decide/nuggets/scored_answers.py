"""The values of answers, as rows of scores: `nugget_scores`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed, schemas, typed
from lexiframe.core.metrics import as_list, as_metric, unique_by_name
from lexiframe.decide.nuggets import measures as known
from lexiframe.decide.nuggets.answer_tables import AnswerTables
from lexiframe.decide.nuggets.nugget_metrics import NuggetMetric, PairedNuggets
from lexiframe.typing import Frame, MeasureLike

_KEY = ["run", "query_id"]


@typed
def nugget_scores(
    n: Frame,
    /,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    nuggets: Frame | None = None,
) -> pl.DataFrame:
    """Compute how much of what a request asks for an answer states, and how well it cites.

    Parameters
    ----------
    n
        What `read_nuggets` returns; or a table of ``statements`` (see `Nuggets`), with ``nuggets``.
    measures
        One or several of NuggetRecall, with ``vital`` or ``weighted`` and ``strict`` in
        parentheses, CitationSupport, CitationRelevance, SentenceSupport, SupportPrecision,
        SupportRecall, ReportF1 and ``ReportF1(weighted)``; also by nuggetizer's and Auto-ARGUE's
        names. `measures` describes each. Default: all that the judgments allow.
    nuggets
        The table of nuggets for a table of statements.

    Returns
    -------
    polars.DataFrame
        Rows of `scores`: key ``run, query_id, measure``, sorted by it; ``value``, from 0 to 1. It
        is null where a measure says nothing of an answer: NuggetRecall(vital) of a request without
        vital nuggets, CitationSupport of an answer without citations. A request that a run does not
        answer has 0, but null where only what was cited is counted (CitationSupport,
        CitationRelevance, SupportPrecision). Requests without nuggets are left out.

    Raises
    ------
    UnknownNameError
        For a measure that does not exist.
    LexiframeError
        For a measure of another kind, and for one that needs nuggets or sentences that were not
        judged.

    Notes
    -----
    ``e = lf.evaluate_scores(s)`` and `compare` take the scores. Where no request has vital nuggets,
    nuggetizer has 0, and here it is null.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> facts = pl.DataFrame({"query_id": "q", "nugget_id": ["a", "b", "c"],
    ...                       "importance": ["vital", "vital", "okay"]})
    >>> stated = pl.DataFrame({"run": "x", "query_id": "q", "nugget_id": ["a", "b"],
    ...                        "credit": [1.0, 0.5]})
    >>> s = lf.nugget_scores(stated, ["NuggetRecall", "NuggetRecall(weighted,strict)"],
    ...                      nuggets=facts)
    >>> s["value"].round(2).to_list()
    [0.5, 0.4]
    """
    judged = judged_tables(n, nuggets)
    asked = asked_measures(measures, judged)
    of_f1 = [one for one in asked if one.rows == "scores"]
    parts = [known.NuggetRecall(weighted=one.values["weighted"]) for one in of_f1]
    needed = unique_by_name([*asked, *parts, *[known.SentenceSupport][: len(of_f1)]])
    grid = judged.grid
    for rows in ("nugget_rows", "citations", "sentence_rows"):
        if of_rows := [one for one in needed if one.rows == rows]:
            values = getattr(judged, rows).group_by(_KEY).agg(one.value for one in of_rows)
            grid = grid.join(values, on=_KEY, how="left")
    empty = ((str(one), one.unanswered) for one in needed if one.rows == "sentence_rows")
    grid = grid.with_columns(
        pl.when("answered").then(name).otherwise(value).alias(name) for name, value in empty
    )
    grid = grid.with_columns(one.value for one in of_f1)
    table = grid.unpivot([str(one) for one in asked], index=_KEY, variable_name="measure")
    return table.cast({"value": pl.Float64}).sort(schemas.SCORES.key)


def judged_tables(n: Any, nuggets: Any = None) -> AnswerTables:
    """Return judgments unchanged, or the judgments in a table of statements."""
    if isinstance(n, AnswerTables):
        return n
    if nuggets is None:
        raise LexiframeError(
            "expected what read_nuggets returns, or a table of statements with nuggets=, found a "
            "table alone"
        )
    return AnswerTables(schemas.to_polars(nuggets), schemas.to_polars(n))


def named_measures(measures: Any) -> list[Any]:
    """Return one or several measures, or all, with the tools' short names translated."""
    named = as_list(known.USUAL if measures is None else measures)
    return [known.ALSO.get(one, one) if isinstance(one, str) else one for one in named]


def asked_measures(measures: Any, judged: AnswerTables) -> list[NuggetMetric]:
    """Return the measures; raise for another kind of measure, and for data without judgments."""
    has = {"nugget_rows": judged.nuggets.height > 0, "citations": judged.sentences.height > 0}
    has |= {"sentence_rows": has["citations"], "scores": all(has.values())}
    asked: list[Any] = unique_by_name([as_metric(one) for one in named_measures(measures)])
    if measures is None:
        return [one for one in asked if has[one.rows]]
    for one in asked:
        if isinstance(one, PairedNuggets):
            raise LexiframeError(f"{one}: compares two answers; preferences has it")
        if not isinstance(one, NuggetMetric):
            how = printed.advice(python="scores has it", terminal="leave it or --nuggets out")
            raise LexiframeError(f"{one}: is no measure of answers judged by nuggets; {how}")
        if not has[one.rows]:
            lacks = "nuggets" if not has["nugget_rows"] else "sentences and their citations"
            raise LexiframeError(
                f"{one}: needs {lacks}, which were not judged; read Auto-ARGUE's judgments of "
                "reports together with their nugget banks"
            )
    return asked
