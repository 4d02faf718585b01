"""Results of BEIR: files of ``util.save_results``, as ``MODEL/DATASET.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lexiframe.core.io.result_forms.form import Result, ResultForm, begins_with, parsed

_BEGINNING = re.compile(rb'\s*\{\s*"ndcg"\s*:\s*\{\s*"NDCG@\d+"\s*:')


def _is_beir_file(path: Path) -> bool:
    """BEIR leaves the name of the file to its users, so that its first lines have to tell it."""
    return path.suffix == ".json" and begins_with(path, _BEGINNING)


def _read_beir(path: Path, languages: str | None) -> Iterator[Result]:
    """Read the means of measures, which lie in a group for each kind, such as ``ndcg``."""
    run = path.resolve().parent.name
    for _, values in parsed(path, "BEIR").fields():
        if not isinstance(values.value, dict):
            raise values.refused("values by measure")
        for measure, value in values.fields():
            yield Result(run, path.stem, None, measure, value.number(), "", ())


FORM = ResultForm("BEIR", _is_beir_file, _read_beir)
