"""The report in a real browser: each control changes what it should, and nothing goes wrong."""

import os
import re
import shutil
import warnings

import polars as pl
import pytest

import lexiframe as lf
from tests.conftest import library
from tests.core.views.report.test_report import ODD, collection

pytestmark = pytest.mark.slow
MEASURES = ["RPP", "LR", "LP", "AP", "nDCG@10"]
RUNS = ["alpha", "beta", "gamma", "delta"]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}


def chromium():
    """The path of Chromium; without it the test is skipped, or fails where all have to run."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        said = "Chromium is not installed; on Debian: apt-get install chromium"
        if os.environ.get("LEXIFRAME_REQUIRE_LIBRARIES"):
            pytest.fail(f"LEXIFRAME_REQUIRE_LIBRARIES is set, but {said}")
        pytest.skip(said)
    return found


@pytest.fixture(scope="module")
def browser():
    playwright = library("playwright.sync_api")
    path = chromium()
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A report in an offline browser, and all that it did that it should not."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(offline=True, **{"viewport": WIDE, **options})
        self.faults = []
        page = self.page = self.context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda said: self.faults.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        page.on("request", self.asked)
        self.path = path
        page.goto(path.as_uri())
        page.wait_for_selector("main:not([hidden])")

    def asked(self, request):
        if request.url not in (self.path.as_uri(), "data:,"):
            self.faults.append(request.url)

    def rows(self, table):
        """The texts of the cells of a table, row by row; its heads are the first row."""
        script = "t => [...t.rows].map(r => [...r.cells].map(c => c.innerText.trim()))"
        return self.page.locator(f"#{table}-table").evaluate(script)

    def frame(self, table):
        """The same as a frame of texts, without the arrows of the heads."""
        head, *rows = self.rows(table)
        names = [re.sub(r"\s*[↑↓]$", "", name.replace("\n", " ")) for name in head]
        kept = [n for n, name in enumerate(names) if name]
        return pl.DataFrame(
            [[row[n] for n in kept] for row in rows], [names[n] for n in kept], orient="row"
        )

    def open_pair(self, row=0, column=1):
        self.page.locator(f"#grid td[data-row='{row}'][data-column='{column}']").click()

    def fits(self):
        """The elements that stand out of the page, those in boxes that scroll left out."""
        script = """() => [...document.querySelectorAll("body *")]
            .filter(e => !e.closest(".scroll, pre, .unseen, svg"))
            .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.outerHTML.slice(0, 90))"""
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert self.page.evaluate(script) == []


@pytest.fixture(scope="module")
def e():
    how = {"test": ["t", "sign"], "correction": ["holm", "none"]}
    return lf.evaluate(*collection(RUNS, 12), MEASURES, **how)


@pytest.fixture(scope="module")
def path(e, tmp_path_factory):
    texts = pl.DataFrame({"doc_id": [f"d{n}" for n in range(20)]}).with_columns(
        title=pl.format("Title of {}", "doc_id"),
        image=pl.lit("data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="),
    )
    queries = {f"q{n}": f"words of {n}" for n in range(12)}
    folder = tmp_path_factory.mktemp("report")
    return e.report(folder / "a report.html", texts=texts, queries=queries)


@pytest.fixture
def opened(browser, path):
    report = Opened(browser, path)
    yield report
    report.context.close()
    assert report.faults == []


def written(x, decimals=4):
    """A number as the page writes it."""
    if x is None:
        return "–"
    if x != 0 and abs(x) < 10**-decimals / 2:
        return f"{x:.0e}".replace("e-0", "e-").replace("-", "−")
    return f"{x:.{decimals}f}".replace("-", "−") if x else f"{0:.{decimals}f}"


def p_written(p):
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def test_the_verdict_is_read_first(e, opened):
    v = lf.verdict(e).filter(test="t", correction="holm")
    shown = opened.frame("verdicts")
    assert shown["measure"].to_list() == MEASURES
    assert shown["first"].to_list() == [", ".join(runs) for runs in v["best"]]
    told = v.select(pl.format("{} of {}", "n_significant", "n_pairs")).to_series()
    assert shown["significant pairs"].to_list() == told.to_list()
    page = opened.page
    assert page.locator("#sentence").inner_text() == v["sentence"][0]
    box = page.locator("#verdict .headline").first.bounding_box()
    assert box["y"] + box["height"] < 400  # without scrolling
    page.locator("#verdicts-table button", has_text="LR").click()
    assert page.locator("#sentence").inner_text() == v["sentence"][1]
    assert page.locator("#choose-measure").evaluate("s => s.value") == "LR"


@pytest.mark.parametrize("measure", ["RPP", "AP"])
def test_numbers_of_runs_are_those_of_the_tables(e, opened, measure):
    opened.page.select_option("#choose-measure", measure)
    shown = opened.frame("of-measure")
    ordered = e.orderings.filter(measure=measure).sort("rank", "run")
    means = e.means.filter(measure=measure).rows_by_key("run", named=True, unique=True)
    assert [float(rank) for rank in shown["rank"]] == ordered["rank"].to_list()
    assert shown["run"].to_list() == ordered["run"].to_list()
    for row in shown.iter_rows(named=True):
        of_run = means[row["run"]]
        assert row["mean"].rstrip("*~") == written(of_run["mean"])
        assert row["low"] == written(of_run["ci_low"])
        assert row["high"] == written(of_run["ci_high"])
        assert row["n"] == str(of_run["n"])
    if measure == "RPP":
        assert shown["win_rate"].to_list() == [written(x) for x in ordered["value"]]
    everything = opened.frame("all-measures")
    for run, said in everything.select("run", measure).rows():
        assert said.startswith(written(means[run]["mean"]))


def test_pairs_wins_agreement_ties_and_coverage(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "AP")
    runs = e.orderings.filter(measure="AP").sort("rank", "run")["run"].to_list()
    matrix = lf.win_rate_matrix(e.preferences, "AP", runs=runs).drop("run")
    c = e.comparisons.filter(measure="AP", test="t", correction="holm")
    for row in range(4):
        for column in range(4):
            cell = page.locator(f"#grid td[data-row='{row}'][data-column='{column}']")
            expected = "" if row == column else written(matrix[row, column], 2)
            assert cell.inner_text().strip("•\n ") == expected
            pair = {"run_a": min(runs[row], runs[column]), "run_b": max(runs[row], runs[column])}
            told = c.filter(**pair)["reject"].to_list() == [True]
            assert ("•" in cell.inner_text()) == told
    page.locator("#grid td[data-row='1'][data-column='0']").hover()
    said = page.locator("#readout").inner_text()
    wins = e.win_rates.filter(measure="AP", run_a=min(runs[:2]), run_b=max(runs[:2]))
    won, lost = wins.select("wins", "losses").row(0)[:: 1 if runs[1] < runs[0] else -1]
    assert said.startswith(f"{runs[1]} against {runs[0]} by AP: {won} won, {lost} lost, ")
    assert f"share won {written(matrix[1, 0], 3)}." in said
    tau = lf.agreement_matrix(e.correlations)
    signs = lf.agreement_matrix(e.sign_agreement)
    for name, table in (("tau", tau), ("signs", signs)):
        shown = {row[0]: dict(zip(MEASURES, row[1:], strict=True)) for row in opened.rows(name)[1:]}
        for row in table.iter_rows(named=True):
            for other in set(MEASURES) - {row["measure"]}:
                assert shown[row["measure"]][other] == written(row[other], 3)
    ties = e.tie_rates.rows_by_key("measure", named=True, unique=True)
    power = e.power.filter(test="t", correction="holm").rows_by_key(
        "measure", named=True, unique=True
    )
    for row in opened.frame("tie-rates").iter_rows(named=True):
        name = row["measure"]
        assert row["tied"] == str(ties[name]["ties"])
        assert row["tie rate"] == written(ties[name]["tie_rate"], 3)
        assert row["power"] == written(power[name]["power"], 3)
    covered = opened.frame("coverage").select("run", "relevant retrieved", "judged at 10")
    expected = e.coverage.select("run", "relevant_retrieved", "judged_at_10").rows()
    assert covered.rows() == [(run, str(n), written(share)) for run, n, share in expected]


def test_tests_and_corrections_are_chosen(e, opened):
    page = opened.page
    page.select_option("#choose-test", "sign")
    page.select_option("#choose-correction", "none")
    v = lf.verdict(e).filter(test="sign", correction="none")
    assert page.locator("#sentence").inner_text() == v["sentence"][0]
    shown = opened.frame("tie-rates")["significant pairs"].to_list()
    assert shown == [str(n) for n in v["n_significant"]]


def test_any_run_is_a_baseline(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "AP")
    page.select_option("#choose-baseline", "beta")
    assert "all pairs of runs" in page.locator("#baseline").inner_text()
    c = e.comparisons.filter(measure="AP", test="t", correction="holm")
    shown = opened.frame("against").rows_by_key("run", named=True, unique=True)
    assert set(shown) == {"alpha", "gamma", "delta"}
    for run, row in shown.items():
        first, second = sorted([run, "beta"])
        known = c.filter(run_a=first, run_b=second).row(0, named=True)
        sign = 1 if first == run else -1
        ends = [sign * known["ci_low"], sign * known["ci_high"]]
        assert row["mean difference"] == written(sign * known["mean_difference"])
        assert [row["low"], row["high"]] == [written(end) for end in sorted(ends)]
        assert row["effect size"] == written(sign * known["effect_size"], 3)
        assert row["corrected p"] == p_written(known["p_adjusted"])
        assert row["verdict"] == (
            "not significantly different" if not known["reject"]
            else "▲ better" if sign * known["mean_difference"] > 0 else "▼ worse"
        )  # fmt: skip
    first = page.locator("#baseline-sentence").inner_text()
    for run, row in shown.items():
        (part,) = [part for part in first.removesuffix(".").split("; ") if run in part]
        assert row["verdict"].lstrip("▲▼ ") in part
    sides = [row["verdict"].lstrip("▲▼ ") for row in shown.values()]
    of_ap = opened.frame("verdicts").filter(measure="AP")["against beta"].item()
    assert dict(reversed(part.split(" ", 1)) for part in of_ap.split(", ")) == {
        side: str(sides.count(side)) for side in sides
    }
    means = opened.frame("of-measure").rows_by_key("run", named=True, unique=True)
    for run, row in shown.items():
        assert means[run]["against beta"] == f"{row['mean difference']} {row['verdict']}"
    page.select_option("#choose-baseline", "none")
    assert page.locator("#baseline").is_hidden()
    assert page.locator("#baseline-sentence").count() == 0
    assert "against beta" not in opened.frame("verdicts").columns


def test_a_pair_and_a_request_are_opened(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "LR")
    opened.open_pair(0, 3)
    a, b = page.locator("#pair-title").inner_text().split(" against ")
    pair = e.pair(a, b, "LR").rows_by_key("query_id", named=True, unique=True)
    shown = opened.frame("requests")
    assert shown.height == len(pair) == 12
    sizes = [abs(pair[request]["preference"]) for request in shown["request"]]
    assert sizes == sorted(sizes, reverse=True)
    for row in shown.iter_rows(named=True):
        known = pair[row["request"]]
        assert row["difference"] == written(known["preference"])
        assert row["deciding level"] == (str(known["deciding_level"] or "–"))
        assert row["text"] == f"words of {row['request'][1:]}"
    by_all = opened.frame("pair-measures").rows_by_key("measure", named=True, unique=True)
    for measure in MEASURES:
        first, second = sorted([a, b])
        wins = e.win_rates.filter(measure=measure, run_a=first, run_b=second).row(0, named=True)
        won = wins["wins"] if first == a else wins["losses"]
        assert by_all[measure]["won"] == str(won)
    request = shown["request"][0]
    page.locator("#requests-table tbody button", has_text=request).first.click()
    assert f"words of {request[1:]}" in page.locator("#request").inner_text()
    explained = e.explain(request, a, b, ["LR", "LP"])
    explained = explained.filter(pl.col("threshold") == pl.col("threshold").min())
    levels = opened.rows("levels")[1:]
    assert len(levels) == explained.height
    for row, known in zip(levels, explained.iter_rows(named=True), strict=True):
        assert row[1] == str(known["position_a"] or "–")
        assert row[4] == str(known["position_b"] or "–")
        assert set(row[6].split(", ")) == set((known["decides"] or "").split(", "))
        assert f"Title of {known['doc_a']}" in row[2] or known["position_a"] is None
    assert page.locator("#levels-table img").count() > 0
    n = explained.height
    assert page.locator("#strips circle.item").count() == 2 * n
    assert page.locator("#strips circle.ring").count() == 4  # LR and LP, in both rankings
    first = page.locator("#strips circle.item.first title").first.inner_html()
    assert re.match(r"Title of d\d+ \(d\d+\): rank \d+, level 1 of ", first)


def test_scores_of_a_pair_are_those_of_the_table(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "nDCG@10")
    opened.open_pair(1, 2)
    a, b = page.locator("#pair-title").inner_text().split(" against ")
    pair = e.pair(a, b, "nDCG@10").rows_by_key("query_id", named=True, unique=True)
    for row in opened.frame("requests").iter_rows(named=True):
        known = pair[row["request"]]
        assert row["first"] == written(known["value_a"])
        assert row["second"] == written(known["value_b"])
        assert row["difference"] == written(known["preference"])
    page.locator("#swap").click()
    assert page.locator("#pair-title").inner_text() == f"{b} against {a}"
    turned = opened.frame("requests").rows_by_key("request", named=True, unique=True)
    assert all(turned[q]["first"] == written(known["value_b"]) for q, known in pair.items())
    page.select_option("#choose-measure", "RPP")  # whose values are stored in one direction
    for first, second in ((b, a), (a, b)):
        expected = {q: written(x) for q, x in e.pair(first, second, "RPP")[_DIFFERENCE].rows()}
        shown = opened.frame("requests").select("request", "difference").rows()
        assert dict(shown) == expected
        page.locator("#swap").click()


_DIFFERENCE = ["query_id", "preference"]


def test_a_table_is_sorted_and_filtered(opened):
    page = opened.page
    head = page.locator("#all-measures-table thead button", has_text="AP")
    head.click()
    values = [float(text[:6]) for text in opened.frame("all-measures")["AP"]]
    assert values == sorted(values, reverse=True)
    assert (
        page.locator("#all-measures-table th[aria-sort]").get_attribute("aria-sort") == "descending"
    )
    head.press("Enter")
    values = [float(text[:6]) for text in opened.frame("all-measures")["AP"]]
    assert values == sorted(values)
    opened.open_pair()
    field = page.locator("#pair input[type=search]")
    field.fill("words of 1")
    assert set(opened.frame("requests")["request"]) == {"q1", "q10", "q11"}
    assert "3 of 12" in page.locator("#pair").inner_text()


def test_it_works_by_keyboard(opened):
    page = opened.page
    page.locator("#grid td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    cell = page.evaluate(
        "[document.activeElement.dataset.row, document.activeElement.dataset.column]"
    )
    assert cell == ["1", "3"]
    assert page.locator("#readout").inner_text().count(" won, ") == 1
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "pair-title"
    page.locator("#requests-table tbody button").first.press("Enter")
    assert page.evaluate("document.activeElement.id") == "request-title"
    page.locator("#request .buttons button").press("Enter")
    assert page.locator("#request").is_hidden()
    page.locator("#choose-measure").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#means-title").inner_text() == "Runs by LR"
    assert page.evaluate("document.activeElement.id") == "choose-measure"
    page.locator("#provenance summary").press("Enter")
    assert "doc_id_desc" in page.locator("#provenance pre").inner_text()


def test_the_focus_stays_on_the_measure_that_is_chosen_in_the_verdict(opened):
    page = opened.page
    page.locator("#verdicts-table button", has_text="AP").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "AP"
    assert page.locator("#means-title").inner_text() == "Runs by AP"


def test_what_is_opened_begins_at_the_top_of_the_window(opened):
    page = opened.page
    for title in ("pair-title", "request-title"):
        if title == "pair-title":
            opened.open_pair()
        else:
            page.locator("#requests-table tbody button").first.click()
        below = page.locator("#controls").evaluate("e => e.getBoundingClientRect().bottom")
        top = page.locator(f"#{title}").evaluate("e => e.getBoundingClientRect().top")
        assert below <= top < below + 100


def test_a_text_in_a_filter_that_is_not_shown_hides_nothing(browser, tmp_path):
    runs, qrels = collection("ab", 2)
    few = (pl.col("query_id") == "q0") | (pl.col("doc_id").is_in(["d1", "d3", "d5"]))
    e = lf.evaluate(runs, qrels.filter(few).with_columns(relevance=1.0), "LR")
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    opened.open_pair()
    open_request = opened.page.locator("#requests-table tbody button")
    open_request.filter(has_text="q0").click()
    opened.page.locator("#request input[type=search]").fill("no such document")
    assert len(opened.rows("levels")) == 1
    open_request.filter(has_text="q1").click()
    assert opened.page.locator("#request input[type=search]").count() == 0
    assert len(opened.rows("levels")) == 4
    opened.context.close()


def test_runs_are_not_ranked_by_a_count(browser, tmp_path):
    e = lf.evaluate(*collection("abc"), ["num_ret", "AP"])
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    page = opened.page
    assert page.locator("#choose-measure").evaluate("s => s.value") == "AP"
    page.select_option("#choose-measure", "num_ret")
    page.select_option("#choose-baseline", "b")
    opened.open_pair()
    page.locator("#requests-table tbody button").first.click()
    means = opened.frame("of-measure")
    assert "rank" not in means.columns
    known = e.means.filter(measure="num_ret").rows_by_key("run", named=True, unique=True)
    shown = {run.removesuffix(" baseline"): mean for run, mean in means["run", "mean"].rows()}
    assert shown == {run: written(row["mean"]) for run, row in known.items()}
    assert "More is not better by num_ret" in page.locator("#means").inner_text()
    assert "num_ret is a count" in page.locator("#pairs").inner_text()
    assert "better" not in opened.frame("requests").columns
    (row,) = opened.frame("request-measures").filter(measure="num_ret").rows(named=True)
    assert row["better"] in ("tie", "–")
    assert not page.locator("#against-table", has_text="better").count()
    assert page.locator("#order option").all_inner_texts() == ["rank by AP", "name"]
    assert opened.faults == []
    opened.context.close()


def test_a_level_beyond_the_cutoff_is_marked_at_the_next_relevant_item(browser, tmp_path):
    ranks = {"a": {"d1": 2, "d2": 9}, "b": {"d2": 5, "d1": 8}}
    runs = {
        run: {"q": {f"x{run}{n}": -n for n in range(1, 11)} | {d: -n for d, n in of.items()}}
        for run, of in ranks.items()
    }
    for run, of in ranks.items():
        for n in of.values():
            del runs[run]["q"][f"x{run}{n}"]
    e = lf.evaluate(runs, {"q": {"d1": 1, "d2": 1}}, "LP@3")
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    opened.open_pair()
    opened.page.locator("#requests-table tbody button").first.click()
    assert "LP@3 is decided at recall level 1" in opened.page.locator("#request").inner_text()
    at = "e => e.getAttribute('cx')"
    item = opened.page.locator("#strips circle.item.second", has_text="rank 5")
    ring = opened.page.locator("#strips circle.ring").last
    assert ring.evaluate(at) == item.evaluate(at)
    opened.context.close()


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_means_say_over_how_many_requests_where_runs_have_different_ones(browser, tmp_path):
    s = lf.scores(lf.positions(*collection("abc")), ["AP"])
    is_missing = (pl.col("run") == "a") & pl.col("query_id").is_in(["q1", "q2"])
    opened = Opened(browser, lf.evaluate_scores(s.filter(~is_missing)).report(tmp_path / "r.html"))
    assert "Means over 4 to 6 requests" in opened.page.locator("#means").inner_text()
    assert opened.frame("of-measure").sort("run")["n"].to_list() == ["4", "6", "6"]
    opened.context.close()


CONTRAST = """() => {
    const channels = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const ground = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const found = channels(getComputedStyle(at).backgroundColor);
            if (found.length === 3 || found[3] > 0) return found;
        }
        return [255, 255, 255];
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const low = [];
    while (texts.nextNode()) {
        const e = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !e.checkVisibility()) continue;
        const style = getComputedStyle(e);
        const colour = e.closest("svg") ? style.fill : style.color;
        const [a, b] = [light(channels(colour)), light(ground(e))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) low.push([texts.currentNode.data.slice(0, 30), ratio, colour]);
    }
    return low;
}"""


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows_and_text_has_contrast(browser, path, viewport, theme):
    opened = Opened(browser, path, viewport=viewport, color_scheme=theme)
    page = opened.page
    opened.open_pair()
    page.locator("#requests-table tbody button").first.click()
    page.select_option("#choose-baseline", "alpha")
    opened.fits()
    assert page.evaluate(CONTRAST) == []
    page.locator("#theme").click()
    other = "light" if theme == "dark" else "dark"
    assert page.evaluate("document.documentElement.dataset.theme") == other
    assert page.evaluate(CONTRAST) == []
    page.emulate_media(media="print")
    assert page.locator("#controls").is_hidden()
    heads = "[...document.querySelectorAll('thead button')].map(e => getComputedStyle(e).display)"
    assert set(page.evaluate(heads)) == {"contents"}  # pages that repeat heads leave out boxes
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST) == []
    assert opened.faults == []
    opened.context.close()


LONG = [f"a-model-of-{n}-layers-{'with-a-name-' * n}distilled" for n in range(1, 5)]
CUT = """boxes => boxes.filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => box.querySelector("table").id)"""


def test_coverage_and_the_verdict_need_no_scrolling_sideways(browser, tmp_path):
    e = lf.evaluate(*collection(LONG, 12), MEASURES)
    path = e.report(tmp_path / "r.html")
    wide = Opened(browser, path)
    cut = wide.page.locator(".scroll").evaluate_all(CUT)
    assert not {"verdicts-table", "coverage-table", "tied-table"} & {*cut}
    covered, tied = (wide.frame(name).drop("run").columns for name in ("coverage", "tied"))
    # Nothing here has a grade below 0, one score alone or its query first: the page has no such
    # columns.
    shown = e.coverage.drop("run", "negative", "one_score", "own_first")
    named = [name.replace("_", " ") for name in shown.columns]
    assert sorted(covered + tied) == sorted(named)
    narrow = Opened(browser, path, viewport=NARROW)
    assert "verdicts-table" not in narrow.page.locator(".scroll").evaluate_all(CUT)
    assert narrow.frame("verdicts").rows() == wide.frame("verdicts").rows()
    narrow.fits()
    for opened in (wide, narrow):
        assert opened.faults == []
        opened.context.close()


def _many():
    return lf.evaluate(*collection([f"run{n:03}" for n in range(110)], 3), "AP")


def _one_sided():
    return lf.evaluate(*collection("abc"), ["RPP", "AP"], alternative="greater")


def _grouped():
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(6)], "kind": list("xxxyyy")})
    return lf.evaluate(*collection("abc"), ["RPP", "AP"], requests=requests, by="kind")


def _of_scores():
    return lf.evaluate_scores(lf.scores(lf.positions(*collection("abc")), ["AP", "RR"]))


def _lacking(missing):
    """Scores of which a lacks two requests, and has one in common with c."""
    s = lf.scores(lf.positions(*collection("abc")), ["AP", "RR"])
    queries = s["query_id"].unique().sort().to_list()
    lacks = {"a": queries[:2], "c": queries[3:]}
    for run, gone in lacks.items():
        s = s.filter((pl.col("run") != run) | ~pl.col("query_id").is_in(gone))
    with warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning):
        return lf.evaluate_scores(s, missing=missing)


EVALUATIONS = {
    "two runs": lambda: lf.evaluate(*collection("ab")),
    "many runs": _many,
    "one request": lambda: lf.evaluate(*collection("abc", 1)),
    "one run": lambda: lf.evaluate(*collection("a")),
    "no preferences": lambda: lf.evaluate(*collection("abc"), ["AP", "RR"]),
    "only preferences": lambda: lf.evaluate(*collection("abc"), ["RPP", "rrLR", "LP@5"]),
    "scores": _of_scores,
    "no order": lambda: _lacking(None),
    "own requests": lambda: _lacking("own"),
    "groups": _grouped,
    "a baseline": lambda: lf.evaluate(*collection("abc"), ["RPP", "AP"], baseline="b"),
    "one-sided": _one_sided,
    "odd names": lambda: lf.evaluate(*collection(ODD, 3), ["RPP", "AP"]),
}


@pytest.mark.parametrize("kind", EVALUATIONS)
def test_every_kind_of_evaluation(browser, tmp_path, kind):
    e = EVALUATIONS[kind]()
    opened = Opened(browser, e.report(tmp_path / "r.html"), viewport=NARROW)
    page = opened.page
    if kind == "one run":
        assert f"{e.means['mean'][0]:.4f}" in page.locator("#verdict").inner_text()
    else:
        opened.open_pair()
        page.locator("#requests-table tbody button").first.click()
        if kind in ("scores", "no order", "own requests"):
            assert "rankings are not known" in page.locator("#request").inner_text()
        else:
            assert page.locator("#strips").is_visible()
        page.select_option("#choose-baseline", index=1)
    if kind == "one request":
        assert "One request does not show how stable" in page.locator("#means").inner_text()
        assert set(opened.frame("of-measure")["most often"]) == {"–"}
    if kind == "no order":
        assert page.locator(".headline").first.inner_text().startswith("No order by AP, because")
        assert "rank" not in opened.frame("of-measure").columns
    if kind == "own requests":
        said = page.locator("#means").inner_text()
        assert "Each run is ranked by the requests that it has." in said
        assert "? not tested against a run with *" in said
        assert "(n=" in "".join(opened.frame("of-measure")["mean"])
    if kind == "many runs":  # what the pointer is at is said where it is seen
        page.locator("#grid td[data-row='2'][data-column='4']").hover()
        said = page.locator("#readout").bounding_box()
        assert 0 <= said["y"] <= NARROW["height"] - said["height"]
    if kind == "groups":
        page.select_option("#choose-group", "kind = y")
        assert "for kind = y" in page.locator("#sentence").inner_text()
        assert page.locator(".headline").first.inner_text().startswith("For kind = y: ")
        assert set(opened.frame("requests")["request"]) == {"q3", "q4", "q5"}
    if kind == "odd names":
        assert set(opened.frame("all-measures")["run"]) >= set(ODD[:4])
    if kind == "a baseline":
        assert "Only pairs with b were tested." in page.locator("#pairs").inner_text()
        assert "▲ significantly better than b, ▼ worse" in page.locator("#means").inner_text()
        page.select_option("#choose-baseline", "a")
        assert "1 other run not compared with a" in page.locator("#baseline").inner_text()
    opened.fits()
    assert opened.faults == []
    opened.context.close()


def test_the_address_shows_somebody_else_the_same(e, opened):
    page = opened.page
    page.select_option("#choose-measure", "AP")
    page.click("#grid td[data-row='0'][data-column='1']")
    page.wait_for_selector("#pair:not([hidden])")
    address, said = page.url, page.inner_text("#pair")
    assert "measure=AP" in address
    assert "run_a=" in address
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#pair:not([hidden])")
    assert page.inner_text("#pair") == said
    assert page.input_value("#choose-measure") == "AP"
    page.evaluate("location.hash = 'measure=LR&run_a=nobody&run_b=alpha&request=none'")
    page.wait_for_function("document.getElementById('choose-measure').value === 'LR'")
    assert page.is_hidden("#pair")


def test_the_hint_covers_nothing_and_is_not_printed(e, opened):
    page = opened.page
    style = "getComputedStyle(document.getElementById('readout'))"
    assert page.evaluate(f"{style}.position") == "static"
    page.hover("#grid td[data-row='0'][data-column='1']")
    assert page.evaluate(f"{style}.position") == "sticky"
    page.emulate_media(media="print")
    assert page.evaluate(f"{style}.display") == "none"
    page.emulate_media(media="screen")


def test_a_page_of_answers_has_nuggets_and_their_sentences(browser, tmp_path):
    facts = {"query_id": "q", "nugget_id": ["a", "b"], "text": ["It is red.", None]}
    facts["importance"] = ["vital", "okay"]
    stated = {"run": [*"xxy"], "query_id": "q", "nugget_id": [*"aba"], "sentence": [2, 1, 3]}
    facts, stated = pl.DataFrame(facts), pl.DataFrame(stated | {"credit": 1.0})
    e = lf.evaluate_scores(lf.Nuggets(facts, stated), "NuggetRecall")
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    opened.open_pair()
    opened.page.locator("#requests-table tbody button").first.click()
    levels = opened.frame("levels").select("sentence in x", "nugget in x", "sentence in y")
    assert levels.rows() == [("1", "b\nokay", "3"), ("2", "a: It is red.\nvital", "–")]
    said = opened.page.locator("#request").inner_text()
    assert "Each mark is one of the nuggets at its sentence" in said
    assert "not stated" in said
    assert opened.faults == []
    opened.context.close()


@pytest.mark.filterwarnings("ignore:lists of 10 or more documents:lexiframe.LexiframeWarning")
def test_chances_over_tied_orders_are_those_of_the_table(browser, tmp_path):
    """And no level decides, as each one may; a run's tied documents are a share of its places."""
    runs, qrels = collection(RUNS, 6)
    e = lf.evaluate(
        runs.with_columns(pl.col("score") // 4), qrels, ["LR", "AP"], ties="expected", test="t"
    )
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    page = opened.page
    tied = opened.frame("tied").select("run", "tied share")
    shares = e.coverage.select("run", pl.col("tied") / pl.col("retrieved"))
    assert {*tied.rows()} == {(run, written(share)) for run, share in shares.rows()}
    page.select_option("#choose-measure", "LR")
    opened.open_pair(3, 1)
    a, b = page.locator("#pair-title").inner_text().split(" against ")
    first, second = sorted([a, b])
    known = e.preferences.filter(measure="LR", run_a=first, run_b=second)
    sides = ("p_better", "p_worse") if first == a else ("p_worse", "p_better")
    expected = {
        q: tuple(written(round(p, 4)) for p in both)
        for q, *both in known["query_id", *sides].rows()
    }
    shown = opened.frame("requests")
    assert "deciding level" not in shown.columns
    named = shown["request", "chance of first", "chance of second"].rows()
    assert {q: tuple(both) for q, *both in named} == expected
    request = shown["request"][0]
    page.locator("#requests-table tbody button", has_text=request).first.click()
    by_all = opened.frame("request-measures").rows_by_key("measure", named=True, unique=True)
    assert (by_all["LR"]["chance of first"], by_all["LR"]["chance of second"]) == expected[request]
    assert by_all["AP"]["chance of first"] == "–"
    assert "in the order of their ids" in page.locator("#request").inner_text()
    assert opened.faults == []
    opened.context.close()
