"""Whether two runs are the same: read from one file, or with the same documents in one order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lexiframe.core.io import File, data_sources, provenance, run_scan
from lexiframe.core.projection import Policies, RankedRuns, RunRanks, rank_runs


def are_of_one_file(
    scan: run_scan.RunScan, read: Sequence[run_scan.SourceRead], a: str, b: str
) -> bool:
    """Return whether two runs are one file, or one frame, that was given under two names.

    ``read`` describes the sources of the scan. Two runs in one table are different.
    """
    one, other = (_source_of(scan, read, name) for name in (a, b))
    if one is other:
        return False
    path = _path_of(one.origin)
    return one.origin is other.origin or (path is not None and path == _path_of(other.origin))


def _source_of(
    scan: run_scan.RunScan, read: Sequence[run_scan.SourceRead], name: str
) -> data_sources.Source:
    """Return the file or frame that a run was read from."""
    return next(s for s, of in zip(scan.sources, read, strict=True) if name in of.names)


def _path_of(origin: object) -> str | None:
    """Return the one file of a run, with links resolved; None for any other origin."""
    if isinstance(origin, File):
        return os.path.realpath(origin.path)
    sources = provenance.recorded_sources(origin)
    return os.path.realpath(sources[0]["path"]) if len(sources) == 1 else None


def rank_alike(
    scan: run_scan.RunScan, ranked: RankedRuns, policies: Policies, a: str, b: str
) -> bool:
    """Return whether two runs have the same documents in the same order in all judged requests.

    ``ranked`` has the ranks of the judged documents. Only where these are equal are the two runs
    read again, as a whole.
    """
    one, other = (_run_named(ranked, name) for name in (a, b))
    if not _are_arrays_equal(one, other, ("rank", "retrieved")):
        return False
    places = [index for index, of in enumerate(ranked.read) if not {a, b}.isdisjoint(of.names)]
    whole = replace(policies, depth=None)  # lists of documents are not cut
    again = rank_runs(
        scan.only(places), ranked.judged, whole, nonrelevant=True, documents=True, are_part=True
    )
    one, other = (_run_named(again, name) for name in (a, b))
    if policies.depth is None:
        return _are_arrays_equal(one, other, ("retrieved", "documents"))
    return np.array_equal(
        _top_documents(one, policies.depth), _top_documents(other, policies.depth)
    )


def _run_named(ranked: RankedRuns, name: str) -> RunRanks:
    return next(run for run in ranked.runs if run.name == name)


def _are_arrays_equal(one: RunRanks, other: RunRanks, names: Sequence[str]) -> bool:
    """Return whether some arrays of two runs are equal."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def _top_documents(run: RunRanks, depth: int) -> np.ndarray:
    """Return the codes of the documents within a depth, by request and rank."""
    begin = np.repeat(run.retrieved.cumsum() - run.retrieved, run.retrieved)
    return np.asarray(run.documents[np.arange(len(begin)) - begin < depth])
