"""Guards of arguments: each looks at the type first, so that no other library has to refuse it."""

from __future__ import annotations

import inspect
import os
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar

import polars as pl

from lexiframe.core.base.errors import LexiframeError, WrongTypeError, shown

P = ParamSpec("P")
T = TypeVar("T")

_NAMES = {"query_id", "run", "run_a", "run_b", "a", "b", "baseline", "candidate"}
"""Arguments that name runs and requests, which may be whole numbers: tables hold names as text."""
_LARGEST = 2**62
"""From here on sums and products of whole numbers would leave int64."""
_NOT_A_LIST = (str, bytes, bytearray, Mapping)


def typed(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a public function against its annotations, before it looks at them.

    Numbers, texts, flags, names of choices, paths, and lists of these are checked; data and
    measures are not, because the readers say more about them. Iterators of numbers or names become
    lists. An evaluation becomes the table that its argument is annotated with (see
    `lexiframe.typing`); its baseline and groups of requests hold where a call names none.

    Examples
    --------
    >>> @typed
    ... def halves(x: float, times: int = 1) -> float:
    ...     return x / 2**times
    >>> halves(3)
    1.5
    >>> halves([3])
    Traceback (most recent call last):
    lexiframe.core.base.errors.WrongTypeError: halves: expected x to be a number, found a list: [3]
    """
    signature = inspect.signature(function)

    words = [re.findall(r"\w+", str(p.annotation)) for p in signature.parameters.values()
             if p.kind is not p.KEYWORD_ONLY]  # fmt: skip
    takes_data = bool(words) and _NO_DATA.isdisjoint(words[0])

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if takes_data:
            _refuse_forked(function.__name__)
        tables = _tables(function)
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:  # Python's own words name the function
            _refuse_other_names(function.__name__, signature.parameters, args, kwargs)
            if tables and args:
                _refuse_runs(function.__name__, args[0], next(iter(tables.values())))
            return function(*args, **kwargs)
        hints = _hints(function)
        for name, what in tables.items():
            _refuse_runs(function.__name__, given.arguments.get(name), what)
            _take_table(given, name, what)
        for name, value in given.arguments.items():
            if name in hints:
                given.arguments[name] = _checked_value(function.__name__, name, value, hints[name])
        __tracebackhide__ = True  # pytest then shows the caller's line, and not this one
        try:
            return function(*given.args, **given.kwargs)
        except LexiframeError as error:
            _note_options(error, function.__name__, signature)
            raise

    return checked


_NO_DATA = frozenset("MeasureLike Metric Sequence int float str".split())
"""Types of a first argument that is no data; a first argument of another type is data."""
_ELSEWHERE = dict.fromkeys(("metrics", "metric", "measures", "measure"), "")
_ELSEWHERE |= dict.fromkeys(("k", "cutoff", "cutoffs"), " with @k behind its name, as in nDCG@10")
"""Arguments of other libraries for measures, and how these are written here."""


def _refuse_other_names(
    function: str, known: Mapping[str, inspect.Parameter], args: Any, given: Mapping[str, Any]
) -> None:
    """Raise for arguments that other libraries have, for a lacking margin, and for named tables."""
    here = next((name for name in ("measures", "measure") if name in known), None)
    for name in given.keys() - known.keys():
        if here and name in _ELSEWHERE:
            advice = f"give the measure{_ELSEWHERE[name]}: {here}="
            raise WrongTypeError(f"{function}: found an unknown argument {name}; {advice}")
    lacking = [
        n for n in [*known][len(args) :] if n not in given and known[n].default is known[n].empty
    ]
    if lacking and known[lacking[0]].kind is inspect.Parameter.POSITIONAL_ONLY:
        raise WrongTypeError(
            f"{function}: expected the data first, without a name: {function}(data, ...)"
        )
    if "margin" in lacking:
        raise WrongTypeError(
            f"{function}: expected a margin, the difference that does not matter, found none; say "
            "margin=0.01, or margin={'nDCG@10': 0.01}"
        )


_OF_READERS = ("columns", "header", "decimal", "third", "duplicates", "na_values")
"""Options that the advice of readers names, and that few other functions have."""


def _note_options(error: LexiframeError, function: str, signature: inspect.Signature) -> None:
    """Add to an error where the options that its advice names have to be given."""
    named = [one for one in _OF_READERS if f"{one}=" in str(error)]
    lacking = [one for one in named if one not in signature.parameters]
    if lacking and not function.startswith("read") and not getattr(error, "__notes__", ()):
        error.add_note(
            f"{' and '.join(lacking)}: give this to read_runs or read_qrels, and what they return "
            f"to {function}"
        )


_PROCESS = {"worked": False, "forked": False}
"""Whether this process has worked on data, and whether its parent had when it was forked."""


def _note_fork() -> None:
    _PROCESS["forked"] = _PROCESS["worked"]


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_note_fork)


def _refuse_forked(function: str) -> None:
    """Raise where Polars would wait for threads that a fork does not copy."""
    if _PROCESS["forked"]:
        raise LexiframeError(
            f"{function}: this process was forked from one in which lexiframe had worked already, "
            "and would wait for ever for threads that a fork does not copy; start processes with "
            "multiprocessing.get_context('spawn') or 'forkserver'"
        )
    _PROCESS["worked"] = True


def _hints_of(function: Callable[..., Any], *, extras: bool = False) -> dict[str, Any]:
    """Return the types of a function's arguments; its result's type may be for checkers alone."""
    named = {n: hint for n, hint in inspect.get_annotations(function).items() if n != "return"}
    arguments = SimpleNamespace(__annotations__=named)
    known = inspect.unwrap(function).__globals__
    return typing.get_type_hints(arguments, known, include_extras=extras)


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of the arguments that are checked."""
    hints = _hints_of(function)
    kinds = {p.name: p.kind for p in inspect.signature(function).parameters.values()}
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {n: hint for n, hint in hints.items() if n in kinds and kinds[n] not in several}


@cache
def _tables(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments that take an evaluation too, and the name of the table to use of it."""
    hints = _hints_of(function, extras=True)
    found = {name: _drop_none(hint) for name, hint in hints.items()}
    return {n: h.__metadata__[-1] for n, h in found.items() if typing.get_origin(h) is Annotated}


def _drop_none(hint: Any) -> Any:
    """Return the one type of ``X | None``; any other type unchanged."""
    others = [one for one in _alternatives(hint) if one is not NoneType]
    return others[0] if len(others) == 1 else hint


def _take_table(given: inspect.BoundArguments, name: str, what: Any) -> None:
    """Replace evaluations by their tables, and missing options by the evaluations' own."""
    value = given.arguments.get(name)
    if isinstance(value, Mapping):
        tables = {key: _table_of(one, what)[0] for key, one in value.items()}
        given.arguments[name] = tables if any(map(_has_tables, value.values())) else value
        return
    given.arguments[name], options = _table_of(value, what)
    is_grouped = given.arguments.get("requests") is not None
    for option, said in options.items():
        declared = given.signature.parameters
        told = given.arguments.get(option)
        if isinstance(said, Mapping) and isinstance(told, Mapping):
            given.arguments[option] = {**said, **told}
        elif option in declared and told is None and not (is_grouped and option == "by"):
            given.arguments[option] = said


_DOCUMENTS = {"doc_id", "docno", "docid", "item_id"}
"""Columns that show runs where a table of scores or preferences is expected."""
_OF_MEASURES = ("scores", "preferences", "pairs", "replicated_pairs", "by_kind")


def _refuse_runs(function: str, value: Any, what: Any) -> None:
    """Raise for runs in the place of a table that is made of them and of judgments."""
    some = value.values() if isinstance(value, Mapping) else [value]
    is_path = isinstance(value, str | Path)
    if not is_path and not any(map(_are_runs, some)):
        return
    found = f"the path {shown(value)}" if is_path else "runs"
    expected, step = f"the table of {what}", ""
    if what == "positions":
        step = ", and positions(runs, qrels) this one"
    elif callable(what) or what in _OF_MEASURES:
        expected = "scores or preferences"
        step = "; or give scores(positions(runs, qrels), measures)"
    raise WrongTypeError(
        f"{function}: expected {expected}, found {found}; evaluate(runs, qrels, measures) makes "
        f"all tables in one call{step}"
    )


def _are_runs(value: Any) -> bool:
    if isinstance(value, pl.LazyFrame):  # its names need its computation
        return False
    names = getattr(value, "column_names", None) or getattr(value, "columns", ())
    listed: Any = names if isinstance(names, Iterable) and not callable(names) else ()
    known = {name for name in listed if isinstance(name, str)}
    return bool(known & _DOCUMENTS) and "score" in known and "position" not in known


def _has_tables(value: Any) -> bool:
    return callable(getattr(value, "table_for", None))


def _table_of(value: Any, what: Any) -> tuple[Any, dict[str, Any]]:
    return value.table_for(what) if _has_tables(value) else (value, {})


def _checked_value(function: str, name: str, value: Any, hint: Any) -> Any:
    is_number_as_name = isinstance(value, int) and not isinstance(value, bool)
    if name in _NAMES and is_number_as_name:
        return str(value)
    if not _is_known(hint):
        return value
    if any(_is_list(one) for one in _alternatives(hint)) and _may_be_list(value):
        value = list(value) if not isinstance(value, list | tuple) else value
    if not _fits(value, hint):
        raise WrongTypeError(
            f"{function}: expected {name} to be {_type_words(hint)}, found {_value_words(value)}"
        )
    is_whole = isinstance(value, Integral) and float not in _alternatives(hint)
    if is_whole and abs(int(value)) >= _LARGEST:
        raise WrongTypeError(f"{function}: expected {name} below 2^62, found {shown(value)}")
    is_other = not isinstance(value, Integral | float) and isinstance(value, Real)
    return float(value) if is_other else value


def _alternatives(hint: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(hint) in (typing.Union, UnionType)
    return typing.get_args(hint) if is_union else (hint,)


def _is_known(hint: Any) -> bool:
    """Return whether values of a hint can be told from all other values.

    A class of the library beside other types is a class of measures, which the parser checks.
    """
    several = [one for one in _alternatives(hint) if one is not NoneType]
    is_measure = len(several) > 1 and any(_is_class(one) for one in several)
    return not is_measure and all(_is_plain(one) or _is_list(one) for one in several)


_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "text",
    Path: "a path",
    NoneType: "None",
}


def _is_plain(hint: Any) -> bool:
    origin = typing.get_origin(hint)
    return hint in _WORDS or origin in (typing.Literal, Mapping, Callable) or _is_class(hint)


def _is_class(hint: Any) -> bool:
    """Return whether a hint is a class of the library, and no protocol."""
    of_ours = getattr(hint, "__module__", "").partition(".")[0] == "lexiframe"
    return isinstance(hint, type) and of_ours and not getattr(hint, "_is_protocol", False)


def _is_list(hint: Any) -> bool:
    """Return whether a hint is a list of types that `_is_known` knows."""
    origin = typing.get_origin(hint)
    is_list = isinstance(origin, type) and origin is not Mapping and issubclass(origin, Iterable)
    parts = [one for one in typing.get_args(hint) if one is not ...]
    return is_list and bool(parts) and all(_is_known(one) for one in parts)


def _may_be_list(value: Any) -> bool:
    """Return whether a value is iterable, and neither a text, a frame nor an array of rows."""
    if isinstance(value, _NOT_A_LIST) or not isinstance(value, Iterable):
        return False
    return not hasattr(value, "columns") and getattr(value, "ndim", 1) == 1


def _fits(value: Any, hint: Any) -> bool:
    return any(_fits_one(value, one) for one in _alternatives(hint))


def _fits_one(value: Any, hint: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return isinstance(value, str)
    if origin is Mapping:  # of what else a user may write its reader says more
        is_of_numbers = typing.get_args(hint)[-1] in (int, float)
        return isinstance(value, Mapping) or (
            not is_of_numbers and isinstance(value, str | int | list | tuple | set)
        )
    if origin is Callable:
        return callable(value)
    if origin is tuple:
        parts = typing.get_args(hint)
        of_length = isinstance(value, list | tuple) and len(value) == len(parts)
        return of_length and all(map(_fits, value, parts))
    if origin is not None:
        part = typing.get_args(hint)[0]
        return isinstance(value, list | tuple) and all(_fits(one, part) for one in value)
    return _is_a(value, hint)


def _is_a(value: Any, kind: Any) -> bool:
    is_flag = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not is_flag
    if kind is bool:
        return is_flag
    if kind is Path:
        return isinstance(value, str | Path)
    return isinstance(value, kind)


def _type_words(hint: Any) -> str:
    words = [_list_words(one) for one in _alternatives(hint)]
    return " or ".join(dict.fromkeys(words))


def _list_words(hint: Any) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return "one of " + ", ".join(map(repr, typing.get_args(hint)))
    if origin is Mapping:
        return "a dictionary {name: value}"
    if origin is Callable:
        return "a function"
    if origin is tuple:
        return f"a pair of which each is {_type_words(typing.get_args(hint)[0])}"
    if origin is not None:
        return f"a list of which each is {_type_words(typing.get_args(hint)[0])}"
    return f"{hint.__name__}"


def _value_words(value: Any) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    is_short = isinstance(value, str | bytes | int | float | complex | list | tuple | dict | set)
    return f"{article} {kind}: {shown(value)}" if is_short else f"{article} {kind}"
