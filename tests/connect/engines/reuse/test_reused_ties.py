"""What equal scores could change is known of runs that are not read again."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests


def test_the_influence_of_ties_is_that_of_reading_the_runs(tmp_path):
    """The relevant d2 and d4 share their scores with two more."""
    (tmp_path / "runs").mkdir()
    for run, scores in {"a": [5, 5, 5, 1, 1, 1], "b": [6, 5, 4, 4, 4, 1]}.items():
        lines = [f"q Q0 d{n} {n} {score} {run}\n" for n, score in enumerate(scores, start=1)]
        (tmp_path / "runs" / f"{run}.run").write_text("".join(lines))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 d2 1\nq 0 d4 2\n")
    lf.evaluate(tmp_path / "runs", qrels, "AP RR").write(tmp_path / "out")
    (tmp_path / "runs" / "c.run").write_text("q Q0 d2 1 1.5 c\n")  # so that coverage is new
    read = lf.evaluate(tmp_path / "runs", qrels, "AP RR")
    kept = lf.evaluate(tmp_path / "runs", qrels, "AP RR", reuse=tmp_path / "out")
    assert kept.provenance["reused"]["runs"] == 2
    assert kept.coverage.equals(read.coverage)
    expected = {
        "c": (1 / 2, 1 / 2),
        # the ranks are 1 or 3 and 4 or 6; 2 and 3 or 5
        "a": ((1 / 3 + 2 / 6) / 2, (1 + 2 / 4) / 2),
        "b": ((1 / 2 + 2 / 5) / 2, (1 / 2 + 2 / 3) / 2),
    }
    for run, least, greatest in kept.coverage.select("run", "AP_min", "AP_max").rows():
        assert (least, greatest) == pytest.approx(expected[run], abs=1e-12)
    read.write(tmp_path / "read")
    kept.write(tmp_path / "kept")
    ranks = [pl.read_parquet(tmp_path / name / "ranks.parquet") for name in ("read", "kept")]
    assert ranks[0].equals(ranks[1])
    of_a = ranks[1].row(0, named=True)
    assert (of_a["run"], of_a["tied_best"], of_a["tied_worst"]) == ("a", [1, 4], [3, 6])
