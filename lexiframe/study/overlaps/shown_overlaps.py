"""Overlaps of runs as text: means of pairs × measures, and the tops of rankings that contrast."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.study.overlaps.overlap_in_words import contrasting_sentences


def overlap_means(table: pl.DataFrame, groups: Sequence[str] = ()) -> pl.DataFrame:
    """Return the mean and the number of requests of each pair and measure, lowest mean first.

    ``table`` is the table of `overlap`, and ``groups`` are its columns of groups.
    """
    key = [*groups, "measure", "run_a", "run_b"]
    means = table.group_by(key).agg(mean=pl.col("value").mean(), n=pl.col("value").count())
    return means.sort(*groups, "measure", "mean", "run_a", "run_b", nulls_last=True)


def wide_means(means: pl.DataFrame, groups: Sequence[str] = ()) -> pl.DataFrame:
    """Return means as pairs × measures, the least similar pairs by the first measure first."""
    index = [*groups, "run_a", "run_b"]
    return means.pivot("measure", index=index, values="mean", maintain_order=True)


def overlap_text(means: pl.DataFrame, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the means as text, of many pairs the first and the last, and a note if some lack."""
    wide, n = wide_means(means, groups), int(means["n"].to_numpy().max())
    n_pairs, measures, note = wide.height, wide.columns[len(groups) + 2 :], ""
    if n_pairs > printed.MOST:
        by_value = wide.drop_nulls(measures[0]).sort(measures[0], maintain_order=True)
        wide = printed.ends_of(by_value).sort(groups or measures[0], maintain_order=True)
        note = (
            f"{wide.height} of {n_pairs:,} pairs are shown, those least and most alike by "
            f"{measures[0]}; --format csv prints all"
        )
    missing = any(wide[name].null_count() for name in measures)
    title = f"Mean overlap of the rankings of {n:,} request{'s' * (n != 1)}, 1: the same"
    title += "; —: no request has a value" * missing
    return f"{printed.paragraphs(escaped(title))}\n{printed.plain_text(wide, is_matrix=True)}", note


def contrasting_text(table: pl.DataFrame) -> str:
    """Return both tops, request by request, each below its sentence."""
    # what the sentences say already, and what follows from the positions
    in_common = ["query_id", "run_a", "run_b", "measure", "value", "in_top_a", "in_top_b"]
    attributes = table.columns[: table.columns.index("query_id")]
    texts = []
    parts = table.partition_by("query_id", maintain_order=True)
    for sentence, part in zip(contrasting_sentences(table)["sentence"], parts, strict=True):
        a, b = part["run_a"][0], part["run_b"][0]
        names = {"doc_a": a, "position_in_b": f"in {b}", "doc_b": b, "position_in_a": f"in {a}"}
        tops = part.drop(in_common, attributes).rename(names)
        texts.append(f"{printed.paragraphs(sentence)}\n{printed.table_text(tops)}\n")
    return "\n".join(texts)
