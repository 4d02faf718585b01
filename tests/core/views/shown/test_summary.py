"""What an evaluation prints: the means first, the runs' differences, and lines that fit."""

import dataclasses
import re
import warnings

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.printed.tables import _width
from lexiframe.core.views.sentences.verdict_on_baseline import baseline_sentences
from lexiframe.core.views.shown.means import marks, means_section
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
    cut = halves.partition(", cut ")[2]
    at = next((n for n, note in enumerate(notes) if note.startswith("with n = ")), len(notes))
    notes[at:at] = [f"intervals end {cut}"] * bool(cut)
    return dataclasses.replace(section, table=table, notes=tuple(notes))


def shown(e):
    """All that an evaluation prints, the means without intervals."""
    return "\n\n".join(text for part in parts(e) if (text := part.text()))


@pytest.fixture
def wide(monkeypatch):
    """A terminal that is wide enough for everything."""
    monkeypatch.setenv("COLUMNS", "1000")


# --- Means --------------------------------------------------------------------------------------


def test_a_share_of_requests_won_is_called_so(wide):
    """best beats near in 1 of 12 requests and ties 11: half a win each."""
    e = evaluate(measures=["RR", "LR", "AP"])
    section = parts(e)[0]
    assert section.title == ("Means over 12 requests (LR: share of requests won)")
    share = ((1 + 11 / 2) / 12 + 1 + (6 + 6 / 2) / 12) / 3
    assert section.table.filter(run="best")["LR"].item() == f"{share:.4f}*"
    assert section.table.columns == ["run", "RR", "LR", "AP"]


def test_marks_are_those_of_the_comparisons(wide):
    """Both best runs must not be told apart from a run for it to be marked."""
    runs = {"a": [1] * 12, "b": [1] * 12, "c": [1, 2] * 6, "d": [4] * 12}
    for test in ("t", "sign", "wilcoxon"):
        e = evaluate(runs, test=test)
        p = e.comparisons.filter(run_a="a").select("run_b", "reject")
        found = dict(parts(e)[0].table.iter_rows())
        assert {found["a"], found["b"]} == {"1.0000*"}
        assert found["c"] == ("0.7500 " if p.filter(run_b="c")["reject"].item() else "0.7500~")
        assert found["d"] == "0.2500 "
        assert f"({test} test, " in parts(e)[0].notes[0]


def marked(rejected, n=5, **inference):
    """The mark of c, where a and b share the best mean; ``rejected`` are (test, run_a, reject)."""
    means = pl.DataFrame({"run": ["a", "b", "c"], "measure": "AP", "rank": [1.5, 1.5, 3.0]})
    c = pl.DataFrame(rejected, schema=["test", "run_a", "reject"], orient="row").with_columns(
        measure=pl.lit("AP"), correction=pl.lit("holm"), run_b=pl.lit("c"), effect_size=pl.lit(2.0),
        mean_difference=pl.lit(0.1), n=pl.lit(n),
    )  # fmt: skip
    said = {"test": "t", "correction": "holm", "alternative": "two-sided", **inference}
    return marks(means, c, said).filter(run="c")["mark"].item()


def test_near_is_what_no_best_run_is_told_apart_from():
    assert marked([("t", "a", False), ("t", "b", False)]) == "~"
    assert marked([("t", "a", True), ("t", "b", False)]) == ""
    assert marked([("t", "a", False)]) == "?"  # nobody compared it with b
    assert marked([("t", "a", False), ("t", "b", False)], n=1) == "?"  # no test of one request
    assert marked([("t", "a", False), ("t", "b", None)]) == "?"  # no request in common with b
    assert marked([("t", "a", True), ("t", "b", None)]) == ""  # worse than a at least


def test_the_first_test_alone_decides():
    both = [(test, run, test == "sign") for test in ("t", "sign") for run in "ab"]
    assert marked(both, test=["t", "sign"]) == "~"
    assert marked(both, test=["sign", "t"]) == ""
    assert marked([("t(ties='split')", run, False) for run in "ab"]) == "~"


def test_one_sided_tests_mark_the_best_alone(wide):
    section = parts(evaluate(alternative="greater"))[0]
    cut = "intervals end at the bounds of RR"
    assert section.notes == ("ranked by mean, * the best", cut)
    assert section.table["RR"].to_list() == ["1.0000*", "0.9583 ", "0.6000 ", "0.2500 "]


@pytest.mark.parametrize("baseline, expected", [("mixed", ["*▲", "▼", "", "▲"]), ("best", None)])
def test_a_baseline_is_what_others_are_better_and_worse_than(baseline, expected):
    """▲ and ▼ by the comparisons with it, whatever the names."""
    e = evaluate(test="t")
    c = lf.compare(e.scores, "t", baseline=baseline)
    section = means_section(
        e.means, c, ["RR"], [], {**e.provenance["inference"], "baseline": baseline}
    )
    assert c["reject"].to_list() == ([True] * 3 if baseline == "mixed" else [True, True, False])
    found = plain(section).table.sort("run")["RR"].str.strip_chars("0.123456789 ").to_list()
    assert found == (expected or ["*", "▼", "▼", ""])
    assert section.notes[0] == (
        f"ranked by mean, * the best; ▲ significantly better than {baseline}, ▼ worse (t test, "
        "holm over the pairs of a measure, α = 0.05)"
    )


@pytest.mark.parametrize("side, mark", [("greater", "▲"), ("less", "▼")])
def test_one_sided_comparisons_with_a_baseline_are_said_to_be_so(wide, side, mark):
    e = evaluate(baseline="mixed", alternative=side)
    how = f"randomization test (one-sided: {side}), max_t over the pairs of a measure, α = 0.05"
    better = {"greater": "better", "less": "worse"}[side]
    legend = f"ranked by mean, * the best; {mark} significantly {better} than mixed ({how})"
    assert parts(e)[0].notes[0] == legend
    marked = "".join(parts(e)[0].table["RR"])
    assert mark in marked
    assert {"▲": "▼", "▼": "▲"}[mark] not in marked
    assert section_of(e, "Against mixed").title == f"Against mixed ({how})"


def test_counts_alone_have_no_ranks_and_no_marks_to_explain(wide):
    e = evaluate(measures=["num_ret"])
    assert not any(part.title.startswith("Ranks") for part in parts(e))
    assert parts(e)[0].notes == ("counts, of which more is not better: num_ret",)


def test_search_lengths_are_said_to_be_better_small(wide):
    section = parts(evaluate(measures=["ISL", "RR"]))[0]
    assert section.table["run"].to_list() == ["best", "near", "mixed", "far"]
    assert section.table["ISL"][0].startswith("1.0000*")
    assert "smaller is better: ISL" in section.notes


KINDS = pl.DataFrame({"qid": [f"q{n}" for n in range(12)], "kind": ["x", "y", None] * 4})
OF_X = [f"q{n}" for n in range(0, 12, 3)]


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


def test_groups_have_means_of_their_own(wide):
    e = evaluate(requests=KINDS, by="kind")
    titles = [section.title for section in parts(e)[:3]]
    assert titles == [f"Means over 4 requests, {of}" for of in ("no kind", "kind = x", "kind = y")]
    runs, qrels = (table.filter(pl.col("query_id").is_in(OF_X)) for table in collection(RUNS))
    assert parts(e)[1].table.equals(parts(lf.evaluate(runs, qrels, ["RR"]))[0].table)


def test_many_runs_are_shown_as_the_first_and_the_last():
    e = evaluate({f"r{n:02}": [1] * (12 - n // 5) + [4] * (n // 5) for n in range(41)})
    for section, called in ((parts(e)[0], "e.means"), (parts(e)[1], "e.orderings")):
        assert section.table.height == 41
        assert section.table.row(20) == ("… 1 more", "")
        assert section.table["run"].to_list()[19::2][:2] == ["r19", "r21"]
        assert section.table["run"][-1] == "r40"
        assert f"the first and the last 20 of 41 runs; {called} has all" in section.notes
    assert parts(evaluate({f"r{n}": [1] * 12 for n in range(40)}))[0].table.height == 40


def test_of_many_runs_the_first_screen_has_the_best_and_those_that_sentences_name():
    ranks = {f"r{n:02}": [1] * (12 - n // 3) + [4] * (n // 3) for n in range(30)}

    def shown(**how):
        e = evaluate(ranks, **how)
        return plain(summary_of(e.tables(), e.provenance).sections[1])

    assert shown().table["run"].to_list() == [f"r{n:02}" for n in range(10)]
    assert '20 more runs: e.summary("all")' in shown().notes
    assert shown(baseline="r25").table["run"].to_list()[10:] == ["…", "r25"]
    few = evaluate({run: ranks[run] for run in [*ranks][:20]})
    assert plain(summary_of(few.tables(), few.provenance).sections[1]).table.height == 20


# --- What marks, ranks and the verdict are about --------------------------------------------------


def with_first(e, run):
    """The evaluation with one run before the others in its orderings, as MC4 could put it."""
    rank = pl.when(pl.col("run") == run).then(1.0).otherwise(pl.col("rank") + 1)
    return dataclasses.replace(e, orderings=e.orderings.with_columns(rank=rank))


def section_of(e, title):
    return next(part for part in parts(e) if part.title.startswith(title))


def test_the_verdict_is_about_the_first_of_the_orderings():
    e = evaluate(measures=["RR", "LR"])
    about = (
        "best: first by mean or, of preferences, by win_rate; the others are tested against these"
    )
    assert section_of(e, "Verdict").notes == (about,)
    by_mean = section_of(lf.evaluate_scores(e.scores), "Verdict")
    assert by_mean.notes == ("best: first by mean; the others are tested against these",)
    assert section_of(with_first(e, "near"), "Verdict").table["best"].to_list() == ["near"] * 2


@pytest.mark.parametrize("order", ["win_rate", "mc4", "borda", "copeland"])
def test_one_run_is_first_in_every_table(order):
    """The run of rank 1 has the star, comes first, and is the best of the verdict."""
    e = lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", ["LR", "RR", "LP"], order=order)
    on = ["measure", "run"]
    ranks = e.means.join(e.orderings, on=on)
    assert ranks["rank"].equals(ranks["rank_right"])
    first = e.means.filter(pl.col("rank") == pl.col("rank").min().over("measure"))
    best = first.sort("run").group_by("measure").agg("run").sort("measure")
    assert best.rows() == e.verdict.select("measure", "best").sort("measure").rows()
    starred = marks(e.means, e.comparisons, e.provenance["inference"]).filter(mark="*")
    assert starred.sort(on).select(on).rows() == first.sort(on).select(on).rows()


def test_means_are_sorted_as_they_are_shown():
    e = evaluate(measures=["RR", "LR", "AP"])
    assert e.means.select("measure", "run").rows() == [
        (measure, run) for measure in ("RR", "LR", "AP") for run in ("best", "near", "mixed", "far")
    ]


def test_equal_shares_are_said(wide):
    """rrLP prefers the same runs as LP, by another amount."""
    said = "LP and rrLP have equal shares; e.win_rates has their mean_preference, which says by how"
    assert said in str(evaluate(measures=["LP", "rrLP", "RR"]))
    assert "equal shares" not in str(evaluate(measures=["LP", "RR"]))


def test_counts_have_no_best(wide):
    e = evaluate(measures=["num_ret", "RR", "num_q"])
    means = parts(e)[0]
    assert means.table["num_ret"].to_list() == ["5.0000 "] * 4
    assert means.table["run"].to_list() == ["best", "near", "mixed", "far"]
    assert means.table["RR"][0] == "1.0000*"
    assert "counts, of which more is not better: num_ret, num_q" in means.notes
    assert set(e.means.filter(pl.col("measure") != "RR")["rank"]) == {None}
    assert parts(e)[1].table.columns == ["run", "RR"]
    assert lf.verdict(e)["measure"].to_list() == ["RR"]


def test_one_run_is_told_what_needs_two(wide):
    e = lf.evaluate(EXAMPLE / "runs" / "random.run", EXAMPLE / "qrels.txt")
    assert "preferences (RPP, LR, LP ...) and comparisons need two runs" in parts(e)[0].notes[-1]


def test_long_names_lose_their_middle_and_lists_their_rest_never(wide):
    names = [f"{n}_{'x' * 230}_{n}" for n in range(7)]
    e = evaluate({name: [1] * 12 for name in names})
    shown = section_of(e, "Verdict").table["best"].item()
    assert shown.endswith(", 4 others")
    assert all(f"{n}_x" in shown and f"x_{n}, " in shown for n in range(3))
    assert set(e.means["run"]) == set(names)
    assert shown in str(e.summary("all"))


def test_one_request_is_said_to_allow_no_test(wide):
    runs, qrels = (table.filter(pl.col("query_id") == "q0") for table in collection(RUNS))
    e = lf.evaluate(runs, qrels, ["RR"])
    assert section_of(e, "Verdict").table["not significantly worse"].to_list() == [
        "no test is possible"
    ]
    assert "no test is possible with one request." in lf.verdict(e)["sentence"][0]


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("n, measures", [(3, ["RR", "AP"]), (15, ["RR", "AP", "LR"]), (45, ["RR"])])
def test_runs_against_a_baseline_have_a_row_each(monkeypatch, width, n, measures):
    monkeypatch.setenv("COLUMNS", str(width))
    runs = {f"system_{k:02}": [1 + (k + q) % 5 for q in range(12)] for k in range(n)}
    e = evaluate(runs, measures, baseline="system_01")
    text = section_of(e, "Against").text()
    assert max(map(_width, text.splitlines())) <= width
    rows = [line for line in text.splitlines() if line.startswith("│") and "system_" in line]
    assert len(rows) == len(measures) * min(n - 1, 40)
    assert ("… 4 more" in text) == (n == 45)
    assert text.count("┌") == (len(measures) if width == 80 else 1)
    if "LR" in measures:
        assert ("—: preferences have no mean score" in text) == (width == 200)


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


SAME = "tie in every request by all measures: are they the same run?"


def values_of(**runs):
    rows = [(run, f"q{n}", "F1", x) for run, of in runs.items() for n, x in of.items()]
    return pl.DataFrame(rows, ["run", "query_id", "measure", "value"], orient="row")


@pytest.mark.parametrize("missing", ["own", "common"])
@pytest.mark.parametrize("n_shared, is_said", [(1, False), (10, False), (19, True), (20, True)])
def test_copies_share_nearly_all_requests(missing, n_shared, is_said):
    x = {n: n / 20 for n in range(20)}
    y = {n: x.get(n, 0.5) for n in range(20 - n_shared, 40 - n_shared)}
    e = lf.evaluate_scores(values_of(x=x, y=y, z=dict.fromkeys(range(40), 0.9)), missing=missing)
    assert (f"x and y {SAME}" in str(e)) == is_said


def test_runs_whose_lists_differ_are_no_copies():
    items = lf.read_items(pl.DataFrame({"item_id": [*"abc"], "vector": [[1, 0], [0, 1], [1, 1]]}))
    runs = {"x": {"1": {"a": 2}, "2": {"b": 2, "c": 1}, "3": {"c": 2, "b": 1}},
            "y": {"1": {"a": 2, "c": 1}, "2": {"b": 2, "c": 1}, "3": {"c": 2}}}  # fmt: skip
    judged = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    assert SAME not in str(lf.evaluate(runs, judged, ["RR", "ILD@2"], items=items))
    assert SAME in str(lf.evaluate(runs, judged, ["RR", "num_ret"]))
    same = {"x": runs["x"], "y": runs["x"]}
    assert SAME in str(lf.evaluate(same, judged, ["RR", "ILD@2", "num_ret"], items=items))
