"""The ranks of the judged items in all runs as a table, so that files need not be read again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl

from lexiframe.io import kept_results, run_scan
from lexiframe.pairwise import fingerprints
from lexiframe.projection import RANKS, RankedRuns, RunRanks, effect_of_ties, judgments

_NUMBERS, _INTEGER = pl.List(pl.Int64), pl.Int64
_SCHEMA: dict[str, Any] = {
    "run": pl.String,
    "item": _NUMBERS,
    "rank": _NUMBERS,
    "tied_item": _NUMBERS,
    "tied_best": _NUMBERS,
    "tied_worst": _NUMBERS,
    "retrieved": _NUMBERS,
    "answered": pl.List(pl.Boolean),
    "extra": pl.List(pl.String),
    "strangers": pl.List(pl.String),
    "duplicates": _INTEGER,
    "unjudged": _INTEGER,
    "own": _INTEGER,
}


def ranks_table(ranked: RankedRuns | None) -> pl.DataFrame:
    """Return a row for each run, with lists: the judged items that it retrieved, by number ...

    The table is empty when the ranks are not known.
    """
    return pl.DataFrame([_row(run) for run in ranked.runs] if ranked else [], _SCHEMA)


def _row(run: RunRanks) -> dict[str, object]:
    item = np.flatnonzero(run.rank)
    return {
        "run": run.name,
        "item": item,
        "rank": run.rank[item].astype(np.int64),
        "tied_item": run.tied.item,
        "tied_best": run.tied.best,
        "tied_worst": run.tied.worst,
        "retrieved": run.retrieved,
        "answered": run.answered.tolist(),
        "extra": run.extra,
        "strangers": run.strangers,
        "duplicates": run.duplicates,
        "unjudged": run.unjudged,
        "own": run.own,
    }


def known_ranks(
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
    runs = _runs_in(kept.ranks, names, judged)
    return RankedRuns(judged, runs, read, {}, {name: known[name] for name in names}), same


def _runs_in(
    table: pl.DataFrame, names: Collection[str], judged: judgments.JudgedItems
) -> list[RunRanks]:
    chosen = table.filter(pl.col("run").is_in([*names])).sort("run")
    return [_run(chosen, n, judged.items.height) for n in range(chosen.height)]


def _run(table: pl.DataFrame, n: int, n_items: int) -> RunRanks:
    def numbers(name: str, dtype: type = np.int64) -> np.ndarray:
        return np.asarray(table[name][n].to_numpy().astype(dtype))

    rank = np.zeros(n_items, RANKS)
    rank[numbers("item")] = numbers("rank")
    tied = effect_of_ties.TiedItems(
        *(numbers(f"tied_{name}") for name in ("item", "best", "worst"))
    )
    return RunRanks(
        table["run"][n],
        rank,
        tied,
        numbers("retrieved"),
        numbers("answered", bool),
        table["extra"][n].to_list(),
        table["duplicates"][n],
        table["unjudged"][n],
        table["strangers"][n].to_list(),
        own=table["own"][n],
    )
