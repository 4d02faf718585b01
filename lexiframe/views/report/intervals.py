"""Intervals as the page shows them: within the bounds of their measure, with what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl

from lexiframe.pairwise import facts
from lexiframe.views.sentences.bounds import cut_at_bounds

_VALUES: dict[str, Literal["mean", "mean_difference"]] = {
    "means": "mean",
    "comparisons": "mean_difference",
}
_NOTES = {"table": pl.String, "group": pl.String, "measure": pl.String, "said": pl.String}


def cut_intervals(
    grouped: Mapping[str, pl.DataFrame], known: facts.Known
) -> dict[str, pl.DataFrame]:
    """Return tables whose intervals are cut, and ``interval_notes``, a row for each note.

    ``known`` are the facts of the measures.

    Examples
    --------
    >>> means = pl.DataFrame({"group": "", "measure": "AP", "run": "a", "mean": 0.75,
    ...                       "ci_low": -2.43, "ci_high": 3.93, "n": 9})
    >>> shown = cut_intervals({"means": means, "comparisons": means.clear()}, {})
    >>> shown["means"]["ci_high"].item(), shown["interval_notes"]["said"].item()
    (1.0, 'Intervals end at the bounds of AP.')
    """
    tables: dict[str, pl.DataFrame] = {}
    notes = []
    for name, value in _VALUES.items():
        tables[name], _ = cut_at_bounds(grouped[name], value, known)
        for part in grouped[name].partition_by("group", "measure", maintain_order=True):
            _, said = cut_at_bounds(part, value, known)
            of = {"table": name, "group": part["group"][0], "measure": part["measure"][0]}
            notes += [{**of, "said": f"{note[0].upper()}{note[1:]}."} for note in said]
    return {**tables, "interval_notes": pl.DataFrame(notes, schema=_NOTES)}
