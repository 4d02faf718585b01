"""The forms in which tools write a leaderboard's results, a module each, with its `FORM`."""

from importlib import import_module
from pathlib import Path

from lexiframe.core.io.result_forms.form import ResultForm

_OTHERS = ("form", "found", "parts")
_MODULES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
FORMS: list[ResultForm] = [
    import_module(f"{__name__}.{name}").FORM for name in _MODULES if name not in _OTHERS
]


def form_of_result(path: Path) -> ResultForm | None:
    """Return the form of a file of results by its name; None for all other files."""
    return next((form for form in FORMS if form.is_named(path)), None)
