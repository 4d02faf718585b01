"""The ranks of all runs, from which `positions` and `coverage` are made."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NoReturn, TypeVar

import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    in_threads,
    memory_use,
    n_and_first,
    progress_bars,
)
from lexiframe.core.io import data_sources, doubts, one_run, run_scan, scan_runs
from lexiframe.core.projection.judgments import JudgedItems, judged_items
from lexiframe.core.projection.pieces import rank_run
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranks_and_ties import RANKS, RunRanks

T = TypeVar("T")
Loader = Callable[[], list[one_run.RunPart]]
_NO_ROWS = pl.DataFrame()


@dataclass(frozen=True)
class RankedRuns:
    """The judged items and their ranks in each run, runs sorted by name.

    ``read`` describes each source that was read; ``n_wider`` has the number of lines of each file
    that have more fields than are read, and ``doubts`` what runs may be instead. ``fingerprints``
    has a text for each run, if asked for, by which one knows whether it has changed. ``against``
    has for each run with ranks how many of its rows have scores that contradict them.
    """

    judged: JudgedItems
    runs: list[RunRanks]
    read: list[run_scan.SourceRead] = field(default_factory=list)
    n_wider: dict[str, int] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    against: dict[str, doubts.Against] = field(default_factory=dict)
    doubts: list[Problem] = field(default_factory=list)

    @cached_property
    def answers(self) -> pl.DataFrame:
        """For each run, counts of requests (answered or not) and of the rows that were removed."""
        n_runs, n_empty = len(self.runs), int((self.judged.n_relevant == 0).sum())
        columns = {
            "run": [run.name for run in self.runs],
            "requests": [len(self.judged.queries)] * n_runs,
            "without_relevant": [n_empty] * n_runs,
            "answered": [int(run.answered.sum()) for run in self.runs],
            "missing": [int((~run.answered).sum()) for run in self.runs],
            "extra": [len(run.extra) for run in self.runs],
            "duplicates": [run.duplicates for run in self.runs],
            "unjudged_removed": [run.unjudged for run in self.runs],
        }
        return pl.DataFrame(columns)


def rank_runs(
    runs: Any,
    qrels: Any,
    policies: Policies,
    *,
    nonrelevant: bool = False,
    pool: bool = False,
    documents: bool = False,
    hashed: bool = False,
    foresee: Callable[[int, JudgedItems], None] | None = None,
    are_part: bool = False,
    fingerprint: Callable[[one_run.RunPart], str] | None = None,
    replicates: bool = False,
) -> RankedRuns:
    """Rank the relevant items in every run, and with ``nonrelevant`` all judged items.

    ``pool`` also asks for the retrieved documents, ``documents`` for their order, and ``hashed``
    for the sha256 of each file. ``foresee`` is called before files are read, with the least number
    of their runs, and may raise an error. ``are_part``: runs and judgments are of some requests or
    runs only, perhaps none answered. ``fingerprint`` gives the text for each run that was read.
    ``qrels`` may be judged items that are known already. With ``replicates``, each replicate is a
    run of its own, with a name of `coded.join_replicate`.
    """
    complete = nonrelevant or policies.unjudged == "remove"
    scan = runs if isinstance(runs, run_scan.RunScan) else scan_runs(runs)
    judged = qrels
    how_read = {"rank": policies.ties == "rank", "hashed": hashed, "replicates": replicates}
    if isinstance(qrels, JudgedItems):
        loaders, n_rows = loaders_of(scan, **how_read)
    else:
        with ThreadPoolExecutor(1) as aside:  # a large table is checked while the judgments are
            loading = aside.submit(copy_context().run, partial(loaders_of, scan, **how_read))
            how = {"nonrelevant": complete, "hashed": hashed, "are_part": are_part}
            judged = judged_items(qrels, policies, **how)
            loaders, n_rows = loading.result()
    # the system is asked once for runs that come one after the other: it takes longer than they do
    judged.once(("memory", len(loaders)), lambda: _refuse_many(len(loaders), judged))
    if foresee is not None:
        foresee(len(loaders), judged)
    codes = shared_codes() if documents else None
    marks: dict[str, str] = {}

    def rank(part: one_run.RunPart) -> RunRanks:
        if len(loaders) == 1 and not part.is_known:
            doubts.refuse_changed_places(part, judged.items)
        if fingerprint is not None:
            marks[part.name] = fingerprint(part)
        return rank_run(part, judged, policies, pool=pool, codes=codes)

    done = ranked_parts(rank, loaders, n_rows)
    ranked = [run for runs in done for run in runs]
    if not (are_part or any(run.answered.any() for run, _ in ranked)):
        refuse_other_queries(
            sorted({name for run, _ in ranked for name in run.extra}), judged.queries
        )
    of_sources = [ranked] if len(scan) == 1 else done
    read = [
        run_scan.SourceRead(
            [part.name for _, part in parts], next(part.sha256 for _, part in parts)
        )
        for parts in of_sources
    ]
    if not are_part:
        has_rows = [any(r.answered.any() or r.extra for r, _ in runs) for runs in of_sources]
        scan.refuse_empty(has_rows, [of.names for of in read])
    by_name = sorted((run for run, _ in ranked), key=lambda run: run.name)
    n_wider = {part.where: part.n_wider for _, part in ranked if part.n_wider}
    against = {part.name: part.against for _, part in ranked if part.against.of}
    said = [doubt for _, part in ranked for doubt in part.doubts]
    return RankedRuns(judged, by_name, read, n_wider, marks, against, said)


def ranked_parts(
    rank: Callable[[one_run.RunPart], T], loaders: list[Loader], n_rows: int
) -> list[list[tuple[T, one_run.RunPart]]]:
    """Load and rank the runs of each source; raise if two runs have one name.

    The runs come back without their rows, so that only the runs in ranking are in memory.
    """

    def load_and_rank(load: Loader) -> list[tuple[T, one_run.RunPart]]:
        return [(rank(part), replace(part, rows=_NO_ROWS, places=None)) for part in load()]

    done = [*in_threads(load_and_rank, loaders, "reading runs", n_rows)]
    data_sources.refuse_twins((part.name, part.where) for parts in done for _, part in parts)
    return done


def joined(first: RankedRuns, second: RankedRuns) -> RankedRuns:
    """Return the ranks of the runs of both, whose judged items are the same."""
    return RankedRuns(
        first.judged,
        sorted([*first.runs, *second.runs], key=lambda run: run.name),
        [*first.read, *second.read],
        {**first.n_wider, **second.n_wider},
        {**first.fingerprints, **second.fingerprints},
        {**first.against, **second.against},
        [*first.doubts, *second.doubts],
    )


_BYTES_OF_RANK = RANKS().itemsize
_BYTES_OF_POSITION = 100
"""The memory of a row in the table of positions, while it is made."""


def _refuse_many(n_runs: int, judged: JudgedItems) -> None:
    n_ranked, n_relevant = judged.items.height, int(judged.n_relevant.sum())
    needed = n_runs * (n_ranked * _BYTES_OF_RANK + n_relevant * _BYTES_OF_POSITION)
    memory_use.refuse_more_than_available(
        needed,
        f"the positions of {n_relevant:,} relevant items in {n_runs:,} runs",
        "give fewer runs at once, or fewer requests",
    )


def shared_codes() -> pl.Series:
    """Return a column that keeps the codes of strings alive, as long as it exists itself.

    Polars forgets the codes of a set of categories when the last column that uses it is gone.
    """
    return pl.Series([], dtype=pl.Categorical(pl.Categories.random()))


def refuse_other_queries(
    answered: list[str], judged: pl.Series, *, are_all: bool = True
) -> NoReturn:
    """Raise because the answered queries and the judged ones have none in common.

    With ``are_all``, the message has their numbers; otherwise they are a part.
    """
    from lexiframe.core.base import likely_cause

    cause = likely_cause(answered, judged)
    ours, theirs = (n_and_first(queries) for queries in (answered, judged))
    if not are_all:
        ours, theirs = (said.partition(" ")[2][1:-1] for said in (ours, theirs))
    raise LexiframeError(
        f"runs and qrels have no query in common: the runs answer {ours}, "
        f"the qrels have {theirs}; "
        + (f"likely cause: {cause}" if cause else "do both use the same query ids?")
    )


def loaders_of(
    scan: run_scan.RunScan, *, rank: bool, hashed: bool, replicates: bool = False
) -> tuple[list[Loader], int]:
    """Return a function for each source or run that loads it, and the number of rows.

    For sources that are not read yet, the number is at least the limit of few rows (see
    `in_threads`).
    """
    if len(scan) == 1:  # a table of many runs: rank them in several threads
        parts = _load_parts(scan, 0, rank=rank, hashed=hashed, replicates=replicates)
        n_rows = sum(part.rows.height for part in parts)
        return [lambda part=part: [part] for part in parts], n_rows  # type: ignore[misc]
    load = partial(_load_parts, scan, rank=rank, hashed=hashed, replicates=replicates)
    return [partial(load, index) for index in range(len(scan))], progress_bars.FEW


def _load_parts(
    scan: run_scan.RunScan, index: int, *, rank: bool, hashed: bool, replicates: bool
) -> list[one_run.RunPart]:
    """Read one source; raise if ranks are needed and a table of several runs has none."""
    parts = scan.load(index, rank=rank, hashed=hashed)
    if not replicates:
        one_run.refuse_replicates(parts)
    if rank and len(parts) > 1 and "rank" not in parts[0].rows.columns:
        raise SchemaError(
            f"{scan.sources[index].where}: ties='rank' needs a column of whole ranks, found none; "
            "the table of read_runs has ranks only when every run gives whole ones: give the files "
            "themselves to learn which does not, or take ties='doc_id_desc', which needs none"
        )
    return parts
