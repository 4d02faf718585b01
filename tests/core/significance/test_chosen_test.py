"""The default test, joint sign flips with step-down max-t, against plain loops; and intervals."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.base import sums
from lexiframe.core.orderings.means import run_means
from lexiframe.core.significance import flipped_runs, joint_flips
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.intervals import interval_of_kind
from tests import oracle
from tests.small_tables import preferences, scores

MEASURES = ["RPP", "LR", "LP", "AP", "Success@5", "rrLP"]
P = ["p_value", "p_adjusted", "least_p", "least_p_adjusted"]


def collection(n_requests, n_runs=4, seed=0):
    """Runs that rank twenty documents at random, four of which are relevant."""
    rng = np.random.default_rng(seed)
    queries = [f"q{n:03d}" for n in range(n_requests)]
    runs = {
        f"run{k}": {
            q: dict(zip([f"d{i}" for i in rng.permutation(20)], range(20, 0, -1), strict=True))
            for q in queries
        }
        for k in range(n_runs)
    }
    return runs, {q: {f"d{i}": 1 for i in range(4)} for q in queries}


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


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("values", [None, [0.0, 1.0], [0.0, 0.1, 0.2, 0.3]])
@pytest.mark.parametrize("n, gaps", [(1, False), (3, True), (6, False), (8, True)])
def test_joint_flips_are_those_of_all_choices_of_signs(n, gaps, values, alternative):
    s = drawn_scores(n, 4, seed=n, gaps=gaps, values=values)
    expected = of_loops(s, alternative)
    c = lf.compare(s, alternative=alternative).filter(pl.col("n") > 0)
    assert c["correction"].unique().to_list() == ["max_t"]
    assert found(c).keys() == expected.keys()
    for pair, of in expected.items():
        assert found(c)[pair] == pytest.approx(of, abs=1e-12)


@pytest.mark.slow
def test_joint_flips_of_twelve_requests_with_a_baseline():
    s = drawn_scores(12, 5, seed=3)
    expected = of_loops(s, baseline="r2")
    assert found(lf.compare(s, baseline="r2")) == {
        pair: pytest.approx(of, abs=1e-12) for pair, of in expected.items()
    }


def test_drawn_flips_are_close_to_all_of_them():
    s = drawn_scores(10, 4, seed=2)
    drawn = lf.compare(s, "randomization", "max_t", trials=500, seed=1)
    for pair, (p, adjusted, *_) in of_loops(s).items():
        near = found(drawn)[pair][:2]
        assert near == pytest.approx((p, adjusted), abs=4 * math.sqrt(0.25 / 500))


def test_all_measures_are_one_family():
    """Two measures as one family are as one measure of all pairs."""
    one, other = (drawn_scores(7, 3, seed=k) for k in (1, 2))
    both = pl.concat([one, other.with_columns(measure=pl.lit("other"))])
    c = lf.compare(both, family="all")
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
    c = lf.compare(s, requests=requests, by="kind")
    for kind in ("x", "y"):
        part = s.join(requests.filter(kind=kind), on="query_id", how="semi")
        expected = {pair: pytest.approx(of, abs=1e-12) for pair, of in of_loops(part).items()}
        assert found(c.filter(kind=kind)) == expected


def test_the_order_of_requests_and_rows_does_not_matter():
    s = drawn_scores(30, 4, seed=5)
    c = lf.compare(s)
    assert lf.compare(s.sample(fraction=1, shuffle=True, seed=1)).equals(c)
    assert not lf.compare(s, seed=1)["p_adjusted"].equals(c["p_adjusted"])


@pytest.mark.slow
@pytest.mark.parametrize("test, correction, memory, baseline", [
    ("auto", "auto", "4kB", "run1"), ("randomization", "max_t", "1MB", None)
])  # fmt: skip
def test_all_engines_agree(test, correction, memory, baseline):
    """In parts, in groups and from tables there are the same comparisons and means."""
    runs, qrels = collection(12, n_runs=3)
    requests = pl.DataFrame({"query_id": [*qrels], "kind": ["few"] * 4 + ["many"] * 8})
    how = {"test": test, "correction": correction, "baseline": baseline}
    for groups in ({}, {"requests": requests, "by": "kind"}):
        whole = lf.evaluate(runs, qrels, MEASURES, **how, **groups)
        parts = lf.evaluate(runs, qrels, MEASURES, memory=memory, **how, **groups)
        assert whole.comparisons.equals(parts.comparisons)
        assert whole.means.equals(parts.means)
        p = lf.positions(runs, qrels)
        d = lf.preferences(p, MEASURES)
        assert lf.compare(d, **how, **groups).select(P).equals(whole.comparisons.select(P))


def test_many_pairs_have_fewer_flips_and_very_many_have_t(monkeypatch):
    monkeypatch.setattr(joint_flips, "MOST_WORK", 20 * 6 * 2000)
    c = lf.compare(drawn_scores(20, 4, seed=6))
    assert 1 / c["least_p_adjusted"].min() == pytest.approx(2001)
    monkeypatch.setattr(joint_flips, "TOO_MUCH_WORK", 20 * 6 * 1000 - 1)
    c = lf.compare(drawn_scores(20, 4, seed=6))
    assert c.select("test", "correction").unique().rows() == [("t", "holm")]
    assert c.equals(lf.compare(drawn_scores(20, 4, seed=6), "t"))
    together = lf.compare(drawn_scores(20, 4, seed=6), family="all")
    assert together.select("test", "correction").unique().rows() == [("t", "holm")]


def test_blocks_and_threads_have_no_influence(monkeypatch):
    rng = np.random.default_rng(0)
    queries, values = pl.Series([f"q{n}" for n in range(300)]), rng.normal(size=(300, 40))
    rough = np.full((1, 1), 1e-12)
    whole = joint_flips.max_t(queries, values, rough, Options("two-sided", 0.05, 1000))
    for name, value in (("_PAIRS", 16), ("_CHOICES", 64), ("_REQUESTS", 64)):
        monkeypatch.setattr(joint_flips, name, value)
    parts = joint_flips.max_t(queries, values, rough, Options("two-sided", 0.05, 1000))
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_differences_of_scores_are_those_of_flipped_runs(monkeypatch, alternative):
    a, b = np.triu_indices(7, 1)
    scores = np.random.default_rng(2).integers(0, 11, size=(100, 7)) / 10
    scores[:, 3] = scores[:, 1]
    queries, values = pl.Series([f"q{n}" for n in range(100)]), scores[:, a] - scores[:, b]
    given = values, np.full((1, 1), 1e-12)
    assert flipped_runs.scores_of(values.T, given[1]) is not None
    by_run = joint_flips.max_t(queries, *given, Options(alternative, 0.05, 1000))
    monkeypatch.setattr(joint_flips, "_FEW", 100)
    by_pair = joint_flips.max_t(queries, *given, Options(alternative, 0.05, 1000))
    assert all(np.array_equal(one, other) for one, other in zip(by_run, by_pair, strict=True))


def test_families_side_by_side_are_tested_apart():
    rng = np.random.default_rng(1)
    queries, values = pl.Series([f"q{n}" for n in range(9)]), rng.normal(size=(9, 12))
    rough, options = np.full((1, 1), 1e-12), Options("two-sided", 0.05, 1000)
    both = joint_flips.max_t(queries, values, rough, options, size=6)
    each = [joint_flips.max_t(queries, part, rough, options) for part in np.hsplit(values, 2)]
    for k in (0, 1):
        assert np.array_equal(both[k], np.concatenate([each[0][k], each[1][k]]))


def test_max_t_is_of_sign_flips_alone():
    s = drawn_scores(6, 3, seed=1)
    with pytest.raises(lf.LexiframeError, match=r"'max_t'.*found 't'.*correction='holm'"):
        lf.compare(s, "t", "max_t")
    with pytest.raises(lf.LexiframeError, match="stands for one test, found 2 tests"):
        lf.compare(s, ["auto", "t"])
    with pytest.raises(lf.LexiframeError, match="stands for one correction, found 2"):
        lf.compare(s, "t", ["auto", "bh"])
    both = lf.compare(s, "randomization", ["max_t", "holm"])
    assert both["correction"].unique().sort().to_list() == ["holm", "max_t"]


def test_an_audit_flips_the_signs_of_each_trial():
    s = drawn_scores(30, 3, seed=8)
    how = {"runs": 3, "null": "exchanged", "trials": 200, "correction": "max_t"}
    audits = lf.audit(s, "randomization", 12, **how)
    assert audits.select("test", "correction").rows() == [("randomization", "max_t")]
    assert audits["error_low"].item() <= 0.05


# --- Intervals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[1, 0, -1, 1, 1], [1, 1, 1, 1], [0, 0, 0], [-1] * 40])
def test_signs_have_the_interval_of_bonett_and_price(values):
    row = lf.compare(preferences({"ab": values}, "LR")).row(0, named=True)
    n, z = len(values), stats.norm.ppf(0.975)
    p, q = ((sum(v == sign for v in values) + 1) / (n + 2) for sign in (1, -1))
    half = z * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    expected = max(p - q - half, -1), min(p - q + half, 1)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("hits, n", [(0, 5), (3, 5), (5, 5), (14, 28)])
def test_hits_have_the_interval_of_clopper_and_pearson(hits, n):
    expected = stats.binomtest(hits, n).proportion_ci()
    for measure in ("Success@5", "P@1", "clicked"):
        for values in ([1.0] * hits + [0.0] * (n - hits), [0.0] * (n - hits) + [1.0] * hits):
            row = run_means(scores({"a": values}, measure)).row(0, named=True)
            assert (row["ci_low"], row["ci_high"]) == pytest.approx((expected.low, expected.high))


def test_means_within_bounds_have_two_values_more():
    values = [0.2, 0.5, 1.0, 0.25]
    more = [*values, 0.0, 1.0]
    expected = stats.ttest_1samp(more, 0).confidence_interval(0.95)
    row = run_means(scores({"a": values}, "AP")).row(0, named=True)
    assert row["mean"] == pytest.approx(0.4875)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((expected.low, expected.high))
    of_own = run_means(scores({"a": values}, "mine")).row(0, named=True)
    usual = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (of_own["ci_low"], of_own["ci_high"]) == pytest.approx((usual.low, usual.high))


def test_differences_within_bounds_have_two_values_more():
    def interval(differences, measure="RPP"):
        row = lf.compare(preferences({"ab": differences}, measure)).row(0, named=True)
        return row["ci_low"], row["ci_high"]

    def students(values):
        found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        return pytest.approx((max(found.low, -1), min(found.high, 1)))

    assert interval([0.5, 0.25, 0.5, -0.25]) == students([0.5, 0.25, 0.5, -0.25, -1, 1])
    assert interval([50.0, 25.0, 50.0]) == pytest.approx((5.81, 77.52), abs=0.01)  # in percent
    assert interval([0.5] * 4) == students([0.5] * 4 + [-1, 1])
    assert interval([0.5] * 4, "mine") == (None, None)  # no bounds are known


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("test", ["auto", "t", "sign", "wilcoxon", "randomization", "bootstrap"])
def test_no_sample_is_certain(n, test):
    """One run wins all requests by the same: p is that of sign flips, and the interval is wide."""
    s = scores({"a": [0.75] * n, "b": [0.25] * n}, "AP")
    row = lf.compare(s, test, trials=200).row(0, named=True)
    assert row["p_value"] >= max(0.5 ** (n - 1), 0.5**40) * (1 - 1e-9)
    assert row["ci_low"] < 0.5 < row["ci_high"]
    mean = run_means(s).filter(run="a").row(0, named=True)
    assert 0 <= mean["ci_low"] < 0.75 < mean["ci_high"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5, 0.95])
@pytest.mark.parametrize("measure, grid", [("AP", 20), ("Success@5", 1), ("mine", 3), ("LR", 1)])
def test_intervals_of_many_samples_hold_their_own_means(measure, grid, alpha):
    """All 20,000 samples, of 2 to 40 requests each."""
    rng = np.random.default_rng(grid)
    for n in (2, 3, 5, 12, 40):
        values = np.round(rng.beta(0.3, 0.6, (n, 4_000)) * grid) / grid
        names = [f"r{k:05}" for k in range(4_000)]
        if measure == "LR":
            d = values - values[::-1]
            moments = sums.Moments.add_up(d, np.full((1, 1), 1e-12))
            options = Options("two-sided", alpha)
            low, high = interval_of_kind(moments, options, 1.0, are_signs=True)
            assert ((low <= moments.mean) & (moments.mean <= high)).all()
            continue
        m = run_means(scores(dict(zip(names, values.T.tolist(), strict=True)), measure), alpha)
        m = m.drop_nulls("ci_low")  # of equal values without bounds there is none
        assert m.height > 3_800 or measure == "mine"
        assert ((m["ci_low"] <= m["mean"]) & (m["mean"] <= m["ci_high"])).all()
