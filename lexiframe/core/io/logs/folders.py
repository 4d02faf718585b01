"""Logs in folders, one for each run: of Hydra, Sacred, Weights & Biases and TensorBoard."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from lexiframe.core.base import LexiframeError, Problem, ReadError, n_and_first, shown, warn
from lexiframe.core.io.column_forms.records import flatten
from lexiframe.core.io.files.folders import printable, refuse_odd
from lexiframe.core.io.text.json_values import load_json
from lexiframe.core.io.text.yaml_values import load_yaml

Record = dict[str, Any]
_BEGUN = r"^run\.json$|^wandb-metadata\.json$|\.wandb$|^\.hydra$"
"""Files and folders that Sacred, Weights & Biases and Hydra make when a run begins."""
_REPEATED = 100_000
"""How many values references in YAML may repeat, as those do of tools that write a list once."""


def records_of_folder(folder: Path) -> list[Record]:
    """Return a record for each run below a folder, with its name as ``run``; raise if none is.

    A run is called like its folder, as seen from the one that is given. Parameters are under
    ``params``, and the last values of what was measured under ``metrics``.
    """
    records: dict[str, Record] = {}
    begun: dict[str, None] = {}
    for place, names, files in os.walk(folder):
        names.sort()
        path = Path(place)
        called = path.relative_to(folder).as_posix().removesuffix("/files")
        run = folder.absolute().name if called == "." else called
        if any(re.search(_BEGUN, name) for name in (*names, *files)):
            begun[run] = None
        for reader in (_read_hydra, _read_sacred, _read_wandb, _read_tensorboard):
            found = reader(path, {*names}, sorted(files))
            if found is not None:
                if printable(run) != run:
                    odd = Problem(
                        printable(str(path)), "a name in UTF-8", "other bytes", "rename it"
                    )
                    raise ReadError(odd)
                records.setdefault(run, {"run": run}).update(found)
    if not records:
        expected = (
            "a log in a file, or a folder of Hydra (.hydra/config.yaml), Sacred (config.json, "
            "run.json), Weights & Biases (wandb-summary.json) or TensorBoard (events.out.tfevents)"
        )
        raise ReadError(f"{folder}: expected {expected}, found none of them")
    if lost := [run for run in begun if run not in records]:
        warn(
            f"{folder}: left out, since they lack a summary or a configuration (they may have been "
            f"cut short): {n_and_first(lost)}"
        )
    return [flatten(record, str(folder)) for record in records.values()]


def _read_hydra(path: Path, folders: set[str], _files: list[str]) -> Record | None:
    """Return the configuration of a run of Hydra."""
    config = path / ".hydra" / "config.yaml"
    if ".hydra" not in folders or not config.exists():
        return None
    return {"params": _mapping(_yaml(config), config)}


def _read_sacred(path: Path, _folders: set[str], files: list[str]) -> Record | None:
    """Return the record of Sacred's file observer: configuration, result and last values."""
    if not {"config.json", "run.json"} <= {*files}:
        return None
    run = _mapping(_json(path / "run.json"), path / "run.json")
    found: Record = {"params": _mapping(_json(path / "config.json"), path / "config.json")}
    metrics: Record = {}
    if "metrics.json" in files:
        place = path / "metrics.json"
        for name, of in _mapping(_json(place), place).items():
            values = of.get("values") if isinstance(of, Mapping) else None
            if not isinstance(values, list | None):
                raise ReadError(
                    f"{place}: expected a list as values of {name}, found {shown(values)}"
                )
            if values:
                metrics[name] = values[-1]
    if isinstance(run.get("result"), int | float):
        metrics.setdefault("result", run["result"])
    experiment = run.get("experiment")
    called = experiment.get("name") if isinstance(experiment, Mapping) else None
    return found | {"metrics": metrics, "experiment": called, "status": run.get("status")}


def _read_wandb(path: Path, _folders: set[str], files: list[str]) -> Record | None:
    """Return the summary and configuration of a run of Weights & Biases; _ begins its own names."""
    if "wandb-summary.json" not in files:
        return None
    place, config = path / "wandb-summary.json", path / "config.yaml"
    metrics = {n: x for n, x in _mapping(_json(place), place).items() if not n.startswith("_")}
    given = _mapping(_yaml(config), config) if config.exists() else {}
    params = {n: of["value"] for n, of in given.items()
              if isinstance(of, Mapping) and "value" in of and not n.startswith("_")}  # fmt: skip
    return {"params": params, "metrics": metrics}


def _read_tensorboard(path: Path, _folders: set[str], files: list[str]) -> Record | None:
    """Return the last value of each scalar that TensorBoard shows."""
    events = [path / name for name in files if "tfevents" in name]
    if not events:
        return None
    refuse_odd(events)
    module = "tensorboard.backend.event_processing.event_accumulator"
    read = _needed(module, "tensorboard").EventAccumulator(str(path), {"tensors": 0})
    read.Reload()
    metrics = {tag: read.Scalars(tag)[-1].value for tag in read.Tags()["scalars"]}
    for tag in read.Tags()["tensors"]:  # TensorFlow 2 writes scalars as tensors
        value = read.Tensors(tag)[-1].tensor_proto
        if len(value.float_val) == 1:
            metrics[tag] = value.float_val[0]
    return {"metrics": metrics}


def _json(path: Path) -> Any:
    text = _text(path)
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path}: broken JSON ({error})") from None


def _yaml(path: Path) -> Any:
    yaml = _needed("yaml", "pyyaml")
    advice = "mend them"
    return load_yaml(yaml, _text(path), str(path), "the settings", "", advice, repeated=_REPEATED)


def _text(path: Path) -> str:
    """Return the text of a file; raise ReadError for pipes and devices, which may never end."""
    refuse_odd([path])
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"{path}: cannot be read ({error})") from None


def _mapping(value: Any, path: Path) -> Record:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ReadError(f"{path}: expected names with values, found {type(value).__name__}")
    return {str(name): of for name, of in value.items()}


def _needed(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise LexiframeError(
            f"read_log: this log needs {package}, which is not installed; pip install {package}"
        ) from None
