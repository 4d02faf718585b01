"""The reference: the groups of ``help(lexiframe)``, and a page for each function and class."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gallery import PICTURES, picture_of_chart, pictures_with
from listed import forms_of, parts_of
from measure_pages import heading, is_measure, link_of, summary

import lexiframe as lf
from lexiframe import spark, testing, theory, views
from lexiframe.core.base.face import LESS, completed, user_names
from lexiframe.views import charts, display

FLOW = """\
The names that one needs first, in the order of the flow, grouped as ``help(lexiframe)`` groups
them; completion (``dir(lf)``) offers the same. All names are used as ``lf.NAME`` after
``import lexiframe as lf``.
"""
FEWER = """\
What fewer need is reached in the same way, ``lf.NAME``. Charts are in ``lf.views.charts``, display
tables in ``lf.views.display``, Spark is in ``lf.spark``, and the rest in the room that it belongs
to, such as ``lf.significance``.
"""
VERSION = "The version of the library."


def reference_pages() -> dict[str, str]:
    """Return the text of each page of the reference by its name."""
    groups = list(_groups())
    titles = {title for title, _, _ in completed(lf._GROUPS)}
    first = [group for group in groups if group.title in titles]
    others = [group for group in groups if group.title not in titles]
    trees = [_tree(first, 2), f"{FEWER}\n", _tree(others, 1)]
    pages = {"index.rst": f"{heading('Reference')}{FLOW}\n{''.join(trees)}"}
    for group in groups:
        own = {name: _slug(group, name) for name in group.names if not is_measure(group.get(name))}
        pages[f"{group.page}.rst"] = _overview(group, list(own.values()))
        pages |= {f"{page}.rst": _page(group, name) for name, page in own.items()}
    return pages


def _tree(groups: Iterable["Group"], depth: int) -> str:
    """List groups, and with a depth of 2 their names."""
    pages = "\n".join(f"   {group.page}" for group in groups)
    return f".. toctree::\n   :maxdepth: {depth}\n\n{pages}\n\n"


@dataclass
class Group:
    """Some public names of a module."""

    title: str
    text: str
    module: Any
    names: Sequence[str]

    @property
    def place(self) -> str:
        """The name under which users reach the module."""
        return place_of(self.module)

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"group-{re.sub('[^a-z]+', '-', self.title.lower()).strip('-')}"

    def get(self, name: str) -> Any:
        """Return what has a name."""
        return getattr(self.module, name)


def _groups() -> Iterator[Group]:
    """Take the groups from the package, and each module of functions for a group of its own."""
    for title, text, places in lf._GROUPS:
        if title == LESS:
            continue
        if "theory" not in places:
            yield Group(title, f"{text[0].upper()}{text[1:]}.", lf, list(places))
            continue
        for name, module in MODULES.items():
            yield Group(name, inspect.getdoc(module) or "", module, names_of(module))
        for room in rooms_for_users():
            yield Group(place_of(room), inspect.getdoc(room) or "", room, user_names(room))


def rooms_for_users() -> list[Any]:
    """Return the rooms whose stub has a group of names for users."""
    places = next(places for _, _, places in lf._GROUPS if "theory" in places)
    return [getattr(lf, name) for name in places if name not in ("spark", "theory", "views")]


def names_of(module: Any) -> list[str]:
    """Return the public names of a module, without those of modules."""
    return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]


_REACHED = {"lexiframe.spark": spark, "lexiframe.testing": testing} | {
    "lexiframe.views.charts": charts,
    "lexiframe.views.display": display,
}
"""Modules of a room that users reach under another name."""
sys.modules.update(_REACHED)  # autodoc imports what it documents


def place_of(module: Any) -> str:
    """Return the name under which users reach a module."""
    return next((name for name, one in _REACHED.items() if one is module), module.__name__)


MODULES = {"Theory": theory, "Charts": charts, "Display tables": display, "Spark": spark}
MODULES |= {"Styles and formats": views}
"""Modules of functions, by the titles of their groups."""


def _slug(group: Group, name: str) -> str:
    within = group.module.__name__.rpartition(".")[2]
    return name.strip("_") if group.module is lf else f"{within}-{name}"


def _overview(group: Group, pages: Iterable[str]) -> str:
    rows = "\n".join(f"   * - `{name}`\n     - {_first_line(group, name)}" for name in group.names)
    is_module = group.module is not lf
    module = ".. py:module:: " if is_module else ".. currentmodule:: "
    return (
        f"{heading(group.title)}{module}{group.place}\n\n{group.text}\n\n"
        f".. list-table::\n   :widths: 30 70\n\n{rows}\n\n"
        ".. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages)
    )


def _first_line(group: Group, name: str) -> str:
    thing = group.get(name)
    if is_measure(thing):
        return summary(thing)
    return VERSION if isinstance(thing, str) else (inspect.getdoc(thing) or "").split("\n")[0]


def _page(group: Group, name: str) -> str:
    """Return the page of one name; autodoc takes its text from the docstring."""
    thing = group.get(name)
    title = name if group.module is lf else _slug(group, name).replace("-", ".", 1)
    top = f"{heading(title)}.. currentmodule:: {group.place}\n\n"
    if isinstance(thing, str):
        return f"{top}.. py:data:: {name}\n   :type: str\n\n   {VERSION}\n"
    if isinstance(thing, type):
        members = "" if issubclass(thing, Exception) else "   :members:\n"
        shown = pictures_with(name)
        return f"{top}{shown}.. autoclass:: {name}\n{members}\n{_measures_of(thing)}"
    parts = parts_of(f"{group.place}.{name}")
    papers = f"\nIn :doc:`the papers </papers>`: {parts}.\n" if parts else ""
    forms = forms_of(name)
    read = f"\n{heading('What it reads', '-')}{forms}\n" if forms else ""
    called = f"{group.place}.{name}".removeprefix("lexiframe.")
    shown = picture_of_chart(name) if name in PICTURES else pictures_with(called)
    return f"{top}{shown}.. autofunction:: {name}{_made_signature(thing)}\n{papers}{read}"


def _made_signature(function: Callable[..., Any]) -> str:
    """Return the signature of a function that takes the options of another, else nothing.

    Sphinx looks for the defaults in the function's own source, where these options are not.
    """
    if "__signature__" not in vars(function):
        return ""
    parameters = inspect.signature(function).parameters.values()
    return str(inspect.Signature([p.replace(annotation=p.empty) for p in parameters]))


def _measures_of(kind: type) -> str:
    """Say which measures of the library are of a class."""
    public = (getattr(lf, name) for name in sorted(lf.__all__, key=str.casefold))
    links = ", ".join(link_of(it) for it in public if type(it) is kind and is_measure(it))
    return f"The measures of this kind: {links}.\n" if links else ""
