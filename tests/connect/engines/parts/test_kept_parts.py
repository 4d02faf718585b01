"""Tests of the folder of an evaluation in parts: what is written there, replaced and removed."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.errors import LexiframeError
from lexiframe.core.base.memory_use import NotEnoughMemoryError
from lexiframe.core.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.core.io.run_scan import RunScan

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(  # made-up rows lie in any order
        "ignore:runs whose ranks and scores disagree",
        "ignore:.*expected scores of which the greatest is the best",
    ),
]

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


def test_other_files_among_the_parts_are_refused_before_the_work(tmp_path):
    runs, qrels = _data(3)
    other = tmp_path / "scores" / "other.parquet"
    other.parent.mkdir()
    other.write_bytes(b"")
    with pytest.raises(LexiframeError, match=r"no files but the parts .* found other.parquet;"):
        lf.evaluate(runs, qrels, MEASURES, out=tmp_path, keep="scores")
    assert [*tmp_path.rglob("*")] == [other.parent, other]


def test_options_that_would_be_ignored_are_refused(tmp_path):
    runs, qrels = _data(3)
    with pytest.raises(LexiframeError, match="resume needs the folder of the interrupted"):
        lf.evaluate(runs, qrels, MEASURES, resume=True)
    lf.evaluate(runs, qrels, MEASURES).write(tmp_path / "results")
    for asked in ({"keep": "scores"}, {"resume": True}):
        with pytest.raises(LexiframeError, match="reuse takes what was found of all runs at once"):
            lf.evaluate(runs, qrels, reuse=tmp_path / "results", out=tmp_path / "out", **asked)


def test_sums_without_ranks_are_not_reused_and_the_reason_is_said(tmp_path, monkeypatch):
    runs, qrels = _data(30)
    in_parts = lf.evaluate(runs, qrels, MEASURES, memory=200_000)
    in_parts.write(tmp_path / "parts")
    with pytest.raises(LexiframeError, match="parts: expected the results of an evaluation in mem"):
        lf.evaluate(runs, qrels, MEASURES, reuse=tmp_path / "parts")
    with pytest.raises(LexiframeError, match="add_runs: expected an evaluation with the preferenc"):
        lf.add_runs(in_parts, {"new": runs["up"]})
    lf.evaluate(runs, qrels, MEASURES).write(tmp_path / "whole")
    with pytest.warns(lf.LexiframeWarning, match="nothing is reused, since the files of all"):
        again = lf.evaluate(runs, qrels, MEASURES, reuse=tmp_path / "whole", memory=450_000)
    assert again.sums is not None
    assert again.provenance["reused"]["runs"] == 0

    def too_many(*_, **__):
        raise NotEnoughMemoryError("too many pairs")

    monkeypatch.setattr("lexiframe.core.pairwise.measured.refuse_many_pairs", too_many)
    for module in ("core.evaluation.from_runs", "connect.engines.in_parts"):
        monkeypatch.setattr(f"lexiframe.{module}.can_be_ranked_at_once", lambda *_: False)
    with pytest.raises(LexiframeError, match="pairs; reuse needs all preferences in memory, or"):
        lf.evaluate(runs, qrels, MEASURES, reuse=tmp_path / "whole")


@pytest.fixture
def files(tmp_path):
    """Two runs, a folder of the same two and a third, and judgments."""
    runs, qrels = _data(30)
    runs["third"] = runs["up"].with_columns(score=(pl.col("score") * 7) % 11)
    (tmp_path / "runs").mkdir()
    for name, rows in runs.items():
        rows.write_parquet(tmp_path / "runs" / f"{name}.parquet")
    few = [tmp_path / "runs" / f"{name}.parquet" for name in ("down", "up")]
    return few, tmp_path / "runs", qrels


def _same(found, expected):
    assert (found.sums is None) == (expected.sums is None)
    for name, table in expected.tables().items():
        assert found.tables()[name].equals(table, null_equal=True), name
    facts = {name: fact for name, fact in found.provenance.items() if name != "reused"}
    assert facts == expected.provenance


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_runs_are_added_where_their_preferences_do_not_fit_in_memory(files, test, monkeypatch):
    few, every, qrels = files
    whole, e = (lf.evaluate(runs, qrels, MEASURES, test=test) for runs in (every, few))

    def too_many(*_, **__):
        raise NotEnoughMemoryError("too many pairs")

    monkeypatch.setattr("lexiframe.core.pairwise.measured.refuse_many_pairs", too_many)
    more = lf.add_runs(e, every / "third.parquet")
    assert (more.sums is None) == (test == "t")
    for name, table in whole.tables(of_requests=False).items():
        assert getattr(more, name).equals(table, null_equal=True), name


@pytest.mark.parametrize("before", [None, 450_000])
@pytest.mark.parametrize("memory", [None, 450_000])
def test_an_evaluation_in_parts_takes_ranks_and_gives_them(
    files, before, memory, tmp_path, monkeypatch
):
    few, every, qrels = files
    lf.evaluate(few, qrels, MEASURES, memory=before).write(tmp_path / "out")
    whole, read, load = lf.evaluate(every, qrels, MEASURES, memory=memory), [], RunScan.load

    def noted(scan, index, **how):
        read.append(scan.sources[index].name)
        return load(scan, index, **how)

    monkeypatch.setattr(RunScan, "load", noted)
    e = lf.evaluate(every, qrels, MEASURES, memory=memory, reuse=tmp_path / "out")
    assert read == ["third"]
    _same(e, whole)
    are_tables = before is None and memory is None
    n_measures, n_pairs = (2, 1) if are_tables else (0, 0)
    expected = {"runs": 2, "requests": 30, "measures": n_measures, "pairs": n_pairs}
    assert e.provenance["reused"] == expected


def test_a_job_is_resumed_with_more_memory_but_not_with_less(tmp_path, monkeypatch):
    runs, qrels = _data(300)
    how = {"out": tmp_path, "keep": "scores"}
    evaluated = []

    def fail_at_last(*given):
        if len(evaluated) == 2:
            raise KeyboardInterrupt
        evaluated.append(given[-1])
        return evaluate_bucket(*given)

    with monkeypatch.context() as patched:
        patched.setattr("lexiframe.connect.engines.parts.batches.evaluate_bucket", fail_at_last)
        with pytest.raises(KeyboardInterrupt):
            lf.evaluate(runs, qrels, MEASURES, memory=SMALL // 10, **how)
    with pytest.raises(LexiframeError, match=r"its job has [0-9]+ buckets, and needs [0-9]+ for"):
        lf.evaluate(runs, qrels, MEASURES, memory=SMALL // 100, resume=True, **how)
    e = lf.evaluate(runs, qrels, MEASURES, memory=SMALL, resume=True, **how)
    whole = lf.evaluate(runs, qrels, MEASURES)
    assert e.means.equals(whole.means)
    found = pl.read_parquet(tmp_path / "scores")
    assert found.sort(whole.scores.columns[:3]).equals(whole.scores.sort(whole.scores.columns[:3]))


def test_a_folder_has_the_tables_of_one_evaluation(tmp_path):
    """Whichever of them are in parts; what people put there stays."""
    runs, qrels = _data(30)
    both = {"out": tmp_path, "keep": ["scores", "preferences"], "memory": 200_000}
    in_parts = lf.evaluate(runs, qrels, MEASURES, **both)
    assert {*in_parts.parts} == {"scores", "preferences"}
    in_parts.write(tmp_path)
    assert len(_parts_in(tmp_path)) > 1
    lf.evaluate(runs, qrels, MEASURES, **both | {"keep": "scores"})
    assert {part.parent.name for part in _parts_in(tmp_path)} == {"scores"}
    pl.DataFrame({"run": ["a"]}).write_parquet(tmp_path / "scores" / "part-999999.parquet")
    whole = lf.evaluate(runs, qrels, MEASURES)
    assert whole.parts == {}
    whole.write(tmp_path)
    assert [part.name for part in _parts_in(tmp_path)] == ["part-999999.parquet"]
    assert pl.read_parquet(tmp_path / "scores.parquet").equals(whole.scores)
    lf.evaluate(runs, qrels, MEASURES, **both | {"keep": "preferences"}).write(tmp_path)
    assert not (tmp_path / "preferences.parquet").exists()
    lf.evaluate(runs, qrels, MEASURES, memory=200_000).write(tmp_path)
    assert not (tmp_path / "preferences").exists()


def _parts_in(folder):
    return sorted(folder.rglob("part-*.parquet"))
