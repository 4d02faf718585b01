"""The ranks that an earlier evaluation found, so that files need not be read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import __version__
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.evaluation.written_ranks import OF_EXPECTED, OTHERS, SCHEMA, SPANS, TIED
from lexiframe.core.io import data_sources, kept_results, run_scan
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import fingerprints, measured
from lexiframe.core.projection import (
    RANKS,
    Policies,
    RankedRuns,
    RunRanks,
    effect_of_ties,
    joined,
    judgments,
)


def ranked_again(
    kept: kept_results.KeptResults,
    scan: run_scan.RunScan,
    qrels: Any,
    how: Asked,
    foresee: Callable[[int, judgments.JudgedItems], None],
) -> tuple[RankedRuns, list[str]]:
    """Rank runs like `measured.rank`, but reuse the ranks in unchanged files.

    Also return the names of the runs with reused ranks.
    """
    measures, policies = how.measures, how.policies
    asked: dict[str, Any] = {"hashed": True, "foresee": foresee}
    has_pool = any(measure.needs == needed.POOL for measure in needed.parts_of(measures))
    if has_pool or why_nothing(kept, policies) is not None:  # pools have documents of all runs
        return measured.rank(scan, qrels, measures, policies, **asked), []
    needed.refuse_lower_rel(measures, policies.rel)
    judged = judgments.judged_items(qrels, policies, nonrelevant=True, hashed=True)
    ranked, same = _known_ranks(kept, scan, judged)
    taken = [run.name for run in ranked.runs]
    others = [index for index in range(len(scan)) if index not in {*same}]
    if others:
        some, asked["are_part"] = scan.only(others) if same else scan, bool(same)
        ranked = joined(ranked, measured.rank(some, judged, measures, policies, **asked))
        read = dict(zip([*same, *others], ranked.read, strict=True))
        data_sources.refuse_twins((run.name, run.name) for run in ranked.runs)
        ranked = replace(ranked, read=[read[index] for index in range(len(scan))])
    foresee(len(ranked.runs), ranked.judged)
    return ranked, taken


def why_nothing(kept: kept_results.KeptResults, policies: Policies) -> str | None:
    """Return why no result holds: another version, whose formulas or tables differ, or a policy."""
    written = str(kept.provenance.get("lexiframe"))
    if written.split(".")[:2] != __version__.split(".")[:2]:
        return f"it was written by lexiframe {written}, and this is {__version__}"
    names = [*SCHEMA, *(OF_EXPECTED if policies.ties == "expected" else ())]
    if lacking := [name for name in names if name not in kept.ranks.columns]:
        return f"its ranks lack {', '.join(lacking)}, which this version needs"
    before = kept.provenance["policies"]
    for name, value in asdict(policies).items():
        if before.get(name) != value:
            return f"it was computed with {name}={before.get(name)!r}, and now {name}={value!r}"
    return None


def _known_ranks(
    kept: kept_results.KeptResults, scan: run_scan.RunScan, judged: judgments.JudgedItems
) -> tuple[RankedRuns, list[int]]:
    """Return the ranks in runs whose files have not changed, and the indices of these files.

    The ranks hold only if none of the judgments has changed.
    """
    marks = kept.fingerprints.filter(kind="request")
    known: dict[str, str] = {}
    if marks.equals(fingerprints.fingerprints_of_requests(judged)):
        is_run = pl.col("kind") == "run"
        has_ranks = pl.col("name").is_in(kept.ranks["run"].implode())
        # several runs of one fingerprint may be in one file, which names only one of them
        there = kept.fingerprints.filter(is_run & pl.col("fingerprint").is_unique() & has_ranks)
        known = dict(there.select("name", "fingerprint").iter_rows())
    same = fingerprints.unchanged_files(scan, known)
    names = [str(scan.sources[index].name) for index in same]
    read = [run_scan.SourceRead([name], known[name].removeprefix("file:")[:64]) for name in names]
    chosen = kept.ranks.filter(pl.col("run").is_in(names)).sort("run")
    runs = [_run_from_row(chosen, n, judged.items.height) for n in range(chosen.height)]
    return RankedRuns(judged, runs, read, {}, {name: known[name] for name in names}), same


def _run_from_row(table: pl.DataFrame, n: int, n_items: int) -> RunRanks:
    def value(name: str) -> Any:
        found = table[name][n]
        if not isinstance(found, pl.Series):
            return found
        return found.to_list() if found.dtype == pl.String else np.array(found)

    rank = np.zeros(n_items, RANKS)
    rank[value("item")] = value("rank")
    tied = effect_of_ties.TiedItems(*(value(f"tied_{name}") for name in TIED))
    found = RunRanks(table["run"][n], rank, tied, **{name: value(name) for name in OTHERS})
    if SPANS[0] not in table.columns:
        return found
    item, *ends = map(value, SPANS)
    spans = np.zeros((2, n_items), RANKS)
    spans[:, item] = ends
    return replace(found, spans=spans, n_tied=value("n_tied"), largest_tie=value("largest_tie"))
