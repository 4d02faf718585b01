"""How stable the ranks on the page are: bootstrap samples of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, errors, schemas
from lexiframe.orderings import rank_distributions
from lexiframe.views.sentences.lacking import Lacking

OF_MEANS, OF_PREFERENCES = 1000, 200
"""The number of samples: ordering by preferences takes a hundred times as long as by means."""
_MANY = 1_000_000
"""The number of preferences above which runs are ordered in fewer samples."""
_FEWER = 50


def rank_probabilities(
    tables: Mapping[str, pl.DataFrame],
    order: str,
    attributes: pl.DataFrame | None,
    by: list[str],
    lacking: Lacking,
) -> tuple[pl.DataFrame, list[str]]:
    """Return the table of `rank_distributions`, and notes on how it was computed, or why not.

    Each measure is ordered as the evaluation orders it: metrics by their mean, preferences by
    ``order``. Those of which runs lack requests have no order, unless each run has that by its own.
    """
    s, d = tables["scores"], tables["preferences"]
    others = d.filter(~pl.col("measure").is_in(s["measure"].unique().implode()))
    found = [pl.DataFrame(schema=schemas.RANK_DISTRIBUTIONS.columns)]
    notes = []
    if lacking.missing is None:
        s = s.filter(~pl.col("measure").is_in([*lacking.of]))
        notes = lacking.notes([*lacking.of])
    missing = "own" if lacking.missing == "own" else None
    fewer = OF_PREFERENCES if others.height <= _MANY else _FEWER
    for table, method, samples in ((s, "mean", OF_MEANS), (others, order, fewer)):
        if table.height and d.height:
            within: dict[str, Any] = {"requests": attributes, "by": by} if by else {}
            within["missing"] = missing
            try:
                found.append(rank_distributions(table, method, samples=samples, **within))  # type: ignore[arg-type]
            except LexiframeError as error:
                notes.append(f"How stable the ranks by {method} are is not known: {error}")
            else:
                which = ", ".join(table["measure"].unique().sort())
                notes.append(f"{which}: {samples} samples, by {method}")
    return pl.concat(found, how="diagonal"), [errors.printable(note) for note in notes]
