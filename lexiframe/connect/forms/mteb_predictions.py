"""MTEB's files of a retriever's results: the model, and the results by subset and split.

Its files ``TASK_predictions.json`` hold ``{"mteb_model_meta": {...}, subset: {split: {query:
{document: score}}}}``, with as many subsets and splits as were evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lexiframe.core.base import Problem, SchemaError, n_and_first
from lexiframe.core.io.column_forms.column_names import CHANGED_PLACES
from lexiframe.core.io.columns import MODEL_OF_MTEB

_BEGINNING = re.compile(rb'\s*\{\s*"' + MODEL_OF_MTEB.encode() + rb'"\s*:')
_BETWEEN = re.compile(r"[\s,{]*")
_COLON = re.compile(r"\s*:\s*")
_DECODER = json.JSONDecoder()


def only_split(saved: Mapping[str, Any], where: str, *, is_run: bool) -> Mapping[str, Any]:
    """Return the results of the only split of the only subset; raise if there are several."""
    subset, split = _only(saved, where, is_run=is_run)
    results: Mapping[str, Any] = saved[subset][split]
    return results


def text_of_one_split(data: bytes, where: str, *, is_run: bool) -> bytes:
    """Return the results in a file of MTEB as text, see `only_split`; other text unchanged."""
    if not _BEGINNING.match(data, 0, 1000):
        return data
    try:
        text = data.decode()
        saved = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return data  # the reader of JSON says where it is broken
    members = _member_texts(text, where)
    subset, split = _only(saved, where, is_run=is_run)
    return _member_texts(members[subset], where)[split].encode()


def _only(saved: Any, where: str, *, is_run: bool) -> tuple[str, str]:
    """Return the subset and the split, if there is one of each, and it has rankings."""
    if not is_run:
        found = "the predictions of a model, as MTEB saves them"
        raise SchemaError(Problem(where, "judgments", found, CHANGED_PLACES, is_first=True))
    parts = {key: value for key, value in saved.items() if key != MODEL_OF_MTEB}
    splits = [
        (subset, split, results)
        for subset, of_subset in parts.items()
        for split, results in (of_subset.items() if isinstance(of_subset, Mapping) else ())
    ]
    if len(splits) != 1:
        found = n_and_first([f"{subset} {split}" for subset, split, _ in splits])
        first = "".join(f"[{name!r}]" for name in splits[0][:2]) if splits else "[subset][split]"
        advice = (
            f"give one of them: read_runs({{'name': json.load(open(path)){first}}}), or write it "
            "to a file of its own"
            if splits
            else "evaluate the model again with prediction_folder"
        )
        expected = "MTEB's predictions of one subset and split"
        raise SchemaError(Problem(where, expected, found, advice, is_first=True))
    ((subset, split, results),) = splits
    if not isinstance(results, Mapping):
        expected = "MTEB's predictions of a task of retrieval, {query: {document: score}}"
        raise SchemaError(Problem(where, expected, type(results).__name__, is_first=True))
    return subset, split


def _member_texts(text: str, where: str) -> dict[str, str]:
    """Return the text of each value of an object that is valid JSON; raise for a repeated name."""
    found: dict[str, str] = {}
    at = _end(_BETWEEN, text, 0)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        if name in found:  # Python keeps only the last of them
            raise SchemaError(
                Problem(
                    where, "", f"two fields are named {name!r}", "rename or remove one",
                    is_first=True,
                )
            )  # fmt: skip
        begin = _end(_COLON, text, at)
        _, at = _DECODER.raw_decode(text, begin)
        found[name] = text[begin:at]
        at = _end(_BETWEEN, text, at)
    return found


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
