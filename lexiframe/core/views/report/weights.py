"""The part of an evaluation's page about the weights of its requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.views.charts.weights import cumulated_means
from lexiframe.core.views.report.curves import figure, page_text
from lexiframe.core.views.sentences.weights import sentences_on_weights, source_of_weights

_POINTS = 200
"""About as many points has a line of more requests."""
_NOT = (
    "Means, win rates, ranks and tests are by weight. Coverage, ties, deciding levels and the "
    "agreement of measures are not: there each request counts once."
)


def weights_part(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> str:
    """Return HTML with the weights in words, and curves of the runs of each measure.

    It is empty where requests count alike. Curves need single scores with weights.
    """
    source = source_of_weights(provenance)
    if not source:
        return ""
    said = [*sentences_on_weights(provenance, tables["means"]), _NOT]
    figures = list[str]()
    if schemas.WEIGHT in tables["scores"].columns:
        rows = cumulated_means(tables["scores"]).rename({"mean": "value"})
        bins = pl.struct("run", (pl.col("share") * _POINTS).floor())
        few = pl.len().over("measure", "run") <= _POINTS
        rows = rows.filter(few | bins.is_last_distinct().over("measure"))
        ranks = tables["means"].group_by("measure", "run").agg(pl.col("rank").mean())
        rows = rows.join(ranks, on=["measure", "run"], maintain_order="left")
        rows = rows.sort("measure", "rank", "run", "share")
        figures += (
            figure(
                f"Mean {part['measure'][0]} of the heaviest requests", part,
                f"from the left: requests by {source}, the heaviest first; at 100 % it is the mean",
            )
            for part in rows.partition_by("measure", maintain_order=True)
        )  # fmt: skip
    of_all = "".join(f"<p>{page_text(one)}</p>" for one in said)
    more = f"<details><summary>More</summary>{''.join(figures)}</details>" * bool(figures)
    return (
        '<section class="scroll" id="weights" tabindex="0"><h2>Weights of requests</h2>'
        f"{of_all}{more}</section>"
    )
