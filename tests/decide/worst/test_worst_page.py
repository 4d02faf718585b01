"""The part of an evaluation's page on who is served worst."""

import re

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.decide.worst.page import worst_part

DIGITS = lf.bundled("digits")


def part_of(e):
    return worst_part(e.tables(), e.provenance, e.attributes)


@pytest.fixture(scope="module")
def whole():
    runs = sorted((DIGITS / "runs").iterdir())[::3]
    return lf.evaluate(runs, DIGITS / "qrels.parquet", "AP RPP num_ret LR.rank", test="t")


def test_it_has_a_curve_with_a_band_for_the_first_runs_and_ends_at_the_mean(whole):
    text = part_of(whole)
    assert text.startswith('<section class="scroll" id="worst"')
    ap = whole.scores.filter(measure="AP")
    assert lf.worst_served(ap, 0.1).verdict.sentences[0] in text
    assert re.findall("<h3>(.*?)</h3>", text) == [
        "AP of the worst share",
        "Requests that most runs serve worst",
    ]
    names = re.findall("<g><title>(.*?)</title>", text)
    best = whole.means.filter(measure="AP").sort("mean", descending=True)
    assert names == best["run"].head(8).to_list()
    band = re.search('<polygon points="(.*?)"', text)[1].split()
    ticks = re.findall(r'x="30" y="([\d.]+)">([\d.e-]+)<', text)
    (y0, v0), (y1, v1) = ([float(x) for x in ticks[n]] for n in (0, -1))
    at_mean = [float(p.split(",")[1]) for p in band if p.startswith("460.0")]
    high, low = (v0 + (y - y0) * (v1 - v0) / (y1 - y0) for y in sorted(at_mean))
    row = best.row(0, named=True)
    assert (low, high) == pytest.approx((row["ci_low"], row["ci_high"]), abs=0.01)


@pytest.mark.slow
def test_groups_have_figures_of_their_own_and_the_page_of_an_evaluation_has_it(tmp_path):
    how = {"requests": DIGITS / "queries.parquet", "by": "loop"}
    e = lf.evaluate(DIGITS / "runs", DIGITS / "qrels.parquet", "AP", **how)
    text = part_of(e)
    titles = re.findall("<h3>(.*?)</h3>", text)[:-1]
    assert titles == [f"AP of the worst share for loop = {of}" for of in ("with a loop", "without")]
    assert text in e.report(tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_few_requests_and_preferences_alone_have_none(whole):
    folder = lf.bundled("example")
    assert not part_of(lf.evaluate(folder / "runs", folder / "qrels.txt", "AP"))
    assert not part_of(lf.evaluate(DIGITS / "runs", DIGITS / "qrels.parquet", "RPP"))


def test_measures_with_values_for_fewer_requests_have_shares_of_their_own(whole):
    s = whole.scores.filter(measure="AP", run=whole.scores["run"][0])
    ids = s["query_id"].unique().sort()
    few = s.filter(pl.col("query_id").is_in(ids.head(9).implode())).with_columns(
        measure=pl.lit("RR")
    )
    none = s.filter(pl.col("query_id").is_in(ids.head(2).implode())).with_columns(
        measure=pl.lit("P@5")
    )
    text = part_of(lf.evaluate_scores(pl.concat([s, few, none])))
    assert re.findall("<h3>(.*?)</h3>", text)[:-1] == [
        "AP of the worst share",
        "RR of the worst share",
    ]


def test_requests_are_listed_where_a_run_is_worse_than_its_mean():
    """Nearly all values of RR are 1: those that fill the worst share with them are no bad ones."""
    names = ["isomap8_euclidean", "combsum_fine", "pca16_cosine", "pixels_euclidean"]
    runs = [DIGITS / f"runs/{name}.parquet" for name in names]
    e = lf.evaluate(runs, DIGITS / "qrels.parquet", "RR", test="t")
    rows = re.findall("<tr>.*?</tr>", part_of(e).split("most runs serve worst")[1], re.DOTALL)
    cells = [re.sub("<.*?>", " ", row).split() for row in rows]
    assert cells[1:] == [["RR", "0.050", "q1666", "2", "0.500"]]
    first = e.scores.filter(run=e.scores["run"][0]).with_columns(value=1.0)
    assert "most runs serve worst" not in part_of(lf.evaluate_scores(first))
