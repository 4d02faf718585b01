"""What the README and the guide show is what comes out."""

import ast
import contextlib
import io
import re
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
    assert len(README.splitlines()) <= 120


@pytest.mark.slow
def test_the_readme_shows_what_it_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(README):
            exec(compile(block, "README.md", "exec"), names)
    shown = re.search(
        r"It prints its verdict first, .*, then the means:\n\n((?: {4}.*\n|\n(?= {4}))+)",
        README,
    )[1]
    assert printed.getvalue().startswith(re.sub(r"(?m)^ {4}", "", shown))
    assert list((tmp_path / "results").glob("*.parquet"))
    assert_the_audit_is_what_the_readme_says(printed.getvalue())


def assert_the_audit_is_what_the_readme_says(printed):
    """What is printed last, and the shares in the sentences below it."""
    shown = re.search(r"\n {4}(\[\('sign'.*\])\n", README)[1]
    assert printed.endswith(f"{shown}\n")
    t, sign = (
        f"{dict(ast.literal_eval(shown))[test]:.0%}".replace("%", " %") for test in ("t", "sign")
    )
    prose = " ".join(README.split())
    assert f"finds a difference where there is none in {t} of the trials" in prose
    assert f"of equal means it errs in {sign}." in prose


def shown_behind(start):
    """The block of the guide that begins so, and what the guide shows behind it."""
    at = next(block for block in blocks(GUIDE) if block.startswith(start))
    return at, re.search(r"```\n\n((?: {4}.*\n)+)", GUIDE[GUIDE.index(at) :])[1].split("\n    ")


@pytest.mark.slow
def test_the_guide_shows_what_comes_out():
    """Sentences of verdicts, and two systems in groups of requests."""
    folder = lf.bundled("digits")
    e = lf.evaluate(folder / "runs", folder / "qrels.parquet")
    names = {"lf": lf, "pl": pl, "folder": folder, "e": e, "s": e.scores}
    code, shown = shown_behind("print(lf.verdict(e)")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "guide.md", "exec"), names)
    assert " ".join(shown).split() == printed.getvalue().split()
    code, shown = shown_behind("audits = lf.audit(")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "guide.md", "exec"), names)
    assert " ".join(shown).split() == printed.getvalue().split()
    code, shown = shown_behind("import polars as pl\n\nnames = ")
    *lines, last = code.strip().splitlines()
    exec(compile("\n".join(lines), "guide.md", "exec"), names)
    with pl.Config(tbl_width_chars=100):
        printed = str(eval(last, names)).splitlines()[1:]  # the first line is the table's shape
    types = [n for n, line in enumerate(printed) if "---" in line]
    found = [line for n, line in enumerate(printed) if n not in (types[0], types[0] + 1)]
    assert " ".join(found).split() == " ".join(shown).split()
    assert "between two of the bundled systems (p = 0.28)." in " ".join(GUIDE.split())
    assert f"{lf.compare(names['two'])['p_value'].item():.2f}" == "0.28"
    assert e.scores["query_id"].n_unique() == 60
    assert f"chosen from {e.power['n_pairs'][0]} pairs" in GUIDE


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
