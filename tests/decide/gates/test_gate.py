"""`gate`: what passes, fails and is undecided, how often wrongly, and what the verdict says."""

from itertools import product
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import lexiframe as lf
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import p_above
from lexiframe.decide.gates.deciding import decided
from lexiframe.decide.gates.gate_sizes import requests_to_decide
from lexiframe.decide.gates.gate_tests import check_require
from lexiframe.decide.gates.shown_gates import gate_markdown, junit_xml
from tests.frames import assert_close
from tests.small_tables import preferences, scores

REQUIRE = ["not-worse", "better", "equivalent"]
TWO = {"baseline": "old", "candidate": "new"}


def scores_of(differences, measure="AP"):
    """Scores of two runs whose differences, new minus old, are these."""
    old = np.linspace(0.2, 0.8, len(differences))
    return scores({"old": old, "new": old + differences}, measure)


def around(mean, n=40, spread=0.05):
    """Differences with exactly this mean."""
    drawn = np.random.default_rng(n).exponential(size=n)
    return mean + spread * (drawn - drawn.mean()) / drawn.std(ddof=1)


def one(d, margin=0.02, **options):
    g = lf.gate(d, margin, **TWO, **options)
    return g.row(0, named=True)


# --- One row ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("mean", [-0.03, -0.01, 0.0, 0.012, 0.03])
def test_p_values_are_those_of_other_libraries(mean):
    """One-sided t-tests of SciPy, the two of statsmodels, and for "better" the two-sided one."""
    x, margin = around(mean), 0.02
    low, high = (
        {side: stats.ttest_1samp(x, limit, alternative=side).pvalue for side in ("greater", "less")}
        for limit in (-margin, margin)
    )
    equivalent = ttost_paired(x, np.zeros(len(x)), -margin, margin)[0]
    better = stats.ttest_1samp(x, 0).pvalue if mean > 0 else 1
    outside = min(1, 2 * min(low["less"], high["greater"]))
    expected = {
        "not-worse": (low["greater"], low["less"]),
        "better": (better, high["less"]),
        "equivalent": (equivalent, outside),
    }
    for require, (shown, opposite) in expected.items():
        row = one(scores_of(x), margin, require=require)
        found = {"p_value": row["p_value"], "p_opposite": row["p_opposite"]}
        assert_close(found, {"p_value": shown, "p_opposite": opposite})
        by_p = "pass" if shown < 0.05 else "fail" if opposite < 0.05 else "undecided"
        assert row["outcome"] == by_p
        assert row["mean_difference"] == pytest.approx(mean)
        half = stats.t.isf(0.05, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((mean - half, mean + half))


@pytest.mark.slow
@pytest.mark.parametrize(
    "mean, outcomes",
    [
        (-0.05, ["fail", "fail", "fail"]),
        (-0.02, ["undecided", "fail", "undecided"]),
        (-0.001, ["pass", "fail", "pass"]),
        (0.01, ["pass", "undecided", "undecided"]),
        (0.02, ["pass", "pass", "undecided"]),
        (0.05, ["pass", "pass", "fail"]),
    ],
)
def test_what_passes_and_what_fails(mean, outcomes):
    d = scores_of(around(mean))
    assert [one(d, require=require)["outcome"] for require in REQUIRE] == outcomes
    # The same from preferences, whichever name comes first.
    for baseline, candidate, sign in (("old", "new", 1), ("a", "b", -1)):
        table = preferences(
            {(min(baseline, candidate), max(baseline, candidate)): sign * around(mean)}
        )
        for require, outcome in zip(REQUIRE, outcomes, strict=True):
            g = lf.gate(table, 0.02, baseline=baseline, candidate=candidate, require=require)
            assert (g["outcome"].item(), g["candidate"].item()) == (outcome, candidate)


def test_smaller_may_be_better():
    """A candidate with shorter searches is better."""
    x = 100 * around(-0.05)
    row = one(scores_of(x, "ASL(n=1000)"), 2.0, require="better")
    assert (row["outcome"], row["mean_difference"]) == ("pass", pytest.approx(5))


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("n", [2, 3, 10, 400])
def test_equal_differences_decide_nothing(n, test):
    """Two requests with the same difference show nothing, so they ask for no number either."""
    d = scores_of(np.full(n, 0.02))
    for require in REQUIRE:
        row = one(d, 0.5, require=require, test=test)
        found = [row[name] for name in ("outcome", "p_value", "p_opposite", "required", "ci_low")]
        assert found == ["undecided", 1.0, 1.0, None, None]
        assert row["why"].endswith(
            "; all differences are equal, so how much those of others vary is unknown."
        )


def test_more_requests_are_asked_for_than_there_are():
    """Three requests with the bootstrap: t, by which requests are counted, would need two."""
    x = np.array([0.1, 0.1001, 0.1002])
    row = one(scores_of(x), 0.02, test="bootstrap", trials=9, alpha=0.05)
    assert (row["outcome"], row["n"], row["required"]) == ("undecided", 3, None)


def test_one_request_decides_nothing():
    for require in REQUIRE:
        row = one(scores_of(np.array([0.01])), require=require)
        assert (row["outcome"], row["required"], row["ci_low"]) == ("undecided", None, None)
        assert row["why"].endswith("n = 1; one request shows nothing.")


# --- How many requests it would take ------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("power", [0.1, 0.8, 0.95])
@pytest.mark.parametrize("mean", [-0.035, 0.004, 0.015])
def test_the_requests_that_it_takes_are_those_of_statsmodels(mean, power):
    """To show that the mean is above −δ, or below it, one-sided; above 0 at alpha / 2."""
    sd, margin, alpha = 0.07, 0.02, 0.05

    def least(effect, level):
        n = np.arange(2, 9999)
        reached = TTestPower().power(effect / sd, n, level, alternative="larger") >= power
        return n[reached.argmax()]

    def found(require):
        arrays = (np.array([value]) for value in (mean, sd, margin))
        return requests_to_decide(require, *arrays, alpha, power).item()

    assert found("not-worse") == least(abs(mean + margin), alpha)
    sides = [least(margin - mean, alpha)] + ([least(mean, alpha / 2)] if mean > 0 else [])
    assert found("better") == min(sides)
    if abs(mean) > margin:
        assert found("equivalent") == least(abs(mean) - margin, alpha / 2)
    else:
        n = found("equivalent")
        assert equivalence_power(n, mean, sd, margin, alpha) >= power
        assert equivalence_power(n - 1, mean, sd, margin, alpha) < power


def equivalence_power(n, mean, sd, margin, alpha):
    """Both one-sided t-tests reject: an integral over the standard deviation of a sample."""
    limit = stats.t.isf(alpha, n - 1)

    def at(chi):
        half = limit * sd * chi / np.sqrt(n - 1) / np.sqrt(n)
        if half > margin:
            return 0.0
        ends = (np.array([-margin + half, margin - half]) - mean) / (sd / np.sqrt(n))
        low, high = stats.norm.cdf(ends)
        return (high - low) * stats.chi.pdf(chi, n - 1)

    middle, far = np.sqrt(n - 1), 12.0
    return integrate.quad(at, max(0, middle - far), middle + far, limit=200, epsabs=1e-10)[0]


def test_only_undecided_rows_ask_for_requests():
    for mean in (-0.05, -0.02, 0.05):
        row = one(scores_of(around(mean)))
        assert (row["required"] is None) == (row["outcome"] != "undecided") or mean == -0.02
    row = one(scores_of(around(-0.012)))
    assert row["outcome"] == "undecided"
    assert row["required"] == 243
    assert row["why"].endswith("it would take about 243 requests if the difference is as observed.")
    on_the_margin = one(preferences({("new", "old"): [-0.5, -0.25, 0.0, -0.25]}), 0.25, test="t")
    assert on_the_margin["required"] is None
    assert on_the_margin["why"].endswith("no number of requests that was tried would decide it.")


# --- Several rows -------------------------------------------------------------------------------


KINDS = pl.DataFrame({"qid": [f"q{n}" for n in range(1, 41)], "kind": [*"xy"] * 20})


def two_measures():
    return pl.concat([scores_of(around(-0.012), "RR"), scores_of(around(0.01), "AP")])


def test_each_measure_and_group_has_a_row():
    margins = {"recip_rank": 0.02, "map": "5%"}
    g = lf.gate(two_measures(), margins, **TWO, requests=KINDS, by="kind")
    assert g.select("kind", "measure").rows() == [(k, m) for k in "xy" for m in ("AP", "RR")]
    half = two_measures().join(KINDS.rename({"qid": "query_id"}).filter(kind="x"), on="query_id")
    alone = lf.gate(half, margins, **TWO)
    assert g.filter(kind="x").drop("kind").equals(alone)
    old = half.filter(run="old", measure="AP")["value"].mean()
    assert g["margin"].to_list()[:2] == pytest.approx([0.05 * old, 0.02])
    assert g.equals(lf.gate(half_named(), margins, **TWO, by="kind"))
    sentence = lf.verdict(g)["sentence"].item()
    assert "RR for kind = x" in sentence
    assert "n = 20 of 20 requests" in sentence


def half_named():
    return two_measures().join(KINDS.rename({"qid": "query_id"}), on="query_id")


def test_a_correction_is_over_all_rows():
    how = {**TWO, "requests": KINDS, "by": "kind"}
    plain = lf.gate(two_measures(), 0.02, **how)
    holm = lf.gate(two_measures(), 0.02, **how, correction="holm")
    assert plain["p_adjusted"].equals(plain["p_value"])
    p = plain["p_value"].to_numpy()
    order = np.argsort(p)
    steps = np.maximum.accumulate(np.sort(p) * [4, 3, 2, 1]).clip(max=1)
    assert holm["p_adjusted"].to_numpy()[order] == pytest.approx(steps)
    assert (holm["p_opposite_adjusted"] >= plain["p_opposite"]).all()
    assert (holm["required"] > plain["required"]).any()  # at alpha / 4
    assert "Holm's correction over the 4 rows" in lf.verdict(holm)["sentence"].item()


def test_a_row_that_is_missing_is_an_error():
    """It would else pass without being seen."""
    lacking = two_measures().filter((pl.col("run") == "old") | (pl.col("measure") == "RR"))
    with pytest.raises(lf.LexiframeError, match="expected requests of both runs for AP, found no"):
        lf.gate(lacking, 0.02, **TWO)
    only_y = half_named().filter((pl.col("kind") == "y") | (pl.col("measure") == "AP"))
    with pytest.raises(lf.LexiframeError, match="kind = x: gate: expected requests of both runs"):
        lf.gate(only_y, 0.02, **TWO, by="kind")

    named = {"AP": 0.02, "RR": "2%"}
    with pytest.raises(lf.LexiframeError, match="expected requests of both runs for AP, found no"):
        lf.gate(lacking, named, **TWO)


def test_requests_of_one_run_only_are_refused():
    """A candidate that found nothing for the hard requests would else pass without a word."""
    s = scores_of(around(0.01))
    lacking = s.filter((pl.col("run") == "old") | (pl.col("query_id") > "q30"))
    shown = lacking.filter(run="new").height
    with pytest.raises(lf.LexiframeError, match=f"found that {40 - shown} of 40 requests for AP"):
        lf.gate(lacking, 0.02, **TWO)
    assert lf.gate(lacking, 0.02, **TWO, missing="drop")["n"].item() == shown
    filled = lf.gate(lacking, 0.02, **TWO, missing="zero").row(0, named=True)
    assert filled["n"] == 40
    assert filled["mean_difference"] < -0.02


def test_a_direction_that_is_not_known_is_asked_for():
    s = scores_of(around(-0.1), "effort")
    with pytest.raises(lf.LexiframeError, match="whether smaller values of effort are better"):
        lf.gate(s, 0.02, **TWO)
    assert one(s, smaller_is_better=["effort"])["outcome"] == "pass"
    assert one(s, larger_is_better=["effort"])["outcome"] == "fail"
    assert one(s.with_columns(smaller_is_better=True))["outcome"] == "pass"


def test_rows_without_a_run_or_a_column_are_refused():
    s = scores_of(around(0.01))
    unnamed = pl.concat([s, s.head(2).with_columns(run=pl.lit(None, pl.String))])
    with pytest.raises(lf.SchemaError, match="column run, found 2 nulls"):
        lf.gate(unnamed, 0.02, **TWO)
    with pytest.raises(lf.SchemaError, match="measure"):
        lf.gate(s.drop("measure"), 0.02, **TWO)


def test_two_names_of_one_measure_are_refused():
    with pytest.raises(lf.LexiframeError, match="margin: expected one for AP, found two; keep one"):
        lf.gate(scores_of(around(0.01)), {"map": 0.001, "AP": 0.5}, **TWO)


@pytest.mark.parametrize("name", ["alpha", "outcome", "why", "required", "p_value", "candidate"])
def test_attributes_with_the_name_of_a_column_are_refused(name):
    s = scores_of(around(0.01))
    kinds = s.select("query_id").unique().with_columns(pl.lit("x").alias(name))
    with pytest.raises(lf.LexiframeError, match=f"by: {name} is a column of the table already"):
        lf.gate(s, 0.02, **TWO, requests=kinds, by=name)


def test_errors_of_margins_name_the_gate():
    d = preferences({"ab": [0.1, 0.2, 0.3]}, "RPP")
    with pytest.raises(lf.LexiframeError, match="gate: expected the scores of RPP, of whose mean"):
        lf.gate(d, "2%", baseline="a", candidate="b")
    with pytest.raises(lf.LexiframeError, match="gate: expected a margin for each measure, found"):
        lf.gate(two_measures(), {}, **TWO)


def test_measures_without_a_margin_are_left_out():
    assert lf.gate(two_measures(), {"AP": 0.1}, **TWO)["measure"].to_list() == ["AP"]


def test_other_runs_are_left_out():
    d = scores_of(around(-0.012))
    others = d.filter(run="old").with_columns(run=pl.lit("other"), value=pl.lit(0.5))
    more = pl.concat([d, others])
    g = lf.gate(d, 0.02, **TWO)
    assert lf.gate(more, 0.02, **TWO).equals(g)
    assert pl.DataFrame(lf.gate(more.to_arrow(), 0.02, **TWO)).equals(g)


@pytest.mark.slow
def test_from_sums_over_requests(tmp_path):
    """Of data larger than memory, whose single requests are not there."""
    folder = lf.bundled("example")
    how = {"baseline": "random", "candidate": "pca8_euclidean"}
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RPP"])
    parts = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RPP"], memory="400MB",
                        out=tmp_path, keep=["preferences"])  # fmt: skip
    assert parts.sums is not None
    margins = {"AP": 0.1, "RPP": 0.1}
    assert lf.gate(parts.sums, margins, **how).equals(lf.gate(e.preferences, margins, **how))
    with pytest.raises(lf.LexiframeError, match="unknown run 'nope'"):
        lf.gate(parts.sums, margins, baseline="random", candidate="nope")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"require": "worse"}, "gate: expected require to be one of 'not-worse', 'better', 'equ"),
        ({"test": "sign"}, "gate: expected test to be one of"),
        ({"correction": "fdr"}, "gate: expected correction to be one of"),
        ({"power": 1}, "gate: expected power between 0 and 1, found 1"),
        ({"alpha": 0}, "gate: expected alpha between 0 and 1, found 0"),
        ({"alpha": 0.5}, "gate: expected alpha below 0.5, found 0.5"),
        ({"trials": 0}, "gate: expected trials to be a whole number from 1, found 0"),
        ({"margin": -1}, "gate: expected margin to be a number above 0"),
        ({"margin": {"RR": 0.1}}, "unknown measure 'RR'"),
        ({"margin": {"AP": 0.1, "P@5": 1}}, "unknown measure 'P@5'"),
        ({"candidate": "old"}, "gate: baseline and candidate are both called 'old'; give the runs"),
        ({"candidate": "nwe"}, "unknown run 'nwe'; did you mean new"),
        ({"baseline": "odl"}, "unknown run 'odl'; did you mean old"),
        ({"by": "kind"}, "unknown attribute 'kind'"),
    ],
)
def test_what_is_refused(options, message):
    arguments = {"margin": 0.02, **TWO, **options}
    with pytest.raises(lf.LexiframeError, match=message):
        lf.gate(scores_of(around(0.01)), **arguments)


# --- In words -----------------------------------------------------------------------------------


NASTY = "b\0\x1b[2J<&>\"'|`\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")


def test_junit_is_xml_whatever_the_names_are():
    d = pl.concat([two_measures(), scores_of(around(-0.06), "P@5")])
    d = d.with_columns(run=pl.col("run").replace({"new": NASTY}))
    kinds = KINDS.with_columns(kind=pl.col("kind").replace({"x": "a\nb]]>"}))
    g = lf.gate(d, 0.02, baseline="old", candidate=NASTY, requests=kinds, by="kind")
    root = ElementTree.fromstring(junit_xml(g).encode())
    assert root.tag == "testsuites"
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases][:2] == [
        "AP for kind = a\\nb]]>",
        "P@5 for kind = a\\nb]]>",
    ]
    failures = [case.find("failure") for case in cases]
    found = ["pass" if f is None else f.get("type") for f in failures]
    assert found == g["outcome"].to_list()
    assert {*found} == {"pass", "fail", "undecided"}
    for outcome, failure in zip(found, failures, strict=True):
        assert outcome == "pass" or failure.get("message").startswith(f"{outcome.upper()}: ")
    n_failed = str(len(found) - found.count("pass"))
    assert root.get("failures") == suite.get("failures") == n_failed
    assert root.get("tests") == suite.get("tests") == "6"
    text = gate_markdown(g)
    assert "\x1b" not in text
    assert "b\\\\x00" in text


# --- On real collections ------------------------------------------------------------------------

REL = {"cranfield": 1, "movielens_100k": 4}


def with_copies(runs, qrels, rel):
    """Add a copy of each run with one relevant document in ten moved down by five ranks."""
    relevant = qrels.filter(pl.col("relevance") >= rel).select("query_id", "doc_id", is_rel=True)
    runs = runs.sort("run", "query_id", "score", "doc_id", descending=[False, False, True, True])
    rank = pl.int_range(1, pl.len() + 1).over("run", "query_id")
    ranked = runs.with_columns(rank=rank).join(
        relevant, on=["query_id", "doc_id"], how="left", maintain_order="left"
    )
    found = ranked.filter("is_rel").select("run", "query_id", "doc_id")
    order = pl.int_range(pl.len()).shuffle(seed=0).over("run")
    moved = found.filter(order < (0.1 * pl.len()).over("run")).with_columns(by=pl.lit(5.5))
    ranked = ranked.join(moved, on=["run", "query_id", "doc_id"], how="left", maintain_order="left")
    score = -(pl.col("rank") + pl.col("by").fill_null(0.0))  # behind the fifth document below it
    copies = ranked.with_columns(score=score, run=pl.col("run") + " (copy)")
    return pl.concat([runs, copies.select(runs.columns)])


@pytest.fixture(scope="module")
def held(shared):
    """Scores of the held runs of each collection, and of a damaged copy of each run."""

    def scores_of_collection(name, rel):
        folder = shared / "data" / name
        runs = pl.DataFrame(lf.read_runs(folder / "runs")).select("run", *RUN_COLUMNS)
        qrels = lf.read_qrels(folder / "qrels.trec")
        p = lf.positions(with_copies(runs, pl.DataFrame(qrels), rel), qrels, rel=rel)
        return lf.scores(p, ["AP", "nDCG@10"])

    with pytest.warns(lf.LexiframeWarning):  # requests without a relevant item, grades below 4
        return {name: scores_of_collection(name, rel) for name, rel in REL.items()}


RUN_COLUMNS = ["query_id", "doc_id", "score"]


@pytest.mark.parametrize("name, n_runs", [("cranfield", 24), ("movielens_100k", 15)])
def test_a_damaged_copy_does_not_pass(held, name, n_runs):
    """For each run there is a margin below its loss at which its copy fails.

    The loss is significantly above that margin by SciPy's t-test.
    """
    wide = held[name].pivot(["run", "measure"], index="query_id", values="value")
    runs = [run for run in held[name]["run"].unique().sort() if not run.endswith(" (copy)")]
    assert len(runs) == n_runs
    for run, measure in product(runs, ["AP", "nDCG@10"]):
        before, after = (f'{{"{name}","{measure}"}}' for name in (run, f"{run} (copy)"))
        loss = (wide[before] - wide[after]).to_numpy()
        how = {"baseline": run, "candidate": f"{run} (copy)"}
        part = held[name].filter(measure=measure)
        shown = stats.ttest_1samp(loss, 0, alternative="greater").confidence_interval(0.95).low
        assert 0 < shown < loss.mean()
        for margin, outcome in ((0.99 * shown, "fail"), (1.01 * shown, "undecided")):
            assert lf.gate(part, margin, **how, test="t")["outcome"].item() == outcome, (
                run,
                measure,
            )


PAIRS = [
    ("cranfield", "AP", "bm25s_lucene_k1.2_b0.75_char4", "xapian_bm25"),
    ("cranfield", "nDCG@10", "dph_bo1_fb5_t15", "lda_80_bhatt"),
    ("movielens_100k", "nDCG@10", "ease_l5000", "pop_count"),
    ("movielens_100k", "AP", "lenskit_implicitmf_50", "puresvd_25"),
]
BOUNDARIES = [("not-worse", -1, -1), ("better", 0, 1), ("equivalent", 1, 1), ("equivalent", -1, -1)]
SAMPLES = 1000


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("name, measure, a, b", PAIRS)
def test_false_alarms_are_at_most_alpha(held, name, measure, a, b, test):
    """In 1,000 collections drawn from a real one, with the true mean difference on a boundary."""
    wide = held[name].filter(measure=measure).pivot("run", index="query_id", values="value")
    x = (wide[b] - wide[a]).to_numpy()
    margin = x.std() / 8
    draws = np.random.default_rng(1).choice(x - x.mean(), (SAMPLES, len(x)))
    most = stats.binom.isf(1e-3, SAMPLES, 0.05)
    for require, passes_at, fails_at in BOUNDARIES:
        for outcome, at in (("pass", passes_at), ("fail", fails_at)):
            outcomes = outcomes_of(draws + at * margin, margin, require, test)
            assert (outcomes == outcome).sum() <= most, (require, outcome)


def outcomes_of(draws, margin, require, test):
    """The outcomes of many candidates at once, each with differences of its own."""
    names = [f"c{n:04}" for n in range(len(draws))]
    table = {"old": np.zeros(draws.shape[1])} | dict(zip(names, draws, strict=True))
    queries = pl.Series("query_id", [f"q{n:03}" for n in range(draws.shape[1])])
    d = pl.DataFrame(table).with_columns(queries).unpivot(index="query_id", variable_name="run")
    d = d.with_columns(measure=pl.lit("own"))
    how = {"baseline": "old", "trials": 199}
    said = {"larger_is_better": ["own"]}
    tested = lf.equivalence(d, margin, test, "none", **said, **how)
    table = decided(tested, check_require(require), "none", 0.05)
    one_gate = lf.gate(d, margin, test=test, candidate="c0007", require=require, **said, **how)
    assert one_gate["outcome"].item() == table.filter(run_a="c0007")["outcome"].item()
    return table["outcome"].to_numpy()


@pytest.mark.slow
@pytest.mark.parametrize(
    "test, looks", [("t", 1), ("bootstrap", 1), ("betting", 1), ("betting", 10)]
)
@pytest.mark.parametrize("name, measure, a, b", PAIRS)
def test_a_candidate_on_the_margin_passes_at_most_alpha_often(
    held, name, measure, a, b, test, looks
):
    """In 1,000 collections drawn from a real one, none of whose differences was moved.

    Bets need the bounds of the measure, so the margin is what the candidate loses in truth.
    """
    wide = held[name].filter(measure=measure).pivot("run", index="query_id", values="value")
    x = (wide[b] - wide[a]).to_numpy()
    x = x if x.mean() < 0 else -x
    draws, margin = np.random.default_rng(2).choice(x, (SAMPLES, len(x))), -x.mean()
    seen = np.linspace(len(x) / looks, len(x), looks).astype(int)
    passed = np.any([passing(draws[:, :n], measure, margin, test, len(x)) for n in seen], axis=0)
    assert passed.sum() <= stats.binom.isf(1e-3, SAMPLES, 0.05)


def passing(draws, measure, margin, test, n_planned):
    """Which of many candidates pass, each with differences of its own; a few as `gate` says."""
    how = {"trials": 199} if test != "betting" else {"order": "given", "n_planned": n_planned}
    if test == "betting":  # by its p-values alone: the intervals take a hundred times as long
        bets = Bets(1.0, 0.05, n_planned)
        found = p_above(draws.T, np.full(len(draws), -margin), bets) < 0.05
    else:
        d = several(draws, measure)
        found = lf.equivalence(d, margin, test, "none", baseline="old", **how)
        found = (found.sort("run_a")["p_not_worse_a"] < 0.05).to_numpy()
    few = [*np.flatnonzero(found)[:2], *np.flatnonzero(~found)[:2]]
    for place in few:
        one = several(draws[[place]], measure)
        g = lf.gate(one, margin, baseline="old", candidate="c0000", test=test, **how)
        assert (g["outcome"].item() == "pass") == found[place]
    return found


def several(draws, measure):
    """The differences of candidates from a baseline, as preferences."""
    requests = pl.Series("query_id", [f"q{n:04}" for n in range(draws.shape[1])])
    wide = pl.DataFrame(draws.T, [f"c{n:04}" for n in range(len(draws))]).with_columns(requests)
    d = wide.unpivot(index="query_id", variable_name="run_a", value_name="preference")
    return d.with_columns(run_b=pl.lit("old"), measure=pl.lit(measure))


@pytest.mark.parametrize("p, outcome", [(0.03, "fail"), (0.049, "fail"), (0.06, "undecided")])
def test_a_gate_fails_at_alpha(p, outcome):
    """One-sided, as SciPy tests it: not at half of alpha."""
    noise = np.random.default_rng(0).normal(size=30) * 0.05
    noise -= noise.mean()
    worse = stats.t.ppf(p, 29) * noise.std(ddof=1) / np.sqrt(30)  # below the margin by this
    x = noise - 0.01 + worse
    expected = stats.ttest_1samp(x, -0.01, alternative="less").pvalue
    assert expected == pytest.approx(p)
    table = lf.gate(scores_of(x), 0.01, baseline="old", candidate="new")
    assert table["outcome"].to_list() == [outcome]


def test_equivalence_asks_which_way_an_unknown_measure_is_better():
    s = scores_of(np.array([0.01, 0.02, -0.01, 0.03]), "effort")
    with pytest.warns(lf.LexiframeWarning, match="larger values count as better.*effort"):
        lf.equivalence(s, 0.1)
    better = lf.equivalence(s, 0.001, smaller_is_better="effort", baseline="old")
    worse = lf.equivalence(s, 0.001, larger_is_better="effort", baseline="old")
    assert (better["mean_difference"] == -worse["mean_difference"]).all()
    with pytest.warns(lf.LexiframeWarning, match="larger values count as better.*effort"):
        lf.evaluate_scores(s)


def test_what_a_gate_says_of_gaps_and_of_rows_without_a_run():
    s = scores_of(np.linspace(-0.1, 0.1, 9))
    gap = s.filter((pl.col("run") != "new") | (pl.col("query_id") != s["query_id"][0]))
    with pytest.raises(lf.LexiframeError, match="gate: expected scores of both runs, found that 1"):
        lf.gate(gap, 0.02, **TWO)
    nameless = s.with_columns(run=pl.when(pl.col("value") != s["value"][3]).then("run"))
    with pytest.raises(lf.SchemaError, match="gate: expected a run in each row of the column run"):
        lf.gate(nameless, 0.02, **TWO)


def test_the_whole_table_prints_its_sentences_and_a_part_prints_as_a_frame():
    folder = lf.bundled("digits")
    runs = [folder / f"runs/{name}.parquet" for name in ("pixels_euclidean", "pca16_cosine")]
    s = lf.scores(lf.positions(runs, folder / "qrels.parquet"), ["AP", "nDCG@10"])
    g = lf.gate(s, 0.02, baseline="pixels_euclidean", candidate="pca16_cosine")
    assert str(g).startswith("UNDECIDED: nDCG@10 does not show whether pca16_cosine is worse than")
    assert "undecided" in g._repr_html_()
    for part in (g.head(1), g[["measure", "outcome"]], g.filter(measure="AP"), g.clear(2)):
        assert str(part).startswith("shape: (")
    assert pl.DataFrame(g).equals(g)
