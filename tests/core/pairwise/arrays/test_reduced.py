"""Tables from sums over the requests, added up from parts: those of all requests, bit for bit."""

import math
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import sums
from lexiframe.core.pairwise.arrays import one_measure, reduced_pairs
from lexiframe.core.pairwise.arrays.arrays import agreeing
from lexiframe.core.pairwise.arrays.cube import score_cube
from lexiframe.core.pairwise.arrays.few import Few
from lexiframe.core.pairwise.arrays.handed import pair_cube
from lexiframe.core.pairwise.arrays.one_measure import Pairs, square_of

RUNS = pl.Series(["a", "b", "c", "d"])


def tables(n=30, seed=0):
    """Scores of two metrics, and preferences: these and signs, which lack every fifth request.

    Run d ties run c in all requests but one; smaller values of ``cost`` are better.
    """
    random = np.random.default_rng(seed)
    query = pl.Series([f"q{k:02}" for k in range(n)])
    scores = {"AP": random.random((n, 4)), "cost": random.integers(1, 9, (n, 4)) * 1e6}
    for values in scores.values():
        values[1:, 3] = values[1:, 2]
    s = pl.concat(
        pl.DataFrame({"run": run, "query_id": query, "measure": m, "value": values[:, k]})
        for m, values in scores.items()
        for k, run in enumerate(RUNS)
    ).with_columns(smaller_is_better=pl.col("measure") == "cost")
    a, b = np.triu_indices(4, k=1)
    deltas = {
        "AP": scores["AP"][:, a] - scores["AP"][:, b],
        "cost": scores["cost"][:, b] - scores["cost"][:, a],
        "LR": random.integers(-1, 2, (n, 6)).astype(float),
    }
    kept = {"AP": slice(None), "cost": slice(None), "LR": np.arange(n) % 5 > 0}
    d = pl.concat(
        pl.DataFrame(
            {"query_id": query, "run_a": RUNS[int(a[k])], "run_b": RUNS[int(b[k])], "measure": m}
            | {"preference": values[:, k]}
        )[kept[m] if isinstance(kept[m], slice) else np.flatnonzero(kept[m])]
        for m, values in deltas.items()
        for k in range(6)
    )
    return s, d


S, D = tables()
CUBE = pair_cube(D).with_scores(score_cube(S))
IS_LONG = np.arange(30) % 3 > 0
IS_OF_KIND = {"long": IS_LONG, "short": ~IS_LONG}


def reduced(chosen):
    return reduced_pairs.reduced(CUBE.select_queries(chosen))


def parts(n=3, groups=False):
    """The sums of requests that were dealt out to some parts, perhaps with those of groups."""
    found = []
    for part in np.random.default_rng(1).permuted(np.arange(30) % n) == np.arange(n)[:, None]:
        total = reduced(part)
        if groups:
            of_kind = {kind: part & is_kind for kind, is_kind in IS_OF_KIND.items()}
            total = replace(
                total,
                groups=tuple(
                    (pl.DataFrame({"kind": [kind]}), reduced(some))
                    for kind, some in of_kind.items()
                    if some.any()
                ),
            )
        found.append(total)
    return found


WHOLE = reduce(add, parts())


def test_a_measure_without_a_preference_has_no_row():
    some = reduced(np.arange(30) == 5)  # LR lacks this request
    for table in (lf.win_rates, lf.order_runs):  # by LR the runs could not be ordered
        assert table(some)["measure"].unique().sort().to_list() == ["AP", "cost"]
    assert some.measures.to_list() == ["AP", "LR", "cost"]
    assert repr(some) == "sums over the requests: 4 runs, AP, LR, cost"


def test_a_run_that_is_not_there():
    with pytest.raises(lf.UnknownNameError, match="run"):
        WHOLE.against("e")


def test_a_square_of_pairs():
    assert square_of(CUBE, np.arange(1.0, 7)).tolist() == [
        [0, 1, 2, 3],
        [-1, 0, 4, 5],
        [-2, -4, 0, 6],
        [-3, -5, -6, 0],
    ]


def test_signs_are_counted_in_parts():
    whole = agreeing(CUBE.values)
    signs = np.sign(np.nan_to_num(CUBE.values)).reshape(3, -1)
    expected = [[int(((x == y) & (x != 0)).sum()) for y in signs] for x in signs]
    assert whole.tolist() == expected
    assert agreeing(CUBE.values, most=7).tolist() == expected


@pytest.mark.parametrize("n_runs", [2, 7, 8, 20, 140])
def test_sums_by_run_are_those_of_each_request_alone(n_runs):
    random = np.random.default_rng(n_runs)
    a, b = np.triu_indices(n_runs, k=1)
    values = random.normal(size=(12, len(a))) * 10.0 ** random.integers(-9, 9, (12, len(a)))
    runs = pl.Series([f"{n:03}" for n in range(n_runs)])
    queries = pl.Series([*"abcdefghijkl"])
    found = Pairs(queries, runs, a, b, values).totals
    for n in range(12):
        alone = Pairs(queries[[n]], runs, a, b, values[[n]]).totals
        assert found[n].tolist() == alone[0].tolist()
        expected = [
            math.fsum([*values[n, a == run], *-values[n, b == run]]) for run in range(n_runs)
        ]
        error = np.finfo(float).eps * n_runs * np.abs(values[n]).sum()
        np.testing.assert_allclose(found[n], expected, rtol=0, atol=error)


def sums_of(pairs):
    (found,) = reduced_pairs.PairSums.sum_up_each([pairs], [0])
    return found


@pytest.mark.parametrize("signs", [False, True])
def test_sums_of_a_few_requests_at_a_time_are_those_of_all(signs, monkeypatch):
    """To the last bit, also of preferences that are signs, and where some lack."""
    random = np.random.default_rng(5)
    a, b = np.triu_indices(4, k=1)
    values = random.normal(size=(30, len(a)))
    values[random.random(values.shape) < 0.1] = np.nan
    values[7] = np.nan
    pairs = Pairs(CUBE.queries, RUNS, a, b, np.sign(values) if signs else values)
    whole = sums_of(pairs)
    monkeypatch.setattr(one_measure, "_ROWS", 7)
    found = sums_of(replace(pairs))
    assert found.ballots.tolist() == whole.ballots.tolist()
    for name in ("differences", "preferred", "borda", "shares"):
        one, other = getattr(found, name), getattr(whole, name)
        for column in ("n", "wins", "losses", "mean", "deviation", "mean_rounding"):
            assert getattr(one, column).tolist() == getattr(other, column).tolist()
    exact = np.nansum(pairs.values**2, axis=0)
    np.testing.assert_allclose(found.differences.squares.rounded(), exact, rtol=1e-14)


def test_sums_do_not_depend_on_how_values_lie_in_memory(monkeypatch):
    """Not in the last bit, also where one request is left behind the blocks."""
    runs, (a, b) = pl.Series(sorted(map(str, range(40)))), np.triu_indices(40, k=1)
    values = np.random.default_rng(5).normal(size=(len(CUBE.queries), len(a)))
    monkeypatch.setattr(one_measure, "_ROWS", len(values) - 1)
    both = (values, np.asfortranarray(values))
    rows, columns = (sums_of(Pairs(CUBE.queries, runs, a, b, of)) for of in both)
    for name in ("preferred", "borda", "shares"):
        assert getattr(rows, name).mean.tolist() == getattr(columns, name).mean.tolist()


@pytest.mark.parametrize("gap", [False, True])
def test_measures_with_the_same_preferences_have_the_sums_of_each_alone(gap, monkeypatch):
    """They are summed up once, but not where there are gaps, or scores of another size."""
    random = np.random.default_rng(3)
    scores = random.random((30, 4))
    a, b = np.triu_indices(4, k=1)
    values = scores[:, a] - scores[:, b]
    if gap:
        values[4, 2] = np.nan
    first = Pairs(CUBE.queries, RUNS, a, b, values, scores)
    several = [
        first,
        replace(first, values=values.copy()),
        replace(first, values=-values),
        replace(first, scores=scores * 1e6),
        replace(first, values=np.where(np.arange(30)[:, None] == 29, 0.0, values)),
    ]
    added = []
    add_up = sums.Moments.add_up

    def counted(*matrix):
        added.append(matrix)
        return add_up(*matrix)

    monkeypatch.setattr(sums.Moments, "add_up", counted)
    together = reduced_pairs.PairSums.sum_up_each(several, [0] * len(several))
    assert len(added) == 4 * (5 if gap else 4)
    for found, pairs in zip(together, several, strict=True):
        alone = sums_of(pairs)
        assert found.ballots.tolist() == alone.ballots.tolist()
        for name in ("differences", "preferred", "borda", "shares"):
            one, other = getattr(found, name), getattr(alone, name)
            for column in ("n", "wins", "losses", "mean", "deviation", "mean_rounding"):
                assert getattr(one, column).tolist() == getattr(other, column).tolist()


@pytest.mark.parametrize("n", [4, 29, 30], ids=["few", "as many as are kept", "too many"])
@pytest.mark.parametrize("unit", [0.5, 1.0])
def test_values_of_few_requests_are_kept_alike_in_parts(n, unit):
    """The later requests come first, and every third value is missing."""
    values = unit * np.random.default_rng(n).integers(-1, 2, (n, 5))
    values[np.arange(n) % 3 == 1, 2] = np.nan
    queries = pl.Series([f"q{k:02}" for k in range(n)])
    later = np.arange(n) >= n // 2

    def kept(some):
        return Few.keep(queries.filter(pl.Series(some)), values[some], 29)

    total, whole = kept(later) + kept(~later), kept(later | True)
    assert total.queries.to_list() == whole.queries.to_list()
    assert (total.cells is None) == (whole.cells is None) == (n > 29)
    if n <= 29:
        assert (total.cells.dtype, total.size) == (whole.cells.dtype, unit) == (np.int8, unit)
        assert np.array_equal(total.cells, whole.cells)
