"""Tables and results on their way to the user, who works with pandas, PyArrow or Polars.

`outward` wraps the functions that users reach. Nothing else turns tables into frames of pandas or
PyArrow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, ValuesView
from functools import wraps
from types import GeneratorType
from typing import Any, ParamSpec, TypeVar, get_args

import polars as pl
import pyarrow as pa

from lexiframe.core.base.errors import LexiframeError, check_choice
from lexiframe.core.base.frames import ARROW_BACKED, chosen_kind, entered
from lexiframe.core.base.schemas import to_arrow
from lexiframe.typing import FrameKind

P = ParamSpec("P")
T = TypeVar("T")
_ONCE = (GeneratorType, map, filter, ValuesView)
"""Ways to give several frames that become a list."""


def outward(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a public function: its tables leave as frames of the kind that the user works with.

    Examples
    --------
    >>> from lexiframe.core.base.frames import frames
    >>> with frames("pyarrow"):
    ...     doubled = outward(lambda table: table * 2)(pl.DataFrame({"a": [1]}))
    >>> doubled["a"].to_pylist()
    [2]
    """
    first = next(iter(inspect.signature(function).parameters), "")

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True  # pytest then shows the caller's line, and not this one
        if args and isinstance(args[0], _ONCE):  # looking for frames would use up a generator
            args = ([*args[0]], *args[1:])  # type: ignore[assignment]
        data, asked = args[0] if args else kwargs.get(first), kwargs.get("frames")
        if asked is not None:
            check_choice(function.__name__, asked, get_args(FrameKind), "frames")
        kind = chosen_kind(data, asked)
        result = function(*map(entered, args), **{n: entered(v) for n, v in kwargs.items()})
        return handed(result, kind)  # type: ignore[no-any-return]

    return called


def handed(value: Any, kind: str) -> Any:
    """Return tables as frames of a kind, objects with tables as `Handed`, the rest unchanged."""
    if isinstance(value, pa.Table):
        from lexiframe.core.base.arrow_rows import ArrowRows

        return ArrowRows(value, kind)
    if type(value) is tuple:
        return tuple(handed(one, kind) for one in value)
    if kind == "polars":
        return value
    if isinstance(value, pl.DataFrame):
        return _frame(value, kind)
    if isinstance(value, pl.Series):
        return _frame(value.to_frame(), kind)[value.name]
    if isinstance(value, Mapping) and any(_is_to_leave(one) for one in value.values()):
        return {name: handed(one, kind) for name, one in value.items()}
    return Handed(value, kind) if _is_to_leave(value) else value


def _is_to_leave(value: Any) -> bool:
    """Return whether a value is a table, or a result that has tables."""
    is_ours = type(value).__module__.partition(".")[0] == "lexiframe"  # some say no more than that
    return isinstance(value, pl.DataFrame | pa.Table) or (is_ours and hasattr(value, "tables"))


def _frame(table: pl.DataFrame, kind: str) -> Any:
    if kind == "pyarrow":
        return to_arrow(table)
    try:
        from lexiframe.core.base.pandas_frames import to_pandas
    except ModuleNotFoundError:  # frames="pandas" for files
        raise LexiframeError(
            "frames: pandas is not installed; it comes with the extra interop: "
            "pip install 'lexiframe[interop]'"
        ) from None
    return to_pandas(table, arrow_backed=kind == ARROW_BACKED)


class Handed:
    """A result whose tables are frames of pandas or PyArrow; in all else it is that result.

    Functions that are given it work with the result inside. A table is turned when it is first
    asked for, and kept. Names that begin with an underscore are the library's own.
    """

    __slots__ = ("__weakref__", "_found", "_kind", "_result")

    def __init__(self, result: Any, kind: str) -> None:
        self._result, self._kind = result, kind
        self._found: dict[str, Any] = {}

    @property
    def frame_kind(self) -> str:
        """The kind of the frames."""
        return self._kind

    @property
    def inside(self) -> Any:
        """The result that functions of the library work with."""
        return self._result

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # isinstance(e, lf.Evaluation) holds
        return type(self._result)

    def __getattr__(self, name: str) -> Any:
        if name in self._found:
            return self._found[name]
        value = getattr(self._result, name)
        if name.startswith("_"):
            return value
        if callable(value):
            return _method(value, self._kind)
        self._found[name] = left = handed(value, self._kind)
        return left

    def __dir__(self) -> list[str]:
        return dir(self._result)

    def __repr__(self) -> str:
        return repr(self._result)

    def __str__(self) -> str:
        return str(self._result)

    def __eq__(self, other: object) -> bool:
        return bool(self._result == entered(other))

    def __hash__(self) -> int:
        return hash(self._result)

    def __reduce__(self) -> tuple[Any, ...]:
        return Handed, (self._result, self._kind)


def _method(bound: Any, kind: str) -> Any:
    @wraps(bound)
    def called(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        told = {name: entered(value) for name, value in kwargs.items()}
        return handed(bound(*map(entered, args), **told), kind)

    return called
