"""Scores of parts of a collection, its splits and subsets: the same ones for all runs."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, ReadError, n_and_first, printed, warn

_TEST = "test"
_RUN = ["run", "replicate"]


def same_parts(table: pl.DataFrame) -> pl.DataFrame:
    """Make one value of the parts of a collection: their mean, over the same parts for all runs.

    The split is that for tests if more than half of the runs have it, otherwise the one that most
    runs have; how a task was set (5-shot, version 2) is a split as well. The subsets are those that
    most runs have, of these the most. Runs that lack one are gaps, of which there is a warning. In
    a language that is asked for count its subsets, where a collection has any.
    """
    parts = table.filter(pl.col("split").is_not_null())
    if not parts.height:
        return table
    in_language = pl.col("is_chosen").any().over("collection")
    parts = parts.filter(pl.col("is_chosen") | ~in_language)
    of_split = _keep_one_split(parts)
    found = _mean_over_subsets(of_split)
    _warn_of_gaps(parts, of_split, found)
    rest = table.filter(pl.col("split").is_null())
    return pl.concat([rest, found], how="diagonal").select(table.columns)


def _keep_one_split(parts: pl.DataFrame) -> pl.DataFrame:
    """Keep the parts of one split of each collection."""
    n_runs = pl.col("run").n_unique()
    splits = parts.group_by("collection", "split").agg(n=n_runs, file=pl.col("file").min())
    of_all = parts.group_by("collection").agg(of=n_runs)
    splits = splits.join(of_all, on="collection").with_columns(
        is_test=(pl.col("split") == _TEST) & (2 * pl.col("n") > pl.col("of")),
        is_first=pl.col("split") == _TEST,
    )
    order = ["collection", "is_test", "n", "is_first", "split"]
    splits = splits.sort(order, descending=[False, True, True, True, False])
    best = splits.unique("collection", keep="first", maintain_order=True)
    same = splits.join(best.select("collection", "n", chosen="split"), on=["collection", "n"])
    unclear = same.filter((pl.col("chosen") != _TEST) & (pl.col("split") != pl.col("chosen")))
    if unclear.height:
        first = same.filter(collection=unclear["collection"][0])
        runs = printed.counted(first["n"][0], "run")
        found = f"{' and '.join(map(repr, first['split']))} in {runs} each"
        expected = f"the split {_TEST}, or one split or setting of a task that most runs have"
        raise ReadError(Problem(first["file"][0], expected, found, "leave out the files of one"))
    return parts.join(best.select("collection", "split"), on=["collection", "split"])


def _mean_over_subsets(parts: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over the subsets that most runs have, of each run that has all of them."""
    subsets = pl.col("subset").unique().sort()
    sets = parts.group_by("collection", *_RUN).agg(of=subsets)
    n = sets.group_by("collection", "of").agg(n=pl.col("run").n_unique())
    n = n.with_columns(size=pl.col("of").list.len(), text=pl.col("of").list.join("\0"))
    n = n.sort("collection", "n", "size", "text", descending=[False, True, True, False])
    wanted = n.unique("collection", keep="first", maintain_order=True)
    rows = parts.join(
        wanted.select("collection", "size", subset="of").explode("subset"),
        on=["collection", "subset"],
    )
    is_gap = pl.col("value").null_count() > 0
    value = pl.when(is_gap).then(None).otherwise(pl.col("value").mean())
    means = rows.group_by(
        "collection", *_RUN, "query_id", "measure", "file", maintain_order=True
    ).agg(value=value, has_all=pl.len() == pl.col("size").first())
    return means.filter("has_all")


def _warn_of_gaps(parts: pl.DataFrame, of_split: pl.DataFrame, found: pl.DataFrame) -> None:
    """Warn of runs that have other parts of a collection than most runs."""
    key = ["run", "collection"]
    splits = parts.group_by(key).agg(pl.col("split").unique().sort().str.join(" and "))
    gaps = splits.join(found, on=key, how="anti").sort(key)
    if gaps.height:
        others = gaps.join(of_split.select(key).unique(), on=key, how="semi")
        chosen = dict(of_split.select("collection", "split").unique().rows())
        names = [
            f"{run} in {collection}"
            + (f" ({split}, not {chosen[collection]})" if split != chosen[collection] else "")
            for run, collection, split in gaps.head(3).rows()
        ]
        advice = "; languages='eng' compares subsets in one language" if others.height else ""
        warn(
            "results over other splits, subsets or settings than most runs have are gaps: "
            f"{n_and_first(names, gaps.height)}{advice}"
        )
