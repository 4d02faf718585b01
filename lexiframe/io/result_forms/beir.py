"""Results of BEIR: what its ``util.save_results`` writes, as ``MODEL/DATASET.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lexiframe.io.result_forms.form import Result, ResultForm, parsed, refuse_other

_BEGINNING = re.compile(rb'\s*\{\s*"ndcg"\s*:\s*\{\s*"NDCG@\d+"\s*:')
_START = 200  # bytes in which the first name of a measure stands


def _is_named(path: Path) -> bool:
    """BEIR leaves the name of the file to its users, so that its first lines have to tell it."""
    if path.suffix != ".json":
        return False
    try:
        with path.open("rb") as file:
            return _BEGINNING.match(file.read(_START)) is not None
    except OSError:
        return False


def _read(path: Path, languages: str | None) -> Iterator[Result]:
    """Read the means of measures, which lie in a group for each kind, such as ``ndcg``."""
    groups = parsed(path, "BEIR")
    for group, values in groups.items():
        if not isinstance(values, dict):
            raise refuse_other(path, "BEIR", f"values by measure in {group!r}", repr(values)[:40])
        for measure, value in values.items():
            yield Result(path.resolve().parent.name, path.stem, None, measure, value, "", ())


FORM = ResultForm("BEIR", _is_named, _read)
