"""Which items decide between two rankings, and how much each contributes: `explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars, typed, unknown_name
from lexiframe.core.metrics import Metric, Rankings, needed, subtopic_metrics
from lexiframe.core.pairwise.composition import Composition, components_of
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.pairs import Measure, parse_measures, preferences
from lexiframe.core.pairwise.preference_entries import LP, LR, RPP
from lexiframe.core.pairwise.recall_paired import LevelPreference
from lexiframe.core.projection import blocks, matrices
from lexiframe.typing import MeasureLike, PositionsTable

_NOWHERE = pl.Int64.max()  # the rank of items that were not retrieved: below every other


@typed
def explain(
    p: PositionsTable,
    /,
    query_id: str,
    run_a: str,
    run_b: str,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
) -> pl.DataFrame:
    """Explain a preference between two rankings of one request, recall level by recall level.

    Each column of a measure sums to the value that `preferences` or `scores` computes.

    Parameters
    ----------
    p
        The table of `positions`.
    query_id, run_a, run_b
        The request, and the runs whose rankings are compared, in this order.
    measures
        Preferences and metrics, or their notation. Unless given: RPP, LR and LP.

    Returns
    -------
    polars.DataFrame
        One row for each ``threshold`` (a grade λ: items of this grade or above count) and ``level``
        (recall level i, from 1), sorted by both. ``doc_a``, ``relevance_a`` and ``position_a``
        describe the i-th relevant item of run_a's ranking; a null position means that it was not
        retrieved. ``doc_b``, ``relevance_b`` and ``position_b`` do so for run_b. ``sign`` is s_i:
        1 when run_a's item has the smaller rank, −1 when run_b's has, else 0. ``decides`` names
        which of LR and LP this level decides, in the rows of the lowest threshold.

        The columns of each measure follow. A preference by levels, such as RPP, has ``RPP weight``
        (p(λ) p(i | λ), which sum to 1) and ``RPP`` (weight times sign). A lexicographic preference
        has ``LR``: Δ at the level that decides, and 0 elsewhere. A metric has ``AP_a`` and
        ``AP_b``: what the item adds to the value of each run, divided by the ideal if the metric
        is; they are null above the lowest threshold. A measure with ``rel`` counts from the lowest
        threshold that is not below ``rel``, and has its numbers there.

        A composition has the columns of its measures, ``RR>AP``, and ``RR>AP by``: the measure that
        decides, in all rows, null for a tie. ``RR>AP`` is Δ at the level that decides if that
        measure is LR or LP, and in the first row otherwise; it is 0 elsewhere.

        Of positions with ``ties="expected"``, ``low_a`` and ``high_a`` are the first and the last
        rank that the level can have in run_a (null: it may be missing), ``low_b`` and ``high_b`` in
        run_b, and ``p_better``, ``p_equal``, ``p_worse`` the chances that it is reached sooner by
        run_a, by none, by run_b. ``sign`` and ``decides`` are null unless they are sure. The
        columns of measures are expectations: of LR, the chance that the level decides for run_a
        minus that it does for run_b; positions and items are of one possible order.

    Raises
    ------
    UnknownNameError
        For a query, run or measure that does not exist; the message lists similar names.
    LexiframeError
        For a measure that is not a sum over levels, such as a `MatrixPreference`, and for a ``rel``
        above all grades of the request.

    Examples
    --------
    Two rankings of one request: X has relevant items at ranks 2, 3, 7 and 9, Y at 1, 3, 4, 5, 8
    and 9.

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> grades = {"a": 4, "b": 3, "c": 1, "d": 3, "e": 1, "f": 1, "g": 2, "h": 4, "i": 5}
    >>> qrels = pl.DataFrame({"query_id": "q", "doc_id": grades.keys(),
    ...                       "relevance": grades.values()})
    >>> ranks = {"X": {2: "a", 3: "b", 7: "c", 9: "d"},
    ...          "Y": {1: "b", 3: "a", 4: "i", 5: "d", 8: "c", 9: "e"}}
    >>> runs = pl.DataFrame([(run, "q", found.get(rank, f"{run}{rank}"), -rank)
    ...                      for run, found in ranks.items() for rank in range(1, 11)],
    ...                     schema=["run", "query_id", "doc_id", "score"], orient="row")
    >>> p = lf.positions(runs, qrels)
    >>> e = lf.explain(p, "q", "X", "Y", ["RPP", "RPP(rel=1)", "LR", "LP"])
    >>> of_all = e.filter(threshold=1)
    >>> of_all.select("level", "position_a", "position_b", "sign", "decides").rows()
    [(1, 2, 1, -1, 'LP'), (2, 3, 3, 0, None), (3, 7, 4, -1, None), (4, 9, 5, -1, None), \
(5, None, 8, -1, None), (6, None, 9, -1, 'LR'), (7, None, None, 0, None), \
(8, None, None, 0, None), (9, None, None, 0, None)]
    >>> e.select(pl.col("RPP", "RPP(rel=1)", "LR", "LP").sum().round(6)).row(0)
    (-0.5, -0.555556, -1.0, -1.0)
    >>> lf.explain(p, "q", "X", "Y", "P@2>LP").filter(threshold=1).select("level", "P@2>LP",
    ...     "P@2>LP by").head(1).rows()
    [(1, -1.0, 'LP')]
    """
    asked, p = parse_measures([RPP, LR, LP] if measures is None else measures), to_polars(p)
    query_id, run_a, run_b = str(query_id), str(run_a), str(run_b)  # as ids are in every table
    if subtopic_metrics.are_of_subtopics(p, asked):
        raise LexiframeError(
            "explain: expected positions without subtopics, found some by subtopic"
        )
    needed.refuse_unfit(p, asked)
    rows = _request_rows(p, query_id, run_a, run_b)
    request, sides = _two_rankings(rows, run_a, run_b)
    table = _levels(sides)
    if request.tied is not None:
        from lexiframe.core.pairwise.tied import explained

        table = explained.put_chances(table, request)

    @cache  # metrics of one least grade share the rankings, and what these have computed already
    def rankings_of(run: str, rel: float | None) -> Rankings:
        return Rankings.of(rows.filter(run=run)).at_least(rel, "drop").run_rankings(0)

    runs, grades = {"a": run_a, "b": run_b}, table["threshold"].to_numpy()
    compositions = [one for one in asked if isinstance(one, Composition)]
    greatest = grades.max() if len(grades) else np.inf
    parts = [m for m in needed.parts_of(compositions) if (m.rel or 0) <= greatest]
    alone = [measure for measure in asked if not isinstance(measure, Composition)]
    for measure in [*dict.fromkeys([*alone, *parts]), *compositions]:
        if isinstance(measure, Composition):
            columns = _composition_columns(measure, parts, table, rows, runs)
        else:
            columns = _measure_columns(measure, table, request, rankings_of, runs)
        for column in columns:
            if column.name in table.columns:
                raise LexiframeError(
                    f"explain: {measure} would give a second column {column.name!r}; rename it"
                )
            table = table.with_columns(column)
    return table


def explainable(
    measures: Iterable[Measure], greatest: float = np.inf, *, over_ties: bool = False
) -> list[Measure]:
    """Return the measures that are sums over levels, and count grades up to ``greatest``.

    ``over_ties``: those whose expectation over tied orders is such a sum.
    """
    if over_ties:
        from lexiframe.core.pairwise.tied.explained import sums_over_levels

        measures = sums_over_levels(measures)
    return [
        measure
        for measure in measures
        if measure.needs != needed.SUBTOPICS
        and (measure.rel is None or measure.rel <= greatest)
        and (
            isinstance(measure, LevelPreference | LexicographicPreference)
            or (isinstance(measure, Composition) and _are_explainable(measure, greatest))
            or (
                isinstance(measure, Metric)
                and type(measure).contributions is not Metric.contributions
            )
        )
    ]


def _are_explainable(composition: Composition, greatest: float) -> bool:
    """Return whether the measures of a composition that count in the request are sums over levels.

    One at least has to count.
    """
    some = [part for part in components_of(composition) if (part.rel or 0) <= greatest]
    return bool(some) and explainable(some) == some


def _request_rows(p: Any, query_id: str, run_a: str, run_b: str) -> pl.DataFrame:
    """Return the rows of the two runs for the request."""
    table = schemas.check(p, schemas.POSITIONS)
    of_query = table.filter(pl.col("query_id") == query_id)
    if not of_query.height:
        raise unknown_name("query", query_id, table["query_id"].unique().sort())
    runs = of_query["run"].unique().sort().to_list()
    for run in (run_a, run_b):
        if run not in runs:
            raise unknown_name("run", run, runs)
    return of_query.filter(pl.col("run").is_in([run_a, run_b]))


def _two_rankings(
    rows: pl.DataFrame, run_a: str, run_b: str
) -> tuple[blocks.Block, dict[str, pl.DataFrame]]:
    """Return the request in the two runs, as a block and as rows of relevant items by level."""
    requests = matrices.requests_of(rows)
    request = requests.block(np.array([0]))
    a_and_b = requests.runs.search_sorted(pl.Series([run_a, run_b])).to_numpy()
    if request.tied is None:
        both = blocks.Block(request.positions[:, a_and_b], request.relevance[:, a_and_b])
    else:
        from lexiframe.core.pairwise.tied.explained import tied_block

        both = tied_block(request, a_and_b)
    relevant = rows.filter(pl.col("level").is_not_null()).sort("level")
    return both, {side: relevant.filter(run=run) for side, run in (("a", run_a), ("b", run_b))}


def _levels(sides: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Put the items of the two rankings side by side, level by level, for each threshold."""
    grades = sides["a"]["relevance"].unique().sort().to_list()
    table = pl.concat([_levels_of_both(sides, grade) for grade in grades or [np.inf]])
    table = table.with_columns(sign=_rank_sign())
    of_all = pl.col("threshold") == pl.col("threshold").min()
    apart = pl.col("level").filter(of_all & (pl.col("sign") != 0))
    last, first = (of_all & (pl.col("level") == k) for k in (apart.max(), apart.min()))
    decides = pl.when(last & first).then(pl.lit("LR, LP"))
    return table.with_columns(
        decides=decides.when(last).then(pl.lit("LR")).when(first).then(pl.lit("LP"))
    )


def _levels_of_both(sides: dict[str, pl.DataFrame], grade: float) -> pl.DataFrame:
    items = {side: rows.filter(pl.col("relevance") >= grade) for side, rows in sides.items()}
    level = pl.int_range(1, pl.len() + 1, dtype=pl.Int64)  # the items are sorted by level
    levels = items["a"].select(threshold=pl.lit(grade, pl.Float64), level=level)
    named = [
        rows.select(
            pl.col("doc_id").alias(f"doc_{side}"),
            *(pl.col(name).alias(f"{name}_{side}") for name in ("relevance", "position")),
        )
        for side, rows in items.items()
    ]
    positions = "position_a", "position_b"  # Polars prints the first four columns
    table = pl.concat([levels, *named], how="horizontal")
    return table.select(*levels.columns, *positions, pl.exclude(*levels.columns, *positions))


def _measure_columns(
    measure: Measure,
    table: pl.DataFrame,
    request: blocks.Block,
    rankings_of: Callable[[str, float | None], Rankings],
    runs: dict[str, str],
) -> Iterator[pl.Series]:
    """Yield the columns of a measure."""
    grade = _least_grade(measure, table["threshold"].to_numpy())
    of_grade = (table["threshold"] == grade).to_numpy()
    if request.tied is not None:
        from lexiframe.core.pairwise.tied import explained

        weight, rankings = np.zeros(table.height), {}
        if isinstance(measure, LevelPreference):
            used = np.full(table.height, True) if measure.rel is None else of_grade
            weight[used] = _level_weights(measure, table["threshold"].filter(used))
        elif isinstance(measure, Metric):
            rankings = {side: rankings_of(run, measure.rel) for side, run in runs.items()}
        given = measure, table, request, of_grade, weight, rankings
        yield from explained.measure_columns(*given)
        return
    name, sign = str(measure), table.select(_rank_sign(measure.cutoff)).to_series().to_numpy()
    if isinstance(measure, LevelPreference):
        used = np.full(table.height, True) if measure.rel is None else of_grade
        weight = np.zeros(table.height)
        weight[used] = _level_weights(measure, table["threshold"].filter(used))
        yield pl.Series(f"{name} weight", weight)
        yield pl.Series(name, weight * sign + 0.0)  # + 0.0 makes −0.0 the 0.0 that tables have
    elif isinstance(measure, LexicographicPreference):
        delta, k = measure.compute(request)[0, 0], measure.deciding_level(request)[0, 0]
        decides = of_grade & (table["level"] == k).to_numpy()
        yield pl.Series(name, np.where(decides, delta, 0.0))
    elif isinstance(measure, Metric):
        for side, run in runs.items():
            values = np.zeros(table.height)
            values[of_grade] = _item_terms(measure, rankings_of(run, measure.rel))
            yield pl.Series(f"{name}_{side}", values).set(pl.Series(~of_grade), None)
    else:
        raise LexiframeError(
            f"explain: {name} is a function of whole rankings, and has no terms; ask for "
            "preferences such as RPP and LR, or metrics such as AP and nDCG"
        )


def _composition_columns(
    composition: Composition,
    parts: list[Measure],
    table: pl.DataFrame,
    rows: pl.DataFrame,
    runs: dict[str, str],
) -> Iterator[pl.Series]:
    """Yield Δ and the name of the measure that decides, among measures with a value here."""
    some = [measure for measure in components_of(composition) if measure in parts]
    if not some:
        raise needed.no_item_of_grade(composition.components[0])
    delta, by = np.zeros(table.height), None
    if len({*runs.values()}) > 1 and table.height:
        found = preferences(rows, some)
        of_part = dict(found.select("measure", "preference").rows())
        by = next((measure for measure in some if of_part[str(measure)] != 0), None)
    if by is not None:
        turned = 1 if runs["a"] < runs["b"] else -1
        at = np.flatnonzero(table[str(by)] != 0) if isinstance(by, LexicographicPreference) else [0]
        delta[at[0]] = turned * np.sign(of_part[str(by)])
    yield pl.Series(str(composition), delta)
    yield pl.Series(
        f"{composition} by", [None if by is None else str(by)] * table.height, pl.String
    )


def _least_grade(measure: Measure, thresholds: np.ndarray) -> float:
    """Return the lowest threshold that is not below the measure's least grade."""
    relevant = thresholds[thresholds >= (measure.rel or 0.0)]
    if len(thresholds) and not len(relevant):
        raise LexiframeError(
            f"explain: {measure} counts grades from {measure.rel:g}, and the greatest one of this "
            f"request is {thresholds.max():g}"
        )
    return float(relevant.min(initial=np.inf))


def _rank_sign(cutoff: int | None = None) -> pl.Expr:
    """s_i, the sign of p′_i − p_i, where items beyond the cut-off are not retrieved."""
    a, b = (pl.col(f"position_{side}").fill_null(_NOWHERE) for side in "ab")
    if cutoff is not None:
        a, b = (pl.when(p <= cutoff).then(p).otherwise(_NOWHERE) for p in (a, b))
    return (a < b).cast(pl.Int64) - (a > b).cast(pl.Int64)


def _level_weights(preference: LevelPreference, thresholds: pl.Series) -> np.ndarray:
    """p(λ) p(i | λ), for each level of each threshold."""
    runs = thresholds.rle().struct.unnest()
    m = runs["len"].cast(pl.Int64).to_numpy()
    weights = preference.weights(m)
    shares = preference.shares(runs.select(of="value"), m[:, None])[:, 0]
    return np.concatenate([np.empty(0), *(weights[:n, k] * shares[k] for k, n in enumerate(m))])


def _item_terms(metric: Metric, rankings: Rankings) -> np.ndarray:
    """Return the contribution of each relevant item of one ranking to the metric, by level."""
    terms = rankings.relevant.select("level").with_columns(term=metric.contributions(rankings))
    return terms.sort("level")["term"].to_numpy()
