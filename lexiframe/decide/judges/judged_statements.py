"""Statements of several judges on the nuggets in answers, as items with grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, n_and_first, schemas
from lexiframe.decide.judges.graded_items import check_judges

STATED = schemas.TableSchema(
    "statements",
    ("run", "query_id", "nugget_id"),
    {**dict.fromkeys(("run", "query_id", "nugget_id"), schemas.STR), "credit": schemas.FLOAT},
)


def are_statements(judges: Any) -> bool:
    """Return whether judges are judges of answers: frames with nuggets, or `Nuggets`."""
    return isinstance(judges, Mapping) and any(map(_is_of_nuggets, judges.values()))


def _is_of_nuggets(given: Any) -> bool:
    if isinstance(given, pl.LazyFrame):
        return "nugget_id" in given.collect_schema().names()
    names = getattr(given, "column_names", getattr(given, "columns", ()))
    return hasattr(given, "nugget_rows") or (not callable(names) and "nugget_id" in [*names])


def judges_apart(judges: Any) -> Any:
    """Return the statements of several judges by the judges in their column ``judge``."""
    if isinstance(judges, Mapping) or not _is_of_nuggets(judges):
        return judges
    of_judge = schemas.to_polars(judges).group_by("judge", maintain_order=True)
    return {name: rows for (name,), rows in of_judge}


def read_statements(function: str, judges: Any, duplicates: str) -> dict[str, pl.DataFrame]:
    """Return each judge's statements as judgments: a nugget is a document, a run an iteration."""
    check_judges(function, judges)
    others = [name for name, given in judges.items() if not _is_of_nuggets(given)]
    if others or duplicates != "error":
        found = f"other judgments by {n_and_first(others)}" if others else f"{duplicates=!s}"
        raise LexiframeError(
            f"{function}: expected statements of nuggets by all judges, without duplicates, "
            f"found {found}"
        )
    if (other := other_nuggets(judges)).height:
        query, nugget = other.row(0)[:2]
        texts = " and ".join(map(repr, other.filter(query_id=query, nugget_id=nugget)["text"]))
        raise LexiframeError(
            f"{function}: expected judges of the same nuggets, found {texts} for nugget {nugget!r} "
            f"of request {query!r}; by other nuggets, compare_judges(None, ...) has the conclusions"
        )
    return {name: _read_judge(name, given) for name, given in judges.items()}


def other_nuggets(judges: Mapping[str, Any]) -> pl.DataFrame:
    """Return the nuggets with one id, but different texts, among judges."""
    key = ["query_id", "nugget_id"]
    judged: list[pl.DataFrame] = [
        given.nuggets for given in judges.values() if hasattr(given, "nugget_rows")
    ]
    texts = pl.concat([one.select(*key, "text").drop_nulls() for one in judged] or [_NO_TEXTS])
    return texts.unique().filter(pl.struct(key).is_duplicated()).sort(*key, "text")


def share_answers(judges: Mapping[str, Any]) -> bool:
    """Return whether judges have the same nuggets, and two of them judged one in one answer."""
    key = ["run", "query_id", "nugget_id"]
    judged = [given.nugget_rows.filter("answered").select(key) for given in judges.values()]
    return other_nuggets(judges).is_empty() and pl.concat(judged).is_duplicated().any()


_NO_TEXTS = pl.DataFrame(schema=dict.fromkeys(("query_id", "nugget_id", "text"), schemas.STR))


def _read_judge(name: str, given: Any) -> pl.DataFrame:
    if hasattr(given, "nugget_rows"):  # which has the nuggets that an answer does not state, too
        given = given.nugget_rows.filter("answered")
    table = schemas.check(given, STATED, f"judge {name!r}")
    twice = table.filter(table.select(STATED.key).is_duplicated())
    wrong = table.filter(~pl.col("credit").is_between(0, 1).fill_null(value=False))["credit"]
    if len(wrong) or twice.height:
        what = "a credit from 0 to 1" if len(wrong) else f"one row for each {', '.join(STATED.key)}"
        found = n_and_first(wrong) if len(wrong) else f"several, of {twice.row(0)[:3]}"
        raise SchemaError(f"judge {name!r}: expected {what}, found {found}")
    return table.select("query_id", iteration="run", doc_id="nugget_id", relevance="credit")
