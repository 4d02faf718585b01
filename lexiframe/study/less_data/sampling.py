"""Positions with less data: fewer judgments, requests, or retrieved items.

Runs and judgments are projected once. Items, requests and ranks are then taken away from the table
of positions, with the same result as if the smaller data had been projected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    check_choice,
    resampling,
    schemas,
    to_polars,
    typed,
    unknown_name,
    warn,
)
from lexiframe.core.projection import alone
from lexiframe.typing import PositionsTable

How = Literal["uniform", "retrieved"]
_LAST = np.iinfo(np.int64).max
_ITEM = ["query_id", "doc_id"]
_ROUNDING = 1e-9


@alone.each_collection
@typed
def sample_labels(
    p: PositionsTable, /, fraction: float, how: How = "uniform", *, seed: int = 0
) -> pl.DataFrame:
    """Keep some of each request's relevant items, as if the others had not been judged.

    Parameters
    ----------
    p
        The table of `positions`, by subtopic or not. An item is kept or lost for all subtopics.
    fraction
        The share of items that are kept, above 0 and at most 1: max(1, ⌊fraction · m⌋) of the m
        items of a request.
    how : {"uniform", "retrieved"}
        How the items that are removed are drawn, one after another without replacement: all are
        equally likely, or each with probability ∝ the number of runs that retrieved it, so that the
        items that most runs retrieve tend to go first. Those that no run retrieved go last, in
        random order.
    seed
        The same seed gives the same items. A smaller fraction keeps a part of what a greater one
        keeps.

    Returns
    -------
    polars.DataFrame
        As `positions`: ranks stay, recall levels and ``n_relevant`` are counted anew.

    Raises
    ------
    LexiframeError
        For a fraction, ``how`` or seed out of its range; and for positions that were made with
        ``judged=True``, whose numbers of judged items would be those of all judgments.

    Notes
    -----
    Diaz & Ferraro, SIGIR 2022, sections 5.2 and 6.2, doi:10.1145/3477495.3532033 (uniform); Diaz,
    Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, section 6.2.4 (both).

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> half = lf.sample_labels(p, 0.5)
    >>> p["n_relevant"].max(), half["n_relevant"].max()
    (21, 10)
    """
    table = _checked_positions("sample_labels", p)
    check_fraction("sample_labels", fraction)
    check_choice("sample_labels", how, get_args(How), "how")
    resampling.check_draws("sample_labels", "samples", 1, seed)
    return Labels.find(table).sample(fraction, how, seed)


@dataclass(frozen=True)
class Labels:
    """The relevant items of a table of positions, from which samples are drawn.

    Attributes
    ----------
    table
        The positions.
    items
        The items of each request, sorted, and the number of runs that ``found`` each.
    item_of_row
        The number of each row's item; that of rows without an item is one more than the last.
    """

    table: pl.DataFrame
    items: pl.DataFrame
    item_of_row: np.ndarray

    @classmethod
    def find(cls, table: pl.DataFrame) -> Labels:
        """Find the items once, for any number of samples."""
        found = table.filter(pl.col("doc_id").is_not_null())
        if "subtopic" in table.columns:  # a run finds an item once, whatever it is relevant for
            found = found.unique(["run", *_ITEM])
        items = found.group_by(_ITEM).agg(found=pl.col("position").count()).sort(_ITEM)
        numbered = items.select(_ITEM).with_row_index("item")
        joined = table.select(_ITEM).join(numbered, on=_ITEM, how="left", maintain_order="left")
        return cls(table, items, joined["item"].fill_null(items.height).to_numpy())

    def sample(self, fraction: float, how: How, seed: int) -> pl.DataFrame:
        """Keep some of the items, as `sample_labels` says."""
        items = self.items
        turn = _turns(items["found"].to_numpy() if how == "retrieved" else None, items.height, seed)
        place = pl.col("turn").rank("ordinal", descending=True).over("query_id")
        n_kept = share_of(pl.len(), fraction).clip(lower_bound=1).over("query_id")
        is_kept = items.with_columns(turn=pl.Series(turn)).select(place <= n_kept).to_series()
        rows = np.append(is_kept.to_numpy(), True)[self.item_of_row]
        return _counted_anew(self.table.filter(pl.Series(rows)))


def _turns(weight: np.ndarray | None, n_items: int, seed: int) -> np.ndarray:
    """Return the turns at which items are removed, all different; without weights at random.

    They are removed in the order of exponential times with rates ∝ their weights: that draws them
    without replacement, each next one with probability ∝ its weight. Items without weight come
    last, in the order of an independent draw.
    """
    draw = np.random.default_rng(seed)
    time = draw.exponential(size=n_items)
    if weight is not None:
        time = np.divide(time, weight, out=np.full(n_items, np.inf), where=weight > 0)
    turn = np.empty(n_items, np.int64)
    turn[np.lexsort((draw.random(n_items), time))] = np.arange(n_items)
    return turn


@alone.each_collection
@typed
def sample_requests(p: PositionsTable, /, fraction: float, *, seed: int = 0) -> pl.DataFrame:
    """Keep some of the requests, drawn uniformly.

    Parameters
    ----------
    p
        The table of `positions`, `scores` or `preferences`. Of a lazy frame, such as
        ``polars.scan_parquet("results/preferences")``, only the rows that are kept are read into
        memory.
    fraction
        The share of requests that are kept, above 0 and at most 1; at least one is kept.
    seed
        The same seed gives the same requests. A smaller fraction keeps a part of what a greater one
        keeps.

    Returns
    -------
    polars.DataFrame
        The rows of these requests.

    Raises
    ------
    LexiframeError
        For a fraction or seed out of its range.
    SchemaError
        For a table without the column ``query_id``.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.sample_requests(p, 0.4)["query_id"].n_unique(), p["query_id"].n_unique()
    (2, 5)
    """
    check_fraction("sample_requests", fraction)
    resampling.check_draws("sample_requests", "samples", 1, seed)
    table = p.lazy() if isinstance(p, pl.LazyFrame) else to_polars(p).lazy()
    if "query_id" not in table.collect_schema().names():
        schemas.check(table.collect(), schemas.POSITIONS)  # which says what is missing
    queries = table.select("query_id").unique().collect()["query_id"].sort()
    order = np.random.default_rng(seed).permutation(len(queries))
    n_kept = max(1, int(share_of(len(queries), fraction)))
    kept = queries.gather(order[:n_kept]).implode()
    return table.filter(pl.col("query_id").is_in(kept)).collect()


@alone.each_collection
@typed
def truncate_runs(p: PositionsTable, /, depth: int) -> pl.DataFrame:
    """Cut every ranking at a depth, as if no more items had been retrieved.

    Parameters
    ----------
    p
        The table of `positions`, by subtopic or not, without imputed ranks.
    depth
        The number of items that stay retrieved, at least 1.

    Returns
    -------
    polars.DataFrame
        As `positions`: items below have no position, and ``n_retrieved`` is at most the depth.

    Raises
    ------
    LexiframeError
        For a depth that is no whole number from 1.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.truncate_runs(p, 10)["position"].max()
    10
    """
    table = schemas.check(p, _schema_of(p))
    resampling.check_draws("truncate_runs", "depth", depth, 0)
    cut = table.with_columns(
        position=pl.when(pl.col("position") <= depth).then("position"),
        n_retrieved=pl.min_horizontal("n_retrieved", pl.lit(depth, pl.Int64)),
    )
    return _counted_anew(cut)


@alone.each_collection
@typed
def leave_out_run(p: PositionsTable, /, run: str) -> pl.DataFrame:
    """Remove the relevant items that one run alone retrieved, as if it had not been pooled.

    Parameters
    ----------
    p
        The table of `positions`.
    run
        The run whose contribution to the judgments is left out; its ranking stays.

    Returns
    -------
    polars.DataFrame
        As `positions`: ranks stay, recall levels and ``n_relevant`` are counted anew. A request
        that has no relevant item any more is left out, with a warning.

    Raises
    ------
    UnknownNameError
        For a run that the table does not have.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"y": 1}}}
    >>> p = lf.positions(runs, {"q": {"x": 1, "y": 1}})
    >>> lf.leave_out_run(p, "a").select("run", "doc_id", "position", "n_relevant").rows()
    [('a', 'y', 2, 1), ('b', 'y', 1, 1)]
    """
    table = _checked_positions("leave_out_run", p)
    names = table["run"].unique().sort()
    if run not in names:
        raise unknown_name("run", str(run), names.to_list())
    by_one = (
        table.filter(pl.col("position").is_not_null())
        .group_by("query_id", "doc_id")
        .agg(n_runs=pl.len(), by_it=(pl.col("run") == run).any())
        .filter("by_it", pl.col("n_runs") == 1)
    )
    left = table.join(by_one, on=["query_id", "doc_id"], how="anti", maintain_order="left")
    lost = table["query_id"].n_unique() - left["query_id"].n_unique()
    if lost:
        warn(f"leave_out_run: requests without a relevant item, left out: {lost}")
    return _counted_anew(left)


def _schema_of(p: Any) -> schemas.TableSchema:
    """Return the schema of positions, with or without subtopics."""
    by_subtopic = "subtopic" in to_polars(p).columns
    return schemas.SUBTOPIC_POSITIONS if by_subtopic else schemas.POSITIONS


def _checked_positions(function: str, p: Any) -> pl.DataFrame:
    table = schemas.check(p, _schema_of(p))
    if "n_judged" in table.columns:
        raise LexiframeError(
            f"{function}: expected positions of relevant items, found those of judged ones, whose "
            "numbers of judged items would stay; call positions without judged=True"
        )
    return table


def check_fraction(function: str, fraction: float) -> None:
    """Raise unless a fraction is above 0 and at most 1."""
    if not 0 < fraction <= 1:
        raise LexiframeError(
            f"{function}: expected a fraction above 0 and at most 1, found {fraction}"
        )


def share_of(n: Any, fraction: float) -> Any:
    """Return ⌊fraction · n⌋, of a number or an expression; 0.29 · 100 is 28.999999999999996."""
    return (fraction * n + _ROUNDING) // 1


def _counted_anew(table: pl.DataFrame) -> pl.DataFrame:
    """Number the recall levels of each ranking anew, and count its relevant items.

    Items that are not retrieved come last, in the order of their rows. By subtopic each list of its
    items is a ranking of its own.
    """
    lists = ["run", "query_id", *["subtopic"] * ("subtopic" in table.columns)]
    begins = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in lists)
    begins = begins | (pl.int_range(pl.len()) == 0)
    ranking = table.select(begins.cum_sum().cast(pl.Int64)).to_series()
    if table.height and ranking[-1] != table.select(lists).n_unique():
        return _counted_anew(table.sort(*lists, "doc_id"))  # rows of one have to stand together
    number, is_item = ranking.to_numpy(), table["doc_id"].is_not_null()
    rank = table["position"].fill_null(_LAST).to_numpy()
    place = np.arange(1, len(rank) + 1)
    if ((rank[1:] < rank[:-1]) & (number[1:] == number[:-1])).any():
        order = np.lexsort((rank, number))  # stable: rows of equal rank stay in their order
        place[order] = place.copy()
    first = np.searchsorted(number, np.arange(1, number[-1] + 1)) if len(number) else number
    level = pl.Series(place - first[number - 1]).set(~is_item, None)
    m = np.bincount(number, is_item.to_numpy(), minlength=1).astype(np.int64)[number]
    return table.with_columns(level=level, n_relevant=pl.Series(m))
