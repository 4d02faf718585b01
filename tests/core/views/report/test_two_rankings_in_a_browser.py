"""The two rankings of the documentation's page and of the report, moved and marked in a browser."""

import importlib
import re
import string
import sys
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import sums
from lexiframe.core.views.report.page import part
from tests.core.views.report.test_report import collection
from tests.core.views.report.test_report_in_a_browser import (
    NARROW,
    WIDE,
    Opened,
    browser,  # noqa: F401 - a fixture
)

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[4] / ".docs"
METRICS = ["AP", "nDCG@10", "RR", "R@5", "TSE(AP)"]
MEASURES = ["RPP", "LP", "LR", *METRICS]
READ = """addresses => addresses.map(address => {
    const newURL = `${location.href}#${address}`;  // told, not gone to, which takes much longer
    dispatchEvent(new HashChangeEvent("hashchange", {newURL}));
    const cell = one => one.querySelector("data")?.value ?? one.textContent;
    const rows = table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell));
    return [...document.querySelectorAll("#rankings table")].map(rows);
})"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The page as the documentation has it, with its style and script inside, without the frame."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.syspath_prepend(DOCS)
        script = importlib.import_module("written").script()
    for module in DOCS.glob("*.py"):
        sys.modules.pop(module.stem, None)
    raw = (DOCS / "two-rankings.md").read_text("utf-8").split("```{raw} html\n")[1].split("```")[0]
    link, place, _ = raw.splitlines()
    assert "two-rankings.css" in link
    page = tmp_path_factory.mktemp("site") / "two-rankings.html"
    style = f"<style>{part('two-rankings.css')}\n{(DOCS / 'site.css').read_text('utf-8')}</style>"
    head = f'<!doctype html><html lang="en"><head><link rel="icon" href="data:,">{style}</head>'
    page.write_text(f"{head}<main>{place}</main><script>{script}</script></html>", "utf-8")
    return page


@pytest.fixture
def opened(browser, path, request):  # noqa: F811
    page = Opened(browser, path, **getattr(request, "param", {}))
    yield page
    page.context.close()
    assert page.faults == []


def random_pairs(n):
    """Runs X and Y, judgments, and the address of each pair: 2 to 26 documents, grades 0 to 4."""
    rng = np.random.default_rng(63)
    ranked, judged, addresses = [], [], []
    for q in range(n):
        docs = list(string.ascii_lowercase[: rng.integers(2, 27)])
        grades = rng.integers(1, 5, len(docs)) * (rng.random(len(docs)) < rng.uniform(0.1, 0.9))
        grades[rng.integers(len(docs))] = rng.integers(1, 5)
        lists = []
        for run in "XY":
            order = sorted(docs) if rng.random() < 0.1 else rng.permutation(docs).tolist()
            found = order[: rng.integers(0, len(docs) + 1)]
            lists.append("".join(found))
            ranked += [(run, f"q{q:04}", doc, -float(rank)) for rank, doc in enumerate(found)]
        judged += [(f"q{q:04}", doc, float(g)) for doc, g in zip(docs, grades, strict=True)]
        of = "".join(f"{doc}{g}" for doc, g in zip(docs, grades, strict=True) if g)
        addresses.append(urlencode({"first": lists[0], "second": lists[1], "grades": of}))
    runs = pl.DataFrame(ranked, ["run", "query_id", "doc_id", "score"], orient="row")
    return runs, pl.DataFrame(judged, ["query_id", "doc_id", "relevance"], orient="row"), addresses


@pytest.mark.filterwarnings("ignore:rankings missing, counted as empty:lexiframe.LexiframeWarning")
def test_numbers_of_two_thousand_pairs_are_those_of_the_library(opened):
    runs, qrels, addresses = random_pairs(2000)
    p = lf.positions(runs, qrels)
    d = lf.preferences(p, MEASURES, deciding_level=True).sort("query_id", "measure")
    s = lf.scores(p, METRICS).pivot("run", index=["query_id", "measure"], values="value")
    expected = d.join(s, on=["query_id", "measure"], how="left", maintain_order="left")
    found = opened.page.evaluate(READ, addresses)
    assert f"const TIE = {sums.TIE};" in part("measured.js")
    rows = [(f"q{q:04}", *row) for q, (measures, _) in enumerate(found) for row in measures]
    shown = pl.DataFrame(
        rows, ["query_id", "measure", "better", "X", "Y", "preference"], orient="row"
    )
    shown = shown.sort("query_id", "measure")
    assert shown["query_id", "measure"].equals(expected["query_id", "measure"])
    difference, known = shown["preference"].cast(float), expected["preference"]
    np.testing.assert_allclose(difference, known, rtol=0, atol=1e-12)
    assert (difference.sign() == known.sign()).all()  # ties are the same
    assert 0.02 < (known == 0).mean() < 0.98
    sides = pl.Series(np.select([known > 0, known < 0], ["X", "Y"], "tie"))
    assert (shown["better"].str.extract(r"^(\w+)") == sides).all()
    levels = shown["better"].str.extract(r"by level (\d+)$").cast(pl.Int64)
    assert levels.equals(expected["deciding_level"], null_equal=True)
    of_metrics = expected["measure"].is_in(METRICS)
    for run in "XY":
        values = shown.filter(of_metrics)[run].cast(float)
        np.testing.assert_allclose(values, expected.filter(of_metrics)[run], rtol=0, atol=1e-12)
    for q in range(0, 2000, 50):
        levels_are_those_of_explain(found[q][1], lf.explain(p, f"q{q:04}", "X", "Y"))


def levels_are_those_of_explain(rows, explained):
    """Assert that each level has its ranks and signs at all thresholds, and what it decides."""
    texts = {1: "◀", 0: "=", -1: "▶"}
    columns = [
        [
            f"{row['position_a'] or '–'} {texts[row['sign']]} {row['position_b'] or '–'}"
            for row in of.iter_rows(named=True)
        ]
        for of in explained.partition_by("threshold", maintain_order=True)
    ]
    decides = explained.filter(threshold=explained["threshold"][0])["decides"]
    for n, (level, decided, *cells) in enumerate(rows):
        assert level == str(n + 1)
        assert [re.split(r" (?:X is|Y is|even)", cell)[0] for cell in cells] == [
            column[n] if n < len(column) else "" for column in columns
        ]
        assert {*decided.split(", ")} == {*(decides[n] or "").split(", ")}


CASES = {
    "Same RR": "X is better by RPP, LP, LR, AP, nDCG@10, R@5, TSE(AP). Tied by RR.",
    "Worst case": "X is better by RPP, LP, AP, nDCG@10, RR. Y is better by LR, R@5, TSE(AP).",
    "Ties of R@k": "X is better by RPP, LP, LR, AP, nDCG@10, RR. Tied by R@5, TSE(AP).",
    "The top outweighs the rest": (
        "X is better by LP, AP, nDCG@10, RR. Y is better by RPP, LR, R@5, TSE(AP)."
    ),
    "Grades": "Y is better by RPP, LP, LR, AP, nDCG@10, RR, R@5. Tied by TSE(AP).",
    "Opposite ends": (
        "X is better by LP, AP, nDCG@10, RR. Y is better by LR, R@5, TSE(AP). Tied by RPP."
    ),
}
"""The prepared cases, and what measures say of them."""


def test_each_prepared_case_shows_what_its_sentence_says(opened):
    page = opened.page
    assert page.locator(".cases button").all_inner_texts() == [*CASES]
    for name, said in CASES.items():
        page.locator(".cases button", has_text=name).click()
        assert page.locator(".told").inner_text() == said
        assert page.locator(".cases [aria-pressed=true]").all_inner_texts() == [name]
    page.locator(".cases button", has_text="Grades").click()
    measures, levels = page.locator("#rankings tbody").all_inner_texts()
    assert re.search(r"RPP\tY by 13 to 1 of 24 levels\t–\t–\t−0.5000", measures)
    assert re.search(r"\n6\tLR\t– ▶ 9\nY is ahead\n", levels)


def order(page, ranking):
    """The documents of a ranking from the top, with their grades, and a line before what is out."""
    texts = page.locator("#rankings ol").nth(ranking).locator("li").all_inner_texts()
    rows = [re.sub(r"^[\d–]+\s+|\s*[▲▼]", "", text).replace("\n", "") for text in texts]
    return "".join("|" if row == "not retrieved" else row for row in rows)


def test_documents_are_moved_and_marked_with_a_mouse(opened):
    page = opened.page
    x = page.locator("#rankings ol").nth(0)
    assert order(page, 0) == "a1b1kc1lmnopq|"
    top = x.bounding_box()["y"]
    page.get_by_label("Move c up in X").click()
    assert x.bounding_box()["y"] == top  # what the pointer is at stays there
    page.get_by_label("Move q down in X").click()
    assert order(page, 0) == "a1b1c1klmnop|q"
    assert page.locator("#rankings td").nth(0).inner_text() == "X by 2 to 0 of 3 levels"
    page.get_by_label("Move q up in X").click()
    assert order(page, 0) == "a1b1c1klmnopq|"
    x.locator(".doc").nth(0).drag_to(x.locator(".row").nth(4))
    assert order(page, 0) == "b1c1kla1mnopq|"
    x.locator(".doc").nth(4).drag_to(x.locator(".end"))  # out of the list, and in again
    assert order(page, 0) == "b1c1klmnopq|a1"
    x.locator(".doc").nth(9).drag_to(x.locator(".doc").nth(0))
    assert order(page, 0) == "a1b1c1klmnopq|"
    x.locator(".doc").nth(0).drag_to(page.locator("#rankings ol").nth(1))  # not to the other
    assert order(page, 0) == "a1b1c1klmnopq|"
    for grade in ("2", "3", "", "1"):
        x.locator(".doc").nth(0).click()
        assert order(page, 0) == f"a{grade}b1c1klmnopq|"
        assert order(page, 1).startswith(f"a{grade}k")  # a document has one grade in both
    assert "You changed these rankings" in page.locator("#rankings p").nth(0).inner_text()
    # on a slow machine the address is written between the steps above, too
    page.wait_for_function("/first=abcklmnopq.*=a1b1c1/.test(location.hash)")
    said = page.locator(".told").inner_text()
    page.reload()
    assert page.locator(".told").inner_text() == said
    for n in (0, 0, 0, 1, 1, 1, 2, 2, 2):
        x.locator(".doc").nth(n).click()
    assert "No document is relevant" in page.locator(".told").inner_text()
    assert page.locator("#rankings table").count() == 0


def test_documents_are_moved_and_marked_by_keyboard(opened):
    page = opened.page
    focused = "document.activeElement.getAttribute('aria-label')"
    page.locator(".cases button").last.focus()
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "a: rank 1 in X, grade 1"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "a: rank 2 in X, grade 1"
    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "a: rank 1 in Y, grade 3"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "a: rank 1 in Y, not relevant"
    page.keyboard.press("Delete")
    assert page.evaluate(focused) == "a: not retrieved in Y, not relevant"
    page.keyboard.press("ArrowDown")  # nothing is further down
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == "a: rank 10 in Y, not relevant"
    assert (order(page, 0), order(page, 1)) == ("b1akc1lmnopq|", "klmnob1pqc1a|")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"


@pytest.mark.parametrize("opened", [{"viewport": NARROW, "has_touch": True}], indirect=True)
def test_documents_are_moved_and_marked_with_a_finger(opened):
    page = opened.page
    x = page.locator("#rankings ol").nth(0)
    page.get_by_label("Move c up in X").tap()
    x.locator(".doc").nth(0).tap()
    assert order(page, 0) == "a2b1c1klmnopq|"
    finger = page.context.new_cdp_session(page)
    x.scroll_into_view_if_needed()

    def touch(kind, place=None):
        box = place.bounding_box() if place else None
        points = (
            [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}] if box else []
        )
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    touch("Start", x.locator(".rank").nth(0))
    for n in range(1, 5):
        touch("Move", x.locator(".rank").nth(n))
    touch("End")
    assert order(page, 0) == "b1c1kla2mnopq|"
    opened.fits()
    for name in CASES:
        page.locator(".cases button", has_text=name).tap()
        opened.fits()


def test_the_report_has_the_two_rankings_of_a_request(browser, tmp_path):  # noqa: F811
    e = lf.evaluate(*collection(["alpha", "beta"], 6), ["RPP", "LR", "AP", "nDCG@10"])
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    page = opened.page
    opened.open_pair()
    page.locator("#requests-table tbody button").first.click()
    a, b = page.locator("#pair-title").inner_text().split(" against ")
    page.locator("#tried summary").click()
    page.locator("#tried .name").first.wait_for()
    assert page.locator("#tried .name").all_inner_texts() == [f"X: {a}", f"Y: {b}"]
    request = page.locator("#request-title").inner_text().removeprefix("Request ")
    pair = {
        name: e.pair(a, b, name).filter(query_id=request).row(0, named=True)
        for name in ("RPP", "LR", "AP", "nDCG@10")
    }
    values = "row => [...row.querySelectorAll('data')].map(one => Number(one.value))"
    rows = page.locator("#tried table").nth(0).locator("tbody tr")
    for name, known in pair.items():
        shown = rows.filter(has=page.get_by_role("rowheader", name=name, exact=True)).evaluate(
            values
        )
        sides = [known[side] for side in ("value_a", "value_b") if known[side] is not None]
        assert shown == pytest.approx([*sides, known["preference"]], abs=1e-12)
    ranks = e.positions.filter(run=a, query_id=request).drop_nulls("position").sort("position")
    x = page.locator("#tried ol").nth(0)
    assert x.locator(".doc span").all_inner_texts()[: ranks.height] == ranks["doc_id"].to_list()
    assert "not relevant" in x.locator(".gap").first.inner_text()
    page.set_viewport_size(NARROW)
    opened.fits()
    page.set_viewport_size(WIDE)
    last = x.locator(".doc").nth(ranks.height - 1)
    for _ in range(ranks["position"][-1]):
        last = page.get_by_label(re.compile(rf"^{ranks['doc_id'][-1]}: .* in X"))
        last.press("ArrowUp")
    assert last.get_attribute("aria-label").split(":")[1].startswith(" rank 1 in X")
    assert opened.faults == []
    opened.context.close()
