"""Methods and charts that are given something else than they take: an error that says so."""

import polars as pl
import pytest

import lexiframe as lf

EXAMPLE = lf.bundled("example")
FRAME = pl.DataFrame({"a": ["x"], "b": [1.5]})


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", "AP")


@pytest.fixture(scope="module")
def board():
    x = pl.DataFrame({"model": ["x", "y"], "news": [1, 2], "law": [1, 3], "sport": [2, 3]})
    return lf.leaderboard(x, samples=5)


@pytest.mark.parametrize("path", [FRAME, 3, None, {"a": "b"}])
def test_what_is_no_path_is_not_written_to(e, board, path):
    votes = lf.read_preferences([{"qid": "q", "model_a": "a", "model_b": "b", "winner": "a"}])
    for write in (e.write, e.report, board.write, board.report, board.files, votes.write):
        with pytest.raises(TypeError, match="expected a path to write to, found"):
            write(path)


@pytest.mark.parametrize("rename", ["x", ["x"], FRAME, 3])
def test_other_names_are_a_dictionary(e, rename):
    for paper in (e.latex, e.markdown):
        with pytest.raises(TypeError, match=r"rename: expected \{run: its name\}, found"):
            paper(rename=rename)
    with pytest.raises(lf.LexiframeError, match="rename: expected a name for random, found 3"):
        e.latex(rename={"random": 3})


@pytest.mark.parametrize("catalogue", ["x", FRAME, 3])
def test_a_catalogue_is_one(e, catalogue):
    pytest.importorskip("altair")
    with pytest.raises(TypeError, match="expected catalogue to be Catalogue or None, found a"):
        lf.views.charts.frontier_chart(e.means, e.comparisons, "AP", "RR", catalogue=catalogue)


@pytest.mark.parametrize("n", ["x", 1.5, FRAME, None])
def test_numbers_of_rows_are_whole(board, n):
    rows = [("q", "x", "y", "x"), ("q", "y", "z", "y"), ("q", "z", "x", "z")]
    columns = ["query_id", "model_a", "model_b", "winner"]
    strengths = lf.bradley_terry(lf.read_preferences(pl.DataFrame(rows, columns, orient="row")))
    with pytest.raises(TypeError, match="largest_residuals: expected n to be a whole number"):
        strengths.largest_residuals(n)
    with pytest.raises(TypeError, match="among_first: expected k to be a whole number"):
        board.among_first(n)
