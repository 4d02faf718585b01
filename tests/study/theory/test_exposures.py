"""What one recall level adds to a difference: by loops over pairs of rankings."""

from itertools import permutations
from math import log2

import pytest

import lexiframe as lf
from lexiframe.theory import exposure_differences, exposure_distribution

EXPOSURES = {
    "RBP(p=0.5)": lambda p: 0.5 ** (p - 1),
    "nDCG": lambda p: 1 / log2(p + 1),
    "RR@2": lambda p: (p <= 2) / p,
}


def added(name, a, b):
    """By two ranks, of which None is no rank."""
    if name == "RPP":
        a, b = (rank or 10**9 for rank in (a, b))
        return (b > a) - (b < a)
    e, f = (EXPOSURES[name](rank) if rank else 0 for rank in (a, b))
    return e - f


def test_differences_by_loops():
    table = exposure_differences([*EXPOSURES, "RPP"], n=5)
    assert table.height == 4 * 25
    for name, a, b, found in table.rows():
        assert found == pytest.approx(added(name, a, b), abs=1e-12)
    assert table.equals(table.sort("measure", "rank_a", "rank_b"))


def test_distribution_by_loops():
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    by_level = {}
    for run, query, level, rank in p.select("run", "query_id", "level", "position").rows():
        by_level.setdefault((query, level), {})[run] = rank
    table = exposure_distribution(p, [*EXPOSURES, "RPP"])
    for name in [*EXPOSURES, "RPP"]:
        values = [
            added(name, a, b)
            for ranks in by_level.values()
            for a, b in permutations(ranks.values(), 2)
        ]
        part = table.filter(measure=name)
        assert part["n"].unique().to_list() == [len(values)]
        for _, point, up_to, below, n in part.rows():
            assert up_to == sum(v <= point + 1e-12 for v in values) / n
            assert below == sum(v < point - 1e-12 for v in values) / n


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="expected metrics with an exposure"):
        exposure_differences("LR")
    with pytest.raises(lf.LexiframeError, match="ranks up to 1,000 at most, found 1,001"):
        exposure_differences("AP", 1001)
    p = lf.positions({"a": {"q": {"x": 1}}}, {"q": {"x": 1}})
    with pytest.raises(lf.LexiframeError, match="exposure_distribution: expected at least two run"):
        exposure_distribution(p, "AP")
