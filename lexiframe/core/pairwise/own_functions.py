"""Marks of the definitions of a user's own measures, which may change under one name.

They are the same in every process that runs the same Python.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial, singledispatchmethod
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from lexiframe.core.pairwise.fingerprints import is_built_in
from lexiframe.core.pairwise.preference import Measure

_INSTALLED = {"site-packages", "dist-packages"}


def marks_of_own(measures: Iterable[Measure]) -> dict[str, str | None]:
    """Return a mark of the definition of each measure that is not built in, by its name.

    A mark has the code of functions with their defaults and the variables that they refer to,
    called functions among them. Functions of installed packages count by their names. None stands
    for a function that refers to an object that cannot be compared, such as a lock.
    """
    return {str(measure): _mark_of(measure) for measure in measures if not is_built_in(measure)}


def _mark_of(measure: Measure) -> str | None:
    try:
        text = _Definition().describe(measure)
    except (TypeError, AttributeError, ValueError, RecursionError, pickle.PicklingError):
        return None
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


_OF_CODE = "co_code co_names co_varnames co_freevars co_consts co_exceptiontable".split()
_PARTS: tuple[tuple[Any, Callable[[Any], Iterable[Any]]], ...] = (
    ((list, tuple), iter),
    ((set, frozenset), lambda v: sorted(v, key=repr)),  # their order depends on the process
    (Mapping, lambda v: [*v.keys(), *v.values()]),
    (partial, lambda v: [v.func, v.args, v.keywords]),
    (MethodType, lambda v: [v.__func__, v.__self__]),
    ((staticmethod, classmethod), lambda v: [v.__func__]),
    (property, lambda v: [v.fget]),
    (CodeType, lambda v: [getattr(v, name, b"") for name in _OF_CODE]),
)
"""What objects are defined by, by their types."""


@dataclass
class _Definition:
    """The text of an object's definition, in which each object is described once."""

    seen: dict[int, int] = field(default_factory=dict)
    alive: list[Any] = field(default_factory=list)
    """What was seen, so that no other object gets its id."""

    def describe(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return repr(value)
        if id(value) in self.seen:
            return f"<{self.seen[id(value)]}>"
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        return f"{type(value).__name__}({self._inside(value)})"

    def _all(self, values: Iterable[Any]) -> str:
        return ",".join(map(self.describe, values))

    @singledispatchmethod
    def _inside(self, value: Any) -> str:
        for kind, parts in _PARTS:
            if isinstance(value, kind):
                return self._all(parts(value))
        if is_dataclass(value) and not isinstance(value, type):
            names = [one.name for one in fields(value)]
            return self._all([type(value), *(getattr(value, name) for name in names)])
        if callable(value) and hasattr(value, "__name__"):  # written in C: a ufunc, say
            return f"{getattr(value, '__module__', '')}.{value.__name__}"
        return repr(pickle.dumps(value, protocol=5))

    @_inside.register
    def _(self, value: np.ndarray) -> str:
        return f"{value.dtype}{value.shape}{sha256(value.tobytes()).hexdigest()}"

    @_inside.register
    def _(self, value: ModuleType) -> str:
        return value.__name__

    @_inside.register
    def _(self, value: type) -> str:
        name = f"{value.__module__}.{value.__qualname__}"
        if _is_installed(value.__module__):
            return name
        own = [v for n, v in vars(value).items() if isinstance(v, FunctionType) or n[:2] != "__"]
        return f"{name},{self._all([*value.__bases__, *own])}"

    @_inside.register
    def _(self, value: FunctionType) -> str:
        name = f"{value.__module__}.{value.__qualname__}"
        if value.__module__ and value.__module__.partition(".")[0] == "lexiframe":
            return name  # its version is compared
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inner = [value.__code__, value.__defaults__, value.__kwdefaults__, *cells]
        names = _code_names(value.__code__)
        return f"{self._all(inner)},{self._globals(value.__globals__, names)}"

    def _globals(self, there: Mapping[str, Any], names: list[str]) -> str:
        """Describe the variables that a function uses from outside, in users' modules, too."""
        found = []
        for name in names:
            value = there.get(name)
            module = value.__name__ if isinstance(value, ModuleType) else None
            if module is not None and not _is_installed(module):
                found.append(self._globals(vars(value), [n for n in names if n != name]))
            elif name in there:
                is_named = _is_installed(getattr(value, "__module__", None))
                found.append(
                    _qualified_name(value) if is_named and callable(value) else self.describe(value)
                )
        return ",".join(found)


def _qualified_name(value: Callable[..., Any]) -> str:
    return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__name__)}"


def _code_names(code: CodeType) -> list[str]:
    """Return the global names and attributes in a function, and in functions inside of it."""
    inner = [one for const in code.co_consts if isinstance(const, CodeType)
             for one in _code_names(const)]  # fmt: skip
    return list(dict.fromkeys([*code.co_names, *inner]))


def _is_installed(module: str | None) -> bool:
    """Return whether a module is Python's own, lexiframe's, or of an installed package."""
    top = str(module).partition(".")[0]
    if top in sys.stdlib_module_names or top == "lexiframe":
        return True
    file = getattr(sys.modules.get(str(module)), "__file__", None)
    return file is not None and not _INSTALLED.isdisjoint(Path(file).parts)
