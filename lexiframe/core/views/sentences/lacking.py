"""Sentences and marks for runs that lack requests of other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.views.sentences.rows import counts_in

_DONE = {
    None: "no order by {}, because {}; a mean over different requests is no ranking: say what to "
    "do by {how}",
    "own": "by {}, each run is ordered by the requests that it has (missing='own'), although {}",
    "common": "by {}, only requests that all runs have count (missing='common'), because {}",
    "zero": "by {}, a run has 0 for requests that it lacks (missing='zero'), as {}",
}
_NAMED = 3


@dataclass(frozen=True)
class Lacking:
    """The measures whose runs lack requests, and the way this was treated.

    Attributes
    ----------
    missing
        What `evaluate_scores` was asked to do.
    of
        For each measure the number of ``requests``, and of the ``runs`` that lack some how many
        each has.
    unranked
        The measures that order no runs, because they are counts.
    """

    missing: str | None = None
    of: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unranked: Sequence[str] = ()

    @classmethod
    def read_provenance(cls, provenance: Mapping[str, Any]) -> Lacking:
        """Return the lacking requests in the provenance of an evaluation; none with judgments."""
        found = provenance.get("lacking", {})
        return cls(provenance.get("missing"), found, counts_in(provenance) if found else ())

    def notes(self, measures: Sequence[str]) -> list[str]:
        """Return a sentence on each measure that orders runs although some lack requests."""
        how = printed.advice(
            python="missing='common', 'zero' or 'own'", terminal="--missing common, zero or own"
        )
        return [
            _DONE[self.missing].format(measure, _lacking_phrase(self.of[measure]), how=how)
            for measure in dict.fromkeys(measures)
            if measure in self.of and measure not in self.unranked
        ]

    def said(self, measures: Sequence[str]) -> list[str]:
        """Return the notes as whole sentences."""
        return [f"{note[0].upper()}{note[1:]}." for note in self.notes(measures)]

    def short_notes(self, measures: Sequence[str]) -> list[str]:
        """Return a note for tables of ranks, which do not show how many requests a run has."""
        shown = [m for m in dict.fromkeys(measures) if m in self.of and m not in self.unranked]
        if self.missing != "own" or not shown:
            return []
        return [f"by {', '.join(shown)}, each run by the requests that it has (missing='own')"]

    def counts(self, means: pl.DataFrame) -> pl.Series:
        """Return for each mean ``(n=1)`` where its run lacks requests, and else nothing."""
        is_partial = self.missing in (None, "own")
        said = [
            f"(n={n})" if is_partial and run in self.of.get(measure, {}).get("runs", {}) else ""
            for run, measure, n in means.select("run", "measure", "n").iter_rows()
        ]
        return pl.Series("count", said, dtype=pl.String)


def _lacking_phrase(facts: Mapping[str, Any]) -> str:
    few = sorted(facts["runs"].items(), key=lambda item: item[1])
    named = ", ".join(f"{escaped(run)} has {n}" for run, n in few[:_NAMED])
    verb = "run lacks" if len(few) == 1 else "runs lack"
    more = ", ..." * (len(few) > _NAMED)
    return f"{len(few):,} {verb} some of the {facts['requests']:,} requests ({named}{more})"


def unmatched_said(provenance: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the runs that no verdict is about; none where there are no such runs."""
    runs = provenance.get("unmatched", [])
    if not runs:
        return []
    who = "it" if len(runs) == 1 else "they"
    why = f"nothing that {who} retrieved is judged"
    return [f"{printed.they_are(runs)} left out of the verdict: {why}."]


NOTHING_JUDGED = "no run retrieved a judged document, so that nothing can be concluded"


def is_nothing_judged(coverage: pl.DataFrame | None) -> bool:
    """Return whether no run retrieved a judged document; False for scores and preferences."""
    if coverage is None or not {"judged", "retrieved"} <= {*coverage.columns}:
        return False
    counts = coverage.select(pl.col("judged", "retrieved").sum())
    judged, retrieved = counts.row(0)
    return bool(retrieved) and not judged


def drop_unmatched(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> dict[str, pl.DataFrame]:
    """Return the tables without the runs whose ids match nothing: nothing is known of them."""
    runs = provenance.get("unmatched", [])
    return {name: _drop_runs(table, runs) for name, table in tables.items()}


def _drop_runs(table: pl.DataFrame, runs: Sequence[str]) -> pl.DataFrame:
    names = [name for name in ("run", "run_a", "run_b") if name in table.columns]
    if not runs or not names:
        return table
    return table.filter(~pl.any_horizontal(pl.col(name).is_in(runs) for name in names))


def drop_unranked(tables: Mapping[str, pl.DataFrame], by: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the tables without the measures (of groups) whose runs have no ranks.

    These are the measures whose runs lack requests, and `verdict` would refuse them.
    """
    on = [*by, "measure"]
    orderings = tables["orderings"]
    unranked = orderings.filter(pl.col("rank").is_null()).select(on).unique()
    if not unranked.height:
        return dict(tables)
    ranked = {
        name: tables[name].join(unranked, on=on, how="anti", nulls_equal=True)
        for name in ("orderings", "means", "comparisons")
    }
    return {**tables, **ranked}
