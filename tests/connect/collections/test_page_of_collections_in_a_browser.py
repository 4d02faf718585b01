"""The page of several collections: an overview, a menu, and the page that each has alone."""

import json
import re
import shutil

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.collections import page as page_of_collections
from tests.core.views.report.test_report import Page, collection
from tests.core.views.report.test_report_in_a_browser import (
    NARROW,
    Opened,
    browser,  # noqa: F401 - a fixture
    written,
)

pytestmark = pytest.mark.slow
RUNS = ["alpha", "beta", "gamma", "a_run_of_a_long_name_" * 3]
DATA = {
    "news": collection(RUNS, 9),
    "<b>law</b>": collection(RUNS[:3], 7, seed=1),
    "web & more": collection(RUNS, 8, seed=2),
}
QUERIES = pl.DataFrame(
    [(name, f"q{n}", f"words of {n} in {name}") for name in DATA for n in range(9)],
    ["collection", "query_id", "text"],
    orient="row",
)


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(DATA, measures=["AP", "LR", "num_ret"], test=["t", "sign"])


@pytest.fixture(scope="module")
def path(e, tmp_path_factory):
    texts = QUERIES.filter((pl.col("collection") != "news") | (pl.col("query_id") < "q9"))
    return e.report(tmp_path_factory.mktemp("report") / "all.html", queries=texts)


@pytest.fixture
def opened(browser, path):  # noqa: F811
    report = Opened(browser, path)
    yield report
    report.context.close()
    assert report.faults == []


def test_the_file_has_the_data_of_the_pages_and_the_scripts_once(e, path, tmp_path):
    page, rest = Page(path), path.stat().st_size
    for n, (name, one) in enumerate(e.collections.items()):
        texts = QUERIES.filter(collection=name).drop("collection")
        alone = Page(one.report(tmp_path / "one.html", queries=texts))
        for part in ("facts", "numbers"):
            assert page.script(f"{part}-{n}") == alone.script(part)
            rest -= len(alone.script(part).encode())
    assert rest < 200_000


@pytest.mark.parametrize("measure", ["AP", "LR"])
def test_the_overview_has_the_means_and_verdicts_of_the_tables(e, opened, measure):
    opened.page.select_option("#choose-measure", measure)
    means = e.means.filter(measure=measure)
    shown = opened.frame("cells")
    assert shown["run"].to_list()[-1] == RUNS[-1]  # one collection lacks it
    assert shown.row(-1)[1:3] == ("–", "–")
    wide = means.pivot("collection", index="run", values="mean")
    ranks = means.pivot("collection", index="run", values="rank")
    for row in shown.iter_rows(named=True):
        run = row["run"]
        for name in DATA:
            known = wide.filter(run=run)[name].item()
            assert row[name].rstrip("*~") == written(known)
            assert ("*" in row[name]) == (ranks.filter(run=run)[name].item() == 1)
        if run != RUNS[-1]:
            assert row["mean"] == written(
                wide.filter(run=run).select(pl.mean_horizontal(*DATA)).item()
            )
            rank = ranks.filter(run=run).select(pl.mean_horizontal(*DATA)).item()
            assert row["mean rank"] == written(rank, 2)
        assert row["first in"] == str(means.filter(run=run, rank=1).height)
    over = lf.verdict(e).filter(pl.col("collection").is_null(), measure=measure, test="t")
    said = over["sentence"].item()
    assert opened.page.locator("#over-sentence").inner_text() == said
    v = lf.verdict(e).filter(measure=measure, test="t").rows_by_key("collection", named=True)
    for row in opened.frame("of-collections").iter_rows(named=True):
        (known,) = v[row["collection"]]
        assert row["first"] == ", ".join(known["best"])
        assert row["significant pairs"] == f"{known['n_significant']} of {known['n_pairs']}"
    first = means.filter(rank=1)["run"].value_counts(sort=True, name="n")
    headline = opened.page.locator("#firsts .headline").inner_text()
    assert headline.startswith(f"By {measure}, ")
    assert re.search(rf"first in (all )?{first['n'][0]} (of 3 )?collections", headline)
    assert first["run"][0] in headline


def test_panels_have_one_scale(e, opened):
    means = e.means.filter(measure="AP")
    ends = [end for name in ("ci_low", "ci_high") for end in means[name]]
    low, high = min(ends), max(ends)
    for name in DATA:
        panel = opened.page.locator("#panels figure", has_text=name)
        of_runs = means.filter(collection=name).rows_by_key("run", named=True, unique=True)
        for run, row in of_runs.items():
            dot = panel.locator("tr", has_text=run).locator(".dot").bounding_box()
            svg = panel.locator("tr", has_text=run).locator("svg").bounding_box()
            middle = dot["x"] + dot["width"] / 2 - svg["x"]
            assert middle == pytest.approx(6 + (row["mean"] - low) / (high - low) * 178, abs=1)
        assert panel.locator("path.dot").count() == 1  # the best


def test_a_collection_is_chosen_from_the_menu_by_links_and_from_the_address(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "LR")
    page.locator("#panels a", has_text="law").click()
    page.wait_for_selector("#report:not([hidden])")
    assert page.locator("#overview").is_hidden()
    assert page.url.endswith("#collection=%3Cb%3Elaw%3C%2Fb%3E&measure=LR")
    assert page.title() == "<b>law</b>: Evaluation of 3 runs"
    said = lf.verdict(e.collections["<b>law</b>"]).filter(measure="LR", test="t")["sentence"].item()
    assert page.locator("#sentence").inner_text() == said
    assert json.loads(page.locator("#provenance pre").text_content())["groups"] == []
    page.select_option("#choose-test", "sign")
    page.select_option("#choose-collection", "web & more")
    page.locator("h1", has_text="web & more: ").wait_for()
    assert page.url.endswith("#collection=web+%26+more&measure=LR&test=sign")
    assert opened.frame("all-measures").height == 4
    page.go_back()
    page.locator("h1", has_text="<b>law</b>: ").wait_for()
    page.go_back()
    page.wait_for_selector("#overview:not([hidden])")
    assert page.locator("#choose-measure").evaluate("s => s.value") == "LR"
    page.goto(
        opened.path.as_uri() + "#collection=news&measure=LR&run_a=beta&run_b=alpha&request=q3"
    )
    page.wait_for_selector("#report:not([hidden])")
    assert page.locator("#pair-title").inner_text() == "beta against alpha"
    assert page.locator("#request blockquote").inner_text() == "words of 3 in news"
    page.goto(opened.path.as_uri() + "#collection=gone")
    page.wait_for_selector("#overview:not([hidden])")
    assert page.url == opened.path.as_uri()


def test_the_keyboard_suffices(opened):
    page = opened.page
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    focused = "document.activeElement.id"
    assert page.evaluate(focused) == "choose-collection"
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#report:not([hidden])")
    assert page.evaluate(focused) == "choose-collection"
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("#overview:not([hidden])")
    page.locator("#of-collections-table a", has_text="news").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#report:not([hidden])")
    assert page.evaluate(focused) == "verdict-title"


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_stands_out_of_the_page(browser, path, width):  # noqa: F811
    report = Opened(browser, path, viewport={**NARROW, "width": width})
    for place in ("", "#collection=news"):
        report.page.goto(path.as_uri() + place)
        report.page.wait_for_selector("main:not([hidden])")
        report.fits()
    report.context.close()
    assert report.faults == []


@pytest.fixture
def two_at_most(monkeypatch):
    """A page has the data of two collections at most."""
    assert page_of_collections.MOST == 19
    monkeypatch.setattr(page_of_collections, "MOST", 2)


@pytest.mark.usefixtures("two_at_most")
@pytest.mark.parametrize("measures, measure", [("num_ret LR AP", "AP"), ("LR", "LR")])
def test_of_many_collections_there_is_the_page_of_a_leaderboard(tmp_path, measures, measure):
    data = {  # each lacks another run
        f"c{n}": collection([run for run in "abcd" if run != "abcd"[n]], 5, seed=n)
        for n in range(4)
    }
    e = lf.evaluate(data, measures=measures)
    said = f"has 4 collections, and a page has the data of up to 2: .* leaderboard by {measure}"
    with pytest.warns(lf.LexiframeWarning, match=said):
        path = e.report(tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert re.search(said, text)
    (facts,) = re.findall(r'id="facts">(.*?)</script>', text)
    cells = e.means.filter(measure=measure).select("run", "collection", value="mean")
    ranking = lf.leaderboard(cells, "borda", "votes").ranking
    shown = [(row["run"], row["rank"], row["value"]) for row in json.loads(facts)["ranking"]]
    assert shown == ranking.select("run", "rank", "value").rows()


@pytest.mark.usefixtures("two_at_most")
def test_the_command_writes_it(lexiframe, tmp_path):
    for name in "abc":
        shutil.copytree(lf.bundled("example"), tmp_path / "data" / name)
    command = "evaluate", tmp_path / "data", "-m", "AP", "--report"
    said = lexiframe(*command, tmp_path / "board.html")
    assert said.status == 0
    assert "leaderboard by AP. By another measure: name it first in -m" in " ".join(
        said.err.split()
    )
    shutil.rmtree(tmp_path / "data/c")
    assert lexiframe(*command, tmp_path / "page.html").status == 0
    found = Page(tmp_path / "page.html").facts["collections"]
    assert [one["name"] for one in found] == ["a", "b"]
