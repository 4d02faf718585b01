"""Each table of a leaderboard as a function of its own on frames."""

import inspect

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.base.face import for_users

RNG = np.random.default_rng(8)
REQUESTS = pl.DataFrame(
    [
        (run, f"c{c}", "xy"[c % 2], f"q{q}", RNG.normal() + n / 3)
        for c in range(6) for q in range(4) for n, run in enumerate("abcde")
    ],
    ["run", "collection", "kind", "query_id", "value"],
    orient="row",
)  # fmt: skip
NAMES = [name for name in for_users(lf.collection) if hasattr(lf.Leaderboard, name)]
OPTIONS = {
    "rule": ["mean", "borda", "copeland"],
    "missing": "common",
    "weights": {f"c{c}": c + 1 for c in range(6)},
    "group": "kind",
    "over": "requests",
    "test": "max_t",
    "smaller_is_better": ["c1"],
    "alpha": 0.2,
    "samples": 40,
    "seed": 3,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_gives_the_table_of_the_leaderboard(name):
    function = getattr(lf.collection, name)
    taken = inspect.signature(function).parameters
    options = {o: value for o, value in OPTIONS.items() if o in taken}
    board = lf.leaderboard(REQUESTS, **OPTIONS)
    assert function(REQUESTS, **options).equals(getattr(board, name), null_equal=True)
    plain = lf.leaderboard(REQUESTS, ["mean", "borda"] if name == "rule_correlations" else "mean")
    assert function(REQUESTS).equals(getattr(plain, name), null_equal=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_refuses_what_the_leaderboard_refuses(name):
    function = getattr(lf.collection, name)
    with pytest.raises(lf.LexiframeError, match="expected weights='equal', 'groups' or"):
        function(REQUESTS, weights="some")
    one = REQUESTS.filter(collection="c1").drop("collection", "kind")
    with pytest.raises(lf.LexiframeError, match="expected scores of several collections"):
        function(one.with_columns(measure=pl.lit("AP")))
    if "missing" in inspect.signature(function).parameters:
        with pytest.raises(lf.LexiframeError, match="missing"):
            function(REQUESTS, missing="some")
    if "alpha" in inspect.signature(function).parameters:
        with pytest.raises(lf.LexiframeError, match="alpha"):
            function(REQUESTS, alpha=2.0)


def test_gaps_and_components_of_boards_that_are_refused():
    apart = pl.DataFrame({"run": ["a", "b"], "collection": ["x", "y"], "value": [1.0, 2.0]})
    with pytest.raises(lf.LexiframeError, match="none of 2 runs has all 2"):
        lf.leaderboard(apart)
    assert lf.collection.gaps(apart, "common")["how"].to_list() == ["collection left out"] * 2
    assert lf.collection.components(apart)["part"].to_list() == [1, 1, 2, 2]


def test_runs_with_collections_of_weight_0_alone_are_named():
    x = pl.DataFrame(
        {"run": ["a", "a", "b", "c", "c", "a", "c"], "value": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
         "collection": ["x", "y", "y", "x", "y", "z", "z"]}
    )  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="collections of weight 0 alone are left out: 1 "):
        found = lf.collection.ranking(x, weights={"x": 1, "y": 0, "z": 1}, samples=5)
    assert found["run"].to_list() == ["c", "a"]
