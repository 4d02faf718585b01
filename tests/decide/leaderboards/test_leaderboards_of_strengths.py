"""`leaderboard` by Bradley–Terry: each collection judges each pair of runs."""

import math

import numpy as np
import polars as pl
import pytest

import lexiframe as lf


def board(cells, names="abcdef"):
    """Return a table of cells, collections × runs."""
    columns = {f"c{n:02}": row for n, row in enumerate(np.asarray(cells, float).tolist())}
    x = pl.DataFrame({"model": list(names[: len(cells[0])]), **columns})
    return x.with_columns(pl.selectors.float().fill_nan(None))


def loop_strengths(cells, weights):
    """Return β by Hunter's minorisation (2004), as plain loops; NaN: no judgment."""
    n_runs = len(cells[0])
    won = [[0.0] * n_runs for _ in range(n_runs)]
    for row, weight in zip(cells, weights, strict=True):
        for a in range(n_runs):
            for b in range(n_runs):
                if a != b and not math.isnan(row[a]) and not math.isnan(row[b]):
                    won[a][b] += weight * (1.0 if row[a] > row[b] else 0.5 * (row[a] == row[b]))
    strength = [1.0] * n_runs
    for _ in range(20_000):
        new = []
        for a in range(n_runs):
            met = sum(
                (won[a][b] + won[b][a]) / (strength[a] + strength[b])
                for b in range(n_runs) if b != a
            )  # fmt: skip
            new.append(sum(won[a]) / met)
        mean = math.exp(sum(map(math.log, new)) / n_runs)
        strength = [x / mean for x in new]
    return [math.log(x) for x in strength]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*cells without a value", "ignore:.*resamples have no strength")
@pytest.mark.parametrize("gaps", [False, True])
def test_strengths_are_those_of_a_plain_loop(gaps):
    rng = np.random.default_rng(4)
    cells = rng.integers(0, 4, (9, 5)).astype(float)
    if gaps:
        cells[rng.random(cells.shape) < 0.2] = np.nan
    weights = rng.integers(1, 4, 9)
    missing = "votes" if gaps else "complete"
    found = lf.leaderboard(
        board(cells),
        "bradley_terry",
        missing,
        weights={f"c{n:02}": w for n, w in enumerate(weights)},
    )
    values = found.ranking.sort("run")
    expected = loop_strengths(cells.tolist(), weights.tolist())
    assert values["value"].to_list() == pytest.approx(expected, abs=1e-7)
    assert values["rank"].to_list() == [1 + sum(y > x + 1e-7 for y in expected) for x in expected]
    assert values["ci_low"].null_count() == (5 if gaps else 0)
    assert ("percentiles of resamples, and are not tested" in str(found.verdict)) == gaps
    assert found.rank_percentiles["percentile_low"].null_count() == 0


def test_intervals_and_pairs_are_those_of_stated_preferences():
    """Each collection is a request that judged each pair; the sandwich is over requests."""
    rng = np.random.default_rng(0)
    cells = (rng.normal(size=(12, 4)) + np.array([0, 0.3, 0.6, 1.2])).round(1)
    found = lf.leaderboard(board(cells), "bradley_terry")
    outcome = {1: "a", -1: "b", 0: "tie"}
    rows = [
        (f"c{c}", "abcd"[a], "abcd"[b], outcome[int(np.sign(row[a] - row[b]))])
        for c, row in enumerate(cells) for a in range(4) for b in range(a + 1, 4)
    ]  # fmt: skip
    votes = pl.DataFrame(rows, ["query_id", "run_a", "run_b", "winner"], orient="row")
    stated = lf.bradley_terry(votes)
    ours, theirs = found.ranking.sort("run"), stated.strengths.sort("run")
    for our, their in (("value", "strength"), ("ci_low", "ci_low"), ("ci_high", "ci_high")):
        assert ours[our].to_list() == pytest.approx(theirs[their].to_list())
    for our, their in (("mean_difference", "difference"), ("ci_low", "ci_low")):
        assert found.comparisons[our].to_list() == pytest.approx(stated.pairs[their].to_list())


def test_with_complete_data_the_order_is_that_of_borda_and_its_resamples_too():
    rng = np.random.default_rng(2)
    x = board(rng.integers(2, 7, (11, 6)))
    found = lf.leaderboard(x, ["borda", "bradley_terry", "mean"], samples=50)
    of_rules = found.rule_correlations
    assert of_rules.filter(rule_a="borda", rule_b="bradley_terry")["tau"].to_list() == [1.0]
    percentiles = found.rank_percentiles.drop("rule")
    assert percentiles.head(6).equals(percentiles.slice(6, 6))
    assert "win rate and Bradley–Terry strengths give the same order" in " ".join(
        found.verdict["sentence"]
    )
    assert found.leave_one_out.filter(rule="bradley_terry").height == 11


def test_a_run_that_wins_everywhere_has_no_strength():
    x = board([[1, 0, 0.5, 0.2], [1, 0.5, 0, 0.2], [1, 0, 0.5, 0.7]])
    message = (
        "leaderboard: expected that wins lead .* {'a'} won all comparisons.*rule, such as 'borda'"
    )
    with pytest.raises(lf.LexiframeError, match=message):
        lf.leaderboard(x, ["borda", "bradley_terry"])


@pytest.mark.filterwarnings("ignore:.*cells without a value")
def test_parts_without_strengths_are_counted():
    x = board([[1, 0, 0.5], [0, 1, 0.5], [0, 0.5, 1]])
    found = lf.leaderboard(x, "bradley_terry", samples=20)
    with pytest.warns(lf.LexiframeWarning, match="1 of 3 boards without one collection have no"):
        assert found.leave_one_out.height == 3
    holed = board([[1, 0, 0.5], [0, 1, 0.5], [0, 0.5, 1], [0.5, 1, np.nan]])
    found = lf.leaderboard(holed, "bradley_terry", "votes", samples=20)
    with pytest.warns(lf.LexiframeWarning, match="of 20 resamples have no strengths of greatest"):
        assert found.rank_percentiles.height == 3


@pytest.mark.filterwarnings("ignore:.*there are no intervals")
def test_one_run_has_the_strength_0():
    assert lf.leaderboard(board([[1], [0.5]]), "bradley_terry").ranking["value"].to_list() == [0.0]


def test_requests_and_groups_of_collections():
    rng = np.random.default_rng(6)
    rows = [
        (run, f"c{c}", f"q{q}", rng.normal() + 0.3 * n)
        for c in range(4) for q in range(5) for n, run in enumerate("abc")
    ]  # fmt: skip
    s = pl.DataFrame(rows, ["run", "collection", "query_id", "value"], orient="row")
    found = lf.leaderboard(s, "bradley_terry", over="requests").ranking.sort("run")
    cells = s.pivot("run", index=["collection", "query_id"], values="value").sort("collection")
    expected = loop_strengths(cells.select("a", "b", "c").rows(), [1] * 20)
    assert found["value"].to_list() == pytest.approx(expected, abs=1e-7)
    assert found["ci_low"].null_count() == 0
    groups = {"c00": "g", "c01": "g", "c02": "h", "c03": "h"}
    x = board([[1, 2, 3], [3, 1, 2], [2, 3, 1], [2, 1, 3]])
    of_groups = lf.leaderboard(x, "bradley_terry", over="groups", group=groups)
    assert of_groups.comparisons["df"].unique().to_list() == [1.0]
