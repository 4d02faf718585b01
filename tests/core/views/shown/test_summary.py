"""What an evaluation prints: the means first, the runs' differences, and lines that fit."""

import dataclasses
import re
import warnings

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.printed.tables import _width
from lexiframe.core.views.sentences.verdict_on_baseline import baseline_sentences
from lexiframe.core.views.shown.summary import summary_of
from tests.core.views.sentences.test_verdict import RUNS, collection

EXAMPLE = lf.bundled("example")
SETS = {
    "clef_ehealth_2014": {},
    "cranfield": {},
    "movielens_100k": {"rel": 4},
    "trec_cast_2021_docs": {},
    "trec_covid_round1": {},
    "trec_dl_2019_passage": {},
    "trec_robust_2003": {},
    "trec_web_2012": {},
}


def evaluate(runs=RUNS, measures=("RR",), **options):
    return lf.evaluate(*collection(runs), list(measures), **options)


def parts(e):
    """All sections but the verdict, those of means without intervals."""
    return [plain(s) for s in summary_of(e.tables(), e.provenance, "all").sections[1:]]


def plain(section):
    """The means without intervals, which the narrowest terminal shows below one another."""
    if section.instead is None:
        return section
    while section.instead is not None:
        section = section.instead
    table = section.table.filter(pl.col("run") != "± at most")
    # Where intervals end stands on the line that says how far they reach.
    *notes, halves = section.notes
    cut = halves.partition("; ")[2]
    at = next((n for n, note in enumerate(notes) if note.startswith("with n = ")), len(notes))
    notes[at:at] = [cut] * bool(cut)
    return dataclasses.replace(section, table=table, notes=tuple(notes))


def shown(e):
    """All that an evaluation prints, the means without intervals."""
    return "\n\n".join(text for part in parts(e) if (text := part.text()))


def test_the_widest_interval_of_a_measure_is_that_of_no_run_farther_from_its_mean():
    folder = lf.bundled("digits")
    names = ["combsum_fine", "random", "pixels_cosine"]
    e = lf.evaluate([folder / f"runs/{n}.parquet" for n in names], folder / "qrels.parquet")
    section = e.summary().sections[1]
    while section.instead is not None:
        section = section.instead
    row = section.table.filter(run="± at most").row(0, named=True)
    low, high = pl.col("ci_low").clip(0, 1), pl.col("ci_high").clip(0, 1)
    reach = pl.max_horizontal(pl.col("mean") - low, high - pl.col("mean"))
    farthest = e.means.group_by("measure").agg(reach.max())
    assert {name: row[name].strip() for name in e.facts["measure"]} == {
        name: f"{far:.4f}" for name, far in farthest.rows()
    }
    assert any("no 95 % interval reaches farther from its mean" in note for note in section.notes)


@pytest.fixture
def wide(monkeypatch):
    """A terminal that is wide enough for everything."""
    monkeypatch.setenv("COLUMNS", "1000")


# --- Means --------------------------------------------------------------------------------------


KINDS = pl.DataFrame({"qid": [f"q{n}" for n in range(12)], "kind": ["x", "y", None] * 4})


@pytest.mark.slow
def test_measures_with_other_requests_or_none_are_named(wide):
    runs, qrels = collection(RUNS)
    graded = qrels.with_columns(relevance=pl.Series([1.0, 1.0, 2.0] * 4))
    section = parts(lf.evaluate(runs, graded, ["RR", "AP(rel=2)"]))[0]
    assert section.title == "Means over 4 to 12 requests"
    assert section.notes[1:] == (
        "a conclusion by AP(rel=2) takes 6 requests in which two runs differ",
        "requests: 12 of RR, 4 of AP(rel=2)",
        "intervals end at the bounds of RR and AP(rel=2)",
        "with n = 4 requests intervals say little",
    )
    grouped = parts(lf.evaluate(runs, graded, ["RR", "AP(rel=2)"], requests=KINDS, by="kind"))
    assert all("no request counts for AP(rel=2)" in s.notes for s in grouped[1:3])
    assert grouped[1].table.columns == ["run", "RR"]


@pytest.mark.slow
def test_many_runs_are_shown_as_the_first_and_the_last():
    e = evaluate({f"r{n:02}": [1] * (12 - n // 5) + [4] * (n // 5) for n in range(41)})
    for section, called in ((parts(e)[0], "e.means"), (parts(e)[1], "e.orderings")):
        assert section.table.height == 41
        assert section.table.row(20) == ("… 1 more", "")
        assert section.table["run"].to_list()[19::2][:2] == ["r19", "r21"]
        assert section.table["run"][-1] == "r40"
        assert f"the first and the last 20 of 41 runs; {called} has all" in section.notes
    assert parts(evaluate({f"r{n}": [1] * 12 for n in range(40)}))[0].table.height == 40


# --- What marks, ranks and the verdict are about --------------------------------------------------


def test_one_run_is_told_what_needs_two(wide):
    e = lf.evaluate(EXAMPLE / "runs" / "random.run", EXAMPLE / "qrels.txt")
    assert "preferences (RPP, LR, LP ...) and comparisons need two runs" in parts(e)[0].notes[-1]


# --- What was different about the runs -----------------------------------------------------------


def test_what_was_different_about_the_runs(wide):
    runs, qrels = collection(RUNS)
    short = (pl.col("run") != "near") | (pl.col("score") >= -2)
    left_out = (pl.col("run") != "far") | (pl.col("query_id") != "q0")
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 1"):
        e = lf.evaluate(runs.filter(short & left_out), qrels, ["RR"])
    assert e.coverage.select("run", "depth", "judged_at_10", "missing").rows() == [
        ("best", 5, 0.2, 0),
        ("far", 5, 0.2, 1),
        ("mixed", 5, 0.2, 0),
        ("near", 2, 0.5, 0),
    ]
    assert shown(e).split("\n\n")[1] == (
        "The runs differ: depth from 2 (near) to 5 (3 runs); judged in the top 10 from 20.0 % "
        "(3 runs) to 50.0 % (near); requests not answered from 0 (3 runs) to 1 (far)."
    )


def test_judged_at_10_counts_the_first_ten_of_all_rankings():
    """As ir_measures' Judged@10, where all rankings are as long."""
    runs, qrels = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
    e = lf.evaluate(runs, qrels, ["Judged@10", "AP"])
    judged = e.means.filter(measure="Judged@10").sort("run")
    assert e.coverage["judged_at_10"].to_list() == pytest.approx(judged["mean"].to_list())
    assert set(lf.coverage(runs, qrels, unjudged="remove")["judged_at_10"]) == {1.0}


# --- Lines that fit -------------------------------------------------------------------------------


def refuse_cut_and_wide(text, width):
    assert max(map(_width, text.splitlines())) <= width
    assert "..." not in text
    assert not re.search(r"[0-9]…", text)


def numbers_of(e):
    """The numbers that the means and the correlations hold, as they are printed."""
    yield from (f" {mean:.4f}" for mean in e.means["mean"])
    yield from (f"{tau:.3f} " for tau in e.correlations["correlation"])


@pytest.mark.parametrize("name", SETS)
def test_nothing_is_cut_and_nothing_is_wider_than_the_terminal(shared, monkeypatch, name):
    folder = shared / "data" / name
    with warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning):
        e = lf.evaluate(folder / "runs", folder / "qrels.trec", **SETS[name])
    for width in (80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        text = str(e.summary("all"))
        refuse_cut_and_wide(text, width)
        assert all(number in text for number in numbers_of(e))


def test_one_request_against_a_baseline_says_that_no_test_is_possible():
    runs = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"y": 2, "x": 1}}}
    e = lf.evaluate(runs, {"q": {"x": 1}}, "AP num_ret", baseline="b")
    assert "\nno test is possible with one request\n" in shown(e)
    few = "1 request: too few for any conclusion by AP; a is ahead; no test is possible with one"
    assert baseline_sentences(e) == [f"{few} request."]


def values_of(**runs):
    rows = [(run, f"q{n}", "F1", x) for run, of in runs.items() for n, x in of.items()]
    return pl.DataFrame(rows, ["run", "query_id", "measure", "value"], orient="row")
