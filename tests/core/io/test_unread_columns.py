"""Columns and lists that are not read, though they may be what decides, and folds that divide."""

import json
import random
import warnings

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.doubts.order_of_rows import doubted_order

QUERIES = [f"q{n}" for n in range(30)]
JUDGED = {query: {"d0": 1} for query in QUERIES}


def said_by(function, *arguments, **options):
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments, **options)
    return [str(one.message) for one in found]


def ranked_by_other(name, numbers, n=8):
    """A table whose rows lie by the numbers of a column beside scores that are drawn."""
    rnd = random.Random(3)
    rows = [(query, f"d{i}", rnd.random(), numbers(i)) for query in QUERIES for i in range(n)]
    return pl.DataFrame(rows, ["query_id", "doc_id", "score", name], orient="row")


def write(frame, path):
    """Write a table in the form of the path's ending."""
    ending = path.suffix[1:]
    getattr(frame, {"jsonl": "write_ndjson"}.get(ending, f"write_{ending}"))(path)
    return path


# --- A column that the rows follow ------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["frame", "csv", "jsonl", "parquet"])
def test_a_column_that_the_rows_follow_is_named_with_both_shares(tmp_path, form):
    frame = ranked_by_other("rerank_score", lambda i: 1 / (1 + i))
    given = frame if form == "frame" else write(frame, tmp_path / f"a.{form}")
    for call in (lf.read_runs, lambda run: lf.evaluate(run, JUDGED, "RR")):
        (said,) = said_by(call, given)
        assert "fall by rerank_score in 30 of 30 requests, and by score in 0" in said
        assert "columns={'score': 'rerank_score'}" in said
    for how in ({"columns": {"score": "rerank_score"}}, {"ranked_by": "score"}):
        assert said_by(lf.read_runs, given, **how) == []
    if form != "frame":
        assert lf.check_run(given)["problem"].to_list() == ["doubt"]


@pytest.mark.parametrize(
    "name, numbers, advice",
    [
        ("cosineDistance", lambda i: i / 8, "columns={'score': 'cosineDistance'}, better='low'"),
        ("position", lambda i: i + 1, "columns={'rank': 'position'}, ranked_by='rank'"),
        ("llm_score", lambda i: 10 - i // 2, "columns={'score': 'llm_score'}"),
    ],
)
def test_distances_and_places_beside_scores(tmp_path, name, numbers, advice):
    frame = ranked_by_other(name, numbers)
    for given in (frame, write(frame, tmp_path / "a.parquet")):
        assert f"if {name} decides, {advice}; " in said_by(lf.read_runs, given)[0]


@pytest.mark.parametrize("name", ["timestamp", "relevance", "rating", "text"])
def test_columns_that_order_no_documents_are_not_named(name):
    frame = ranked_by_other(name, lambda i: -i)
    if name == "text":
        frame = frame.with_columns(pl.format("text {}", name).alias(name))
    assert said_by(lf.read_runs, frame) == []


def test_rows_that_fall_by_both_or_by_neither_are_not_doubted():
    frame = ranked_by_other("bm25", lambda i: -i)
    for other in (
        frame.sort("query_id", "score", descending=True),
        frame.sample(fraction=1, seed=3, shuffle=True),
    ):
        assert said_by(lf.read_runs, other) == []
    few = frame.filter(pl.col("query_id") == "q0")
    assert doubted_order(few.head(4), few.head(4).select("bm25"), "", "score") is None


# --- Low scores -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores, found",
    [
        (lambda i: i + 1, "scores that count 1, 2, 3 ... in all requests (30)"),
        (lambda i: i**2 / 7, "scores that rise from row to row in all requests (30)"),
    ],
)
def test_scores_that_rise_in_all_requests(tmp_path, scores, found):
    rows = [(query, f"d{i}", float(scores(i))) for query in QUERIES for i in range(5)]
    frame = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    by_query = {query: {f"d{i}": scores(i) for i in range(5)} for query in QUERIES}
    text = "".join(f"{query} {doc} {score}\n" for query, doc, score in rows)
    (tmp_path / "a.run").write_text(text)
    given = [(frame, {}), (by_query, {}), (tmp_path / "a.run", {"third": "score"})]
    for run, how in given:
        (said,) = said_by(lf.read_runs, run, **how)
        assert found in said
        assert "better='low'" in said
        assert ("columns={'rank': 'score'}" in said) == ("count 1" in found)
        for more in ({"better": "low"}, {"ranked_by": "score"}):
            assert said_by(lf.read_runs, run, **how, **more) == []
    if "count 1" in found:
        assert said_by(lf.read_runs, frame, columns={"rank": "score"}) == []
    one_falls = frame.with_columns(
        score=pl.when(pl.int_range(pl.len()) == 149).then(-1).otherwise("score")
    )
    assert said_by(lf.read_runs, one_falls) == []


@pytest.mark.parametrize("name", ["distance", "L2 dist", "val_loss", "position"])
def test_a_column_of_low_ones_that_is_given_as_score(name):
    rnd = random.Random(2)
    rows = [(query, f"d{i}", rnd.random()) for query in QUERIES for i in range(4)]
    frame = pl.DataFrame(rows, ["query_id", "doc_id", name], orient="row")
    (said,) = said_by(lf.read_runs, frame, columns={"score": name})
    assert f"found the column {name}; if low ones are better, say better='low'" in said
    assert said_by(lf.read_runs, frame, columns={"score": name}, better="low") == []
    negative = frame.with_columns(-pl.col(name))
    assert said_by(lf.read_runs, negative, columns={"score": name}) == []


# --- Lists beside lists of documents ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "similarity_scores", "relevanceScores", "Similarities"])
def test_lists_of_scores_are_read_in_the_plural_too(tmp_path, name):
    rows = [{"query_id": query, "doc_ids": ["x", "d0"], name: [0.1, 0.9]} for query in QUERIES]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts = pl.DataFrame(rows).with_columns(
        pl.format("[{}]", pl.col(column).cast(pl.List(pl.String)).list.join(", "))
        for column in ("doc_ids", name)
    )
    csv = write(texts.with_columns(doc_ids=pl.lit("['x', 'd0']")), tmp_path / "a.csv")
    for given in (tmp_path / "a.jsonl", csv, pl.DataFrame(rows), rows):
        assert lf.evaluate(given, JUDGED, "RR").means["mean"].to_list() == [1.0]
    assert lf.check_run(tmp_path / "a.jsonl").height == 0


@pytest.mark.slow
def test_of_lists_of_distances_low_ones_are_better(tmp_path):
    rows = [
        {"qid": query, "retrieved_ids": ["x", "d0"], "distances": [0.9, 0.1]} for query in QUERIES
    ]
    frame = pl.DataFrame(rows)
    for given in (frame, write(frame, tmp_path / "a.parquet"), write(frame, tmp_path / "a.jsonl")):
        for how in ({}, {"better": "low"}, {"better": "low", "columns": {"score": "distances"}}):
            runs = lf.scan_runs(given, **how)
            assert lf.evaluate(runs, JUDGED, "RR").means["mean"].to_list() == [1.0]
        out = {"out": tmp_path / "out", "keep": "scores"}
        assert lf.evaluate(given, JUDGED, "RR", **out).means["mean"].to_list() == [1.0]
    beside = frame.with_columns(scores=pl.Series([[0.2, 0.3]] * 30))
    assert lf.read_runs(beside)["score"].to_pylist()[:2] == [0.2, 0.3]


# --- Folds ------------------------------------------------------------------------------------


def folded(name, *, ranks=False):
    """Lists of users in three folds, with items of their own."""
    rnd = random.Random(4)
    rows = [
        (fold, f"u{user}", str(10 * fold + i), 5 - i if ranks else rnd.random())
        for fold in (1, 2, 3)
        for user in range(9)
        for i in range(5)
    ]
    return pl.DataFrame(rows, [name, "user_id", "item_id", "score"], orient="row")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fold", "i_split", "CV split"])
def test_folds_that_divide_the_lists_are_named(tmp_path, name):
    frame = folded(name)
    wanted = f"9 of 9 requests with rows of several values of {name}: 3 ('1', '2', '3')"
    forms = [write(frame, tmp_path / f"a.{ending}") for ending in ("csv", "parquet")]
    for given in (frame, *forms, frame.with_columns(run=pl.lit("a"))):
        (said,) = said_by(lf.read_runs, given)
        assert wanted in said
    two = pl.concat([frame.with_columns(run=pl.lit(run)) for run in "ab"])
    for given in (two, write(two, tmp_path / "two.parquet")):
        assert "18 of 18 requests" in said_by(lf.read_runs, given)[0]
    assert "doubt" in lf.check_run(forms[0])["problem"]
    assert (
        said_by(lf.read_runs, frame.with_columns(user_id=pl.format("{}/{}", name, "user_id"))) == []
    )


def test_an_item_in_several_folds_is_refused_in_runs_and_judgments():
    frame = folded("fold").with_columns(
        item_id=pl.lit("a") + (pl.int_range(pl.len()) % 5).cast(pl.String)
    )
    with pytest.raises(lf.SchemaError, match="several values of fold"):
        lf.read_runs(frame)
    judged = frame.rename({"score": "rating"})
    with pytest.raises(lf.SchemaError, match="several values of fold"):
        lf.read_qrels(judged)


def test_judgments_in_several_folds_are_named(tmp_path):
    judged = folded("split").rename({"score": "rating"})
    for given in (judged, write(judged, tmp_path / "q.csv"), write(judged, tmp_path / "q.parquet")):
        said = said_by(lf.read_qrels, given)
        assert any("9 of 9 requests with rows of several values of split" in one for one in said)
    assert not any("split" in one for one in said_by(lf.read_qrels, judged.filter(split=2)))
