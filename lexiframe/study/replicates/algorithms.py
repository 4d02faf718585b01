"""Comparing algorithms that were trained several times, not single trained models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    n_and_first,
    schemas,
    sums,
    to_polars,
    unknown_name,
    warn,
)
from lexiframe.core.metrics import derived
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.estimates import answers_by_t, outcome_by_t, satterthwaite
from lexiframe.core.significance.intervals import interval_by_t
from lexiframe.core.significance.replicates.designs import Replicates, Seeds
from lexiframe.study.replicates.read import Replicated, replicated


def mean_of_replicates(called: str, d: Any) -> pl.DataFrame:
    """Return the mean over the replicates of each run and request: a table of scores.

    If replicates belong to requests or cells, their noise is in the differences over requests
    already, so that a test over requests is right.
    """
    for _ in replicated(called, d):
        pass  # raises for what is no table of replicated scores
    table = to_polars(d)
    kept = [pl.col(n).min() for n in ("smaller_is_better", "answered") if n in table.columns]
    weights = (schemas.WEIGHT, schemas.STRATUM)
    kept += [pl.col(n).drop_nulls().first() for n in weights if n in table.columns]
    if "ties_sd" in table.columns:  # tied orders of replicates are independent
        sd = pl.col("ties_sd")
        kept.append(pl.when(sd.null_count() == 0).then(sd.pow(2).sum().sqrt() / pl.len()))
    return (
        table.group_by("run", "query_id", "measure", maintain_order=True)
        .agg(pl.col("value").mean(), *kept)
        .sort("run", "query_id", "measure")
    )


def algorithm_rows(
    d: Any, *, seeds: Seeds, replicates: Replicates, options: Options, baseline: str | None,
    columns: dict[str, pl.DataType],
) -> pl.DataFrame:  # fmt: skip
    """Return the rows of `compare` for runs whose replicates are seeds, without corrections.

    Seeds unrelated: Var = s²_q(d̄)/n_q + Σ over both runs of s²_k(x̄)/n_k − MS_e/(n_q n_k). Paired
    seeds: Var = (MS_q + MS_k − MS_e)/(n_q n_k) of d_qk. Degrees of freedom by Satterthwaite. With
    two seeds and more than two runs, s²_k, MS_k and MS_e are means over all runs, with the degrees
    of freedom of all: a variance of two values is often far too small for some of many pairs.
    """
    frames = [pl.DataFrame(schema=columns)]
    for given, e in _estimates(d, seeds, replicates, baseline):
        low, high = interval_by_t(e, options)
        outcome = outcome_by_t(e, np.full(len(e.mean), np.nan), options)._asdict()
        ends = {"ci_low": low, "ci_high": high}
        frames.append(schemas.table_of(columns, len(e.mean), given | ends | outcome))
    return pl.concat(frames)


def algorithm_answers(
    d: Any, margins: Mapping[str, float], *, seeds: Seeds, replicates: Replicates, options: Options,
    baseline: str | None, columns: dict[str, pl.DataType],
) -> pl.DataFrame:  # fmt: skip
    """Return the rows of `equivalence` for such runs, without corrections."""
    frames = [pl.DataFrame(schema=columns)]
    for given, e in _estimates(d, seeds, replicates, baseline):
        margin = margins[given["measure"]]
        found = answers_by_t(e, np.full(len(e.mean), margin), options)
        either = np.maximum(found.p_not_worse_a, found.p_not_worse_b)
        more = {"margin": margin, "p_equivalent": either, **found._asdict()}
        frames.append(schemas.table_of(columns, len(e.mean), given | more))
    return pl.concat(frames)


def algorithm_means(d: Any, alpha: float) -> pl.DataFrame:
    """Return the intervals of the runs' means, had they other seeds and other requests.

    Key ``run, measure``; ``ci_low, ci_high`` of level 1 − alpha. Var = (MS_q + MS_k − MS_e)/(n_q
    n_k) of x_qk, with Satterthwaite's degrees of freedom.
    """
    names, frames = ("run", "measure", "ci_low", "ci_high"), []
    for data in replicated("evaluate", d):
        for run, x in zip(data.runs, _run_scores(data), strict=True):
            low, high = _crossed(x[:, :, None]).ends(alpha / 2)
            frames.append((run, data.measure, float(low[0]), float(high[0])))
    kinds = {name: schemas.MEANS.columns[name] for name in names}
    return pl.DataFrame(frames, kinds, orient="row").with_columns(
        pl.col("ci_low", "ci_high").fill_nan(None)
    )


def _estimates(
    d: Any, seeds: Seeds, replicates: Replicates, baseline: str | None
) -> Iterator[tuple[dict[str, Any], sums.Estimates]]:
    """Yield for each measure the numbers of its rows, and the mean differences of the pairs."""
    for data in replicated("compare", d):
        arrays = _run_scores(data)
        a, b = _algorithm_pairs(data.runs, baseline)
        is_paired = seeds == "paired" or replicates == "both"
        e = _paired(data, arrays, a, b) if is_paired else _unrelated(arrays, a, b)
        sign = -1.0 if _is_smaller_better(d, data.measure) else 1.0
        e = sums.Estimates(sign * e.mean, e.error, e.df)
        said = f"replicates='{replicates}'" + ", seeds='paired'" * (seeds == "paired")
        yield {
            "measure": data.measure, "test": f"t({said})", "n": len(data.queries),
            "run_a": data.runs.gather(a), "run_b": data.runs.gather(b), "mean_difference": e.mean,
        }, e  # fmt: skip


def _run_scores(data: Replicated) -> list[np.ndarray]:
    """Return the scores of each run, requests × replicates; raise for gaps and lone replicates."""
    found, n_requests = [], len(data.queries)
    for run, name in enumerate(data.runs):
        mine = data.run == run
        names = np.unique(data.replicate[mine])
        if len(names) * n_requests != mine.sum():
            raise LexiframeError(
                f"compare: expected each replicate of {name} in all {n_requests:,} requests of "
                f"{data.measure}, found {mine.sum():,} scores of {len(names)} replicates; leave "
                "out the requests that some lack"
            )
        if len(names) < 2:
            raise LexiframeError(
                f"compare: expected two or more replicates of {name}, found one; how much it would "
                "vary if it were trained again is not known"
            )
        order = np.lexsort((data.replicate[mine], data.request[mine]))
        found.append(data.values[mine][order].reshape(n_requests, len(names)))
    few = [name for name, x in zip(data.runs, found, strict=True) if x.shape[1] < 3]
    if few:
        errs = ".11" if len(found) < 3 else ".15 where some runs vary far more by seed than others"
        warn(
            f"compare: with two replicates, of {n_and_first(few)}, a test at .05 may err in up to "
            f"{errs}; three or more are better"
        )
    if n_requests < 2:
        raise LexiframeError(f"compare: expected two or more requests of {data.measure}, found one")
    return found


def _algorithm_pairs(runs: pl.Series, baseline: str | None) -> tuple[np.ndarray, np.ndarray]:
    if baseline is None:
        a, b = np.triu_indices(len(runs), k=1)
        return a, b
    if baseline not in runs:
        raise unknown_name("run", baseline, runs)
    place = int((runs == baseline).arg_max() or 0)
    others = np.delete(np.arange(len(runs)), place)
    return others, np.full(len(others), place)


def _residual(x: np.ndarray) -> np.ndarray:
    """Return MS_e of requests × replicates (× columns)."""
    rest = x - x.mean(axis=0, keepdims=True) - x.mean(axis=1, keepdims=True)
    rest = rest + x.mean(axis=(0, 1), keepdims=True)
    return np.asarray((rest**2).sum(axis=(0, 1)) / ((x.shape[0] - 1) * (x.shape[1] - 1)))


def _unrelated(x: list[np.ndarray], a: np.ndarray, b: np.ndarray) -> sums.Estimates:
    n_requests = len(x[0])
    means = np.stack([one.mean(axis=1) for one in x], axis=1)
    seeds = np.array([one.shape[1] for one in x])
    of_seeds = np.array([one.mean(axis=0).var(ddof=1) for one in x])
    residual = np.array([_residual(one) for one in x]) / n_requests
    d = means[:, a] - means[:, b]
    freedom = (n_requests - 1) * (seeds - 1)
    of_requests = d.var(axis=0, ddof=1) / n_requests
    every = np.full(len(a), n_requests - 1)
    if _is_pooled(x):
        of_both = 1 / seeds[a] + 1 / seeds[b]
        pooled = (np.average(each, weights=seeds - 1) for each in (of_seeds, -residual))
        terms = np.stack([of_requests, *(each * of_both for each in pooled)])
        df = np.stack([every, *(np.full(len(a), of.sum()) for of in (seeds - 1, freedom))])
    else:
        of_seeds, residual = of_seeds / seeds, residual / seeds
        terms = np.stack([of_requests, of_seeds[a], of_seeds[b], -residual[a], -residual[b]])
        df = np.stack([every, seeds[a] - 1, seeds[b] - 1, freedom[a], freedom[b]])
    variance, found = satterthwaite(terms, df)
    return sums.Estimates(d.mean(axis=0), np.sqrt(variance), found)


def _paired(data: Replicated, x: list[np.ndarray], a: np.ndarray, b: np.ndarray) -> sums.Estimates:
    names = [frozenset(data.replicate[data.run == run]) for run in range(len(x))]
    if len({*names}) > 1:
        raise LexiframeError(
            "compare: expected the same replicates of all runs with paired seeds, found others; "
            "give them the same names, or say seeds='unrelated'"
        )
    every = np.stack(x, axis=2)
    d = every[:, :, a] - every[:, :, b]
    return _crossed(d, every - every.mean(axis=2, keepdims=True) if _is_pooled(x) else None)


def _is_pooled(x: list[np.ndarray]) -> bool:
    """Return whether the variance of seeds is pooled over all runs."""
    return len(x) > 2 and min(one.shape[1] for one in x) < 3


def _crossed(d: np.ndarray, around: np.ndarray | None = None) -> sums.Estimates:
    """Estimate the means of requests × seeds × columns, where all requests have equal seeds.

    The scores ``around`` their means over runs give the variance of seeds of all differences: twice
    the variance of a run, with the degrees of freedom of all runs but one.
    """
    n_requests, n_seeds = d.shape[:2]
    df = np.array([n_requests - 1, n_seeds - 1, (n_requests - 1) * (n_seeds - 1)])
    squares = np.stack([n_seeds * d.mean(axis=1).var(axis=0, ddof=1), *_of_seeds(d)])
    if around is not None:
        others = around.shape[2] - 1
        squares[1:], df[1:] = 2 * _of_seeds(around).sum(axis=1)[:, None] / others, df[1:] * others
    variance, found = satterthwaite(
        squares / (n_requests * n_seeds), np.broadcast_to(df[:, None], squares.shape)
    )
    return sums.Estimates(d.mean(axis=(0, 1)), np.sqrt(variance), found)


def _of_seeds(x: np.ndarray) -> np.ndarray:
    """Return MS_k and −MS_e of requests × seeds × columns."""
    return np.stack([len(x) * x.mean(axis=0).var(axis=0, ddof=1), -_residual(x)])


def _is_smaller_better(d: Any, measure: str) -> bool:
    table = to_polars(d)
    if "smaller_is_better" in table.columns:
        said = table.filter(pl.col("measure") == measure)["smaller_is_better"].drop_nulls()
        if len(said):
            return bool(said[0])
    return bool(derived.smaller_is_better(measure))
