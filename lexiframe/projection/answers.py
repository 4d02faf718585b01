"""What the runs answered and what of it is judged: counts, and a warning of what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import first_three, warn
from lexiframe.io.text.trec import warn_of_wider_lines
from lexiframe.likeness import likely_cause
from lexiframe.projection.collection import RankedRuns
from lexiframe.projection.ranks import RunRanks


def coverage_of(ranked: RankedRuns) -> pl.DataFrame:
    """Count, run by run; all judged items are to be ranked."""
    requests = len(ranked.judged.queries)
    without_relevant = int((ranked.judged.n_relevant == 0).sum())
    is_relevant, is_judged = ranked.judged.is_relevant, ranked.judged.is_judged

    def row(run: RunRanks) -> dict[str, Any]:
        answered = int(run.answered.sum())
        found = run.rank != 0
        return {
            "run": run.name,
            "requests": requests,
            "answered": answered,
            "missing": requests - answered,
            "extra": len(run.extra),
            "without_relevant": without_relevant,
            "retrieved": int(run.retrieved.sum()),
            "judged": int(np.count_nonzero(found & is_judged)),
            "relevant_retrieved": int(np.count_nonzero(found & is_relevant)),
            "duplicates": run.duplicates,
            "unjudged_removed": run.unjudged,
            "tied_relevant": len(run.tied.item),
        }

    return pl.DataFrame([row(run) for run in ranked.runs])


def warn_of_gaps(ranked: RankedRuns) -> None:
    """Warn once of what was dropped or filled, with counts, and of what `warn_of_input` says."""
    runs = ranked.runs
    counts = {
        "rankings missing, counted as empty": sum(int((~run.answered).sum()) for run in runs),
        "rankings for requests without judgments, ignored": sum(len(run.extra) for run in runs),
        "requests without a relevant item": int((ranked.judged.n_relevant == 0).sum()),
        "rows that repeated a document, removed": sum(run.duplicates for run in runs),
        "repeated judgments, removed": ranked.judged.repeated,
        "rows of unjudged documents, removed": sum(run.unjudged for run in runs),
    }
    said = "; ".join(f"{what}: {count}" for what, count in counts.items() if count)
    if said:
        warn(f"{said} (see lexiframe.coverage)")
    warn_of_input(ranked)


def warn_of_input(ranked: RankedRuns) -> None:
    """Warn of lines that were read in part, and of runs of which no document is judged."""
    warn_of_wider_lines(ranked.n_wider)
    _warn_of_strangers(ranked)


def _warn_of_strangers(ranked: RankedRuns) -> None:
    """Warn when documents were retrieved, and not one of any run is among the judged ones."""
    retrieved = list(dict.fromkeys(name for run in ranked.runs for name in run.strangers))
    if not retrieved or any(run.rank.any() for run in ranked.runs):
        return
    judged = ranked.judged.items["doc_id"].unique(maintain_order=True)
    kind = "judged" if ranked.judged.complete else "relevant"
    warn(
        f"no {kind} document was retrieved by any run: retrieved are {first_three(retrieved)}, "
        f"{kind} are {first_three(judged)}; {_hint(retrieved, judged, kind)}"
    )


def _hint(retrieved: list[str], judged: pl.Series, kind: str) -> str:
    """Say why no document of a request is among those that were retrieved for it."""
    elsewhere = min({*retrieved} & {*judged}, default=None)
    if elsewhere is not None:
        return (
            f"{elsewhere!r} is {kind}, but for another request than those that retrieved it: "
            "are the requests numbered alike?"
        )
    cause = likely_cause(retrieved, judged)
    return f"likely cause: {cause}" if cause else "do both use the same document ids?"
