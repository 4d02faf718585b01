"""What once gave a wrong number without a word."""

import json

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.orderings.rules import RULES

RUNS = pl.DataFrame(
    {
        "run": ["a"] * 3 + ["b"] * 3,
        "query_id": "q",
        "doc_id": ["x", "y", "z", "z", "y", "x"],
        "score": [3.0, 2.0, 1.0] * 2,
    }
)
QRELS = pl.DataFrame({"query_id": "q", "doc_id": ["x", "y"], "relevance": [1.0, 2.0]})
P = lf.positions(RUNS, QRELS)


def values(s):
    return dict(zip(s["run"], s["value"], strict=True))


def test_an_argument_with_a_default_is_not_given_m():
    n = 10
    with_default = lf.RecallLevelMetric("x", lambda p, n=n: 1 - p / n, lambda i, m: 1 / m)
    assert values(lf.scores(P, with_default)) == pytest.approx(values(lf.scores(P, lf.linear(n=n))))
    keyword = lf.RecallLevelMetric("y", lambda p, *, n=n: 1 - p / n, lambda i, m: 1 / m)
    assert values(lf.scores(P, keyword)) == pytest.approx(values(lf.scores(P, lf.linear(n=n))))


def test_a_weight_that_closes_over_what_changes():
    factor = 0.1
    mine = lf.LevelPreference("mine", weight=lambda i, m: factor**i)
    p = P.with_columns(position=pl.Series([1, 4, 2, 3]), level=pl.Series([1, 2] * 2))
    assert lf.preferences(p, mine(rel=1))["preference"].item() > 0
    factor = 10.0
    assert lf.preferences(p, mine(rel=1))["preference"].item() < 0


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_user_functions_that_give_no_number(value):
    for function in (lambda p: value, lambda p: pl.lit(value, pl.Float64)):
        if value is None and function(0) is None:
            continue
        metric = lf.RecallLevelMetric("mine", function, lambda i, m: 1 / m)
        with pytest.raises(lf.LexiframeError, match="mine: expected finite numbers"):
            lf.scores(P, metric)
        preference = lf.LexicographicPreference("mine", "precision", magnitude=function)
        with pytest.raises(lf.LexiframeError, match="mine: expected finite numbers"):
            lf.preferences(P, preference)


@pytest.mark.filterwarnings("ignore:rankings missing")
def test_a_run_that_retrieved_nothing_counts(tmp_path):
    frame = RUNS.filter(run="a").drop("run")
    frame.clear().write_parquet(tmp_path / "failed.parquet")
    for failed in (frame.clear(), tmp_path / "failed.parquet"):  # a filter that matched nothing
        with pytest.raises(
            lf.LexiframeError, match=r"found no rows of 1 \('failed'\); leave a run"
        ):
            lf.positions({"a": frame, "failed": failed}, QRELS)
    for failed in ({}, []):
        runs = {"a": frame, "failed": failed}
        with pytest.warns(lf.LexiframeWarning, match=r"without any row, .*: 1 \('failed'\); scan"):
            assert lf.read_runs(runs)["run"].unique().to_pylist() == ["a"]
        assert lf.coverage(runs, QRELS)["answered"].to_list() == [1, 0]
        assert values(lf.scores(lf.positions(runs, QRELS), "RR")) == {"a": 1.0, "failed": 0.0}


@pytest.mark.parametrize("first", [True, False])
def test_an_empty_dictionary_among_runs(first):
    found = {"q": {"x": 1.0}}
    runs = {"failed": {}, "a": found} if first else {"a": found, "failed": {}}
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 1"):
        assert lf.positions(runs, QRELS)["run"].unique(maintain_order=True)[-1] == "failed"
    with pytest.raises(lf.LexiframeError, match="qrels: expected judgments, found no rows"):
        lf.positions(found, {})


@pytest.mark.filterwarnings("ignore:runs without any row")
@pytest.mark.parametrize("names", [("failed", "bm25"), ("bm25", "failed")])
def test_an_empty_dictionary_beside_a_file(tmp_path, names):
    (tmp_path / "bm25.run").write_text("q Q0 x 1 2 t\n")
    for given in (tmp_path / "bm25.run", str(tmp_path / "bm25.run"), RUNS.filter(run="a")):
        runs = {"failed": {}, "bm25": given}
        assert lf.read_runs({name: runs[name] for name in names})["run"][0].as_py() == "bm25"


@pytest.mark.filterwarnings("ignore:positive grades below rel add nothing")
def test_requests_without_an_item_of_a_measure_s_own_grade():
    qrels = pl.concat([QRELS, QRELS[:1].with_columns(query_id=pl.lit("r"))])
    runs = pl.concat([RUNS, RUNS.with_columns(query_id=pl.lit("r"))])
    p = lf.positions(runs, qrels)
    for measure in ("AP(rel=2)", "nDCG(rel=2)"):
        assert lf.scores(p, measure)["query_id"].unique().to_list() == ["q"]
        kept = lf.scores(p, measure, no_relevant="zero")
        assert kept.filter(query_id="r")["value"].to_list() == [0.0, 0.0]
        assert kept.filter(query_id="q").equals(lf.scores(p, measure))
    measures = ["AP(rel=2)", "RPP(rel=2)", "rrLP(rel=2)"]
    kept = lf.preferences(p, measures, no_relevant="zero")
    assert kept.filter(query_id="r")["preference"].to_list() == [0.0] * 3
    assert kept.filter(query_id="q").equals(lf.preferences(p, measures))


@pytest.mark.slow
def test_rounding_does_not_lead_beyond_the_greatest_value():
    """Sums of 1/m, and gains over the ideal's in another order, come out above 1 for many m."""
    measures = ["AP", "R@100", "Rprec", "nDCG", "nDCG@10"]
    for m in range(1, 60):
        grades = {str(n): 1 + n % 3 for n in range(m)}
        ideal = sorted(grades, key=lambda document: -grades[document])
        run = {"q": {document: float(-n) for n, document in enumerate(ideal)}}
        s = lf.scores(lf.positions(run, {"q": grades}), measures)
        assert s["measure"].to_list() == measures
        assert s["value"].is_between(1 - 1e-12, 1).all()
        bounds = lf.coverage(run, {"q": grades}).select(r"^.*_max$")
        assert bounds.max_horizontal().item() <= 1


def test_mc4_modes_have_names_of_their_own():
    d = lf.preferences(P, "RPP")
    modes = [{}, {"iterations": 10}, {"teleport": 0.1}, {"votes": "preference"}]
    o = pl.concat([lf.order_runs(d, **{"method": "mc4", **mode}) for mode in modes])
    names = {"mc4", "mc4(iterations=10)", "mc4(teleport=0.1)", "mc4(votes='preference')"}
    assert set(o["method"]) == names
    assert lf.rank_correlations(o).height == 6


def test_a_stream_that_can_be_read_once():
    s = lf.scores(P, "AP")
    once = s.to_arrow().to_reader()
    assert lf.win_rates(once).equals(lf.win_rates(s))
    assert lf.order_runs(s.to_arrow().to_reader(), "mean").equals(lf.order_runs(s, "mean"))


def test_small_differences_are_wins_and_orders_alike():
    s = pl.DataFrame({"run": ["a", "b"], "query_id": "q", "measure": "m", "value": [1e-9, 1.05e-9]})
    assert lf.win_rates(s)["losses"].item() == 1
    for method in {*RULES} - {"bradley_terry"}:  # of a run that always wins it knows no strength
        assert lf.order_runs(s, method)["run"].to_list() == ["b", "a"]


def test_one_run_alone():
    alone = RUNS.filter(run="a")
    assert lf.evaluate(alone, QRELS).scores["measure"].unique().sort().to_list() == [
        "AP",
        "RR",
        "nDCG@10",
    ]
    with pytest.raises(lf.LexiframeError, match="evaluate: preferences need at least two runs"):
        lf.evaluate(alone, QRELS, ["AP", "RPP"])


def test_pairs_without_data_have_no_win_rate():
    three = pl.concat([RUNS, RUNS[:3].with_columns(run=pl.lit("c"))])
    d = lf.preferences(lf.positions(three, QRELS), "RPP").filter(pl.col("run_a") == "a")
    assert lf.win_rate_matrix(d).filter(run="b")["c"].item() is None


@pytest.mark.parametrize("name", ["ndcg_cut.10", "ndcg_cut_10", "nDCG@10"])
def test_trec_eval_s_two_ways_to_write_a_cut_off(name):
    assert lf.parse_measure(name) == lf.nDCG @ 10


def test_the_grade_of_tse_is_written_once():
    assert str(lf.TSE(lf.AP(rel=2))) == "TSE(AP, rel=2)"
    assert lf.parse_measure("TSE(AP, rel=2)") == lf.TSE(lf.AP(rel=2))


TIMES = 1_700_000_000_000_000_000  # nanoseconds since 1970
FORMS = {
    "integers": lambda rows, _: rows,
    "unsigned": lambda rows, _: rows.cast({"score": pl.UInt64}),
    "text": lambda rows, _: rows.cast({"score": pl.String}),
    "decimals": lambda rows, _: rows.cast({"score": pl.Decimal(38, 2)}),
    "ranks": lambda rows, _: rows.with_columns(rank=-pl.col("score")).drop("score"),
    "arrow": lambda rows, _: rows.to_arrow(),
    "dictionary": lambda rows, _: {"run": {"q": dict(zip(rows["doc_id"], rows["score"]))}},  # noqa: B905
    "parquet": lambda rows, path: rows.write_parquet(path),
    "csv": lambda rows, path: rows.write_csv(path),
    "json lines": lambda rows, path: rows.write_ndjson(path),
    "json": lambda rows, path: path.write_text(
        json.dumps({"q": dict(zip(rows["doc_id"], rows["score"]))})  # noqa: B905
    ),
    "trec": lambda rows, path: path.write_text(
        "".join(f"{q} Q0 {d} 1 {x} tag\n" for q, d, x in rows.rows())
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "scores, positions",
    [
        ([TIMES + 1, TIMES + 2, TIMES], None),
        ([2**53, 2**53 + 1, 5], None),
        ([TIMES, TIMES + 1024, TIMES], [3, 1]),  # other floats; those of x and z tie as they are
        ([TIMES + 1, 1, TIMES + 1], [2, 3]),
    ],
)
def test_scores_beyond_the_whole_numbers_of_floats(tmp_path, form, scores, positions):
    """Numbers that differ are no ties: what a float64 cannot tell apart is refused."""
    rows = pl.DataFrame({"query_id": "q", "doc_id": ["x", "y", "z"], "score": scores})
    path = tmp_path / "run"
    runs = FORMS[form](rows, path)
    runs = path if path.exists() else runs
    if positions is not None:
        assert lf.positions(runs, QRELS)["position"].to_list() == positions
        return
    low, high = sorted(scores)[-2:]
    numbers = rf"found -?({low}|{high}) and -?({low}|{high}) for query 'q'"
    with pytest.raises(
        lf.SchemaError, match=f"different (?:scores|ranks) that also differ as float64, {numbers}"
    ):
        lf.positions(runs, QRELS)
    if path.exists():
        assert lf.check_run(path)["found"][0].startswith(("90", "17"))
