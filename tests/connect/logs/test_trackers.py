"""Evaluations in MLflow and in a folder of JSON lines."""

import warnings
from dataclasses import replace

import polars as pl
import pytest

import lexiframe as lf

NUMBERS = {"mean": "", "ci_low": ".ci_low", "ci_high": ".ci_high", "rank": ".rank", "n": ".n"}


@pytest.fixture(scope="module")
def evaluation():
    folder = lf.bundled("example")
    return lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP", "nDCG@10"])


@pytest.fixture
def mlflow(monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sqlalchemy")
        pytest.importorskip("alembic")
        yield pytest.importorskip("mlflow")


def assert_same_means(e, log, name=str):
    """Every number of the table of means is a metric of its run, and no run has another."""
    rows = {row["run"]: row for row in log.iter_rows(named=True)}
    assert rows.keys() == set(e.means["run"])
    n_numbers = 0
    for row in e.means.iter_rows(named=True):
        for column, ending in NUMBERS.items():
            assert rows[row["run"]][f"metrics.{name(row['measure'])}{ending}"] == row[column]
            n_numbers += 1
    metrics = log.select(pl.col("^metrics[.].*$"))
    assert metrics.height * metrics.width - sum(metrics.null_count().row(0)) == n_numbers


@pytest.mark.slow
def test_lines_are_added_once(evaluation, tmp_path):
    path = lf.io.log_folder(evaluation, tmp_path)
    first = path.read_bytes()
    assert lf.io.log_folder(evaluation, tmp_path).read_bytes() == first
    folder = lf.bundled("example")
    other = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], depth=5)
    lf.io.log_folder(other, tmp_path)
    assert path.read_bytes().startswith(first)
    log = lf.read_log(path)
    assert log.height == 6
    assert log["params.policies.depth"].to_list() == [None] * 3 + ["5"] * 3
    assert len(list((tmp_path / "evaluations").iterdir())) == 2


@pytest.mark.slow
def test_groups_of_requests_have_names_of_their_own(tmp_path):
    folder = lf.bundled("example")
    queries = sorted(set(lf.read_qrels(folder / "qrels.txt")["query_id"].to_pylist()))
    attributes = pl.DataFrame({"query_id": queries, "kind": ["a", "a", "b", "b", "b"]})
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], requests=attributes, by="kind")
    log = lf.read_log(lf.io.log_folder(e, tmp_path))
    by = {row["kind"]: row for row in e.means.filter(run="random").iter_rows(named=True)}
    row = log.row(by_predicate=pl.col("run") == "random", named=True)
    assert row["metrics.AP[kind=a]"] == by["a"]["mean"]
    assert row["metrics.AP[kind=b].ci_low"] == by["b"]["ci_low"]


@pytest.mark.parametrize("log", ["log_folder", "log_mlflow"])
def test_only_evaluations_are_logged(evaluation, tmp_path, log):
    with pytest.raises(TypeError, match=f"{log}: expected an evaluation, as lf.evaluate returns"):
        getattr(lf.io, log)(evaluation.means, tmp_path)


@pytest.mark.slow
def test_mlflow_is_read_back(mlflow, evaluation, tmp_path):
    store = tmp_path / "a store" / "mlflow.db"
    parent = lf.io.log_mlflow(evaluation, store, "rankings")
    log = lf.read_mlflow(store, "rankings")
    assert set(log["status"]) == {"FINISHED"}
    whole = log.filter(run_id=parent).row(0, named=True)
    assert whole["run"] == "evaluation"
    assert whole["params.measures"] == "RPP,AP,nDCG@10"
    assert whole["params.inference.test"] == "auto"
    runs = log.filter(pl.col("run_id") != parent)
    assert_same_means(evaluation, runs, lambda name: name.replace("@", "_at_"))
    hashes = {fact["run"]: fact["sha256"] for fact in evaluation.provenance["runs"]}
    assert dict(runs.select("run", "params.sha256").rows()) == hashes
    client = mlflow.MlflowClient(f"sqlite:///{store}")
    below = client.get_run(runs["run_id"][0]).data.tags["mlflow.parentRunId"]
    assert below == parent
    assert runs["parent"].to_list() == [whole["run"]] * runs.height
    means = client.download_artifacts(parent, "tables/means.parquet", str(tmp_path))
    assert pl.read_parquet(means).equals(evaluation.means)
    names = {file.path for file in client.list_artifacts(parent)}
    assert names == {"tables", "report.html", "provenance.json"}
    joined = lf.with_log(evaluation.means, runs.select("run", "params.sha256"))
    assert joined["params.sha256"].null_count() == 0


@pytest.mark.slow
def test_mlflow_where_it_logs_itself_and_below_an_active_run(
    mlflow, evaluation, tmp_path, monkeypatch
):
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    alone = lf.io.log_mlflow(evaluation)
    mine = mlflow.create_experiment("mine", (tmp_path / "artifacts").as_uri())
    with mlflow.start_run(run_name="nightly", experiment_id=mine) as active:
        twice = [lf.io.log_mlflow(evaluation) for _ in range(2)]
        apart = lf.io.log_mlflow(evaluation, experiment="others")
    client = mlflow.MlflowClient(uri)
    parents = {
        one: client.get_run(one).data.tags.get("mlflow.parentRunId")
        for one in (alone, *twice, apart)
    }
    assert parents == {alone: None, apart: None} | dict.fromkeys(twice, active.info.run_id)
    log = lf.read_mlflow(uri)
    of_runs = log.filter(pl.col("metrics.AP").is_not_null())
    n_runs = evaluation.means["run"].n_unique()
    assert dict(of_runs["experiment"].value_counts().rows()) == {
        "lexiframe": n_runs, "mine": 2 * n_runs, "others": n_runs,
    }  # fmt: skip


@pytest.mark.slow
def test_a_failure_is_marked(mlflow, evaluation, tmp_path, monkeypatch):
    store = tmp_path / "mlflow.db"
    mlflow.MlflowClient(f"sqlite:///{store}")
    fail = lambda *_: (_ for _ in ()).throw(OSError("the disk is full"))  # noqa: E731
    monkeypatch.setattr(mlflow.MlflowClient, "log_artifacts", fail)
    with pytest.raises(lf.LexiframeError, match=r"cannot write to this store \(the disk is full"):
        lf.io.log_mlflow(evaluation, store)
    assert lf.read_mlflow(store)["status"].to_list() == ["FAILED"]


@pytest.mark.slow
def test_no_server(evaluation, mlflow):
    with pytest.raises(lf.LexiframeError, match="cannot write to this store"):
        lf.io.log_mlflow(evaluation, "http://localhost:1")


def test_names_that_mlflow_would_mix_up(evaluation, tmp_path):
    name = pl.col("measure").replace({"AP": "P(a)", "RPP": "P[a]"})
    e = replace(evaluation, means=evaluation.means.with_columns(name))
    with pytest.raises(lf.LexiframeError, match="would both be called P_a, as MLflow takes few"):
        lf.io.log_mlflow(e, tmp_path / "mlflow.db")
    assert not list(tmp_path.iterdir())
