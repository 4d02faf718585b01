"""Weights of requests in arrays, and in columns of tables: `attach`, `weights_in`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, printed, schemas, sums
from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.arrays.request_weights import Weights

T = TypeVar("T", ScoreCube, PairCube)


def attach(cube: T, weights: Weights | None) -> T:
    """Return an array of requests with weights, without requests of weight 0."""
    if weights is not None and not cube.queries.equals(weights.queries):
        cube = cube.select_queries(cube.queries.is_in(weights.queries.implode()).to_numpy())
    if isinstance(cube, PairCube):
        return replace(cube, weights=weights, scores=replace(cube.scores, weights=weights))
    return replace(cube, weights=weights)


def weights_in(table: pl.DataFrame, queries: pl.Series) -> Weights | None:
    """Return the weights in the columns of a table of requests, None if it has none."""
    if schemas.WEIGHT not in table.columns:
        return None
    own = pl.col("^(request_weight|request_stratum)$").drop_nulls().first()
    each = table.group_by(pl.col("query_id").cast(pl.String)).agg(
        own, least=pl.min(schemas.WEIGHT), most=pl.max(schemas.WEIGHT)
    )
    each = pl.DataFrame({"query_id": queries}).join(
        each, on="query_id", how="left", maintain_order="left"
    )
    weight = weight_numbers(queries, each[schemas.WEIGHT])
    several = pl.col("least") * (1 + sums.TIE) < pl.col("most")
    wrong = each.filter(several | (pl.col("most") == 0)).select("query_id", "least", "most")
    for query, *ends in wrong.head(1).rows():
        found = " and ".join(f"{end:g}" for end in dict.fromkeys(ends))
        raise LexiframeError(
            f"weights: request {query!r} has {found} in the column {schemas.WEIGHT}; expected "
            "one number above 0 in all its rows; weights= leaves requests of weight 0 out"
        )
    if schemas.STRATUM not in table.columns:
        return Weights(queries, weight)
    names, code = coded.encode(each[schemas.STRATUM])
    return Weights(queries, weight, tuple(names), code.astype(np.int64))


def weight_numbers(queries: pl.Series, given: pl.Series) -> np.ndarray:
    """Return weights as numbers; raise for one that is lacking or is no number from 0."""
    lacking = given.is_null()
    if lacking.any():
        n, of = int(lacking.sum()), printed.counted(len(queries), "request")
        has = "has" if n == 1 else "have"
        raise LexiframeError(
            f"weights: {n:,} of {of} {has} no weight, for example {queries.filter(lacking)[0]!r}"
        )
    numbers = pl.Series(given.to_list(), dtype=pl.Float64, strict=False)
    is_right = ((numbers >= 0) & (numbers < math.inf)).fill_null(value=False)
    if not is_right.all():
        query, value = queries.filter(~is_right)[0], given.to_list()[(~is_right).arg_true()[0]]
        raise LexiframeError(
            f"weights: request {query!r} has {value}; expected a number of 0 or more"
        )
    return numbers.to_numpy()
