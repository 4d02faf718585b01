"""All tables about runs and pairs, from the sums of scores and preferences over requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.base.face import added
from lexiframe.evaluation.options import Inference
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
from lexiframe.pairwise import PairCube, arrays, facts, grouping
from lexiframe.significance import against_baseline, compare, discriminative_power
from lexiframe.significance import replicates as replication


def pair_tables(
    sums: arrays.Reduced,
    order: Method,
    inference: Inference,
    attributes: pl.DataFrame | None,
    by: Sequence[str],
    missing: missing_requests.Missing | None = None,
    tested: arrays.PairsByMeasure | PairCube | pl.DataFrame | None = None,
    *,
    known: facts.Known,
) -> dict[str, Any]:
    """Compute the tables about runs and pairs, by the names of the attributes of `Evaluation`.

    ``sums`` are those of scores and preferences; the latter order the runs by ``order`` unless they
    are differences of scores. ``attributes`` has those of requests that form groups, ``by``. Where
    runs lack requests of scores, ``missing`` says what to do; None gives them no ranks. ``tested``
    are the preferences of single requests, where tests need them; or the scores of single
    replicates, of which there are the means in ``sums``. ``known`` are the facts of the measures.
    """
    within: dict[str, Any] = {"requests": attributes, "by": [*by]}
    columns = {} if attributes is None else attributes.select(by).schema
    by_mean, means = _empty(schemas.ORDERINGS, columns), []
    if sums.scores:
        by_mean = order_or_null(sums.scores_only, ChosenRule("mean", missing=missing), **within)
        means = [
            run_means(sums.scores_only, inference.alpha, missing=missing, known=known, **within)
        ]
        if inference.replicates in ("run", "both"):
            of_seeds = _algorithm_means(means[0], tested, inference.alpha, within)
            means = [facts.within_bounds(of_seeds, known)]
    if not any(pairs.differences.n.any() for pairs in sums.preferences.values()):
        empty = {schema.name: _empty(schema, columns) for schema in _OF_PAIRS}
        return {"means": pl.concat(means), "orderings": by_mean, **empty}
    names = [name for name in sums.preferences if name not in sums.scores]
    chosen = sums.select_measures(names)
    o = pl.concat([by_mean, order_runs(chosen, order, **within)] if names else [by_mean])
    if names:
        means += [_ranked_as(o, run_means(chosen, inference.alpha, **within), by)]
    o = o.sort(*by, "measure", "method", "rank", "run")
    how: dict[str, Any] = {"bounds": known, **asdict(inference), **within}
    c = compare(sums if tested is None else tested, **how)
    wins = win_rates(sums, **within)
    against = _empty(schemas.AGAINST_BASELINE, columns)
    if inference.baseline is not None:
        against = against_baseline(by_mean, wins, c, inference.baseline, by)
    return {
        "means": pl.concat(means).sort(*by, *schemas.MEANS.key),
        "win_rates": wins,
        "orderings": o,
        "correlations": rank_correlations(o, by=by),
        "tie_rates": tie_rates(sums, **within),
        "sign_agreement": sign_agreement(sums, **within),
        "comparisons": c,
        "power": discriminative_power(c, inference.alpha, by=by),
        "against_baseline": against,
    }


_OF_PAIRS = (
    schemas.WIN_RATES,
    schemas.CORRELATIONS,
    schemas.TIE_RATES,
    schemas.SIGN_AGREEMENT,
    schemas.COMPARISONS,
    schemas.POWER,
    schemas.AGAINST_BASELINE,
)


def _empty(schema: schemas.TableSchema, groups: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return a table without rows that has the groups' columns."""
    # `compare` always returns these optional columns as well.
    asked = ("effect_low", "effect_high", "least_p") if schema is schemas.COMPARISONS else ()
    columns = {n: t for n, t in schema.columns.items() if n in asked or n in schema.required}
    return pl.DataFrame(schema={**groups, **columns})


def _algorithm_means(
    means: pl.DataFrame, tested: Any, alpha: float, within: Mapping[str, Any]
) -> pl.DataFrame:
    """Return means with the intervals that they have if runs were trained from other seeds."""
    ends = grouping.group_tables(
        lambda group: added(replication, "algorithm_means", "evaluate")(group, alpha),
        tested,
        **within,
    )
    on = [*within["by"], "run", "measure"]
    joined = means.drop("ci_low", "ci_high").join(ends, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)


def _ranked_as(o: pl.DataFrame, means: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return means with the ranks of the orderings, so that one run is first in both tables."""
    on = [*by, "run", "measure"]
    ranks = o.select(*on, "rank")
    joined = means.drop("rank").join(ranks, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)
