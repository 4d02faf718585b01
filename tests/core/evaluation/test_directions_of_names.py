"""Names of errors say that smaller values are better, wherever runs are ordered or compared."""

import warnings

import polars as pl
import pytest

import lexiframe as lf

WIDE = pl.DataFrame({"model": ["good", "bad"], "A WER": [7.0, 14.0], "B WER": [6.0, 9.0]})


def scores(measure, **columns):
    values = {"good": 0.1, "bad": 0.2}
    rows = [(r, str(q), measure, v + q % 3 / 90) for r, v in values.items() for q in range(20)]
    table = pl.DataFrame(rows, ["run", "query_id", "measure", "value"], orient="row")
    return table.with_columns(**columns)


FORMS = {
    "frame": WIDE,
    "dictionary": WIDE.to_dict(as_series=False),
    "records": WIDE.to_dicts(),
    "arrow": WIDE.to_arrow(),
    "arrows": WIDE.rename({"A WER": "A ↓", "B WER": "B ↓"}),
    "a column metric": WIDE.rename({"A WER": "A", "B WER": "B"})
    .unpivot(index="model", variable_name="dataset")
    .with_columns(metric=pl.lit("rmse")),
    "a column that says it": WIDE.rename({"A WER": "A", "B WER": "B"})
    .unpivot(index="model", variable_name="dataset")
    .with_columns(smaller_is_better=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_leaderboard_of_errors_begins_with_the_least(form):
    board = lf.leaderboard(FORMS[form], frames="polars")
    assert board.ranking.select("run", "value").rows() == [("good", 6.5), ("bad", 11.5)]
    assert board.ranking["rank"].to_list() == [1, 2]
    assert "Smaller values are better in A" in str(board.verdict["sentence"].to_list())


def test_a_column_a_measure_and_the_caller_say_it_before_the_collection():
    long = WIDE.unpivot(index="model", variable_name="dataset")
    for larger in ({"smaller_is_better": pl.lit(value=False)}, {"metric": pl.lit("AP")}):
        assert lf.leaderboard(long.with_columns(**larger)).ranking["run"][0] == "bad"
    named = ["A WER", "B WER"]
    assert lf.leaderboard(WIDE, larger_is_better=named).ranking["value"].to_list() == [11.5, 6.5]
    with pytest.raises(lf.LexiframeError, match="unknown collection 'C'"):
        lf.leaderboard(WIDE, larger_is_better=["C"])


@pytest.mark.slow
def test_values_of_places_and_of_both_kinds():
    both = WIDE.with_columns(acc=pl.Series([90.0, 80.0]))
    board = lf.leaderboard(both, ["mean", "mean_rank", "kemeny"])
    values = board.ranking.filter(run="good").select("rule", "value").rows()
    assert dict(values) == {"mean": (90 - 7 - 6) / 3, "mean_rank": 1.0, "kemeny": 1.0}
    said = board.verdict.filter(rule="mean")["sentence"].to_list()
    assert "Smaller values are better in A WER and B WER, and count with a minus sign." in [
        one.replace("A WER, B WER", "A WER and B WER") for one in said
    ]
    asked = lf.leaderboard(both.rename({"A WER": "A", "B WER": "B"}), smaller_is_better=["A", "B"])
    assert asked.ranking["value"][0] == pytest.approx(77 / 3)
    ranks = lf.leaderboard(both, "mean_rank").ranking
    assert (ranks["ci_low"] <= ranks["value"]).all()
    assert (ranks["value"] <= ranks["ci_high"]).all()


def test_a_name_that_only_hints_is_doubted_and_not_turned():
    message = "names may be those of errors: 1 \\('error detection'\\)"
    board = WIDE.select("model", "A WER").rename({"A WER": "error detection"})
    with pytest.warns(lf.LexiframeWarning, match=message):
        assert lf.leaderboard(board.with_columns(B=pl.lit(9.0))).ranking["run"][0] == "bad"
    s = scores("error detection")
    for function in (lf.order_runs, lf.compare):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(s)
        assert sum("may be those of errors" in str(one.message) for one in caught) == 1
    assert lf.order_runs(scores("detection of spam"))["run"][0] == "bad"


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["wer", "test_loss", "Latency (ms)"])
def test_scores_point_down_everywhere(measure):
    s = scores(measure)
    for table in (s, s.to_pandas(), s.to_arrow()):
        assert pl.DataFrame(lf.order_runs(table))["run"][0] == "good"
        row = pl.DataFrame(lf.compare(table)).select("run_a", "mean_difference").row(0)
        assert row == ("bad", pytest.approx(-0.1))
    noisy = s.with_columns(value=pl.col("value") + pl.int_range(pl.len()) % 7 / 1000)
    two = {"baseline": "bad", "candidate": "good"}
    assert lf.gate(noisy, 0.01, **two)["outcome"].item() == "pass"
    assert lf.gate(noisy, 0.01, **two, larger_is_better=[measure])["outcome"].item() == "fail"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e = lf.evaluate_scores(s)
        against = lf.evaluate_scores(s, baseline="bad")
    assert e.means.filter(run="good")["rank"].item() == 1
    for one in (e, against):
        assert f"By {measure}, smaller values are better." in one.verdict["sentence"][0]


def test_a_measure_without_any_number_is_named_with_its_runs():
    nan = [float("nan")] * 4
    table = pl.DataFrame({"user_input": [*"abcd"], "faithful": nan, "near": [0.1, 0.2, 0.4, 0.3]})
    for runs in ({"x": table, "y": table}, {"x": table.to_dicts(), "y": table.to_dicts()}):
        found = "no value for any request, left out: 2 \\('faithful of x', 'faithful of y'\\)"
        with pytest.warns(lf.LexiframeWarning, match=found):
            assert lf.read_scores(runs)["measure"].unique().to_list() == ["near"]
    one = {"x": table, "y": table.with_columns(faithful=pl.lit(0.5))}
    with pytest.warns(lf.LexiframeWarning, match="left out: 1 \\('faithful of x'\\)"):
        e = lf.evaluate_scores(one, missing="own")
    assert e.means.filter(measure="faithful")["run"].to_list() == ["y"]
