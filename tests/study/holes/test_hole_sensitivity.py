"""Drawn grades of unjudged documents: the draws are recomputed one by one, and promises counted."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.sums.moments import Moments
from lexiframe.core.base.sums.tolerance import rounding
from lexiframe.core.pairwise.compared_runs import parse_measures
from lexiframe.core.projection.policies import Policies
from lexiframe.study.holes.draws import Drawn, Means, means_of_draws
from lexiframe.study.holes.intervals import Interval, least_factor, range_of_values
from lexiframe.study.holes.items import ABSENT, pool_of
from lexiframe.study.holes.model import Evidence, drawn_grades, fit
from lexiframe.study.holes.sensitivity import hole_sensitivity
from lexiframe.study.holes.tables import Conditions, pairs_table, values_table
from tests.benchmarks import holes

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)"]


@pytest.fixture(scope="module")
def collection():
    """Runs, all grades, and the grades of what four of six runs have in their top 6."""
    runs, qrels = lf.simulate_collection(
        requests=12, runs=6, depth=30, relevant=8, grades={1: 0.7, 2: 0.3}, pool_depth=30, seed=3
    )
    runs, qrels = pl.DataFrame(runs), pl.DataFrame(qrels)
    names = runs["run"].unique().sort()
    rank = pl.col("score").rank("ordinal", descending=True).over("run", "query_id")
    pooled = runs.filter(pl.col("run").is_in(names.head(4).implode()) & (rank <= 6))
    return runs, qrels, qrels.join(pooled, on=["query_id", "doc_id"], how="semi")


@pytest.fixture(scope="module")
def found(collection):
    runs, _, qrels = collection
    return hole_sensitivity(runs, qrels, [*MEASURES, "RPP"], samples=40)


@pytest.mark.slow
def test_a_draw_is_what_evaluate_finds_with_the_drawn_grades(collection):
    """To the last bit, also for measures that count judged documents that are not relevant."""
    runs, _, qrels = collection
    asked = parse_measures("AP nDCG@10 bpref RPP LR TSE(AP)")
    pool = pool_of(runs, qrels, Policies(), 10)
    evidence = Evidence.collect(pool, pool.is_judged)
    unjudged, model = evidence.only(~evidence.is_judged), fit(evidence)
    rng = np.random.default_rng(1)
    probability = model.draw(unjudged, 3, rng)
    grades = drawn_grades(pool, probability, unjudged.item, pool.is_judged, rng)
    grades = np.vstack([np.full(len(unjudged.item), ABSENT), grades])
    drawn = Drawn(pool, pool.grade, unjudged.item, grades, range(6))
    (means,) = means_of_draws(drawn, asked, [np.arange(12)], "", pairs=True)
    for number, of_draw in enumerate(grades):
        items = pool.ranked.judged.items[unjudged.item].select("query_id", "doc_id")
        added = items.with_columns(relevance=pl.Series(of_draw)).filter(pl.col("relevance") >= 0)
        both = pl.concat([qrels.select(*added.columns), added])
        e = lf.evaluate(runs, both, [str(measure) for measure in asked])
        for name, moments in means.runs.items():
            theirs = e.means.filter(measure=name).sort("run")["mean"].to_list()
            assert moments.mean.reshape(-1, 6)[number].tolist() == theirs
        for name, moments in means.pairs.items():
            theirs = e.comparisons.filter(measure=name).sort("run_a", "run_b")["mean_difference"]
            assert moments.mean.reshape(-1, 15)[number].tolist() == theirs.to_list()


@pytest.mark.slow
def test_values_without_holes_and_conclusions_are_those_of_evaluate(collection, found):
    runs, _, qrels = collection
    e = lf.evaluate(runs, qrels, [*MEASURES, "RPP"], order="mean", test=["t", "sign"])
    means = e.means.filter(pl.col("measure") != "RPP").sort("run", "measure")
    ours = found.values.filter(pl.col("measure") != "RPP")
    assert ours.select("run", "measure", "value").equals(
        means.select("run", "measure", value="mean")
    )
    order = e.orderings.filter(measure="RPP").sort("run")
    rpp = found.values.filter(measure="RPP")
    assert rpp["rank"].to_list() == order["rank"].to_list()
    assert rpp["value"].to_list() == pytest.approx(order["value"].to_list(), abs=1e-12)
    ours = found.pairs.select("measure", "run_a", "run_b", "n", "mean_preference", "reject")
    by_sign = pl.col("measure").is_in(["LR", "LP"])
    is_chosen = (pl.col("test") == "sign") == by_sign
    theirs = e.comparisons.filter(is_chosen).select(
        "measure", "run_a", "run_b", "n", pl.col("mean_difference").alias("mean_preference"),
        "reject",
    )  # fmt: skip
    assert ours.equals(theirs.sort("measure", "run_a", "run_b"))


def test_intervals_lie_between_their_bounds_and_shares_between_0_and_1(found):
    values = found.values.filter(pl.col("measure").is_in(["P@10", "RBP"]))
    assert values.height == 12  # of these measures all holes relevant is best
    inside = (pl.col("draws_low") >= pl.col("naive_low") - 1e-12) & (
        pl.col("draws_high") <= pl.col("naive_high") + 1e-12
    )
    assert values.select(inside.all()).item()
    for table in (found.values, found.pairs):
        wider = (pl.col("ci_low") <= pl.col("draws_low")) & (
            pl.col("ci_high") >= pl.col("draws_high")
        )
        assert table.select(wider.all(), (pl.col("factor") >= 1).all()).row(0) == (True, True)
    shares = pl.col("share", "share_widened", "share_reject").is_between(0, 1).all()
    assert found.pairs.select(shares).row(0) == (True, True, True)
    assert (found.values["holes"] > 0).all()
    assert (found.values["rank_low"] <= found.values["rank_high"]).all()


def test_without_holes_nothing_can_change(collection):
    runs, qrels, _ = collection
    found = hole_sensitivity(runs, qrels, ["AP", "LR"], samples=5)
    assert found.values["holes"].to_list() == [0] * 12
    for ends in (("ci_low", "ci_high"), ("draws_low", "draws_high"), ("naive_low", "naive_high")):
        for end in (*ends, "mean"):
            assert found.values[end].to_list() == found.values["value"].to_list()
    assert found.pairs["share"].to_list() == found.pairs["share_widened"].to_list() == [1.0] * 30
    assert found.calibration["inside"].any()


def tiny(judged, *, runs=2):
    """Two runs of one request: a finds d1 to d4, b finds e1 to e4 and then d1."""
    tops = {"a": "d1 d2 d3 d4", "b": "e1 e2 e3 e4 d1"}
    rows = [
        (run, query, doc, -float(rank))
        for run, top in list(tops.items())[:runs]
        for query in ("q1", "q2")
        for rank, doc in enumerate(top.split())
    ]
    table = pl.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")
    types = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64}
    return table, pl.DataFrame(judged, schema=types, orient="row")


def test_all_documents_of_a_request_may_be_holes():
    """Nothing that q2's runs found is judged, and its one judged document is relevant."""
    runs, qrels = tiny([("q1", "d1", 1), ("q1", "d2", 0), ("q1", "e1", 1), ("q2", "x", 1)])
    found = hole_sensitivity(runs, qrels, ["AP", "P@10"], samples=50)
    assert found.values["holes"].to_list() == [6, 6, 8, 8]
    assert (found.values["ci_high"] > found.values["value"]).all()


def test_one_run_has_values_and_no_pairs():
    runs, qrels = tiny([("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 1)], runs=1)
    found = hole_sensitivity(runs, qrels, "AP", samples=9)
    assert found.values.select("run", "holes", "rank").rows() == [("a", 5, 1.0)]
    assert found.pairs.height == found.calibration.height == 0


def test_a_run_that_finds_nothing_has_no_holes_and_stays_last():
    runs, qrels = tiny([("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 1)])
    nothing = pl.DataFrame({"run": "z", "query_id": ["q9"], "doc_id": ["far"], "score": [1.0]})
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        found = hole_sensitivity(pl.concat([runs, nothing]), qrels, "AP", samples=20)
    z = found.values.filter(run="z").row(0, named=True)
    assert (z["holes"], z["value"], z["ci_low"], z["ci_high"]) == (0, 0.0, 0.0, 0.0)


def test_groups_have_the_values_of_their_requests(collection, found):
    runs, _, qrels = collection
    queries = qrels["query_id"].unique().sort()
    kinds = pl.DataFrame({"query_id": queries, "kind": ["x", "y"] * 6})
    grouped = hole_sensitivity(runs, qrels, "AP", samples=40, requests=kinds, by="kind")
    for table in (grouped.values, grouped.pairs, grouped.calibration):
        assert table.columns[0] == "kind"
        assert table["kind"].unique().sort().to_list() == ["x", "y"]
    both = grouped.values.group_by("run").agg(pl.col("value", "mean").mean()).sort("run")
    whole = found.values.filter(measure="AP")
    assert both["value"].to_list() == pytest.approx(whole["value"].to_list(), abs=1e-12)
    with pytest.raises(lf.UnknownNameError, match="knd"):
        hole_sensitivity(runs, qrels, "AP", requests=kinds, by="knd")


def test_what_cannot_be_used_is_refused(collection):
    runs, _, qrels = collection
    with pytest.raises(lf.LexiframeError, match="needs subtopics, which drawn grades do not"):
        hole_sensitivity(runs, qrels, "alpha_nDCG@10")
    with pytest.raises(lf.LexiframeError, match="hole_sensitivity: expected depth to be a whole"):
        hole_sensitivity(runs, qrels, "AP", depth=0)
    with pytest.raises(lf.LexiframeError, match="expected samples to be a whole number from 1"):
        hole_sensitivity(runs, qrels, "AP", samples=0)
    with pytest.raises(lf.LexiframeError, match="expected alpha between 0 and 1"):
        hole_sensitivity(runs, qrels, "AP", alpha=1)
    with pytest.raises(lf.LexiframeError, match="expected judged documents in the top 3 of some"):
        hole_sensitivity(*tiny([("q1", "d4", 1), ("q2", "d4", 1)]), "AP", depth=3)


def test_an_interval_is_widened_until_it_holds_a_value():
    draws = np.random.default_rng(0).exponential(size=(400, 3))
    interval = Interval.around_draws(draws, alpha=0.1)
    assert interval.low == pytest.approx(np.quantile(draws, 0.05, axis=0))
    value = np.array([interval.high[0] + 1, interval.low[1] - 0.5, draws[:, 2].mean()])
    factor = interval.needed(value)
    assert factor[2] == 1
    low, high = interval.widened(factor)
    assert (high[0], low[1]) == pytest.approx((value[0], value[1]))
    assert least_factor(np.array([1.0, np.inf, 2.0]), 0.95) == 2.0
    assert least_factor(np.array([]), 0.95) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["P@10", "RBP", "RR", "Success@3", "AP", "RPP"])
def test_widened_intervals_hold_only_what_is_possible(collection, measure):
    """Whatever the factor is; of AP and preferences only the common range is known."""
    runs, qrels, _ = collection
    known = qrels.filter(pl.int_range(pl.len()).over("query_id") % 3 < 2)
    pool = pool_of(runs, known, Policies(), 10)
    (asked,) = parse_measures(measure)
    top = np.full(len(pool.holes), pool.grade.max())
    some = np.where(np.arange(len(top)) % 4 == np.arange(9)[:, None] % 4, top, ABSENT)
    grades = np.vstack([pool.grade[pool.holes], top, some])
    drawn = Drawn(pool, pool.grade, pool.holes, grades, range(6))
    (means,) = means_of_draws(drawn, [asked], [np.arange(12)], "", pairs=True)
    found = Conditions(pool, [asked], 0.05, 1e6, np.arange(12), means)
    values, pairs = values_table(found), pairs_table(found)
    assert (pairs["ci_low"].min(), pairs["ci_high"].max()) == (-1, 1)
    rises = measure not in ("AP", "RPP")
    assert values.select((pl.col("ci_low") == pl.col("naive_low")).all()).item() is rises
    assert values.select((pl.col("ci_high") == pl.col("naive_high")).all()).item() is rises
    assert values["ci_low"].min() >= (-1 if measure == "RPP" else 0)
    assert values["ci_high"].max() <= 1


def test_a_hole_that_adds_a_request_may_lower_the_mean():
    """Run a has P@2 = 1 in the first request; a second one counts once a hole is relevant."""
    metric = parse_measures("P@2")[0]
    ends, n = np.array([[1.0], [0.5]]), np.array([[1], [2]])
    assert [end.tolist() for end in range_of_values(metric, ends, n)] == [[0.0], [1.0]]
    assert [end.tolist() for end in range_of_values(metric, ends[::-1], n * 0 + 2)] == [[0.5], [1]]
    for name, least, most in (("DCG", 0, np.inf), ("gm_map", -np.inf, 0), ("AP", 0, 1)):
        (metric,) = parse_measures(name)
        assert [*range_of_values(metric, ends, n)] == [least, most]


def test_calibrated_intervals_hold_only_what_is_possible(collection):
    """Two draws make narrow intervals, which need to be widened."""
    table = hole_sensitivity(*collection[::2], MEASURES, samples=2).calibration
    assert table["factor"].max() > 2
    rising = table.filter(pl.col("measure").is_in(["P@10", "RBP"]))
    for rows, low, high in ((table, 0, 1), (rising, pl.col("naive_low"), pl.col("naive_high"))):
        inside = (pl.col("ci_low") >= low) & (pl.col("ci_high") <= high)
        assert rows.select(inside.all()).item()
    held = (pl.col("ci_low") <= pl.col("value") + 1e-12) & (
        pl.col("ci_high") >= pl.col("value") - 1e-12
    )
    assert table.select((held == pl.col("inside")).all()).item()
    # the run whose own interval misses most is not helped by itself: its factor is the others'
    missed = table.filter(~pl.col("inside"))["run"].unique().to_list()
    assert len(missed) == 1
    factors = table.group_by("run").agg(pl.col("factor").first()).sort("factor")["run"].to_list()
    assert factors[0] == missed[0]


def test_it_prints_what_to_look_at_first_and_writes_its_tables(found, tmp_path):
    titles = [*found.sections()]
    assert [title[:6] for title in titles] == ["Values", "Pairs ", "Share "]
    n_open = found.pairs.filter(
        pl.col("mean_preference") != 0, pl.col("share_widened") < 0.95
    ).height
    assert titles[1].endswith(f"of the draws: {n_open} of 75")
    assert found.sections()[titles[1]].height == n_open > 0
    kept = found.sections()[titles[2]]
    assert kept["measure"].to_list() == sorted([*MEASURES[:3], "RBP"])
    shares = found.calibration.group_by("measure").agg(pl.col("inside").mean()).sort("measure")
    assert kept["after"].to_list() == shares["inside"].round(4).to_list()
    whole = " ".join(str(found.summary("all")).split())
    assert all(title in whole for title in titles)
    said = found.verdict["sentence"].to_list()
    first = " ".join(repr(found).split())
    assert first.startswith(" ".join([*said, titles[0]]))
    assert "2 more tables" in first
    assert titles[1] not in first
    assert all(len(line) <= 80 for line in repr(found).splitlines())
    assert f"<h3>{titles[0]}</h3>" in found._repr_html_()
    written = found.write(tmp_path / "holes")
    assert [path.stem for path in written] == ["values", "pairs", "calibration"]
    for path, table in zip(written, found.tables().values(), strict=True):
        assert pl.read_parquet(path).equals(table)


def test_rates_leave_a_document_out_of_its_own():
    """Both runs find d1 and e1; alone, a finds d2 (not relevant) and b e2 (not judged)."""
    rows = [("a", "d1"), ("a", "e1"), ("a", "d2"), ("b", "e1"), ("b", "d1"), ("b", "e2")]
    runs = pl.DataFrame(
        [(run, "q", doc, -float(n)) for n, (run, doc) in enumerate(rows)],
        schema=["run", "query_id", "doc_id", "score"],
        orient="row",
    )
    qrels = pl.DataFrame(
        {"query_id": "q", "doc_id": ["d1", "d2", "e1"], "relevance": [1.0, 0.0, 0.0]}
    )
    pool = pool_of(runs, qrels, Policies(), 10)
    evidence = Evidence.collect(pool, pool.is_judged)
    documents = pool.ranked.judged.items["doc_id"].gather(evidence.item).to_list()
    assert documents == ["d1", "d2", "e1", "e2"]
    assert evidence.alone.tolist() == [-1, 0, -1, 1]
    assert np.exp(evidence.known[:, 0]).round(9).tolist() == [1, 3, 1, 3]
    assert np.exp(evidence.known[:, 1]).round(9).tolist() == [2, 1, 2, 1]
    # Of a's documents that b has too, one of two is relevant; five more at the common 3/6.
    share = 1 / (1 + np.exp(-evidence.known[:, 3]))
    assert share == pytest.approx([(0 + 2.5) / 6, (1 + 2.5) / 7, (1 + 2.5) / 6, (1 + 2.5) / 7])


def test_coefficients_are_those_of_a_logistic_regression():
    """With effects of no variance, against statsmodels, with the same penalty."""
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    n, columns = 4000, 5
    known = rng.normal(size=(n, columns))
    y = rng.random(n) < 1 / (1 + np.exp(1 - known @ [1.0, -0.5, 0.0, 0.3, 0.0]))
    evidence = Evidence(
        np.arange(n), known, np.full(n, -1), np.sort(rng.integers(0, 40, n)), y,
        np.full(n, True), 3, 40,
    )  # fmt: skip
    found = fit(evidence)
    scaled = (known - known.mean(axis=0)) / known.std(axis=0)
    theirs = api.Logit(y, api.add_constant(scaled)).fit(disp=0).params
    assert found.coefficients[:6] == pytest.approx(theirs, abs=0.02)
    assert found.variances[0] < 0.15
    assert found.variances[1] == pytest.approx(1.0, abs=0.05)  # nothing was learnt of the runs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:requests without a relevant item")
def test_intervals_hold_what_is_known_of_simulated_collections():
    """Four of eight runs are pooled; the grades of all documents are known."""
    inside = []
    for seed in range(5):
        runs, qrels = lf.simulate_collection(
            requests=20, runs=8, depth=40, relevant=8, pool_depth=40, seed=seed
        )
        runs, qrels = pl.DataFrame(runs), pl.DataFrame(qrels)
        rank = pl.col("score").rank("ordinal", descending=True).over("run", "query_id")
        top = runs.filter(rank <= 10)
        pooled = top.filter(pl.col("run").is_in(["run1", "run3", "run5", "run7"]))
        judged = qrels.join(pooled, on=["query_id", "doc_id"], how="semi")
        found = hole_sensitivity(runs, judged, MEASURES, samples=100, seed=seed)
        complete = qrels.join(top, on=["query_id", "doc_id"], how="semi")
        truth = lf.scores(lf.positions(runs, complete), MEASURES)
        truth = truth.group_by("run", "measure").agg(truth=pl.col("value").mean())
        both = found.values.join(truth, on=["run", "measure"])
        assert both.height == 32
        inside.append(
            both.filter(pl.col("holes") > 0).select(
                pl.col("truth").is_between(pl.col("ci_low") - 1e-9, pl.col("ci_high") + 1e-9)
            )
        )
        narrower = (pl.col("draws_high") - pl.col("draws_low")).mean() < (
            (pl.col("naive_high") - pl.col("naive_low")).mean()
        )
        assert both.filter(measure="RBP").select(narrower).item()
    assert pl.concat(inside).to_series().mean() >= 0.9


@pytest.mark.parametrize("name", holes.COLLECTIONS)
def test_values_with_all_judgments_lie_inside_on_real_collections(shared, name):
    """At least 0.9 of runs × measures, with intervals much narrower than from none to all.

    Shares by position and number of runs hold far fewer; `tests/benchmarks/holes.py` prints both.
    """
    pool = holes.read(name, shared / "data")
    table = holes.calibration(pool)
    assert set(table["measure"]) == {"AP", "nDCG@10", "P@10", "RBP"}
    assert table.height == 4 * {"trec_robust_2003": 9, "trec_dl_2019_passage": 32}.get(name, 16)
    assert table["inside"].mean() >= 0.9
    assert table["inside_before"].mean() >= 0.9
    found = holes.summary(table, holes.shares(pool))
    assert (found["width_after"] < 0.8 * found["width_naive"]).all()
    assert found["inside_shares"].mean() < found["inside"].mean()
    if name == "trec_robust_2003":  # as SPEC §10 says
        assert found.filter(measure="AP")["inside_shares"].item() == pytest.approx(3 / 9)


def pair(measure, better, share, **more):
    """A row of pairs: `better` is one of the runs a and b, or None for a tie."""
    sign = {"a": 1.0, "b": -1.0, None: 0.0}[better]
    row = {
        "measure": measure, "run_a": "a", "run_b": "b", "n": 9, "mean_preference": sign,
        "mean": sign, "ci_low": sign - 1, "ci_high": sign + 1, "draws_low": sign - 1,
        "draws_high": sign + 1, "factor": 1.0, "share": share, "share_widened": share,
        "reject": False, "share_reject": 0.0,
    }  # fmt: skip
    return row | more


def said(*rows):
    return lf.verdict(pl.DataFrame(rows))["sentence"].to_list()


def test_sentences_name_the_pairs_whose_order_could_change():
    (sentence,) = said(pair("AP", "b", 0.6))
    assert sentence == (
        "By AP, unjudged documents could change the order of the one pair of runs: b over a "
        "(60 % of the draws keep this)."
    )
    (sentence,) = said(pair("AP", "a", 1.0, reject=True, share_reject=0.4))
    assert sentence == (
        "By AP, unjudged documents are unlikely to change the order of the one pair of runs; "
        "the one difference that is significant now could cease to be so."
    )
    three = [
        pair("RPP", "a", 0.99, reject=True, share_reject=1.0),
        pair("RPP", "b", 0.9, run_b="c", reject=True, share_reject=0.2),
        pair("RPP", None, 0.0, run_a="b", run_b="c"),
    ]
    (sentence,) = said(*three)
    assert sentence == (
        "By RPP, unjudged documents could change the order of 1 of the 3 pairs of runs: c over a "
        "(90 % of the draws keep this); of the 2 differences that are significant now, 1 could "
        "cease to be so."
    )
    sure = [row | {"share_widened": 1.0, "share_reject": 1.0} for row in three]
    (sentence,) = said(*sure)
    assert sentence.startswith("By RPP, unjudged documents are unlikely to change the order of any")
    assert sentence.endswith("; the 2 differences that are significant now are likely to stay so.")


def test_sentences_name_the_groups():
    table = pl.DataFrame([pair("AP", "a", 1.0), pair("AP", "b", 0.5)])
    table = table.insert_column(0, pl.Series("kind", ["x", None]))
    found = lf.verdict(table)
    assert found.columns == ["kind", "measure", "n_pairs", "n_open", "sentence"]
    assert found["n_open"].to_list() == [0, 1]
    assert [s.partition(",")[0] for s in found["sentence"]] == [
        "By AP for kind = x", "By AP for no kind"
    ]  # fmt: skip


def test_shares_count_the_draws_that_keep_sign_and_conclusion():
    """Draws: a is significantly better; b is; all tie; a is better, not significantly (SciPy)."""
    stats = pytest.importorskip("scipy.stats")
    up, noisy = np.array([0.3, 0.2, 0.4, 0.3]), np.array([0.9, -0.3, 0.2, -0.1])
    assert stats.ttest_1samp(up, 0).pvalue < 0.05 < stats.ttest_1samp(noisy, 0).pvalue
    drawn = np.stack([up, up, up, -up, 0 * up, noisy], axis=1)
    moments = Moments.add_up(drawn, rounding(drawn))
    pool = pool_of(*tiny([("q1", "d1", 1), ("q2", "d1", 1)]), Policies(), 3)
    asked = parse_measures("RPP")
    condition = Conditions(pool, asked, 0.05, 1.0, np.arange(2), Means({}, {"RPP": moments}))
    (row,) = pairs_table(condition).rows(named=True)
    assert (row["mean_preference"], row["n"], row["reject"]) == (pytest.approx(0.3), 4, True)
    assert (row["share"], row["share_widened"], row["share_reject"]) == (0.5, 0.5, 0.25)
    assert row["mean"] == pytest.approx(drawn[:, 2:].mean())
    values = values_table(condition)
    assert values["value"].to_list() == pytest.approx([0.3, -0.3])
    assert values.select("rank", "rank_low", "rank_high").rows()[0] == pytest.approx((1, 1, 1.9625))


@pytest.mark.slow
def test_the_verdict_on_what_has_several_tables(found):
    assert lf.verdict(found).equals(lf.verdict(found.pairs))
    folder = lf.bundled("digits")
    judges = {name: folder / f"judges/{name}.parquet" for name in ("people", "classifier")}
    runs = [folder / f"runs/{run}.parquet" for run in ("pixels_euclidean", "pca2_euclidean")]
    compared = lf.compare_judges(runs, judges, "P@10", samples=9)
    assert lf.verdict(compared).equals(compared.verdict)
    with pytest.raises(lf.LexiframeError, match="which to be one of 'first', 'all', found 'some'"):
        found.summary("some")
