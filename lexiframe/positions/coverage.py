"""What the runs answered and what of it is judged: `coverage`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeWarning
from lexiframe.positions.collection import RankedRuns, rank_runs
from lexiframe.positions.judged import Duplicates
from lexiframe.positions.ranks import RunRanks
from lexiframe.schemas import COVERAGE


def coverage(
    runs: Any, qrels: Any, *, rel: float | None = None, duplicates: Duplicates = "error"
) -> pl.DataFrame:
    """Count, run by run, which requests were answered and how much of the answers is judged.

    Parameters
    ----------
    runs, qrels, rel, duplicates
        As for `positions`.

    Returns
    -------
    polars.DataFrame
        Key ``run``. ``requests`` judged; of these ``answered``, ``missing`` (count as empty
        rankings) and ``without_relevant`` (left out of every measure, unless kept at 0);
        ``extra`` requests answered that are not judged (ignored); documents ``retrieved`` for
        judged requests, and of these ``judged`` and ``relevant_retrieved``; rows removed as
        ``duplicates``.

    Raises
    ------
    LexiframeError
        As `positions`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> table = lf.coverage("data/example/runs/random.run", "data/example/qrels.txt")
    >>> table.select("run", "missing", "extra").rows()
    [('random', 0, 0)]
    """
    return coverage_of(rank_runs(runs, qrels, rel=rel, duplicates=duplicates, nonrelevant=True))


def coverage_of(ranked: RankedRuns) -> pl.DataFrame:
    """Make the coverage table of runs of which all judged items are ranked."""
    requests = len(ranked.judged.queries)
    without_relevant = int((ranked.judged.n_relevant == 0).sum())
    is_relevant = ranked.judged.is_relevant

    def row(run: RunRanks) -> dict[str, Any]:
        answered = int((run.retrieved > 0).sum())
        found = run.rank != 0
        return {
            "run": run.name,
            "requests": requests,
            "answered": answered,
            "missing": requests - answered,
            "extra": len(run.extra),
            "without_relevant": without_relevant,
            "retrieved": int(run.retrieved.sum()),
            "judged": int(np.count_nonzero(found)),
            "relevant_retrieved": int(np.count_nonzero(found & is_relevant)),
            "duplicates": run.duplicates,
        }

    return pl.DataFrame([row(run) for run in ranked.runs], schema=COVERAGE.columns)


def warn_of_gaps(ranked: RankedRuns) -> None:
    """Warn once of what was dropped or filled, with counts."""
    counts = {
        "rankings missing, counted as empty": sum(
            int((run.retrieved == 0).sum()) for run in ranked.runs
        ),
        "rankings for requests without judgments, ignored": sum(
            len(run.extra) for run in ranked.runs
        ),
        "requests without a relevant item": int((ranked.judged.n_relevant == 0).sum()),
        "rows that repeated a document, removed": sum(run.duplicates for run in ranked.runs),
    }
    said = "; ".join(f"{what}: {count}" for what, count in counts.items() if count)
    if said:
        warnings.warn(f"{said} (see lexiframe.coverage)", LexiframeWarning, stacklevel=3)
