"""Orderings of the runs: `order_runs`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import feature, schemas, to_polars, typed, warn
from lexiframe.core.orderings.chosen_rule import ChosenRule, Votes
from lexiframe.core.orderings.missing_requests import Missing, settle
from lexiframe.core.orderings.ordered import order_whole, table_for
from lexiframe.core.orderings.rules import RULES, AnyMethod
from lexiframe.core.pairwise import By, PairCube, arrays, facts, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike


@alone.each_collection
@typed
def order_runs(
    d: arrays.PairsByKind,
    /,
    method: AnyMethod | None = None,
    *,
    votes: Votes = "win_rate",
    iterations: int | None = None,
    teleport: float | None = None,
    missing: Missing | None = None,
    weights: WeightsLike = None,
    strata: str | None = None,
    shares: SharesLike = None,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Order the runs over all requests, under each measure.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`; or an `Evaluation`, for all of its measures.
    method : {"mean", "win_rate", "borda", "copeland", "mc4", "kemeny", "bradley_terry", \
"mean_z", "mean_rank", "leximin"}, optional
        Default: ``mean`` for scores, ``win_rate`` for preferences, and ``mc4`` where an option of
        it is given. The papers order runs by ``mc4``.
        ``mean``: the mean score, or the mean preference over the other runs and the requests.
        ``win_rate``: the mean over the other runs of the share of requests won; ties count half.
        ``borda``: the mean over requests of S − mid-rank, for S runs ranked by per-request win
        rate.
        ``copeland``: the number of runs that the run beats by a majority of requests, minus the
        number of runs that beat it. A warning names cycles; `majority_cycles` lists them.
        ``mc4``: a Markov chain that moves to runs that a majority of the requests ranks higher.
        ``kemeny``: the order that the requests contradict least, found exactly, for up to 12 runs;
        placing a before b costs the number of requests that rank b over a.
        ``bradley_terry``: the strengths that make the wins likeliest, see `bradley_terry`. Each
        request counts once, by the sign of its preference; stated preferences (with a column
        ``n_judgments``) count each judgment.
        ``mean_z``: the mean of z-scores, (score − mean)/sd over the runs of a request; those of
        preferences are of the mean preference over the other runs.
        ``mean_rank``: the mean over requests of the mid-rank by per-request win rate.
        ``leximin``: scores sorted from the worst, of which the first that differs decides, see
        `leximin`; the value is S − mid-rank.
    votes : {"win_rate", "preference"}
        For mc4 and kemeny: whether a request ranks two runs by their per-request win rates over all
        runs (as in the papers), or by the preference between the two.
    iterations : int, optional
        For mc4: stop after this many steps from equal probabilities. The authors' tool takes 10.
    teleport : float, optional
        For mc4: at each step, jump with this probability to a run that is drawn uniformly.
    missing : {"zero", "common", "own"}, optional
        Where runs lack requests that others have: count 0 for these (of scores, where larger is
        better); leave out the requests that any run lacks; or order each run by the requests that
        it has, so that a run with one easy request may come first. Default: an error.
    weights, strata, shares, requests, by
        As for `compare`. Means, shares of requests, majorities and wins are then by weight.

    Returns
    -------
    polars.DataFrame
        Key ``measure, method, run``, sorted by measure, method and rank. ``method`` shows its
        options: ``mc4(iterations=10)``, and ``missing`` for measures of which runs lack requests:
        ``mean(missing='own')``. ``value`` is in the method's unit; greater is better, except for
        the means of search lengths and errors, and for places. ``rank`` counts from 1; runs of
        equal value share the mean of their ranks.

        The value of mc4, without ``iterations`` and ``teleport``: the strongly connected components
        of the chain form layers, and the value is the number of layers below the run's, plus its
        share of its own layer, in 0..1. Components that the chain never leaves are at the top,
        ordered by the probability that the chain from equal probabilities ends in them. The longer
        the longest path from another component to one of these, the lower is that component. A
        layer is divided among its components in proportion to their size, and the part of a
        component among its runs by their stationary probabilities.

        The value of kemeny: the mean place of the run over all orders of least cost.

    Raises
    ------
    LexiframeError
        For an unknown method, an option that the method does not have, or kemeny of more than 12
        runs; where runs lack requests, with their numbers, unless ``missing`` is given; for a
        ``missing`` that cannot be done; and for leximin of requests with weights.

    Notes
    -----
    Dwork et al., "Rank Aggregation Methods for the Web", WWW 2001, doi:10.1145/371920.372165;
    Diaz & Ferraro, SIGIR 2022, section 5.4, doi:10.1145/3477495.3532033. Kemeny, "Mathematics
    without numbers", Daedalus 88 (1959); searched by subsets: Held & Karp, "A Dynamic Programming
    Approach to Sequencing Problems", SIAM 10 (1962).

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": "q1", "run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"],
    ...                   "measure": "RPP", "preference": [-1.0, 0.0, 1.0]})
    >>> lf.order_runs(d, method="mc4").select("run", "rank").rows()
    [('b', 1.0), ('a', 2.5), ('c', 2.5)]
    """
    if isinstance(d, arrays.ByKind):
        how: dict[str, Any] = {"votes": votes, "iterations": iterations, "teleport": teleport}
        how |= {"missing": missing, "weights": weights, "strata": strata, "shares": shares}
        how |= {"requests": requests, "by": by}
        key = ("measure", "method", "rank", "run")
        return d.compute(partial(order_runs, method=method, **how), key)
    d = d if isinstance(d, PairCube | arrays.Reduced) else to_polars(d)  # once: may be a stream
    if weights is not None or strata is not None or shares is not None:
        d = arrays.weigh(d, requests, weights, strata, shares)
        requests = requests if by is not None else None
    facts.warn_of_hints(d)
    if method is None:
        told = (votes, iterations, teleport) != ("win_rate", None, None)
        method = "mc4" if told else "mean" if arrays.is_scores(d) else "win_rate"
    rule, cycles = ChosenRule(method, votes, iterations, teleport, missing), list[pl.DataFrame]()
    table = grouping.group_tables(
        partial(ordering_table, rule=rule, cycles=cycles), d, requests, by
    )
    warn_of_cycles(cycles)
    return table


def order_or_null(
    s: Any, rule: ChosenRule, *, requests: RequestsLike = None, by: By = None
) -> pl.DataFrame:
    """Order the runs by scores as `order_runs` does; ranks are null where it would refuse them."""
    return grouping.group_tables(
        partial(ordering_table, rule=rule, cycles=[], refuse=False), s, requests, by
    )


def ordering_table(
    d: Any, rule: ChosenRule, cycles: list[pl.DataFrame], *, refuse: bool = True
) -> pl.DataFrame:
    """Compute `order_runs` without groups; append Copeland's cycles to ``cycles``.

    Without ``refuse``, ranks are null where runs lack requests.
    """
    if rule.method == "bradley_terry" and (stated := stated_rows_of(d)) is not None:
        return features.needed(feature.Votes, "bradley_terry").order_of_judgments(stated)
    d, changed = settle(d, rule.missing)
    table = table_for(d, rule.method)
    sign = -1 if RULES[rule.method].are_places else 1
    tables = [
        pl.DataFrame({"run": o.runs, "value": sign * o.values[0], "rank": o.ranks[0]}).select(
            pl.lit(o.measure).alias("measure"),
            pl.lit(rule.name_of(o.measure, changed)).alias("method"),
            "run",
            "value",
            pl.col("rank").fill_nan(None),
        )
        for o in order_whole(table, rule, refuse=refuse)
    ]
    if RULES[rule.method].of_majorities and isinstance(table, PairCube | arrays.Reduced):
        from lexiframe.core.orderings.majorities import majority_cycles

        cycles.append(majority_cycles(table))
    together = pl.concat([pl.DataFrame(schema=schemas.ORDERINGS.columns), *tables])
    return together.sort("measure", "method", "rank", "run")


def warn_of_cycles(cycles: Sequence[pl.DataFrame]) -> None:
    """Warn once of all cycles of majorities, in one or several groups of requests."""
    by_group = [
        table.group_by("measure", "cycle", maintain_order=True).agg("run")
        for table in cycles
        if table.height
    ]
    if by_group:
        found = pl.concat(by_group)
        first = "; ".join(f"{m}: {', '.join(runs)}" for m, _, runs in found.head(3).iter_rows())
        groups = f" in {len(by_group)} groups of requests" if len(cycles) > 1 else ""
        warn(f"majorities form {found.height} cycles{groups} ({first}); majority_cycles lists them")


def stated_rows_of(d: Any) -> pl.DataFrame | None:
    """Return preferences that count several judgments each, else None."""
    if isinstance(d, PairCube | arrays.Reduced | arrays.ScoreCube):
        return None
    frame = to_polars(d) if hasattr(d, "judgments") else d
    has = isinstance(frame, pl.DataFrame) and "n_judgments" in frame.columns
    return schemas.check(frame, schemas.PREFERENCES, "d") if has else None
