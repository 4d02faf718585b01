"""The binary forms of tables, a module each, with its `FORM`.

All that depends on the form of a file asks here: reading whole and in batches, names of runs, the
command line, and Spark. A module that is put into this folder is found by itself.
"""

from importlib import import_module
from pathlib import Path

from lexiframe.core.io.files.form import TEXT_FORMS, Form, TextForm

_MODULES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
FORMS: list[Form] = [import_module(f"{__name__}.{name}").FORM for name in _MODULES]
_ALL: list[Form | TextForm] = [*FORMS, *TEXT_FORMS]
BY_ENDING = {ending: form for form in _ALL for ending in form.endings}


def form_of(start: bytes) -> Form | None:
    """Return the form of a file by its first bytes; None for text."""
    return next((form for form in FORMS if start.startswith(form.magic)), None)
