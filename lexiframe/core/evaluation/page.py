"""The page of an evaluation, and the requests and rankings on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, ReadError, warn
from lexiframe.core.evaluation.buckets.plan import KEPT, Plan
from lexiframe.core.evaluation.buckets.sample import Sample
from lexiframe.core.evaluation.evaluated_data import Origin
from lexiframe.core.evaluation.options import RUNS_OF_PAGE
from lexiframe.core.io import output_files
from lexiframe.core.pairwise import PairCube, pairs, parse_measures
from lexiframe.core.views import Contents, Rankings, contents_of, html_page

Evaluation = Any
"""An `Evaluation`, whose module imports this one."""
Shown = tuple[dict[str, pl.DataFrame], Rankings]
"""The tables of the page, and what it shows of rankings."""


def write_page(path: str | Path, page: Callable[[], str]) -> Path:
    """Write the page of a function whole, or not at all; return its path."""
    path = output_files.output_path(path)
    output_files.output_folder(path.parent)
    with output_files.replacing(path) as temporary:
        temporary.write_text(page(), encoding="utf-8")
    return path


def page_of(e: Evaluation, of_requests: Any, texts: Any, queries: Any) -> str:
    """Return an evaluation as one HTML page; see `page_contents`."""
    return html_page(page_contents(e, of_requests, texts, queries))


def page_contents(
    e: Evaluation,
    of_requests: tuple[tuple[Sample, Plan] | None, Origin | None, PairCube | None],
    texts: Any = None,
    queries: Any = None,
) -> Contents:
    """Return the contents of the page of an evaluation; see `Evaluation.report`.

    ``of_requests`` has a sample of the requests, the data, and the scores and preferences; each is
    None where the evaluation has none.
    """
    sample, origin, part = of_requests
    tables, known = shown_of_sample(e, sample) or _shown_of_first_runs(e, origin, part)
    return contents_of(tables, e.provenance, known, texts, queries)


def shown_of_sample(e: Evaluation, drawn: tuple[Sample, Plan] | None) -> Shown | None:
    """Return the page's tables for a sample of the requests; None where all are known."""
    if e.has_requests:
        return None
    if drawn is None or not len(drawn[0].part.queries):
        raise LexiframeError(
            "report: the page shows single requests, and this evaluation has sums over them "
            "only; evaluate fewer runs, or a sample of the requests for it"
        )
    sample, plan = drawn
    tables = pairs.tables_of(sample.part)
    n, among = len(sample.part.queries), int(e.coverage["requests"][0])
    known = Rankings(
        positions=sample.positions,
        measures=plan.measures,
        attributes=None if e.attributes is None else plan.attributes([*sample.part.queries]),
        excerpt=f"Single requests, and how stable ranks are, are those of {n:,} of {among:,} "
        "requests, drawn by their ids; all other numbers are of all requests.",
    )
    return e.tables() | dict(zip(KEPT, tables, strict=True)), known


def _shown_of_first_runs(e: Evaluation, origin: Origin | None, part: PairCube | None) -> Shown:
    """Return the page's tables for all requests, of the first runs where there are many."""
    runs = runs_of_page(e.orderings, e.provenance["inference"].get("baseline"))
    if runs is None:
        return e.tables(), _rankings(e, origin)
    names = runs.to_list()
    if part is None:
        projected, measures = e.origin("scores").projected()
        part = projected.restricted(measures, None, names).whole(measures)
    tables = pairs.tables_of(part.select_runs(names))
    said = f"The page has {len(runs):,} of {e.orderings['run'].n_unique():,} runs, those "
    said += "with the best rank by any measure; how stable ranks are is computed among these, "
    said += "and all other numbers are those of all runs."
    known = replace(_rankings(e, origin), runs=runs, excerpt=said)
    return e.tables(of_requests=False) | dict(zip(KEPT, tables, strict=True)), known


def runs_of_page(orderings: pl.DataFrame, baseline: str | None) -> pl.Series | None:
    """Return the runs of a page that lacks room for all, sorted; None if there is room.

    These are the runs with the best rank by any measure, and the baseline.
    """
    best = orderings.group_by("run").agg(pl.col("rank").min())
    if best.height <= RUNS_OF_PAGE:
        return None
    is_other = pl.col("run") != (baseline or "")
    return best.sort(is_other, "rank", "run", nulls_last=True)["run"].head(RUNS_OF_PAGE).sort()


def _rankings(e: Evaluation, origin: Origin | None) -> Rankings:
    """Return the rankings for the page, or the reason for their absence."""
    if e.answers is not None:
        return _of_answers(e)
    if origin is None:
        of_runs = "policies" in e.provenance
        gone = "The runs and judgments of these results are gone"
        why = f"{gone if of_runs else 'These are scores of other tools'}, so the rankings are "
        why += "not known."
        return Rankings(why_none=why, attributes=e.attributes)
    found = Rankings(measures=origin.measures, attributes=e.attributes)
    try:
        return replace(found, positions=origin.positions())
    except ReadError as error:
        warn(f"report: without rankings, because they cannot be read again: {error}")
        return replace(found, why_none=f"The rankings could not be read again: {error}")


def _of_answers(e: Evaluation) -> Rankings:
    """Return which sentences state the nuggets, called by their ids and texts."""
    said = Rankings(attributes=e.attributes, coverage=tuple(e.answers.verdict["sentence"]))
    try:
        p = e.positions
    except LexiframeError as error:
        return replace(said, why_none=f"{error}.")
    text = pl.when(pl.col("text") != pl.col("doc_id")).then("text")
    p = p.join(e.answers.nuggets.rename({"nugget_id": "doc_id"}), on=["query_id", "doc_id"])
    p = p.with_columns(pl.concat_str("doc_id", text, separator=": ", ignore_nulls=True))
    measures = tuple(parse_measures(e.provenance["measures"]))
    return replace(said, positions=p, measures=measures, nuggets=True)
