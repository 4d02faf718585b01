"""Kemeny's order: cycles, ties, and as many runs as there may be."""

from itertools import combinations, permutations

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.core.orderings.least_contradicted import kemeny_places
from tests.small_tables import preferences, scores


def order(d, column="rank", **options):
    o = lf.order_runs(d, "kemeny", **{"votes": "preference", **options})
    return dict(o.select("run", column).iter_rows())


def test_a_cycle_is_cut_where_it_is_weakest():
    """a over b by 3, b over c by 3, c over a by 1."""
    d = preferences({"ab": [1, 1, 1], "ac": [-1, -1, 1], "bc": [1, 1, 1]})
    assert order(d) == {"a": 1, "b": 2, "c": 3}
    assert order(d, "value") == {"a": 1, "b": 2, "c": 3}


def test_a_cycle_of_equal_majorities_ties():
    """a, b, c and b, c, a and c, a, b cost the same."""
    assert order(preferences({"ab": [1], "bc": [1], "ac": [-1]})) == dict.fromkeys("abc", 2)


def test_what_all_optimal_orders_share_stays_so():
    """d behind a cycle; and of a cycle with one strong majority, what it forces."""
    behind = preferences({"ab": [1], "bc": [1], "ac": [-1], "ad": [1], "bd": [1], "cd": [1]})
    assert order(behind) == {"a": 2, "b": 2, "c": 2, "d": 4}
    strong = preferences({"ab": [1, 1, 1], "bc": [1, 0, 0], "ac": [-1, 0, 0]})
    assert order(strong, "value") == {"a": 1.5, "b": 2.5, "c": 2}


def test_a_request_votes_by_win_rate_unless_told():
    d = preferences({"ab": [0.1], "bc": [0.1], "ac": [-1]})
    assert order(d) == dict.fromkeys("abc", 2)
    assert order(d, votes="win_rate") == {"c": 1, "b": 2, "a": 3}
    assert set(lf.order_runs(d, "kemeny")["method"]) == {"kemeny"}
    named = lf.order_runs(d, "kemeny", votes="preference")["method"]
    assert set(named) == {"kemeny(votes='preference')"}


def test_nearly_the_least_cost_is_not_enough():
    """Costs in the ten thousands that differ by one."""
    votes = np.array([[0, 20001, -20000], [-20001, 0, 20001], [20000, -20001, 0]])
    assert kemeny_places(votes).places.tolist() == [1, 2, 3]
    assert kemeny_places(votes).n_orders == 1


def brute_force(leads):
    """The mean places over all orders of the least cost, and their number."""
    runs = range(len(leads))
    orders = [*permutations(runs)]
    costs = [sum(leads[b, a] / 2 for a, b in combinations(order, 2)) for order in orders]
    best = [o for o, cost in zip(orders, costs, strict=True) if cost <= min(costs) + 1e-9]
    return [sum(order.index(run) + 1 for order in best) / len(best) for run in runs], len(best)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n_runs", range(1, 7))
def test_the_search_is_brute_force_over_all_orders(n_runs, whole):
    """Of numbers of requests, and of weights whose sums are rounded."""
    rng = np.random.default_rng(n_runs)
    for _ in range(3):
        weights = np.ones(5) if whole else rng.random(5)
        signs = np.sign(rng.integers(-2, 3, (5, n_runs, n_runs)))
        upper = np.triu(np.tensordot(weights, signs, 1), k=1)
        found = kemeny_places(upper - upper.T)
        places, n_orders = brute_force(upper - upper.T)
        assert found.places.tolist() == pytest.approx(places)
        assert found.n_orders == n_orders


def test_twelve_runs_and_no_more():
    s = {name: [n / 13, (n % 5) / 5, (n % 7) / 7] for n, name in enumerate("abcdefghijklm")}
    assert lf.order_runs(scores({a: s[a] for a in "abcdefghijkl"}), "kemeny").height == 12
    message = "order_runs: method='kemeny' searches all orders of at most 12 runs, found 13; choose"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.order_runs(scores(s), "kemeny")
