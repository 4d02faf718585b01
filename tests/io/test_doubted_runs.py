"""Tables and TREC files of several systems, which would be read as one ranking."""

import polars as pl
import pytest

import lexiframe as lf

QRELS = {"q1": {"a": 1, "c": 1}, "q2": {"b": 1}}
ROWS = [
    ("q1", "a", 1, 9.5),
    ("q1", "b", 2, 7.25),
    ("q2", "b", 1, 8.0),
    ("q1", "c", 1, 0.75),
    ("q1", "d", 2, 0.5),
    ("q2", "a", 1, 0.25),
    ("q2", "b", 2, 0.125),
]
SYSTEMS = ["bm25"] * 3 + ["dense"] * 4


def frame(name, values=SYSTEMS, rows=ROWS, ranks=True):
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "rank", "score"], orient="row")
    table = table.with_columns(pl.Series(name, values))
    return table if ranks else table.drop("rank")


def lines(field=5, values=SYSTEMS, rows=ROWS):
    text = ""
    for (query, doc, rank, score), value in zip(rows, values, strict=True):
        fields = [query, "Q0", doc, rank, score, "tag"]
        fields[field] = value
        text += " ".join(map(str, fields)) + "\n"
    return text


def written(table, folder):
    """Write a table in each form."""
    paths = [folder / f"all.{ending}" for ending in ("csv", "tsv", "jsonl", "parquet", "arrow")]
    table.write_csv(paths[0])
    table.write_csv(paths[1], separator="\t")
    table.write_ndjson(paths[2])
    table.write_parquet(paths[3])
    table.write_ipc(paths[4], compression="uncompressed")
    return paths


@pytest.mark.parametrize("name", ["Snapshot Name", "retriever", "Konfiguration", "modelName"])
def test_a_column_of_which_each_value_has_its_own_ranks_is_named(tmp_path, name):
    told = rf"several, told apart by the column {name}: 2 \('bm25', 'dense'\).*{{'run': '{name}'}}"
    table = frame(name)
    for given in (table, table.to_pandas(), *written(table, tmp_path)):
        for call in (lf.read_runs, lambda run: lf.positions(run, QRELS, duplicates="best")):
            with pytest.raises(lf.SchemaError, match=told):
                call(given)
    for path in written(table, tmp_path):
        problems = lf.check_run(path).filter(problem="doubt")
        assert name in problems["found"].item()
        read = lf.read_runs(path, columns={"run": name})
        assert read["run"].unique().to_pylist() == ["bm25", "dense"]


def test_numbers_that_tell_ranks_apart_are_named(tmp_path):
    with pytest.raises(lf.SchemaError, match="told apart by the column fold"):
        lf.read_runs(frame("fold", [0, 0, 0, 1, 1, 1, 1]))
    from_zero = [(q, d, rank - (n > 2), score) for n, (q, d, rank, score) in enumerate(ROWS)]
    with pytest.raises(lf.SchemaError, match="told apart by the column engine"):
        lf.read_runs(frame("engine", rows=from_zero))


def test_systems_of_the_same_documents_are_named_without_ranks(tmp_path):
    rows = [row for row in ROWS if row[1] != "c"]
    engines = frame("engine", ["x"] * 3 + ["y"] * 3, rows, ranks=False)
    for given in (engines, *written(engines, tmp_path)):
        with pytest.raises(lf.SchemaError, match="told apart by the column engine"):
            lf.read_runs(given)
    other = engines.rename({"engine": "colour"})
    with pytest.warns(lf.LexiframeWarning, match="told apart by the column colour"):
        read = lf.read_runs(other)
    assert "colour" not in read.column_names
    with pytest.raises(lf.SchemaError, match="told apart by the column colour"):
        lf.positions(other, QRELS)
    with (
        pytest.warns(lf.LexiframeWarning, match="told apart by the column colour"),
        pytest.warns(lf.LexiframeWarning, match="rows that repeated a document"),
    ):
        lf.positions(other, QRELS, duplicates="best")
    for path in written(other, tmp_path):
        assert "colour" in lf.check_run(path).filter(problem="doubt")["found"].item()


def test_systems_without_a_common_document_are_doubted():
    table = frame("method", ranks=False).filter(pl.col("doc_id").is_in(["a", "c", "d"]))
    for call in (
        lf.read_runs,
        lambda run: lf.positions(run, QRELS),
        lambda run: lf.evaluate(run, QRELS, "AP"),
        lambda run: lf.coverage(run, QRELS),
    ):
        with pytest.warns(lf.LexiframeWarning, match="told apart by the column method"):
            call(table)


@pytest.mark.parametrize("field", [1, 5])
def test_tags_and_second_fields_that_tell_systems_apart_are_named(tmp_path, field):
    path = tmp_path / "all.run"
    path.write_text(lines(field))
    told = {1: "field 2", 5: "tags"}[field]
    for call in (lf.read_runs, lambda run: lf.positions(run, QRELS, duplicates="best")):
        with pytest.raises(lf.SchemaError, match=rf"apart by {told}: 2 \('bm25', 'dense'\)"):
            call(path)
    (problem,) = lf.check_run(path).filter(problem="doubt").rows(named=True)
    names = problem["advice"].partition("names ")[2].partition(" on top")[0]
    path.write_text(names + "\n" + lines(field))
    assert lf.read_runs(path, header=True)["run"].unique().to_pylist() == ["bm25", "dense"]


def test_tags_of_a_system_for_each_stance(tmp_path):
    path = tmp_path / "touche.run"
    path.write_text("51 PRO I1 1 3.0 t\n51 CON I3 1 3.5 t\n51 CON I4 2 3.0 t\n")
    with pytest.raises(lf.SchemaError, match="told apart by field 2"):
        lf.read_runs(path)


def test_tags_beside_ranks_that_say_nothing_are_doubted(tmp_path):
    path = tmp_path / "all.run"
    path.write_text("q1 Q0 a 0 2.5 x\nq1 Q0 b 0 2.0 x\nq1 Q0 c 0 9.5 y\nq1 Q0 d 0 9.0 y\n")
    with pytest.warns(lf.LexiframeWarning, match="told apart by tags"):
        lf.read_runs(path)
    assert lf.check_run(path)["problem"].to_list() == ["doubt"]


ONE_RANKING = [(q, d, n + 1, 9.0 - n) for n, (q, d, _, _) in enumerate(ROWS[:2] + ROWS[3:5])]


@pytest.mark.parametrize(
    "table",
    [
        frame("retriever", ["x", "y", "x", "y"], ONE_RANKING),  # a fused run
        frame("language", ["en", "de", "en", "de"], ONE_RANKING, ranks=False),
        frame("title", ["A", "B", "A", "C"], ONE_RANKING, ranks=False),
        frame("text", ["A", "B", "B", "C", "D", "A", "B"], ranks=False).unique("doc_id"),
        frame("passage", ["p0", "p1", "p0", "p1"], [(q, "a", r, s) for q, _, r, s in ONE_RANKING]),
        frame("chunk_id", ["c0", "c1"], [("q1", "a", 1, 2.0), ("q1", "a", 2, 1.0)], ranks=False),
        frame("method", ["bm25"] * 3 + ["dense"], [*ONE_RANKING[:3], ("q2", "a", 1, 1.0)]),
        frame("engine", ["solr"] * 4, ONE_RANKING),
        frame("price", [1.5, 2.5, 1.5, 2.5], ONE_RANKING, ranks=False),
        frame("stock", [1, 2, 1, 2], ONE_RANKING, ranks=False),
    ],
)
def test_other_columns_are_not_doubted(tmp_path, table):
    assert lf.read_runs(table).num_rows == table.height
    for path in written(table, tmp_path):
        assert lf.read_runs(path).num_rows == table.height
        assert not lf.check_run(path).filter(problem="doubt").height


@pytest.mark.parametrize(
    "text",
    [
        lines(5, ["x", "y", "x", "y"], ONE_RANKING),
        lines(1, ["0", "1", "0", "1"], ONE_RANKING),
        lines(
            5, ["x", "x", "y"], [*ONE_RANKING[:2], ("q2", "a", 1, 2.0)]
        ),  # another for each query
        lines(5, ["1", "2", "3", "4"], ONE_RANKING),
        "# tag\n" + lines(5, ["x"] * 4, ONE_RANKING),
        lines(5, ["x"] * 4, ONE_RANKING).replace("\n", "\r"),
    ],
)
def test_other_tags_are_not_doubted(tmp_path, text):
    path = tmp_path / "one.run"
    path.write_bytes(text.encode())
    assert lf.read_runs(path).num_rows >= 3
    assert not lf.check_run(path).height
