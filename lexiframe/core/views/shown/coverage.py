"""The table of `coverage` for reading: missing rankings, judged documents, ranges of ties."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import printed

_BOUNDED = ("AP", "RR", "nDCG@10")
_READ_FIRST = ("run", "missing", "extra", "duplicates", "judged_at_10", *_BOUNDED)
_LEGEND = (
    "AP, RR, nDCG@10: the least and the greatest mean that an order of the tied documents can give"
)


def coverage_text(table: pl.DataFrame) -> str:
    """Return the most important columns, then as many further columns as have room.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> print(coverage_text(lf.coverage(folder / "runs", folder / "qrels.txt").head(2)))
    missing = 0, extra = 0, duplicates = 0, requests = 5, answered = 5,
    without_relevant = 0, retrieved = 125, depth = 25, unjudged_removed = 0,
    negative = 0, one_score = 0, own_first = 0
    ┌──────────────────────────────────────────────────────────────────────────┐
    │ run               judged_at_10  AP            RR            nDCG@10      │
    ╞══════════════════════════════════════════════════════════════════════════╡
    │ pca8_euclidean           0.900  0.817, 0.817  0.867, 0.867  0.887, 0.887 │
    │ pixels_euclidean         0.920  0.861, 0.861  1.000, 1.000  0.941, 0.941 │
    └──────────────────────────────────────────────────────────────────────────┘
    no room for the columns judged, relevant_retrieved and tied_relevant; the frame
    has all
    AP, RR, nDCG@10: the least and the greatest mean that an order of the tied
    documents can give
    """
    ends = {name: (f"{name}_min", f"{name}_max") for name in _BOUNDED}
    texts = printed.as_cells(table).select(
        pl.format("{}, {}", *both).alias(name) for name, both in ends.items()
    )
    rows = table.drop(*(name for both in ends.values() for name in both)).hstack(texts)
    text = printed.plain_text(rows.select(*_READ_FIRST, pl.exclude(_READ_FIRST)))
    return f"{text}\n{printed.paragraph(_LEGEND)}"
