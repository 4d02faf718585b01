"""The kind of frame that a user works with: found where tables come in, chosen where tables leave.

Inside, every table is a Polars frame.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any, get_args

import polars as pl
import pyarrow as pa

from lexiframe.core.base.errors import check_choice
from lexiframe.typing import FrameKind

ARROW_BACKED = "pandas[pyarrow]"
"""Frames of pandas whose columns are Arrow's: these leave where they came in."""
_PLAIN = (str, int, float, bool)
"""Types of values that are no frames, of which lists may have millions."""
_SEVERAL = (dict, list, tuple)
_SESSION: list[str | None] = [None]


@dataclass(frozen=True)
class _Chosen:
    """The kind that was chosen for a session; as a context manager it ends with the block."""

    kind: str | None
    before: str | None

    def __enter__(self) -> _Chosen:
        _SESSION[0] = self.kind  # again, where a choice is kept and begins several blocks
        return self

    def __exit__(self, *raised: object) -> None:
        _SESSION[0] = self.before


def frames(kind: FrameKind | None) -> _Chosen:
    """Choose the kind of frame that all functions return from now on, or in a ``with`` block.

    Without it, a function returns the kind that its first argument has: pandas (with the dtypes of
    NumPy or of Arrow, as that frame has them), PyArrow or Polars. Paths, and frames of all other
    libraries, give Polars. Runs of several frames give pandas if one of them is of pandas. An
    `Evaluation`, and each other result with tables, keeps the kind that it was made with.

    Parameters
    ----------
    kind : {"polars", "pandas", "pyarrow"} or None
        The kind; None goes back to the kind of the first argument. The environment variable
        ``LEXIFRAME_FRAMES`` chooses it from outside. The argument ``frames`` of `evaluate`, and of
        the other functions whose result has tables, goes before both.

    Returns
    -------
    context manager
        At its end, the choice from before holds again. A choice holds for all threads.

    Raises
    ------
    LexiframeError
        For another kind.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> with lf.frames("pyarrow"):
    ...     e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> e.means.column("run").to_pylist()
    ['pixels_euclidean', 'pca8_euclidean', 'random']
    """
    if kind is not None:
        check_choice("frames", kind, get_args(FrameKind), "kind")
    before, _SESSION[0] = _SESSION[0], kind
    return _Chosen(kind, before)


def chosen_kind(data: Any, asked: Any) -> str:
    """Return the kind in which tables leave; raise for an unknown one in the environment."""
    of_data = kind_of(data)
    chosen = asked or _SESSION[0]
    if chosen is None and (chosen := os.environ.get("LEXIFRAME_FRAMES") or None):
        check_choice("LEXIFRAME_FRAMES", chosen, get_args(FrameKind))
    is_as_given = chosen is None or (chosen == "pandas" and of_data == ARROW_BACKED)
    return of_data or "polars" if is_as_given else str(chosen)


def kind_of(data: Any) -> str | None:
    """Return the kind of a frame; among several a frame of pandas decides, and else the first.

    Frames of other libraries count as Polars; None stands for no frame.
    """
    if type(data) in _PLAIN:
        return None
    if type(data) not in _SEVERAL and (kind := _kind_of_one(data)) is not None:
        return kind
    found = [kind for part in _parts(data) if (kind := kind_of(part)) is not None]
    return next((one for one in found if one.startswith("pandas")), found[0] if found else None)


def _kind_of_one(data: Any) -> str | None:
    if hasattr(type(data), "frame_kind"):  # it has left before
        return str(data.frame_kind)
    if isinstance(data, pa.Table):
        return "pyarrow"
    if is_pandas(data):
        of_arrow = (type(dtype).__name__ == "ArrowDtype" for dtype in data.dtypes)
        return ARROW_BACKED if any(of_arrow) else "pandas"
    is_frame = hasattr(data, "__arrow_c_stream__") or isinstance(data, pl.LazyFrame)
    return "polars" if is_frame else None


def _parts(data: Any) -> Any:
    """Return the elements that may be frames: none of {document: score} and of lists of numbers."""
    if type(data) not in _SEVERAL and not isinstance(data, Mapping):
        sources = getattr(data, "sources", None)  # of `scan_runs`
        return [one.origin for one in sources] if isinstance(sources, tuple) else ()
    listed = data.values() if isinstance(data, Mapping) else data
    return () if isinstance(next(iter(listed), None), Number) else listed


def is_pandas(data: Any) -> bool:
    """Return whether data are a frame of pandas, which is not imported for that."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, "DataFrame", ()))


def entered(value: Any) -> Any:
    """Return an argument as functions inside take it: results and tables that left come back."""
    if type(value) in _PLAIN:
        return value
    if hasattr(type(value), "frame_kind"):
        return value.inside
    if type(value) not in _SEVERAL:
        return value
    parts = [*_parts(value)]
    back = [*map(entered, parts)]
    if all(one is two for one, two in zip(back, parts, strict=True)):
        return value
    return dict(zip(value, back, strict=True)) if type(value) is dict else type(value)(back)
