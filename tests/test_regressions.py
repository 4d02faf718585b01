"""What once gave a wrong number without a word."""

import json

import polars as pl
import pytest

import lexiframe as lf

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


@pytest.mark.filterwarnings("ignore:positive grades below rel have no gain")
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


def test_one_run_alone():
    alone = RUNS.filter(run="a")
    assert lf.evaluate(alone, QRELS).scores["measure"].unique().sort().to_list() == [
        "AP",
        "RR",
        "nDCG@10",
    ]
    with pytest.raises(lf.LexiframeError, match="evaluate: preferences need at least two runs"):
        lf.evaluate(alone, QRELS, ["AP", "RPP"])


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
