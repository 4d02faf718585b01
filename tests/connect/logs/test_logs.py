"""Logs of experiments: read from files and from a real MLflow store, joined with any table."""

import gzip
import json
import math
import os
import random
import re
import socket
import sqlite3
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.logs import mlflow as log_mlflow

ORDERINGS = pl.DataFrame({"run": ["c", "a", "b", "a"], "rank": [1.0, 2.0, 3.0, 4.0]})
PAIRS = pl.DataFrame({"run_a": ["b", "a"], "run_b": ["c", "b"], "n": [60, 60]})
LOG = pl.DataFrame({"run": ["a", "b", "c"], "k1": [0.9, 1.2, None], "n": [1, 2, 3]})


def refused(message):
    return pytest.raises(lf.LexiframeError, match=re.escape(message))


# --- Join ---------------------------------------------------------------------------------------


def test_rows_stay_and_columns_come_behind():
    joined = lf.with_log(ORDERINGS, LOG)
    assert joined.columns == ["run", "rank", "k1", "n"]
    assert joined.select("run", "rank").equals(ORDERINGS)
    assert joined["k1"].to_list() == [None, 0.9, 1.2, 0.9]
    assert joined["n"].to_list() == [3, 1, 2, 1]


def test_pairs_get_columns_of_both():
    joined = lf.with_log(PAIRS, LOG)
    assert joined.columns == ["run_a", "run_b", "n", "k1_a", "k1_b", "n_a", "n_b"]
    assert joined.rows() == [("b", "c", 60, 1.2, None, 2, 3), ("a", "b", 60, 0.9, 1.2, 1, 2)]


def test_pairs_of_something_else_than_runs():
    agreement = pl.DataFrame({"measure_a": ["AP"], "measure_b": ["RR"], "n": [60]})
    about = pl.DataFrame({"measure": ["RR", "AP"], "kind": ["first", "all"]})
    joined = lf.with_log(agreement, about, on="measure")
    assert joined.row(0) == ("AP", "RR", 60, "all", "first")


def test_a_log_of_queries():
    scores = pl.DataFrame({"run": "a", "query_id": ["q1", "q2"], "measure": "AP", "value": 0.5})
    joined = lf.with_log(scores, pl.DataFrame({"qid": ["q2", "q1"], "words": [3, 4]}), "query_id")
    assert joined["words"].to_list() == [4, 3]


def test_integers_are_compared_as_text_and_stay():
    numbers = pl.DataFrame({"run": [7, 8], "rank": [1, 2]})
    log = pl.DataFrame({"run": ["8", "7"], "k": [80, 70]})
    assert lf.with_log(numbers, log).rows() == [(7, 1, 70), (8, 2, 80)]
    joined = lf.with_log(log, numbers)
    assert joined.rows() == [("8", 80, 2), ("7", 70, 1)]
    categories = numbers.with_columns(pl.col("run").cast(pl.String).cast(pl.Categorical))
    assert lf.with_log(log, categories).equals(joined)


def test_a_name_that_is_taken_gets_log_behind():
    log = LOG.rename({"n": "n_a"})
    once = lf.with_log(PAIRS.rename({"n": "k1_b"}), LOG)
    assert once.columns == ["run_a", "run_b", "k1_b", "k1_a", "k1_b_log", "n_a", "n_b"]
    assert once["k1_b"].to_list() == [60, 60]
    assert lf.with_log(ORDERINGS.pipe(lf.with_log, LOG), LOG).columns[-2:] == ["k1_log", "n_log"]
    with refused("with_log: two columns would be called k1_log, n_log; rename the log's"):
        ORDERINGS.pipe(lf.with_log, LOG).pipe(lf.with_log, LOG).pipe(lf.with_log, LOG)
    assert lf.with_log(PAIRS, log).columns[-2:] == ["n_a_a", "n_a_b"]


def test_what_is_alone_is_counted_and_shown():
    log = pl.DataFrame({"run": ["z", "b", "y", "x", "w"], "k": range(5)})
    message = (
        "with_log: run without a log entry: 2 ('a', 'c'); "
        "log entry without a run: 4 ('z', 'y', 'x', ...)"
    )
    with pytest.warns(lf.LexiframeWarning) as said:
        joined = lf.with_log(ORDERINGS, log)
    assert [str(warning.message) for warning in said] == [message]
    assert said[0].filename == __file__
    assert joined["k"].to_list() == [None, None, 1, None]
    with pytest.warns(lf.LexiframeWarning, match=r"^with_log: log entry without a run: 1 \('a'\)$"):
        lf.with_log(PAIRS[:1], LOG)
    with pytest.warns(lf.LexiframeWarning, match=r"^with_log: run without a log entry: 1 \('c'\)$"):
        lf.with_log(PAIRS, LOG[:2])


def test_a_row_without_a_run_has_no_entry_either():
    joined = lf.with_log(pl.DataFrame({"run": ["a", None, "b", "c"]}), LOG)
    assert joined["n"].to_list() == [1, None, 2, 3]


def test_nothing_in_common_because_of_zeros_or_another_column():
    seven = pl.DataFrame({"run": ["7", "8"]})
    with refused("likely cause: leading zeros ('7' and '007')"):
        lf.with_log(seven, pl.DataFrame({"run": ["007", "08"], "k": [1, 2]}))
    log = LOG.with_columns(run_id=pl.col("run"), run="run" + pl.col("run"))
    with refused("the log's column run_id has 3 of them: rename it to run"):
        lf.with_log(ORDERINGS, log)


BAD_JOINS = {
    "no key in the table": (
        ORDERINGS.rename({"run": "Run"}),
        LOG,
        (
            "with_log: expected the table to have the column run, or run_a and run_b, found Run, "
            "rank; rename it: .rename({'Run': 'run'})"
        ),
    ),
    "half a pair": (PAIRS.drop("run_b"), LOG, "or run_a and run_b, found run_a, n"),
    "no key in the log": (
        ORDERINGS,
        LOG.rename({"run": "run_name"}),
        (
            "log: expected a column run to join on, found run_name, k1, n; rename it: .rename("
            "{'run_name': 'run'})"
        ),
    ),
    "a key that is misspelt": (ORDERINGS, LOG.rename({"run": "runn"}), ".rename({'runn': 'run'})"),
    "times of runs alone": (ORDERINGS, LOG.drop("run").with_columns(Runtime=1), "k1, n, Runtime"),
    "two keys in the log": (
        ORDERINGS,
        LOG.rename({"run": "name"}).with_columns(model=pl.lit("bert")),
        "log: name and model could each be the run; rename the one that is: log.rename({'name'",
    ),
    "twice in the log": (
        ORDERINGS,
        pl.concat([LOG, LOG[:2]]),
        (
            "log: expected one row for each run, found several for 2 ('a', 'b'); choose one of "
            'each, such as the last: log.unique("run", keep="last", maintain_order=True)'
        ),
    ),
    "logged twice at other times": (
        ORDERINGS,
        pl.concat([LOG, LOG]).with_columns(start_time=pl.lit(0)),
        'log.sort("start_time").unique("run", keep="last"',
    ),
    "no ids in the log": (
        ORDERINGS,
        LOG.with_columns(run=1.5),
        "log: expected strings in run, found Float64",
    ),
    "no ids in the table": (
        ORDERINGS.with_columns(run=1.5),
        LOG,
        "table: expected strings in run, found Float64",
    ),
    "a row of the log without a run": (
        ORDERINGS,
        LOG.with_columns(run=pl.Series(["a", "b", None])),
        "log: the column run is part of the key, but 1 rows have no value in it",
    ),
}


@pytest.mark.parametrize("case", BAD_JOINS)
def test_what_cannot_be_joined(case):
    table, log, message = BAD_JOINS[case]
    with refused(message):
        lf.with_log(table, log)


def test_the_advice_for_what_is_there_twice_works():
    log = pl.concat([LOG, LOG[:1].with_columns(n=pl.lit(9, pl.Int64))])
    timed = log.with_columns(start_time=pl.int_range(log.height, 0, -1))
    named = log.rename({"run": "model"})
    for given in (log, timed, named, log.to_pandas(), timed.to_pandas(), named.to_pandas()):
        with pytest.raises(lf.SchemaError) as caught:
            lf.with_log(ORDERINGS, given)
        code = str(caught.value).partition("such as the last: log")[2]
        chosen = eval(f"given{code}", {"given": given})
        first_is_last = "start_time" in given.columns
        expected = [3, 1, 2, 1] if first_is_last else [3, 9, 2, 9]
        assert lf.with_log(ORDERINGS, chosen)["n"].to_list() == expected


# --- Files --------------------------------------------------------------------------------------

CSV = 'run,params.k1,params.fb.docs,seed,map\nbm25,0.9,10,007,0.250\n"ql, tuned",,20,12,0.500\n'
CSV += "007,2,,3,0.125\n"


def log_of(folder, data):
    path = folder / "log"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return lf.read_log(path)


@pytest.mark.parametrize("texts", [["1_000", "2"], ["1,204", "7"]])
def test_numbers_that_stay_text_are_named(tmp_path, texts):
    lines = "\n".join(f'r{n},"{text}"' for n, text in enumerate(texts))
    with pytest.warns(lf.LexiframeWarning, match="the column x stays text"):
        assert log_of(tmp_path, f"run,x\n{lines}\n")["x"].to_list() == texts


def test_names_are_text_whatever_they_look_like(tmp_path):
    log = log_of(tmp_path, "run,k\n1.0,1\n2.0,2\n")
    assert log.rows() == [("1.0", 1), ("2.0", 2)]


def test_json_of_several_kinds_is_text(tmp_path):
    lines = [
        {"run": "a", "x": 1, "list": [1, 2], "flag": True, "big": 2**70, "none": None, "deep": {}},
        {"run": "b", "x": "auto", "list": None, "flag": None, "big": 1, "none": None},
    ]
    log = log_of(tmp_path, "\n\n".join(map(json.dumps, lines)))
    assert log.rows() == [
        ("a", "1", "[1, 2]", True, str(2**70), None),
        ("b", "auto", None, None, "1", None),
    ]


BAD_FILES = {
    "an SQLite database": (b"SQLite format 3\0...", "found an SQLite database; if MLflow made it"),
    "a PDF": (b"%PDF-1.7", "found a PDF document"),
    "a picture as text": (
        b"run,k\n\xff\xd8,1\n",
        r"line 2: expected UTF-8 text, found the bytes b'\xff\xd8,1'",
    ),
    "nothing": (b" \n", "the file is empty"),
    "prose": (
        "method: bm25\nk1: 0.9\n",
        (
            "expected a log in CSV, TSV, JSON lines or Parquet, found text whose first line names "
            "no columns: 'method: bm25'"
        ),
    ),
    "too many fields": (
        "run,k\na,1\nb,2,3\n",
        "line 3: expected 2 fields as in the header, found 3: 'b,2,3'",
    ),
    "too few fields": ("run,k\na\n", "line 2: expected 2 fields as in the header, found 1"),
    "an open quote": (
        'run,k\na,"1\n',
        "line 2: expected a closing quote at the end of each quoted field",
    ),
    "two columns of one name": (
        "run,k,k\na,1,2\n",
        "line 1: expected columns of different names, found two that are named 'k'; rename one",
    ),
    "broken JSON": ('{"run": "a"}\n{"run": \n', "log, line 2: broken JSON (Expecting value"),
    "a broken list": ('[{"run": "a"},', "log: broken JSON (Expecting value"),
    "deep JSON": ("[" * 100_000, "broken JSON (maximum recursion depth exceeded"),
    "no records": ("[1, 2]", "record 1: expected a JSON object with the fields of a run, found 1"),
    "two fields of one name": (
        '{"a": {"b": 1}, "a.b": 2}',
        "line 1: two fields are both called a.b; rename one",
    ),
    "broken Parquet": (b"PAR1....PAR1", "cannot be read as Parquet ("),
    "broken compression": (gzip.compress(b"run,k\n")[:-9], "the gzip data is broken or cut short"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_files_that_are_no_log(tmp_path, case):
    data, message = BAD_FILES[case]
    with refused(message) as raised:
        log_of(tmp_path, data)
    assert str(tmp_path / "log") in str(raised.value)


# --- MLflow -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mlflow():
    """MLflow, quiet: its warnings about its own code are not ours."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        pytest.importorskip("sqlalchemy")
        pytest.importorskip("alembic")
        yield pytest.importorskip("mlflow")


def fill(client):
    """Log some runs as MLflow's users do."""
    first, second = client.create_experiment("bm25"), client.create_experiment("dense")
    third = client.create_experiment("old")

    def run(experiment, name, start, params, metrics, tags=()):
        made = client.create_run(experiment, start_time=start, run_name=name, tags=dict(tags))
        for key, value in params.items():
            client.log_param(made.info.run_id, key, value)
        for step, (key, value) in enumerate(metrics):
            client.log_metric(made.info.run_id, key, value, step=step)
        client.set_terminated(made.info.run_id, end_time=start + 500)
        return made.info.run_id

    run(first, "tuned", 2000, {"bm25.k1": 1.2, "seed": "007"}, [("map", 0.1), ("map", 0.3)])
    run(
        first,
        "plain",
        1000,
        {"bm25.k1": 0.9, "seed": "42"},
        [("map", 0.25)],
        {"who": "ana"}.items(),
    )
    run(second, "minilm", 3000, {"layers": 12, "bm25.k1": 10}, [("ndcg", 0.5)])
    client.delete_run(run(first, "gone", 4000, {"gone": 1}, []))
    run(third, "gone too", 5000, {}, [])
    client.delete_experiment(third)


@pytest.fixture(scope="module")
def empty(mlflow, tmp_path_factory):
    """The bytes of an SQLite store without runs; MLflow takes long to make one."""
    path = tmp_path_factory.mktemp("empty") / "mlflow.db"
    mlflow.MlflowClient(f"sqlite:///{path}")
    return path.read_bytes()


@pytest.fixture(scope="module")
def store(mlflow, empty, tmp_path_factory):
    """The path of an SQLite store."""
    path = tmp_path_factory.mktemp("a store") / "ml flow.db"
    path.write_bytes(empty)
    fill(mlflow.MlflowClient(f"sqlite:///{path}"))
    return path


def test_one_row_for_each_run(store):
    log = lf.read_mlflow(f"sqlite:///{store}")
    fixed = ["run", "run_id", "experiment", "status", "start_time", "end_time", "parent"]
    assert log.columns == [
        *fixed, "params.bm25.k1", "params.layers", "params.seed", "metrics.map", "metrics.ndcg",
        "tags.who",
    ]  # fmt: skip
    assert log.drop("run_id", "start_time", "end_time", "parent").rows() == [
        ("plain", "bm25", "FINISHED", 0.9, None, "42", 0.25, None, "ana"),
        ("tuned", "bm25", "FINISHED", 1.2, None, "007", 0.3, None, None),
        ("minilm", "dense", "FINISHED", 10.0, 12, None, None, 0.5, None),
    ]
    assert log["run_id"].str.len_chars().to_list() == [32, 32, 32]
    assert log.equals(lf.read_mlflow(f"sqlite:///{store}".replace(" ", "%20")))
    assert log["start_time"].dtype == pl.Datetime("ms", "UTC")
    assert log["start_time"].dt.epoch("ms").to_list() == [1000, 2000, 3000]
    assert log["end_time"].dt.epoch("ms").to_list() == [1500, 2500, 3500]


def test_some_experiments(store):
    def runs(*experiment):
        return lf.read_mlflow(store, *experiment)["run"].to_list()

    assert runs("dense") == runs(2) == runs("2") == ["minilm"]
    assert runs(["dense", "bm25"]) == runs() == ["plain", "tuned", "minilm"]
    empty = lf.read_mlflow(store, "Default")
    assert (empty.height, empty.width) == (0, 7)
    assert lf.read_mlflow(store, []).schema == empty.schema


def test_pages(store, monkeypatch):
    everything = lf.read_mlflow(store)
    monkeypatch.setattr(log_mlflow, "PAGE", 1)
    assert lf.read_mlflow(store).equals(everything)


def test_a_folder_of_an_older_mlflow(mlflow, tmp_path, monkeypatch):
    folder = tmp_path / "mlruns"
    try:
        fill(mlflow.MlflowClient(folder.as_uri()))
    except mlflow.exceptions.MlflowException as error:
        pytest.skip(f"this MLflow writes no folders: {error}")
    monkeypatch.delenv("MLFLOW_ALLOW_FILE_STORE", raising=False)
    folder = folder.rename(tmp_path / "kept")  # MLflow remembers the store that it wrote
    log = lf.read_mlflow(folder.as_uri())
    assert log["run"].to_list() == ["plain", "tuned", "minilm"]
    assert log.equals(lf.read_mlflow(folder))


def test_a_join(store):
    log = lf.read_mlflow(store, "bm25")
    pairs = pl.DataFrame({"run_a": ["plain"], "run_b": ["tuned"], "mean_difference": [0.05]})
    joined = lf.with_log(pairs, log)
    assert joined.select("params.bm25.k1_a", "params.bm25.k1_b").row(0) == (0.9, 1.2)


def test_what_mlflow_itself_gives(mlflow, store, monkeypatch):
    """``mlflow.search_runs`` gives a pandas frame."""
    pytest.importorskip("pandas")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{store}")
    frame = mlflow.search_runs(experiment_names=["bm25"])
    joined = lf.with_log(pl.DataFrame({"run": ["tuned", "plain"]}), frame)
    assert joined["params.bm25.k1"].to_list() == ["1.2", "0.9"]


def test_metrics_that_are_no_finite_numbers(mlflow, empty, tmp_path):
    """MLflow writes the greatest number of a float for infinity into a database."""
    path = tmp_path / "infinite.db"
    path.write_bytes(empty)
    client = mlflow.MlflowClient(f"sqlite:///{path}")
    made = client.create_run("0", run_name="bm25").info.run_id
    for name, value in {"high": math.inf, "low": -math.inf, "none": math.nan}.items():
        client.log_metric(made, name, value)
    row = lf.read_mlflow(path).row(0, named=True)
    assert row["metrics.high"] == -row["metrics.low"] == sys.float_info.max
    assert math.isnan(row["metrics.none"])


def test_a_run_that_was_logged_twice(mlflow, empty, tmp_path):
    path = tmp_path / "twice.db"
    path.write_bytes(empty)
    client = mlflow.MlflowClient(f"sqlite:///{path}")
    for start in (2000, 1000):
        client.create_run("0", run_name="bm25", start_time=start, tags={"start": str(start)})
    log, table = lf.read_mlflow(path), pl.DataFrame({"run": ["bm25"]})
    with refused("log: expected one row for each run, found several for 1 ('bm25')"):
        lf.with_log(table, log)
    last = log.sort("start_time").unique("run", keep="last", maintain_order=True)
    assert lf.with_log(table, last)["tags.start"].to_list() == ["2000"]


def test_a_store_that_was_made_anew(mlflow, empty, tmp_path):
    """No connection to the file that was there before is kept."""
    path = tmp_path / "store.db"
    for name in ("one", "two"):
        made = tmp_path / f"{name}.db"
        made.write_bytes(empty)
        mlflow.MlflowClient(f"sqlite:///{made}").create_run("0", run_name=name)
        made.replace(path)
        assert lf.read_mlflow(path)["run"].to_list() == [name]


def test_reading_changes_nothing(store, tmp_path):
    """No file, thread, setting or line is left behind, and nothing goes over the network."""
    code = """if True:
        import logging, os, socket, sys, threading
        import polars  # which sets a variable of the environment
        import lexiframe as lf

        def refuse(*args):
            raise AssertionError("no network")

        socket.socket.connect = socket.getaddrinfo = refuse
        before = dict(os.environ)
        assert not {"mlflow", "sqlalchemy", "pandas"} & set(sys.modules)
        print(lf.read_mlflow(sys.argv[1])["run"].to_list())
        assert dict(os.environ) == before
        assert threading.active_count() == 1
        assert logging.getLogger("mlflow").isEnabledFor(logging.INFO)
    """
    bytes_before = store.read_bytes()
    files = sorted(store.parent.iterdir())
    theirs = ("MLFLOW_", "PYTEST_", "CI", "GITHUB_ACTIONS")  # MLflow is quieter in tests
    environment = {k: v for k, v in os.environ.items() if not k.startswith(theirs)}
    environment |= {
        "PYTHONPATH": str(Path(lf.__file__).parents[1]),
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, store],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("['plain', 'tuned', 'minilm']\n", "")
    left = [file for file in tmp_path.rglob("*") if file.name != "mlruns"]
    assert not left  # MLflow 3.0 makes the empty folder mlruns
    assert sorted(store.parent.iterdir()) == files
    assert store.read_bytes() == bytes_before


def test_a_name_with_everything_in_it(store, tmp_path):
    path = tmp_path / "50% ü" / "a #1 & b?.db"
    path.parent.mkdir()
    path.write_bytes(store.read_bytes())
    assert lf.read_mlflow(path).height == 3
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_of_another_version_is_left_as_it_is(store, tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(store.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("UPDATE alembic_version SET version_num = 'acf3f17fdcc7'")
    database.close()
    before = path.read_bytes()
    with refused("cannot read this store (") as raised:
        lf.read_mlflow(path)
    assert path.read_bytes() == before
    assert "upgrade a copy with `mlflow db upgrade`" in str(raised.value)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE trace_info")
    database.close()
    before = path.read_bytes()
    with refused("cannot read this store ("):
        lf.read_mlflow(path)
    assert path.read_bytes() == before


def test_no_such_experiment(store):
    with refused("unknown MLflow experiment 'BM25'; did you mean bm25?"):
        lf.read_mlflow(store, "BM25")
    with refused("unknown MLflow experiment '17'."):
        lf.read_mlflow(store, ["bm25", 17])
    with refused("unknown MLflow experiment 'old'"):
        lf.read_mlflow(store, "old")


def test_no_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for uri in ("sqlite:///nowhere/mlflow.db", "mlflow.db", "sqlite://", Path("nowhere")):
        with refused(f"{uri}: there is no such MLflow store"):
            lf.read_mlflow(uri)
    for uri in ((tmp_path / "nowhere").as_uri(), tmp_path):
        with refused(f"{uri}: expected a folder of MLflow experiments, each with a meta.yaml"):
            lf.read_mlflow(uri)
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_store(tmp_path):
    path = tmp_path / "store.db"
    path.write_text("run,k1\n" * 100)
    with refused("store.db: cannot be read as an SQLite database (file is not a database)"):
        lf.read_mlflow(path)
    path.write_bytes(b"")
    with refused("store.db: expected the tables of an MLflow store, found 0 ()"):
        lf.read_mlflow(path)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    with refused("expected the tables of an MLflow store, found 1 ('mine')"):
        lf.read_mlflow(path)


@pytest.mark.parametrize("module", ["mlflow", "sqlalchemy.engine", "alembic"])
def test_without_mlflow(store, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with refused("read_mlflow needs MLflow, SQLAlchemy and Alembic (") as raised:
        lf.read_mlflow(store)
    assert str(raised.value).endswith("): pip install 'lexiframe[interop]'")


DAMAGED = {
    "UPDATE runs SET start_time = 'x'": "could not append value",
    "UPDATE runs SET start_time = NULL": "start_time cannot be None",
    "UPDATE runs SET start_time = 9223372036854775807": "807 is no time in milliseconds since 1970",
    "UPDATE runs SET end_time = -9223372036854775808": "end_time -9223372036854775808 is no time",
    "UPDATE runs SET name = x'ff'": "could not append value",
    "UPDATE latest_metrics SET value = 'high'": "unexpected value",
    "UPDATE params SET value = x'ff'": "unexpected value",
    "DROP TABLE latest_metrics": "no such table: latest_metrics",
}


@pytest.mark.parametrize("sql", DAMAGED)
def test_damaged_values(store, tmp_path, sql):
    path = tmp_path / "damaged.db"
    path.write_bytes(store.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute(sql)
    database.close()
    with refused("damaged.db: MLflow ") as raised:
        lf.read_mlflow(path)
    assert DAMAGED[sql] in str(raised.value)
    assert len(str(raised.value)) < 500


def test_flipped_bytes(store, tmp_path):
    """Whatever is broken, it is one message, or some table."""
    path, whole, rng = tmp_path / "flipped.db", store.read_bytes(), random.Random(0)
    for _ in range(20):
        data = bytearray(whole)
        for _ in range(20):
            data[rng.randrange(100, len(data))] = rng.randrange(256)
        path.write_bytes(data)
        with suppress(lf.LexiframeError):
            lf.read_mlflow(path)


def test_a_database_without_its_driver(mlflow, monkeypatch):
    monkeypatch.setitem(sys.modules, "MySQLdb", None)
    with refused("mysql://host/db: needs the driver of its database (") as raised:
        lf.read_mlflow("mysql://user:sec@ret@host/db")
    assert "ret@" not in str(raised.value)


def test_servers_that_are_gone_or_silent(mlflow, monkeypatch):
    """MLflow itself asks a server that is gone for minutes."""
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with refused("is the address that of an MLflow server, and is it running?"):
            lf.read_mlflow(f"http://127.0.0.1:{silent.getsockname()[1]}")
        port = silent.getsockname()[1]
    monkeypatch.delenv("MLFLOW_HTTP_REQUEST_TIMEOUT")
    start = time.monotonic()
    for address in (f"http://127.0.0.1:{port}", "http://a b/", "http://127.0.0.1:99999"):
        with refused("is the address that of an MLflow server, and is it running?"):
            lf.read_mlflow(address)
    with refused("http://: expected an address with the name of a server"):
        lf.read_mlflow("http://")
    assert time.monotonic() - start < 30
    assert "MLFLOW_HTTP_REQUEST_MAX_RETRIES" not in os.environ


def test_passwords_are_not_shown(mlflow):
    for address in ("nosuch://me:secret@host/db", "nosuch://me:a/secret@host/db?x=secret"):
        with refused("nosuch://host/db: MLflow") as raised:
            lf.read_mlflow(address)
        assert "secret" not in str(raised.value)


def test_columns_whose_names_are_patterns_to_polars(tmp_path):
    (tmp_path / "log.csv").write_text("run,*,^a$,^.*$\nx,1,2,\n")
    log = lf.read_log(tmp_path / "log.csv")
    assert log.rows() == [("x", 1, 2, None)]
    assert log.columns == ["run", "*", "^a$", "^.*$"]
    assert lf.with_log(log.select(pl.nth(0)), log).equals(log)


# --- Attributes of requests ---------------------------------------------------------------------

SCORES = pl.DataFrame({"run": "a", "query_id": ["1", "2", "3"], "value": [0.1, 0.2, 0.3]})


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series(["1", "2", "3"]),
        pl.Series([1, 2, 3]),
        pl.Series([1, 2, 3], dtype=pl.UInt8),
        pl.Series([1.0, 2.0, 3.0]),
        pl.Series(["1", "2", "3"], dtype=pl.Categorical),
        pl.Series([1, 2, 3], dtype=pl.Object),
    ],
    ids=lambda ids: str(ids.dtype),
)
def test_attributes_by_ids_of_any_type(ids):
    requests = pl.DataFrame({"qid": ids, "words": [4, 5, 6]})
    joined = lf.with_attributes(SCORES, requests)
    assert joined.columns == [*SCORES.columns, "words"]
    assert joined["words"].to_list() == [4, 5, 6]
    numbers = SCORES.with_columns(pl.col("query_id").cast(pl.Float64))
    joined = lf.with_attributes(numbers, requests)
    assert joined.schema["query_id"] == pl.Float64
    assert joined["words"].to_list() == [4, 5, 6]


def test_attributes_from_files(tmp_path):
    (tmp_path / "requests.csv").write_text("topic,words,value\n3,6,c\n1,4,a\n2,5,b\n")
    joined = lf.with_attributes(SCORES, tmp_path / "requests.csv")
    assert joined.select("words", "value_attributes").rows() == [(4, "a"), (5, "b"), (6, "c")]
    assert lf.with_attributes(SCORES, str(tmp_path / "requests.csv")).equals(joined)
    (tmp_path / "log.jsonl").write_text('{"run": "a", "k1": 0.9}\n')
    assert lf.with_log(SCORES, tmp_path / "log.jsonl")["k1"].to_list() == [0.9] * 3


def test_attributes_that_are_missing_or_too_many():
    requests = pl.DataFrame({"query_id": [1, 2, 9], "words": [4, 5, 6]})
    with pytest.warns(
        lf.LexiframeWarning, match=r"with_attributes: query_id without attributes: 1"
    ):
        joined = lf.with_attributes(SCORES, requests)
    assert joined["words"].to_list() == [4, 5, None]
    with refused("attributes: expected one row for each query_id, found several for 1 ('1')"):
        lf.with_attributes(SCORES, pl.concat([requests, requests[:1]]))
    with refused("with_attributes: expected some query_id that is in both, found 3"):
        lf.with_attributes(SCORES, requests.with_columns(pl.col("query_id") + 10))
    with refused("attributes: expected a column query_id to join on, found words"):
        lf.with_attributes(SCORES, requests.select("words"))
    twice = SCORES.with_columns(words=0, words_attributes=0)
    with refused("with_attributes: two columns would be called words_attributes; rename the attr"):
        lf.with_attributes(twice, requests.with_columns(query_id=pl.Series([1, 2, 3])))


def test_attributes_on_another_column():
    items = pl.DataFrame({"docno": [7, 8], "year": [1999, 2001]})
    p = pl.DataFrame({"doc_id": ["8", "7", "8"]})
    assert lf.with_attributes(p, items, on="doc_id")["year"].to_list() == [2001, 1999, 2001]
