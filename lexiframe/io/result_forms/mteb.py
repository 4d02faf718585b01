"""Results of MTEB: ``results/MODEL/REVISION/TASK.json``, also in the cache of ``mteb``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from lexiframe.io.result_forms.form import Result, ResultForm, parsed, refuse_other

_NO_TASKS = {"model_meta.json", "stats.json", "per_instance_stats.json"}
_SPLIT = "test"


def _is_named(path: Path) -> bool:
    """A task's file lies beside ``model_meta.json``, which MTEB writes into each revision."""
    is_task = path.suffix == ".json" and path.name not in _NO_TASKS
    is_task &= not path.name.endswith("_predictions.json")  # these are rankings
    return is_task and (path.parent / "model_meta.json").exists()


def _read(path: Path, languages: str | None) -> Iterator[Result]:
    content = parsed(path, "MTEB")
    if not isinstance(content, dict) or not isinstance(content.get("scores"), dict):
        raise refuse_other(path, "MTEB", "scores by split", "none")
    meta = parsed(path.parent / "model_meta.json", "MTEB")
    name = meta.get("name") if isinstance(meta, dict) else None
    # Folders and leaderboards write __ for the slash of a model's name, which a path cannot have.
    run = str(name).replace("/", "__") if name else path.parent.parent.name
    value = _value(path, content["scores"], languages)
    version = tuple(int(n) for n in re.findall(r"\d+", str(content.get("mteb_version", ""))))
    task = str(content.get("task_name") or path.stem)
    yield Result(run, task, None, "main_score", value, path.parent.name, version)


def _value(path: Path, scores: dict[str, Any], languages: str | None) -> Any:
    """Return the mean of the main scores over the subsets of the split for tests.

    With ``languages``, over those subsets that are in this language alone.
    """
    splits = [split for split, parts in scores.items() if parts]
    if _SPLIT not in splits and len(splits) != 1:
        found = f"the splits {', '.join(splits)}" if splits else "no split"
        raise refuse_other(path, "MTEB", f"scores of the split {_SPLIT}, or of one split", found)
    parts = scores[_SPLIT if _SPLIT in splits else splits[0]]
    if languages is not None:
        chosen = [part for part in parts if _are_in(part.get("languages"), languages)]
        parts = chosen or parts  # a task without this language stays what it is
    values = [part.get("main_score") if isinstance(part, dict) else None for part in parts]
    if any(value is None for value in values):
        raise refuse_other(path, "MTEB", "a main_score in each subset", "none in one of them")
    is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return (
        fmean([float(v) for v in values if v is not None])
        if is_number and len(values) > 1
        else values[0]
    )


def _are_in(found: list[str] | None, language: str) -> bool:
    """Return whether all languages (``eng-Latn``) are the one that is asked for (``eng``)."""
    return bool(found) and all(one.split("-")[0] == language for one in found or [])


FORM = ResultForm("MTEB", _is_named, _read)
