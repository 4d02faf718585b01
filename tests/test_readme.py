"""What the README and the guide show is what comes out."""

import ast
import contextlib
import io
import re
from pathlib import Path

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
    assert len(README.splitlines()) <= 150


def test_the_readme_shows_what_it_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(README):
            exec(compile(block, "README.md", "exec"), names)
    shown = re.search(r"begins with the means:\n\n((?: {4}.*\n)+)", README)[1]
    assert printed.getvalue().startswith(re.sub(r"(?m)^ {4}", "", shown))
    assert list((tmp_path / "results").glob("*.parquet"))


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
    for notebook in re.findall(r"notebooks/[\w-]+\.ipynb", text):
        assert (ROOT / notebook).exists(), notebook
