"""What can name a group of requests, whatever the frame or file holds it as."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lexiframe as lf
from lexiframe.core.pairwise.arrays.group_values import name_group_values
from tests.conftest import library

QUERIES = ["q1", "q2", "q3", "q4", "q5"]
SCORES = pl.DataFrame(
    [
        ("a" if n % 2 else "b", query, "AP", (7 * n % 10) / 10)
        for query in QUERIES
        for n in range(len(query) * QUERIES.index(query), len(query) * QUERIES.index(query) + 2)
    ],
    schema=["run", "query_id", "measure", "value"],
    orient="row",
)
NAN = float("nan")


def attributes(values, **how):
    return pl.DataFrame({"query_id": QUERIES, "by": pl.Series(values, **how)})


def extension(name, storage, metadata):
    """A table as it is read from a file that has a type of pandas, which is not imported."""
    field = pa.field(
        "by",
        storage.type,
        metadata={"ARROW:extension:name": name, "ARROW:extension:metadata": metadata},
    )
    return pa.table(
        [pa.array(QUERIES), storage], pa.schema([pa.field("query_id", "string"), field])
    )


def groups(requests, by="by"):
    """The groups of all functions that are asked, which must be the same."""
    found = lf.compare(SCORES, requests=requests, by=by)[by].unique().sort().to_list()
    means = lf.evaluate_scores(SCORES, requests=requests, by=by).means[by]
    assert means.unique().sort().to_list() == found
    table = lf.with_attributes(SCORES, requests)
    assert lf.order_runs(table, by=by)[by].unique().sort().to_list() == found
    return found


@pytest.mark.slow
def test_intervals_and_periods_in_files_are_those_of_frames(tmp_path):
    pandas = library("pandas")
    days = pandas.Series(pandas.to_datetime(["2024-01-03", "2024-01-20", None, "2024-02-03"] * 2))
    frame = pandas.DataFrame({"query_id": QUERIES, "by": days[:5].dt.to_period("M")})
    frame["length"] = pandas.arrays.IntervalArray.from_breaks(range(6))
    frame.to_parquet(tmp_path / "requests.parquet")
    for requests in (frame, tmp_path / "requests.parquet", pl.DataFrame(frame)):
        assert groups(requests) == [None, "2024-01", "2024-02"]
        assert groups(requests, "length")[0] == "(0, 1]"


@pytest.mark.slow
@pytest.mark.parametrize(
    "freq, first", [("Q", "2024Q1"), ("W", "2024-01-01/2024-01-07"), ("D", "2024-01-03")]
)
def test_periods_of_any_length_are_groups_with_their_text(freq, first):
    pandas = library("pandas")
    days = pandas.Series(pandas.to_datetime(["2024-01-03", None] * 2 + ["2025-06-07"]))
    found = groups(pandas.DataFrame({"query_id": QUERIES, "by": days.dt.to_period(freq)}))
    assert found[:2] == [None, first]
    assert len(found) == 3


@pytest.mark.slow
def test_a_number_that_is_none_is_no_value(tmp_path):
    assert groups(attributes([3.0, 8.0, NAN, None, 8.0])) == [None, 3.0, 8.0]
    assert groups(attributes([3.0, 8.0, NAN, 5.0, 8.0], dtype=pl.Float32)) == [None, 3.0, 5.0, 8.0]
    path = tmp_path / "requests.csv"
    path.write_text("query_id,by\nq1,3.0\nq2,8.0\nq3,nan\nq4,\nq5,8.0\n")
    assert groups(path) == [None, 3.0, 8.0]
    grades = {"q1": {"d1": 1, "d2": 0}, "q3": {"d1": 1}, "q4": {"d1": 1}}
    table = lf.judge_agreement({"x": grades, "y": grades}, requests=path, by="by")
    assert table["by"].to_list() == [None, 3.0]
    assert table["n"].to_list() == [2, 2]


@pytest.mark.slow
def test_durations_and_bytes_are_groups_with_their_text():
    days = pl.Series([1, 1, 2, None, 2]).cast(pl.Int64) * 86_400_000
    assert groups(attributes(days.cast(pl.Duration("ms")))) == [None, "1d", "2d"]
    assert groups(attributes([b"x", b"x", b"y", None, b"y"])) == [None, "x", "y"]
    requests = attributes(days.cast(pl.Duration("ms"))).filter(pl.col("by").is_not_null())
    table = lf.compare_groups(
        SCORES.filter(pl.col("query_id") != "q4"), requests=requests, by="by", trials=9
    )
    assert table.select("group_a", "group_b").unique().rows() == [("1d", "2d")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "values, kind",
    [
        (pl.Series([["a"], ["b"], ["a", "b"], [], ["a"]]), "lists: 5 (\"['a']\""),
        (pl.Series([[1, 2]] * 5, dtype=pl.Array(pl.Int64, 2)), "lists: 5 "),
        (pl.Series([{"kind": "x"}] * 4 + [None]), "records: 4 "),
        (pl.Series([b"\xff"] * 5), "bytes that are no text: 5 "),
        (pl.Series([complex(1, 2)] * 5, dtype=pl.Object), "objects: 5 "),
    ],
)
def test_what_is_no_single_value_is_refused_with_the_name_of_the_column(values, kind):
    requests = attributes(values)
    message = f"expected one value for each request in by.*found {kind}".replace("(", r"\(")
    message = message.replace("[", r"\[")
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(SCORES, requests=requests, by="by")
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate_scores(SCORES, requests=requests, by="by")
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(SCORES, requests=requests, cluster="by", test="t")


@pytest.mark.parametrize(
    "kind, storage, metadata",
    [
        ("pandas.period", pa.array([1, 2, 3, 4, 5]), "{}"),
        ("pandas.period", pa.array([1, 2, 3, 4, 5]), '{"freq": "no such"}'),
        ("pandas.interval", pa.array([{"left": 1}] * 5), '{"closed": "left"}'),
        ("pandas.interval", pa.array([1] * 5), '{"closed": "left"}'),
        ("pandas.interval", pa.array([{"left": 1, "right": 2}] * 5), "no JSON"),
        ("pandas.interval", pa.array([{"left": 1, "right": 2}] * 5), "[" * 100_000),
    ],
    ids=range(6),
)
def test_metadata_of_groups_that_say_nothing_are_refused(kind, storage, metadata, tmp_path):
    pandas = library("pandas")
    table = extension(kind, storage, metadata)
    with pytest.raises(lf.LexiframeError, match="by is said to hold values of the kind pandas"):
        lf.compare(SCORES, requests=table, by="by")
    pa.table(pandas.DataFrame({"by": pandas.period_range("2024", periods=1)}))  # types are known
    pq.write_table(table, tmp_path / "requests.parquet")
    with pytest.raises(lf.LexiframeError):
        lf.compare(SCORES, requests=tmp_path / "requests.parquet", by="by")


def test_types_of_others_are_groups_as_they_are_stored():
    table = extension("example.kind", pa.array([1, 1, 2, 2, 2]), "")
    assert groups(table) == [1, 2]
    assert name_group_values(pl.DataFrame(table), ["by"])["by"].dtype == pl.Int64


def test_periods_without_pandas_are_refused(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    table = extension("pandas.period", pa.array([648] * 5), '{"freq": "M"}')
    with pytest.raises(lf.LexiframeError, match="by holds periods of pandas, which is not inst"):
        lf.compare(SCORES, requests=table, by="by")


def test_the_command_line_takes_attributes_that_are_no_numbers(lexiframe, tmp_path):
    path = tmp_path / "requests.csv"
    path.write_text("query_id,length\nq0066,3.0\nq0078,8.0\nq0113,nan\nq0175,5.0\nq0206,8.0\n")
    example = lf.bundled("example")
    files = [example / "qrels.txt", example / "runs"]
    found = lexiframe("evaluate", *files, "-m", "AP", "--requests", path, "--by", "length")
    assert found.status == 0, found.err
    assert "Traceback" not in found.err
