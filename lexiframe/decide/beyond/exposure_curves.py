"""How evenly the lists of runs expose the items: `exposure_curve`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, typed
from lexiframe.core.projection import Policies, alone
from lexiframe.decide.beyond.catalogue_measures import EXPOSURES, Exposed
from lexiframe.decide.beyond.items import Items
from lexiframe.decide.beyond.lists import lists_of
from lexiframe.typing import QrelsLike, RunsLike

_POINTS = 200
"""The most points of a curve, beside its first."""


@alone.each_collection
@typed
def exposure_curve(
    runs: RunsLike,
    items: Items,
    cutoff: int,
    *,
    exposure: str = "uniform",
    qrels: QrelsLike | None = None,
) -> pl.DataFrame:
    """Return the share of all exposure that the least exposed items have (a Lorenz curve).

    Parameters
    ----------
    runs, items, qrels
        As for `catalogue`.
    cutoff
        How many documents of each list count.
    exposure : {"uniform", "dcg", "geometric"}
        What a rank gives to the item that stands there, as for Gini.

    Returns
    -------
    polars.DataFrame
        Key ``run, items``: the share of the catalogue, from the items that are exposed least, at up
        to 201 points; ``exposure`` is the share of all exposure that they have together. Runs
        without a list have no rows.

    Raises
    ------
    LexiframeError
        As `catalogue`, for another ``exposure``, and for a ``cutoff`` below 1.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"]}))
    >>> runs = {"r": {"u": {"a": 1}, "v": {"a": 1}, "w": {"a": 1}, "x": {"b": 1}}}
    >>> lf.collection.exposure_curve(runs, items, 1).rows()
    [('r', 0.0, 0.0), ('r', 0.5, 0.25), ('r', 1.0, 1.0)]
    """
    check_choice("exposure_curve", exposure, tuple(EXPOSURES), "exposure")
    if cutoff < 1:
        raise LexiframeError(f"exposure_curve: expected a cutoff from 1, found {cutoff}")
    frames = [pl.DataFrame(schema={"run": pl.String, "items": pl.Float64, "exposure": pl.Float64})]
    for one in lists_of(runs, items, Policies(), qrels, cutoff=cutoff):
        total = np.append(0.0, np.sort(Exposed.of_lists(one.cut(cutoff), exposure).total).cumsum())
        n = len(total) - 1
        at = np.unique(np.linspace(0, n, min(n, _POINTS) + 1).round().astype(np.int64))
        if total[-1] > 0:
            share = {"items": at / n, "exposure": total[at] / total[-1]}
            frames.append(pl.DataFrame({"run": [one.name] * len(at), **share}))
    return pl.concat(frames)
