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
