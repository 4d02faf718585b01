"""The page's data of single requests: scores, preferences, and places of relevant items."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.pairwise import Pairs, arrays
from lexiframe.core.views.report.packing import Packing


def cells_of(
    packing: Packing,
    s: pl.DataFrame,
    d: pl.DataFrame,
    measures: list[str],
    runs: pl.Series,
    queries: pl.Series,
) -> dict[str, dict[str, Any]]:
    """Return for each measure the values of runs or pairs and requests that the page shows.

    For a metric: the scores (``kind`` is ``scores``), requests × runs. For a preference that only
    says which ranking is better, and orders all rankings of a request: how many rankings each
    ranking beats, less how many beat it (``order``). For any other preference: the values
    (``values``), requests × pairs, as each request's different values and each pair's place among
    them. Where ``d`` has them, ``chances`` are those that the first run of a pair is better, and
    the second, in the form of such values.
    """
    found = _packed_scores(packing, s, runs, queries) if s.height else {}
    for name in measures:
        of_measure = d.filter(pl.col("measure") == name)
        if name not in found and of_measure.height:
            found[name] = _preferences(packing, of_measure, runs, queries)
        if "p_better" in d.columns and of_measure["p_better"].count():
            found[name]["chances"] = [
                _chances(packing, of_measure, side, runs, queries)
                for side in ("p_better", "p_worse")
            ]
    return found


def _chances(
    packing: Packing, d: pl.DataFrame, side: str, runs: pl.Series, queries: pl.Series
) -> dict[str, Any]:
    """Return the chances that one run of each pair is better, as the values of preferences."""
    known = d.drop_nulls(side).with_columns(preference=pl.col(side).round(_DIGITS))
    ((_, pairs),) = arrays.pair_cube(known)
    query, run = _name_places(pairs.queries, queries), _name_places(pairs.runs, runs)
    return _different(packing, _all_pairs(pairs, query, run, queries, runs))


_DIGITS = 4
"""The digits of chances, so that many are equal and take little room."""


def _packed_scores(
    packing: Packing, s: pl.DataFrame, runs: pl.Series, queries: pl.Series
) -> dict[str, dict[str, Any]]:
    cube = arrays.score_cube(s)
    query, run = _name_places(cube.queries, queries), _name_places(cube.runs, runs)
    found = {}
    for n, name in enumerate(cube.measures):
        values = np.full((len(queries), len(runs)), np.nan)
        values[np.ix_(query, run)] = cube.values[n]
        smaller = bool(cube.smaller_is_better[n])
        found[name] = {"kind": "scores", "smaller": smaller, "values": packing.array(values)}
    return found


def _preferences(
    packing: Packing, d: pl.DataFrame, runs: pl.Series, queries: pl.Series
) -> dict[str, Any]:
    ((_, pairs),) = arrays.pair_cube(d)
    query, run = _name_places(pairs.queries, queries), _name_places(pairs.runs, runs)
    is_whole = len(query) == len(queries) and len(run) == len(runs)
    lead = np.nan_to_num(pairs.values) @ pairs.ends
    if is_whole and np.array_equal(np.sign(lead[:, pairs.a] - lead[:, pairs.b]), pairs.values):
        return {"kind": "order", "values": packing.array(np.rint(lead).astype(np.int64))}
    return {"kind": "values", **_different(packing, _all_pairs(pairs, query, run, queries, runs))}


def _all_pairs(
    pairs: Pairs, query: np.ndarray, run: np.ndarray, queries: pl.Series, runs: pl.Series
) -> np.ndarray:
    """Return the preferences as requests × pairs of all runs, infinite where there is none."""
    place = np.zeros((len(runs), len(runs)), np.int64)
    a, b = np.triu_indices(len(runs), k=1)
    place[a, b] = np.arange(len(a))
    values = np.full((len(queries), len(a)), np.inf)
    columns = place[run[pairs.a], run[pairs.b]]
    values[np.ix_(query, columns)] = np.where(np.isnan(pairs.values), np.inf, pairs.values)
    return values


def _different(packing: Packing, values: np.ndarray) -> dict[str, Any]:
    """Pack each row's different values, and for each cell the place of its value among them.

    A matrix of places takes a quarter of the bytes, and compresses far better than floats do.
    """
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    is_new = np.ones(values.shape, bool)
    is_new[:, 1:] = rising[:, 1:] != rising[:, :-1]
    place = np.empty(values.shape, np.int64)
    np.put_along_axis(place, order, np.cumsum(is_new, axis=1) - 1, axis=1)
    different = rising[is_new]
    return {
        "places": packing.array(place),
        "first": packing.array(np.append(0, np.cumsum(is_new.sum(axis=1)))),
        "different": packing.array(np.where(np.isinf(different), np.nan, different)),
    }


def positions_of(
    packing: Packing, p: pl.DataFrame, runs: pl.Series, queries: pl.Series
) -> tuple[dict[str, Any], list[str]]:
    """Return the ranks of the relevant items, items × runs (0: not retrieved), and the items' ids.

    The items are those of the first request, sorted by id, then those of the next.
    """
    p = coded.as_strings(p)
    columns = ["query_id", "doc_id", "run", "relevance", "position"]
    rows = p.filter(pl.col("level").is_not_null()).select(columns).sort(columns[:3])
    ranks = rows["position"].fill_null(0).to_numpy().reshape(-1, len(runs))
    items = rows.gather_every(len(runs))
    place = _name_places(items["query_id"], queries)
    first = np.searchsorted(place, np.arange(len(queries) + 1))
    depth = np.zeros((len(queries), len(runs)), np.int64)
    of_rankings = p.group_by("query_id", "run").agg(pl.col("n_retrieved").first())
    cell = _name_places(of_rankings["query_id"], queries), _name_places(of_rankings["run"], runs)
    depth[cell] = of_rankings["n_retrieved"].to_numpy()
    found = {
        "ranks": packing.array(ranks),
        "first": packing.array(first),
        "relevance": packing.array(items["relevance"].to_numpy()),
        "depth": packing.array(depth),
    }
    return found, items["doc_id"].to_list()


def _name_places(names: pl.Series, among: pl.Series) -> np.ndarray:
    """Return the place of each name in a sorted column that has all of them."""
    return np.asarray(among.search_sorted(names).to_numpy(), np.int64)
