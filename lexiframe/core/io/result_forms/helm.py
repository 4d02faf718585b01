"""Results of HELM: ``stats.json`` and ``per_instance_stats.json`` beside ``run_spec.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lexiframe.core.io.result_forms.form import Json, Result, ResultForm, parsed

_FILES = ("stats.json", "per_instance_stats.json")
_MODEL = re.compile(r",?\b(model|model_deployment)=[^,]*")


def _is_helm_file(path: Path) -> bool:
    return path.name in _FILES and (path.parent / "run_spec.json").exists()


def _read_helm(path: Path, languages: str | None) -> Iterator[Result]:
    content = parsed(path, "HELM")
    if not isinstance(content.value, list):
        raise content.refused("a list of statistics", type(content.value).__name__)
    run, collection = _model_and_scenario(path)
    is_whole = path.name == _FILES[0]
    parts = (
        [(None, [*content.parts()])]
        if is_whole
        else [(_request(one), [*one["stats"].parts()]) for one in content.parts()]
    )
    tested = {stat["name"]["split"].value == "test" for _, stats in parts for stat in stats}
    for request, stats in parts:
        for stat in stats:
            name = stat["name"]
            is_split = True not in tested or name["split"].value == "test"
            # Statistics of perturbed inputs are others.
            if is_split and stat["count"].number() and not name["perturbation"].value:
                yield Result(
                    run, collection, request, name["name"].text(), _stat_mean(stat), "", ()
                )


def _model_and_scenario(path: Path) -> tuple[str, str]:
    """Return the model and the scenario of a run of HELM."""
    spec = parsed(path.parent / "run_spec.json", "HELM")
    name, model = spec["name"], spec["adapter_spec"]
    if not isinstance(name.value, str) or not isinstance(model.value, dict):
        raise spec.refused("name and adapter_spec.model", "none")
    scenario = _MODEL.sub("", name.text()).replace(":,", ":").strip(":,")
    return model["model"].text().replace("/", "__"), scenario


def _request(one: Json) -> str:
    trial = one["train_trial_index"].value or 0
    name = one["instance_id"].value
    if not isinstance(name, str | int) or not isinstance(trial, int):
        raise one.refused("instance_id and train_trial_index")
    return f"{name}" + (f"#{trial}" if trial else "")


def _stat_mean(stat: Json) -> float | None:
    mean, total, count = (stat[name].number() for name in ("mean", "sum", "count"))
    if "mean" in stat.value or total is None or count is None:
        return mean
    return total / count


FORM = ResultForm("HELM", _is_helm_file, _read_helm)
