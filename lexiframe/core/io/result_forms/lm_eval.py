"""Results of lm-evaluation-harness: ``results_*.json``, and ``samples_TASK_*.jsonl`` by request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from lexiframe.core.io.result_forms.form import (
    Json,
    Part,
    Result,
    ResultForm,
    begins_with,
    parsed,
    parsed_text,
    text_of,
)

_TOOL = "lm-evaluation-harness"
_WHEN = r"\d{4}-\d\d-\d\dT[0-9-:.]+"
_RESULTS = re.compile(r"results(_.*)?\.json")
_OTHERWISE = re.compile(rf".+_{_WHEN}\.json")
_BEGINNING = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl")
_TIME = re.compile(_WHEN)
_NO_MEASURES = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
                "doc_hash", "prompt_hash", "target_hash", "metrics"}  # fmt: skip
_MODELS = ("pretrained", "model", "path")
"""The arguments that name a model, in the order in which they are looked for."""


def _is_lm_eval_file(path: Path) -> bool:
    """Results are called so, or as ``--output_path NAME.json`` says, with the time behind it."""
    return bool(_SAMPLES.fullmatch(path.name)) or _are_results(path)


def _are_results(path: Path) -> bool:
    if _RESULTS.fullmatch(path.name):
        return True
    if path.suffix != ".json" or not begins_with(path, _BEGINNING):
        return False
    # Earlier versions write NAME.json without the time; all of them name versions of tasks.
    return bool(_OTHERWISE.fullmatch(path.name)) or b'"versions"' in path.read_bytes()


def _read_lm_eval(path: Path, languages: str | None) -> Iterator[Result]:
    return _samples(path) if path.suffix == ".jsonl" else _task_results(path)


def _task_results(path: Path) -> Iterator[Result]:
    content = parsed(path, _TOOL)
    if not isinstance(content.value, dict) or not isinstance(content["results"].value, dict):
        raise content.refused("the results of tasks", "none")
    # The mean of a group is no collection of its own: its tasks are there as well.
    groups = content["group_subtasks"]
    is_group = {name: bool(tasks.value) for name, tasks in groups.fields()} if groups.value else {}
    if not groups.value and content["groups"].value:
        is_group = {name: True for name, _ in content["groups"].fields()}
    run, when = _model_name(path, content), _when(path)
    for task, of_task in content["results"].fields():
        for key, value in of_task.fields() if not is_group.get(task) else ():
            measure = _key_measure(key)
            if measure is not None and value.value != "N/A":
                part = _task_part(content, task)
                smaller = _is_smaller_better(content, task, measure)
                number = value.number(kinds=int | float | str)
                yield Result(run, task, None, measure, number, when, (when,), part, smaller)


def _task_part(content: Json, task: str) -> Part | None:
    """Return the settings of a task; scores of other shots, versions or samples belong to another.

    Samples are named only if they are not all; None if the results say nothing of all this.
    """
    shots, version = (_field(content, name, task).value for name in ("n-shot", "versions"))
    samples, limit = _field(content, "n-samples", task), _field(content, "config", "limit").value
    given = [] if shots is None else [f"{shots}-shot"]
    given += [] if version is None else [f"version {version}"]
    if samples.value:
        used, of = samples["effective"].value, samples["original"].value
        given += [f"{used} of {of} samples"] * (used != of)
    elif limit is not None:
        given.append(f"limit {limit}")
    return Part(", ".join(given), "", is_chosen=True) if given else None


def _is_smaller_better(content: Json, task: str, measure: str) -> bool | None:
    """Return whether smaller values of a measure are better; None if the results do not say."""
    larger = _field(content, "higher_is_better", task)
    said = larger[measure.partition(",")[0]].value if larger.value else None
    return not said if isinstance(said, bool) else None


def _field(content: Json, name: str, inside: str) -> Json:
    """Return the field ``content[name][inside]``; a value of None if either is missing."""
    return content[name][inside] if content[name].value else content[name]


def _key_measure(key: str) -> str | None:
    """Return the measure that a key names: without the filter ``none``; None for anything else."""
    name, _, chosen = key.partition(",")
    if name.endswith("_stderr") or name.strip() in (
        "",
        "alias",
        "name",
        "sample_len",
        "sample_count",
    ):
        return None
    return name if chosen in ("", "none") else key


def _model_name(path: Path, content: Json) -> str:
    """Return the name of the model, which earlier versions wrote into its arguments alone."""
    name = content["model_name"]
    if not name.value and content["config"].value:
        config = content["config"]
        given = config["model_args"]
        named = dict(re.findall(rf"\b({'|'.join(_MODELS)})=([^,]+)", str(given.value or "")))
        if isinstance(given.value, dict):
            named = {key: value.text() for key, value in given.fields() if key in _MODELS}
        for key in _MODELS:
            if key in named:
                return str(named[key]).replace("/", "__")
        name = config["model"]
    return (name.text() if name.value else path.resolve().parent.name).replace("/", "__")


def _when(path: Path) -> str:
    found = _TIME.search(path.name)
    return found[0].removesuffix(".") if found else ""


def _results_of_samples(path: Path, when: str) -> tuple[str, Json | None]:
    """Return the model and the results that the tool wrote at the time ``when`` of the samples.

    The folder is called like the model, but with other signs, or holds several models.
    """
    ending = f"_{when}.json" if when else ".json"
    beside = sorted(path.parent.glob(f"*{escape(ending)}"))
    results = [one for one in beside if one.is_file() and _are_results(one) and _when(one) == when]
    named = {
        _model_name(one, content): content for one in results for content in [parsed(one, _TOOL)]
    }
    if len(named) > 1:
        place = Json(sorted(named), str(path), _TOOL)
        raise place.refused("samples of one model", f"results of {len(named)} models of that time")
    return next(iter(named.items()), (path.resolve().parent.name, None))


def _samples(path: Path) -> Iterator[Result]:
    named = _SAMPLES.fullmatch(path.name)
    task, when = named["task"] if named else path.stem, _when(path)
    run, results = _results_of_samples(path, when)
    part = None if results is None else _task_part(results, task)
    for number, line in enumerate(text_of(path, _TOOL).split("\n"), 1):
        if line.strip():
            sample = parsed_text(line, f"{path}, line {number}", _TOOL)
            yield from _sample_scores(sample, (run, task, when), part, results)


def _sample_scores(
    sample: Json, of: tuple[str, str, str], part: Part | None, results: Json | None
) -> Iterator[Result]:
    """Return the scores of a sample: its metrics, or all its numbers if it names no metrics."""
    run, task, when = of
    if not isinstance(sample.value, dict) or "doc_id" not in sample.value:
        raise sample.refused("a sample with doc_id")
    metrics, chosen = sample["metrics"], sample["filter"].value or "none"
    names = [one.text() for one in metrics.parts()] if metrics.value else [*sample.value]
    for name in names:
        one = sample[name]
        # A metric of all requests together, such as BLEU, has a list of what it is computed from.
        is_score = isinstance(one.value, int | float) or (metrics.value and name in sample.value)
        if name not in _NO_MEASURES and is_score and not isinstance(one.value, list):
            measure = name if chosen == "none" else f"{name},{chosen}"
            smaller = None if results is None else _is_smaller_better(results, task, measure)
            value = float(one.value) if isinstance(one.value, bool) else one.number()
            request = f"{sample['doc_id'].value}"
            yield Result(run, task, request, measure, value, when, (when,), part, smaller)


FORM = ResultForm(_TOOL, _is_lm_eval_file, _read_lm_eval)
