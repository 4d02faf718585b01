"""A leaderboard as arrays: collections × runs, with the requests behind them if they are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, sums, unknown_name, warn
from lexiframe.core.io import column_forms, per_request_scores, score_forms
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import arrays, facts

Group = str | Mapping[str, str] | None
_LARGEST = 1e150
"""The largest size of a value: its square is a float."""
_SMALLER = "smaller_is_better"
_SCORES = ("run", "collection", "query_id", "measure", "value")


@dataclass(frozen=True)
class Requests:
    """The scores of requests × runs, and the number of each request's collection.

    ``are_pseudo`` says that the jackknife made them, of one number of all requests together.
    """

    cells: np.ndarray
    collection: np.ndarray
    are_pseudo: bool = False


@dataclass(frozen=True)
class Board:
    """The results of runs in collections, larger ones better.

    Attributes
    ----------
    runs, collections
        Their names, sorted.
    cells
        Collections × runs; NaN where a run has no result.
    groups
        The group of each collection; None without groups.
    rounding
        By how much two equal cells may differ: 0 for given numbers, `TIE` for computed means.
    requests
        The requests behind the cells; None for given numbers.
    signs
        −1 for collections of which smaller values are better: their cells have the other sign.
    """

    runs: list[str]
    collections: list[str]
    cells: np.ndarray
    groups: list[str] | None
    rounding: float
    requests: Requests | None
    signs: np.ndarray

    def part(self, runs: np.ndarray, collections: np.ndarray) -> Board:
        """Return the board of some runs and collections, given as masks."""
        requests = self.requests
        if requests is not None:
            inside = collections[requests.collection]
            number = np.cumsum(collections) - 1
            requests = Requests(
                requests.cells[np.ix_(inside, runs)],
                number[requests.collection[inside]],
                requests.are_pseudo,
            )
        groups = self.groups
        return replace(
            self,
            runs=[run for run, kept in zip(self.runs, runs, strict=True) if kept],
            collections=[c for c, kept in zip(self.collections, collections, strict=True) if kept],
            cells=self.cells[np.ix_(collections, runs)],
            groups=None
            if groups is None
            else [g for g, kept in zip(groups, collections, strict=True) if kept],
            requests=requests,
            signs=self.signs[collections],
        )


def read_board(
    x: Any,
    measure: str | None,
    group: Group,
    smaller_is_better: Collection[str] = (),
    larger_is_better: Collection[str] = (),
    weighed: Collection[str] = (),
    columns: Mapping[str, str] | None = None,
    na_values: column_forms.NaValues = None,
) -> Board:
    """Read a leaderboard from anything that `read_scores` takes.

    Collections that the caller names, such as ``weighed`` ones, are never left out. Raise for a
    table without collections, for collections with several measures (unless ``measure`` chooses
    one), in two groups or in none, and for an unknown name in ``smaller_is_better`` or
    ``larger_is_better``.
    """
    wanted = frozenset([*smaller_is_better, *larger_is_better, *weighed])
    table = _reached(x, measure)
    if table is None:
        kept = (group,) if isinstance(group, str) else ()
        table = _checked_scores(x, kept, wanted, {"columns": columns, "na_values": na_values})
    table = _measure_rows(table, measure)
    cells = table.group_by("run", "collection").agg(pl.col("value").mean(), n=pl.len())
    runs, collections = (cells[name].unique().sort() for name in ("run", "collection"))
    at = [names.search_sorted(cells[n]).to_numpy() for n, names in
          (("collection", collections), ("run", runs))]  # fmt: skip
    _refuse_too_large(table)
    array = np.full((len(collections), len(runs)), np.nan)
    array[at[0], at[1]] = cells["value"].to_numpy()
    signs = _signs(table, collections, smaller_is_better, larger_is_better)
    has_means = "units" in table.columns or bool((cells["n"] > 1).any())
    return Board(
        runs.to_list(),
        collections.to_list(),
        array * signs[:, None],
        _collection_groups(table, collections, group),
        sums.TIE * min(1.0, sums.largest(array)) if has_means else 0.0,
        _request_layout(table, runs, collections, signs),
        signs,
    )


def _refuse_too_large(table: pl.DataFrame) -> None:
    """Raise for numbers whose squares are no floats."""
    large = table.filter(pl.col("value").abs() > _LARGEST)
    if large.height:
        first = large.sort("collection", "run").row(0, named=True)
        raise LexiframeError(
            f"leaderboard: expected values up to {_LARGEST:g}, found {first['value']:g} for "
            f"{first['run']!r} in {first['collection']!r} ({large.height} such values); divide "
            "the values of the collection by one number"
        )


def numbers_of(groups: list[str]) -> np.ndarray:
    """Return the numbers of the groups of collections, in the order of their names."""
    place = {name: n for n, name in enumerate(sorted({*groups}))}
    return np.array([place[name] for name in groups], np.int64)


def _reached(x: Any, measure: str | None) -> pl.DataFrame | None:
    """Return each collection's catalogue values, if ``x`` has them and ``measure`` is one of them.

    ``units`` has the pseudo-values of the jackknife, or null.
    """
    given: dict[Any, Any] = {**x} if isinstance(x, Mapping) else {}
    found: dict[str, Any] = {str(n): getattr(one, "catalogue", one) for n, one in given.items()}
    if not found or not all(hasattr(one, "differences") for one in found.values()):
        return None
    there = pl.concat([one.values["measure"] for one in found.values()]).unique().to_list()
    measure = measure and derived.name_among(there, measure)
    is_asked = measure in there
    if not is_asked and any(hasattr(one, "catalogue") for one in given.values()):
        return None  # it is one of requests, whose scores the evaluations have
    tables = [pl.DataFrame(schema={"units": pl.List(pl.Float64)})]
    for name, one in found.items():
        if groups := one.values.columns[: one.values.columns.index("run")]:
            raise LexiframeError(
                "leaderboard: expected one number of all lists of a run in each collection, found "
                f"those of groups ({', '.join(groups)}); evaluate without by"
            )
        rows = one.values.select("run", "measure", "value", collection=pl.lit(name))
        tables.append(rows if one.units is None else rows.join(one.units, on=["run", "measure"]))
    table = pl.concat(tables, how="diagonal")
    kept = table.drop_nulls("value")
    lost = table.join(kept, on=["run", "measure"], how="anti")
    lost = lost.filter(measure=measure) if is_asked else lost
    if lost.height:
        names = n_and_first(lost["run"].unique().sort())
        warn(f"leaderboard: runs of which no collection has a value, left out: {names}")
    return kept


def _checked_scores(
    x: Any, kept: tuple[str, ...], wanted: frozenset[str], read: dict[str, Any]
) -> pl.DataFrame:
    if isinstance(x, Mapping) and x and all(hasattr(one, "scores") for one in x.values()):
        # Evaluations by the names of their collections.
        x = pl.concat(
            [one.scores.with_columns(collection=pl.lit(str(name))) for name, one in x.items()],
            how="diagonal_relaxed",
        )
    if hasattr(x, "table_for"):  # an evaluation of collections
        x = x.scores
    if column_forms.is_frame(x):
        arrays.refuse_weights(
            "leaderboard of single requests",
            x,
            "its weights= are those of collections; give means by weight of runs in collections",
        )
    table = per_request_scores.scores_of_tools(x, na_values=read["na_values"])
    if table is None:
        given = score_forms.given_scores(x, None, None, None)
        more = tuple(name for name in kept if name not in _SCORES)  # these are kept anyway
        how: dict[str, Any] = {**read, "kept": more, "wanted": wanted}
        table = per_request_scores.load_scores(given, warns=False, **how).table
    if "collection" not in table.columns:
        raise LexiframeError(
            "leaderboard: expected scores of several collections, found none named: give the table "
            "a column collection (or task, dataset, benchmark), or one row for each run and one "
            "column for each collection; runs over the requests of one collection are compared by "
            "evaluate_scores"
        )
    if lacking := [name for name in kept if name not in table.columns]:
        raise unknown_name("column of groups", lacking[0], table.columns)
    return table


def _measure_rows(table: pl.DataFrame, measure: str | None) -> pl.DataFrame:
    if "measure" not in table.columns:
        return table
    if measure is not None:
        known = table["measure"].unique().sort().to_list()
        measure = derived.name_among(known, measure)
        if measure not in known:
            raise unknown_name("measure", measure, known)
        return table.filter(pl.col("measure") == measure)
    several = (
        table.group_by("collection").agg(pl.col("measure").unique().sort())
        .filter(pl.col("measure").list.len() > 1).sort("collection")
    )  # fmt: skip
    if several.height:
        first = several.row(0)
        raise LexiframeError(
            f"leaderboard: expected one measure in each collection, found {n_and_first(first[1])} "
            f"in {first[0]!r}; choose one: measure={first[1][0]!r}"
        )
    return table


def _signs(
    table: pl.DataFrame, collections: pl.Series, smaller: Collection[str], larger: Collection[str]
) -> np.ndarray:
    """Return −1 where smaller values are better: as the caller says, a column, or else a name."""
    said: dict[str, bool | None] = dict.fromkeys(collections)
    told = [pl.col(n).drop_nulls().max() for n in ("measure", _SMALLER) if n in table.columns]
    for row in table.group_by("collection").agg(told).iter_rows(named=True):
        names = filter(None, (row.get("measure"), row["collection"]))
        found = [row.get(_SMALLER), *map(derived.smaller_is_better, names)]
        said[row["collection"]] = next((one for one in found if one is not None), None)
    for which, is_smaller in ((smaller, True), (larger, False)):
        for name in which:
            if name not in said:
                raise unknown_name("collection", name, [*said])
            said[name] = is_smaller
    facts.doubt_directions(name for name, one in said.items() if one is None)
    return np.array([-1.0 if one else 1.0 for one in said.values()])


def _collection_groups(
    table: pl.DataFrame, collections: pl.Series, group: Group
) -> list[str] | None:
    if group is None:
        return None
    if isinstance(group, str):
        pairs = table.select("collection", group=pl.col(group).cast(pl.String)).unique()
        if pairs.height > len(collections) or pairs["group"].null_count():
            odd = pairs.filter(pl.col("collection").is_duplicated() | pl.col("group").is_null())
            raise LexiframeError(
                f"leaderboard: expected one {group} for each collection, found several or none for "
                f"{n_and_first(odd['collection'].unique().sort())}"
            )
        of = dict(pairs.rows())
    elif not isinstance(group, Mapping):
        raise TypeError(
            "leaderboard: expected group to be the name of a column or {collection: group}, found "
            f"{type(group).__name__}"
        )
    else:
        of = {str(name): str(value) for name, value in group.items()}
        lacking = [name for name in collections if name not in of]
        if lacking:
            raise LexiframeError(
                f"leaderboard: expected a group for each collection, found none for "
                f"{n_and_first(lacking)}"
            )
    return [of[name] for name in collections]


def _request_layout(
    table: pl.DataFrame, runs: pl.Series, collections: pl.Series, signs: np.ndarray
) -> Requests | None:
    """Lay out the requests; requests that no run has twice are averaged over replicates."""
    if are_pseudo := "units" in table.columns:
        numbered = pl.int_ranges(pl.col("units").list.len()).alias("query_id")
        table = table.drop_nulls("units").select("run", "collection", numbered, value="units")
        table = table.explode("query_id", "value").with_columns(pl.col("value").fill_nan(None))
    if "query_id" not in table.columns or not table.height:
        return None
    rows = table.group_by("run", "collection", "query_id").agg(pl.col("value").mean())
    keys = rows.select("collection", "query_id").unique().sort("collection", "query_id")
    rows = rows.join(keys.with_row_index("at"), on=["collection", "query_id"], nulls_equal=True)
    cells = np.full((keys.height, len(runs)), np.nan)
    cells[rows["at"].to_numpy(), runs.search_sorted(rows["run"]).to_numpy()] = rows["value"]
    number = collections.search_sorted(keys["collection"]).to_numpy()
    return Requests(cells * signs[number][:, None], number, are_pseudo)
