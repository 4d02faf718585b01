"""Joint sign flips with step-down max-t against plain loops."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.significance import joint_flips
from lexiframe.significance.differences import Options
from tests import oracle

P = ["p_value", "p_adjusted", "least_p", "least_p_adjusted"]
MAX_T = {"test": "randomization", "correction": "max_t"}


def drawn_scores(n, n_runs, seed, *, gaps=False, values=None):
    """A table of scores, of few values if these are given, perhaps with requests missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_runs, n)) if values is None else rng.choice(values, (n_runs, n))
    rows = [
        (f"r{k}", f"q{q}", "mine", float(x[k, q]))
        for k in range(n_runs)
        for q in range(n)
        if not gaps or rng.random() < 0.8
    ]
    return pl.DataFrame(rows, ["run", "query_id", "measure", "value"], orient="row")


def of_loops(s, alternative="two-sided", baseline=None):
    """What `compare` should say of scores, by pair."""
    of = {
        run: dict(part.select("query_id", "value").rows())
        for (run,), part in s.group_by("run", maintain_order=True)
    }
    queries = sorted({q for run in of.values() for q in run})
    pairs = list(itertools.combinations(sorted(of), 2))
    if baseline is not None:
        pairs = [(a if b == baseline else b, baseline) for a, b in pairs if baseline in (a, b)]
    pairs = [(a, b) for a, b in pairs if of[a].keys() & of[b].keys()]
    used = [q for q in queries if any(q in of[a] and q in of[b] for a, b in pairs)]
    known = [
        [of[a][q] - of[b][q] if q in of[a] and q in of[b] else None for q in used] for a, b in pairs
    ]
    known = [[None if d is None or abs(d) <= 1e-12 else d for d in of_pair] for of_pair in known]
    return dict(zip(pairs, oracle.joint_flips(known, alternative), strict=True))


def found(c):
    return {(row["run_a"], row["run_b"]): [row[p] for p in P] for row in c.to_dicts()}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("values", [None, [0.0, 1.0], [0.0, 0.1, 0.2, 0.3]])
@pytest.mark.parametrize("n, gaps", [(1, False), (3, True), (6, False), (8, True)])
def test_joint_flips_are_those_of_all_choices_of_signs(n, gaps, values, alternative):
    s = drawn_scores(n, 4, seed=n, gaps=gaps, values=values)
    expected = of_loops(s, alternative)
    c = lf.compare(s, **MAX_T, alternative=alternative).filter(pl.col("n") > 0)
    assert c["correction"].unique().to_list() == ["max_t"]
    assert found(c).keys() == expected.keys()
    for pair, of in expected.items():
        assert found(c)[pair] == pytest.approx(of, abs=1e-12)


@pytest.mark.slow
def test_joint_flips_of_twelve_requests_with_a_baseline():
    s = drawn_scores(12, 5, seed=3)
    expected = of_loops(s, baseline="r2")
    assert found(lf.compare(s, **MAX_T, baseline="r2")) == {
        pair: pytest.approx(of, abs=1e-12) for pair, of in expected.items()
    }


def test_drawn_flips_are_close_to_all_of_them():
    s = drawn_scores(10, 4, seed=2)
    drawn = lf.compare(s, **MAX_T, trials=500, seed=1)
    for pair, (p, adjusted, *_) in of_loops(s).items():
        near = found(drawn)[pair][:2]
        assert near == pytest.approx((p, adjusted), abs=4 * math.sqrt(0.25 / 500))


def test_all_measures_are_one_family():
    """Two measures as one family are as one measure of all pairs."""
    one, other = (drawn_scores(7, 3, seed=k) for k in (1, 2))
    both = pl.concat([one, other.with_columns(measure=pl.lit("other"))])
    c = lf.compare(both, **MAX_T, family="all")
    names = {("mine", r): r for r in ("r0", "r1", "r2")}
    pairs = []
    for s in (one, other):
        wide = s.pivot("run", index="query_id", values="value").sort("query_id")
        pairs += [
            (wide[a] - wide[b]).to_list() for a, b in itertools.combinations(names.values(), 2)
        ]
    expected = oracle.joint_flips(pairs)
    for row, of in zip(c.select(P).rows(), expected, strict=True):
        assert row == pytest.approx(of, abs=1e-12)


def test_groups_are_families_of_their_own():
    s = drawn_scores(8, 3, seed=4)
    requests = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(8)], "kind": ["x"] * 5 + ["y"] * 3}
    )
    c = lf.compare(s, **MAX_T, requests=requests, by="kind")
    for kind in ("x", "y"):
        part = s.join(requests.filter(kind=kind), on="query_id", how="semi")
        expected = {pair: pytest.approx(of, abs=1e-12) for pair, of in of_loops(part).items()}
        assert found(c.filter(kind=kind)) == expected


def test_the_order_of_requests_and_rows_does_not_matter():
    s = drawn_scores(30, 4, seed=5)
    c = lf.compare(s, **MAX_T)
    assert lf.compare(s.sample(fraction=1, shuffle=True, seed=1), **MAX_T).equals(c)
    assert not lf.compare(s, **MAX_T, seed=1)["p_adjusted"].equals(c["p_adjusted"])


def test_blocks_and_threads_have_no_influence(monkeypatch):
    rng = np.random.default_rng(0)
    queries, values = pl.Series([f"q{n}" for n in range(300)]), rng.normal(size=(300, 40))
    rough = np.full((1, 1), 1e-12)
    whole = joint_flips.max_t(queries, values, rough, Options("two-sided", 0.05, 1000))
    for name, value in (("_PAIRS", 16), ("_SIGNS", 64), ("_REQUESTS", 64)):
        monkeypatch.setattr(joint_flips, name, value)
    parts = joint_flips.max_t(queries, values, rough, Options("two-sided", 0.05, 1000))
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_families_side_by_side_are_tested_apart():
    rng = np.random.default_rng(1)
    queries, values = pl.Series([f"q{n}" for n in range(9)]), rng.normal(size=(9, 12))
    rough, options = np.full((1, 1), 1e-12), Options("two-sided", 0.05, 1000)
    both = joint_flips.max_t(queries, values, rough, options, size=6)
    each = [joint_flips.max_t(queries, part, rough, options) for part in np.hsplit(values, 2)]
    for k in (0, 1):
        assert np.array_equal(both[k], np.concatenate([each[0][k], each[1][k]]))


def test_an_evaluation_has_the_comparisons_of_its_tables():
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "LR", "AP"], **MAX_T)
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    with pytest.warns(lf.LexiframeWarning, match="it takes at least 6 requests without ties"):
        c = lf.compare(lf.preferences(p, ["RPP", "LR", "AP"]), **MAX_T)
    assert c.select(P).equals(e.comparisons.select(P))
    assert "5 requests: too few for any conclusion" in str(e)


def test_an_audit_flips_the_signs_of_each_trial():
    s = drawn_scores(30, 3, seed=8)
    how = {"runs": 3, "null": "exchanged", "trials": 200, "correction": "max_t"}
    audits = lf.audit(s, "randomization", 12, **how)
    assert audits.select("test", "correction").rows() == [("randomization", "max_t")]
    assert audits["error_low"].item() <= 0.05


@pytest.mark.parametrize("test", ["t", ["randomization", "sign"]])
@pytest.mark.parametrize("function", [lf.compare, lf.audit])
def test_max_t_is_of_sign_flips_alone(function, test):
    with pytest.raises(lf.LexiframeError, match=r"'max_t'.*found '(t|sign)'.*correction='holm'"):
        function(drawn_scores(6, 3, seed=1), test, correction="max_t")


def test_max_t_stands_beside_other_corrections():
    s = drawn_scores(8, 3, seed=1)
    both = lf.compare(s, "randomization", ["max_t", "holm"])
    for correction in ("max_t", "holm"):
        part = both.filter(correction=correction)
        one = lf.compare(s, "randomization", correction)
        assert part.select(one.columns).equals(one)
