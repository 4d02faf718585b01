"""The betting test: against independent loops, and whether it keeps its promise."""

import json
import re
from itertools import product
from math import log, log1p

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.base.sums.capital import log_capital
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import p_above, p_either
from tests.conftest import SHARED

ONE = {"bounds": {"mine": (-1.0, 1.0)}, "correction": "none"}


def wanted(name="betting"):
    return json.loads((SHARED / "conformance" / "decisions" / f"{name}.json").read_text())


def preferences(x, measure="mine"):
    queries = [f"q{n:05d}" for n in range(len(x))]
    return pl.DataFrame(
        {"query_id": queries, "run_a": "a", "run_b": "b", "measure": measure,
         "preference": [float(value) for value in x]}
    )  # fmt: skip


def values_of(x):
    """A list, or the text that says which one is repeated."""
    if isinstance(x, str):
        part, n = json.loads(re.match(r"\[.*]", x)[0]), int(x.split()[-1])
        return (part * n)[:n]
    return x


def capital(y, null, level, planned):
    """The capital after each bet, as a plain loop."""
    k, found = 0.0, []
    for i in range(1, len(y) + 1):
        means = [(0.5 + sum(y[: j + 1])) / (j + 2) for j in range(i - 1)]
        variance = (0.25 + sum((y[j] - means[j]) ** 2 for j in range(i - 1))) / i
        left = max(0.0, log(1 / level) - k)
        bet = min(0.9 / null, (2 * left / ((planned - i + 1) * variance)) ** 0.5)
        k += log1p(bet * (y[i - 1] - null))
        found.append(k)
    return found


@pytest.mark.parametrize("planned", [None, 60])
def test_the_kernel_is_the_plain_loop(planned):
    rng = np.random.default_rng(3)
    y, null = rng.random((40, 5)), np.array([0.2, 0.4, 0.5, 0.6, 0.9])
    best = log_capital(y, null, 0.01, planned)
    for column in range(5):
        loop = capital(y[:, column].tolist(), null[column], 0.01, planned or 40)
        assert best[column] == pytest.approx(max(0.0, *loop), abs=1e-12)


@pytest.mark.conformance
def test_p_values_of_independent_loops():
    cases = {name: of for name, of in wanted().items() if isinstance(of, dict) and "x" in of}
    assert len(cases) >= 11
    for name, of in cases.items():
        x = np.array(values_of(of["x"]), float).reshape(-1, 1)
        bets = Bets(bound=of["b"], level=of["level"], n_planned=of["n_plan"])
        p = {
            "greater": lambda x=x, of=of, bets=bets: p_above(x, of["h"], bets),
            "less": lambda x=x, of=of, bets=bets: p_above(-x, -of["h"], bets),
            "two-sided": lambda x=x, of=of, bets=bets: p_either(x, of["h"], bets),
        }[of["alternative"]]()
        assert p[0] == pytest.approx(of["p"], abs=1e-9), name


@pytest.mark.conformance
def test_equivalence_of_ties_and_the_interval():
    known = wanted()
    for n, margin in ((200, 0.02), (400, 0.05)):
        e = lf.equivalence(preferences([0.0] * n), margin, "betting", **ONE)
        of = known[f"equivalent zeros{n} d{str(margin)[1:]}"]
        assert e["p_equivalent"].item() == pytest.approx(of, abs=1e-9)
    x = [0.2, -0.1, 0.3, 0.1, 0.25, 0, 0.15, 0.2] * 5
    c = lf.compare(preferences(x), "betting", order="given", n_planned=40, **ONE)
    assert c.select("ci_low", "ci_high").row(0) == pytest.approx(wanted("bet_ci")["ci"], abs=1e-9)


@pytest.mark.conformance
def test_real_preferences_in_both_orders():
    folder, known = SHARED / "data" / "trec_dl_2019_passage", wanted()
    for key, of in known.items():
        found = re.match(r"dl19 OI (\w+) (\w+)( permutation)?", key)
        if not found:
            continue
        runs = lf.read_runs([folder / "runs" / f"{found[n]}.trec.gz" for n in (1, 2)])
        d = lf.interleaving(runs, folder / "qrels.trec").with_columns(measure=pl.lit("mine"))
        how = {} if found[3] else {"order": "given", "n_planned": d.height}
        c = lf.compare(d, "betting", **ONE, **how)
        e, wide = (lf.equivalence(d, margin, "betting", **ONE, **how) for margin in (0.1, 0.3))
        values = [c["p_value"], e["p_not_worse_a"], e["p_not_worse_b"], wide["p_equivalent"]]
        names = ("two_sided" if found[3] else "bet_two", "a_not_worse_01", "b_not_worse_01",
                 "equivalent_03")  # fmt: skip
        for value, name in zip(values, names, strict=True):
            assert value.item() == pytest.approx(of[name], abs=1e-9), (key, name)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize(
    "values, chances", [((0.0, 1.0), (0.7, 0.3)), ((0.1, 0.5, 0.9), (0.2, 0.5, 0.3))]
)
def test_capital_is_expected_to_stay_1(n, values, chances):
    """All sequences of values with the mean on the hypothesis: no bet gains on average."""
    null = np.array([np.dot(values, chances)])
    every = np.array([*product(range(len(values)), repeat=n)])
    y = np.array(values)[every].T
    chance = np.array(chances)[every].prod(axis=1)
    last = np.array([capital(column.tolist(), null[0], 0.05, n)[-1] for column in y.T])
    assert (chance * np.exp(last)).sum() == pytest.approx(1, abs=1e-12)
    p = np.exp(-log_capital(y, np.broadcast_to(null, y.shape[1:]), 0.05))
    for alpha in (0.01, 0.05, 0.2, 0.5):
        assert chance[p <= alpha].sum() <= alpha + 1e-12


def rare(rng, size):
    """2 % of the differences are −1, all others 0: the mean is −0.02."""
    return -(rng.random(size) < 0.02).astype(float)


def two_points(rng, size):
    return np.where(rng.random(size) < 0.039, -1.0, (0.039 - 0.02) / 0.961)


def skewed(rng, size):
    return np.clip(0.08 - 0.1 * rng.exponential(size=size), -1, 1)


def normal(rng, size):
    return np.clip(rng.normal(-0.02, 0.15, size), -1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [rare, two_points, skewed, normal])
@pytest.mark.parametrize("n", [5, 50, 200, 1000, 5000])
def test_wrong_passes_are_as_rare_as_promised(draw, n):
    """The mean lies on the margin, so that "not worse" is wrong: at most alpha pass."""
    trials = 4000 if n < 5000 else 1000
    x = draw(np.random.default_rng(n), (n, trials))
    mean = {skewed: draw(np.random.default_rng(1), 10**6).mean()}.get(draw, -0.02)
    bets = Bets(bound=1.0, level=0.05)
    share = (p_above(x, np.full(trials, mean), bets) < 0.05).mean()
    assert share <= stats.binom.ppf(0.9999, trials, 0.05) / trials


@pytest.mark.slow
def test_looking_thirty_times_keeps_the_promise_and_t_does_not():
    trials, n = 1000, 300
    x = rare(np.random.default_rng(8), (n, trials))
    passed, by_t = np.zeros(trials, bool), np.zeros(trials, bool)
    for seen in range(10, n + 1, 10):
        bets = Bets(bound=1.0, level=0.05, n_planned=n)
        passed |= p_above(x[:seen], np.full(trials, -0.02), bets) < 0.05
        some = x[:seen]
        sd = some.std(axis=0, ddof=1)
        with np.errstate(divide="ignore"):
            t = (some.mean(axis=0) + 0.02) / sd * np.sqrt(seen)
        by_t |= (sd > 0) & (stats.t.sf(t, seen - 1) < 0.05)
    assert passed.mean() <= stats.binom.ppf(0.9999, trials, 0.05) / trials
    assert by_t.mean() > 0.2


@pytest.mark.slow
def test_the_level_is_shared_by_a_family():
    """Each measure's pairs, all measures', or none; the column level says which."""
    rng = np.random.default_rng(2)
    s = pl.DataFrame(
        [(run, f"q{n}", measure, float(rng.random()))
         for run in "abc" for n in range(30) for measure in ("AP", "RR")],
        ["run", "query_id", "measure", "value"], orient="row",
    )  # fmt: skip
    levels = {
        ("holm", "measure"): 0.05 / 3,
        ("bonferroni", "all"): 0.05 / 6,
        ("none", "measure"): 0.05,
        ("bh", "all"): 0.05,
    }
    for (correction, family), level in levels.items():
        for table in (
            lf.compare(s, "betting", correction, family=family),
            lf.equivalence(s, 0.1, "betting", correction, family=family),
        ):
            assert table["level"].unique().to_list() == [pytest.approx(level)]
    both = lf.compare(s, ["t", "betting"], ["none", "holm"])
    assert both.filter(test="t")["level"].null_count() == 12
    assert both.equals(both.sort("measure", "test", "correction", "run_a", "run_b"))
    alone = lf.compare(s, "betting", "holm")
    assert both.filter(test="betting", correction="holm").equals(alone)
    groups = pl.DataFrame({"query_id": [f"q{n}" for n in range(30)], "half": [0, 1] * 15})
    of_groups = lf.compare(s, "betting", family="all", requests=groups, by="half")
    assert of_groups["level"].unique().to_list() == [pytest.approx(0.05 / 12)]
    assert "level" not in lf.compare(s, "t").columns


@pytest.mark.slow
def test_scores_take_their_bounds_from_the_measure_and_preferences_from_theirs():
    folder = lf.bundled("digits")
    p = lf.positions(folder / "runs", folder / "qrels.parquet")
    names = p["run"].unique().sort()[:3]
    p = p.filter(pl.col("run").is_in(names.implode()))
    c = lf.compare(lf.scores(p, ["nDCG@10"]), ["t", "betting"])
    d = lf.compare(lf.preferences(p, ["nDCG@10"]), ["t", "betting"])
    assert c.equals(d)
    r = lf.compare(lf.preferences(p, ["RPP"]), "betting")
    assert (r["ci_low"] >= -1).all()
    assert ((r["ci_low"] <= r["mean_difference"]) & (r["mean_difference"] <= r["ci_high"])).all()


def test_an_interval_and_the_test_agree():
    rng = np.random.default_rng(5)
    x = rng.choice([-1, 0, 0, 1, 1], 80)
    c = lf.compare(preferences(x), "betting", **ONE)
    low, high = c.select("ci_low", "ci_high").row(0)
    inner = np.linspace(low + 0.004, high - 0.004, 9)
    order = np.random.default_rng(0).permutation(80)
    bets = Bets(bound=1.0, level=0.05)
    for limit in inner:
        assert p_either(x[order, None], limit, bets)[0] >= 0.05
    for limit in (low - 0.01, high + 0.01):
        assert p_either(x[order, None], limit, bets)[0] < 0.05
    one = lf.compare(preferences(x), "betting", alternative="greater", **ONE)
    assert one["ci_high"].item() == np.inf


def test_the_order_depends_on_the_seed_and_on_the_ids_alone():
    rng = np.random.default_rng(7)
    d = preferences(rng.choice([-1, 0, 1], 60))
    first = lf.compare(d, "betting", **ONE)
    assert lf.compare(d.sample(fraction=1, shuffle=True, seed=1), "betting", **ONE).equals(first)
    assert lf.compare(d, "betting", seed=4, **ONE)["p_value"].item() != first["p_value"].item()
    given = {"order": "given", "n_planned": 60, **ONE}
    turned = lf.compare(d.reverse(), "betting", **given)["p_value"].item()
    assert turned != lf.compare(d, "betting", **given)["p_value"].item()
    by_hand = p_either(d["preference"].to_numpy()[::-1, None], 0.0, Bets(bound=1.0, level=0.05))
    assert turned == pytest.approx(by_hand[0])


def test_audit_tests_resamples_against_their_mean():
    rng = np.random.default_rng(1)
    d = preferences(rng.choice([-1, 0, 0, 0, 1], 100, p=[0.1, 0.2, 0.2, 0.3, 0.2]))
    a = lf.audit(d, ["t", "betting"], 100, trials=2000, bounds=ONE["bounds"])
    rates = dict(a.select("test", "error_rate").rows())
    assert rates["betting"] <= 0.06
    assert a.filter(test="betting")["power"].item() > 0.1
    swapped = lf.audit(d, "betting", 100, trials=500, null="exchanged", bounds=ONE["bounds"])
    assert swapped["error_rate"].item() <= 0.08


WRONG = [
    ({"bounds": "text"}, "expected bounds to name measures and their ends, .* found 'text'"),
    ({}, "of which no bounds are known; say them"),
    ({"bounds": {"mine": (1, 0)}}, "expected the least and the greatest value in bounds"),
    ({"bounds": {"mine": (-0.1, 0.1)}}, "expected differences from −0.1 to 0.1, found 5 others"),
    ({**ONE, "order": "given"}, "n_planned, .* and order='given' belong together"),
    ({**ONE, "n_planned": 9}, "n_planned, .* and order='given' belong together"),
    ({**ONE, "order": "given", "n_planned": 0}, "expected n_planned to be 1 or more"),
    (
        {**ONE, "order": "given", "n_planned": 4},
        "at most the 4 requests that were planned, found 5",
    ),
    ({**ONE, "order": "first"}, "expected order to be"),
]


@pytest.mark.parametrize("options, message", WRONG)
def test_errors(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(preferences([1, 1, -1, 1, 1]), "betting", **options)
