"""Logs of other tools: folders with one for each run, and tables with names of their own."""

import json

import polars as pl
import pytest

import lexiframe as lf

yaml = pytest.importorskip("yaml")


def written(path, value):
    """Write a value as JSON or YAML, as the path ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value) if path.suffix == ".json" else yaml.safe_dump(value))


def test_the_runs_of_hydra(tmp_path):
    for n, k1 in enumerate((0.9, 1.2)):
        written(tmp_path / str(n) / ".hydra" / "config.yaml", {"model": {"k1": k1}, "seed": n})
        written(tmp_path / str(n) / ".hydra" / "overrides.yaml", [f"model.k1={k1}"])
    log = lf.read_log(tmp_path)
    assert log.rows() == [("0", 0.9, 0), ("1", 1.2, 1)]
    assert log.columns == ["run", "params.model.k1", "params.seed"]
    table = pl.DataFrame({"run": ["1", "0"], "mean": [0.5, 0.25]})
    assert lf.with_log(table, tmp_path)["params.model.k1"].to_list() == [1.2, 0.9]


def test_the_runs_of_sacred(tmp_path):
    (tmp_path / "_sources").mkdir()
    for n in (1, 2):
        place = tmp_path / str(n)
        written(place / "config.json", {"lr": 0.1 * n, "layers": [1, 2]})
        written(place / "run.json", {"experiment": {"name": "ltr"}, "status": "COMPLETED",
                                     "result": 0.5 * n})  # fmt: skip
        written(place / "metrics.json", {"AP": {"steps": [0, 1], "values": [0.25, 0.125 * n]}})
    log = lf.read_log(tmp_path)
    assert log["run"].to_list() == ["1", "2"]
    assert log["metrics.AP"].to_list() == [0.125, 0.25]
    assert log["metrics.result"].to_list() == [0.5, 1.0]
    assert log.select("params.layers", "experiment", "status").row(0) == (
        "[1, 2]", "ltr", "COMPLETED",
    )  # fmt: skip


def test_the_summaries_of_weights_and_biases(tmp_path):
    for name, ap in (("run-1-abc", 0.5), ("run-2-def", "NaN")):
        files = tmp_path / name / "files"
        written(files / "wandb-summary.json", {"AP": ap, "_runtime": 12, "_step": 3})
        written(files / "config.yaml", {"k1": {"value": 0.9}, "_wandb": {"value": {"x": 1}}})
    log = lf.read_log(tmp_path)
    assert log.columns == ["run", "params.k1", "metrics.AP"]
    assert log["run"].to_list() == ["run-1-abc", "run-2-def"]
    assert log["metrics.AP"].is_nan().to_list() == [False, True]
    one = lf.read_log(tmp_path / "run-1-abc" / "files" / "wandb-summary.json")
    assert one["AP"].to_list() == [0.5]


def test_a_run_of_sacred_without_its_configuration_is_counted(tmp_path):
    for name in ("1/run.json", "1/config.json", "2/run.json"):
        written(tmp_path / name, {})
    with pytest.warns(lf.LexiframeWarning, match=r"1 \('2'\)"):
        assert lf.read_log(tmp_path)["run"].to_list() == ["1"]


def test_the_table_of_dvc(tmp_path):
    path = tmp_path / "exp.csv"
    path.write_text(
        "Experiment,rev,typ,Created,parent,AP,k1\n"
        ",workspace,baseline,,,0.25,0.9\nbm25,ae9f123,branch_base,,,0.5,1.2\n"
    )
    log = lf.read_log(path)
    assert log["run"].to_list() == ["workspace", "bm25"]
    table = pl.DataFrame({"run": ["bm25", "workspace"]})
    assert lf.with_log(table, log)["AP"].to_list() == [0.5, 0.25]
    assert lf.with_log(table, log.drop("run"))["AP"].to_list() == [0.5, 0.25]


def test_scalars_of_tensorboard(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    for n in (1, 2):
        writer = EventFileWriter(str(tmp_path / f"run{n}"))
        for step in (0, 1):
            value = Summary.Value(tag="AP", simple_value=0.25 * n + 0.125 * step)
            writer.add_event(Event(step=step, summary=Summary(value=[value])))
        writer.close()
    log = lf.read_log(tmp_path)
    assert log.rows() == [("run1", 0.375), ("run2", 0.625)]
    assert log.columns == ["run", "metrics.AP"]


def test_what_is_no_log(tmp_path):
    with pytest.raises(lf.ReadError, match=r"tfevents\), found none of them"):
        lf.read_log(tmp_path)
    place = tmp_path / "0" / ".hydra" / "config.yaml"
    written(place, [1, 2])
    with pytest.raises(lf.ReadError, match=r"config\.yaml: expected names with values, found list"):
        lf.read_log(tmp_path)
    place.write_text("a: [")
    with pytest.raises(lf.ReadError, match=r"config\.yaml: the settings are not YAML"):
        lf.read_log(tmp_path)
    place.write_bytes(b"\xff")
    with pytest.raises(lf.ReadError, match=r"config\.yaml: cannot be read"):
        lf.read_log(tmp_path)


def test_a_reader_that_is_not_installed(tmp_path, monkeypatch):
    import sys

    written(tmp_path / "0" / ".hydra" / "config.yaml", {"a": 1})
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(lf.LexiframeError, match="read_log: this log needs pyyaml, which"):
        lf.read_log(tmp_path)
