"""The values of single lists, as rows of scores: `list_scores`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, schemas, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics import Metric, as_list, as_metric, unique_by_name
from lexiframe.core.projection import Policies, ScoreType, Ties, alone, tied_orders
from lexiframe.decide.beyond.catalogue_measures import CatalogueMetric
from lexiframe.decide.beyond.items import Items
from lexiframe.decide.beyond.list_measures import ListMetric
from lexiframe.decide.beyond.lists import Lists, lists_of
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike


@alone.each_collection
@typed
def list_scores(
    runs: RunsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    items: Items,
    *,
    qrels: QrelsLike | None = None,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
) -> pl.DataFrame:
    """Compute what single lists are like beyond relevance: novelty, diversity, calibration.

    Parameters
    ----------
    runs
        As for `read_runs`.
    measures
        One or several of Novelty, ILD, CategoryEntropy, Miscalibration, Serendipity, ARP,
        PopularityLift and APLT, with a cut-off: ``"Novelty@10"``,
        ``"ILD(distance=jaccard)@10"``. `measures` describes each.
    items
        The catalogue, of `read_items`.
    qrels, rel
        Judgments, whose requests are then those of the table, and the least grade that is relevant
        (default: above 0). Serendipity needs them. Without judgments the requests are all that a
        run answers.
    ties, score_type, duplicates
        As for `positions`.

    Returns
    -------
    polars.DataFrame
        Rows of `scores`: key ``run, query_id, measure``, sorted by it; ``value``, which is null
        where a measure says nothing of a list: an empty one, or for ILD one with fewer than two
        items that have a vector.

    Raises
    ------
    LexiframeError
        For a measure that needs what the items lack; and for items that they lack (see
        `read_items`).

    Warns
    -----
    LexiframeWarning
        With counts, when lists have items of the user's history.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"], "users": [4, 1]}), users=4)
    >>> lf.list_scores({"r": {"u": {"a": 2, "b": 1}}}, "Novelty@2", items)["value"].to_list()
    [1.0]
    """
    asked = of_kind(measures, ListMetric, "list_scores")
    policies = Policies(rel, ties, score_type, duplicates=duplicates)
    tied_orders.refuse_expected(ties, asked[0])
    lists = lists_of(runs, items, policies, qrels, cutoff=deepest(asked))
    return values_table(lists, asked)


def of_kind(measures: Any, kind: type[Metric], called: str) -> list[Any]:
    """Return the measures; raise for a measure of another kind."""
    found = unique_by_name([as_metric(one) for one in as_list(measures)])
    for one in found:
        if not isinstance(one, kind):
            other = {ListMetric: "list_scores", CatalogueMetric: "catalogue"}.get(type(one))
            where = f"lexiframe.{other or 'scores'}"
            raise LexiframeError(f"{called}: {one} is none of its measures; ask {where} for it")
    return found


def deepest(measures: Sequence[Metric]) -> int | None:
    """Return the greatest cut-off, or None if one has none."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(k for k in cutoffs if k is not None)


def values_table(lists: Sequence[Lists], measures: Sequence[ListMetric]) -> pl.DataFrame:
    """Return rows of scores, null where a measure says nothing."""
    named = sorted(measures, key=str)
    frames = []
    for one in progress(lists, len(lists), "list_scores"):
        values = np.stack([measure.of_lists(one) for measure in named], axis=1)
        n = len(one.queries)
        frames.append(
            pl.DataFrame(
                {
                    "run": pl.repeat(one.name, n * len(named), eager=True),
                    "query_id": one.queries.gather(np.repeat(np.arange(n), len(named))),
                    "measure": [str(measure) for measure in named] * n,
                    "value": pl.Series(values.ravel()).fill_nan(None),
                }
            )
        )
    return pl.concat(frames).select(*schemas.SCORES.key, "value")
