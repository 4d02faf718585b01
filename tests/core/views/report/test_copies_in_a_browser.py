"""What copies tables and pictures of a page, and what a printer gets of them."""

import base64
import re
import struct
from xml.etree import ElementTree

import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report import collection
from tests.core.views.report.test_report_in_a_browser import (
    NARROW,
    Opened,
    browser,  # noqa: F401 - a fixture
)

pytestmark = pytest.mark.slow
SVG = "{http://www.w3.org/2000/svg}"
A4 = {"width": 1032, "height": 700}
"""What A4 across has without its margins."""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    e = lf.evaluate(*collection(["a_1", "b%2", "c"], 12), ["RPP", "AP", "nDCG@10"])
    return e.report(tmp_path_factory.mktemp("copies") / "r.html")


@pytest.fixture
def opened(browser, path):  # noqa: F811
    report = Opened(browser, path, color_scheme="dark")
    yield report
    assert report.faults == []
    report.context.close()


def bar(page, name):
    """What copies the table or picture of a name."""
    return page.locator(".copies").filter(has=page.locator(f"[aria-label*='{name}']"))


def size_of(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_a_table_is_copied_as_latex_svg_and_png(opened):
    page = opened.page
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    means = bar(page, "Means and ranks by RPP")
    means.get_by_text("LaTeX").click()
    means.get_by_text("LaTeX copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    rows = opened.frame("of-measure")
    assert lines[1] == r"\begin{tabular}{rlrrrrrr}"  # the columns with pictures are left out
    assert lines[3] == r"rank & run & win\_rate & mean & low & high & most often & n \\"
    assert lines[2:8:2] == [r"\toprule", r"\midrule", lines[6]]
    for line, (rank, run, value, *_) in zip(lines[5:8], rows.rows(), strict=True):
        name = run.replace("_", r"\_").replace("%", r"\%")
        assert line.startswith(f"{rank} & {name} & {value} & ")
        assert line.endswith(r" & 12 \\")
    means.get_by_text("SVG").click()
    means.get_by_text("SVG copied").wait_for()
    whole = ElementTree.fromstring(page.evaluate("navigator.clipboard.readText()"))
    said = [one.text for one in whole.iter(f"{SVG}text")]
    assert {"rank", "run", "a_1", "b%2", *rows["low"]} <= {*said}
    assert len([*whole.iter(f"{SVG}svg")]) == 1 + 2 * 3  # the whole, and the pictures of the rows
    light = {one.get("fill") for one in whole.iter(f"{SVG}text")}
    assert light == {"rgb(22, 32, 43)"}  # though the page is dark
    assert page.evaluate("document.documentElement.dataset.theme") is None
    means.get_by_text("PNG").click()
    means.get_by_text("PNG copied").wait_for()
    script = """async () => {
        const [one] = await navigator.clipboard.read();
        const bytes = new Uint8Array(await (await one.getType("image/png")).arrayBuffer());
        return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
    }"""
    size = size_of(base64.b64decode(page.evaluate(script)))
    assert [2 * float(whole.get(name)) for name in ("width", "height")] == pytest.approx(
        size, abs=2
    )


def test_where_copying_is_forbidden_a_file_is_saved(opened):
    """By keyboard, as everything."""
    page = opened.page
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    opened.open_pair()
    page.locator("#requests-table tbody button").first.click()
    strips = bar(page, "Places of the relevant items").get_by_role("button")
    assert strips.all_inner_texts() == ["SVG", "PNG"]
    strips.first.focus()
    with page.expect_download() as kept:
        page.keyboard.press("Enter")
    file = kept.value.suggested_filename
    assert re.fullmatch(r"places-of-the-relevant-items-in-[a-z0-9-]+\.svg", file)
    picture = ElementTree.parse(kept.value.path()).getroot()
    dots = [one for one in picture.iter(f"{SVG}circle") if one.get("class").startswith("first")]
    assert {one.get("fill") for one in dots} <= {"rgb(11, 83, 148)", "rgb(255, 255, 255)"}
    page.keyboard.press("Tab")
    with page.expect_download() as kept:
        page.keyboard.press("Enter")
    assert size_of(kept.value.path().read_bytes())[0] > 0
    page.locator(".copies", has_text="saved as places-of-the-relevant").wait_for()


def test_a_grid_has_its_shares_as_latex_also_where_cells_have_no_room(browser, tmp_path):  # noqa: F811
    e = lf.evaluate(*collection([f"r{n:02d}" for n in range(18)], 6), ["AP"])
    opened = Opened(browser, e.report(tmp_path / "r.html"))
    assert opened.page.locator("#grid.small").count() == 1
    opened.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    with opened.page.expect_download() as kept:
        bar(opened.page, "Win rates by AP").get_by_text("LaTeX").click()
    rows = [line for line in kept.value.path().read_text().splitlines() if r"\\" in line][1:]
    cells = [[cell.strip() for cell in row.removesuffix(r"\\").split("&")] for row in rows]
    wins = e.win_rates.filter(measure="AP")
    names = [row[0].split()[1] for row in cells]
    half = (pl.col("wins") + pl.col("ties") / 2) / pl.col("n")
    shares = {(a, b): share for a, b, share in wins.select("run_a", "run_b", half).rows()}
    for n, row in enumerate(cells):
        assert row[n + 1] == ""
        for other, shown in zip(names, row[1:], strict=True):
            known = shares.get((names[n], other), 1 - shares.get((other, names[n]), 1))
            if other != names[n]:
                assert float(re.match(r"[\d.]+", shown)[0]) == pytest.approx(known, abs=0.0051)
    assert opened.faults == []
    opened.context.close()


def test_each_table_and_picture_can_be_copied(opened):
    page = opened.page
    opened.open_pair()
    page.locator("#requests-table tbody button").first.click()
    page.locator("#tried summary").click()
    page.locator("#tried .measured table").first.wait_for()
    many = page.locator("main table, main svg:not(table svg)").count()
    assert page.locator(".copies").count() == many > 10
    page.get_by_label(re.compile(r"Move .* down in X")).first.click()  # which draws some anew
    assert page.locator(".copies").count() == many
    names = [one.get_attribute("aria-label") for one in page.locator(".copies button").all()]
    assert len({*names}) == len(names)
    page.set_viewport_size(NARROW)
    opened.fits()


def test_a_leaderboard_can_be_copied(browser, tmp_path):  # noqa: F811
    board = lf.leaderboard(lf.bundled("leaderboard") / "scores.csv", group="type")
    board.report(tmp_path / "board.html")
    opened = Opened(browser, tmp_path / "board.html", viewport=NARROW)
    page = opened.page
    assert page.locator(".copies").count() == 2
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    with page.expect_download() as kept:
        bar(page, "copy Ranking").get_by_text("SVG").click()
    whole = ElementTree.parse(kept.value.path()).getroot()
    words = [one for one in whole.iter(f"{SVG}text") if one.text.startswith("model-")]
    assert len(words) == board.ranking.height  # also those that a phone has to scroll to
    assert max(float(one.get("y")) for one in words) < float(whole.get("height"))
    page.locator("#ranking tr").first.click()
    assert page.locator(".copies").count() == 3
    assert opened.faults == []
    opened.context.close()


def test_paper_cuts_no_table(browser, tmp_path):  # noqa: F811
    many = [f"nDCG@{k}" for k in range(1, 26)]
    e = lf.evaluate(*collection(["a-name-of-some-length-1", "a-name-of-some-length-2"], 6), many)
    opened = Opened(browser, e.report(tmp_path / "r.html"), color_scheme="dark")
    page = opened.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    right = "all => all.map(one => one.getBoundingClientRect().right)"
    ends = page.locator("main table").evaluate_all(right)
    assert len(ends) > 5
    assert max(ends) <= A4["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
    style = "(one, name) => getComputedStyle(one)[name]"
    head, row = page.locator("main thead").first, page.locator("main tbody tr").first
    assert head.evaluate(style, "display") == "table-header-group"
    assert row.evaluate(style, "breakInside") == "avoid"
    assert page.locator("body").evaluate(style, "backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".copies").first.is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#all-measures-table").evaluate("one => one.style.zoom") == ""
    assert opened.faults == []
    opened.context.close()
