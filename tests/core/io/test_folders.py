"""Folders of other tools: parts of one run, partitions, and tables whose log names their files."""

import ast
import json
import re
import sys
import types

import polars as pl
import pytest
from pyarrow import dataset

import lexiframe as lf
from lexiframe.core.cli import app as cli

N = 12
QRELS = {str(q): {f"d{q % 5}": 1} for q in range(N)}
RUN = pl.DataFrame(
    [
        {"query_id": str(q), "doc_id": f"d{(q + k) % 5}", "score": 5.0 - k}
        for q in range(N)
        for k in range(5)
    ]
)
PARQUET = ["part-00000-c000.snappy.parquet", "part-00001-c000.snappy.parquet"]


@pytest.fixture
def check(monkeypatch, capsys):
    """What ``lexiframe check`` prints of a place, and its status."""

    def call(path):
        monkeypatch.setattr("sys.argv", ["lexiframe", "check", str(path), "--format", "csv"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        _, *rows = capsys.readouterr().out.splitlines()
        return ended.value.code, "\n".join(rows)

    return call


def means(runs, **how):
    """The runs, their AP and the number of requests, which are the same read in every way."""
    found = lf.evaluate(runs, QRELS, "AP", **how).means
    return [(run, round(mean, 6), n) for run, mean, n in found.select("run", "mean", "n").rows()]


def names(runs):
    return sorted({*lf.read_runs(runs)["run"].to_pylist()})


def written(folder, names, run=RUN):
    """Write some rows of a run into each file."""
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-run.height // len(names))
    for n, name in enumerate(names):
        rows = run[n * size : (n + 1) * size]
        if name.endswith(".parquet"):
            rows.write_parquet(folder / name)
        elif ".csv" in name:
            rows.write_csv(folder / name)
        elif ".json" in name:
            rows.write_ndjson(folder / name)
        else:
            fixed = {"q0": pl.lit("Q0"), "rank": pl.lit(1), "tag": pl.lit("t")}
            table = rows.with_columns(**fixed)
            table = table.select("query_id", "q0", "doc_id", "rank", "score", "tag")
            table.write_csv(folder / name, separator=" ", include_header=False)
    return folder


PARTS = {
    "Spark": PARQUET,
    "Spark's CSV": ["part-00000-1f.c000.csv", "part-00001-1f.c000.csv"],
    "Dask": ["part.0.parquet", "part.1.parquet", "part.10.parquet"],
    "Hadoop": ["part-r-00000", "part-r-00001"],
    "Hugging Face": ["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"],
    "Beam": ["out.jsonl-00000-of-00003", "out.jsonl-00001-of-00003", "out.jsonl-00002-of-00003"],
    "from one": ["test-1-of-2.run", "test-2-of-2.run"],
    "Hive": ["000000_0", "000001_0", "000002_1"],
    "Redshift": ["0000_part_00", "0000_part_01", "0001_part_00"],
    "Redshift's Parquet": ["bm25_0000_part_00.parquet", "bm25_0001_part_00.parquet"],
    "BigQuery": ["run-000000000000.csv", "run-000000000001.csv"],
    "DuckDB": ["data_0.parquet", "data_1.parquet"],
    "by hand": ["bm25_part1.run", "bm25_part2.run"],
    "shards": ["shard-0", "shard-1", "shard-2"],
    "one part alone": ["part-00000-5b2c-c000.snappy.parquet"],
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", PARTS)
def test_parts_of_one_run(tmp_path, tool):
    """The folder is the run, whichever way it is given; what its marks say does not matter."""
    folder = written(tmp_path / "bm25.parquet", PARTS[tool])
    for name in ("_SUCCESS", ".part-00000.crc", "_metadata", "._SUCCESS.crc"):
        (folder / name).write_bytes(b"")
    expected = [("bm25", 1.0, N)]
    files = sorted(folder.glob("[!_.]*"))
    assert means(folder) == means(folder, memory="64MB") == expected
    for given in (folder, str(folder / "*"), f"{tmp_path}/*/*"):
        assert lf.read_runs(given).num_rows == RUN.height
        assert lf.positions(given, QRELS)["run"].unique().to_list() == ["bm25"]
    if len(files) > 1:
        assert names(files) == names([str(file) for file in files]) == ["bm25"]
        assert names({"mine": files}) == ["mine"]
    assert names({"mine": folder}) == names({"mine": str(folder / "*")}) == ["mine"]
    sources = lf.evaluate(folder, QRELS, "AP").provenance["runs"]
    assert [(fact["run"], fact["path"]) for fact in sources] == [("bm25", str(f)) for f in files]
    in_parts = lf.evaluate(folder, QRELS, "AP", memory="64MB").provenance["runs"]
    assert in_parts == sources == lf.scan_runs(folder).provenance()


def test_missing_parts_are_not_passed_over(tmp_path):
    folder = written(tmp_path / "bm25", ["x-00000-of-00003.parquet", "x-00002-of-00003.parquet"])
    message = r"bm25: expected 3 parts of one run, found 2 \('x-00000-of-00003.parquet',"
    for given in (folder, {"a": folder}, sorted(folder.iterdir())):
        with pytest.raises(lf.ReadError, match=message):
            lf.scan_runs(given)
    assert lf.scan_runs(folder / "x-00000-of-00003.parquet").sources[0].files  # a file by itself


@pytest.mark.parametrize(
    "files",
    [
        ["data_0.parquet", "bm25.parquet"],
        ["run-202401011230.csv", "run-202402011230.csv"],  # times
        ["shard-1.run", "shard-4.run"],
        ["bm25_part1.run", "dense_part1.run"],
        ["data_0.parquet", "shard-1.parquet"],
        ["bm25_1.run", "bm25_2.run"],
    ],
)
def test_names_that_count_something_else_are_those_of_runs(tmp_path, files):
    """As there are other files, numbers that are left out, or another word."""
    folder = tmp_path / "runs"
    for file in files:
        written(folder, [file])
    expected = sorted(file.rpartition(".")[0] for file in files)
    assert names(folder) == names([folder / file for file in files]) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        ["part-00000-1111.parquet", "part-00000-2222.parquet"],
        ["part-1.run", "part-2.run"],
        ["data_0.csv", "data_1.csv"],
    ],
)
@pytest.mark.parametrize("documents", ["d", "e"])
def test_parts_that_are_two_systems_are_doubted(tmp_path, files, documents):
    """They have documents in common, or rank those of the same queries."""
    folder = tmp_path / "runs"
    ranked = RUN.with_columns(rank=pl.int_range(pl.len()).over("query_id") + 1)
    other = ranked.with_columns(pl.col("doc_id").str.replace("d", documents))
    for file, run in zip(files, (ranked, other), strict=True):
        if file.endswith(".run"):
            folder.mkdir(exist_ok=True)
            fields = "query_id", pl.lit("Q0"), "doc_id", "rank", "score", pl.lit("t").alias("t")
            run.select(fields).write_csv(folder / file, separator=" ", include_header=False)
        else:
            written(folder, [file], run)
    said = "expected parts of one run, found .*if they are runs, name each by its file or a pattern"
    with pytest.warns(lf.LexiframeWarning, match=said) as caught:
        lf.read_runs(folder)
    way = "{" + str(caught[0].message).partition("{")[2].partition("}")[0] + "}"
    assert sorted(lf.read_runs(ast.literal_eval(way))["run"].unique().to_pylist()) == ["a", "b"]
    if documents == "d":
        with pytest.raises(lf.SchemaError, match=said):
            lf.positions(folder, QRELS)


def test_runs_that_may_be_parts_are_named_once(tmp_path):
    """Their names count, and each answers requests of its own; called parts, they are one run."""
    files = ["bm25_1.run", "bm25_2.run", "bm25_3.run"]
    folder = written(tmp_path / "runs", files)
    said = r"found 3 \('bm25_1', .* no two of which answer the same request: .* call their files"
    with pytest.warns(lf.LexiframeWarning) as caught:
        lf.evaluate(folder, QRELS, "AP")
    assert len([one for one in caught if re.search(said, str(one.message))]) == 1
    for n, file in enumerate(files, 1):
        (folder / file).rename(folder / f"part-{n}")
    assert means(folder) == [("runs", 1.0, N)]
    same = {f"bm25_{n}": RUN.filter(pl.col("query_id") > str(n)) for n in (1, 2)}
    with pytest.warns(lf.LexiframeWarning, match="rankings missing") as caught:
        lf.evaluate(same, QRELS, "AP")
    assert not any("parts of one run" in str(one.message) for one in caught)


def test_parts_with_a_column_of_runs(tmp_path):
    """Rows of a run may lie in all parts; a name that is given needs a single run."""
    both = pl.concat([RUN.with_columns(run=pl.lit(name)) for name in ("a", "b")])
    folder = written(tmp_path / "all", PARQUET, both.sort("query_id"))
    assert means(folder) == means(folder, memory="64MB") == [("a", 1.0, N), ("b", 1.0, N)]
    with pytest.raises(lf.SchemaError, match="expected one run under this name, found 2"):
        lf.read_runs({"x": folder})
    (folder / "other.run").write_text("q Q0 d 1 1 t\n")
    with pytest.raises(lf.ReadError, match=r"expected one run, found 2 .*; name each file$"):
        lf.read_runs({"x": {"seed1": folder}})


def test_problems_across_parts(tmp_path):
    """Documents, empty lists and scores are compared across the parts."""
    folder = written(tmp_path / "bm25", PARQUET)
    RUN.head(1).write_parquet(folder / "part-00002.parquet")
    with pytest.raises(
        lf.SchemaError, match="parts of one run, found the document 'd0' of query '0' in"
    ):
        lf.positions(folder, QRELS)
    with (
        pytest.warns(lf.LexiframeWarning, match="if they are runs, name each"),
        pytest.warns(lf.LexiframeWarning, match="rows that repeated a document, removed: 1"),
    ):
        assert lf.positions(folder, QRELS, duplicates="best").height == N
    empty = RUN.head(1).with_columns(doc_id=pl.lit(None, pl.String), score=None)
    empty.cast({"score": pl.Float64}).write_parquet(folder / "part-00002.parquet")
    with pytest.raises(lf.SchemaError, match="expected each empty list alone in its query, found"):
        lf.read_runs(folder)
    empty = empty.with_columns(query_id=pl.lit("other")).cast({"score": pl.Float64})
    empty.write_parquet(folder / "part-00002.parquet")
    assert lf.read_runs(folder).num_rows == RUN.height + 1
    for n in (0, 1):
        (folder / f"part-{n}.json").write_text(
            f'{{"query_id": "q", "doc_id": "d{n}", "score": {2**53 + n}}}\n'
        )
    with pytest.raises(lf.SchemaError, match="found 9007199254740992 and 9007199254740993"):
        lf.read_runs([folder / f"part-{n}.json" for n in (0, 1)])


def test_a_part_that_changed_is_not_said_to_be_what_a_table_is_from(tmp_path):
    folder = written(tmp_path / "bm25", PARQUET)
    scan = lf.scan_runs(folder)
    lf.positions(scan, QRELS)
    RUN.head(5).write_parquet(folder / PARQUET[1])
    with pytest.raises(lf.ReadError, match="has changed since it was read"):
        scan.provenance()


def test_what_is_hidden_is_no_data(tmp_path):
    """Of a file that is called like a run one is told; a pattern that names it has it."""
    folder = written(tmp_path / "runs", ["bm25.run", "_old.run"])
    (folder / "_temporary").mkdir()
    assert lf.scan_runs(str(folder / "*.run")).sources[0].name == "bm25"
    with pytest.warns(lf.LexiframeWarning, match=r"\(to read one, name it\): 1 \('_old.run'\)"):
        assert len(lf.scan_runs(folder)) == 1
    assert lf.scan_runs(str(folder / "_*.run")).sources[0].name == "_old"
    (folder / "bm25.run").unlink()
    with pytest.raises(lf.ReadError, match="no files in it that could be read"):
        lf.scan_runs(folder)
    written(folder / "_temporary" / "0", ["x.run"])
    with pytest.raises(lf.ReadError, match="the pattern matches no file"):
        lf.scan_runs(str(folder / "**" / "x.run"))


@pytest.mark.slow
def test_partitions(tmp_path):
    """They are read alike by all functions, below any folder, with what Spark writes beside."""
    folder = tmp_path / "hive"
    for name in ("bm25", "007"):
        written(folder / f"run={name}", PARQUET)
    (folder / "_SUCCESS").write_bytes(b"")
    written(folder / "_temporary" / "run=x", PARQUET)
    expected = [("007", 1.0, N), ("bm25", 1.0, N)]
    assert means(folder) == means(folder, memory="64MB") == expected
    assert means(lf.scan_runs(folder)) == means(lf.read_runs(folder)) == expected
    assert set(lf.positions(folder, QRELS)["run"]) == {"007", "bm25"}
    assert means(str(folder / "*" / "*")) == expected
    assert means(dataset.dataset(folder, partitioning="hive"))[0][2] == N
    buckets = tmp_path / "dense"
    for n in (0, 1):
        written(buckets / f"bucket={n}", PARQUET[:1], RUN[n * 30 : (n + 1) * 30])
    assert means(buckets) == [("dense", 1.0, N)]


def test_folders_with_an_equals_sign_that_are_no_partitions(tmp_path):
    """Files beside them are runs, as ever; text in them is read by a pattern."""
    written(tmp_path / "k1=0.9", ["bm25.run"])
    with pytest.raises(lf.ReadError, match="give a glob"):
        lf.read_runs(tmp_path)
    assert means(str(tmp_path / "*" / "*.run")) == [("bm25", 1.0, N)]
    written(tmp_path, ["lm.run"])
    with pytest.warns(lf.LexiframeWarning, match="left out"):
        assert means(tmp_path) == [("lm", 1.0, N)]


LOGS = {
    "a Delta table": "_delta_log/00000000000000000000.json",
    "a Hudi table": ".hoodie/hoodie.properties",
    "an Iceberg table": "metadata/v1.metadata.json",
}


@pytest.mark.parametrize("kind", LOGS)
def test_tables_whose_log_says_which_files_count(tmp_path, kind, monkeypatch, check):
    """Removed files lie beside the others: neither the folder nor a pattern reads them."""
    monkeypatch.setitem(sys.modules, "deltalake", None)
    folder = written(tmp_path / "table", PARQUET)
    written(folder / "data" / "run=x", PARQUET)
    log = folder / LOGS[kind]
    log.parent.mkdir()
    log.write_text("{}")
    places = (folder, str(folder / "*.parquet"), f"{folder}/data/*/*", [*folder.glob("*.parquet")])
    for given in places:
        for read in (lf.read_runs, lambda given: lf.evaluate(given, QRELS), lf.scan_runs):
            with pytest.raises(
                lf.ReadError, match=rf"table: (expected files that all count, found |){kind}, whose"
            ):
                read(given)
    with pytest.raises(lf.ReadError, match=f"{kind}, whose log says"):
        lf.evaluate({"x": folder}, QRELS)
    with pytest.raises(lf.ReadError, match=f"{kind}, whose log says"):
        lf.evaluate(RUN, folder)
    assert lf.read_runs({"x": folder / PARQUET[0]}).num_rows  # a file that is named counts
    status, said = check(folder)
    assert status == 1
    assert "whose log says" in said


def test_delta_tables_are_read_by_deltalake(tmp_path, monkeypatch):
    """What it gives is read, and what it raises is said."""
    folder = written(tmp_path / "bm25", ["old.parquet", "new.parquet"])
    (folder / "_delta_log").mkdir()
    opened = []

    class DeltaTable:
        def __init__(self, path):
            opened.append(path)

        def to_pyarrow_dataset(self):
            return dataset.dataset(folder / "new.parquet")

    library = types.SimpleNamespace(DeltaTable=DeltaTable)
    monkeypatch.setitem(sys.modules, "deltalake", library)
    assert lf.read_runs(folder).num_rows == RUN.height // 2
    assert {*lf.read_runs(folder)["run"].to_pylist()} == {"bm25"}
    assert len(lf.scan_runs({"x": folder})) == 1
    assert opened[0] == str(folder)
    monkeypatch.setattr(library, "DeltaTable", lambda path: 1 / 0)
    with pytest.raises(lf.ReadError, match="deltalake cannot read it"):
        lf.read_runs(folder)


def test_a_real_delta_table(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    folder = str(tmp_path / "bm25")
    deltalake.write_deltalake(folder, RUN.with_columns(score=pl.lit(0.0)).to_arrow())
    deltalake.write_deltalake(folder, RUN.to_arrow(), mode="overwrite")
    assert means(folder) == means(folder, memory="64MB") == [("bm25", 1.0, N)]
    qrels = pl.DataFrame(
        [(q, d, g) for q, of in QRELS.items() for d, g in of.items()], orient="row"
    )
    qrels.columns = ["query_id", "doc_id", "relevance"]
    deltalake.write_deltalake(str(tmp_path / "qrels"), qrels.to_arrow())
    assert lf.evaluate(folder, tmp_path / "qrels", "AP").means["mean"].to_list() == [1.0]


def test_check_finds_what_is_in_parts(tmp_path, check):
    folder = written(tmp_path / "bm25", PARTS["Spark's CSV"])
    (folder / "_SUCCESS").write_bytes(b"")
    assert check(folder) == (0, "")
    (folder / PARTS["Spark's CSV"][1]).write_text("query_id,doc_id,score\nq,d,high\n")
    status, said = check(folder)
    assert (status, "part-00001" in said) == (1, True)
    (folder / "x-0-of-2.run").write_text("")
    status, said = check(folder)
    assert (status, "2 parts of one run" in said) == (1, True)
    written(tmp_path / "hive" / "run=a", PARQUET)
    assert check(tmp_path / "hive") == (0, "")


def test_scores_in_parts(tmp_path):
    """Scores and votes are read from parts too; a log of two parts is no two runs."""
    rows = pl.DataFrame({"query_id": ["1", "2"], "AP": [0.5, 1.0]})
    folder = tmp_path / "bm25"
    folder.mkdir()
    for n in (0, 1):
        rows[n : n + 1].write_csv(folder / f"part-{n}.csv")
    (folder / "_SUCCESS").write_bytes(b"")
    assert lf.read_scores(folder).rows() == [("bm25", "1", "AP", 0.5), ("bm25", "2", "AP", 1.0)]
    votes = tmp_path / "votes"
    votes.mkdir()
    for n in (0, 1):
        vote = {"query_id": str(n), "run_a": "x", "run_b": "y", "winner": "x"}
        (votes / f"part-{n}.jsonl").write_text(json.dumps(vote) + "\n")
    assert lf.read_preferences(votes).judgments.height == 2
