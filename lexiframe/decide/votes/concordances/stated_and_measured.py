"""The agreement of measures with people's preferences between runs: `concordance`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    check_choice,
    coded,
    resampling,
    schemas,
    to_polars,
    typed,
    unknown_name,
)
from lexiframe.core.pairwise import Measure, arrays
from lexiframe.core.significance.clusters import sums_of
from lexiframe.core.significance.corrections import CORRECTIONS, Correction, correct_families
from lexiframe.decide.votes import stated
from lexiframe.decide.votes.concordances.found import Concordance
from lexiframe.decide.votes.concordances.ratios import Ratios
from lexiframe.decide.votes.schemas import (
    CONCORDANCE,
    CONCORDANCE_BY_STRENGTH,
    CONCORDANCE_PAIRS,
    CONCORDANCE_REQUESTS,
)
from lexiframe.typing import Frame, FrameKind, VotesLike

_PAIR = ["query_id", "run_a", "run_b"]


@dataclass(frozen=True)
class Counted:
    """The rows (request, pair) in which people prefer a run, with the measures' preferences.

    ``credit`` is rows × measures: 1 where the measure prefers the same run, ½ where it ties, 0
    where it prefers the other, and NaN where it has no value. ``request`` numbers the rows of
    ``queries``; ``strength`` is |stated preference|. ``n_stated`` rows were given, of which
    ``n_undecided`` are ties of people.
    """

    measures: list[str]
    queries: pl.Series
    request: np.ndarray
    strength: np.ndarray
    credit: np.ndarray
    n_stated: int
    n_undecided: int

    @cached_property
    def known(self) -> np.ndarray:
        """Return which measures have a value in which rows."""
        return np.asarray(~np.isnan(self.credit))

    def by_request(self, values: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Add up rows by request: requests × columns; only ``rows``, if they are given."""
        values = np.nan_to_num(values.astype(float))
        if rows is not None:
            values = values * rows[:, None]
        return np.asarray(sums_of(values, self.request))


def counted(d: Any, said: Any, measures: Any) -> Counted:
    """Look up the preference of each measure where people prefer a run."""
    rows = stated.stated_rows_of("concordance", said)
    turned = pl.col("run_a") > pl.col("run_b")
    rows = rows.select(
        "query_id",
        run_a=pl.min_horizontal("run_a", "run_b"),
        run_b=pl.max_horizontal("run_a", "run_b"),
        preference=pl.when(turned).then(-pl.col("preference")).otherwise("preference"),
    )
    if rows.select(_PAIR).is_duplicated().any():
        raise LexiframeError(
            "concordance: expected one stated preference for each request and pair, found several"
        )
    decided = rows.filter(pl.col("preference") != 0).sort(_PAIR)
    if not decided.height:
        raise LexiframeError(
            f"concordance: expected stated preferences other than ties, found {rows.height:,} ties"
        )
    cube = arrays.pair_cube(_rows_that_occur(d, decided))
    if not cube.values.size:  # scores of one run alone make no pair
        raise _nothing_shared(decided)
    names = _measure_names(measures, cube.measures.to_list())
    values = _looked_up(cube, decided)
    values = values[:, [cube.measures.to_list().index(n) for n in names]]
    if np.isnan(values).all():
        raise _nothing_shared(decided)
    sign = np.sign(decided["preference"].to_numpy())
    queries, request = coded.encode(decided["query_id"])
    return Counted(
        names, queries, np.asarray(request), np.abs(decided["preference"].to_numpy()),
        (1 + np.sign(values) * sign[:, None]) / 2, rows.height, rows.height - decided.height,
    )  # fmt: skip


def _rows_that_occur(d: Any, decided: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of scores or preferences whose request and runs occur in judgments."""
    table = to_polars(d)
    is_scores = arrays.is_scores(table)
    table = schemas.check(table, schemas.SCORES if is_scores else schemas.PREFERENCES)
    runs = pl.concat([decided["run_a"], decided["run_b"]]).unique().implode()
    ends = ["run"] if is_scores else ["run_a", "run_b"]
    of_runs = [pl.col(end).cast(pl.String).is_in(runs) for end in ends]
    queries = decided["query_id"].unique().implode()
    kept = table.filter(pl.col("query_id").cast(pl.String).is_in(queries), *of_runs)
    if not kept.height:
        raise _nothing_shared(decided)
    return kept


def _nothing_shared(decided: pl.DataFrame) -> LexiframeError:
    return LexiframeError(
        "concordance: expected measures of the requests and runs that people judged, found none; "
        f"people judged requests such as {decided['query_id'][0]!r} and runs such as "
        f"{decided['run_a'][0]!r}; do both tables name them alike?"
    )


def _measure_names(measures: Any, known: list[str]) -> list[str]:
    if measures is None:
        return known
    one = isinstance(measures, str) or not isinstance(measures, Sequence)
    asked = [str(measure) for measure in ([measures] if one else measures)]
    for name in asked:
        if name not in known:
            raise unknown_name("measure", name, known)
    if not asked:
        raise LexiframeError("concordance: expected a measure, found none")
    return list(dict.fromkeys(asked))


def _looked_up(cube: Any, decided: pl.DataFrame) -> np.ndarray:
    """Return the preferences of all measures for the rows: rows × measures, NaN where none is."""
    runs, queries = cube.runs.to_list(), cube.queries.to_list()
    place = {
        name: decided[name].replace_strict(known, range(len(known)), default=-1).to_numpy()
        for name, known in (("query_id", queries), ("run_a", runs), ("run_b", runs))
    }
    pair_of = np.full((len(runs) + 1, len(runs) + 1), -1)  # the last row and column: no such run
    pair_of[cube.a, cube.b] = np.arange(len(cube.a))
    pair = pair_of[place["run_a"], place["run_b"]]
    found = cube.values[:, place["query_id"], pair].T.copy()
    found[(place["query_id"] < 0) | (pair < 0)] = np.nan
    return np.asarray(found)


_EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Between which strengths of people's preferences concordance is shown apart."""


@typed
def concordance(
    d: Frame,
    /,
    stated: VotesLike,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    *,
    correction: Correction = "holm",
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    frames: FrameKind | None = None,
) -> Concordance:
    """Say which measure prefers the same runs as people do, and how sure that is.

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken, by the measures, of
        the runs and requests that people judged.
    stated
        What people (or a model) say: what `read_preferences` returns or reads, or one measure's
        rows of preferences.
    measures : list of str or measures, optional
        The measures to compare, of those in d. Default: all.
    correction : {"holm", "bonferroni", "bh", "none"}
        The correction of the p-values, over all pairs of measures.
    alpha : float
        The intervals have level 1 − alpha, and a difference is shown when its corrected p-value is
        below alpha.
    samples, seed : int
        For the bootstrap over requests, from 30 requests.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Concordance
        Its tables are ``measures``, ``pairs``, ``by_strength`` and ``requests``. What counts are
        the rows (request, pair of runs) in which people prefer one run, each once; people's ties
        are left out, and counted in ``n_undecided``.

    Raises
    ------
    LexiframeError
        When people prefer no run anywhere; when d has nothing of the requests and runs that people
        judged; for stated preferences of several measures, or several of one request and pair; for
        an unknown measure or correction, an alpha not between 0 and 1, and as `read_preferences`.
    TypeError
        When d is no table.

    Notes
    -----
    The concordance of a measure is (agree + ties/2)/n: a measure that ties where people prefer a
    run is right half of the time. Rows of a request are correlated, so what varies are requests:
    below 30 of them intervals and p-values are Student's t of the linearised ratio, with a degree
    of freedom less than requests, since percentiles of 13 requests reject in 8 % instead of
    5 %; from 30 on they are the percentiles of the bootstrap over requests, and p is the share of
    samples whose difference, centred, is as large as that observed. Intervals of the shares .5 to
    .95 hold them in .92 to 1 (300 simulations each of 12 to 100 requests). A difference that is the
    same in all requests decides nothing.

    Concordance of two measures is compared over the rows that both have. Weights of requests change
    nothing: each statement counts once.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3", "4"], "left": "x", "right": "y",
    ...                       "winner": ["left", "left", "right", "tie"]})
    >>> d = pl.DataFrame({"query_id": ["1", "2", "3"] * 2, "run_a": "x", "run_b": "y",
    ...                   "measure": ["AP"] * 3 + ["RR"] * 3,
    ...                   "preference": [0.1, 0.2, -0.1, 0.5, 0.0, 0.0]})
    >>> found = lf.concordance(d, lf.read_preferences(votes))
    >>> found.measures.select("measure", "n", "ties", pl.col("concordance").round(3)).rows()
    [('AP', 3, 0, 1.0), ('RR', 3, 2, 0.667)]
    """
    check_choice("concordance", correction, CORRECTIONS, "correction")
    resampling.check_share("concordance", "alpha", alpha)
    resampling.check_draws("concordance", "samples", samples, seed)
    found = counted(d, stated, measures)
    how = {"alpha": alpha, "samples": samples, "seed": seed}
    return Concordance(
        _concordance_table(found, how),
        _pairs_table(found, how, correction),
        _strength_table(found, how),
        _requests_table(found),
        found.n_stated, found.n_undecided, len(found.queries), correction, alpha,
    )  # fmt: skip


def _ratios(found: Counted, how: dict[str, Any], rows: np.ndarray | None = None) -> Ratios:
    size = found.by_request(found.known, rows)
    return Ratios(size, found.by_request(found.credit, rows), **how)


def _credit_counts(found: Counted, rows: np.ndarray) -> dict[str, np.ndarray]:
    credit = found.credit[rows]
    return {
        "n": found.known[rows].sum(axis=0),
        "agree": (credit == 1).sum(axis=0),
        "ties": (credit == 0.5).sum(axis=0),
    }


def _interval_columns(found: Counted, ratios: Ratios) -> dict[str, Any]:
    """Return the columns of concordance with intervals, which lie in 0..1."""
    low, high, _ = ratios.interval_and_p()
    ends = {"ci_low": np.clip(low, 0, 1), "ci_high": np.clip(high, 0, 1)}
    return {"measure": found.measures, "concordance": ratios.value,
            "n_requests": ratios.n_requests} | ends  # fmt: skip


def _concordance_table(found: Counted, how: dict[str, Any]) -> pl.DataFrame:
    every = np.ones(len(found.credit), bool)
    columns = _credit_counts(found, every) | _interval_columns(found, _ratios(found, how))
    columns["missing"] = (~found.known).sum(axis=0)
    return _schema_table(CONCORDANCE, columns, len(found.measures))


def _pairs_table(found: Counted, how: dict[str, Any], correction: str) -> pl.DataFrame:
    """Compare every two measures over the rows that both have."""
    a, b = np.triu_indices(len(found.measures), k=1)
    turned = np.array([found.measures[i] > found.measures[j] for i, j in zip(a, b, strict=True)])
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    both = found.known[:, a] & found.known[:, b]
    difference = np.where(both, found.credit[:, a] - found.credit[:, b], 0.0)
    ratios = Ratios(found.by_request(both), found.by_request(difference), **how)
    low, high, p_value = ratios.interval_and_p()
    p_value = np.where(ratios.n_requests > 0, p_value, np.nan)
    adjusted = correct_families(p_value, np.zeros(len(a), np.int64), correction)
    columns = {
        "measure_a": [found.measures[i] for i in a], "measure_b": [found.measures[i] for i in b],
        "n": both.sum(axis=0), "n_requests": ratios.n_requests, "difference": ratios.value,
        "ci_low": low, "ci_high": high, "p_value": p_value, "p_adjusted": adjusted,
        "reject": adjusted < how["alpha"],
    }  # fmt: skip
    return _schema_table(CONCORDANCE_PAIRS, columns, len(a))


def _strength_table(found: Counted, how: dict[str, Any]) -> pl.DataFrame:
    """Concordance where people prefer a run weakly, and where they are nearly of one mind."""
    tables = []
    for low, high in pairwise(_EDGES):
        rows = (found.strength > low) & (found.strength <= high)
        if rows.any():
            columns = _credit_counts(found, rows) | _interval_columns(
                found, _ratios(found, how, rows)
            )
            columns |= {"strength_above": low, "strength_up_to": high}
            tables.append(_schema_table(CONCORDANCE_BY_STRENGTH, columns, len(found.measures)))
    return pl.concat(tables).sort(CONCORDANCE_BY_STRENGTH.key)


def _requests_table(found: Counted) -> pl.DataFrame:
    counts = [found.by_request(x) for x in (found.known, found.credit == 1, found.credit == 0.5)]
    n, agree, ties = (x.T.ravel() for x in counts)
    m, q = len(found.measures), len(found.queries)
    columns = {
        "measure": [name for name in found.measures for _ in range(q)],
        "query_id": found.queries.to_list() * m,
        "n": n, "agree": agree, "ties": ties,
    }  # fmt: skip
    with np.errstate(invalid="ignore"):
        columns["concordance"] = (agree + ties / 2) / n
    table = _schema_table(CONCORDANCE_REQUESTS, columns, m * q)
    return table.filter(pl.col("n") > 0)


def _schema_table(
    schema: schemas.TableSchema, columns: dict[str, Any], height: int
) -> pl.DataFrame:
    return schemas.table_of(schema.columns, height, columns).sort(schema.key)
