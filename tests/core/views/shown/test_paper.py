"""`Evaluation.latex` and `markdown`: the means, the marks, the words, and names as they are."""

import contextlib
import html
import io
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.views.shown.latex import latex_table
from tests.conftest import library

EXAMPLE = lf.bundled("example")
FILES = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
NASTY = [
    r"[a]_b & 5% $x$ #{y} ~z^2 \n <b>|",
    "*star--dash `q` ?`",
    "bm25+rm3 (k1=0.9,b=0.4)",
    "Ünïcode é",
    "<script>alert(1)</script>",
]


def scores_of(runs, n=30, measures=("AP", "nDCG@10"), noise=0.15):
    """Scores of runs, each better than the one before by a little."""
    rng = np.random.default_rng(7)
    return pl.concat(
        pl.DataFrame(
            {"run": run, "query_id": [f"q{q:02}" for q in range(n)], "measure": measure}
        ).with_columns(value=np.clip(level + rng.normal(0, noise, n), 0, 1))
        for run, level in zip(runs, np.linspace(0.3, 0.6, len(runs)), strict=True)
        for measure in measures
    )


@pytest.fixture(scope="module")
def example():
    return lf.evaluate(*FILES, ["RPP", "LR", "AP", "RR", "num_ret", "ISL(n=100)"])


@pytest.fixture(scope="module")
def six():
    return lf.evaluate_scores(scores_of([f"run {n}" for n in range(6)]))


@pytest.fixture(scope="module")
def grouped():
    queries = lf.read_qrels(FILES[1])["query_id"].unique().to_pylist()
    kinds = pl.DataFrame({"query_id": sorted(queries), "kind": ["a_b", "a_b", "c", "c", None]})
    return lf.evaluate(*FILES, ["AP", "RR"], requests=kinds, by="kind")


def parsed(text):
    """The caption, the names of the columns, and the rows of a Markdown table, as a reader splits
    it."""
    caption, _, table = text.partition("\n\n")
    lines = [
        [cell.strip() for cell in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]]
        for line in table.strip().splitlines()
    ]
    assert len({len(line) for line in lines}) == 1
    assert all(re.fullmatch(":-+|-+:", cell) for cell in lines[1])
    return caption.removeprefix("Table: "), lines[0], lines[2:]


def cells(text):
    """The mark and whether it is bold of each mean, by run and measure, and the letters of runs."""
    _, head, rows = parsed(text)
    start = head.index("run")
    found, letters = {}, {}
    for row in rows:
        run = row[start]
        letters[run] = row[start - 1] if start else ""
        for measure, cell in zip(head[start + 1 :], row[start + 1 :], strict=True):
            number = r"(?:&numsp;)*(\*\*)?(-?[0-9.]+)(?:\*\*)?(?:<sup>(.*)</sup>)?"
            bold, value, mark = re.fullmatch(number, cell).groups()
            found[run, measure.replace("\\", "")] = (value, bool(bold), mark or "")
    return found, letters


# --- Marks, by loops over the comparisons -------------------------------------------------------


def pairs(e, measure):
    """The pairs that differ significantly, the run with the better rank by mean first."""
    rank = dict(e.means.filter(measure=measure).select("run", "rank").iter_rows())
    for row in e.comparisons.filter(measure=measure).iter_rows(named=True):
        if row["reject"] and row["n"] > 1:
            yield sorted((row["run_a"], row["run_b"]), key=rank.get)


@pytest.mark.slow
def test_no_marks_when_none_are_wanted_or_known(six):
    assert {mark for _, _, mark in cells(six.markdown(marks="none"))[0].values()} == {""}
    one_sided = lf.evaluate_scores(scores_of(["x", "y"]), alternative="greater")
    assert {mark for _, _, mark in cells(one_sided.markdown())[0].values()} == {""}
    with pytest.raises(lf.LexiframeError, match="expected two-sided comparisons of all pairs"):
        one_sided.markdown(marks="letters")
    with pytest.raises(lf.LexiframeError, match="marks='baseline': this evaluation has no base"):
        six.latex(marks="baseline")
    with pytest.raises(lf.LexiframeError, match="expected marks to be one of 'auto', 'letters'"):
        six.latex(marks="stars")
    many = lf.evaluate_scores(scores_of([f"run {n}" for n in range(27)], 5, ["AP"]))
    with pytest.raises(
        lf.LexiframeError, match="expected at most 26 runs, a letter each, found 27"
    ):
        many.latex(marks="letters")
    assert cells(many.markdown(runs=["run 1", "run 26"]))[1] == {"run 1": "a", "run 26": "b"}


# --- Words --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_caption_says_the_test_its_correction_alpha_and_n(example, six):
    assert parsed(example.markdown(["RPP", "AP"]))[0] == (
        "Means over 5 requests; of RPP the share of requests won against the 2 other runs, ties "
        "half. Bold: the best mean of a measure, of several runs if they tie. Superscript letters: "
        "the runs that a run is significantly better than (paired randomization test, step-down "
        "max-t over the 3 pairs of each measure, α = 0.05, n = 5)."
    )
    said = parsed(example.markdown("ISL(n=100)"))[0]
    assert " Smaller is better: ISL(n=100). " in said
    assert "step-down max-t over the 3 pairs, α" in said
    assert "Counts, of which more is not better: num\\_ret." in example.markdown()
    how = {"test": "sign", "correction": "bh", "family": "all", "alpha": 0.01}
    other = lf.evaluate_scores(scores_of(["x", "y", "z"]), **how).markdown(marks="best")
    assert (
        "†: not significantly different from any of the best (sign test, Benjamini and Hochberg's "
        "correction over the 6 pairs of all measures, α = 0.01, n = 30)." in other
    )
    # Of some runs alone, the p-values are those of all pairs.
    assert "over the 15 pairs of each measure" in six.markdown(runs=["run 5", "run 0"])
    two = lf.evaluate(sorted(FILES[0].iterdir())[:2], FILES[1], "RPP")
    assert "won against the 1 other" not in two.markdown()
    assert "won against the other run," in two.markdown()


@pytest.mark.slow
def test_the_guide_shows_what_comes_out():
    folder = lf.bundled("digits")
    e = lf.evaluate(folder / "runs", folder / "qrels.parquet", "RPP AP RR")
    guide = (Path(__file__).parents[4] / ".docs" / "guide.md").read_text(encoding="utf-8")
    at = guide.index("three = [")
    code, shown = guide[at:].partition("```")[0], guide[at:].partition("```")[2]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "guide.md", "exec"), {"e": e})
    shown = "\n".join(re.findall("(?m)^ {4}.*$", shown[: shown.index("More than ten")]))
    assert shown.split() == printed.getvalue().split()


def test_what_the_user_writes_begins_the_caption_and_names_the_table(six):
    text = six.latex(caption=r"\emph{Mine}.", label="tab:my_runs")
    assert r"\caption{\emph{Mine}. Means over 30 requests." in text
    assert r"\label{tab:my_runs}" in text
    assert r"$\alpha$~=~0.05, n~=~30" in text
    assert six.markdown(caption="*Mine*.").startswith("Table: *Mine*. Means over 30 requests. ")
    assert r"\label" not in six.latex()
    for label in ("a%b", "a{b", "a\nb"):
        with pytest.raises(lf.LexiframeError, match="label: expected a name without"):
            six.latex(label=label)


def test_measures_runs_decimals_and_percent(example, six):
    _, head, rows = parsed(six.markdown("nDCG@10 AP", ["run 1", "run 5", "run 1"], decimals=2))
    assert head == ["", "run", "nDCG@10", "AP"]
    assert [row[1] for row in rows] == ["run 1", "run 5"]
    assert re.fullmatch(r"0\.\d\d", rows[0][2])
    mean = six.means.filter(run="run 1", measure="AP")["mean"].item()
    text = six.markdown("AP", "run 1", percent=True)
    assert parsed(text)[2] == [["run 1", f"{100 * mean:.2f}"]]
    assert "Means over 30 requests; in %." in text
    found, _ = cells(example.markdown(percent=True, decimals=1))
    assert found["pca8\\_euclidean", "RPP"][0] == "75.0"
    shown = example.markdown("AP", percent=True, intervals=True, decimals=1)
    assert "|      3.3 | &numsp;0–&numsp;51 |" in shown  # points are in line
    assert r" & 3.3 & \phantom{0}0–\phantom{0}51 \\" in example.latex(
        "AP", percent=True, intervals=True, decimals=1
    )
    assert found["random", "num_ret"][0] == "25.0"  # a count is no share
    assert "in %: RPP, LR, AP, RR. " in example.markdown(percent=True)
    own = scores_of(["x", "y"], measures=["my_own"])
    assert "in %" not in lf.evaluate_scores(own).markdown(percent=True)
    for decimals in (-1, 16, 2.0, "3"):
        with pytest.raises(lf.LexiframeError, match="decimals: expected a whole number from 0 to"):
            six.latex(decimals=decimals)
    with pytest.raises(lf.LexiframeError, match="runs: expected at least one run, found none"):
        six.latex(runs=[])
    with pytest.raises(lf.UnknownNameError, match="did you mean run 5"):
        six.latex(runs=["run5"])
    with pytest.raises(lf.UnknownNameError, match="unknown measure"):
        six.markdown("RR")


def test_the_best_of_the_runs_that_are_shown_is_bold(six):
    found, _ = cells(six.markdown("AP", ["run 0", "run 3"]))
    assert {run: bold for (run, _), (_, bold, _) in found.items()} == {"run 0": 0, "run 3": 1}


def test_one_run_and_one_request():
    one = lf.evaluate(sorted(FILES[0].iterdir())[0], FILES[1], ["AP", "RR"])
    caption, head, rows = parsed(one.markdown())
    assert (caption, head, len(rows)) == ("Means over 5 requests.", ["run", "AP", "RR"], 1)
    assert "**" not in one.markdown()
    assert r"\begin{tabular}{lrr}" in one.latex()
    request = lf.evaluate_scores(scores_of(["x", "y"], 1))
    assert "With one request, no test is possible." in request.markdown()
    assert {mark for _, _, mark in cells(request.markdown())[0].values()} == {"?"}


def test_preferences_alone_and_what_has_no_value():
    text = lf.evaluate(*FILES, ["RPP", "LP"]).markdown(percent=True)
    said = "of RPP, LP the share of requests won against the 2 other runs, ties half; in %."
    assert said in text
    assert cells(text)[0]["pca8\\_euclidean", "RPP"] == ("75.00", True, "")
    s = scores_of(["x", "y"])
    e = lf.evaluate_scores(s.filter((pl.col("run") != "x") | (pl.col("measure") != "AP")))
    text = e.markdown("AP nDCG@10", ["x", "y"])
    mean = e.means.filter(run="y", measure="AP")["mean"].item()
    assert [row[2] for row in parsed(text)[2]] == ["—", f"**{mean:.4f}**"]
    assert "—: no request of the run has a value." in text
    assert "x & --- & " in e.latex("AP nDCG@10", ["x", "y"], marks="none")


# --- Names --------------------------------------------------------------------------------------


def rendered(text):
    """The texts of the cells of a Markdown table, read by a parser of Markdown."""
    markdown_it = library("markdown_it")
    page = markdown_it.MarkdownIt().enable(["table", "strikethrough"]).render(text)
    rows = re.findall("<tr>(.*?)</tr>", page, re.DOTALL)
    cells_of = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in rows]
    return [[html.unescape(cell) for cell in row] for row in cells_of]


def test_long_tables_go_over_pages():
    e = lf.evaluate_scores(scores_of([f"run {n}" for n in range(41)], 5, ["AP"]))
    text = e.latex(label="t")
    assert text.startswith("% \\usepackage{booktabs,longtable}\n\\begin{longtable}{lr")
    assert text.count(r"run & ") == 2
    assert r"\begin{table}" not in text
    assert r"\begin{longtable}" in latex_table(e.comparisons.select("run_a", "run_b", "p_value"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not part of the tests")
@pytest.mark.slow
def test_latex_compiles_and_shows_names_as_they_are(tmp_path, example, grouped):
    tables = [
        lf.evaluate_scores(scores_of(NASTY)).latex(label="tab:n_1"),
        example.latex(percent=True),
        grouped.latex(),
        lf.evaluate_scores(scores_of([f"r_{n}" for n in range(110)], 5)).latex(),
        lf.evaluate(*FILES, ["RPP", "AP"], baseline="random").latex(),
        latex_table(example.comparisons.select("measure", "run_a", "mean_difference", "p_value")),
    ]
    start = r"\documentclass{article}\usepackage{booktabs,longtable}\begin{document}"
    text = "\n\n".join([start, *tables, r"\end{document}"])
    (tmp_path / "t.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    for _ in range(2):
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout[-2000:]
    if shutil.which("pdftotext"):
        subprocess.run(["pdftotext", "-layout", "t.pdf"], cwd=tmp_path, check=True)
        page = (tmp_path / "t.txt").read_text(encoding="utf-8")
        assert "bm25+rm3 (k1=0.9,b=0.4)" in page
        assert "<script>alert(1)</script>" in page
        assert "*star--dash" in page


def test_runs_have_the_names_and_the_order_of_the_paper(six):
    text = six.markdown("AP", ["run 2", "run 1"], rename={"run 1": "BM25", "run 3": "unseen"})
    lead = [line.split("|")[2].strip() for line in text.splitlines() if line.startswith("|")]
    assert lead[2:] == ["run 2", "BM25"]
    with pytest.raises(lf.UnknownNameError, match="run 1"):
        six.latex(rename={"run l": "BM25"})
    with pytest.raises(lf.LexiframeError, match="two runs would both be called run 2; rename one"):
        six.latex(rename={"run 1": "run 2"})
    with pytest.raises(lf.LexiframeError, match="rename: expected a name for run 1, found ''"):
        six.latex(rename={"run 1": ""})
