"""Several test collections in one call: taken apart by their names, and put together again.

Requests of the same id in two collections are different requests, so each collection goes through
the same functions by itself, and its rows get the column ``collection``.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, errors, progress, to_polars, unknown_name, warn
from lexiframe.core.base.feature import Collections
from lexiframe.core.io import data_sources
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.several import COLLECTION, are_pairs, has_column

P = ParamSpec("P")
T = TypeVar("T")
OF_EACH = ("rel", "depth", "no_relevant")
"""Options that a dictionary gives for some collections; each other one has the default."""

_WEIGHED = ("weights", "shares")
"""Options that a dictionary gives for all collections."""


class Given(dict[str, tuple[Any, Any]]):
    """The runs and judgments of each collection, and its policies where a table has some."""

    policies: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


def policies_of_each(
    collections: Mapping[str, Any], said: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the policies of each collection; raise for a collection that is not there.

    A value for a collection by its name goes before the table's, and that before one for all.
    """
    by_name = {o: {str(n): one for n, one in of.items()} for o, of in said.items()
               if isinstance(of, Mapping)}  # fmt: skip
    for option, values in by_name.items():
        refuse_unknown(option, values, collections)
    of_all = {option: value for option, value in said.items() if option not in by_name}
    of_table = getattr(collections, "policies", {})
    found = {}
    for name in collections:
        own = {option: values[name] for option, values in by_name.items() if name in values}
        own = {**of_table.get(name, {}), **own}
        with told_of(name):
            Policies(**own)  # raises before anything is read
        found[name] = {**of_all, **own}
    return found


def weights_of_each(
    collections: Iterable[str], said: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the weights and shares that were said for each collection by its name.

    Weights of requests, and shares of strata, that are not by collection hold for all.
    """
    found: dict[str, dict[str, Any]] = {name: dict(said) for name in collections}
    for option, value in said.items():
        if isinstance(value, Mapping) and all(isinstance(of, Mapping) for of in value.values()):
            own = {str(name): of for name, of in value.items()}
            refuse_unknown(option, own, found)
            if lacking := [name for name in found if name not in own]:
                raise LexiframeError(
                    f"{option}: expected them for each collection, found none for "
                    f"{', '.join(lacking)}"
                )
            for name, of in own.items():
                found[name][option] = of
    return found


def policies_together(told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the policies of provenances, by collection where these differ."""
    each = {name: one.get("policies", {}) for name, one in told.items()}
    first = next(iter(each.values()))
    return {
        option: value
        if all(of.get(option) == value for of in each.values())
        else {name: of.get(option) for name, of in each.items()}
        for option, value in first.items()
    }


def policies_apart(policies: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the policies of a collection, out of the result of `policies_together`."""
    return {o: v.get(name) if isinstance(v, Mapping) else v for o, v in policies.items()}


def given(runs: Any, qrels: Any, function: str) -> Given | None:
    """Return the runs and judgments of each collection in their order; None for one without name.

    Collections are ``{name: (runs, qrels)}``, frames of runs and judgments that both have the
    column ``collection``, or places: a folder of collections, a table, data sets of ir_datasets.
    """
    if qrels is None and _are_places(runs):
        found: Given = features.needed(Collections, function).found(runs)
        return found
    if qrels is None:
        return runs if isinstance(runs, Given) else Given(_named_collections(runs, function))
    if are_pairs(runs):
        raise LexiframeError(
            f"{function}: collections {{name: (runs, qrels)}} have their own judgments, found "
            f"{errors.shown(qrels)} as qrels too; leave it out (measures go by their name: "
            "measures=...)"
        )
    known = {"runs": has_column(runs), "judgments": has_column(qrels)}
    if not any(known.values()):
        return None
    for which, there in known.items():
        if not there:
            raise LexiframeError(
                f"{function}: expected the column collection in runs and in judgments, found none "
                f"in the {which}; add it there, or rename it where it is no name of a collection"
            )
    of_runs, of_qrels = _apart(runs), _apart(qrels)
    if unjudged := sorted({*of_runs} - {*of_qrels}):
        raise LexiframeError(
            f"{function}: expected judgments of each collection, found none for "
            f"{errors.n_and_first(unjudged)}; add them, or leave out these runs"
        )
    if without := sorted({*of_qrels} - {*of_runs}):
        warn(f"judgments of collections without runs, left out: {errors.n_and_first(without)}")
    return Given({name: (part, of_qrels[name]) for name, part in of_runs.items()})


def _are_places(runs: Any) -> bool:
    """Return whether a file or folder is there, or all of a list are data sets of ir_datasets."""
    if isinstance(runs, str | Path):
        return os.path.exists(data_sources.expanded(runs))  # noqa: PTH110 - names may be too long
    several = isinstance(runs, list | tuple) and len(runs) > 0
    return several and all(map(data_sources.is_in_ir_datasets, runs))


def _named_collections(runs: Any, function: str) -> dict[str, tuple[Any, Any]]:
    if not isinstance(runs, Mapping) or not runs:
        raise LexiframeError(
            f"{function}: expected judgments for the runs (qrels), or collections "
            "{name: (runs, qrels)}, found runs alone, and no folder or table of collections there"
        )
    for name, one in runs.items():
        if not (isinstance(one, tuple) and len(one) == 2):
            raise LexiframeError(
                f"{function}: expected judgments for the runs (qrels), or collections "
                f"{{name: (runs, qrels)}}, found {errors.shown(one)} for {str(name)!r}"
            )
    named = {str(name): one for name, one in runs.items()}
    if len(named) < len(runs) or "" in named or None in runs:
        raise LexiframeError(
            f"{function}: expected different names of collections, each with a sign or more, found "
            f"{[*runs]}"
        )
    return named


def apart(table: Any) -> dict[str, pl.DataFrame] | None:
    """Return the rows of each collection of a frame, without the column; None if it has none."""
    return _apart(table) if has_column(table) else None


def _apart(table: Any) -> dict[str, pl.DataFrame]:
    frame = to_polars(table)
    named = frame.with_columns(pl.col(COLLECTION).cast(pl.String))
    if n := named[COLLECTION].null_count():
        raise LexiframeError(f"expected a collection in each row, found none in {n:,} rows")
    parts = named.partition_by(COLLECTION, as_dict=True, include_key=False, maintain_order=True)
    return {str(key[0]): part for key, part in parts.items()}


def together(found: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Put tables of collections together, with the column ``collection`` in front."""
    tables = [t.select(pl.lit(name).alias(COLLECTION), pl.all()) for name, t in found.items()]
    if any(
        t.schema.get("answered") == pl.Boolean for t in tables
    ):  # no ranking of others is missing
        answered = pl.lit(value=True).alias("answered")
        tables = [t if "answered" in t.columns else t.with_columns(answered) for t in tables]
    first = next((t for t in tables if t.height), tables[0])  # no rows may mean fewer columns
    return pl.concat([first.clear(), *tables], how="diagonal_relaxed")


@contextmanager
def told_of(name: str) -> Iterator[None]:
    """Name the collection in the errors that are raised inside, and in the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.LexiframeWarning)
        try:
            yield
        except LexiframeError as error:
            told = type(error)(f"collection {name!r}: {error}")
            told.problem = error.problem
            raise told from error
    for one in caught:
        errors.warn_again(one, f"collection {name!r}: ")


def each_collection(
    parts: Mapping[str, Any], function: Callable[[Any], pl.DataFrame]
) -> pl.DataFrame:
    """Call a function with the data of each collection, and put its tables together."""
    found = {}
    for name, part in parts.items():
        with told_of(name):
            found[name] = function(part)
    return together(found)


def called_with_each(
    function: Callable[P, T], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> T:
    """Call a function with each collection, and put the tables that it returns together."""
    declared = inspect.signature(function)
    try:
        told = declared.bind(*args, **kwargs).arguments
    except TypeError:  # the function's own words say what is wrong
        return function(*args, **kwargs)
    parts = _arguments_apart(function.__name__, told, [*declared.parameters])
    if not parts:
        return function(*args, **kwargs)
    of_all = {n: [*value] if isinstance(value, Iterator) else value for n, value in told.items()
              if not (n in OF_EACH and isinstance(value, Mapping))}  # fmt: skip
    found: dict[str, Any] = {}
    for name, own in progress(parts.items(), len(parts), function.__name__):
        one = inspect.BoundArguments(declared, {**of_all, **own})
        with told_of(name):
            found[name] = function(*one.args, **one.kwargs)
    return _results_together(found)  # type: ignore[no-any-return]


def _arguments_apart(
    function: str, told: Mapping[str, Any], parameters: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return each collection's own arguments; none for one collection."""
    runs, second, pairs = told.get("runs"), [*parameters, ""][1], Given()
    if second == "qrels" or are_pairs(runs):  # collections have judgments, or judges
        pairs = given(runs, told.get(second), function) or pairs
        if any(pairs.policies.values()) and not {*OF_EACH} <= {*parameters}:
            raise LexiframeError(
                f"{function}: takes none of {', '.join(OF_EACH)} from a table of collections; "
                "leave these columns out"
            )
        found = {
            name: dict(zip(("runs", second), pair, strict=True)) for name, pair in pairs.items()
        }
    else:
        several = {name: _collections_of(told[name]) for name in told if name != "requests"}
        found = _arguments_of_each({name: of for name, of in several.items() if of is not None})
    of_requests, by = apart(told.get("requests")), told.get("by") or ()
    if of_requests and not found:
        raise LexiframeError(
            f"{function}: found an attribute of requests called 'collection' for data of one "
            "collection; rename it, or add the column collection to the data"
        )
    if found and COLLECTION in (names := [by] if isinstance(by, str) else [*by]):
        rest = [name for name in names if name != COLLECTION] or None
        found = {name: {**one, "by": rest} for name, one in found.items()}
    if found:
        said = {option: told[option] for option in OF_EACH if option in told}
        own = policies_of_each(pairs or found, said)
        weighed = {option: told[option] for option in _WEIGHED if option in told}
        weights = weights_of_each(found, weighed)
        found = {name: {**one, **own[name], **weights[name]} for name, one in found.items()}
    if of_requests is not None:
        refuse_unknown("requests", found, of_requests)
        found = {name: {**one, "requests": of_requests[name]} for name, one in found.items()}
    return found


def refuse_unknown(where: str, asked: Iterable[str], known: Iterable[str]) -> None:
    """Raise for the name of a collection that is not there, with near matches."""
    there = [*known]
    for name in asked:
        if name not in there:
            raise unknown_name(f"collection of {where}", name, there)


def _arguments_of_each(found: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Turn collections of arguments into arguments of collections; all have the same names."""
    names = [*next(iter(found.values()), ())]
    for argument, of in found.items():
        refuse_unknown(argument, names, of)
        refuse_unknown(argument, of, names)
    return {name: {argument: of[name] for argument, of in found.items()} for name in names}


def _collections_of(value: Any) -> Mapping[str, Any] | None:
    """Return each collection's part of a table, an evaluation, or a dictionary of these."""
    if isinstance(value, Mapping):
        found = {name: _collections_of(one) for name, one in value.items()}
        known = {name: of for name, of in found.items() if of is not None}
        return _arguments_of_each(known) if known and len(known) == len(found) else None
    of_evaluation = getattr(value, "collections", None)
    if isinstance(of_evaluation, Mapping) and hasattr(value, "table_for"):
        return of_evaluation
    return apart(value)


def _results_together(found: Mapping[str, Any]) -> Any:
    """Put tables together, or each table of results that have several."""
    first = next(iter(found.values()))
    if isinstance(first, pl.DataFrame):  # a decision prints its sentences, where it is whole
        return getattr(type(first), "whole", lambda table: table)(together(found))
    if hasattr(first, "together"):  # some of its tables are made when they are asked for
        return first.together(found)
    names = [one.name for one in fields(first)]
    tables = [name for name in names if isinstance(getattr(first, name), pl.DataFrame)]
    each = {n: together({c: getattr(one, n) for c, one in found.items()}) for n in tables}
    return replace(first, **each)
