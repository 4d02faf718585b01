"""Display tables: what they show is what the tables have, and names are text."""

import html
import re
import sys

import polars as pl
import pytest

import lexiframe as lf
from tests.conftest import library
from tests.core.views.shown.test_paper import FILES, NASTY, cells, scores_of

library("great_tables")

from lexiframe.core.views.display import (  # noqa: E402
    comparison_table,
    mean_table,
    ordering_table,
    verdict_table,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def example():
    return lf.evaluate(*FILES, ["RPP", "LR", "AP", "RR", "num_ret"])


@pytest.fixture(scope="module")
def grouped():
    queries = lf.read_qrels(FILES[1])["query_id"].unique().to_pylist()
    kinds = pl.DataFrame({"query_id": sorted(queries), "kind": ["a_b", "a_b", "c", "c", None]})
    return lf.evaluate(*FILES, ["AP", "RPP"], requests=kinds, by="kind")


@pytest.fixture(scope="module")
def nasty():
    return lf.evaluate_scores(scores_of(NASTY))


def text_of(cell):
    return html.unescape(re.sub("<(?!sup|/sup|strong|/strong)[^>]*>", "", cell)).strip()


def shown(table):
    """The rows of the body as texts, and the notes below."""
    page = table.as_raw_html()
    body = page.partition("<tbody")[2].partition("</tbody>")[0]
    found = [
        [text_of(cell) for cell in re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in re.findall("<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]
    notes = re.findall(r'class="gt_sourcenote"[^>]*>(.*?)</td>', page, re.DOTALL)
    return found, [text_of(note) for note in notes]


def names_of(table):
    """The names of the columns and what spans them."""
    head = table.as_raw_html().partition("<thead")[2].partition("</thead>")[0]
    return [text_of(cell) for cell in re.findall("<th[^>]*>(.*?)</th>", head, re.DOTALL)]


def test_means_are_those_of_the_markdown(example):
    rows, notes = shown(mean_table(example))
    expected, letters = cells(example.markdown())
    assert [row[:2] for row in rows] == [[letters[run], run.replace("\\", "")] for run in letters]
    measures = example.provenance["measures"]
    assert names_of(mean_table(example)) == ["", "run", *measures]
    for run, row in zip(letters, rows, strict=True):
        for measure, cell in zip(measures, row[2:], strict=True):
            number, is_bold, mark = expected[run, measure]
            number = f"<strong>{number}</strong>" if is_bold else number
            assert cell == number + f"<sup>{mark}</sup>" * bool(mark)
    assert notes[0].startswith("Means over 5 requests; of RPP, LR the share")
    assert "α = 0.05, n = 5" in notes[-1]
    of_two = shown(mean_table(example, "AP", ["random", "pca8_euclidean"], marks="none"))[0]
    assert [row[0] for row in of_two] == ["random", "pca8_euclidean"]
    with pytest.raises(TypeError, match="mean_table: expected the Evaluation of evaluate, found"):
        mean_table(example.means)


def test_means_of_groups_stand_below_their_names(grouped):
    rows, _ = shown(mean_table(grouped))
    headings = [row[0] for row in rows if len(row) == 1]
    assert headings == ["no kind (n = 1)", "kind = a_b (n = 2)", "kind = c (n = 2)"]
    assert len(rows) == 3 + 9


def test_ranks_are_those_of_the_orderings(example):
    table = ordering_table(example.orderings, ["RR", "LR", "AP"])
    assert names_of(table) == ["", "mean", "win_rate", "mean", "RR", "LR", "AP"]
    ranks_of = example.orderings.select("measure", "run", "rank").rows()
    rank = {(measure, run): value for measure, run, value in ranks_of}
    rows, notes = shown(table)
    for run, *ranks in rows:
        assert [float(v) for v in ranks] == [rank[m, run] for m in ("RR", "LR", "AP")]
    assert "num_ret" not in names_of(ordering_table(example.orderings))  # a count has no ranks
    bold = re.findall(r'font-weight: bold;"[^>]*>([^<]*)<', table.as_raw_html())
    assert bold == ["1", "1", "1"]
    assert notes == ["Ranks of the runs, 1 for the best; bold: the best of each column."]
    with pytest.raises(lf.LexiframeError, match="expected measures of the table, found 'P@5'"):
        ordering_table(example.orderings, ["P@5"])


def test_several_orderings_of_a_measure():
    p = lf.positions(*FILES)
    d = lf.preferences(p, ["RPP"])
    both = pl.concat([lf.order_runs(d, method=how) for how in ("borda", "mc4")])
    assert names_of(ordering_table(both)) == ["", "borda", "mc4", "RPP", "RPP"]


def test_ranks_of_groups(grouped):
    rows, _ = shown(ordering_table(grouped.orderings))
    assert [row[0] for row in rows if len(row) == 1] == ["kind = a_b", "kind = c", "no kind"]
    rank = grouped.orderings.filter(kind="c", measure="AP", run="pca8_euclidean")["rank"].item()
    of_c = rows[[row[0] for row in rows].index("kind = c") :]
    assert float(next(row[1] for row in of_c if row[0] == "pca8_euclidean")) == rank


def test_the_best_of_each_group_are_bold():
    ranks = {"kind": ["x", "x", "y", "y"], "run": ["a", "b"] * 2, "rank": [1.0, 2.0, 1.5, 1.5]}
    o = pl.DataFrame(ranks).with_columns(
        measure=pl.lit("AP"), method=pl.lit("mean"), value=pl.lit(0.5)
    )
    page = ordering_table(o).as_raw_html()
    assert re.findall(r'font-weight: bold;"[^>]*>([^<]*)<', page) == ["1", "1.5", "1.5"]


def test_comparisons_are_those_of_the_table(example):
    table = example.comparisons.filter(measure="AP")
    rows, notes = shown(comparison_table(table))
    assert rows[0] == ["AP"]
    for row, of in zip(rows[1:], table.iter_rows(named=True), strict=True):
        assert row[:3] == [of["run_a"], of["run_b"], str(of["n"])]
        assert row[3] == f"{of['mean_difference']:.3f}"
        assert row[4] == f"{max(of['ci_low'], -1):.3f} to {min(of['ci_high'], 1):.3f}"
        assert row[8] == ("✓" if of["reject"] else "")
    assert notes == [
        "A positive difference is better for run a.",
        "Test: paired randomization test, step-down max-t over all pairs of the family.",
        "Intervals end at the bounds of AP.",
    ]
    several = lf.compare(example.scores, test=["t", "sign"])
    headings = [row[0] for row in shown(comparison_table(several))[0] if len(row) == 1]
    assert any("sign test" in heading for heading in headings)


def test_many_comparisons_are_cut_and_counted(example):
    rows, notes = shown(comparison_table(example.comparisons, most=2))
    assert sum(len(row) > 1 for row in rows) == 2
    assert notes[-1] == "The first 2 of 15 comparisons."
    assert not any("first" in note for note in shown(comparison_table(example.comparisons))[1])


def test_a_verdict_with_its_sentences(example, grouped):
    v = lf.verdict(example, lf.compare(example, "sign"))
    rows, notes = shown(verdict_table(v))
    assert notes == v["sentence"].unique(maintain_order=True).to_list()
    assert len(notes) < v.height
    assert [row[0] for row in rows] == v["measure"].to_list()
    assert rows[0][1] == ", ".join(v["best"][0])
    assert rows[0][-1] == f"{v['n_significant'][0]} of {v['n_pairs'][0]}"
    near = [row[2] == "too few to tell" for row in rows]
    assert near == v["too_few"].to_list()
    headings = [row[0] for row in shown(verdict_table(lf.verdict(grouped)))[0] if len(row) == 1]
    assert headings == ["no kind", "kind = a_b", "kind = c"]


def test_names_are_text_and_no_markup(nasty):
    made = (
        mean_table(nasty),
        ordering_table(nasty.orderings),
        comparison_table(nasty.comparisons),
        verdict_table(lf.verdict(nasty)),
    )
    for table in made:
        assert "<script" not in table.as_raw_html()
        assert "<b>" not in table.as_raw_html()
        assert "<script>alert(1)</script>" in {text for row in shown(table)[0] for text in row}
    measures = lf.evaluate_scores(scores_of(["x", "y"], measures=["<img src=x>", "*a*"]))
    for table in (mean_table(measures), ordering_table(measures.orderings)):
        assert "<img" not in table.as_raw_html()
        assert "*a*" in names_of(table)
    assert "<img" not in comparison_table(measures.comparisons).as_raw_html()


def test_one_run_and_none():
    one = lf.evaluate(sorted(FILES[0].iterdir())[0], FILES[1], ["AP", "RR"])
    assert len(shown(mean_table(one))[0]) == 1
    assert shown(comparison_table(one.comparisons))[0] == []
    assert shown(verdict_table(lf.verdict(one)))[0] == []


def test_without_great_tables_the_extra_is_named(monkeypatch, example):
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(lf.LexiframeError, match=r"great-tables, which is not.*lexiframe\[viz\]"):
        mean_table(example)
    with pytest.raises(lf.LexiframeError, match="display tables need great-tables"):
        comparison_table(example.comparisons)
