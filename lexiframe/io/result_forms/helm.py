"""Results of HELM: ``stats.json`` and ``per_instance_stats.json`` beside ``run_spec.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexiframe.io.result_forms.form import Result, ResultForm, parsed, refuse_other

_FILES = ("stats.json", "per_instance_stats.json")
_MODEL = re.compile(r",?\b(model|model_deployment)=[^,]*")


def _is_named(path: Path) -> bool:
    return path.name in _FILES and (path.parent / "run_spec.json").exists()


def _read(path: Path, languages: str | None) -> Iterator[Result]:
    content = parsed(path, "HELM")
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise refuse_other(path, "HELM", "a list of statistics", type(content).__name__)
    run, collection = _named(path)
    is_whole = path.name == _FILES[0]
    parts = [(None, content)] if is_whole else [(_request(one), one["stats"]) for one in content]
    tested = {_split(stat) for _, stats in parts for stat in stats}
    split = "test" if "test" in tested else None
    for request, stats in parts:
        for stat in stats:
            if stat.get("count") and _is_plain(stat) and (split is None or _split(stat) == split):
                yield Result(
                    run, collection, request, stat["name"]["name"], _mean(stat), "", ()
                )  # fmt: skip


def _named(path: Path) -> tuple[str, str]:
    """Return the model and the scenario of a run of HELM."""
    spec = parsed(path.parent / "run_spec.json", "HELM")
    try:
        model = str(spec["adapter_spec"]["model"])
        name = str(spec["name"])
    except (KeyError, TypeError):
        place = path.parent / "run_spec.json"
        raise refuse_other(place, "HELM", "name and adapter_spec.model", "none") from None
    scenario = _MODEL.sub("", name).replace(":,", ":").strip(":,")
    return model.replace("/", "__"), scenario


def _request(one: dict[str, Any]) -> str:
    trial = one.get("train_trial_index", 0)
    return f"{one['instance_id']}" + (f"#{trial}" if trial else "")


def _split(stat: dict[str, Any]) -> str | None:
    name: dict[str, Any] = stat["name"]
    return name.get("split")


def _is_plain(stat: dict[str, Any]) -> bool:
    """Return whether a statistic is of the inputs as they are, not of perturbed ones."""
    return not stat["name"].get("perturbation")


def _mean(stat: dict[str, Any]) -> Any:
    return stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]


FORM = ResultForm("HELM", _is_named, _read)
