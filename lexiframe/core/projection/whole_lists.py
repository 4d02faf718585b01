"""The ranked lists of runs, without judgments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, likely_cause, unknown_name, warn
from lexiframe.core.io import doubts, one_run, run_scan, scan_runs, warn_of_wider_lines
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranked_runs import loaders_of, ranked_parts, shared_codes
from lexiframe.core.projection.ranks_and_ties import RunList, list_documents


@dataclass(frozen=True)
class RankedLists:
    """The documents of each run, by request and rank; runs are sorted by name.

    Attributes
    ----------
    queries
        The requests, sorted: those asked for, or all that a run answered.
    runs
        The documents of each run; their numbers of documents are those of ``queries``.
    codes
        A column of the categories whose codes are the documents.
    """

    queries: pl.Series
    runs: list[RunList]
    codes: pl.Series

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [run.name for run in self.runs]

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of documents of each ranking, runs × requests."""
        return np.array([run.retrieved for run in self.runs])

    @cached_property
    def _ends(self) -> np.ndarray:
        return self.lengths.cumsum(axis=1)

    def documents(self, run: int, query: int) -> np.ndarray:
        """Return the codes of the documents of one ranking, by rank."""
        end = self._ends[run, query]
        return self.runs[run].documents[end - self.lengths[run, query] : end]

    def ids(self, documents: np.ndarray) -> pl.Series:
        """Return the ids of documents, given their codes."""
        codes = pl.Series(documents, dtype=pl.UInt32)
        return codes.cat.to(self.codes.dtype).cast(pl.String)


def ranked_lists(
    runs: Any,
    policies: Policies,
    *,
    judged: JudgedItems | None = None,
    only: Collection[str] | None = None,
) -> RankedLists:
    """Rank all documents of runs, or of some runs ``only``.

    The requests are the ``judged`` ones (None: all). Policies on judgments and on the depth have no
    influence.
    """
    queries = None if judged is None else coded.strings_of(judged.queries)
    scan = runs if isinstance(runs, run_scan.RunScan) else scan_runs(runs)
    known = [source.name for source in scan.sources]
    if only is not None and {*only} <= {*known}:  # the others need not be read
        scan = scan.only([n for n, name in enumerate(known) if name in only])
    loaders, n_rows = loaders_of(scan, rank=policies.ties == "rank", hashed=False)
    codes = shared_codes()

    def rank(part: one_run.RunPart) -> tuple[pl.Series, RunList]:
        if judged is not None and len(loaders) == 1 and not part.is_known:
            doubts.refuse_changed_places(part, judged.items)
        return _rank_queries(part, policies, codes, queries)

    done = [one for some in ranked_parts(rank, loaders, n_rows) for one in some]
    warn_of_wider_lines({part.where: part.n_wider for _, part in done if part.n_wider})
    doubts.warn_of_scores_against_ranks({part.name: part.against for _, part in done})
    one_run.warn_of_doubts(doubt for _, part in done for doubt in part.doubts)
    there = [part.name for _, part in done]
    for name in only or ():
        if name not in there:
            raise unknown_name("run", name, sorted(there))
    kept = [listed for listed, part in done if only is None or part.name in only]
    kept.sort(key=lambda one: one[1].name)
    if queries is not None:
        return RankedLists(queries, [found for _, found in kept], codes)
    everything = pl.concat([own for own, _ in kept]).unique().sort()
    return RankedLists(everything, [_spread(*one, everything) for one in kept], codes)


def _rank_queries(
    part: one_run.RunPart, policies: Policies, codes: pl.Series, queries: pl.Series | None
) -> tuple[pl.Series, RunList]:
    """Rank one run for the given queries, or for all that it answered."""
    if queries is None:
        queries = pl.Series([*part.empty], dtype=pl.String)
        if part.rows.height:
            queries = pl.concat([coded.strings_of(coded.encode(part.rows["query_id"])[0]), queries])
        queries = queries.unique().sort()
    return queries, list_documents(part, queries, policies, codes)


def _spread(own: pl.Series, found: RunList, queries: pl.Series) -> RunList:
    """Return a run's list for all queries, given that for its own ones, which are among them."""
    place = queries.is_in(own.implode()).to_numpy()  # both are sorted
    retrieved = np.zeros(len(queries), np.int64)
    answered = np.zeros(len(queries), np.bool_)
    retrieved[place], answered[place] = found.retrieved, found.answered
    return replace(found, retrieved=retrieved, answered=answered)


def warn_of_lists(lists: RankedLists, repeated: int = 0) -> None:
    """Warn once of rankings that are missing and of rows that were removed, with their numbers."""
    missing = sum(int((~run.answered).sum()) for run in lists.runs)
    counts = {
        "rankings missing, counted as empty": missing,
        "rankings for requests without judgments, ignored": sum(len(r.extra) for r in lists.runs),
        "rows that repeated a document, removed": sum(run.duplicates for run in lists.runs),
        "repeated judgments, removed": repeated,
    }
    found = "; ".join(f"{what}: {count:,}" for what, count in counts.items() if count)
    if found:
        warn(found)


def refuse_strange_requests(function: str, lists: RankedLists) -> None:
    """Raise when no request is answered by two runs, and say why that may be."""
    answered = np.array([run.answered for run in lists.runs])
    if (answered.sum(axis=0) > 1).any():
        return
    ours, theirs = (lists.queries.filter(run.answered).to_list() for run in lists.runs[:2])
    cause = likely_cause(ours, theirs)
    raise LexiframeError(
        f"{function}: expected requests that two runs answered, found none: "
        f"{lists.names[0]} answers {ours[:3]}, {lists.names[1]} answers {theirs[:3]}; "
        + (f"likely cause: {cause}" if cause else "do they use the same query ids?")
    )
