"""Preferences over tied orders against a plain loop over the ranks that items can have."""

from itertools import combinations, product
from math import inf
from statistics import fmean

import pytest

import lexiframe as lf

A = {"x": 3, "u": 3, "y": 2, "z": 2, "w": 2, "v": 2, "s": 2}
B = {"u": 5, "x": 4, "y": 4, "v": 4, "z": 3, "w": 3, "s": 3}
QRELS = dict.fromkeys("xyzw", 1)
NAMES = ["LR", "LP", "rrLR", "rrLP", "RPP"]


def ranks_of(scores, depth):
    """The ranks of the relevant items in each order, as sets of ranks are equally likely."""
    levels = sorted({*scores.values()}, reverse=True)
    groups = [[d for d in scores if scores[d] == of] for of in levels]
    starts = [1 + sum(map(len, groups[:n])) for n in range(len(groups))]
    chosen = (
        combinations(range(start, start + len(group)), len(QRELS.keys() & {*group}))
        for start, group in zip(starts, groups, strict=True)
    )
    for of_groups in product(*chosen):
        yield [rank if rank <= depth else inf for of in of_groups for rank in of]


def compared(p, q):
    """LR, LP, rrLR, rrLP and RPP of two lists of ranks, level by level."""
    signs = [(b > a) - (b < a) for a, b in zip(p, q, strict=True)]
    decided = [level for level, sign in enumerate(signs) if sign] or [0]
    first, last = decided[0], decided[-1]
    sizes = [1 / p[level] - 1 / q[level] for level in (last, first)]
    return [signs[last], signs[first], *sizes, fmean(signs)]


@pytest.mark.parametrize("depth", [4, 5, 6, 9])
def test_preferences_and_chances_of_all_orders(depth):
    """The depth divides the last group of both lists, or one, or none."""
    of_orders = [compared(p, q) for p in ranks_of(A, depth) for q in ranks_of(B, depth)]
    p = lf.positions({"a": {"q": A}, "b": {"q": B}}, {"q": QRELS}, ties="expected", depth=depth)
    d = lf.preferences(p, NAMES)
    found = dict(d.select("measure", "preference").rows())
    known = map(fmean, zip(*of_orders, strict=True))
    assert [found[name] for name in NAMES] == pytest.approx([*known], abs=1e-12)
    for n, name in enumerate(NAMES[:4]):
        chances = d.filter(measure=name).select("p_better", "p_equal", "p_worse").row(0)
        signs = [of[n] for of in of_orders]
        shares = [fmean(s > 0 for s in signs), fmean(s == 0 for s in signs)]
        assert chances == pytest.approx((*shares, 1 - sum(shares)), abs=1e-12)
