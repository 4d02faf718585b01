"""MC4 in its three modes, on chains small enough to solve by hand."""

import itertools

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.schemas import PREFERENCES
from tests import oracle
from tests.small_tables import preferences, scores


def beats(*pairs, runs="abc"):
    """One request in which the first run of each pair beats the second, and all others tie."""
    every = {a + b: [0] for a, b in itertools.combinations(runs, 2)}
    for winner, loser in pairs:
        every["".join(sorted(winner + loser))] = [1 if winner < loser else -1]
    return preferences(every)


def mc4(d, column="rank", **options):
    o = lf.order_runs(d, "mc4", **{"votes": "preference", **options})
    return dict(o.sort("run").select("run", column).iter_rows())


def same(**expected):
    return pytest.approx(expected, abs=1e-12)


def test_a_cycle_above_a_run():
    d = beats("ab", "bc", "ca", "ad", "bd", "cd", runs="abcd")
    assert mc4(d, "value") == same(a=4 / 3, b=4 / 3, c=4 / 3, d=1)
    assert mc4(d) == {"a": 2, "b": 2, "c": 2, "d": 4}


def test_inside_a_component_the_stationary_distribution_decides():
    """a > b > c > d > a and a > c: x_d = x_a, 2 x_c = x_d, x_b = x_c, so x = (2, 1, 1, 2)/6."""
    d = beats("ab", "bc", "cd", "da", "ac", runs="abcd")
    assert mc4(d, "value") == same(a=1 / 3, b=1 / 6, c=1 / 6, d=1 / 3)
    assert mc4(d) == {"a": 1.5, "b": 3.5, "c": 3.5, "d": 1.5}


def test_components_in_which_the_chain_ends_with_the_same_probability_share_a_layer():
    lines = beats("ac", "bd", runs="abcd")
    assert mc4(lines, "value") == same(a=1.5, b=1.5, c=0.5, d=0.5)
    cycle_and_two = beats("ab", "bc", "ca", "de", "df", runs="abcdef")
    assert mc4(cycle_and_two, "value") == same(
        **dict.fromkeys("abcd", 1.25), **dict.fromkeys("ef", 0.5)
    )
    assert mc4(cycle_and_two) == {**dict.fromkeys("abcd", 2.5), **dict.fromkeys("ef", 5.5)}


def test_a_run_that_splits_every_majority_comes_behind_the_winner():
    """The chain ends at d with probability 1/4, where it starts there, and at a else."""
    d = beats("ab", "ac", "bc", runs="abcd")
    assert mc4(d, "value") == same(a=4, b=2, c=1, d=3)
    assert mc4(d) == {"a": 1, "b": 3, "c": 4, "d": 2}


def test_components_that_do_not_meet_are_ordered_by_where_the_chain_ends():
    """From d it goes to a or b, from c to b: it ends at a with 3/8, at b with 5/8."""
    d = beats("ad", "bd", "bc", runs="abcd")
    assert mc4(d) == {"a": 2, "b": 1, "c": 3.5, "d": 3.5}
    assert mc4(d, "value") == same(a=2, b=3, c=0.5, d=0.5)
    cycle_and_a_single = beats("ab", "bc", "ca", runs="abcd")
    assert mc4(cycle_and_a_single, "value") == same(a=4 / 3, b=4 / 3, c=4 / 3, d=1)


def test_probabilities_of_ending_that_are_equal_are_equal_however_they_were_summed():
    """Two halves, mirrored: what leads from one to a leads from the other to b."""
    pairs = []
    for half, winners in (("cdefgh", "ab"), ("onmlkj", "ba")):
        circle = zip(half, half[1:] + half[0], strict=True)
        pairs += [winner + loser for winner, loser in circle]
        pairs += [winners[n % 3 == 0] + loser for n, loser in enumerate(half)]
        pairs += [winners[1] + half[2], half[0] + half[2], half[3] + half[1]]
    ranks = mc4(beats(*pairs, runs="abcdefghjklmno"))
    assert ranks["a"] == ranks["b"] == 1.5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_where_the_chain_ends_is_exact_and_where_long_walks_end(seed):
    """Thirty runs, a tenth of the pairs with a majority: dozens of ways lead to several ends."""
    runs = [f"{n:02}" for n in range(30)]
    rng = np.random.default_rng(seed)
    lead = {pair: rng.choice([1.0, -1.0, 0.0], p=[0.05, 0.05, 0.9]) for pair in pairs_of(runs)}
    rows = [("q", a, b, "mine", value) for (a, b), value in lead.items()]
    rank = mc4(pl.DataFrame(rows, schema=PREFERENCES.required, orient="row"))

    beats = {pair if value > 0 else pair[::-1] for pair, value in lead.items() if value}
    probability = oracle.ending(runs, beats)
    chain = np.array([*oracle.transitions(runs, beats).values()]).reshape(30, 30)
    walked = np.linalg.matrix_power(chain, 10**6).mean(axis=0)
    assert len(probability) > 2
    for part, exact in probability.items():
        assert sum(walked[runs.index(run)] for run in part) == pytest.approx(float(exact))
    for (x, p), (y, q) in itertools.combinations(probability.items(), 2):
        order = {(rank[a] > rank[b]) - (rank[a] < rank[b]) for a in x for b in y}
        if p != q:
            assert order == {(p < q) - (p > q)}
        elif len(x) == len(y) == 1:
            assert order == {0}


def pairs_of(runs):
    return list(itertools.combinations(runs, 2))


def test_tiny_probabilities_are_not_ties():
    """Each run beats those from the next but one on, and the next beats it.

    The stationary probabilities fall like 1/k!; they differ for all but the first two runs.
    """
    runs = "abcdefghijklmnop"
    pairs = [
        (a + b) if runs.index(b) > runs.index(a) + 1 else (b + a)
        for a, b in itertools.combinations(runs, 2)
    ]
    ranks = mc4(beats(*pairs, runs=runs))
    assert [ranks[run] for run in runs[2:]] == list(range(3, 17))


def test_a_tied_vote_keeps_the_chain_where_it_is():
    assert mc4(preferences({"ab": [1, -1]})) == {"a": 1.5, "b": 1.5}
    assert mc4(preferences({"ab": [1, -0.1, 0, 0]})) == {"a": 1.5, "b": 1.5}
    assert mc4(preferences({"ab": [1, -1, -0.1]})) == {"a": 2, "b": 1}


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_iterations_from_equal_probabilities(iterations):
    expected = 0.5 * 0.5**iterations  # half of what is at b moves to a at each step
    found = mc4(beats("ab", runs="ab"), "value", iterations=iterations)
    assert found == same(a=1 - expected, b=expected)


def test_so_many_iterations_that_nothing_is_left():
    found = lf.order_runs(beats("ab", runs="ab"), iterations=2000)
    assert found.select("run", "value", "rank").rows() == [("a", 1.0, 1.0), ("b", 0.0, 2.0)]


def test_one_and_two_iterations_of_three_runs():
    """From c a third goes to a and a third to b; from b a third to a; a stays."""
    d = beats("ab", "bc", "ac")
    assert mc4(d, "value", iterations=1) == same(a=5 / 9, b=3 / 9, c=1 / 9)
    assert mc4(d, "value", iterations=2) == same(a=19 / 27, b=7 / 27, c=1 / 27)
    assert mc4(beats(), iterations=10) == dict.fromkeys("abc", 2)


@pytest.mark.parametrize("teleport", [0.05, 0.15, 0.5])
def test_teleporting(teleport):
    """x_b = x_b / 2 + x_a teleport / 2."""
    found = mc4(beats("ab", runs="ab"), "value", teleport=teleport)
    assert found == same(a=1 / (1 + teleport), b=teleport / (1 + teleport))
    assert mc4(beats("ab", "bc", "ca"), teleport=teleport) == dict.fromkeys("abc", 2)


# By preference a > b > c > a; over the other runs a has −0.9, b 0.1, c 0.8.
CYCLIC = preferences({"ab": [0.1], "ac": [-1.0], "bc": [0.2]})


def test_a_request_votes_by_win_rate_or_by_preference():
    assert mc4(CYCLIC, votes="preference") == dict.fromkeys("abc", 2)
    assert mc4(CYCLIC, votes="win_rate") == {"a": 3, "b": 2, "c": 1}
    default = lf.order_runs(CYCLIC, "mc4")
    assert default.equals(lf.order_runs(CYCLIC, "mc4", votes="win_rate"))


def test_equal_win_rates_are_equal_however_they_were_summed():
    """a: 0.1 + 0.2, b: 0.3, both against c."""
    d = preferences({"ab": [0.0], "ac": [0.1 + 0.2], "bc": [0.3]})
    assert mc4(d, votes="win_rate") == {"a": 1.5, "b": 1.5, "c": 3}


def test_scores_are_ordered_by_their_differences():
    s = scores({"a": [0.1, 0.2, 0.9], "b": [0.2, 0.3, 0.1], "c": [0.0, 0.1, 0.0]})
    assert mc4(s, votes="win_rate") == {"a": 2, "b": 1, "c": 3}


def test_each_measure_by_itself():
    d = pl.concat(
        [beats("ab", runs="ab"), beats("ba", runs="ab").with_columns(measure=pl.lit("z"))]
    )
    o = lf.order_runs(d)
    assert o.select("measure", "run", "rank").rows() == [
        ("mine", "a", 1),
        ("mine", "b", 2),
        ("z", "b", 1),
        ("z", "a", 2),
    ]


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"method": "mc5"},
            "one of 'mean', 'win_rate', .*, 'bradley_terry', 'mean_z', 'mean_rank'",
        ),
        ({"votes": "both"}, "expected votes to be one of 'win_rate', 'preference', found 'both'"),
        ({"method": "borda", "iterations": 1}, "iterations and teleport belong to method='mc4'"),
        ({"method": "kemeny", "teleport": 0.1}, "iterations and teleport belong to method='mc4'"),
        (
            {"method": "mean", "votes": "preference"},
            "votes belongs to method='mc4' and method='kemeny",
        ),
        ({"iterations": 1, "teleport": 0.1}, "give iterations or teleport, not both"),
        ({"iterations": 0}, "expected iterations to be a whole number from 1 to 100,000, found 0"),
        (
            {"iterations": 2.5},
            "iterations to be a whole number or None, found a float: 2.5",
        ),
        ({"teleport": 0.0}, "expected teleport between 0 and 1, found 0.0"),
        ({"teleport": 1}, "expected teleport between 0 and 1, found 1"),
    ],
)
def test_arguments_that_do_not_exist(options, message):
    with pytest.raises(lf.LexiframeError, match=f"^order_runs: .*{message}"):
        lf.order_runs(CYCLIC, **options)
