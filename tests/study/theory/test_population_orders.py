"""Orders of users and providers from single steps, by loops; which ranks go together."""

from itertools import combinations

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.theory import first_and_last, population_order
from tests import oracle


def steps(member, m, population):
    """Who is next below: an item comes later, or one item less is needed."""
    for level in member:
        if level < m and level + 1 not in member:
            yield tuple(sorted({*member} - {level} | {level + 1}))
    if len(member) > 1:
        yield member[1:] if population == "users" else member[:-1]


def below(member, m, population):
    """All that can be reached by steps."""
    found, todo = set(), [member]
    while todo:
        for other in steps(todo.pop(), m, population):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


@pytest.mark.parametrize("population", ["users", "providers"])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_orders_by_loops(population, m):
    members = [tuple(w) for w in oracle.subsets(range(1, m + 1))]
    reached = {w: below(w, m, population) for w in members}
    pairs = [
        (list(u), list(v))
        for u, lower in reached.items()
        for v in lower
        if not any(v in reached[w] for w in lower)
    ]
    assert population_order(m, population).rows() == sorted(pairs)


@pytest.mark.parametrize("name", ["AP", "RR", "nDCG", "RBP"])
def test_no_ranking_contradicts_the_order(name):
    """The values of all users and providers, in all rankings of seven items."""
    metric = {"AP": oracle.AP, "RR": oracle.RR, "RBP": oracle.RBP}.get(name)
    metric = metric or (lambda p: oracle.nDCG([(rank, 1) for rank in p]))
    for p in combinations(range(1, 8), 4):
        for population in ("users", "providers"):
            for u, v in population_order(4, population).rows():
                of_u, of_v = ([p[level - 1] for level in w] for w in (u, v))
                if population == "users":
                    assert metric(of_u) >= metric(of_v) - 1e-12
                else:
                    assert sum(1 / r for r in of_u) >= sum(1 / r for r in of_v)


def test_what_stands_side_by_side_depends_on_the_ranking():
    """A need for the first two items stands above that for the second; not beside the first's."""
    edges = population_order(2).rows()
    assert ([1, 2], [1]) not in edges
    values = [(oracle.AP(p), 1 / p[0]) for p in ((1, 2), (2, 3))]
    assert [np.sign(both - first) for both, first in values] == [0, 1]


def test_what_is_refused():
    with pytest.raises(
        lf.LexiframeError, match="population_order: expected at most 8 relevant items, found 9"
    ):
        population_order(9)
    with pytest.raises(lf.LexiframeError, match="expected population to be one of 'users'"):
        population_order(2, "judges")
    with pytest.raises(lf.LexiframeError, match="expected 1 ≤ m ≤ n"):
        first_and_last(2, [1, 3])
