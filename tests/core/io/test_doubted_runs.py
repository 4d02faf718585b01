"""Tables and TREC files of several systems, which would be read as one ranking."""

from datetime import date

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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Snapshot Name", "retriever", "Konfiguration", "modelName"])
def test_a_column_of_which_each_value_has_its_own_ranks_is_named(tmp_path, name):
    told = (
        rf"several, distinguished by the column {name}: 2 \('bm25', 'dense'\).*{{'run': '{name}'}}"
    )
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


@pytest.mark.slow
def test_systems_of_the_same_documents_are_named_without_ranks(tmp_path):
    rows = [row for row in ROWS if row[1] != "c"]
    engines = frame("engine", ["x"] * 3 + ["y"] * 3, rows, ranks=False)
    for given in (engines, *written(engines, tmp_path)):
        with pytest.raises(lf.SchemaError, match="distinguished by the column engine"):
            lf.read_runs(given)
    other = engines.rename({"engine": "colour"})
    with pytest.warns(lf.LexiframeWarning, match="distinguished by the column colour"):
        read = lf.read_runs(other)
    assert "colour" not in read.column_names
    with pytest.raises(lf.SchemaError, match="distinguished by the column colour"):
        lf.positions(other, QRELS)
    with (
        pytest.warns(lf.LexiframeWarning, match="distinguished by the column colour"),
        pytest.warns(lf.LexiframeWarning, match="rows that repeated a document"),
    ):
        lf.positions(other, QRELS, duplicates="best")
    for path in written(other, tmp_path):
        assert "colour" in lf.check_run(path).filter(problem="doubt")["found"].item()


@pytest.mark.parametrize("field", [1, 5])
def test_tags_and_second_fields_that_tell_systems_apart_are_named(tmp_path, field):
    path = tmp_path / "all.run"
    path.write_text(lines(field))
    told = {1: "field 2", 5: "tags"}[field]
    for call in (lf.read_runs, lambda run: lf.positions(run, QRELS, duplicates="best")):
        with pytest.raises(
            lf.SchemaError, match=rf"distinguished by {told}: 2 \('bm25', 'dense'\)"
        ):
            call(path)
    (problem,) = lf.check_run(path).filter(problem="doubt").rows(named=True)
    names = problem["advice"].partition("names ")[2].partition(" on top")[0]
    path.write_text(names + "\n" + lines(field))
    assert lf.read_runs(path, header=True)["run"].unique().to_pylist() == ["bm25", "dense"]


def test_tags_of_a_system_for_each_stance(tmp_path):
    path = tmp_path / "touche.run"
    path.write_text("51 PRO I1 1 3.0 t\n51 CON I3 1 3.5 t\n51 CON I4 2 3.0 t\n")
    with pytest.raises(lf.SchemaError, match="distinguished by field 2"):
        lf.read_runs(path)


def test_tags_beside_ranks_that_say_nothing_are_doubted(tmp_path):
    path = tmp_path / "all.run"
    path.write_text("q1 Q0 a 0 2.5 x\nq1 Q0 b 0 2.0 x\nq1 Q0 c 0 9.5 y\nq1 Q0 d 0 9.0 y\n")
    with pytest.warns(lf.LexiframeWarning, match="distinguished by tags"):
        lf.read_runs(path)
    assert lf.check_run(path)["problem"].to_list() == ["doubt"]


ONE_RANKING = [(q, d, n + 1, 9.0 - n) for n, (q, d, _, _) in enumerate(ROWS[:2] + ROWS[3:5])]


@pytest.mark.slow
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
    n_tags = len({line[-1] for line in text.split("\n") if line.startswith("q1")})
    found = lf.check_run(path)["found"].to_list()  # of one ranking, tags are a finding alone
    assert [one[:24] for one in found] == ["several in 1 of 1 reques"] * (n_tags > 1)


# --- One ranking, or several ---------------------------------------------------------------------

PAGES = [(q, f"{q}{n}", n % 3 + 1, 9.0 - n) for q in ("q1", "q2") for n in range(6)]
NUMBERS = [n % 6 // 3 for n in range(12)]


@pytest.mark.parametrize("name", ["page", "shard", "lang", "engine"])
def test_ranks_that_begin_anew_in_each_page_have_two_ways_out(name):
    values = pl.Series(name, NUMBERS)
    table = frame(name, values if name in ("page", "shard") else values.cast(pl.String), PAGES)
    ways = f"say so: columns={{'run': '{name}'}}; .* leave the columns {name} and rank out"
    with pytest.raises(lf.SchemaError, match=ways):
        lf.read_runs(table)
    assert lf.read_runs(table, columns={"run": name})["run"].unique().to_pylist() == ["0", "1"]
    assert lf.read_runs(table.drop(name, "rank")).num_rows == 12
    with pytest.raises(lf.SchemaError, match="count the ranks of each query from its first"):
        lf.read_runs(table.drop("score"))
    through = table.with_columns(rank=pl.int_range(pl.len()).over("query_id") + 1)
    assert lf.read_runs(through).num_rows == lf.read_runs(through.drop("score")).num_rows == 12


@pytest.mark.parametrize("field", [1, 5])
def test_lines_whose_ranks_begin_anew_have_two_ways_out(tmp_path, field):
    path = tmp_path / "all.run"
    text = lines(field, [f"part{n}" for n in NUMBERS], PAGES)
    path.write_text(text)
    with pytest.raises(lf.SchemaError, match="if they are parts of one ranking, as pages") as error:
        lf.read_runs(path)
    one = str(error.value).partition("are, put ")[2].partition(" on top")[0]
    path.write_text(f"{one}\n{text}")
    assert lf.read_runs(path, header=True).num_rows == 12


@pytest.mark.slow
@pytest.mark.parametrize("order", ["one after the other", "query by query"])
def test_a_second_run_under_the_same_tag_is_doubted(tmp_path, order):
    first = [(q, f"d{n}", n + 1, 9.0 - n) for q in ("q1", "q2") for n in range(4)]
    others = {"same": "d", "other": "e"}
    for documents, prefix in others.items():
        second = [(q, prefix + d[1:], rank, score + 0.5) for q, d, rank, score in first]
        rows = [*first, *second]
        if order == "query by query":
            rows.sort(key=lambda row: row[0])
        path = tmp_path / f"{documents}.run"
        path.write_text(lines(5, ["t"] * len(rows), rows).replace(" t\n", "\n", 1))
        anew = r"ranks that begin anew for 2 \('q1', 'q2'\); if these are several runs"
        table = frame("x", [0.5] * len(rows), rows)
        for given in (path, table, *written(table.drop("x"), tmp_path)):
            with pytest.warns(lf.LexiframeWarning, match=anew) as caught:
                lf.read_runs(given)
            assert ("duplicates='best'" in str(caught[0].message)) == (documents == "same")
        if documents == "same":
            with pytest.raises(lf.SchemaError, match=anew):
                lf.positions({"named": path}, {"q1": {"d1": 1}})
        else:
            assert lf.read_runs({"named": path}).num_rows == 16
            assert lf.read_runs(table.drop("rank")).num_rows == 16
            with pytest.warns(lf.LexiframeWarning, match="if it is one, count the ranks of each"):
                lf.read_runs(table.drop("score"))
        assert "begin anew" in lf.check_run(path).filter(problem="doubt")["found"].item()


@pytest.mark.parametrize(
    "ranks",
    [[1, 1, 3, 4, 4, 6], [0] * 6, [1, 2, 3, 4, 5, 6], [3, 1, 2, 6, 5, 4], [4, 4, 3, 1, 1, 0]],
)
def test_other_ranks_do_not_begin_anew(tmp_path, ranks):
    scores = [9.0, 8.0, 7.5, 9.5, 6.0, 5.0]  # in no order: ranks are looked at
    rows = [(q, f"d{n}", ranks[n], scores[n]) for q in ("q1", "q2") for n in range(6)]
    path = tmp_path / "one.run"
    path.write_text(lines(5, ["t"] * 12, rows))
    assert lf.read_runs(path, ranked_by="score").num_rows == 12
    assert not lf.check_run(path).filter(problem="doubt").height


# --- Columns that are not read, and documents that are repeated ----------------------------------

TWICE = [("q1", "a", 1, 2.0), ("q1", "b", 2, 1.0), ("q1", "a", 1, 5.0), ("q1", "b", 2, 6.0)]
SETTINGS = {
    "alpha": [0.3, 0.3, 0.7, 0.7],
    "is_tuned": [True, True, False, False],
    "day": [date(2026, 1, 1)] * 2 + [date(2026, 1, 2)] * 2,
    "setting": [{"k": 1}] * 2 + [{"k": 2}] * 2,
    "seed": [1, 1, 2, 2],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_a_repeated_document_names_the_column_that_tells_runs_apart(tmp_path, name):
    table = frame(name, SETTINGS[name], TWICE, ranks=False).with_columns(fixed=pl.lit(0.5))
    says = (
        rf"if the column {name} distinguishes runs, say so: columns={{'run': '{name}'}}, with text"
    )
    table.write_parquet(tmp_path / "all.parquet")
    for given in (table, table.to_arrow(), tmp_path / "all.parquet"):
        advice = says if isinstance(given, pl.DataFrame) else rf"{name}.*distinguish(es)? runs"
        with pytest.raises(lf.SchemaError, match=rf"{advice}.*; if it is one run, mend it, or"):
            lf.positions(given, QRELS)
    text = table.with_columns(pl.Series(name, [str(value) for value in SETTINGS[name]]))
    assert len(lf.read_runs(text, columns={"run": name})["run"].unique()) == 2


def test_ranks_that_begin_anew_name_the_column_that_tells_runs_apart():
    says = r"begin anew.*if the column alpha distinguishes runs.*; if it is one, duplicates='best'"
    with pytest.warns(lf.LexiframeWarning, match=says):
        lf.read_runs(frame("alpha", SETTINGS["alpha"], TWICE))


def test_columns_that_tell_runs_apart_together_are_all_named(tmp_path):
    rows = [("q1", "a", 1, score) for score in (0.5, 1.5, 2.5, 3.5)]
    keys = frame("k", [1, 1, 2, 2], rows, ranks=False).with_columns(b=pl.Series([1, 2, 1, 2]))
    says = r"\(k, b\) distinguishes runs.*several do so together, join their texts in a column run"
    keys.with_columns(title=pl.lit("A")).write_csv(tmp_path / "all.csv")
    for given in (keys, tmp_path / "all.csv"):
        with pytest.raises(lf.SchemaError, match=says.replace("b", "b(, title)?", 1)):
            lf.positions(given, QRELS)
    joined = keys.with_columns(run=pl.concat_str("k", "b", separator=" "))
    assert len(lf.read_runs(joined)["run"].unique()) == 4
    assert "k, b" in lf.check_run(tmp_path / "all.csv")["advice"][0]


def test_very_many_tags_are_named(tmp_path):
    path = tmp_path / "all.run"
    path.write_text("".join(f"q1 Q0 {doc} 0 {n} t{n}\n" for n in range(300) for doc in "ab"))
    with pytest.raises(lf.SchemaError, match="if the tags distinguish runs, write the lines of"):
        lf.positions(path, QRELS)


def test_a_number_as_a_run_has_to_be_text(tmp_path):
    table = frame("alpha", SETTINGS["alpha"], TWICE, ranks=False)
    with pytest.raises(lf.SchemaError, match=r"or else to text \(pandas: astype\(str\), Polars"):
        lf.read_runs(table, columns={"run": "alpha"})
    table.write_ndjson(tmp_path / "all.jsonl")
    with pytest.raises(lf.ReadError, match=r"as alpha, found 0\.3; write it as text"):
        lf.read_runs(tmp_path / "all.jsonl", columns={"run": "alpha"})


# --- One ranking whose column describes documents ------------------------------------------------


def fused(models=("x", "y", "x", "y"), ranks=(1, 2, 3, 4)):
    rows = [(q, f"{q}{n}", n, 9.0 - n) for q in ("q1", "q2") for n in ranks]
    return frame("model", [*models] * 2, rows)


@pytest.mark.slow
def test_ranks_that_go_on_from_run_to_run_may_be_one_ranking(tmp_path):
    says = r"'q1' are 1 to 4 over 2 \('x', 'y'\), which stand in the column model.*or call it note"
    for given in (fused(), *written(fused(), tmp_path)):
        with pytest.warns(lf.LexiframeWarning, match=says):
            lf.read_runs(given)
    with pytest.warns(lf.LexiframeWarning, match="'q1' are 1 to 5 over 2"):
        lf.read_runs(fused(ranks=(1, 2, 4, 5)))
    for path in written(fused(), tmp_path):
        assert "go on" in lf.check_run(path).filter(problem="doubt")["found"].item()
        told = lf.read_runs(path, columns={"run": "model"})
        assert lf.read_runs(told).equals(told)
    for one in (fused().drop("model"), fused().rename({"model": "note"})):
        assert lf.read_runs(one)["run"].unique().to_pylist() == ["run"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        fused(ranks=(1, 1, 2, 2)),  # each run has its own ranks
        fused(models=("x", "x", "x", "x")).with_columns(model=pl.col("query_id")),
        fused(ranks=(1, 40, 300, 999)),  # relevant documents alone
        fused().with_columns(doc_id=pl.lit("d") + (pl.col("rank") // 2.5).cast(pl.String)),
        fused().head(4),  # too few to say
        fused(models=(1, 2, 1, 2)).rename({"model": "replicate"}),
        fused().with_columns(replicate=1),
        fused().drop("rank"),
    ],
)
def test_other_runs_of_a_table_are_not_doubted(tmp_path, table):
    for given in (table, *written(table, tmp_path)):
        assert lf.read_runs(given).num_rows == table.height
