"""Evidence that a gate refuses: mistakes of its inputs that would let a candidate pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import facts

GateMissing = Literal["refuse", "zero", "drop"]
"""What is done where one of the two runs lacks requests: refuse them, 0, or leave them out."""

_WAYS = (
    "; give both runs all requests, or say what the gap means: missing='zero' (the run found "
    "nothing there) or missing='drop' (only the requests that both runs have)"
)


def settle_lone_requests(s: pl.DataFrame) -> pl.DataFrame:
    """Add 0 where a table of scores has a request of one of two runs only."""
    filled: pl.DataFrame = missing_requests.settle(s, "zero")[0]
    return filled


def is_answered(s: pl.DataFrame) -> pl.Expr:
    """Return whether scores are of rankings that are there, as far as is known."""
    known = pl.col("answered") if "answered" in s.columns else pl.lit(value=True)
    return known.fill_null(value=True)


def refuse_lone_requests(s: pl.DataFrame) -> None:
    """Raise where a table of scores has requests of one of two runs only.

    A 0 in place of a missing ranking is no score.
    """
    run = pl.col("run").cast(pl.String).filter(is_answered(s))
    there = s.group_by("measure", "query_id").agg(run.unique())
    lone = there.filter(pl.col("run").list.len() < 2).with_columns(pl.col("run").list.first())
    lone = lone.with_columns(pl.col("run").fill_null("neither run"))
    counts = there.group_by("measure").agg(of=pl.len())
    found = lone.group_by("measure", "run").len("only").join(counts, on="measure")
    # A measure without a request of both runs has an error of its own.
    if "answered" not in s.columns:
        found = found.filter(pl.col("only").sum().over("measure") < pl.col("of"))
    if found.height:
        said = ", ".join(
            f"{only:,} of {of:,} requests for {measure} have a score of {run} only"
            for measure, run, only, of in found.sort("measure", "run").rows()
        )
        zeros = " (0 in place of a missing ranking is no score)" * ("answered" in s.columns)
        raise LexiframeError(f"gate: expected scores of both runs, found that {said}{zeros}{_WAYS}")


def refuse_missing_rankings(answers: pl.DataFrame, missing: GateMissing) -> None:
    """Raise when one of two runs did not answer judged requests, unless ``missing`` is given."""
    lacking = answers.filter(pl.col("missing") > 0).select("run", "missing", "requests").rows()
    if lacking and missing == "refuse":
        said = ", ".join(f"{n:,} of {of:,} missing from {run}" for run, n, of in lacking)
        raise LexiframeError(
            f"gate: expected rankings of both runs for all judged requests, found {said}{_WAYS}"
        )


_LEAST_JUDGED = 0.1
"""The least number of judged documents for each ranking: even sparse judgments have more."""


def refuse_other_collection(counts: pl.DataFrame) -> None:
    """Raise when a run retrieved none, or hardly any, of the judged documents.

    ``counts`` are those of `counts_of`, with a row for each run.
    """
    few = counts.filter(pl.col("judged") <= _LEAST_JUDGED * pl.col("answered"))
    for run, answered, judged in few.select("run", "answered", "judged").rows():
        raise LexiframeError(
            "gate: expected judgments of the collection that the runs search, found "
            f"{judged:,} judged documents in the {answered:,} rankings of {run} for judged "
            "requests; give the judgments that belong to the runs"
        )


def refuse_wide(margin: float, measure: str, bounds: Any = None) -> None:
    """Raise when a margin is as wide as the range of a measure, so that no difference exceeds it.

    ``bounds`` are the user's, or the facts of the measure; None: its name tells.
    """
    known = facts.Facts.named(measure) if bounds is None else bounds
    if known is None:
        return  # a measure of the user's own, whose range is not known
    if not isinstance(known, facts.Facts):
        known = facts.Facts("metric", bounds=f"{known[0]:g} to {known[1]:g}")
    width = known.limits.width
    if 0 < width <= margin:
        raise LexiframeError(
            f"gate: expected a margin below {width:g} for {measure}, whose values are "
            f"{known.bounds}, found {margin:g}: no candidate could be worse by more; give the "
            "difference that does not matter yet"
        )


def add_directions(
    s: pl.DataFrame, smaller: Sequence[str], larger: Sequence[str], *, is_asked: bool = True
) -> pl.DataFrame:
    """Return scores with the direction of the measures that are named; raise for unknown ones.

    A measure's direction is known from its name, from the column ``smaller_is_better``, or from one
    of the two lists.
    """
    has = "smaller_is_better" in s.columns
    given = s["smaller_is_better"] if has else pl.Series([None] * s.height, dtype=pl.Boolean)
    name = pl.col("measure").cast(pl.String)
    table = s.with_columns(
        smaller_is_better=pl.when(name.is_in([*smaller]))
        .then(True)
        .when(name.is_in([*larger]))
        .then(False)
        .otherwise(given)
    )
    unknown = facts.unknown_directions(table)
    if unknown and not is_asked:
        facts.warn_of_directions(unknown)
    elif unknown:
        raise LexiframeError(
            f"gate: expected to know whether smaller values of {', '.join(unknown)} are "
            f"better, found measures of unknown direction; say smaller_is_better={unknown} or "
            f"larger_is_better={unknown}, on the command line --smaller-is-better or "
            "--larger-is-better"
        )
    return table
