"""Requests that are correlated within clusters: how sure a mean over them is."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, n_and_first, resampling, sums, to_polars
from lexiframe.core.pairwise import PairCube, grouping
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.estimates import outcome_by_t
from lexiframe.core.significance.paired_tests import Outcome, d_z_outcome

CLUSTERED = ("t", "bootstrap")
"""The tests that know clusters."""


def clusters_of(
    called: str, d: Any, requests: Any, cluster: str | None, tests: list[Any]
) -> pl.DataFrame | None:
    """Return ``query_id`` and the ``cluster`` of each request; None where none is named."""
    if cluster is None:
        return None
    if others := [test for test in tests if test not in CLUSTERED]:
        raise LexiframeError(
            f"{called}: expected test to be {' or '.join(map(repr, CLUSTERED))} with cluster, "
            f"found {others[0]!r}, which takes requests for independent of one another"
        )
    table = d if isinstance(d, PairCube) else to_polars(d)
    if requests is None and not isinstance(table, PairCube) and cluster in table.columns:
        requests = table.select("query_id", cluster).unique()
    found = grouping.attributes_of(table, requests, [cluster])
    found = found.select("query_id", cluster=pl.col(cluster).cast(pl.String))
    lacking = found.filter(pl.col("cluster").is_null())["query_id"]
    if len(lacking):
        raise LexiframeError(
            f"{called}: expected the {cluster} of each request, found none of "
            f"{n_and_first(lacking)}; name it, or leave the requests out"
        )
    return found


def group_attributes(requests: Any, by: Any, *others: Any) -> Any:
    """Return the attributes that make groups: none where they serve other options alone."""
    return None if by is None and any(other is not None for other in others) else requests


def codes_of(queries: pl.Series, clusters: Any) -> np.ndarray:
    """Return the number of the cluster of each request."""
    found = queries.alias("query_id").to_frame().join(
        clusters, on="query_id", how="left", maintain_order="left"
    )  # fmt: skip
    return found["cluster"].rank("dense").to_numpy().astype(np.int64) - 1


def sums_of(values: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Return the sums of rows by cluster: clusters × columns."""
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(coded.begins(code[order]))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def clustered(d: Differences, options: Options) -> sums.Estimates:
    """Return means whose error counts clusters: G − 1 degrees of freedom.

    se² = G / (G − 1) · Σ_g (Σ_{q in g} (x_q − x̄))² / n² (Liang & Zeger, Biometrika 1986,
    doi:10.1093/biomet/73.1.13). With clusters of one request it is s²/n.
    """
    code = codes_of(d.queries, options.clusters)
    size, rest = np.bincount(code)[:, None], sums_of(d.values - d.mean, code)
    e = sums.Estimates.of_ratios(size, rest, d.mean_rounding)
    return sums.Estimates(d.mean, np.where(d.deviation > 0, e.error, 0.0), e.df)


def clustered_t(d: Differences, options: Options) -> Outcome:
    """Student's t of clusters; d_z counts requests."""
    d_z = d_z_outcome(d, options, d.mean, d.mean).effect_size
    return outcome_by_t(clustered(d, options), d_z, options)


def drawn_clustered_t(d: Differences, options: Options) -> np.ndarray:
    """Return t of samples of whole clusters, from the centred differences: pairs × trials."""
    code = codes_of(d.queries, options.clusters)
    size = np.bincount(code).astype(float)[:, None]
    totals = sums_of(d.values - d.mean, code)
    blocks = resampling.drawn_blocks(len(size), options.trials, options.seed)
    t = [t_of_drawn(drawn, size, totals, d.mean_rounding) for drawn in blocks]
    return np.concatenate(t).T


def t_of_drawn(
    drawn: np.ndarray, size: np.ndarray, totals: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    """Return t of samples: samples × columns, of how often each draws each cluster.

    ``size`` is clusters × columns, or × 1, and ``totals`` sums of centred differences.
    """
    n, groups = drawn @ size, len(size)
    mean = drawn @ totals / n
    mean[np.abs(mean) <= rounding] = 0.0
    squares = drawn @ totals**2 - 2 * mean * (drawn @ (size * totals))
    squares += mean**2 * (drawn @ size**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.maximum(squares, 0) * groups / max(groups - 1, 1)) / n
        t = mean / error
    return np.asarray(np.nan_to_num(t, posinf=np.inf, neginf=-np.inf))
