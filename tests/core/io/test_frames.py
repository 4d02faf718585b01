"""Frames of every library, in every options, flat and as lists of items: always the same table."""

import warnings
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import ScoredDoc
from pyarrow import dataset, parquet

import lexiframe as lf
from tests.conftest import library

ROWS = [("q1", "d1", 3.5), ("q1", "d2", 2.0), ("q2", "d1", -0.25), ("007", "07", 1e-3)]
COLUMNS = dict(zip(("query_id", "doc_id", "score"), zip(*ROWS, strict=True), strict=True))
FRAME = pl.DataFrame({name: list(values) for name, values in COLUMNS.items()})
JUDGED = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "007"],
        "doc_id": ["d1", "d2", "d1", "07"],
        "relevance": [0.0, 1.0, 2.0, -1.0],
    }
)


def expected(frame=FRAME, run="run", **more):
    """The whole table of one run."""
    types = {"score": pa.float64(), "rank": pa.int64()}
    columns = {"run": [run] * frame.height, **frame.to_dict(as_series=False), **more}
    return pa.table({n: pa.array(of, types.get(n, pa.string())) for n, of in columns.items()})


def expected_qrels(frame=JUDGED, iteration="0"):
    columns = {
        "query_id": pa.array(frame["query_id"].to_list(), pa.string()),
        "iteration": pa.array([iteration] * frame.height, pa.string()),
        "doc_id": pa.array(frame["doc_id"].to_list(), pa.string()),
        "relevance": pa.array(frame["relevance"].to_list(), pa.float64()),
    }
    return pa.table(columns)


def assert_same(table, other):
    assert table.schema.remove_metadata() == other.schema.remove_metadata()
    assert table.to_pylist() == other.to_pylist()


# --- Libraries ----------------------------------------------------------------------------------


def pandas_of(frame, dtype=None, backend=None):
    made = pd.DataFrame(frame.to_dict(as_series=False))
    ids = [name for name in made if name.endswith("_id")]
    if dtype is not None:
        made = made.astype(dict.fromkeys(ids, dtype))
    return made if backend is None else made.convert_dtypes(dtype_backend=backend)


def ids_as(dtype):
    return lambda frame: frame.with_columns(pl.col("query_id", "doc_id").cast(dtype))


def arrow_ids_as(dtype):
    def cast(frame):
        table = frame.to_arrow()
        is_id = [name.endswith("_id") for name in table.column_names]
        types = [dtype if ours else t for ours, t in zip(is_id, table.schema.types, strict=True)]
        return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))

    return cast


def duckdb_relation(frame):
    """The table is registered, because DuckDB cannot see it from here."""
    connection = library("duckdb").connect()
    connection.register("frame", frame.to_arrow())
    return connection.sql("select * from frame")


FRAMES = {
    "polars": lambda frame: frame,
    "polars, lazy": lambda frame: frame.lazy(),
    "polars, in pieces": lambda frame: pl.concat([frame[:1], frame[1:]], rechunk=False),
    "polars, categories": ids_as(pl.Categorical),
    "polars, an enumeration": lambda frame: frame.with_columns(
        pl.col("doc_id").cast(pl.Enum(frame["doc_id"].unique().sort()))
    ),
    "pandas": pandas_of,
    "pandas, objects": lambda frame: pandas_of(frame, object),
    "pandas, strings of pyarrow": lambda frame: pandas_of(frame, "string[pyarrow]"),
    "pandas, strings of python": lambda frame: pandas_of(frame, "string[python]"),
    "pandas, columns of pyarrow": lambda frame: pandas_of(frame, backend="pyarrow"),
    "pandas, nullable columns": lambda frame: pandas_of(frame, backend="numpy_nullable"),
    "pandas, categories": lambda frame: pandas_of(frame, "category"),
    "pandas, any index": lambda frame: pandas_of(frame).set_index(pd.Index([7, 7, 1, 0])),
    "pyarrow table": lambda frame: frame.to_arrow(),
    "pyarrow, plain strings": arrow_ids_as(pa.string()),
    "pyarrow, categories": arrow_ids_as(pa.dictionary(pa.int8(), pa.string())),
    "pyarrow reader": lambda frame: frame.to_arrow().to_reader(max_chunksize=1),
    "pyarrow batch": lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
    "pyarrow dataset": lambda frame: dataset.dataset(frame.to_arrow()),
    "pyarrow scanner": lambda frame: dataset.dataset(frame.to_arrow()).scanner(batch_size=2),
    "duckdb": duckdb_relation,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_every_library(kind):
    make = FRAMES[kind]
    assert_same(lf.read_runs(make(FRAME)), expected())
    assert_same(lf.read_runs({"mine": make(FRAME)}), expected(run="mine"))
    named = FRAME.with_columns(system=pl.lit("bm25"))
    assert_same(lf.read_runs(make(named)), expected(run="bm25"))
    assert_same(lf.read_qrels(make(JUDGED)), expected_qrels())


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_every_library_where_tables_are_used(kind):
    make = FRAMES[kind]
    with warnings.catch_warnings(action="ignore"):
        positions = lf.positions(FRAME, JUDGED)
        for runs in (make(FRAME), [make(FRAME)], {"run": make(FRAME)}):
            assert pl.DataFrame(lf.positions(runs, make(JUDGED))).equals(positions)
        assert lf.positions(lf.scan_runs([make(FRAME)]), JUDGED).equals(positions)
    assert positions["position"].to_list() == [2, 1]


def test_a_dataset_of_several_files(tmp_path):
    for n, part in enumerate(FRAME.iter_slices(2)):
        part.write_parquet(tmp_path / f"{n}.parquet")
    assert_same(lf.read_runs(dataset.dataset(tmp_path)), expected())
    only = dataset.dataset(tmp_path).scanner(filter=dataset.field("query_id") == "q1")
    assert_same(lf.read_runs(only), expected(FRAME[:2]))


def test_frames_of_several_libraries_at_once():
    kinds = ["pandas", "polars, lazy", "pyarrow reader", "pyarrow dataset", "duckdb"]
    table = lf.read_runs({kind: FRAMES[kind](FRAME) for kind in kinds})
    assert table["run"].unique().to_pylist() == sorted(kinds)
    for n, kind in enumerate(sorted(kinds)):
        part = table.slice(n * FRAME.height, FRAME.height)
        assert_same(part, expected(run=kind))


def test_text_that_duckdb_reads_as_numbers_is_read_by_its_types():
    """What comes typed is taken as it comes: DuckDB made 7 of 007, and says so in its type."""
    relation = library("duckdb").sql("select 007 as qid, 'd1' as docno, 1.5 as score")
    assert lf.read_runs(relation).to_pylist() == [
        {"run": "run", "query_id": "7", "doc_id": "d1", "score": 1.5}
    ]


# --- Names of columns ----------------------------------------------------------------------------

# As DESIGN.md lists them, copied and not imported: they are a contract.
KNOWN_NAMES = {
    "query_id": "query_id qid q_id query query-id topic user_id user",
    "doc_id": "doc_id docno docid doc item_id item corpus-id",
    "score": "score sim prediction",
    "run": "run name system tag model",
}
QRELS_KNOWN_NAMES = {
    "query_id": KNOWN_NAMES["query_id"],
    "doc_id": KNOWN_NAMES["doc_id"],
    "relevance": "relevance label rel grade gain rating score",
    "iteration": "iteration subtopic q0",
}


def spellings(dialects):
    return [(ours, theirs) for ours, names in dialects.items() for theirs in names.split()]


@pytest.mark.slow
@pytest.mark.parametrize("ours, theirs", spellings(KNOWN_NAMES))
@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow table", "duckdb"])
def test_every_dialect_of_runs(ours, theirs, kind):
    frame = FRAME.with_columns(run=pl.lit("bm25")).rename({ours: theirs})
    frame = frame.with_columns(more=pl.lit("?"), timestamp=1).select(pl.all().reverse())
    table = lf.read_runs(FRAMES[kind](frame))
    assert_same(table, expected(FRAME.reverse(), "bm25"))


@pytest.mark.parametrize("ours, theirs", spellings(QRELS_KNOWN_NAMES))
def test_every_dialect_of_qrels(ours, theirs):
    frame = JUDGED.with_columns(iteration=pl.lit("t1")).rename({ours: theirs})
    assert_same(lf.read_qrels(frame), expected_qrels(iteration="t1"))


def test_types_in_the_names_of_recbole():
    frame = FRAME.select(
        pl.col("query_id").alias("user_id:token"),
        pl.col("doc_id").alias("item_id:token"),
        pl.col("score").alias("rating:float"),
        pl.lit(881.0).alias("timestamp:float"),
    )
    judged = FRAME.rename({"score": "relevance"})
    with pytest.warns(lf.LexiframeWarning, match="grades go down to -0.25"):
        assert_same(lf.read_qrels(frame), expected_qrels(judged))
    assert_same(lf.read_runs(frame.rename({"rating:float": "score:float"})), expected())
    only_types = frame.rename({"user_id:token": "user_id:int"})
    with pytest.raises(lf.SchemaError, match=r"found: user_id:int, item_id, rating, timestamp"):
        lf.read_qrels(only_types)


THEIRS = FRAME.rename({"query_id": "Frage", "doc_id": "Dokument", "score": "Wert"})
MEANING = {"query_id": "Frage", "doc_id": "Dokument", "score": "Wert"}


@pytest.mark.parametrize(
    "columns",
    [
        MEANING,
        {theirs: ours for ours, theirs in MEANING.items()},
        {"query_id": "Frage", "Dokument": "doc_id", "score": "Wert"},
    ],
    ids=["ours to theirs", "theirs to ours", "both"],
)
def test_columns_in_both_directions(columns):
    assert_same(lf.read_runs(THEIRS, columns=columns), expected())
    assert_same(lf.read_runs([THEIRS], columns=columns), expected())
    judged = JUDGED.rename({"query_id": "Frage", "doc_id": "Dokument", "relevance": "Wert"})
    said = {"relevance" if k == "score" else k: v for k, v in columns.items()}
    said = {k: "relevance" if v == "score" else v for k, v in said.items()}
    assert_same(lf.read_qrels(judged, columns=said), expected_qrels())
    with pytest.raises(lf.SchemaError, match="query_id, doc_id, score are missing"):
        lf.read_runs(THEIRS)


def test_columns_that_pandas_numbers():
    numbered = pandas_of(FRAME).set_axis(range(3), axis="columns")
    columns = {"query_id": 0, "doc_id": 1, "score": 2}
    for renaming in (columns, {theirs: ours for ours, theirs in columns.items()}):
        assert_same(lf.read_runs(numbered, columns=renaming), expected())


def test_columns_decide_what_is_ambiguous_and_overrule_what_is_not():
    both = FRAME.with_columns(qid=pl.lit("x"))
    assert_same(lf.read_runs(both, columns={"query_id": "query_id"}), expected())
    assert_same(
        lf.read_runs(both, columns={"query_id": "query_id", "doc_id": "doc_id"}), expected()
    )
    assert lf.read_runs(both, columns={"query_id": "qid"})["query_id"].to_pylist() == ["x"] * 4
    swapped = FRAME.rename({"query_id": "doc_id", "doc_id": "query_id"})
    said = {"query_id": "doc_id", "doc_id": "query_id"}
    assert_same(lf.read_runs(swapped, columns=said), expected())
    named = FRAME.with_columns(tag=pl.lit("bm25"), run=pl.lit("x"))
    assert_same(lf.read_runs(named, columns={"run": "tag"}), expected(run="bm25"))


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"query_id": "Fragen"}, r"columns names 'Fragen', which is not there \(found: Frage, Dok"),
        (
            {"question": "Frage"},
            r"columns: expected lexiframe's names \(run, replicate, query_id, doc_id",
        ),
        ({"query_id": "Frage", "doc_id": "Dokument"}, "score is missing"),
    ],
)
def test_columns_that_are_wrong(columns, message):
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_runs(THEIRS, columns=columns)


def test_the_words_of_pyterrier():
    """Its frames carry the query's text as query and its own numbers of documents as docid."""
    frame = FRAME.rename({"query_id": "qid", "doc_id": "docno"}).with_columns(
        query=pl.lit("what is it"), docid=pl.int_range(4), rank=pl.Series([0, 1, 0, 0])
    )
    assert_same(lf.read_runs(frame), expected(rank=[0, 1, 0, 0]))
    assert lf.read_runs(frame.drop("qid"))["query_id"].unique().to_pylist() == ["what is it"]
    assert lf.read_runs(frame.drop("docno"))["doc_id"].to_pylist() == ["0", "1", "2", "3"]
    judged = JUDGED.rename({"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    assert_same(lf.read_qrels(judged.with_columns(query=pl.lit("?"), docid=1)), expected_qrels())


def test_a_score_is_the_grade_only_when_nothing_else_is():
    graded = JUDGED.rename({"relevance": "score"})
    assert_same(lf.read_qrels(graded), expected_qrels())
    for name in QRELS_KNOWN_NAMES["relevance"].split()[:-1]:
        both = graded.with_columns(pl.col("score").alias(name), score=9.0)
        assert_same(lf.read_qrels(both), expected_qrels())
    assert_same(lf.read_qrels(both, columns={"relevance": "rating"}), expected_qrels())
    assert lf.read_qrels(both, columns={"relevance": "score"})["relevance"].to_pylist() == [9] * 4
    with pytest.raises(lf.SchemaError, match="column score, found grade: this looks like qrels"):
        lf.read_runs(graded.rename({"score": "grade"}))


def with_twins(name, values):
    """A table of Arrow with one column more, twice if it is none of ours."""
    table = FRAME.to_arrow()
    for _ in range(1 if name in FRAME.columns else 2):
        table = table.append_column(name, pa.array(values))
    return table


def write_ipc(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


TWINS = {
    "pyarrow": lambda table, _: table,
    "batch": lambda table, _: table.combine_chunks().to_batches()[0],
    "reader": lambda table, _: table.to_reader(),
    "pandas": lambda table, _: pd.concat(
        [table.select([n]).to_pandas() for n in range(table.num_columns)], axis=1
    ),
    "parquet": lambda table, path: parquet.write_table(table, path),
    "arrow": lambda table, path: write_ipc(table, path),
}


@pytest.mark.parametrize("kind", TWINS)
def test_two_columns_of_one_name(tmp_path, kind):
    """Only where they are needed they are an error; who gives columns by name needs these."""
    path = tmp_path / "table"

    def given(name, values):
        made = TWINS[kind](with_twins(name, values), path)
        return path if path.exists() else made

    assert_same(lf.read_runs({"run": given("note", [1, 2, 3, 4])}), expected())
    for name in ("doc_id", "score"):
        with pytest.raises(lf.SchemaError, match=f"two columns are called '{name}'"):
            lf.read_runs({"mine": given(name, FRAME[name].to_list())})
    if path.exists():
        assert lf.check_run(path)["found"].to_list() == ["two columns are called 'score'"]
    table = given("note", ["a"] * 4)
    with pytest.raises(lf.LexiframeError, match="two columns are called 'note'"):
        lf.read_scores(table)


def test_two_columns_of_one_name_in_other_tables():
    s = pa.table([["a", "b"], ["q", "q"], ["AP"] * 2, [1.0, 0.0], [0.0, 1.0]],
                 names=["run", "query_id", "measure", "value", "value"])  # fmt: skip
    for function in (lf.compare, lf.win_rates, lf.order_runs):
        with pytest.raises(lf.SchemaError, match="two columns are called 'value'"):
            function(s)
    with pytest.raises(lf.SchemaError, match="two columns are called 'note'"):
        lf.read_runs(dataset.dataset(with_twins("note", [1, 2, 3, 4])))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("numbers", [[3, 2, 1, 0], [10**60, 10**50, 1, 0]])
def test_decimals_of_256_bits(capfd, numbers, inside):
    """Polars panics at them, and Rust prints that."""
    scores = pa.array(map(Decimal, numbers), pa.decimal256(70, 0))
    table = FRAME.to_arrow().set_column(2, "score", scores)
    if inside:
        lists = [[{"doc_id": d, "score": x}] for d, x in zip(FRAME["doc_id"], scores, strict=True)]
        item = pa.struct([("doc_id", pa.string()), ("score", scores.type)])
        table = table.select([0]).append_column("items", pa.array(lists, pa.list_(item)))
    for frame in (table, table.to_pandas(types_mapper=pd.ArrowDtype), table.to_reader()):
        assert lf.read_runs(frame)["score"].to_pylist() == [*map(float, numbers)]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "frame, found",
    [
        (pl.scan_csv("nowhere.csv"), "FileNotFoundError: No such file"),
        (FRAME.lazy().select("nope"), "ColumnNotFoundError: unable to find column"),
        (FRAME.lazy().with_columns(pl.col("doc_id").cast(pl.Int8)), "InvalidOperationError: conv"),
        (FRAME.lazy().map_batches(lambda _: 1 / 0), "ZeroDivisionError: division by zero"),
    ],
)
def test_lazy_frames_that_fail(frame, found):
    message = rf"the LazyFrame cannot be computed \({found}.*\); call its collect\(\) to see more"
    for read in (lf.read_runs, lf.read_qrels, lf.read_scores, lf.compare, lf.scores, lf.tie_rates):
        arguments = ["AP"] if read is lf.scores else []
        with pytest.raises(lf.SchemaError, match=message):
            read(frame, *arguments)


def test_an_object_that_fails_to_export_itself():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("the connection\nis closed")

    message = r"Broken cannot be exported as Arrow \(RuntimeError: the connection is closed\); give"
    for read in (lf.read_runs, lf.read_qrels, lf.read_scores):
        with pytest.raises(lf.SchemaError, match=message):
            read(Broken())


# --- Ids ----------------------------------------------------------------------------------------

INTEGERS = [7, 7, -10, 2**53 + 1]
TEXTS = ["7", "7", "-10", "9007199254740993"]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(INTEGERS),
        pl.Series([7, 7, -10, 100]).cast(pl.Int8),
        pl.Series([7, 7, 10, 2**64 - 1], dtype=pl.UInt64),
        pl.Series(INTEGERS, dtype=pl.Int128),
    ],
    ids=str,
)
def test_integers_of_every_width_become_strings(column):
    texts = [str(value) for value in column]
    frame = FRAME.with_columns(query_id=column, doc_id=pl.Series(["a", "b", "c", "d"]))
    assert lf.read_runs(frame)["query_id"].to_pylist() == texts
    judged = JUDGED.with_columns(doc_id=column, query_id=pl.Series(["a", "b", "c", "d"]))
    assert lf.read_qrels(judged)["doc_id"].to_pylist() == texts


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]", "category", object])
def test_integers_of_pandas_become_strings(dtype):
    frame = pandas_of(FRAME).assign(query_id=pd.Series(INTEGERS).astype(dtype))
    assert lf.read_runs(frame)["query_id"].to_pylist() == TEXTS


def test_integers_and_strings_meet():
    """A run with numbers as ids, judgments with the same as text: all requests in common."""
    runs = pl.DataFrame({"user": [7, 7], "item": [1, 2], "score": [1.0, 0.5]})
    judged = pl.DataFrame({"user": ["7"], "item": ["2"], "rating": [5]})
    assert lf.positions(runs, judged)["position"].to_list() == [2]


# --- Scores, grades, ranks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([3, 2, 1, 0]),
        pl.Series([3, 2, 1, 0], dtype=pl.UInt8),
        pl.Series([3.0, 2.0, 1.0, 0.0], dtype=pl.Float32),
        pl.Series(["3", "2.0", "1e0", "-0"]),
        pl.Series(["3", "2", "1", "0"]).cast(pl.Decimal(10, 3)),
    ],
    ids=["integers", "bytes", "single floats", "text", "decimals"],
)
def test_numbers_of_every_type(column):
    assert lf.read_runs(FRAME.with_columns(score=column))["score"].to_pylist() == [3, 2, 1, 0]
    frame = JUDGED.with_columns(relevance=column)
    assert lf.read_qrels(frame)["relevance"].to_pylist() == [3, 2, 1, 0]


def test_infinite_scores_are_scores():
    infinite = pl.Series("score", [float("inf"), 0.0, -float("inf"), 1.0])
    for kind in ("polars", "pandas", "pyarrow reader", "duckdb"):
        frame = FRAME.with_columns(infinite)
        assert_same(lf.read_runs(FRAMES[kind](frame)), expected(frame))


RANKS = [1, 2, 1, 1]


@pytest.mark.parametrize(
    "ranks",
    [RANKS, [float(rank) for rank in RANKS], [str(rank) for rank in RANKS]],
    ids=["integers", "floats", "text"],
)
def test_ranks_are_kept_and_order_where_there_is_no_score(ranks):
    frame = FRAME.with_columns(rank=pl.Series(ranks))
    assert_same(lf.read_runs(frame), expected(rank=RANKS))
    without = lf.read_runs(frame.drop("score"))
    assert_same(without, expected(FRAME.with_columns(score=-pl.Series(RANKS) * 1.0), rank=RANKS))
    assert_same(lf.read_runs({"run": frame.drop("score").lazy()}), without)
    with warnings.catch_warnings(action="ignore"):  # of the request without a relevant document
        positions = lf.positions(frame.drop("score"), JUDGED)
    assert positions["position"].to_list() == [2, 1]


def test_without_a_score_a_rank_may_be_called_otherwise():
    frame = FRAME.drop("score").with_columns(place=pl.Series(RANKS))
    table = lf.read_runs(frame, columns={"rank": "place"})
    assert table["score"].to_pylist() == [-1, -2, -1, -1]
    assert lf.read_runs(frame, columns={"place": "rank"}).equals(table)
    with pytest.raises(lf.SchemaError, match="score is missing"):
        lf.read_runs(frame)


# --- Lists of items -----------------------------------------------------------------------------

ITEM = pa.struct([("item_id", pa.int64()), ("score", pa.float32()), ("rank", pa.int32())])


def items(*pairs):
    return [{"item_id": i, "score": x, "rank": n} for n, (i, x) in enumerate(pairs, 1)]


LISTS = pa.table(
    {
        "user_id": pa.array([7, 3, 12, 5], pa.int64()),
        "items": pa.array(
            [items((10, 0.5), (20, 0.25)), [], items((7, 1.0)), None], pa.list_(ITEM)
        ),
    }
)
FLAT = pl.DataFrame(
    {"query_id": ["7", "7", "12"], "doc_id": ["10", "20", "7"], "score": [0.5, 0.25, 1.0]}
)
TRUTH = pl.DataFrame(
    {"user_id": [3, 5, 7, 12, 99], "item_id": [10, 20, 20, 7, 7], "rating": [5, 5, 5, 5, 5]}
)


def expected_lists(run="run"):
    """The users without items come behind, in their own order, with one row of nulls."""
    empty = pl.DataFrame({"query_id": ["3", "5"]})
    frame = pl.concat([FLAT.with_columns(rank=pl.Series([1, 2, 1])), empty], how="diagonal")
    return expected(frame, run)


def list_column(dtype):
    return LISTS.set_column(1, "items", LISTS["items"].cast(dtype))


def padded():
    """Lists of one length, where null stands for no item."""
    lists = [[*(of or []), None, None][:2] for of in LISTS["items"].to_pylist()]
    return LISTS.set_column(1, "items", pa.array(lists, pa.list_(ITEM, 2)))


LISTS_OF = {
    "pyarrow": lambda: LISTS,
    "large lists": lambda: list_column(pa.large_list(ITEM)),
    "lists of one length": padded,
    "polars": lambda: pl.DataFrame(LISTS),
    "polars, lazy": lambda: pl.DataFrame(LISTS).lazy(),
    "polars, arrays": lambda: pl.DataFrame(padded()),
    "reader": lambda: LISTS.to_reader(max_chunksize=1),
    "dataset": lambda: dataset.dataset(LISTS),
    "pandas of pyarrow": lambda: LISTS.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": lambda: duckdb_relation(pl.DataFrame(LISTS)),
    "more columns": lambda: LISTS.append_column("n", pa.array([2, 0, 1, 0])),
    "another name": lambda: LISTS.rename_columns(["user_id", "recommendations"]),
}


@pytest.mark.parametrize("kind", LISTS_OF)
def test_lists_of_items(kind):
    assert_same(lf.read_runs(LISTS_OF[kind]()), expected_lists())


def test_columns_of_lists_beside_each_other():
    columns = {"user_id": [7, 3], "item_id": [[10, 20], [5]], "score": [[0.5, 0.25], [1.0]]}
    table = lf.read_runs(pl.DataFrame(columns)).to_pylist()
    assert [(row["query_id"], row["doc_id"], row["score"]) for row in table] == [
        ("7", "10", 0.5), ("7", "20", 0.25), ("3", "5", 1.0)
    ]  # fmt: skip
    longer = pl.DataFrame(columns | {"score": [[0.5], [1.0]]})
    message = (
        "runs, row 1: expected as many numbers in score as documents in item_id, found 1 and 2"
    )
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_runs(longer)
    none = pl.DataFrame(columns | {"score": [[0.5, 0.25], None]})
    message = "row 2: expected as many numbers in score as documents in item_id, found 0 and 1"
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_runs(none)
    with pytest.raises(lf.SchemaError, match="a score for each document, found a list of docum"):
        lf.read_runs(pl.DataFrame(columns | {"score": [0.5, 1.0]}))
    with pytest.raises(lf.SchemaError, match="expected strings in query_id, found List"):
        lf.read_runs(pl.DataFrame(columns | {"user_id": [[7], [3]]}))


def test_lists_of_items_and_flat_rows_are_the_same_run():
    flat = pl.DataFrame(LISTS).explode("items", empty_as_null=True).unnest("items").drop_nulls()
    assert flat.schema["user_id"] == pl.Int64
    table = lf.read_runs(flat)
    assert_same(table, lf.read_runs(LISTS).slice(0, 3))
    assert_same(table, expected(FLAT, rank=[1, 2, 1]))


@pytest.mark.parametrize("fields", [("item_id", "score"), ("item_id", "rank")])
def test_items_without_a_rank_or_a_score(fields):
    struct = pa.struct([field for field in ITEM if field.name in fields])
    lists = [[{k: i[k] for k in fields} for i in of or []] for of in LISTS["items"].to_pylist()]
    table = lf.read_runs(LISTS.set_column(1, "items", pa.array(lists, pa.list_(struct))))
    if "score" in fields:
        assert_same(table, expected_lists().drop_columns("rank"))
    else:
        assert table["score"].to_pylist() == [-1, -2, -1, None, None]
        assert_same(table.drop_columns("score"), expected_lists().drop_columns("score"))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["frame", "Parquet", "Arrow", "scan", "JSON lines", "written"])
def test_an_empty_list_is_an_answer(tmp_path, form):
    """Users 3 and 5 were answered, user 99 was not; none of the three had anything relevant."""
    path = tmp_path / "run.file"
    if form in ("Parquet", "scan"):
        parquet.write_table(LISTS, path)
    elif form == "Arrow":
        pl.DataFrame(LISTS).write_ipc(path)
    elif form == "JSON lines":
        pl.DataFrame(LISTS).with_columns(pl.col("items").fill_null([])).write_ndjson(path)
    elif form == "written":
        lf.write_parquet(lf.read_runs(LISTS), path)
    of = LISTS if form == "frame" else {"run": path}
    if form == "scan":
        of = lf.scan_runs(of)
    else:
        assert_same(lf.read_runs(of), expected_lists())
    with warnings.catch_warnings(action="ignore"):
        table = pl.DataFrame(lf.coverage(of, TRUTH))
        scores = pl.DataFrame(lf.scores(lf.positions(of, TRUTH), "RR"))
    assert table.select("requests", "answered", "missing", "retrieved").row(0) == (5, 4, 1, 3)
    rows = scores.select("query_id", "value").rows()
    assert rows == [("12", 1), ("3", 0), ("5", 0), ("7", 0.5), ("99", 0)]


def test_a_table_of_runs_is_read_again(tmp_path):
    """With its row for a query that was answered with an empty list."""
    table = lf.read_runs(LISTS)
    assert table.to_pylist()[-1] == {
        "run": "run",
        "query_id": "5",
        **dict.fromkeys(["doc_id", "score", "rank"]),
    }
    assert_same(lf.read_runs(table), table)
    assert_same(lf.read_runs(pl.DataFrame(table)), table)
    assert_same(lf.read_runs({"run": lf.write_parquet(table, tmp_path / "x.parquet")}), table)
    of_pandas = table.to_pandas(types_mapper=pd.ArrowDtype)
    assert_same(lf.read_runs(of_pandas), table)


def test_dictionaries_with_empty_ones():
    table = lf.read_runs({"run": {"7": {"10": 0.5, "20": 0.25}, "3": {}, "12": {"7": 1}, "5": {}}})
    assert_same(table, expected_lists().drop_columns("rank"))
    only = lf.read_runs({"run": {"3": {}, "5": {}}})
    assert_same(only, expected_lists().drop_columns("rank").slice(3))


TABLES = {
    "columns": lambda frame: frame.to_dict(),
    "rows": lambda frame: frame.to_dict("index"),
    "JSON, columns": lambda frame: frame.to_json(),
    "JSON, rows": lambda frame: frame.to_json(orient="index", indent=1),
}


@pytest.mark.parametrize("number", ["score", "relevance"])
@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_pandas_are_no_queries(tmp_path, kind, number):
    frame = pd.DataFrame({"qid": [1, 1], "docno": [10, 11], number: [3, 2], "text": "a"})
    frame = frame if "JSON" in kind else frame.drop(columns="text")
    table, path = TABLES[kind](frame), tmp_path / "table.json"
    read = lf.read_runs if number == "score" else lf.read_qrels
    message = r"{query: {document: number}}, found names of columns, 2 \('qid', 'docno'\)"
    given = [table, *[{"r": table}] * (number == "score")]
    if isinstance(table, str):
        given = [path]
        path.write_text(table)
        check = lf.check_run if number == "score" else lf.check_qrels
        assert check(path)["advice"].item().endswith("to_json(orient='records', lines=True)")
    for data in given:
        with pytest.raises(lf.SchemaError, match=message):
            read(data)


def test_queries_and_documents_may_be_called_like_columns():
    for run in ({"user": {"a": 1}, "item": {"b": 1}}, {"1": {"user": 1, "item": 2}, "2": {"a": 1}}):
        assert lf.read_runs(run).num_rows == sum(map(len, run.values()))


def test_a_run_without_any_row_is_said():
    named = {"none": {}, "mine": FRAME, "bare": []}
    message = r"runs without any row, .*: 2 \('bare', 'none'\); scan_runs keeps them"
    for order in (named, dict(reversed(named.items()))):
        with pytest.warns(lf.LexiframeWarning, match=message):
            assert_same(lf.read_runs(order), expected(run="mine"))
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 6"):
        p = lf.positions(lf.scan_runs(named), JUDGED.with_columns(relevance=pl.lit(1)))
    assert p["run"].unique().sort().to_list() == ["bare", "mine", "none"]


@pytest.mark.parametrize("kind", ["reader", "iterator"])
def test_what_can_be_read_only_once_is_held(kind):
    rows = [ScoredDoc(*row) for row in ROWS]
    once = {"a": iter(rows) if kind == "iterator" else FRAME.to_arrow().to_reader()}
    scan, judged = lf.scan_runs(once), JUDGED.with_columns(relevance=pl.lit(1))
    assert lf.positions(scan, judged).equals(lf.positions({"a": FRAME}, judged))
    assert lf.coverage(scan, judged).equals(lf.coverage({"a": FRAME}, judged))


def test_a_reader_that_breaks_off():
    def batches():
        yield FRAME.to_arrow().to_batches()[0]
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(FRAME.to_arrow().schema, batches())
    with pytest.raises(lf.SchemaError, match=r"run 'a' cannot be read \(the disk is gone\)"):
        lf.read_runs({"a": reader})


def test_judgments_in_lists():
    rated = [[{"item_id": 10, "rating": 3.5}, {"item_id": 20, "rating": 1.0}]]
    frame = pl.DataFrame({"user_id": [7], "items": rated})
    judged = pl.DataFrame({"query_id": "7", "doc_id": ["10", "20"], "relevance": [3.5, 1.0]})
    assert_same(lf.read_qrels(frame), expected_qrels(judged))


def test_lists_that_are_not_clear():
    frame = pl.DataFrame(LISTS)
    with pytest.raises(lf.SchemaError, match="runs: expected one column of lists of items, found"):
        lf.read_runs(frame.with_columns(others="items"))
    message = "runs: score is a column and a field of items; rename one"
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_runs(frame.with_columns(score=1.0))
    scored_nothing = LISTS.slice(0, 2).append_column("score", pa.array([1.0, 2.0]))
    unscored = pa.list_(pa.struct([ITEM.field("item_id")]))
    ids = pa.array([[{"item_id": 10}], []], unscored)
    message = "expected an id as doc_id, found none in 1 rows that have a score"
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_runs(scored_nothing.set_column(1, "items", ids))


def test_the_index_of_pandas_holds_columns():
    pandas = library("pandas")
    frame = pandas.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [0.5]})
    expected = lf.read_runs({"a": frame})
    for index in ("qid", ["qid", "docno"]):
        assert lf.read_runs({"a": frame.set_index(index)}).equals(expected)
    with pytest.raises(lf.SchemaError, match="cannot become Arrow: cannot insert qid, already"):
        lf.read_runs(frame.set_index("qid", drop=False))


def test_long_chunks_that_end_within_a_run():
    """They stay chunks while they are checked, and each run is one in the end."""
    n = 1 << 16
    columns = {"query_id": [f"q{i // 64}" for i in range(n)], "doc_id": [*map(str, range(n))]}
    run = pl.DataFrame(columns).with_columns(score=1.0)
    whole = pl.concat([run.select(pl.lit(name).alias("run"), "*") for name in "ab"]).to_arrow()
    chunks = pa.concat_tables([whole.slice(0, n + 5), whole.slice(n + 5)])
    assert lf.read_runs(chunks).equals(lf.read_runs(whole))
    assert lf.read_runs(chunks).column("run").num_chunks == 2
