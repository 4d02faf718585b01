"""Options whose type, default and help are those of a parameter of a function."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, getdoc, signature
from operator import getitem
from pkgutil import resolve_name
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from lexiframe.core.cli.options import OPTIONS, option


@dataclass(frozen=True)
class Passed:
    """Parameters of a function as options of a command, which gets those that were given.

    Attributes
    ----------
    function
        The function, whose signature has their types and defaults.
    names
        The names of the parameters, with blanks between; ``group=COLUMN`` also says what help
        calls the value.
    panel
        The panel of help that shows them, each with the first sentence of its docstring. Without a
        panel `OPTIONS` says what help shows.
    rare
        More names: only ``--help-all`` shows these.
    """

    function: Any
    names: str
    panel: str = ""
    rare: str = ""

    def options(self) -> Iterator[Parameter]:
        """Yield the parameters as Typer wants them."""
        types, declared = get_type_hints(self.function), signature(self.function).parameters
        for name, metavar, is_rare in self._named():
            kind, default = _kind_of_option(types[name]), declared[name].default
            default = None if get_origin(kind) is list else default
            info = self._shown(name, kind, metavar, rare=is_rare) if self.panel else OPTIONS[name]
            known = Annotated, (kind if default is not None else kind | None, copy(info))
            typed = declared[name].replace(default=default, annotation=getitem(*known))
            yield typed.replace(kind=Parameter.KEYWORD_ONLY)

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the function; one that was not given keeps its default."""
        return {name: values[name] for name, *_ in self._named() if values[name] is not None}

    def _named(self) -> Iterator[tuple[str, str, bool]]:
        for names, is_rare in ((self.names, False), (self.rare, True)):
            for name, _, metavar in (text.partition("=") for text in names.split()):
                yield name, metavar, is_rare

    def _shown(self, name: str, kind: Any, metavar: str, *, rare: bool) -> Any:
        said = f"As for `{self.function.__module__}.{self.function.__name__}`."
        if get_origin(kind) is Literal:
            said, metavar = f"{said} ({', '.join(get_args(kind))})", metavar or "HOW"
        flags = [f"--{name.replace('_', '-')}"] if kind is bool else []
        return option(self.panel, said, *flags, metavar=metavar or None, rare=rare)


def _kind_of_option(kind: Any) -> Any:
    """Return a type of the command line: text, a number, a choice, or a list of one of these.

    Examples
    --------
    >>> from collections.abc import Mapping, Sequence
    >>> _kind_of_option(float | None), _kind_of_option(str | Mapping[str, str])
    (<class 'float'>, <class 'str'>)
    >>> _kind_of_option(str | Sequence[str])
    list[str]
    """
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    several = [get_args(k)[0] for k in kinds if _is_collection(k)]
    if several:
        return list[several[0]]  # type: ignore[valid-type]
    return next(k for k in kinds if k in (str, int, float, bool) or get_origin(k) is Literal)


def _is_collection(kind: Any) -> bool:
    of = get_origin(kind)
    return isinstance(of, type) and issubclass(of, Collection) and len(get_args(kind)) == 1


_REFERENCE = re.compile(r"As for `([\w.]+)`\.?( \(.*\))?")
_SECTION = re.compile(r"\nParameters\n-+\n(.*?)(?=\n\n\S|\Z)", re.S)
_ENTRY = re.compile(r"^(\w[\w, ]*?\w|\w)(?: :[^\n]*)?\n((?: {4}[^\n]*\n?|\n)*)", re.M)
_END = re.compile(r"(?<!\.)\.(?:\s+|\Z)")
_OF_PYTHON = re.compile(r",? or ``\{.*?\}``|,? as for `.*?`|``| \(see the notes\)")


def first_sentence(name: str, help: str) -> str:
    """Return the help of an option; "As for `x`" stands for what the docstring of x says of it.

    Examples
    --------
    >>> first_sentence("alpha", "As for `evaluate`.")
    'Significance level of the tests; the confidence intervals have level 1 − alpha.'
    """
    choices = ""
    while found := _REFERENCE.match(help):
        called = found[1] if "." in found[1] else f"lexiframe.{found[1]}"
        help, choices = _documented(called).get(name, ""), choices or found[2] or ""
        is_said = {*re.findall(r"\w+", choices)} <= {*re.findall(r"\w+", _END.split(help)[0])}
        help = f"{_END.split(help)[0]}{'' if is_said else choices}."
    return _OF_PYTHON.sub("", help)


@cache
def _documented(function: str) -> dict[str, str]:
    """Return what the docstring of a function says of each parameter, by its name."""
    section = _SECTION.search(getdoc(resolve_name(function)) or "")
    entries = _ENTRY.findall(f"{section[1]}\n") if section else []
    return {name: " ".join(said.split()) for names, said in entries for name in names.split(", ")}
