"""All tables about runs and pairs, from scores and preferences or from their sums."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.evaluation.options import Groups, Inference
from lexiframe.metrics import Metric
from lexiframe.orderings import (
    ChosenRule,
    Method,
    missing_requests,
    order_or_null,
    order_runs,
    rank_correlations,
    run_means,
    sign_agreement,
    tie_rates,
    win_rates,
)
from lexiframe.pairwise import Measure, PairCube, arrays, grouping
from lexiframe.significance import against_baseline, compare, discriminative_power
from lexiframe.significance import replicates as replication


def pair_tables(
    s: pl.DataFrame | arrays.Reduced | None,
    cube: PairCube | arrays.Reduced | None,
    asked: list[Measure],
    order: Method,
    inference: Inference,
    groups: Groups,
    missing: missing_requests.Missing | None = None,
    tested: arrays.PairsByMeasure | pl.DataFrame | None = None,
) -> dict[str, Any]:
    """Compute the tables about runs and pairs, by the names of the attributes of `Evaluation`.

    ``s`` are the scores, and ``cube`` the preferences, or the sums of either; None if there are
    none. ``asked`` are the measures, of which preferences order the runs by ``order``. Where runs
    lack requests of scores, ``missing`` says what to do; None gives them no ranks. ``tested`` are
    the preferences of single requests, where tests need them and there are sums; or the scores of
    single replicates, of which ``s`` has the means.
    """
    within, by_mean, means = groups.arguments, groups.empty(schemas.ORDERINGS), []
    if s is not None:
        by_mean = order_or_null(s, ChosenRule("mean", missing=missing), **within)
        means = [run_means(s, inference.alpha, missing=missing, **within)]
        if inference.replicates in ("run", "both"):
            means = [_of_algorithms(means[0], tested, inference.alpha, groups)]
    if cube is None:
        none = (
            schemas.WIN_RATES,
            schemas.CORRELATIONS,
            schemas.TIE_RATES,
            schemas.SIGN_AGREEMENT,
            schemas.COMPARISONS,
            schemas.POWER,
        )
        empty = {schema.name: groups.empty(schema) for schema in (*none, schemas.AGAINST_BASELINE)}
        return {"means": pl.concat(means), "orderings": by_mean, **empty}
    names = [str(measure) for measure in asked if not isinstance(measure, Metric)]
    chosen = cube.of_measures(names)
    o = pl.concat([by_mean, order_runs(chosen, order, **within)] if names else [by_mean])
    if names:
        means += [_ranked_as(o, run_means(chosen, inference.alpha, **within), groups.names)]
    o = o.sort(*groups.names, "measure", "method", "rank", "run")
    c = compare(cube if tested is None else tested, **asdict(inference), **within)
    wins = win_rates(cube, **within)
    against = groups.empty(schemas.AGAINST_BASELINE)
    if inference.baseline is not None:
        against = against_baseline(by_mean, wins, c, inference.baseline, groups.names)
    return {
        "means": pl.concat(means).sort(*groups.names, *schemas.MEANS.key),
        "win_rates": wins,
        "orderings": o,
        "correlations": rank_correlations(o, by=groups.names),
        "tie_rates": tie_rates(cube, **within),
        "sign_agreement": sign_agreement(cube, **within),
        "comparisons": c,
        "power": discriminative_power(c, inference.alpha, by=groups.names),
        "against_baseline": against,
    }


def _of_algorithms(means: pl.DataFrame, tested: Any, alpha: float, groups: Groups) -> pl.DataFrame:
    """Return means with the intervals that they have if runs were trained from other seeds."""
    ends = grouping.in_groups(
        lambda group: replication.algorithm_means(group, alpha),
        tested,
        groups.requests,
        groups.names,
    )
    on = [*groups.names, "run", "measure"]
    joined = means.drop("ci_low", "ci_high").join(ends, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)


def _ranked_as(o: pl.DataFrame, means: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return means with the ranks of the orderings, so that one run is first in both tables."""
    on = [*by, "run", "measure"]
    ranks = o.select(*on, "rank")
    joined = means.drop("rank").join(ranks, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)
