"""Results of MTEB: ``results/MODEL/REVISION/TASK.json``, also in the cache of ``mteb``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from packaging.version import InvalidVersion, Version

from lexiframe.core.base import warn
from lexiframe.core.io.result_forms.form import Json, Part, Result, ResultForm, begins_with, parsed

_NO_TASKS = {"model_meta.json", "stats.json", "per_instance_stats.json"}
_BEGINNING = re.compile(rb'\s*\{[^{}]*"(mteb_dataset_name|mteb_version)"')
_REVISION = re.compile(r"[0-9a-f]{7,}|no_revision_available|external|\d+")
_UNKNOWN = Version("0.dev0")
"""The version of a file that names none."""


def _is_mteb_file(path: Path) -> bool:
    """A task's file lies beside ``model_meta.json`` of its revision, or names MTEB's version."""
    is_task = path.suffix == ".json" and path.name not in _NO_TASKS
    is_task &= not path.name.endswith("_predictions.json")  # these are rankings
    has_meta = (path.parent / "model_meta.json").exists()
    return is_task and (has_meta or begins_with(path, _BEGINNING))


def _read_mteb(path: Path, languages: str | None) -> Iterator[Result]:
    """Read the main score of each subset in each split; `same_parts` makes values of them."""
    content = parsed(path, "MTEB")
    if "mteb_dataset_name" in content.value_as(dict):
        yield from _first_version(content, path, languages)
        return
    if not isinstance(content["scores"].value, dict):
        raise content.refused("scores by split", "none")
    run = _model(path)
    task = content["task_name"].text() if content["task_name"].value else path.stem
    version = (_version(content["mteb_version"].value),)
    found = False
    for split, of_split in content["scores"].fields():
        for name, one in _subsets(of_split):
            found = True
            part = Part(split, name, languages is None or _are_in(one["languages"], languages))
            yield Result(
                run, task, None, "main_score", _main_score(one, run, task), path.parent.name,
                version, part,
            )  # fmt: skip
    if not found:
        raise content["scores"].refused("scores of a split", "no split")


def _model(path: Path) -> str:
    """Return the name of a model, as its metadata or else its folder have it.

    Folders and leaderboards write __ for the slash of a model's name, which a path cannot have.
    """
    meta, folder = path.parent / "model_meta.json", path.resolve().parent
    name = parsed(meta, "MTEB")["name"] if meta.exists() else None
    if name is not None and name.value:
        return name.text().replace("/", "__")
    is_revision = meta.exists() or _REVISION.fullmatch(folder.name)
    return folder.parent.name if is_revision else folder.name


def _first_version(content: Json, path: Path, languages: str | None) -> Iterator[Result]:
    """Read a file of MTEB 1.0: ``{split: scores}``, or ``{split: {language: scores}}``.

    It lies in the folder of the model, and of some tasks it names no main score.
    """
    task, run = content["mteb_dataset_name"].text(), path.resolve().parent.name
    found = False
    for split, scores in content.fields():
        inner = [*scores.fields()] if isinstance(scores.value, dict) else []
        for name, one in [("default", scores), *inner]:
            if isinstance(one.value, dict) and "main_score" in one.value:
                found = True
                part = Part(split, name, languages in (None, name) or name == "default")
                yield Result(run, task, None, "main_score", _main_score(one, run, task), "",
                             (_version(content["mteb_version"].value),), part)  # fmt: skip
    if not found:
        warn(f"{path}: left out, as MTEB 1.0 named no main score of {task}; evaluate it again")


def _version(value: object) -> Version:
    try:
        return Version(str(value or _UNKNOWN))
    except InvalidVersion:
        return _UNKNOWN


def _subsets(of_split: Json) -> list[tuple[str, Json]]:
    """Return the subsets of a split with their names, which languages tell apart if need be."""
    parts = [*of_split.parts()]
    names = [one["hf_subset"].text() if one["hf_subset"].value else "default" for one in parts]
    times = Counter(names)
    full = [
        name if times[name] == 1 else f"{name} ({', '.join(sorted(_languages(one['languages'])))})"
        for name, one in zip(names, parts, strict=True)
    ]
    if twice := [name for name, n in Counter(full).items() if n > 1]:
        raise of_split.refused("each subset once", f"{twice[0]!r} several times")
    return [*zip(full, parts, strict=True)]


def _main_score(one: Json, run: str, task: str) -> float | None:
    if "main_score" not in one.value_as(dict):
        raise one.refused("a main_score in each subset", "none")
    return one["main_score"].number(f" for run {run!r} in collection {task!r}")


def _languages(found: Json) -> list[str]:
    return [one.text() for one in found.parts()] if found.value else []


def _are_in(found: Json, language: str) -> bool:
    """Return whether all languages (``eng-Latn``) are the one that is asked for (``eng``)."""
    names = _languages(found)
    return bool(names) and all(one.split("-")[0] == language for one in names)


FORM = ResultForm("MTEB", _is_mteb_file, _read_mteb)
