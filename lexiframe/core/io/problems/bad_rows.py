"""Finding all rows of a file that have no id or number, or repeat a document.

Readers call this only after they failed, to report the line, so it need not be fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import Problem, schemas
from lexiframe.core.io.column_forms.numbers import (
    IN_RANGE,
    NUMBER,
    TOO_GREAT,
    are_too_great,
    whole_ranks,
)
from lexiframe.core.io.columns import KNOWN_NAMES
from lexiframe.core.io.doubts.several_rankings import how_told_apart
from lexiframe.core.io.problems.problem_tables import PARTS, chosen, row_problems, table_of
from lexiframe.core.io.problems.rows_as_written import Column, Rows, columns_in, shown

_NUMBERS = ("relevance", "score", "rank")
_OF_A_QUERY = ("run", "query_id")
_PROBLEMS_OF_ROWS = PARTS | {"row": schemas.INT}
"""The columns of a table of problems, and the number of the row in the file, from 0."""


@dataclass(frozen=True)
class Block:
    """Rows of a file or of a part of it, with the columns of their ids and numbers.

    ``found`` is empty if queries or documents are missing: the file may then hold neither runs nor
    qrels, so its rows are not reported. ``column_problems`` has the problems of columns as a whole,
    and ``first`` says how many rows of the file come before these.
    """

    rows: Rows
    found: dict[str, Column]
    column_problems: list[Problem]
    where: str
    schema: schemas.TableSchema
    first: int

    @cached_property
    def are_empty_lists(self) -> pl.Series:
        """Which rows stand for a query with an empty list: no document and no number."""
        needed = [self.found[name] for name in ("doc_id", *_NUMBERS) if name in self.found]
        is_empty = ~_no_ids(self.found["query_id"])
        for column in needed:
            is_empty &= column.values.is_null()
        return is_empty & (len(needed) > 1)

    @cached_property
    def places(self) -> pl.DataFrame:
        """The ids of each row, and the parts of messages that all problems of the row share."""
        rows, blank = self.rows, pl.lit("")
        ids = {name: self.found[name].texts for name in schemas.IDS}
        is_line = rows.unit == "line"
        at = pl.format("{} {}", pl.lit(rows.unit), "place") if rows.unit else blank
        whose = pl.format(" (query '{}', document '{}')", *(pl.col(n).fill_null("") for n in ids))
        behind = (blank if is_line else whose) if rows.behind is None else pl.lit(rows.behind)
        return pl.DataFrame({"place": rows.places.cast(schemas.INT), **ids}).with_columns(
            row=pl.int_range(self.first, self.first + pl.len()),
            order="place" if rows.order is None else rows.order.cast(schemas.INT),
            file=pl.lit(self.where),
            line=pl.col("place") if is_line else pl.lit(None, schemas.INT),
            at=blank if is_line else at,
            behind=behind,
        )

    @property
    def queries(self) -> pl.DataFrame:
        """The run and the query of each row."""
        queries = self.found["query_id"].texts
        no_runs = pl.repeat("", len(queries), eager=True)
        runs = self.found["run"].texts if "run" in self.found else no_runs
        return pl.DataFrame([runs.alias("run"), queries.alias("query_id")])


def blocks_of(
    rows: Iterable[Rows], where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> Iterator[Block]:
    """Find our columns in the rows of a file; ``columns`` are the names that the user gave."""
    first = 0
    for some in rows:
        found: dict[str, Column] = {}
        problems: list[Problem] = []
        if some.table.width:  # 0 if no row could be read, or two columns have the same name
            found, problems = columns_in(some, where, schema, columns)
        is_table = {*schemas.IDS} <= found.keys()
        yield Block(some, found if is_table else {}, problems, where, schema, first)
        first += some.table.height


# --- Finding the rows -----------------------------------------------------------------------------


def problems_of_block(block: Block) -> pl.DataFrame:
    """List the problems of lines, columns and rows, unsorted; `documents_again` finds repetitions.

    Where a malformed first line suggests what the file is, this suggestion replaces the advice for
    the number in that line.
    """
    others = pl.concat([block.rows.problems, table_of(block.column_problems)])
    others = others.with_columns(row=pl.lit(None, schemas.INT))
    problems = pl.concat([others, *_problems_of_rows(block)])
    hint = block.rows.hint
    if hint is None:
        return problems
    is_first = (pl.col("line") == hint.line) & (pl.col("problem") == "number")
    advice = chosen((is_first, hint.advice), otherwise=pl.col("advice"))
    return problems.with_columns(advice=advice)


def _problems_of_rows(block: Block) -> Iterator[pl.DataFrame]:
    """Yield the empty lists of judgments, and for each column the cells without id or number."""
    if not block.found:
        return
    number = next((block.found[name] for name in _NUMBERS if name in block.found), None)
    if block.schema is schemas.QRELS:
        yield row_problems(
            block.places.filter(block.are_empty_lists),
            problem="id",
            expected="judgments for every query",
            found="an empty list",
            behind=pl.format(" (query '{}')", "query_id"),
            advice="leave this query out",
        )
    for column in block.found.values():
        is_id = column.ours in block.schema.key
        bad = _no_ids(column) if is_id else _no_numbers(column, is_needed=column is number)
        bad &= ~block.are_empty_lists
        places, cells = block.places.filter(bad), column.filter(bad)
        if is_id:
            yield _problems_of_ids(places, cells)
        else:
            yield _problems_of_numbers(places, cells, block.rows.decimal)


def _no_ids(column: Column) -> pl.Series:
    return (column.texts == "").fill_null(value=True)


def _no_numbers(column: Column, *, is_needed: bool) -> pl.Series:
    if column.ours == "rank":  # a rank may be missing if there is a score
        return whole_ranks(column.texts).is_null() & (column.values.is_not_null() | is_needed)
    no_number = ~column.texts.str.contains(NUMBER).fill_null(value=False)
    return no_number | _infinite_grades(column) | are_too_great(column.texts)


def _infinite_grades(column: Column) -> pl.Series:
    is_infinite = column.texts.cast(pl.Float64, strict=False).is_infinite()
    return is_infinite.fill_null(value=False) & (column.ours == "relevance")


def empty_rows(block: Block) -> pl.DataFrame:
    """Return places, runs and queries of rows that have neither a document nor a number.

    If it is the only row of its query, such a row of a run stands for an empty list.
    """
    if not block.found or not block.are_empty_lists.any():
        return pl.DataFrame()
    return block.places.with_columns(block.queries["run"]).filter(block.are_empty_lists)


def empty_beside_others(
    empty: Sequence[pl.DataFrame],
    blocks: Callable[[], Iterator[Block]],
    schema: schemas.TableSchema,
) -> pl.DataFrame:
    """List the `empty_rows` of a run's blocks whose queries have other rows too."""
    from lexiframe.core.io.problems.advice import NO_DOCUMENT

    some = [table for table in empty if table.height]
    if schema is not schemas.RUNS or not some:
        return pl.DataFrame(schema=_PROBLEMS_OF_ROWS)
    rows = pl.concat(some)
    queries = pl.concat(
        block.queries.join(rows, on=_OF_A_QUERY, how="semi", nulls_equal=True)
        for block in blocks()
        if block.found
    )
    several = queries.filter(pl.struct(_OF_A_QUERY).is_duplicated())
    return row_problems(
        rows.join(several, on=_OF_A_QUERY, how="semi", nulls_equal=True, maintain_order="left"),
        problem="id",
        expected="a document and a number in each row of a query",
        found="neither",
        behind=pl.format(" (query '{}')", "query_id"),
        advice=NO_DOCUMENT,
    )


def documents_again(
    blocks: Callable[[], Iterator[Block]], schema: schemas.TableSchema
) -> pl.DataFrame:
    """List rows that repeat a document of a ranking, whatever their score or grade.

    Only rows whose hash is repeated are kept, to save memory.
    """
    from lexiframe.core.io.problems.advice import ONE_OF_TWINS

    hashes = [keyed["hash"].to_numpy() for keyed in _keys(blocks())]
    repeated = _repeated_hashes(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)
    if not len(repeated):
        return pl.DataFrame(schema=_PROBLEMS_OF_ROWS)
    is_repeated = pl.col("hash").is_in(pl.Series(repeated).implode())
    alike = pl.concat((keyed.filter(is_repeated) for keyed in _keys(blocks())), rechunk=True)
    key = [name for name in schema.key if name in alike.columns]
    twins = alike.filter(pl.struct(key).is_duplicated())  # different keys may have the same hash
    first = pl.col("place").first().over(key)
    nth = pl.int_range(pl.len()).over(key)
    return row_problems(
        twins.with_columns(first=first).filter(nth > 0),
        problem="duplicate",
        expected="each document once",
        found=pl.format("'{}' of query '{}'", "doc_id", "query_id"),
        behind=pl.format(" again, after {} {}", "unit", "first"),
        advice=how_told_apart(_unread(next(blocks()), schema)) + ONE_OF_TWINS[schema.name],
    )


def _unread(block: Block, schema: schemas.TableSchema) -> list[str]:
    """Return the columns of a table of one run that are not read."""
    if schema is not schemas.RUNS or block.rows.called or "run" in block.found:
        return []
    read = {column.values.name for column in block.found.values()}
    return [name for name in block.rows.table.columns if name not in read]


def _keys(blocks: Iterable[Block]) -> Iterator[pl.DataFrame]:
    """Yield the places, keys and hashes of keys of each block.

    Rows of {query: {document: number}} have no unit such as line or record. There a repeated
    document is a repeated name, which the parser of JSON reports.
    """
    for block in blocks:
        if block.found and block.rows.unit:
            key = [name for name in block.schema.key if name in block.found]
            keyed = block.places.with_columns(block.found[name].texts.alias(name) for name in key)
            keyed = keyed.filter(pl.all_horizontal(pl.col(key) != ""))
            yield keyed.with_columns(hash=pl.struct(key).hash(), unit=pl.lit(block.rows.unit))


def _repeated_hashes(hashes: np.ndarray) -> np.ndarray:
    hashes.sort()
    return np.unique(hashes[1:][hashes[1:] == hashes[:-1]])


# --- Describing them ----------------------------------------------------------------------------


def _problems_of_ids(places: pl.DataFrame, column: Column) -> pl.DataFrame:
    from lexiframe.core.io.problems.advice import NO_ID, NO_TEXT

    is_odd = column.texts.is_null() & column.values.is_not_null()
    what = chosen((is_odd, "text or a whole number"), otherwise="an id")
    is_empty = (column.texts == "").fill_null(value=False)
    found = chosen((is_empty, "an empty one"), otherwise=pl.lit(shown(column.values)))
    expected, advice = what + f" {column.called}", chosen((is_odd, NO_TEXT), otherwise=NO_ID)
    return row_problems(places, problem="id", expected=expected, found=found, advice=advice)


def _problems_of_numbers(places: pl.DataFrame, column: Column, decimal: str) -> pl.DataFrame:
    from lexiframe.core.io.problems.advice import NO_NUMBER, REPEATED_NAMES, advice_for_separators

    what = "a whole number" if column.ours == "rank" else "a number"
    is_too_great = are_too_great(column.texts) & (column.ours != "rank")
    separators = advice_for_separators(column.texts, decimal)
    mend = NO_NUMBER[column.ours]
    are_names = column.texts.str.to_lowercase().is_in(KNOWN_NAMES[column.ours])
    advice = chosen(
        (separators != "", pl.lit(separators)),
        (is_too_great, TOO_GREAT),
        (are_names.fill_null(value=False), REPEATED_NAMES),
        otherwise=mend,
    )
    is_infinite = (_infinite_grades(column), "a finite number")
    expected = chosen((is_too_great, IN_RANGE), is_infinite, otherwise=what) + f" {column.called}"
    found = shown(column.values)
    return row_problems(places, problem="number", expected=expected, found=found, advice=advice)
