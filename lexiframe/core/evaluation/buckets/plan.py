"""The measures, policies and tables for each bucket of requests: `Plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import Measure, PairCube, composition, measured
from lexiframe.core.projection import Policies

Kept = Literal["scores", "preferences"]
KEPT: tuple[Kept, ...] = ("scores", "preferences")


@dataclass(frozen=True)
class Plan:
    """The work on each bucket: measures, policies, tables; it can be sent to other processes.

    Attributes
    ----------
    measures
        The metrics and preferences.
    policies
        How positions are found.
    runs
        The names of all runs, sorted. With one run alone there are no preferences.
    requests, by
        The attributes of requests that form groups, a frame with ``query_id``; and their names.
    out, keep
        The folder and the tables that are written there, a file for each bucket.
    few
        Of up to so many requests single preferences are kept beside sums, for tests that need them.
    lists
        What measures the lists of a bucket over a catalogue of items, if a feature is asked to.
    weighs, without_weight
        What tells the weights of the requests from others, if they have some: single requests are
        then summed up in the end; and the requests that are left out, as their weight is 0.
    """

    measures: tuple[Measure, ...]
    policies: Policies
    runs: tuple[str, ...]
    requests: pl.DataFrame | None = None
    by: tuple[str, ...] = ()
    out: str | None = None
    keep: tuple[Kept, ...] = ()
    few: int = 0
    lists: Any = None
    weighs: str = ""
    without_weight: pl.Series | None = None

    @property
    def of_positions(self) -> tuple[Measure, ...]:
        """The measures of the ranks of judged items, without measures of lists over a catalogue."""
        every = composition.computed_first(self.measures)
        return tuple(m for m in every if m.needs != needed.ITEMS)

    @property
    def compared(self) -> list[Measure]:
        """The measures that compare runs, sorted by name; none if there is one run alone."""
        return sorted(self.measures, key=str) if len(self.runs) > 1 or self.weighs else []

    def no_requests(self) -> PairCube:
        """Return the arrays of no requests."""
        return measured.no_requests(self.measures, pl.Series([*self.runs], dtype=pl.String))

    def attributes(self, queries: Sequence[str]) -> pl.DataFrame:
        """Return the attributes of some requests that form groups; nulls where there are none."""
        named = pl.DataFrame({"query_id": pl.Series(queries, dtype=pl.String)})
        known = named if self.requests is None else self.requests
        return named.join(known, on="query_id", how="left", maintain_order="left")
