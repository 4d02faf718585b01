"""What the README and the guide show is what comes out."""

import ast
import contextlib
import io
import re
import runpy
import warnings
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf

ROOT = Path(__file__).resolve().parents[1]
README, GUIDE = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".docs/guide.md")
)


def blocks(text):
    """The Python of a page."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 100


@pytest.mark.slow
def test_the_readme_shows_what_it_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(README):
            exec(compile(block, "README.md", "exec"), names)
    shown = re.search(r"```\n\n((?: {4}.*\n|\n(?= {4}))+)", README)[1]
    assert printed.getvalue().startswith(re.sub(r"(?m)^ {4}", "", shown))
    assert list((tmp_path / "results").glob("*.parquet"))
    e, prose = names["e"], " ".join(README.split())
    ties = {measure: (ties, n) for measure, n, ties, _ in e.tie_rates.rows()}
    assert "RR ties in {} of {} pairs of rankings".format(*ties["RR"]) in prose
    assert f"and nDCG@10 in {ties['nDCG@10'][0]}." in prose
    found = e.comparisons.group_by("measure").agg(pl.col("reject").mean())
    shares = dict(found.rows())  # no pair differs by two of them, and all pairs by two others
    assert [shares[of] for of in ("RR", "nDCG@10", "RPP", "LP")] == [0, 0, 1, 1]


@pytest.mark.slow
def test_the_drawing_has_the_numbers_of_today():
    drawing = runpy.run_path(str(ROOT / "data/draw_anatomy.py"))["drawing"]()
    assert drawing == (ROOT / "data/anatomy.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_guide_shows_what_comes_out():
    """Its code is run down to the last picture, and prints the blocks that the guide shows."""
    above = GUIDE[: GUIDE.rindex(".png)")]
    names, printed = {}, io.StringIO()
    plain = pl.Config(
        tbl_width_chars=100, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True
    )
    with (
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning),
        plain,
    ):
        for block in blocks(above):
            exec(compile(block, "guide.md", "exec"), names)
            if (last := block.splitlines()[-1]).startswith("c.select("):
                print(eval(last, names))
    shown = "".join(re.findall(r"```\n\n((?: {4}.*\n)+)", above))
    assert shown.split() == printed.getvalue().split()
    prose = " ".join(GUIDE.split())
    p = lf.compare(names["two"])["p_value"].item()
    assert f"no difference between two of the bundled systems (p = {p:.2f})." in prose
    assert f"chosen from {names['e'].power['n_pairs'][0]} pairs" in prose
    rates = names["audits"].sort("n_requests").group_by("test", maintain_order=True)
    rates = {test: [f"{100 * rate:.1f} %" for rate in of["error_rate"]] for (test,), of in rates}
    wilcoxon, sign = ("{0} to {2}".format(*rates[test]) for test in ("wilcoxon", "sign"))
    assert f"in {wilcoxon} of the trials, and the sign test in {sign}." in prose
    counts = names["holes"].verdict.row(0, named=True)
    assert "{n_open} of the {n_pairs} pairs of runs could change".format_map(counts) in prose
    levels = names["e"].explain("q0066", "pixels_cosine", "pixels_euclidean", "RPP")["sign"]
    ahead = [(levels == sign).sum() for sign in (-1, 1)]
    said = "ahead at {} of {} levels, `pixels_cosine` at {};"
    assert said.format(ahead[0], len(levels), ahead[1]) in prose


@pytest.mark.parametrize("block", blocks(README) + blocks(GUIDE))
def test_the_names_are_there(block):
    tree = ast.parse(block)
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "lf"
    }
    assert used <= {*lf.__all__}


@pytest.mark.parametrize("page", ["README.md", ".docs/guide.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
    for notebook in re.findall(r"notebooks/[\w/-]+\.ipynb", text):
        assert (ROOT / notebook).exists(), notebook
