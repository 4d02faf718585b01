"""Tests of the folder of an evaluation in parts: what is written there, replaced and removed."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.errors import LexiframeError

MEASURES = ["RPP", "AP"]
SMALL = 4_000_000  # bytes of memory: the rows below need several buckets


def _data(n_queries=2000):
    docs = [f"d{place}" for place in range(5)]
    queries = [f"q{number}" for number in range(n_queries)]
    frame = pl.DataFrame({"query_id": queries}).join(pl.DataFrame({"doc_id": docs}), how="cross")
    scores = {
        "down": pl.int_range(pl.len()) * -1.0,
        "up": pl.int_range(pl.len()) * 1.0,
    }
    runs = {name: frame.with_columns(score=score) for name, score in scores.items()}
    qrels = frame.gather_every(3).with_columns(relevance=pl.lit(1))
    return runs, qrels


def test_parts_of_an_earlier_evaluation_are_replaced(tmp_path):
    runs, qrels = _data()
    how = {"out": tmp_path, "keep": "preferences"}
    lf.evaluate(runs, qrels, MEASURES, memory=SMALL, **how)
    parts = [*(tmp_path / "preferences").iterdir()]
    assert len(parts) > 1
    lf.evaluate(runs, qrels, MEASURES, memory=1000 * SMALL, **how)
    assert len([*(tmp_path / "preferences").iterdir()]) < len(parts)
    found = pl.read_parquet(tmp_path / "preferences")
    whole = lf.evaluate(runs, qrels, MEASURES).preferences
    assert found.sort(whole.columns[:4]).equals(whole.sort(whole.columns[:4]))


def test_other_files_among_the_parts_are_refused_before_the_work(tmp_path):
    runs, qrels = _data(3)
    other = tmp_path / "scores" / "other.parquet"
    other.parent.mkdir()
    other.write_bytes(b"")
    with pytest.raises(LexiframeError, match=r"no files but the parts of an earlier .* other.parq"):
        lf.evaluate(runs, qrels, MEASURES, out=tmp_path, keep="scores")
    assert [*tmp_path.rglob("*")] == [other.parent, other]


@pytest.mark.parametrize("memory", [200_000, 256_000])  # in buckets, and one run after the other
def test_a_job_that_is_not_resumed_is_removed(tmp_path, monkeypatch, memory):
    runs, qrels = _data(30)
    how = {"out": tmp_path, "memory": memory}

    def fail(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lexiframe.engines.batches.evaluate_bucket", fail)
        with pytest.raises(KeyboardInterrupt):
            lf.evaluate(runs, qrels, MEASURES, keep="scores", **how)
    assert (tmp_path / ".lexiframe-job" / "buckets").exists()
    e = lf.evaluate(runs, qrels, MEASURES, **how)
    assert e.sums is not None
    assert not (tmp_path / ".lexiframe-job").exists()
