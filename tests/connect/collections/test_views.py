"""Several collections printed, in tables for papers, and in charts of the evaluation."""

import polars as pl
import pytest

import lexiframe as lf
from tests.connect.collections.test_of_collections import BOTH, LAW, MEASURES, NEWS, RUNS

pytestmark = pytest.mark.filterwarnings("ignore:.*rankings for requests without judgments")


@pytest.fixture(scope="module")
def e():
    """Run c is in news alone."""
    return lf.evaluate(BOTH, measures=MEASURES)


def means_of(e, run, measure="AP", column="mean"):
    return e.means.filter(run=run, measure=measure).sort("collection")[column].to_list()


def cells(markdown):
    lines = markdown.split("\n\n")[1].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    return [rows[0], *rows[2:]]


def test_a_measure_has_a_row_for_each_run_and_a_column_for_each_collection(e):
    head, *rows = cells(e.markdown("AP", marks="none"))
    assert head == ["run", "news", "law", "mean", "mean rank"]
    found = {row[0]: row[1:] for row in rows}
    assert found["c"] == [found["c"][0], "—", "—", "—"]
    for run in "ab":
        law, news = means_of(e, run)
        ranks = means_of(e, run, column="rank")
        texts = [f"{news:.4f}", f"{law:.4f}", f"{(law + news) / 2:.4f}", f"{sum(ranks) / 2:.2f}"]
        assert [cell.strip("*") for cell in found[run]] == texts
    best = [max(rows, key=lambda row: row[n].strip("*—")) for n in (1, 2, 3)]
    assert all(row[n].startswith("**") for n, row in enumerate(best, 1))
    assert sum(cell.startswith("**") for row in rows for cell in row) == 4


def test_captions_say_what_the_columns_are(e):
    said = e.markdown("RPP", percent=True).split("\n\n")[0]
    assert "Means of RPP over 5 to 6 requests of each collection: the share of requests won" in said
    assert "ties half; in %." in said
    assert "—: the collection lacks the run; means are of runs that all have, ranks among" in said
    assert "over the 1 to 3 pairs of each collection" in said
    others = lf.evaluate(BOTH, measures=["ASL"], family="all", test="t")
    said = others.latex(caption="Of two.", label="tab:two")
    assert r"\caption{Of two. Means of ASL" in said
    assert "Smaller is better." in said
    assert "over all pairs of all measures of a collection" in said
    *_, last = [line for line in said.splitlines() if line.startswith(("a &", "b &"))]
    assert r"\textbf" in said
    assert last.count("&") == 5


def test_blocks_have_only_the_runs_of_their_collection(e):
    of = "collection = {} (n = {})".format
    for table in (e.markdown(), e.markdown("AP", blocks=True)):
        head, *rows = cells(table)
        assert head[:3] == ["group", "", "run"]
        runs = {group: [row[2] for row in rows if row[0] == group] for group, *_ in rows}
        assert {*runs[of("law", 5)]} == {"a", "b"}
        assert {*runs[of("news", 6)]} == {"a", "b", "c"}
    apart = lf.evaluate({"news": BOTH["news"], "law": ({"d": BOTH["law"][0]["a"]}, BOTH["law"][1])},
                        measures="AP")  # fmt: skip
    assert cells(apart.markdown())[0][0] == "group"
    assert cells(apart.markdown(blocks=False))[0] == ["run", "news", "law", "mean", "mean rank"]
    with pytest.raises(lf.LexiframeError, match="blocks=False: expected one measure of several"):
        e.latex(blocks=False)


def test_some_runs_have_a_row_each_in_the_order_given(e):
    _, *rows = cells(e.markdown("AP", ["b", "a"], marks="none", decimals=2, rename={"b": "B"}))
    assert [row[0] for row in rows] == ["B", "a"]
    (a,) = [row for row in rows if row[0] == "a"]
    assert a[3].strip("*") == f"{sum(means_of(e, 'a')) / 2:.2f}"
    (row,) = cells(e.markdown("AP", "c"))[1:]
    assert row[0] == "c"
    assert not any(cell.startswith("**") for cell in row)


@pytest.mark.slow
def test_it_prints_the_first_measure_then_the_verdict_then_how_to_ask_for_one(e):
    table, verdict, hint = str(e).split("\n\n")
    assert table.startswith("Means of AP over 5 to 6 requests of each collection\n")
    head = next(line for line in table.splitlines() if "run" in line)
    assert head.strip("│ ").split() == ["run", "news", "law", "mean", "mean", "rank"]
    over = e.verdict.filter(pl.col("collection").is_null())
    assert " ".join(verdict.split()).startswith(" ".join(over["sentence"]))
    assert hint.startswith("One collection: e.collections['news'];")
    one_sided = lf.evaluate(BOTH, measures="AP", alternative="greater", test="t")
    assert "the test is one-sided" in str(one_sided)
    alone = {name: ({"a": runs["a"]}, qrels) for name, (runs, qrels) in BOTH.items()}
    assert "ranked by" not in str(lf.evaluate(alone, measures="AP"))


@pytest.mark.slow
def test_its_plots_have_a_panel_for_each_collection(e):
    pytest.importorskip("altair")
    for chart in (e.plot.means("AP"), e.plot.win_rates(), e.plot.orderings()):
        assert [panel.title.text for panel in chart.concat][:2] == ["news", "law"]
    law = e.plot.means("AP", group={"collection": "law"})
    assert {row["run"] for row in law.data["values"]} == {"a", "b"}
    with pytest.raises(lf.LexiframeError, match=r"expected no group, found {'kind': 'x'}"):
        e.plot.means(group={"kind": "x"})
    with pytest.raises(lf.LexiframeError, match=r"ask one of them: e.collections\['news'\].pair"):
        e.plot.pair("a", "b")


def test_a_collection_with_one_run_has_no_preferences_and_the_others_go_on(tmp_path):
    given = {"law": ({"a": RUNS["a"]}, LAW), "news": (RUNS, NEWS)}
    e = lf.evaluate(given)
    text = " ".join(str(e).split())
    assert "Means of RPP over 6 requests" in text
    assert "Without RPP (preferences need two runs): law." in text
    assert "run law news mean mean rank" in " ".join(text.replace("│", " ").split())
    with pytest.warns(lf.LexiframeWarning, match=r"only metrics are known: 1 \('law'\)"):
        asked = lf.evaluate(given, measures=["RPP"])
    alone = lf.evaluate(*given["news"], ["RPP"])
    assert asked.comparisons.drop("collection").equals(alone.comparisons)
    assert asked.collections["law"].coverage["run"].to_list() == ["a"]
    assert "preferences (RPP, LR, LP ...) and comparisons need two" in str(asked.collections["law"])
    for one in (e, asked):
        one.write(tmp_path / "r")
        assert str(lf.read_results(tmp_path / "r")) == str(one)
        assert one.report(tmp_path / "page.html").stat().st_size
    with pytest.raises(lf.LexiframeError, match="preferences need at least two runs, found 'a' al"):
        lf.evaluate({"law": given["law"], "x": given["law"]}, measures=["RPP"])


def test_runs_are_in_the_order_of_their_means_and_collections_in_the_order_given(tmp_path):
    """By the mean x is first, by mean rank y: x wins by much in one collection of three."""
    order, values = ["c10", "c9", "b"], {"x": [0.9, 0.1, 0.1], "y": [0.1, 0.2, 0.2]}
    rows = [(c, run, q, "AP", of[n]) for n, c in enumerate(order) for run, of in values.items()
            for q in "qr"]  # fmt: skip
    names = ["collection", "run", "query_id", "measure", "value"]
    e = lf.evaluate_scores(pl.DataFrame(rows, names, orient="row"))
    rows = [line.split()[1:] for line in str(e).splitlines() if line.startswith(("│ x", "│ y"))]
    assert [row[0] for row in rows] == ["x", "y"]
    assert [row[-2] for row in rows] == ["1.67", "1.33"]
    e.write(tmp_path)
    again = lf.read_results(tmp_path)
    assert (
        [*again.collections] == [*lf.compare(e)["collection"].unique(maintain_order=True)] == order
    )
    assert again.verdict["collection"].drop_nulls().unique(maintain_order=True).to_list() == order
    assert str(again) == str(e)
