"""The tables of `overlap`, `contrasting` and `unjudged` in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.study.overlaps.schemas import CONTRASTING, OVERLAP, UNJUDGED


def overlap_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure (and group) which runs are most and least alike."""
    groups = table.columns[: table.columns.index("query_id")]
    in_order = table.sort(*groups, "measure", maintain_order=True)
    return printed.sentence_of_each(in_order, OVERLAP, ["measure"], _pairs_sentence)


def contrasting_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each request how much of their tops two runs share."""
    return printed.sentence_of_each(table, CONTRASTING, ["query_id"], _tops_sentence)


def _pairs_sentence(part: pl.DataFrame, of_group: str) -> str:
    by = f"By {part['measure'][0]}{of_group}"
    known = part.drop_nulls("value").group_by("run_a", "run_b")
    pairs = known.agg(mean=pl.col("value").mean(), n=pl.len()).sort("mean", "run_a", "run_b")
    if pairs.is_empty():
        return f"{by}, no pair of runs has a value in any request."
    of = printed.counted(max(pairs["n"]), "request")
    least, most = pairs.row(0, named=True), pairs.row(-1, named=True)
    if pairs.height == 1:
        return f"{by}, the mean overlap of {_run_pair(most)} is {most['mean']:.4f} ({of})."
    overall: Any = pairs["mean"].mean()
    return (
        f"{by}, {_run_pair(most)} are most alike (mean {most['mean']:.4f} over {of}), and "
        f"{_run_pair(least)} least ({least['mean']:.4f}); the mean over all {pairs.height:,} pairs "
        f"of runs is {overall:.4f}."
    )


def _run_pair(row: dict[str, Any]) -> str:
    return f"{row['run_a']} and {row['run_b']}"


def _tops_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    a, b = row["run_a"], row["run_b"]
    value = "has no value" if row["value"] is None else f"is {row['value']:.4f}"
    relevant = ""
    if {"relevance_a", "relevance_b"} <= {*row}:
        of_a, of_b = ((part[f"relevance_{x}"] > 0).sum() for x in "ab")
        relevant = f" Relevant among these: {of_a} of {a}, {of_b} of {b}."
    return (
        f"In request {row['query_id']}{of_group}, the first "
        f"{printed.counted(part.height, 'document')} of {a} and {b} have "
        f"{part['in_top_b'].sum():,} in common; {row['measure']} {value}.{relevant}"
    )


def unjudged_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say (for each group) how many documents are to be judged, and how many have most weight."""
    return printed.sentence_of_each(table, UNJUDGED, [], _unjudged_sentence)


def _unjudged_sentence(part: pl.DataFrame, of_group: str) -> str:
    if part.is_empty():
        return "All documents in the tops of the runs are judged."
    documents, are = ("document", "is") if part.height == 1 else ("documents", "are")
    # the documents above those that complete the share, and the one that does
    half, most = ((part["cumulated_share"] < share).sum() + 1 for share in (0.5, 0.9))
    return (
        f"{part.height:,} {documents} in the tops of the runs {are} not judged{of_group}; the "
        f"first {half:,} of the table have half of the weight of all, the first {most:,} nine "
        "tenths."
    )
