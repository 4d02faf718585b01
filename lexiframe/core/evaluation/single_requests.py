"""Single requests of an evaluation: the bodies of `Evaluation.pair`, `explain` and `requests`."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.orderings import request_table
from lexiframe.core.pairwise import explain, explainable, one_pair

Evaluation = Any
"""An `Evaluation`, whose module imports this one."""


def compared(e: Evaluation, origin: Any, both: tuple[str, str], names: list[str]) -> pl.DataFrame:
    """Compare two runs request by request; ``origin`` has their rankings, or is None."""
    if both[0] == both[1]:
        raise LexiframeError(f"pair: expected two different runs, found {both[0]!r} twice")
    s, d = e.scores, e.preferences  # where there are none, no rankings are looked at
    levels = one_pair.NO_LEVELS if origin is None else origin.levels(both, names)
    return one_pair.pair_table(s, d, levels, both, names)


def explained(e: Evaluation, query_id: str, both: tuple[str, str], measures: Any) -> pl.DataFrame:
    """Explain the preference between two rankings of one request."""
    p = e.positions
    if measures is None and e.answers is None:
        grades = p.filter(pl.col("query_id") == str(query_id))["relevance"].drop_nulls()
        greatest = max(grades, default=inf)
        known, are_tied = e.origin("explain").measures, "tied_from" in p.columns
        measures = explainable(known, greatest, over_ties=are_tied) or None
    return explain(p, query_id, *both, measures)


def listed(e: Evaluation, names: list[str], run: str | None) -> pl.DataFrame:
    """List the requests by each measure, the hardest or a run's worst first."""
    return request_table(e.scores, e.preferences, names, run)


def lacking_requests(name: str, parts: Mapping[str, str]) -> LexiframeError:
    """Return the error for a table of single requests that an evaluation in parts lacks."""
    advice = f"evaluate with out='FOLDER' and keep={name!r} to write them"
    if name in parts:
        advice = f"they are in parts in {parts[name]}: polars.scan_parquet reads them"
    return LexiframeError(
        f"{name}: this evaluation has sums over the requests, not the {name} of each; {advice}"
    )


def lacking_rankings(what: str, e: Evaluation) -> LexiframeError:
    """Return the error for rankings that are unknown; ``what`` needs them."""
    if e.sums is not None:
        why = "this evaluation has sums over the requests, and not the rankings; evaluate all "
        why += "runs, or a sample of the requests, in memory"
    elif e.replicated is not None:
        why = "this evaluation is of the scores of runs with replicates, and has no rankings; "
        why += "positions(runs, qrels) has those of each replicate"
    elif "policies" in e.provenance:
        why = "these results were read from a folder, and their runs and judgments are not "
        why += "there as files, or were read with options or measures that a file cannot keep; "
        why += "evaluate the runs for that"
    else:
        why = "this evaluation was computed from scores, so the rankings are not known; use "
        why += "evaluate(runs, qrels) for that"
    return LexiframeError(f"{what}: {why}")
