"""People judge some requests, a model all: against independent loops, and by simulation."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.significance.powered_means import powered_means
from lexiframe.decide.judges import people_and_model
from tests.conftest import SHARED

ppi, needed = lf.significance.prediction_powered, lf.significance.how_many_judgments


def wanted():
    return json.loads((SHARED / "conformance" / "decisions" / "ppi.json").read_text())


def scores(values, run="a", first=0, measure="AP"):
    queries = [f"q{n:05d}" for n in range(first, first + len(values))]
    values = [float(value) for value in values]
    return pl.DataFrame({"run": run, "query_id": queries, "measure": measure, "value": values})


def both(h, g, others):
    """The tables of people and model."""
    return scores(h), scores([*g, *others])


@pytest.mark.conformance
@pytest.mark.parametrize("case", ["worked", "two", "negative cov", "constant g", "no others"])
def test_worked_examples_of_an_independent_loop(case):
    known = wanted()
    h, g, others = (known["two" if case == "two" else "worked"][name] for name in "hgG")
    if case == "negative cov":
        g, others = [-x for x in g], [-x for x in others]
    elif case == "constant g":
        g, others = [0.5] * len(g), [0.5] * len(others)
    elif case == "no others":
        others = []
    of = known[case].get("final", known[case])
    with pytest.warns(lf.LexiframeWarning, match=f"with {len(h)} requests that people judged"):
        found = ppi(*both(h, g, others)).row(0, named=True)
    names = {"estimate": "mean", "lam": "weight", "low": "ci_low", "high": "ci_high"}
    names |= {"effective_n": "effective_n", "people": "people_mean", "model": "model_mean"}
    for theirs, ours in names.items():
        assert found[ours] == pytest.approx(of[theirs], abs=1e-9), ours
    half = stats.t.ppf(0.975, len(h) - 1) * of["people_se"]
    assert found["people_high"] - found["people_mean"] == pytest.approx(half, abs=1e-9)
    assert (found["n"], found["n_model"]) == (len(h), len(others))


@pytest.mark.conformance
def test_the_estimate_is_that_of_another_implementation_at_its_weight():
    """It weighs the model with other degrees of freedom; at the same weight the means are equal."""
    known = wanted()["worked"]
    h, g, others = (np.array(known[name]) for name in "hgG")
    lam = known["ppi_python"]["lam"]
    by_hand = lam * others.mean() + (h - lam * g).mean()
    assert by_hand == pytest.approx(known["ppi_python"]["estimate"], abs=1e-9)
    ours = powered_means(*(x[:, None] for x in (h, g, others)))
    of_ours = ours.weight[0] * others.mean() + (h - ours.weight[0] * g).mean()
    assert ours.estimates.mean[0] == pytest.approx(of_ours, abs=1e-12)


JUDGES = ["flant5large_four_prompts", "llama70b_four_prompts", "llama8b_decomposed"]
JUDGES += ["llama8b_four_prompts", "llama8b_one_prompt"]
MEASURES = {"ap2": "AP(rel=2)", "apdiff2": "AP(rel=2)", "rpp2": "RPP(rel=2)"}


@pytest.fixture(scope="module")
def passages():
    """Positions by people and by each model, of three runs."""
    folder = SHARED / "data" / "trec_dl_2019_passage"
    names = ("idst_bert_p1", "bm25base_p", "p_bert")
    runs = lf.read_runs([folder / "runs" / f"{name}.trec.gz" for name in names])
    files = {"people": folder / "qrels.trec"}
    files |= {judge: folder / "judges" / f"{judge}.trec" for judge in JUDGES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lf.LexiframeWarning)
        return {judge: lf.positions(runs, path, rel=2) for judge, path in files.items()}


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("judge", JUDGES)
def test_real_judges(passages, judge):
    known = wanted()
    chosen = pl.col("query_id").is_in(known["people requests"])
    for kind, name in MEASURES.items():
        make = lf.preferences if kind == "rpp2" else lf.scores
        human, model = (make(passages[by], [name]) for by in ("people", judge))
        model = model.filter(pl.col("query_id").is_in(human["query_id"].unique().implode()))
        found = ppi(human.filter(chosen), model, "differences" if kind == "apdiff2" else None)
        for key, of in known.items():
            if key.startswith(f"{kind} ") and key.endswith(f" {judge}"):
                check_case(found, key.split()[1:3], of)


def check_case(found, names, of):
    a, b = names
    sign = 1
    if "run" in found.columns:
        row = found.filter(run=a).row(0, named=True)
    else:
        sign = 1 if a < b else -1
        row = found.filter(run_a=min(a, b), run_b=max(a, b)).row(0, named=True)
    ends = [sign * row["ci_low"], sign * row["ci_high"]]
    assert sign * row["mean"] == pytest.approx(of["estimate"], abs=1e-9)
    assert sorted(ends) == pytest.approx([of["low"], of["high"]], abs=1e-9)
    assert row["weight"] == pytest.approx(of["lam"], abs=1e-9)
    assert row["effective_n"] == pytest.approx(of["effective_n"], abs=1e-8)
    assert (row["n"], row["n_model"]) == (of["n"], of["N"])
    assert sign * row["model_mean"] == pytest.approx(of["model"], abs=1e-9)


def simulated(rng, n, correlation, trials, kind="normal"):
    """Values by people and model in n requests, and by the model in ten times as many others."""
    size = (11 * n, trials)
    model = rng.normal(size=size)
    people = correlation * model + np.sqrt(1 - correlation**2) * rng.normal(size=size)
    if kind == "discrete":
        return (
            (people > 0.5)[:n] * 1.0,
            (model > 0.5)[:n] * 1.0,
            (model > 0.5)[n:] * 1.0,
            1 - 0.6915,
        )
    return people[:n], model[:n], model[n:], 0.0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "discrete"])
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_coverage(n, correlation, kind):
    rng, trials = np.random.default_rng(n), 4000
    h, g, others, _ = simulated(rng, n, correlation, trials, kind)
    mean = stats.norm.sf(0.5) if kind == "discrete" else 0.0
    found = powered_means(h, g, others)
    half, alone = found.estimates.half(0.025), found.people.half(0.025)
    covered = (np.abs(found.estimates.mean - mean) <= half).mean()
    error = 3 * np.sqrt(0.05 * 0.95 / trials)
    assert 0.94 - error <= covered <= 0.96 + error
    assert half.mean() <= 1.05 * alone.mean()
    if kind == "normal" and correlation == 0.95:
        assert 0.40 < half.mean() / alone.mean() < 0.48


def test_inclusion_takes_a_frame_and_weighs_by_it():
    rng = np.random.default_rng(2)
    g, others = rng.random(30), rng.random(50)
    h = g + rng.normal(size=30) / 10
    chance = np.linspace(0.2, 0.9, 30)
    human, model = both(h, g, others)
    inclusion = human.select("query_id", probability=pl.Series(chance))
    found = ppi(human, model, inclusion=inclusion).row(0, named=True)
    weight = 1 / chance / (1 / chance).sum()
    assert found["people_mean"] == pytest.approx((weight * h).sum())
    lam = found["weight"]
    every = np.concatenate([g, others])
    assert found["mean"] == pytest.approx(
        (weight * h).sum() + lam * (every.mean() - (weight * g).sum())
    )
    psi = np.zeros(80)
    a = weight * 80 * (h - (weight * h).sum() - lam * (g - (weight * g).sum()))
    psi[:30] = a
    psi += lam * (every - every.mean())
    error = np.sqrt((psi**2).sum() / 80**2 * 30 / 28)
    assert found["ci_high"] - found["mean"] == pytest.approx(stats.t.ppf(0.975, 28) * error)


def test_win_rates_and_differences_against_a_baseline():
    rng = np.random.default_rng(3)
    model = pl.concat([scores(rng.integers(0, 3, 60), run) for run in ("a", "b", "c")])
    human = model.filter(pl.col("query_id") < "q00025")
    found = ppi(human, model, "win_rates", baseline="a")
    assert found.select("run_a", "run_b").rows() == [("b", "a"), ("c", "a")]
    wide = human.pivot("run", index="query_id", values="value")
    wins = ((wide["b"] - wide["a"]).sign() + 1) / 2
    assert found["people_mean"][0] == pytest.approx(wins.mean())
    d = ppi(human, model, "differences", baseline="a")
    assert d["people_mean"][0] == pytest.approx((wide["b"] - wide["a"]).mean())


def test_missing_values_of_one_run_are_left_out_of_it_alone():
    rng = np.random.default_rng(8)
    model = pl.concat([scores(rng.random(80), run) for run in "ab"])
    human = model.filter(pl.col("query_id") < "q00030").with_columns(pl.col("value") / 2)
    lacking = human.filter(~((pl.col("run") == "a") & (pl.col("query_id") == "q00003")))
    found, whole = ppi(lacking, model), ppi(human, model)
    assert found["n"].to_list() == [29, 30]
    assert found.row(1) == whole.row(1)
    without = ppi(*(t.filter(run="a", query_id="q00003").vstack(t.filter(run="a")).unique(
        keep="none", maintain_order=True) for t in (human, model)))  # fmt: skip
    assert found["people_mean"][0] == without["people_mean"][0]


def test_how_many_judgments_is_the_least_number():
    rng = np.random.default_rng(6)
    g = rng.random(300)
    h = (g + rng.normal(size=300) / 5)[:40]
    human, model = both(h, g[:40], g[40:])
    bad = model.with_columns(value=pl.Series(rng.random(300)))
    table = needed(human, {"good": model, "bad": bad}, 0.05)
    assert table["judge"].to_list() == ["bad", "good"]
    good = table.row(1, named=True)
    rho, sd = np.corrcoef(h, g[:40])[0, 1], np.std(h, ddof=1)
    assert (good["correlation"], good["sd"]) == pytest.approx((rho, sd))

    def half(n, rho, df):
        return stats.t.ppf(0.975, df) * sd * np.sqrt((1 - rho**2 * (300 - n) / 300) / n)

    for width in np.linspace(0.05, 0.6, 30):  # of few requests a degree of freedom more counts
        good = needed(human, {"good": model}, width).row(0, named=True)
        n, alone = good["n_requests"], good["people_alone"]
        assert half(n, rho, n - 2) <= width < half(n - 1, rho, n - 3)
        assert half(alone, 0, alone - 1) <= width < half(alone - 1, 0, alone - 2)
    good = table.row(1, named=True)
    n, alone = good["n_requests"], good["people_alone"]
    assert n < table["n_requests"][0] <= alone
    assert needed(human, model, 1e-6)["n_requests"].item() is None


A = scores(np.arange(30) / 30)
WRONG = [
    (lambda: ppi(A, A.with_columns(run=pl.lit("b"))), r"\(run, measure\), found none of 1 "),
    (lambda: ppi(A, scores([1, 2], first=90)), "found none in common"),
    (lambda: ppi(A, A, "medians"), "expected of to be one of"),
    (lambda: ppi(A, A, alpha=2.0), "expected alpha"),
    (lambda: ppi(D, D, "means"), "expected a table of scores for means of runs"),
    (lambda: ppi(D, A), "expected scores of people and model, or preferences of both"),
    (lambda: ppi(A, A, inclusion=pl.DataFrame({"query_id": ["q00000"], "probability": [1.5]})),
     "a probability above 0 and at most 1 for each request"),
    (lambda: ppi(GAPS, GAPS, inclusion=A.select("query_id", probability=pl.col("value") + 0.1)),
     "found 58 missing"),
    (lambda: needed(A, A, 0), "expected half_width to be above 0, found 0"),
    (lambda: needed(A.head(3), A, 0.1), "expected 4 or more requests that people and model judged"),
]  # fmt: skip
GAPS = pl.concat([A, scores([1], "b")])
D = lf.preferences(
    lf.positions(lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt"), ["RPP"]
)


@pytest.mark.parametrize("call, message", WRONG)
def test_errors(call, message):
    with pytest.raises(lf.LexiframeError, match=message):
        call()


def test_requests_that_the_model_lacks_are_left_out_with_a_warning():
    with pytest.warns(
        lf.LexiframeWarning, match="left out requests of people that the model lacks: 1"
    ):
        found = ppi(A, A.tail(29))
    assert found["n"].item() == 29


def test_requests_that_look_chosen_are_warned_of():
    rng = np.random.default_rng(1)
    g = np.sort(rng.random(100))
    with pytest.warns(lf.LexiframeWarning, match="they do not look drawn at random"):
        ppi(*both(g[-30:], g[-30:], g[:-30]))


def test_few_requests_have_no_interval_but_a_mean():
    with pytest.warns(lf.LexiframeWarning, match="with 1 requests"):
        found = ppi(scores([0.5]), scores([0.25, 0.5])).row(0, named=True)
    assert (found["mean"], found["weight"], found["ci_low"]) == (0.5, 0.0, None)


def rare(share, n, seed=1, samples=2000):
    """Values of people and of a model that agree in nine of ten requests; ones are rare."""
    rng = np.random.default_rng(seed)
    h = (rng.random((n + 1000, samples)) < share) * 1.0
    g = np.where(rng.random(h.shape) < 0.9, h, rng.random(h.shape) < share)
    return h[:n], g[:n], g[n:]


@pytest.mark.slow
@pytest.mark.parametrize("share, n", [(0.07, 50), (0.2, 50), (0.1, 200)])
def test_where_intervals_cover_less_it_is_warned(share, n):
    """Of samples that are not warned of, .93 are covered; of 7 % of ones in 50 requests .87 are."""
    h, g, others = rare(share, n)
    low, high = powered_means(h, g, others).estimates.ends(0.025)
    covered, skewed = (low <= share) & (share <= high), people_and_model._are_skewed(h)
    assert skewed.tolist() == (n < 25 * np.nan_to_num(stats.skew(h)) ** 2).tolist()
    varies = h.any(axis=0)
    assert covered[~skewed & varies].mean() > 0.93
    if share == 0.07:
        assert covered.mean() < 0.89
        assert skewed[varies].mean() > 0.95
