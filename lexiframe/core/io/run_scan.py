"""Runs that are read when they are needed, one file at a time: `RunScan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError, coded, in_threads
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.files.data_sources import File, Parts, Source
from lexiframe.core.io.files.provenance import recorded_sources
from lexiframe.core.io.one_run import NameFrom, RunPart, no_rows
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.run_parts import load_source


@dataclass(frozen=True)
class SourceRead:
    """Facts about a file or frame that are known after reading it."""

    names: Sequence[str]  # of its runs
    sha256: str | None = None  # the hash of the file's bytes, if it was asked for


@dataclass(frozen=True)
class RunScan:
    """Runs that are read one file at a time, when they are needed; `scan_runs` returns it.

    Attributes
    ----------
    sources
        The files or frames.
    name_from
        What names a run: its ``"file"`` or its ``"tag"``.
    options
        The user's options for text.
    readings
        For each source, what names its runs and the options for text, where sources that were found
        with different options have been joined; else empty.
    stamps
        For each source that was read, `File.stamp`, which shows whether the file changed since.
    """

    sources: tuple[Source, ...]
    name_from: NameFrom = "file"
    options: TextOptions = field(default_factory=TextOptions)
    readings: tuple[tuple[NameFrom, TextOptions], ...] = ()
    stamps: dict[int, tuple[int, ...] | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, index: int, *, rank: bool = False, hashed: bool = False) -> list[RunPart]:
        """Read the runs of one source: one run, unless the source is a table of several."""
        parts = self.load_each(index, rank=rank, hashed=hashed)
        of_collections.refuse_several(
            [part.collection for part in parts], self.sources[index].where
        )
        return parts

    def load_each(self, index: int, *, rank: bool = False, hashed: bool = False) -> list[RunPart]:
        """Read the runs of one source, which may be runs of several collections."""
        source = self.sources[index]
        if isinstance(source.origin, File | Parts):
            self.stamps[index] = source.origin.stamp()
        return load_source(source, *self.reading(index), rank=rank, hashed=hashed)

    def refuse_empty(self, has_rows: Sequence[bool], names: Sequence[Sequence[str]]) -> None:
        """Raise for a source of runs that has no rows; {} says that a run found nothing.

        What a filter that matched nothing leaves is no bad run.
        """
        for source, has_some, runs in zip(self.sources, has_rows, names, strict=True):
            is_table = isinstance(source.origin, File | Parts | pl.LazyFrame)
            if not has_some and (is_table or hasattr(source.origin, "__arrow_c_stream__")):
                raise no_rows([coded.split_replicate(run)[0] for run in runs])

    def reading(self, index: int) -> tuple[NameFrom, TextOptions]:
        """Return the names for the runs of a source, and the options for its text."""
        return self.readings[index] if self.readings else (self.name_from, self.options)

    def only(self, indices: Sequence[int]) -> RunScan:
        """Return the scan of some of the sources."""
        readings = tuple(self.readings[index] for index in indices) if self.readings else ()
        stamps = {new: self.stamps[old] for new, old in enumerate(indices) if old in self.stamps}
        sources = tuple(self.sources[index] for index in indices)
        return replace(self, sources=sources, readings=readings, stamps=stamps)

    def joined(self, other: RunScan) -> RunScan:
        """Return the scan of the sources of both; each source is read with its own options."""
        readings = [scan.reading(index) for scan in (self, other) for index in range(len(scan))]
        stamps = {len(self) + index: stamp for index, stamp in other.stamps.items()}
        sources, both = (*self.sources, *other.sources), {**self.stamps, **stamps}
        return RunScan(sources, self.name_from, self.options, tuple(readings), both)

    def provenance(self, read: Sequence[SourceRead] | None = None) -> list[dict[str, Any]]:
        """Return path, sha256 and options of every file, sorted by run and path.

        ``read`` has the facts about each source, if they were read before. Otherwise files are
        hashed now, and each is taken to hold one run with the file's name.

        Raises
        ------
        ReadError
            When a file that has to be hashed has changed since it was read.
        """
        known = [None] * len(self) if read is None else read
        given = in_threads(self._facts, [*enumerate(known)], "hashing runs")
        facts = [fact for facts_of_one in given for fact in facts_of_one]
        return sorted(facts, key=_order_of)

    def _facts(self, one: tuple[int, SourceRead | None]) -> list[dict[str, Any]]:
        index, read = one
        source = self.sources[index]
        if not isinstance(source.origin, File | Parts):
            name = read.names[0] if read and len(read.names) == 1 else source.name
            return [{**_run_facts(name), **fact} for fact in recorded_sources(source.origin)]
        name_from, options = self.reading(index)
        names = read.names if read else [source.name if name_from == "file" else None]
        known = read.sha256 if read else None
        facts = [file.facts(known, **options.facts()) for file in source.files]
        if known is None and self.stamps.get(index, stamp := source.origin.stamp()) != stamp:
            found = "has changed since it was read"
            advice = "compute the table again, or from read_runs, which hashes what it reads"
            raise ReadError(Problem(source.where, "", found, advice))
        return [{**_run_facts(name), **fact} for name in names for fact in facts]


def _order_of(fact: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(fact.get("run")), str(fact.get("replicate", "")), str(fact["path"])


def _run_facts(name: str | None) -> dict[str, str | None]:
    """Return the run, and its replicate if it has one, as facts."""
    run, replicate = coded.split_replicate(name or "")
    return {"run": name} if replicate is None else {"run": run, "replicate": replicate}
