"""Results that were written and read back."""

import shutil

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

FOLDER = lf.bundled("digits")
RUNS, QRELS, QUERIES = FOLDER / "runs", FOLDER / "qrels.parquet", FOLDER / "queries.parquet"


@pytest.fixture(scope="module")
def grouped():
    return lf.evaluate(
        RUNS, QRELS, ["RPP", "LR", "AP"], baseline="random", requests=QUERIES, by="loop"
    )


def test_what_was_written_is_read_back(grouped, tmp_path):
    grouped.write(tmp_path)
    again = lf.read_results(tmp_path)
    for name, table in grouped.tables().items():
        assert again.tables()[name].equals(table), name
    assert again.provenance == grouped.provenance
    assert again.attributes.equals(grouped.attributes)
    assert str(again) == str(grouped)
    assert lf.compare(again).equals(grouped.comparisons)
    assert again.positions.equals(grouped.positions)
    assert again.explain("q0066", "random", "pca8_euclidean").height
    assert again.report(tmp_path / "a.html").read_text("utf-8").replace("a.html", "") == (
        grouped.report(tmp_path / "b.html").read_text("utf-8").replace("b.html", "")
    )
    twice = again.write(tmp_path / "twice")
    assert lf.read_results(twice[0].parent).means.equals(grouped.means)


def test_results_whose_runs_are_gone(tmp_path):
    shutil.copytree(lf.bundled("example"), tmp_path / "data")
    lf.evaluate(tmp_path / "data/runs", tmp_path / "data/qrels.txt", ["RPP", "LR"]).write(
        tmp_path / "results"
    )
    (tmp_path / "data/runs/random.run").write_text("q0066 Q0 d0058 1 1 x\n")
    changed = lf.read_results(tmp_path / "results")
    with pytest.raises(lf.ReadError, match=r"random.run: expected the bytes that were evaluated"):
        _ = changed.positions
    shutil.rmtree(tmp_path / "data")
    e = lf.read_results(tmp_path / "results")
    assert "pca8_euclidean" in str(e)
    page = e.report(tmp_path / "report.html").read_text("utf-8")
    assert "The runs and judgments of these results are gone" in page
    with pytest.raises(lf.LexiframeError, match="positions: these results were read from a folder"):
        _ = e.positions
    decided = lf.gate(e, {"RPP": 0.5}, baseline="pixels_euclidean", candidate="pca8_euclidean")
    assert decided["baseline_answered"].item() is None


def test_folders_of_other_things(grouped, tmp_path):
    with pytest.raises(lf.ReadError, match="expected a folder of results, found nothing there"):
        lf.read_results(tmp_path / "none")
    with pytest.raises(lf.ReadError, match="expected a folder of results, found nothing there"):
        lf.read_results("é" * 300)
    (tmp_path / "file").write_text("x")
    with pytest.raises(lf.ReadError, match="expected a folder of results, found a file"):
        lf.read_results(tmp_path / "file")
    with pytest.raises(lf.ReadError, match=r"expected the files that .* found no coverage.parquet"):
        lf.read_results(RUNS)
    grouped.write(tmp_path / "r")
    other = lf.evaluate(RUNS, QRELS, ["RPP"])
    other.write(tmp_path / "other")
    for name, message in (
        ("means", "files of different evaluations"),
        ("fingerprints", "files of different evaluations"),
    ):
        shutil.copy(tmp_path / f"other/{name}.parquet", tmp_path / f"r/{name}.parquet")
        with pytest.raises(lf.ReadError, match=message):
            lf.read_results(tmp_path / "r")
        grouped.write(tmp_path / "r")
    (tmp_path / "r/attributes.parquet").unlink()
    with pytest.raises(lf.ReadError, match="the attributes of requests"):
        lf.read_results(tmp_path / "r")
    grouped.write(tmp_path / "r")
    data = bytearray((tmp_path / "r/means.parquet").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "r/means.parquet").write_bytes(data)
    with pytest.raises(lf.ReadError, match=r"means.parquet"):
        lf.read_results(tmp_path / "r")
    pl.DataFrame({"run": ["a"]}).write_parquet(tmp_path / "r/means.parquet")
    with pytest.raises(lf.ReadError, match=r"means.parquet: expected the table means"):
        lf.read_results(tmp_path / "r")
    lf.write_parquet(pl.DataFrame({"run": ["a"]}), tmp_path / "r/means.parquet", table="means")
    with pytest.raises(lf.ReadError, match=r"means.parquet: expected the columns of means"):
        lf.read_results(tmp_path / "r")


def test_what_is_no_whole_leaderboard_is_refused(tmp_path):
    x = pl.DataFrame({"model": ["a", "b"], "news": [1, 2], "law": [1, 3], "sport": [2, 3]})
    lf.leaderboard(x, samples=5).write(tmp_path)
    other = lf.leaderboard(x, samples=6)
    other.write(tmp_path / "other")
    (tmp_path / "other/gaps.parquet").replace(tmp_path / "gaps.parquet")
    with pytest.raises(
        lf.ReadError, match="the files of one leaderboard, found files of different"
    ):
        lf.read_results(tmp_path)
    (tmp_path / "gaps.parquet").unlink()
    with pytest.raises(lf.ReadError, match=r"that Leaderboard.write writes, found no gaps.parquet"):
        lf.read_results(tmp_path)
