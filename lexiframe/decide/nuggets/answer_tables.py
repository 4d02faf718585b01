"""The tables of judgments of answers, with their rules: `AnswerTables`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from lexiframe.core.base import SchemaError, n_and_first, schemas

_NO_TEXT = {
    "sentence": pl.Int64(),
    "credit": pl.Float64(),
    "support": pl.Float64(),
    **dict.fromkeys(("relevant", "needs_citation", "first_instance"), pl.Boolean()),
}


def _described(name: str, key: str, required: str, optional: str) -> schemas.TableSchema:
    names = f"{key} {required} {optional}".split()
    types = {one: _NO_TEXT.get(one, pl.String()) for one in names}
    return schemas.TableSchema(name, tuple(key.split()), types, tuple(optional.split()))


NUGGETS = _described("nuggets", "query_id nugget_id", "", "importance aggregator text")
STATEMENTS = _described("statements", "run query_id nugget_id", "credit", "sentence")
CITATIONS = _described("citations", "run query_id sentence doc_id", "support", "relevant")
SENTENCES = _described("sentences", "run query_id sentence", "", "needs_citation first_instance")
SCHEMAS = (NUGGETS, STATEMENTS, CITATIONS, SENTENCES)
_RULES = {
    "credit": ("from 0 to 1", pl.col("credit").is_between(0, 1)),
    "support": ("from 0 to 1", pl.col("support").is_between(0, 1)),
    "sentence": ("counted from 1", pl.col("sentence") >= 1),
    "importance": ("vital or okay", pl.col("importance").is_in(["vital", "okay"])),
}


@dataclass(frozen=True, repr=False, eq=False)
class AnswerTables:
    """The tables of `Nuggets`, checked, sorted and with all their columns."""

    nuggets: pl.DataFrame
    statements: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema=STATEMENTS.columns)
    )
    citations: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CITATIONS.columns))
    sentences: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SENTENCES.columns))

    def __post_init__(self) -> None:
        for schema in SCHEMAS:
            object.__setattr__(self, schema.name, checked(getattr(self, schema.name), schema))
        unknown = self.statements.join(self.nuggets, on=NUGGETS.key, how="anti")
        if unknown.height:
            row = unknown.row(0, named=True)
            raise SchemaError(
                f"statements: expected nuggets of the request, found {row['nugget_id']!r} of "
                f"request {row['query_id']!r} in run {row['run']!r} ({unknown.height} such rows), "
                "which the table of nuggets lacks; judge all runs by the same nuggets"
            )

    @cached_property
    def answered(self) -> pl.DataFrame:
        """The runs and requests with a judged answer."""
        key = ["run", "query_id"]
        return pl.concat([self.statements.select(key), self.sentences.select(key)]).unique()

    @cached_property
    def grid(self) -> pl.DataFrame:
        """All runs and requests with nuggets (without any nuggets, all), and which are answered."""
        requests = (self.nuggets if self.nuggets.height else self.answered).select("query_id")
        every = self.answered.select("run").unique().join(requests.unique(), how="cross")
        known = self.answered.with_columns(answered=True)
        return every.join(known, on=["run", "query_id"], how="left").with_columns(
            pl.col("answered").fill_null(value=False)
        ).sort("run", "query_id")  # fmt: skip

    @property
    def coverage(self) -> pl.DataFrame:
        """Key ``run``: how many ``requests`` there are, ``answered`` by it, and ``missing``."""
        n, answered = (one.cast(pl.Int64) for one in (pl.len(), pl.col("answered").sum()))
        counts = {"requests": n, "answered": answered, "missing": n - answered}
        return self.grid.group_by("run").agg(**counts).sort("run")

    @property
    def nugget_rows(self) -> pl.DataFrame:
        """A row for each run and nugget of its requests, with credit 0 where it is not stated."""
        stated = self.statements.select("run", *NUGGETS.key, "credit", "sentence")
        every = self.grid.join(self.nuggets, on="query_id")
        rows = every.join(stated, on=["run", *NUGGETS.key], how="left")
        return rows.with_columns(pl.col("credit").fill_null(0.0)).sort("run", *NUGGETS.key)

    @property
    def sentence_rows(self) -> pl.DataFrame:
        """A row for each sentence, with the support of its first citation, and the least."""
        key = SENTENCES.key
        support = self.citations.group_by(key, maintain_order=True).agg(
            first_support=pl.col("support").first(), least_support=pl.col("support").min()
        )
        return self.sentences.join(support, on=key, how="left")


def checked(frame: Any, schema: schemas.TableSchema) -> pl.DataFrame:
    """Return a table with all its columns, sorted by its key; raise for rows that break its rules.

    Sentences keep the order of their citations.
    """
    none = pl.DataFrame(schema=schema.columns)  # with the columns that the frame may lack
    table = pl.concat([schemas.check(frame, schema), none], how="diagonal")
    twice = table.filter(table.select(schema.key).is_duplicated())
    if twice.height and schema is not CITATIONS:
        first = ", ".join(f"{name} {twice[name][0]!r}" for name in schema.key)
        raise SchemaError(
            f"{schema.name}: expected one row for each {', '.join(schema.key)}, found several: "
            f"{twice.height} rows, the first of {first}; keep one, that of one judge"
        )
    for name, (expected, rule) in _RULES.items():
        if name in table.columns:
            wrong = table.filter(~rule.fill_null(name in schema.optional))[name]
            if len(wrong):
                found = n_and_first(wrong)
                raise SchemaError(f"{schema.name}: expected {name} {expected}, found {found}")
    usual = {"importance": "okay", "needs_citation": True, "first_instance": True}
    filled = (pl.col(name).fill_null(pl.lit(usual[name])) for name in usual.keys() & schema.columns)
    table = table.with_columns(filled)
    key = [name for name in schema.key if schema is not CITATIONS or name != "doc_id"]
    return table.select(*schema.columns).sort(key, maintain_order=True)
