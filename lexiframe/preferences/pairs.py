"""Preferences between all pairs of runs: `preferences`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
import polars as pl

from lexiframe.codes import encode
from lexiframe.errors import LexiframeError
from lexiframe.measures.metric import Metric
from lexiframe.measures.scores import as_list, scores, unique_by_name
from lexiframe.measures.subtopics import are_of_subtopics
from lexiframe.positions.matrices import Requests, requests_of
from lexiframe.positions.policies import NoRelevant, check_policy
from lexiframe.preferences.catalogue import Preference, parse_measure
from lexiframe.preferences.custom import preference_of
from lexiframe.preferences.differences import differences
from lexiframe.preferences.lexicographic import LexicographicPreference
from lexiframe.preferences.subtopics import SubtopicRequests, subtopic_requests_of
from lexiframe.progress import progress
from lexiframe.schemas import to_polars

Measure = Metric | Preference
AnyRequests = Requests | SubtopicRequests
Asked = Measure | str | Callable[[np.ndarray], Any]


def preferences(
    p: Any,
    measures: Asked | Iterable[Asked],
    *,
    no_relevant: NoRelevant = "drop",
    deciding_level: bool = False,
) -> pl.DataFrame:
    """Compute, for every request and pair of runs, which is preferred and by how much.

    Parameters
    ----------
    p
        The table of `positions`; for subtopic measures that of ``positions(..., subtopics=True)``.
    measures
        Preferences or their notation (``lf.RPP``, ``"LR"``, ``"LP(rel=2)"``); metrics, which give
        their difference, search lengths the negative of it; and functions of one's own from
        positions to Δ, see `MatrixPreference`. The ``rel`` of a measure can raise the least
        relevant grade of the positions, not lower it.
    no_relevant : {"drop", "zero"}
        Requests without an item of a measure's own ``rel`` have no rows of it, or 0 (ties).
    deciding_level : bool
        Also give ``deciding_level``, the recall level (from 1, among the items that a measure
        counts as relevant) that decided a lexicographic preference; null for a tie and for other
        measures.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run_a, run_b, measure`` with run_a < run_b, sorted by it; ``preference``
        is positive when run_a is preferred, negative when run_b is, and exactly 0 for a tie; and
        ``deciding_level`` when it was asked for.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.
    LexiframeError
        For fewer than two runs; for a lambda, which has no name, and a function of one's own that
        gives something else than an antisymmetric matrix; when a measure needs positions by
        subtopic and these are not, or the other way round.

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
    check_policy("no_relevant", no_relevant)
    asked = parse_measures(measures)
    p = to_polars(p)
    by_subtopic = are_of_subtopics(p, asked)
    requests: AnyRequests = subtopic_requests_of(p) if by_subtopic else requests_of(p)
    refuse_one_run("preferences", requests.runs)
    asked.sort(key=str)
    values = np.full((len(requests.queries), len(_pairs(requests)[0]), len(asked)), np.nan)
    _fill_preferences(values, requests, asked, no_relevant)
    _fill_differences(values, requests, asked, p, no_relevant)
    for n, measure in enumerate(asked):
        if len(requests.queries) and np.isnan(values[:, :, n]).all():
            raise LexiframeError(
                f"{measure}: expected some items with a grade of {measure.rel:g} or more, "
                "found none"
            )
    names = [str(measure) for measure in asked]
    levels = _deciding_levels(requests, asked) if deciding_level else None
    return preferences_table(requests.queries, requests.runs, names, values, levels)


def refuse_one_run(function: str, runs: Collection[str]) -> None:
    """Raise when there is no pair of runs."""
    if len(runs) < 2:
        raise LexiframeError(
            f"{function}: expected at least two runs, found {len(runs)} ({', '.join(runs)})"
        )


def parse_measures(measures: Any) -> list[Measure]:
    """Take one measure or several, objects or notation, each once."""
    return unique_by_name([_as_measure(measure) for measure in as_list(measures)])


def _as_measure(measure: Any) -> Measure:
    if isinstance(measure, str):
        return parse_measure(measure)
    if isinstance(measure, Measure):
        return measure
    if callable(measure) and not isinstance(measure, type):
        return preference_of(measure)
    raise TypeError(
        f"expected measures or their notation, found {type(measure).__name__}: {measure!r}"
    )


def _fill_preferences(
    values: np.ndarray, requests: AnyRequests, asked: list[Measure], no_relevant: NoRelevant
) -> None:
    a, b = _pairs(requests)
    wanted = [(n, m.rel, m.kernel()) for n, m in enumerate(asked) if not isinstance(m, Metric)]
    for q, request in enumerate(progress(requests, len(requests.queries), "preferences")):
        for n, rel, kernel in wanted:
            if request.at_least(rel).shape[1]:
                values[q, :, n] = kernel(request)[a, b]
            elif rel is None or no_relevant == "zero":
                values[q, :, n] = 0.0


def _deciding_levels(requests: AnyRequests, asked: list[Measure]) -> pl.Series:
    """Give the recall level that decided, or null, by request, pair and measure."""
    a, b = _pairs(requests)
    levels = np.zeros((len(requests.queries), len(a), len(asked)), np.int64)
    wanted = [(n, m) for n, m in enumerate(asked) if isinstance(m, LexicographicPreference)]
    for q, request in enumerate(progress(requests, len(requests.queries), "deciding levels")):
        for n, preference in wanted:
            levels[q, :, n] = preference.deciding_level(request)[a, b]
    flat = pl.Series(levels.ravel())
    return flat.set(flat == 0, None)


def _fill_differences(
    values: np.ndarray, requests: AnyRequests, asked: list[Measure], p: Any, no_relevant: NoRelevant
) -> None:
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    if not metrics:
        return
    a, b = _pairs(requests)
    s = scores(p, metrics, no_relevant=no_relevant)
    for (name,), table in s.partition_by("measure", as_dict=True).items():
        queries, query = encode(table["query_id"])
        _, run = encode(table["run"])
        by_request = np.empty((len(queries), len(requests.runs)))
        by_request[query, run] = table["value"].to_numpy()
        n = [str(measure) for measure in asked].index(name)
        sign = -1 if asked[n].smaller_is_better else 1  # type: ignore[union-attr]
        rows = requests.queries.search_sorted(queries).to_numpy()
        values[rows, :, n] = [differences(sign * row)[a, b] for row in by_request]


def _pairs(requests: AnyRequests) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.triu_indices(len(requests.runs), k=1)
    return a, b


def preferences_table(
    queries: pl.Series,
    runs: pl.Series,
    measures: list[str],
    values: np.ndarray,
    deciding_level: pl.Series | None = None,
) -> pl.DataFrame:
    """Make the table of an array requests × pairs × measures, without its empty cells.

    All names are sorted; the pairs are those of the runs in the order of the table's key.
    """
    n_queries, n_pairs, n_measures = values.shape
    a, b = np.triu_indices(len(runs), k=1)
    measure = np.tile(np.arange(n_measures), n_queries * n_pairs)
    table = pl.DataFrame(
        {
            "query_id": queries.gather(np.repeat(np.arange(n_queries), n_pairs * n_measures)),
            "run_a": runs.gather(np.tile(np.repeat(a, n_measures), n_queries)),
            "run_b": runs.gather(np.tile(np.repeat(b, n_measures), n_queries)),
            "measure": pl.Series(measures).gather(measure),
            "preference": values.ravel(),
        }
    )
    if deciding_level is not None:
        table = table.with_columns(deciding_level=deciding_level)
    return table.filter(pl.col("preference").is_not_nan()) if np.isnan(values).any() else table
