"""Runs whose ranks and scores disagree: who is told, how to say which of them is right."""

import random
import warnings

import polars as pl
import pyarrow as pa
import pytest

import lexiframe as lf
from lexiframe.core.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.core.evaluation.buckets.results import BucketResult
from lexiframe.core.evaluation.from_parts import plan_of
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io.doubts.scores_against_ranks import (
    all_compared,
)

WARNING = "runs whose ranks and scores disagree: "
QUERIES = [str(query) for query in range(1, 41)]  # enough of them that chance is no cause
JUDGED = {query: {"a": 1} for query in QUERIES}
DISTANCES = ["a 1 0.05", "b 2 0.30", "x 3 1.30"]
AGAINST = {
    "distances": DISTANCES,
    "from 0": ["a 0 0.05", "b 1 0.30", "x 2 1.30"],
    "in no order": ["x 3 1.30", "a 1 0.05", "b 2 0.30"],
    "changed places": ["a 12.5 1", "b 11.2 2", "x 3.1 3"],
    "changed places, whole": ["a 1250 1", "b 1120 2", "x 310 3"],
    "joined answers": ["b 1 1.7", "c 2 1.6", "a 3 1.98"],
    "reranked": ["a 2 1.9", "b 1 1.8", "x 7 1.7", "y 4 1.5", "z 9 1.1"],
    "one moved up": ["a 1 1.4", "b 2 1.8", "x 3 1.7", "y 4 1.5", "z 5 1.1"],
}
FOR = {
    "usual": ["a 1 1.30", "b 2 0.30", "x 3 0.05"],
    "usual, from 0": ["a 0 1.30", "b 1 0.30", "x 2 0.05"],
    "usual, in no order": ["x 3 0.05", "a 1 1.30", "b 2 0.30"],
    "worst first": ["x 3 1", "b 2 2", "a 1 3"],
    "constant": ["a 0 0.05", "b 0 0.30", "x 0 1.30"],
    "repeated": ["a 1 0.05", "b 1 0.30", "x 2 1.30"],
    "no numbers": ["a Q 0.05", "b Q 0.30", "x Q 1.30"],
    "only ties differ": ["a 3 1.30", "b 2 1.30", "x 1 1.30", "y 4 0.5"],
    "scores in place of ranks": ["a 12.5 3", "b 11.2 2", "x 3.1 1"],
}


def text_of(lines, queries=QUERIES):
    return "".join(f"{query} Q0 {line} t\n" for query in queries for line in lines)


def caught(function, *arguments, **options):
    """The warnings of scores against ranks."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments, **options)
    return [str(one.message) for one in found if str(one.message).startswith(WARNING)]


@pytest.fixture
def write(tmp_path):
    def write_file(lines, name="r.run", queries=QUERIES):
        path = tmp_path / name
        path.write_text(text_of(lines, queries))
        return path

    return write_file


# --- What is said, and what is not --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", AGAINST)
def test_every_reader_says_it(write, name):
    path = write(AGAINST[name])
    for call in (lf.read_runs, lambda run: lf.evaluate(run, JUDGED, ["RR"])):
        (said,) = caught(call, path)
        assert said.startswith(f"{WARNING}1 ('r'); in 40 of 40 requests (query '1': rank ")
        assert "better='low'" in said
        assert "ranked_by='rank'" in said
    assert lf.check_run(path)["problem"].to_list() == ["ranks"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR)
def test_what_is_as_it_should_be_is_not_said(write, name):
    path = write(FOR[name])
    assert caught(lf.read_runs, path) == []
    assert caught(lf.evaluate, path, JUDGED, ["RR"]) == []
    assert "ranks" not in lf.check_run(path)["problem"].to_list()


def test_a_large_file_is_told_by_some_of_its_lines(tmp_path):
    """Also where the first request is not like the others."""
    lines = [
        f"q{query} Q0 d{n} {n + 1} {(-1 if query else 1) * (500 - n)}.5 t"
        for query in range(60)
        for n in range(100)
    ]
    path = tmp_path / "r.run"
    path.write_text("\n".join(lines) + "\n")
    assert len(caught(lf.read_runs, path)) == 1
    random.Random(5).shuffle(lines)
    rows = pl.DataFrame([line.split()[:5] for line in lines], orient="row").select(
        query_id="column_0",
        rank=pl.col("column_3").cast(pl.Int64),
        score=pl.col("column_4").cast(pl.Float64),
    )
    found = all_compared(rows)
    assert (found.requests, found.of) == (59, 60)
    assert found.example == "query 'q1': rank 1 has the score -500.5, rank 100 has -401.5"


# --- Whatever the runs are read from ------------------------------------------------------------


def frame_of(lines):
    rows = [
        (q, doc, int(rank), float(s)) for q in QUERIES for doc, rank, s in map(str.split, lines)
    ]
    return pl.DataFrame(rows, ["query_id", "doc_id", "rank", "score"], orient="row")


FRAME = frame_of(DISTANCES)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["frame", "pandas", "lazy", "table", "csv", "json", "parquet"])
def test_all_forms_and_engines(tmp_path, form):
    path = tmp_path / f"r.{form}"
    if form in ("csv", "parquet"):
        getattr(FRAME, f"write_{form}")(path)
    elif form == "json":
        path.write_text("\n".join(FRAME.write_ndjson().splitlines()))
    given = {
        "frame": FRAME,
        "pandas": FRAME.to_pandas(),
        "lazy": FRAME.lazy(),
        "table": FRAME.to_arrow(),
    }.get(form, path)
    for options in ({}, {"out": tmp_path / "out", "keep": "scores"}):
        (said,) = caught(lf.evaluate, given, JUDGED, ["RR"], **options)
        assert "; in 40 of 40 requests (query '1': rank 1 has the score 0.05, rank 3 " in said
    assert len(caught(lf.evaluate, lf.scan_runs(given), JUDGED, ["RR"])) == 1
    assert len(caught(lf.positions, given, JUDGED)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("scores", ["score", pl.col("score") * -1])
def test_no_batch_is_lost_that_was_looked_at(tmp_path, new, scores):
    """A stream of Arrow can be read once."""
    table = pl.concat([FRAME.with_columns(scores)[n : n + 1] for n in range(120)]).to_arrow()
    with pa.OSFile(str(tmp_path / "r.arrow"), "wb") as file, new(file, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=2):
            writer.write_batch(batch)
    for options in ({}, {"out": tmp_path / "out", "keep": "scores"}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lf.LexiframeWarning)
            e = lf.evaluate(tmp_path / "r.arrow", JUDGED, ["RR"], **options)
        assert e.coverage["retrieved"].to_list() == [120]


def test_buckets_with_ranks_add_up():
    """As on Spark: most requests of a bucket may be against them, and of all buckets not."""
    plan = plan_of(Asked.given(["RR"]), ["r"])
    usual = FRAME[:60].with_columns(score=-pl.col("score"), query_id="usual" + pl.col("query_id"))
    queries = pl.concat([FRAME["query_id"], usual["query_id"]]).unique()
    judged = pl.DataFrame({"query_id": queries, "doc_id": "a", "relevance": 1.0})
    results = [
        evaluate_bucket(
            plan, {"r": rows}, judged.filter(pl.col("query_id").is_in(rows["query_id"]))
        )
        for rows in (FRAME, usual)
    ]
    total = BucketResult.from_bytes(results[0].to_bytes()) + results[1]
    found = total["said"].against["r"]
    assert (found.requests, found.of, found.is_most) == (40, 60, True)
    usual = results[1]["said"].against["r"]
    assert not (found + usual + usual).is_most


# --- How to turn them ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distances", "in no order", "changed places"])
def test_low_scores_can_be_the_better_ones(write, tmp_path, name):
    path = write(AGAINST[name])
    runs = lf.scan_runs(path, better="low")
    for options in ({}, {"out": tmp_path / "out", "keep": "scores"}):
        assert caught(lf.evaluate, runs, JUDGED, ["RR"], **options) == []
        e = lf.evaluate(runs, JUDGED, ["RR"], **options)
        assert e.means["mean"].to_list() == [1.0]
        assert e.provenance["runs"][0]["reading"] == {"better": "low"}
    table = lf.read_runs(path, better="low")
    assert sorted(table["score"].to_pylist()) == sorted(
        -float(line.split()[2]) for line in AGAINST[name] * 40
    )
    assert lf.check_run(path, better="low").height == 0


@pytest.mark.slow
@pytest.mark.parametrize("form", ["frame", "integers", "parquet", "dictionary"])
def test_any_form_can_be_turned(tmp_path, form):
    given = {
        "frame": FRAME.with_columns(rank=None).drop("rank"),
        "integers": FRAME.with_columns(score=pl.col("rank").cast(pl.UInt8)).drop("rank"),
        "parquet": tmp_path / "r.parquet",
        "dictionary": {q: {"a": 0.05, "b": 0.3, "x": 1.3} for q in QUERIES},
    }[form]
    FRAME.write_parquet(tmp_path / "r.parquet")
    runs = lf.scan_runs(given, better="low")
    for options in ({}, {"out": tmp_path / "out", "keep": "scores"}):
        assert lf.evaluate(runs, JUDGED, ["RR"], **options).means["mean"].to_list() == [1.0]


def test_another_word_for_better_is_refused():
    with pytest.raises(lf.LexiframeError, match="better: expected one of 'high', 'low', found"):
        lf.read_runs(FRAME, better="least")


# --- Ranks in place of scores -------------------------------------------------------------------


def test_runs_without_ranks_cannot_be_ranked_by_them():
    scored = {"r": {query: {"a": 2.0, "b": 1.0} for query in QUERIES}}
    frame = pl.DataFrame({"query_id": QUERIES, "doc_id": "a", "score": 1.0})
    for run in (scored, {"r": frame}):
        with pytest.raises(
            lf.SchemaError, match="expected a column of whole ranks, found none; say"
        ):
            lf.evaluate(run, JUDGED, ["RR"], ranked_by="rank")
