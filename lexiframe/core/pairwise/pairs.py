"""Preferences between all pairs of runs: `preferences`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, in_threads, schemas, to_polars, typed
from lexiframe.core.metrics import (
    Metric,
    Values,
    directions,
    needed,
    subtopic_metrics,
    values_of,
)
from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.compared_runs import comparison_of
from lexiframe.core.pairwise.compared_runs import parse_measures as parse_measures
from lexiframe.core.pairwise.compared_runs import refuse_one_run as refuse_one_run
from lexiframe.core.pairwise.composition import Composition, composed_rows
from lexiframe.core.pairwise.preference import Measure as Measure
from lexiframe.core.projection import NoRelevant, alone, check_policy, matrices
from lexiframe.typing import MeasureLike, PositionsTable


@alone.each_collection
@typed
def preferences(
    p: PositionsTable,
    /,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    no_relevant: NoRelevant = "drop",
    deciding_level: bool = False,
    baseline: str | None = None,
) -> pl.DataFrame:
    """Compute, for every request and pair of runs, which is preferred and by how much.

    Parameters
    ----------
    p
        The table of `positions`; for subtopic measures that of ``positions(..., subtopics=True)``.
        Positions with a column ``collection`` give preferences with one.
    measures
        Preferences or their notation (``lf.RPP``, ``"LR"``, ``"LP(rel=2)"``, several in a string
        ``"RPP LR"``); metrics, also by the names of other libraries (see `parse_measure`), of which
        the preference is the difference (for search lengths: with the sign changed);
        compositions, ``"RR>AP"`` (see `lex`); and your own functions from positions to Δ, see
        `MatrixPreference`. The ``rel`` of a measure can raise the least relevant grade of the
        positions, not lower it.
    no_relevant : {"drop", "zero"}
        Whether requests without an item of a measure's own ``rel`` have no rows for that measure,
        or rows with 0 (ties).
    deciding_level : bool
        Also return ``deciding_level``, the recall level (from 1, among the items that a measure
        counts as relevant) that decided a lexicographic preference; null for a tie and for other
        measures. With a composition among the measures there is also ``deciding_component``, the
        measure of it that decided; null where all tie, and for other measures.
    baseline : str, optional
        Compute only the pairs that contain this run, which takes less memory.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run_a, run_b, measure`` with run_a < run_b, sorted by it; ``preference``
        is positive when run_a is preferred, negative when run_b is, and exactly 0 for a tie; and
        ``deciding_level`` and ``deciding_component`` when they were asked for.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure or a baseline that does not exist.
    LexiframeError
        For fewer than two runs; for more preferences than fit in memory, before they are computed;
        for a lambda, which has no name; for a function that does not return an antisymmetric
        matrix; for a measure by subtopic when the positions are not by subtopic, and the other way
        round, or a composition of both, which `evaluate` computes; and for a measure with a
        ``rel`` below that of the positions.

    Notes
    -----
    Time grows with requests × pairs × levels for the recall-paired preferences, and with requests
    × pairs for the others.

    Examples
    --------
    Two rankings of one request, graded: X has relevant items at ranks 2, 3, 7 and 9, Y at ranks 1,
    3, 4, 5, 8 and 9.

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
    >>> d = lf.preferences(lf.positions(runs, qrels), ["RPP", "RPP(rel=1)", "LR", "LP", "rrLP"])
    >>> dict(d.select("measure", "preference").rows())
    {'LP': -1.0, 'LR': -1.0, 'RPP': -0.5, 'RPP(rel=1)': -0.5555555555555556, 'rrLP': -0.5}
    """
    from lexiframe.core.pairwise.arrays.size import refuse_too_many

    check_policy("no_relevant", no_relevant)
    asked = parse_measures(measures)
    how: dict[str, Any] = {
        "no_relevant": no_relevant, "deciding_level": deciding_level, "baseline": baseline,
    }  # fmt: skip
    if hasattr(p, "preferences_between"):  # judged answers, which are compared nugget by nugget
        return p.preferences_between(asked, **how)  # type: ignore[no-any-return]
    p, base = to_polars(p), needed.parts_of(asked)
    for measure in asked:
        if len({part.needs == needed.SUBTOPICS for part in needed.parts_of([measure])}) > 1:
            raise LexiframeError(
                f"{measure}: expected measures that are all by subtopic, or none of them, found "
                "both, which need two tables of positions; lexiframe.evaluate(runs, qrels, ...) "
                "makes both"
            )
    subtopic_metrics.are_of_subtopics(p, base)
    needed.refuse_unfit(p, base)
    if "tied_from" in p.columns:
        from lexiframe.core.metrics import refuse_without_form

        refuse_without_form(asked)
    needed.warn_of_lost_gains(p, base)
    metrics = [measure for measure in base if isinstance(measure, Metric)]
    if metrics and {"run", "query_id"} <= {*p.columns}:  # before any value is computed
        shape = (p["run"].n_unique(), p["query_id"].n_unique(), len({*asked, *base}))
        refuse_too_many("preferences", *shape, baseline=baseline)
    values = values_of(p, metrics, no_relevant) if metrics else None
    return compare_pairs(
        p, asked, values, no_relevant, deciding_level=deciding_level, baseline=baseline
    )


def compare_pairs(
    p: pl.DataFrame,
    asked: Sequence[Measure],
    values: Values | None,
    no_relevant: NoRelevant,
    *,
    deciding_level: bool = False,
    baseline: str | Collection[str] | None = None,
) -> pl.DataFrame:
    """Compute preferences from checked positions, given the values of the metrics in ``asked``.

    With a ``baseline``, one run or several, only the pairs that contain one of them are computed.
    """
    from lexiframe.core.pairwise.arrays.size import refuse_too_many

    comparison = comparison_of(p, needed.parts_of(asked), values, no_relevant, baseline)
    if are_expected := "tied_from" in p.columns:
        if deciding_level:
            raise LexiframeError(
                "deciding_level: expected one order of equal scores, found ties='expected', where "
                "each level decides with some chance; lexiframe.explain has the chances"
            )
        comparison = comparison.keeping()
    requests, groups = comparison.requests, comparison.groups()
    n_measures = len({*asked, *comparison.measures})
    refuse_too_many("preferences", len(requests.runs), len(requests), n_measures, baseline=baseline)
    shape = (len(requests), len(comparison.chosen), len(comparison.measures))
    deltas = comparison.preferences(np.empty(shape), groups, "preferences")
    for n, measure in enumerate(comparison.measures):
        if len(requests) and np.isnan(deltas[:, :, n]).all():
            raise needed.no_item_of_grade(measure)
    names, levels = [str(measure) for measure in comparison.measures], None
    chances = comparison.chances(groups, deltas) if are_expected else None
    if deciding_level:
        levels = comparison.deciding_levels(np.empty(shape, np.int64), groups, "deciding levels")
    component = None
    if any(isinstance(measure, Composition) for measure in asked):
        ordered = sorted(asked, key=str)
        deltas, levels, component = composed_rows(names, deltas, levels, ordered)
        names = [str(measure) for measure in ordered]
    chosen = comparison.chosen
    return preferences_table(
        requests.queries, requests.runs, names, deltas, levels, chosen,
        component=component, chances=chances,
    )  # fmt: skip


def tables_of(d: PairCube) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the tables of scores and of preferences that arrays of all pairs hold."""
    scores = scores_of(d.scores)
    if not d.values.size:
        return scores, pl.DataFrame(schema=schemas.PREFERENCES.required)
    values = np.moveaxis(d.values, 0, 2)
    table = preferences_table(d.queries, d.runs, d.measures.to_list(), values)
    return scores, table if d.weights is None else d.weights.columns(table)


def preferences_in_blocks(cubes: Iterable[PairCube]) -> Iterator[pl.DataFrame]:
    """Yield the table of preferences in arrays of all pairs, a million rows at a time.

    As text the names take a hundred bytes a row, where an array takes eight, so they are categories
    here, which are written unchanged. The requests come in the order of the arrays; without any
    preference there is an empty table.
    """
    n_tables = 0
    for d in cubes:
        n_measures, n_queries, n_pairs = d.values.shape
        pairs = max(1, _ROWS // max(n_measures, 1))
        queries = max(1, pairs // max(n_pairs, 1))
        for first, start in product(range(0, n_queries, queries), range(0, n_pairs, pairs)):
            some, these = slice(first, first + queries), slice(start, start + pairs)
            cells = np.moveaxis(d.values[:, some, these], 0, 2)
            query, pair, measure = np.nonzero(~np.isnan(cells))
            codes = query, d.a[these][pair], d.b[these][pair], measure
            axes = (d.queries[some], d.runs, d.runs, d.measures)
            names = [axis.cast(pl.Enum(axis)) for axis in axes]
            table = pl.DataFrame([*map(coded.decode, names, codes)], [*schemas.PREFERENCES.key])
            table = table.with_columns(preference=cells[query, pair, measure])
            yield table if d.weights is None else d.weights.columns(table)
            n_tables += 1
    if not n_tables:
        yield pl.DataFrame(schema=schemas.PREFERENCES.required)


def scores_of(s: ScoreCube) -> pl.DataFrame:
    """Return the table of scores that an array holds.

    The scores say which values are better where the names of their measures do not.
    """
    cells = s.values.transpose(2, 1, 0)
    run, query, measure = np.nonzero(~np.isnan(cells))
    named = (s.runs, run), (s.queries, query), (s.measures, measure)
    scores = pl.DataFrame(
        [coded.decode(names, code) for names, code in named], schema=["run", "query_id", "measure"]
    ).with_columns(value=cells[run, query, measure])
    if directions(dict(zip(s.measures, s.smaller_is_better.tolist(), strict=True))):
        scores = scores.with_columns(smaller_is_better=s.smaller_is_better[measure])
    if s.ties_sd is not None:
        sd = pl.Series("ties_sd", s.ties_sd[measure, query, run], nan_to_null=True)
        scores = scores.with_columns(sd)
    return scores if s.weights is None else s.weights.columns(scores)


def rankings_of(function: str, p: Any) -> Iterator[np.ndarray]:
    """Yield the ranks of the relevant items of each request that has any: runs × levels.

    An item that is not retrieved has the greatest number of the type.
    """
    requests = matrices.requests_of(p)
    if requests.tied is not None:
        from lexiframe.core.projection import tied_orders

        raise tied_orders.no_closed_form(function)
    refuse_one_run(function, requests.runs)
    ends = np.cumsum(requests.n_relevant)
    for end, m in zip(ends, requests.n_relevant, strict=True):
        if m:
            yield requests.positions[:, end - m : end]


_ROWS = 1 << 20
"""Rows in a chunk of the table."""


def preferences_table(
    queries: pl.Series,
    runs: pl.Series,
    measures: list[str],
    values: np.ndarray,
    deciding_level: np.ndarray | None = None,
    chosen: np.ndarray | None = None,
    *,
    component: pl.Series | None = None,
    chances: np.ndarray | None = None,
    value: str = "preference",
    gaps: bool = False,
) -> pl.DataFrame:
    """Make the table of an array requests × pairs × measures, without its empty cells.

    The values are in the column ``value``; with ``gaps``, empty cells have rows, with null in it.
    ``component`` has the name of the measure that decides, or null, in each cell; ``chances`` are
    those that run a is better, none, and run b: 3 × the other axes.
    All names are sorted; the pairs, all or the chosen ones, are in the order of the table's key.
    The columns of runs and measures repeat for every request, so their chunks share memory.
    """
    n_queries, n_pairs, n_measures = values.shape
    a, b = np.triu_indices(len(runs), k=1)
    if chosen is not None:
        a, b = a[chosen], b[chosen]
    most = min(n_queries, max(1, _ROWS // max(n_pairs * n_measures, 1)))
    pattern = pl.DataFrame(
        {
            "run_a": runs.gather(np.tile(np.repeat(a, n_measures), most)),
            "run_b": runs.gather(np.tile(np.repeat(b, n_measures), most)),
            "measure": pl.Series(measures).gather(np.tile(np.arange(n_measures), most * n_pairs)),
        }
    )

    of_chances = ("p_better", "p_equal", "p_worse")
    columns = [*schemas.PREFERENCES.key, value, *of_chances, "deciding_level", "deciding_component"]

    def part(first: int) -> pl.DataFrame:
        some = slice(first, min(first + most, n_queries))
        delta = values[some].reshape(-1)
        query = np.repeat(np.arange(some.start, some.stop, dtype=np.uint32), n_pairs * n_measures)
        table = pattern.head(len(delta)).with_columns(
            pl.Series(value, delta), query_id=queries.gather(pl.Series(query))
        )
        if deciding_level is not None:
            level = pl.Series(deciding_level[some].reshape(-1))
            table = table.with_columns(deciding_level=level.set(level == 0, None))
        if chances is not None:
            of = zip(of_chances, chances[:, some].reshape(3, -1), strict=True)
            table = table.with_columns(pl.Series(name, p).fill_nan(None) for name, p in of)
        if component is not None:
            first_cell = some.start * n_pairs * n_measures
            table = table.with_columns(deciding_component=component[first_cell:][: len(delta)])
        if np.isnan(delta).any():
            filled = table.with_columns(pl.col(value).fill_nan(None))
            table = filled if gaps else filled.filter(pl.col(value).is_not_null())
        return table.select(name for name in columns if name in table.columns)

    parts = [*in_threads(part, range(0, n_queries, max(most, 1)), "preferences")]
    empty = dict(zip(columns[:5], schemas.PREFERENCES.required.values(), strict=True))
    return pl.concat(parts, rechunk=False) if parts else pl.DataFrame(schema=empty)
