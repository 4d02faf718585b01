"""Results of lm-evaluation-harness: ``results_*.json``, and ``samples_TASK_*.jsonl`` by request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexiframe.base import Problem, ReadError
from lexiframe.io.result_forms.form import Result, ResultForm, parsed, refuse_other

_TOOL = "lm-evaluation-harness"
_RESULTS = re.compile(r"results(_.*)?\.json")
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9-:.]+")
_NO_MEASURES = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
                "doc_hash", "prompt_hash", "target_hash", "metrics"}  # fmt: skip


def _is_named(path: Path) -> bool:
    return bool(_RESULTS.fullmatch(path.name) or _SAMPLES.fullmatch(path.name))


def _read(path: Path, languages: str | None) -> Iterator[Result]:
    return _samples(path) if path.suffix == ".jsonl" else _results(path)


def _results(path: Path) -> Iterator[Result]:
    content = parsed(path, _TOOL)
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        raise refuse_other(path, _TOOL, "the results of tasks", "none")
    # The mean of a group is no collection of its own: its tasks are there as well.
    groups = {name for name, tasks in (content.get("group_subtasks") or {}).items() if tasks}
    when = _when(path)
    for task, of_task in content["results"].items():
        if task in groups or not isinstance(of_task, dict):
            continue
        for key, value in of_task.items():
            measure = _measure(key)
            if measure is not None and value != "N/A":
                yield Result(_run(path, content), task, None, measure, value, when, (when,))


def _measure(key: str) -> str | None:
    """Return the measure that a key names: without the filter ``none``; None for anything else.

    Examples
    --------
    >>> _measure("acc,none"), _measure("exact_match,strict-match"), _measure("acc_stderr,none")
    ('acc', 'exact_match,strict-match', None)
    """
    name, _, chosen = key.partition(",")
    if name.endswith("_stderr") or name in ("alias", "name", "sample_len", "sample_count"):
        return None
    return name if chosen in ("", "none") else key


def _run(path: Path, content: dict[str, Any]) -> str:
    name = content.get("model_name")
    if not name:
        config = content.get("config") or {}
        given = str(config.get("model_args") or "")
        found = re.search(r"(?:pretrained|model|path)=([^,]+)", given)
        name = found[1] if found else config.get("model") or path.parent.name
    return str(name).replace("/", "__")


def _when(path: Path) -> str:
    found = _TIME.search(path.name)
    return found[0] if found else ""


def _samples(path: Path) -> Iterator[Result]:
    named = _SAMPLES.fullmatch(path.name)
    task = named["task"] if named else path.stem
    when = _when(path)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
            request, fields = str(sample["doc_id"]), dict(sample)
        except (ValueError, TypeError, KeyError):
            expected = "a sample with doc_id, as JSON"
            raise ReadError(Problem(f"{path}, line {number}", expected, repr(line[:60]))) from None
        chosen = str(sample.get("filter", "none"))
        for name in sample.get("metrics") or fields:
            value = fields.get(name)
            if name not in _NO_MEASURES and isinstance(value, int | float):
                measure = name if chosen == "none" else f"{name},{chosen}"
                run = path.parent.name
                yield Result(run, task, request, measure, float(value), when, (when,))


FORM = ResultForm(_TOOL, _is_named, _read)
