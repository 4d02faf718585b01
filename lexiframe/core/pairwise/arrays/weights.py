"""Weights of requests, or shares of strata of them: how they are given, read and attached."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, errors, printed, schemas, to_polars, warn
from lexiframe.core.io import logs
from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.arrays.attached_weights import attach, weight_numbers
from lexiframe.core.pairwise.arrays.handed import has_weights
from lexiframe.core.pairwise.arrays.reduced_pairs import Reduced
from lexiframe.core.pairwise.arrays.request_weights import Weights
from lexiframe.core.pairwise.arrays.requests_frame import frame_of
from lexiframe.core.pairwise.arrays.whole_evaluations import ByKind

FEW = 3
"""A stratum of fewer requests gets a warning: of two, with a share of .6, intervals hold .90."""


def weigh(
    d: Any, requests: Any, weights: Any = None, strata: str | None = None, shares: Any = None
) -> Any:
    """Return a table or array of requests with their weights; see `weights_of` for errors."""
    if weights is None and strata is None and shares is None:
        return d
    if isinstance(d, ByKind):
        return ByKind(tuple(weigh(t, requests, weights, strata, shares) for t in d.tables))
    if isinstance(d, Reduced):
        raise LexiframeError(
            "weights: expected the values of each request, found their sums; evaluate with weights="
        )
    if isinstance(d, PairCube):
        return attach(d, weights_of(d.queries, requests, weights, strata, shares))
    if isinstance(d, ScoreCube):
        return attach(d, weights_of(d.queries, requests, weights, strata, shares))
    table = to_polars(d)
    column = weights if isinstance(weights, str) else strata
    if requests is None and isinstance(column, str) and column in table.columns:
        requests = table.select("query_id", column).unique()
    queries = table["query_id"].cast(pl.String).unique().sort()
    found = weights_of(queries, requests, weights, strata, shares)
    return (
        table.drop(schemas.WEIGHT, schemas.STRATUM, strict=False)
        if found is None
        else found.columns(table)
    )


def weights_of(
    queries: pl.Series,
    requests: Any,
    weights: Any = None,
    strata: str | None = None,
    shares: Any = None,
) -> Weights | None:
    """Return the weights of some requests, sorted by id; None if all count alike.

    Raises
    ------
    LexiframeError
        For weights that are no numbers from 0, are 0 for all or lacking for some; an unknown
        column; weights beside strata; strata without shares, and strata of one request, without a
        request or without a share.
    """
    if weights is not None and (strata is not None or shares is not None):
        raise LexiframeError(
            "weights and strata together: put what you know into the weights, or give shares alone"
        )
    if weights is None:
        return _strata_shares(queries, requests, strata, shares)
    named = weights if isinstance(weights, str) else "weights"
    if isinstance(weights, str):
        given = _column(queries, requests, weights, "weights")
    else:
        by_id = {str(query): weight for query, weight in weights.items()}
        given = pl.Series([by_id.get(query) for query in queries], dtype=pl.Object)
    numbers = weight_numbers(queries, given)
    if not numbers.any():
        raise LexiframeError("weights: all are 0")
    counts = numbers > 0
    numbers = np.ldexp(numbers, -np.frexp(numbers.max())[1])  # exact, and their sum is finite
    share_of = numbers[counts] / numbers.sum()
    found = Weights(queries.filter(pl.Series(counts)), share_of, named=named)
    if counts.all() and found.are_equal:
        return None
    heaviest = int(found.weight.argmax())
    share = found.weight[heaviest]
    if share > 0.5 and len(found.queries) > 1:
        warn(
            f"weights: {found.queries[heaviest]!r} has {100 * share:.0f} % of the weight; "
            "means are mostly its values"
        )
    return found


def equal_weights(queries: pl.Series) -> Weights:
    """Return weights of requests that all count alike."""
    return Weights(queries, np.full(len(queries), 1 / len(queries)))


def refuse_weights(called: str, d: Any, advice: str = "") -> None:
    """Raise for a table of requests with weights, and give ``advice``."""
    if has_weights(d):
        usual = "evaluate without them, or leave out the column request_weight"
        raise LexiframeError(f"{called} has no weights; {advice or usual}")


def zero_weights(
    requests: Any, weights: Any = None, strata: str | None = None, shares: Any = None
) -> tuple[pl.Series | None, str]:
    """Return the requests whose weight is 0, None if there are none; they are left out.

    Beside them is a digest of all that was given, which tells it from other weights.
    """
    option, column = ("strata", strata) if weights is None else ("weights", weights)
    if isinstance(column, str):
        entries = logs.entries_of(_frame(requests, column, option), "query_id", "requests")
        named = entries.select(pl.col("query_id").cast(pl.String), column)
    else:
        given = {str(query): weight for query, weight in (weights or {}).items()}
        named = pl.DataFrame({"query_id": [*given]}, {"query_id": pl.String})
        named = named.with_columns(
            pl.Series(schemas.WEIGHT, [*given.values()], pl.Float64, strict=False)
        )
    told = named.sort("query_id").write_csv() + repr(sorted(_by_name(shares or {}).items()))
    digest = hashlib.sha256(told.encode()).hexdigest()
    if weights is None:
        empty = [name for name, share in _by_name(shares or {}).items() if share == 0]
        is_none = _as_names(named.to_series(1)).is_in(empty)
    else:
        is_none = _as_numbers(named.to_series(1)) == 0
    found = named.filter(is_none)["query_id"]
    return (found if 0 < len(found) < named.height else None), digest


def weights_facts(
    found: Weights | None, weights: Any = None, strata: str | None = None, shares: Any = None
) -> dict[str, Any]:
    """Return the facts of weights for the provenance: their source, n* and the heaviest."""
    by: dict[str, Any] = {"strata": strata, "shares": _by_name(shares)} if strata else {}
    if weights is not None:
        by = {"weights": weights if isinstance(weights, str) else "weights"}
    if found is None or found.are_equal:
        return {**by, "are_equal": True}
    of = found.rows_of(found.queries)
    heaviest = int(of.factors.argmax())
    share = float(of.factors[heaviest] / len(of.factors))
    facts = {"n": len(found.queries), "n_effective": of.n_effective}
    return {**by, **facts, "heaviest": found.queries[heaviest], "share": share}


def _frame(requests: Any, name: str, option: str) -> pl.DataFrame:
    """Return the frame of requests; raise if it lacks a column of numbers or names."""
    table = frame_of(requests, option)
    if name not in table.columns:
        alike = errors.nearest(table.columns, [name])[:1]
        hint = f"; did you mean {alike[0]!r}?" if alike else f"; it has {', '.join(table.columns)}"
        raise LexiframeError(f"{option}: no column {name!r} in requests{hint}")
    if name == "query_id" or (kind := table.schema[name]).is_nested() or kind.is_temporal():
        expected = "numbers" if option == "weights" else "names"
        found = "the ids of requests" if name == "query_id" else f"{kind}"
        raise LexiframeError(f"{option}: expected {expected} in the column {name!r}, found {found}")
    return table


def _column(queries: pl.Series, requests: Any, name: str, option: str) -> pl.Series:
    """Return an attribute of each request, null where it has none."""
    table = _frame(requests, name, option)
    entries = logs.entries_of(table, "query_id", "requests", queries)
    entries = entries.select(pl.col("query_id").cast(pl.String), name)
    named = pl.DataFrame({"query_id": queries})
    return named.join(entries, on="query_id", how="left", maintain_order="left")[name]


def _as_numbers(given: pl.Series) -> pl.Series:
    """Return weights as numbers, null where they are none."""
    return pl.Series(given.to_list(), dtype=pl.Float64, strict=False)


def _as_names(of: pl.Series) -> pl.Series:
    """Return the names of strata as text: 1 and 1.0, which a column with gaps has, are the same."""
    is_whole = of.dtype.is_float() and (of.drop_nulls() % 1 == 0).all()
    return (of.cast(pl.Int64) if is_whole else of).cast(pl.String)


def _by_name(shares: Any) -> dict[str, Any]:
    """Return shares by the names of their strata, numbers of NumPy as Python has them."""
    return {
        _as_names(pl.Series([name]))[0]: share.item() if isinstance(share, np.generic) else share
        for name, share in shares.items()
    }


def _strata_shares(
    queries: pl.Series, requests: Any, strata: str | None, shares: Any
) -> Weights | None:
    """Return the shares of the strata of requests."""
    if shares is None:
        raise LexiframeError(
            "strata without shares: give shares={'head': ..., 'tail': ...}, parts of the traffic"
        )
    if strata is None:
        raise LexiframeError(
            "shares without strata: name the column of requests that has the strata: "
            "strata='segment'"
        )
    names = _as_names(_column(queries, requests, strata, "strata"))
    if names.null_count():
        n = printed.counted(names.null_count(), "request")
        example = queries.filter(names.is_null())[0]
        raise LexiframeError(f"strata: {n} without {strata!r}, for example {example!r}")
    of = _by_name(shares)
    for name, share in of.items():
        if not (isinstance(share, int | float) and 0 <= share < math.inf):
            raise LexiframeError(
                f"strata: {name!r} has the share {share}; expected a number of 0 or more"
            )
    if not sum(of.values()):
        raise LexiframeError("strata: all shares are 0")
    found, code = coded.encode(names)
    n_each = np.bincount(code, minlength=len(found))
    for name in of:
        if of[name] and name not in found:
            raise LexiframeError(f"strata: shares name {name!r}, which no request has")
    for name, n in zip(found, n_each.tolist(), strict=True):
        if name not in of:
            is_in = f"{printed.counted(n, 'request')} {'is' if n == 1 else 'are'} in {name!r}"
            raise LexiframeError(f"strata: {is_in}, which has no share")
        if n == 1 and of[name]:
            raise LexiframeError(
                f"strata: {name!r} has one request; at least two are needed for its variance"
            )
        if n < FEW and of[name]:
            warn(
                f"strata: {name!r} has n = {n}; its variance is uncertain, and intervals hold "
                "less than their level"
            )
    share = np.array([of[name] for name in found]) / sum(of.values())
    counts = share[code] > 0
    kept = queries.filter(pl.Series(counts))
    return Weights(kept, share[code][counts], tuple(found), code[counts].astype(np.int64), strata)
