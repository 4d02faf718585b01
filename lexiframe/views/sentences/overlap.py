"""The tables of `overlap` and `contrasting` in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped, schemas
from lexiframe.views.sentences.rows import attributes_of
from lexiframe.views.sentences.words import for_group


def overlap_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each measure (and group) which runs are most and least alike."""
    names = attributes_of(table, schemas.OVERLAP)
    key = [*_renamed(names), "measure"]
    table = table.rename(_renamed(names, back=True))
    known = table.filter(pl.col("value").is_not_null()).group_by(*key, "run_a", "run_b")
    pairs = known.agg(mean=pl.col("value").mean(), n=pl.len()).sort("mean", "run_a", "run_b")
    ends = pairs.group_by(*key).agg(
        n_pairs=pl.len(), overall=pl.col("mean").mean(), n=pl.col("n").max(),
        **{
            f"{column}_{end}": getattr(pl.col(column), end)()
            for column in ("run_a", "run_b", "mean")
            for end in ("first", "last")
        },
    )  # fmt: skip
    rows = table.select(key).unique().join(ends, on=key, how="left", nulls_equal=True).sort(key)
    said = [_of_pairs(row, names) for row in rows.iter_rows(named=True)]
    sentences = rows.select(key).with_columns(sentence=pl.Series(said, dtype=pl.String))
    return sentences.rename(_renamed(names))


def contrasting_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each request how much of their tops two runs share."""
    names = attributes_of(table, schemas.CONTRASTING)
    table = table.rename(_renamed(names, back=True))
    key = [*_renamed(names), "query_id"]
    is_judged = {"relevance_a", "relevance_b"} <= {*table.columns}
    relevant = {
        f"relevant_{x}": (pl.col(f"relevance_{x}") > 0).sum() for x in ("a", "b") if is_judged
    }
    rows = table.group_by(key, maintain_order=True).agg(
        pl.col("run_a", "run_b", "measure", "value").first(),
        depth=pl.len(),
        n_shared=pl.col("in_top_b").sum(),
        **relevant,
    )
    said = [_of_tops(row, names) for row in rows.iter_rows(named=True)]
    sentences = rows.select(key).with_columns(sentence=pl.Series(said, dtype=pl.String))
    return sentences.rename(_renamed(names))


def _renamed(names: list[str], *, back: bool = False) -> dict[str, str]:
    """Return names for attributes that no column has, and the attributes; ``back`` swaps them."""
    return {(n if back else f"by {n}"): (f"by {n}" if back else n) for n in names}


def _of_pairs(row: dict[str, Any], names: list[str]) -> str:
    head = f"By {row['measure']}{for_group(row, names, 'by ')}"
    if row["n_pairs"] is None:
        return escaped(f"{head}, no pair of runs has a value in any request.")
    of = f"{row['n']:,} request{'s' * (row['n'] != 1)}"
    if row["n_pairs"] == 1:
        both = f"{row['run_a_first']} and {row['run_b_first']}"
        return escaped(f"{head}, the mean overlap of {both} is {row['mean_first']:.4f} ({of}).")
    ends = {
        end: (f"{row[f'run_a_{end}']} and {row[f'run_b_{end}']}", f"{row[f'mean_{end}']:.4f}")
        for end in ("first", "last")
    }
    return escaped(
        f"{head}, {ends['last'][0]} are most alike (mean {ends['last'][1]} over {of}), and "
        f"{ends['first'][0]} least ({ends['first'][1]}); the mean over all {row['n_pairs']:,} "
        f"pairs of runs is {row['overall']:.4f}."
    )


def _of_tops(row: dict[str, Any], names: list[str]) -> str:
    a, b = row["run_a"], row["run_b"]
    value = "has no value" if row["value"] is None else f"is {row['value']:.4f}"
    relevant = ""
    if "relevant_a" in row:
        relevant = f" Relevant among these: {row['relevant_a']} of {a}, {row['relevant_b']} of {b}."
    first = f"{row['depth']:,} document{'s' * (row['depth'] != 1)}"
    return escaped(
        f"In request {row['query_id']}{for_group(row, names, 'by ')}, the first {first} of {a} "
        f"and {b} have {row['n_shared']:,} in common; {row['measure']} {value}.{relevant}"
    )
