"""The same numbers as pytrec_eval, ir_measures, SciPy and statsmodels, asked for in their words."""

import gzip
import io
import math
import warnings
from itertools import combinations
from pathlib import Path

import ir_measures
import numpy as np
import polars as pl
import pytest
import pytrec_eval
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

import lexiframe as lf
from tests.parity.reference import assert_same_rows

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

KEY = ["run", "query_id", "measure"]
AT_MOST = 4  # runs of a data set: the peers take a second for each


# --- Metrics ------------------------------------------------------------------------------------


@pytest.fixture(
    scope="module",
    params=[
        "example",
        pytest.param("trec_robust_2003", marks=pytest.mark.conformance),  # heavy ties
        pytest.param("trec_web_2012", marks=pytest.mark.conformance),  # grades −2 to 4
    ],
)
def collection(request):
    """Paths of runs and qrels."""
    if request.param == "example":
        folder = lf.bundled("example")
        return sorted((folder / "runs").iterdir()), folder / "qrels.txt"
    folder = request.getfixturevalue("shared") / "data" / request.param
    return sorted((folder / "runs").iterdir())[:AT_MOST], folder / "qrels.trec"


@pytest.fixture(scope="module")
def parsed(collection):
    """The same as dicts, parsed by pytrec_eval."""
    runs, qrels = collection
    judgments = pytrec_eval.parse_qrel(text(qrels))
    return {run_name(path): pytrec_eval.parse_run(text(path)) for path in runs}, judgments


@pytest.fixture(scope="module")
def positions(collection):
    """Both peers hold scores as single floats."""
    with warnings.catch_warnings(action="ignore"):
        return lf.positions(*collection, score_type="float32", no_relevant="zero")


def run_name(path: Path) -> str:
    return path.name.split(".trec")[0].split(".run")[0]


def text(path: Path) -> io.StringIO:
    data = path.read_bytes()
    return io.StringIO((gzip.decompress(data) if path.suffix == ".gz" else data).decode())


def assert_same_scores(positions, rows, judgments):
    """Rows are (run, query, measure in the peer's words, value), for the queries a run answers."""
    theirs = pl.DataFrame(rows, schema=[*KEY, "value"], orient="row")
    names = {name: str(lf.parse_measure(name)) for name in theirs["measure"].unique()}
    theirs = theirs.with_columns(pl.col("measure").replace_strict(names))
    every = pl.DataFrame({"run": positions["run"].unique()}).join(
        pl.DataFrame({"query_id": list(judgments)}).join(
            pl.DataFrame({"measure": list(names.values())}), how="cross"
        ),
        how="cross",
    )
    ours = every.join(lf.scores(positions, list(names.values())), on=KEY, how="left")
    theirs = every.join(theirs, on=KEY, how="left")
    # They leave unanswered queries out; so do we, with `rel`, queries without such an item.
    no_gaps = [table.with_columns(pl.col("value").fill_null(0.0)) for table in (ours, theirs)]
    assert_same_rows(*no_gaps, KEY, "value", relative=1e-12)
    assert ours["value"].null_count() < ours.height / 2


def test_pytrec_eval(positions, parsed):
    runs, judgments = parsed
    asked = {"map", "map_cut", "ndcg", "ndcg_cut", "recip_rank", "Rprec", "P", "recall"}
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, asked)
    rows = [
        (name, query_id, measure, value)
        for name, run in runs.items()
        for query_id, values in evaluator.evaluate(run).items()
        for measure, value in values.items()
    ]
    assert len({measure for _, _, measure, _ in rows}) == 4 + 4 * 9
    assert_same_scores(positions, rows, judgments)


def test_ir_measures(positions, parsed):
    runs, judgments = parsed
    AP, RR, P, R, nDCG = (getattr(ir_measures, name) for name in "AP RR P R nDCG".split())
    measures = [AP, AP @ 10, RR, ir_measures.Rprec, P @ 5, R @ 100, nDCG, nDCG @ 10]
    if any(grade >= 2 for grades in judgments.values() for grade in grades.values()):
        measures += [AP(rel=2), RR(rel=2), P(rel=2) @ 5]
    rows = [
        (name, row.query_id, str(row.measure), row.value)
        for name, run in runs.items()
        for row in ir_measures.iter_calc(measures, judgments, run)
    ]
    assert {measure for _, _, measure, _ in rows} == set(map(str, measures))
    assert_same_scores(positions, rows, judgments)


# --- Tests and correlations ---------------------------------------------------------------------


def matrix_scores(shared, name, measure):
    """One of the matrices requests × runs of TREC's tracks, as a scores table."""
    matrix = pl.read_csv(shared / "data" / "trec_score_matrices" / f"{name}.csv")
    wide = matrix.with_row_index("query_id").cast({"query_id": pl.String})
    return wide.unpivot(index="query_id", variable_name="run").with_columns(
        pl.col("value").cast(pl.Float64), measure=pl.lit(measure)
    )


@pytest.fixture(
    scope="module",
    params=[
        "example",
        pytest.param("adhoc5_ap", marks=pytest.mark.conformance),
        pytest.param("web2010_ndcg20", marks=pytest.mark.conformance),
    ],
)
def scores(request):
    """A scores table of one measure."""
    if request.param == "example":
        folder = lf.bundled("example")
        return lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "AP")
    return matrix_scores(request.getfixturevalue("shared"), request.param, "AP")


def pairs_of(scores):
    """Names a and b of every pair, and their scores as requests × pairs."""
    wide = scores.sort("run").pivot("run", index="query_id", values="value").drop("query_id")
    a, b = map(list, zip(*combinations(wide.columns, 2), strict=True))
    matrix = wide.to_numpy()
    of = {run: matrix[:, n] for n, run in enumerate(wide.columns)}
    return a, b, np.stack([of[run] for run in a], axis=1), np.stack([of[run] for run in b], axis=1)


def test_paired_t_test_is_scipys(scores):
    c = lf.compare(scores, "t", "none", alpha=0.1, intervals="t")
    a, b, values_a, values_b = pairs_of(scores)
    assert c.select("run_a", "run_b").rows() == list(zip(a, b, strict=True))
    with warnings.catch_warnings(action="ignore"):  # of pairs of runs that are the same
        theirs = stats.ttest_rel(values_a, values_b)
        interval = theirs.confidence_interval(0.9)
    differ = (values_a != values_b).any(axis=0)
    expected = {
        "statistic": theirs.statistic,
        "p_value": theirs.pvalue,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "mean_difference": (values_a - values_b).mean(axis=0),
        "effect_size": theirs.statistic / np.sqrt(len(values_a)),
    }
    for column, values in expected.items():
        ours = c[column].to_numpy()[differ]
        np.testing.assert_allclose(ours, values[differ], rtol=1e-9, atol=1e-12, err_msg=column)
    assert c.filter(~pl.Series(differ))["p_value"].to_list() == [1.0] * int((~differ).sum())


def test_sign_test_is_scipys(scores):
    some = scores.filter(pl.col("run").is_in(scores["run"].unique().sort().head(25)))
    c = lf.compare(some, "sign", "none")
    *_, values_a, values_b = pairs_of(some)
    wins, losses = (values_a > values_b).sum(axis=0), (values_a < values_b).sum(axis=0)
    theirs = [
        stats.binomtest(int(w), int(w + n)).pvalue if w + n else 1.0
        for w, n in zip(wins, losses, strict=True)
    ]
    np.testing.assert_allclose(c["p_value"], theirs, rtol=1e-9)
    assert c["statistic"].to_list() == wins.tolist()


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_wilcoxons_test_is_scipys(scores, alternative):
    """Of the differences rounded to 12 decimals: values of one size share a rank."""
    some = scores.filter(pl.col("run").is_in(scores["run"].unique().sort().head(20)))
    c = lf.compare(some, "wilcoxon", "none", alternative=alternative)
    *_, values_a, values_b = pairs_of(some)
    differences = np.round(values_a - values_b, 12).T
    few = {"method": stats.PermutationMethod()} if len(values_a) <= 13 else {}
    theirs = [
        stats.wilcoxon(d, alternative=alternative, **few) if d.any() else None for d in differences
    ]
    p_values = [of.pvalue if of else 1.0 for of in theirs]
    np.testing.assert_allclose(c["p_value"], p_values, rtol=1e-9)
    statistics = [of.statistic if of else 0.0 for of in theirs]
    np.testing.assert_allclose(c["statistic"], statistics, rtol=1e-12)


@pytest.mark.conformance
@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@pytest.mark.parametrize("family", ["measure", "all"])
def test_corrections_are_statsmodels(shared, correction, family):
    tables = [matrix_scores(shared, f"adhoc7_{name}", name) for name in ("ap", "rr")]
    c = lf.compare(pl.concat(tables), "t", correction, family=family)
    assert c.height == 2 * 103 * 102 // 2
    families = [c] if family == "all" else c.partition_by("measure", maintain_order=True)
    for rows in families:
        reject, adjusted, *_ = multipletests(rows["p_value"], alpha=0.05, method=correction)
        np.testing.assert_allclose(rows["p_adjusted"], adjusted, rtol=1e-12)
        assert rows["reject"].to_list() == reject.tolist()
        assert 0 < sum(reject) < len(reject)


@pytest.mark.conformance
@pytest.mark.parametrize("method", ["mean", "win_rate", "borda", "copeland"])
def test_kendalls_tau_is_scipys(shared, method):
    tables = [matrix_scores(shared, f"adhoc7_{name}", name) for name in ("ap", "rr")]
    o = lf.order_runs(pl.concat(tables), method)
    row = lf.rank_correlations(o).row(0, named=True)
    ap, rr = (o.filter(measure=name).sort("run")["value"].round(9) for name in ("ap", "rr"))
    theirs = stats.kendalltau(ap, rr)
    assert row == {
        "method": "kendall",
        "ordering_a": "ap",
        "ordering_b": "rr",
        "correlation": pytest.approx(theirs.statistic, rel=1e-12),
        "p_value": pytest.approx(theirs.pvalue, rel=1e-9),
        "n": 103,
    }
    assert 0.5 < row["correlation"] < 0.9


def test_sizes_and_power_are_statsmodels(scores):
    some = scores.filter(pl.col("run").is_in(scores["run"].unique().sort().head(8)))
    found = lf.required_requests(some, power=0.9, alpha=0.01, how="t")
    curve = lf.power_curve(some, [30], alpha=0.01, how="t")
    looked_at = 0
    for row, at_30 in zip(found.rows(named=True), curve["power"], strict=True):
        effect, test = row["effect_size"], TTestPower()
        if effect is None or not 0.01 < abs(effect) < 2:
            continue
        looked_at += 1
        theirs = test.solve_power(effect, alpha=0.01, power=0.9)
        assert row["required"] == math.ceil(theirs)
        at_n = test.power(effect, row["n"], 0.01)
        assert [row["power_at_n"], at_30] == pytest.approx([at_n, test.power(effect, 30, 0.01)])
    assert looked_at
