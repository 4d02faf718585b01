"""Evaluations in experiment trackers: `log_mlflow` and `log_folder`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from lexiframe.connect.logs.entries import (
    Entry,
    Evaluated,
    check_evaluated,
    entries_of_evaluation,
    settings_of_evaluation,
    write_artifacts,
)
from lexiframe.connect.logs.mlflow import needed, quiet_mlflow, unreadable
from lexiframe.core.base import LexiframeError, progress, typed
from lexiframe.core.io.files.output_files import (
    added_to,
    output_folder,
    refuse_outputs,
    temporary_folder,
    together,
)
from lexiframe.core.io.logs.files import LOG
from lexiframe.core.io.text.json_values import load_json

_AT_ONCE = {"metrics": 1000, "params": 100}
"""What MLflow takes in one request."""
_LONGEST = 500
"""The characters of a parameter that every version of MLflow takes."""
_REFUSED = re.compile(r"[^\w\-. :/]+")
_PARENT, _NAME = "mlflow.parentRunId", "mlflow.runName"
FOLDERS = "evaluations"


@typed
def log_mlflow(
    e: Evaluated, /, tracking_uri: str | Path | None = None, experiment: str | None = None
) -> str:
    """Log an evaluation to an MLflow store, with MLflow's own client.

    The evaluation becomes a run of MLflow, with its settings as parameters, and as artifacts its
    tables (``tables/*.parquet``), its page (``report.html``) and ``provenance.json``. Each ranked
    run becomes a run of MLflow below it, with the name of the run: the mean of each measure is a
    metric, and so are the bounds of its interval, its rank and the number of requests
    (``AP.ci_low``, ``AP.ci_high``, ``AP.rank``, ``AP.n``); path and sha256 of its file are
    parameters.

    MLflow refuses some characters in names. ``@`` becomes ``_at_``, as in MLflow's own metrics of
    retrieval, and others become ``_``: ``nDCG_at_10``.

    Parameters
    ----------
    e
        The `Evaluation` of `evaluate` or `evaluate_scores`.
    tracking_uri
        The address of the store, such as ``http://localhost:5000`` or ``sqlite:///mlflow.db``, or
        the path of an SQLite file, which is made if it does not exist. The artifacts of a new
        experiment in an SQLite file lie in a folder ``artifacts`` beside it. None: where MLflow
        itself logs (``mlflow.get_tracking_uri()``), below the run that is active there, if one is.
    experiment
        The name of the experiment, which is made if it does not exist. None: that of the active
        run, or else ``lexiframe``. With a name, the evaluation does not lie below the active run.

    Returns
    -------
    str
        The id of the run of MLflow that stands for the evaluation.

    Raises
    ------
    LexiframeError
        When MLflow is not installed or cannot write to the store; what it has begun is then marked
        as failed. And when two names become one for MLflow.
    TypeError
        For what is no evaluation.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "nDCG@10"])
    >>> lf.io.log_mlflow(e)  # doctest: +SKIP
    >>> lf.io.log_mlflow(e, "sqlite:///mlflow.db")  # doctest: +SKIP
    >>> log = lf.read_mlflow("sqlite:///mlflow.db", "lexiframe")  # doctest: +SKIP
    """
    check_evaluated("log_mlflow", e)
    entries = [_mlflow_entry(entry) for entry in entries_of_evaluation(e)]
    settings = _unique(settings_of_evaluation(e), lambda text: text[:_LONGEST])
    with temporary_folder() as folder:
        write_artifacts(e, folder)
        with quiet_mlflow():
            try:
                return _log_all(
                    *_mlflow_place(tracking_uri, experiment), settings, str(folder), entries
                )
            except LexiframeError:
                raise
            except Exception as error:  # noqa: BLE001 - of MLflow, its drivers and servers
                uri = str(tracking_uri or "MLflow's own store")
                raise unreadable(uri, error, "write to") from None


def _mlflow_place(
    uri: str | Path | None, experiment: str | None
) -> tuple[Any, str, dict[str, str]]:
    """Return MLflow's client for a store, an experiment there, and the tags of the evaluation."""
    mlflow, *_ = [needed(module, "log_mlflow") for module in ("mlflow", "alembic", "sqlalchemy")]
    tags = {_NAME: "evaluation"}
    address, artifacts = _store(str(mlflow.get_tracking_uri() if uri is None else uri))
    client = mlflow.MlflowClient(address)
    above = mlflow.active_run() if uri is None and experiment is None else None
    if above is not None:
        return client, above.info.experiment_id, tags | {_PARENT: above.info.run_id}
    return client, _experiment(client, experiment or "lexiframe", artifacts), tags


def _log_all(
    client: Any,
    number: str,
    tags: dict[str, str],
    settings: dict[str, str],
    folder: str,
    entries: list[Entry],
) -> str:
    with _mlflow_run(client, number, tags) as parent:
        _log(client, parent, settings, {})
        client.log_artifacts(parent, folder)
        for entry in progress(entries, len(entries), "logging runs"):
            with _mlflow_run(client, number, {_NAME: entry.run, _PARENT: parent}) as run:
                _log(client, run, entry.params, entry.metrics)
    return parent


def _store(uri: str) -> tuple[str, str | None]:
    """Return the address of a store, and where artifacts go; None if MLflow decides that."""
    name = uri.removeprefix("sqlite:///")
    if "://" in name:
        return uri, None
    path = Path(name).absolute()
    if path.is_dir():
        return path.as_uri(), None
    output_folder(path.parent)
    return f"sqlite:///{path}", (path.parent / "artifacts").as_uri()


def _experiment(client: Any, name: str, artifacts: str | None) -> str:
    known = client.get_experiment_by_name(name)
    return str(known.experiment_id if known else client.create_experiment(name, artifacts))


@contextmanager
def _mlflow_run(client: Any, experiment: str, tags: dict[str, str]) -> Iterator[str]:
    """Make a run of MLflow, which is finished at the end, or marked as failed by an error."""
    run = client.create_run(experiment, tags=tags, run_name=tags[_NAME]).info.run_id
    try:
        yield run
    except BaseException:
        client.set_terminated(run, "FAILED")
        raise
    client.set_terminated(run)


def _log(client: Any, run: str, params: dict[str, str], metrics: dict[str, float]) -> None:
    entities = needed("mlflow.entities", "log_mlflow")
    now = int(datetime.now(UTC).timestamp() * 1000)
    rows = {
        "metrics": [entities.Metric(name, value, now, 0) for name, value in metrics.items()],
        "params": [entities.Param(name, value) for name, value in params.items()],
    }
    for kind, size in _AT_ONCE.items():
        for start in range(0, len(rows[kind]), size):
            client.log_batch(run, **{kind: rows[kind][start : start + size]})


def _mlflow_entry(entry: Entry) -> Entry:
    params = _unique(entry.params, lambda text: text[:_LONGEST])
    return Entry(entry.run, params, _unique(entry.metrics, float))


def _unique(values: dict[str, Any], converted: Callable[[Any], Any]) -> dict[str, Any]:
    """Return values under names that MLflow takes; raise if two names become one."""
    names = {name: _mlflow_name(name) for name in values}
    count = Counter(names.values())
    twice = [name for name, theirs in names.items() if count[theirs] > 1]
    if twice:
        raise LexiframeError(
            f"log_mlflow: {' and '.join(twice)} would both be called {names[twice[0]]}, as MLflow "
            "takes few characters in names; log them in two evaluations"
        )
    return {names[name]: converted(value) for name, value in values.items()}


def _mlflow_name(name: str) -> str:
    parts = re.sub("@", "_at_", name).rsplit(".", 1)
    return ".".join(_REFUSED.sub("_", part).rstrip("_") or "_" for part in parts)


@typed
def log_folder(e: Evaluated, /, folder: str | Path) -> Path:
    """Log an evaluation to a folder that any program can watch: JSON lines and files.

    ``runs.jsonl`` gets a line for each run, with the names that `log_mlflow` gives, but for the
    characters that MLflow refuses: ``{"run": "bm25", "logged": "2026-01-31T12:00:00Z",
    "evaluation": "…", "metrics": {"AP": 0.25, "AP.ci_low": …}, "params": {"path": …,
    "policies.ties": …}}``. Lines are only added, all of an evaluation at once. Tables, page and
    provenance are in ``evaluations/ID``, where ID is the ``evaluation`` of the line. The same
    evaluation has the same ID, by its provenance and its means: it is not logged again.

    Parameters
    ----------
    e
        The `Evaluation` of `evaluate` or `evaluate_scores`.
    folder
        The folder; it is made if it does not exist.

    Returns
    -------
    pathlib.Path
        The file ``runs.jsonl``, which `read_log` reads.

    Raises
    ------
    LexiframeError
        When the folder cannot be written to, as on a full disk: no line is added then. And when
        the last line of the log is not whole.
    TypeError
        For what is no evaluation.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> data = lf.bundled("example")
    >>> e = lf.evaluate(data / "runs", data / "qrels.txt", ["AP", "nDCG@10"])
    >>> log = lf.read_log(lf.io.log_folder(e, getfixture("tmp_path")))
    >>> names = ["run", "metrics.AP", "metrics.nDCG@10.ci_low", "params.inference.test"]
    >>> log.select(names).with_columns(pl.col(pl.Float64).round(4)).row(2)
    ('random', 0.0325, 0.0, 'auto')
    """
    check_evaluated("log_folder", e)
    target = output_folder(folder)
    entries, settings = entries_of_evaluation(e), settings_of_evaluation(e)
    key = json.dumps([settings, entries], sort_keys=True, default=str)
    name = sha256(key.encode()).hexdigest()[:16]
    path, logged = target / LOG, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    refuse_outputs([path])
    known = _logged(path.read_bytes() if path.exists() else b"", name, path)
    if known >= {entry.run for entry in entries}:
        return path
    with together():
        write_artifacts(e, output_folder(target / FOLDERS / name))
    with added_to(path) as file:  # others may have added to it meanwhile
        known = _logged(file.before, name, path)
        lines = [
            {
                "run": entry.run,
                "logged": logged,
                "evaluation": name,
                "metrics": entry.metrics,
                "params": entry.params | settings,
            }
            for entry in entries
            if entry.run not in known
        ]
        file.add("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return path


def _logged(log: bytes, evaluation: str, path: Path) -> set[str]:
    """Return the runs of an evaluation that a log has; raise if its last line is cut off."""
    lines = log.split(b"\n")
    if lines[-1].strip() and _record(lines[-1]) is None:
        raise LexiframeError(
            f"{path}, line {len(lines)}: expected a record of JSON, found a line that is not whole "
            f"({lines[-1][:60].decode(errors='replace')!r}), as a program leaves that was stopped; "
            "remove this line"
        )
    mark = f'"evaluation": "{evaluation}"'.encode()
    records = [_record(line) for line in lines if mark in line]
    return {str(record.get("run")) for record in records if record is not None}


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record on a line; None if the line is no whole record."""
    try:
        record = load_json(line.decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
