"""Explanations of measures with a cut-off sum to the preferences, at every cut-off."""

import pytest

import lexiframe as lf

RANKS = {"a": [1, 3, 4, 8], "b": [2, 3, 5, 6], "c": [1, 2, 9, 10]}


@pytest.fixture(scope="module")
def p():
    """Rankings of ten documents in which the relevant items have these ranks."""
    runs = {}
    for run, ranks in RANKS.items():
        names = {rank: f"r{n}" for n, rank in enumerate(ranks)}
        runs[run] = {"q": {names.get(k, f"x{k}"): -float(k) for k in range(1, 11)}}
    return lf.positions(runs, {"q": {f"r{n}": 1 + (n > 1) for n in range(4)}})


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["ab", "ac", "cb"])
@pytest.mark.parametrize("k", range(1, 11))
def test_the_terms_sum_to_the_preference_at_each_cutoff(p, pair, k):
    names = [f"{name}@{k}" for name in ("RPP", "dcgRPP", "LR", "LP", "rrLR")]
    e = lf.explain(p, "q", *pair, names)
    d = lf.preferences(p, names).filter(run_a=min(pair), run_b=max(pair))
    for name in names:
        expected = d.filter(measure=name)["preference"].item()
        sign = 1 if pair[0] < pair[1] else -1
        assert e[name].sum() == pytest.approx(sign * expected, abs=1e-12)


@pytest.mark.parametrize("k", range(1, 11))
def test_signs_at_each_cutoff_by_a_loop(p, k):
    e = lf.explain(p, "q", "a", "b", f"RPP(rel=1)@{k}").filter(threshold=1)
    beyond = 99
    for level, (x, y) in enumerate(zip(RANKS["a"], RANKS["b"], strict=True)):
        x, y = (rank if rank <= k else beyond for rank in (x, y))
        term = e[f"RPP(rel=1)@{k}"][level]
        assert (term > 0, term < 0) == (x < y, x > y)


def test_the_ranks_are_among_the_columns_that_polars_prints():
    """Of a wide frame it prints the first four and the last four."""
    p = lf.positions({"a": {"q": {"d": 1}}, "b": {"q": {"d": 1}}}, {"q": {"d": 1}})
    names = lf.explain(p, "q", "a", "b").columns
    assert names[:4] == ["threshold", "level", "position_a", "position_b"]
