"""What the views show where runs lack requests: n, no order, and what is not tested."""

import json
import subprocess
import sys
import warnings

import pytest

import lexiframe as lf
from lexiframe import charts
from lexiframe.core.views.display import comparison_table, mean_table
from tests.small_tables import scores

GAPS = {"A": [0.9, None], "B": [0.5, 0.3], "C": [None, 0.4]}
MANY = {
    "a": [0.9, 0.8, 0.7, 0.9, None, None, None],
    "b": [0.5, 0.3, 0.1, 0.2, 0.3, 0.2, 0.4],
    "c": [None, None, None, None, 0.4, 0.5, 0.9],
}


def evaluated(runs=GAPS, measure="AP", **options):
    with warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning):
        return lf.evaluate_scores(scores(runs, measure), **options)


def words(text):
    return " ".join(text.split())


def test_without_missing_means_have_n_and_no_order():
    e = evaluated()
    assert e.means.select("run", "rank", "n").rows() == [
        ("A", None, 1),
        ("B", None, 2),
        ("C", None, 1),
    ]
    assert e.orderings["rank"].null_count() == 3
    assert e.correlations.height == 0
    for shown in (str(e.summary("all")), e.summary("all")._repr_html_()):
        assert "0.9000(n=1)" in shown
        said = "no order by AP, because 2 runs lack some of the 2 requests (A has 1, C has 1)"
        assert said in words(shown)
        for word in ("best", "Ranks", "Verdict", "baseline", "*"):
            assert word not in shown


def test_a_verdict_is_refused_with_the_counts():
    said = r"verdict: no order by AP, .* \(A has 1, C has 1\); .* missing='common', 'zero' or 'own'"
    with pytest.raises(lf.LexiframeError, match=said):
        lf.verdict(evaluated())


@pytest.mark.slow
@pytest.mark.parametrize("missing, best", [("zero", "A"), ("own", "A")])
def test_the_report_and_the_tables_are_written(tmp_path, missing, best):
    e = evaluated(missing=missing)
    assert e.means.filter(rank=1.0)["run"].to_list() == [best]
    assert "missing=" in e.report(tmp_path / "page.html").read_text(encoding="utf-8")
    e.write(tmp_path / "out")
    assert (tmp_path / "out" / "means.parquet").exists()


def test_common_keeps_the_requests_that_all_have():
    e = evaluated({"A": [0.9, 0.1, None], "B": [0.5, 0.3, 0.2]}, missing="common")
    assert e.scores.height == 4
    assert e.means["n"].to_list() == [2, 2]
    assert "by AP, only requests that all runs have count (missing='common')" in words(
        str(e.summary("all"))
    )


@pytest.mark.slow
def test_pairs_that_share_no_request_are_marked_as_untested():
    e = evaluated(MANY, missing="own", test="t")
    assert e.means.filter(rank=1.0)["run"].to_list() == ["a"]
    assert "0.6000?(n=3)" in str(e.summary("all"))  # c, which shares no request with a
    assert "? not tested against a run with *: fewer than two requests in common" in words(
        str(e.summary("all"))
    )
    v = lf.verdict(e)
    assert v.select("untested", "n_pairs", "n").row(0) == (["c"], 2, 3)
    assert "c cannot be tested" in v["sentence"][0]
    assert "over the 2 pairs" in v["sentence"][0]
    for marks, mark in (("letters", "c?"), ("best", "?")):
        assert f"<sup>{mark}(n=" in e.markdown(marks=marks)
        assert f"textsuperscript{{{mark}(n=" in e.latex(marks=marks)
        assert "?: not tested against" in e.latex(marks=marks).replace("{}", "")
    with_baseline = evaluated(MANY, missing="own", baseline="a")
    assert "<sup>?(n=3)</sup>" in with_baseline.markdown()


@pytest.mark.slow
def test_tables_to_look_at_say_so():
    pytest.importorskip("great_tables")
    e = evaluated(MANY, missing="own")
    assert comparison_table(e.comparisons).as_raw_html().count("not comparable") == 1
    assert "?(n=3)" in mean_table(e).as_raw_html()


def test_charts_mark_them_too():
    pytest.importorskip("altair")
    e = evaluated(MANY, missing="own")
    chart = charts.significance_chart(e.comparisons, "AP", order=e.means)
    kinds = {(r["run"], r["against"]): r["is"] for r in chart.data.values}
    assert (kinds["a", "c"], kinds["c", "a"]) == ("not tested", "not tested")
    assert "not tested" in json.dumps(chart.to_dict())
    means = charts.mean_chart(e.means)
    partial = {row["run"]: row["is_partial"] for row in means.data.values}
    assert partial == {"a": True, "b": False, "c": True}
    assert "hollow: over fewer requests" in json.dumps(means.to_dict())


def test_charts_of_an_order_are_refused():
    pytest.importorskip("altair")
    e = evaluated(MANY)
    said = "expected ranks of the runs"
    for draw in (
        lambda: charts.ordering_chart(e.orderings),
        lambda: charts.significance_chart(e.comparisons, "AP", order=e.means),
        lambda: charts.critical_difference_chart(e.comparisons, e.means, "AP"),
    ):
        with pytest.raises(lf.LexiframeError, match=said):
            draw()
    text = json.dumps(charts.mean_chart(e.means).to_dict())
    assert "by name" in text
    assert "no order by AP: the runs have different requests" in text
    ranked = evaluated(MANY, missing="own")
    with pytest.raises(lf.LexiframeError, match="found none of 'a' and 'c'"):
        charts.critical_difference_chart(ranked.comparisons, ranked.means, "AP")


def run(*arguments):
    command = [sys.executable, "-m", "lexiframe", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "perquery.csv"
    scores(GAPS, "AP").write_csv(path)
    return path


@pytest.mark.slow
def test_the_command_line(file):
    done = run("evaluate", "--scores", file)
    assert done.returncode == 0
    assert "no order by AP" in words(done.stdout)
    assert run("evaluate", "--scores", file, "--format", "json").returncode == 0
    done = run("evaluate", "--scores", file, "--missing", "zero")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.4500*" in done.stdout
    done = run("verdict", "--scores", file)
    assert done.returncode == 1
    assert "no order by AP" in words(done.stderr)
    done = run("verdict", "--scores", file, "--missing", "own")
    assert "too few for any conclusion by AP; A is first" in words(done.stdout)


@pytest.mark.slow
def test_compare_by_the_command_line(file):
    def pairs(*arguments):
        done = run("compare", "--scores", file, "--format", "json", *arguments)
        assert done.returncode == 0, done.stderr
        return {(row["run_a"], row["run_b"]): row["n"] for row in json.loads(done.stdout)}

    assert pairs() == {("A", "B"): 1, ("A", "C"): 0, ("B", "C"): 1}
    assert pairs("--missing", "zero") == {("A", "B"): 2, ("A", "C"): 2, ("B", "C"): 2}
