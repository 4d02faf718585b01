"""Rows of JSON: one for each record, each item of a list in a record, or each query's document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import polars as pl

from lexiframe.core.base import Problem, ReadError, schemas
from lexiframe.core.io.column_forms.lists_of_items import column_of_items
from lexiframe.core.io.column_forms.objects import form_of_tool, is_one_run, refuse_tables, to_frame
from lexiframe.core.io.column_forms.records import column_of
from lexiframe.core.io.columns import KNOWN_NAMES
from lexiframe.core.io.problems.advice import LINES_OF_RECORD, NO_ID, NO_JSON
from lexiframe.core.io.problems.problem_tables import problems_of_bytes, table_of
from lexiframe.core.io.problems.rows_as_written import Rows, may_be_id
from lexiframe.core.io.text.json_records import (
    Members,
    members_of,
    members_of_lines,
    members_one_by_one,
)
from lexiframe.core.io.text.lines import BLOCK_OF_ROWS, blocks_of_lines

Form = Literal["lines", "list", "queries"]
Clean = Callable[[bytes], pl.DataFrame | None]
"""A function that parses lines; it returns None for lines with problems, and in doubt."""
_SHOWN = 80
_SMALL_BLOCK = 1 << 19
_KEPT = 1 << 26
"""Clean blocks of text up to this size are parsed once and kept, those of longer text twice."""
_LIST_OF_OBJECTS = re.compile(rb"\[\s*\{")


def members_in(
    data: bytes, where: str, form: Form, first: int = 1, *, exact: bool = False
) -> Members:
    """Return the members of JSON, and the problems of the rest; ``first`` is the first line.

    JSON that is neither records nor ``{query: {document: number}}`` is an error. ``exact`` is as
    for `load_json`.
    """
    text, byte_problems = data.decode("utf-8", "replace"), problems_of_bytes(data, where, first)
    if byte_problems:
        return _members_beside(byte_problems, text, where, form, first)
    if form == "lines":
        members = members_of_lines(text, where, first, exact=exact)
    else:
        members = members_of(text, where, exact=exact)
    if form == "queries":
        _refuse_record(members, where)
    if not members.problems:
        _refuse_other(members, form, where)
    return members


def _members_beside(
    byte_problems: list[Problem], text: str, where: str, form: Form, first: int
) -> Members:
    """Parse the other lines of JSON with lines that are not UTF-8.

    Of a list or an object, only the lines above the first of these can be parsed.
    """
    bad = {problem.line or 0 for problem in byte_problems}
    lines = [*enumerate(text.split("\n"), first)]
    if form == "lines":
        members = members_of_lines("\n".join("" if n in bad else t for n, t in lines), where, first)
        members.problems += byte_problems
        return members
    above = "".join(f"{line}\n" for n, line in lines if n < min(bad))
    members, end = members_one_by_one(above, where), len(above.rstrip())
    # A problem at the end only shows that the text was cut there.
    broken = [problem for problem in members.problems if (problem.order or 0) < end]
    members.problems = [*broken, *(replace(bad, order=len(text)) for bad in byte_problems)]
    return members


def _blocks_of_members(
    data: bytes, where: str, form: Form, *, exact: bool
) -> Callable[[], Iterator[Members]]:
    """Return a function that yields members in blocks; it parses long text anew at each call."""
    if form != "lines" or len(data) <= BLOCK_OF_ROWS:
        members = members_in(data, where, form, exact=exact)
        return lambda: iter([members])
    blocks = partial(_line_blocks, data, BLOCK_OF_ROWS)
    return lambda: (members_in(block, where, form, line, exact=exact) for line, block in blocks())


def _line_blocks(data: bytes, size: int, line: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield lines in blocks of about ``size`` bytes, with the number of each block's first line."""
    for block in blocks_of_lines(data, size):
        yield line, block
        line += block.count(b"\n")


def _refuse_other(members: Members, form: Form, where: str) -> None:
    is_ours = form == "lines" or any(isinstance(value, dict) for value in members.values)
    if form == "queries":
        is_ours = is_one_run(dict(zip(members.names, members.values, strict=True)))
    if not is_ours and form == "queries" and are_plain_lists(members.values):
        of_each = zip(members.names, members.values, strict=True)
        cells = ((name, x) for name, of in of_each for x in of)
        for query, odd in ((name, x) for name, x in cells if x is None or not may_be_id(x)):
            expected = "ids, or pairs of an id and a number, in {query: [documents]}"
            found = f"{json.dumps(odd)[:_SHOWN]} among the documents of query {query!r}"
            raise ReadError(Problem(where, expected, found, NO_JSON))
    if not is_ours:
        expected = (
            "JSON with a record on each line, a list of records, or {query: {document: number}}"
        )
        raise ReadError(Problem(where, expected, "list" if form == "list" else "dict"))


def are_plain_lists(values: Sequence[Any]) -> bool:
    """Return whether values are lists, some filled, and none has objects."""
    return (
        all(isinstance(of, list) for of in values)
        and any(values)
        and not any(isinstance(x, dict) for of in values for x in of)
    )


def _refuse_record(members: Members, where: str) -> None:
    """Raise for an object that is a record with a query and a document, not a run of queries."""
    names = {*members.names}
    has_ids = all(names & {*KNOWN_NAMES[ours]} for ours in schemas.IDS)
    kinds = {type(value) for value in members.values}
    if has_ids and dict not in kinds and kinds != {list}:  # lists are a table by columns
        expected = "JSON with a record on each line, or a list of records"
        raise ReadError(Problem(where, expected, "a record of several lines", LINES_OF_RECORD))


@dataclass(frozen=True)
class Records:
    """Records of lines or of a list as rows: one row for each record, or for each of its items."""

    rows: list[dict[str, Any]]
    members: Members
    numbers: Sequence[int]  # the index of the member that each row comes from

    @property
    def names(self) -> list[str]:
        """The names of all fields, in order of appearance."""
        return _layout_names(self.rows)

    def columns(self, names: Iterable[str]) -> dict[str, list[Any]]:
        """Return the values of some fields; None for rows without the field."""
        return {name: [row.get(name) for row in self.rows] for name in names}


def _layout_names(rows: Iterable[dict[str, Any]]) -> list[str]:
    layouts = dict.fromkeys(map(tuple, rows))
    return [*dict.fromkeys(name for layout in layouts for name in layout)]


@dataclass(frozen=True)
class CleanLines:
    """Lines without a problem: their columns, and the number of the first line."""

    table: pl.DataFrame
    first: int

    @property
    def names(self) -> list[str]:
        """The names of all fields."""
        return self.table.columns


def records_in(
    data: bytes,
    where: str,
    form: Form,
    columns: Mapping[str, str],
    clean: Clean,
    *,
    exact: bool = False,
) -> Callable[[], Iterator[Records | CleanLines]]:
    """Return a function that yields the records of lines or a list in blocks.

    Of long lines, only the blocks that ``clean`` cannot parse are parsed in Python. ``exact`` is as
    for `load_json`.
    """
    if has_clean_blocks(data, form):
        return _blocks_of_lines(data, where, clean, exact=exact)
    blocks = _blocks_of_members(data, where, form, exact=exact)
    may_have_items = _LIST_OF_OBJECTS.search(data) is not None
    items = _column_of_items(blocks(), where, columns) if may_have_items else None
    return lambda: (_records(members, items, where, form) for members in blocks())


def has_clean_blocks(data: bytes, form: Form) -> bool:
    """Return whether text is long lines without items: each of its blocks is parsed alone."""
    return form == "lines" and len(data) > BLOCK_OF_ROWS and not _LIST_OF_OBJECTS.search(data)


def _blocks_of_lines(
    data: bytes, where: str, clean: Clean, *, exact: bool
) -> Callable[[], Iterator[Records | CleanLines]]:
    blocks = partial(_clean_blocks, data, clean)
    if len(data) <= _KEPT:  # longer text would take too much memory
        blocks = partial(iter, [*blocks()])

    def all_blocks() -> Iterator[Records | CleanLines]:
        for line, block, table in blocks():
            if table is not None:
                yield CleanLines(table, line)
            else:
                members = members_in(block, where, "lines", line, exact=exact)
                yield _records(members, None, where, "lines")

    return all_blocks


def _clean_blocks(data: bytes, clean: Clean) -> Iterator[tuple[int, bytes, pl.DataFrame | None]]:
    """Yield for each block the number of its first line, and its text, or its columns if clean.

    Blocks with other lines are cut into small ones, so that few lines are parsed in Python.
    """
    for line, block in _line_blocks(data, BLOCK_OF_ROWS):
        table = clean(block)
        if table is not None:
            yield line, b"", table
        else:
            small = [
                (n, lines, clean(lines)) for n, lines in _line_blocks(block, _SMALL_BLOCK, line)
            ]
            if all(table is None for _, _, table in small):
                clean = no_lines  # other blocks are probably like this one, and trying takes time
            yield from small


def no_lines(_block: bytes) -> None:
    """Parse no lines: they are then parsed in Python."""


def names_of(blocks: Iterable[Records | CleanLines]) -> list[str]:
    """Return the names of all fields in all blocks, in order of appearance."""
    return [*dict.fromkeys(name for records in blocks for name in records.names)]


def _records(members: Members, items: str | None, where: str, form: Form) -> Records:
    values = members.values
    if items is None and all(isinstance(value, dict) for value in values):
        return Records(values, members, range(len(values)))
    given = [(n, row) for n, value in enumerate(values) for row in _record_rows(value, items)]
    rows = [(n, row) for n, row in given if isinstance(row, dict)]
    problems = [*members.problems]
    for n, row in given:
        if not isinstance(row, dict):
            found = repr(json.dumps(row[1])[:_SHOWN])
            place = _member_place(members, n, form)
            problems.append(Problem(where, row[0], found, NO_JSON, "fields", **place))
    members = replace(members, problems=problems)
    return Records([row for _, row in rows], members, [n for n, _ in rows])


def _column_of_items(
    blocks: Iterable[Members], where: str, columns: Mapping[str, str]
) -> str | None:
    fields: dict[str, dict[str, None]] = {}
    names: dict[str, None] = {}
    for members in blocks:
        records = [value for value in members.values if isinstance(value, dict)]
        names |= dict.fromkeys(_layout_names(records))
        lists = [(n, v) for record in records for n, v in record.items() if type(v) is list and v]
        for name, value in lists:
            items = [item for item in value if isinstance(item, dict)]
            if items:
                fields.setdefault(name, {}).update(dict.fromkeys(_layout_names(items)))
    fields_of_lists = {name: [*inner] for name, inner in fields.items()}
    return column_of_items(fields_of_lists, [*names] if fields else [], where, columns)


def _record_rows(record: Any, items: str | None) -> list[dict[str, Any] | tuple[str, Any]]:
    """Return a record's rows; in place of one that is no object, the pair (expected, found)."""
    if not isinstance(record, dict):
        return [("a record in braces", record)]
    if items is None:
        return [record]
    same = {name: value for name, value in record.items() if name != items}
    inner = record.get(items) or []
    if not isinstance(inner, list):
        return [(f"a list of items as {items}", inner)]
    found = [item for item in inner if item is not None] or [{}]  # no item: a row without document
    expected = f"a record in braces in {items}"
    return [{**same, **item} if isinstance(item, dict) else (expected, item) for item in found]


def _member_place(members: Members, n: int, form: Form) -> dict[str, Any]:
    """Return the place of a member as arguments of `Problem`."""
    place = members.places[n]
    named = {"line": place} if form == "lines" else {"at": f"record {place}"}
    return {"order": members.order[n], **named}


# --- Tables -------------------------------------------------------------------------------------


def table_in(
    blocks: Iterable[Records | CleanLines],
    where: str,
    form: Form,
    ids_in: Callable[[list[str]], set[str]],
) -> pl.DataFrame:
    """Return records as columns; a column is text if its values have several types."""
    tables = [
        records.table
        if isinstance(records, CleanLines)
        else _records_table(records, where, form, ids_in(records.names))
        for records in blocks
    ]
    return tables[0] if len(tables) == 1 else _join_tables(tables)


def _records_table(records: Records, where: str, form: Form, ids: set[str]) -> pl.DataFrame:
    for problem in records.members.problems:
        raise ReadError(problem)
    columns = records.columns(records.names)
    for name, values in ((name, cells) for name, cells in columns.items() if name in ids):
        odd = None if _are_lists(values) else _first_odd(values)
        if odd is not None:
            place = _member_place(records.members, records.numbers[odd], form)
            expected, found = f"text or a whole number as {name}", json.dumps(values[odd])[:_SHOWN]
            raise ReadError(Problem(where, expected, found, NO_ID, "id", **place))
    table = pl.DataFrame(
        [
            pl.Series(name, cells) if _are_lists(cells) else column_of(name, cells, _member_text)
            for name, cells in columns.items()
        ]
    )
    return table.cast({pl.Boolean: pl.String})  # true is no number: it must not become 1


def _first_odd(values: Sequence[Any]) -> int | None:
    """Return the place of the first value that cannot be an id."""
    return next((n for n, value in enumerate(values) if not may_be_id(value)), None)


def _are_lists(values: Sequence[Any]) -> bool:
    """Return whether all values are lists, with elements of one type: text, int or float."""
    kinds = {type(one) for value in values if type(value) is list for one in value}
    return all(type(value) is list for value in values) and kinds in ({str}, {int}, {float})


def _join_tables(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Join tables whose columns and types may differ."""
    alike = [table.select(map(_joinable, table)) for table in tables if table.height]
    joined = pl.concat(alike, how="diagonal_relaxed") if alike else pl.DataFrame()
    return joined.cast({pl.Null: pl.String})


def _joinable(column: pl.Series) -> pl.Series:
    """Return a column of nulls without a type, so that it takes the type in other tables."""
    return column.cast(pl.Null()) if column.null_count() == len(column) else column


def _member_text(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else json.dumps(value)


def rows_of_json(
    data: bytes, where: str, form: Form, number: str, columns: Mapping[str, str], clean: Clean
) -> Iterator[Rows]:
    """Yield rows with unconverted values, except for blocks of lines that ``clean`` can parse.

    ``number`` names the column for numbers of documents. ``clean`` returns the columns of a block
    without problems, and None for other blocks and in doubt.
    """
    if form == "queries":
        yield _rows_of_queries(data, where, number)
        return
    blocks = records_in(data, where, form, columns, clean, exact=True)
    names = names_of(blocks())
    for records in blocks():
        if isinstance(records, CleanLines):
            yield _rows_of_clean(records, names)
        else:
            unit = "line" if form == "lines" else "record"
            yield _parsed_rows(records.columns(names), records.members, records.numbers, unit)


def _rows_of_clean(lines: CleanLines, names: Iterable[str]) -> Rows:
    table, height = lines.table, lines.table.height
    places = pl.int_range(lines.first, lines.first + height, eager=True)
    absent = pl.Series([None] * height, dtype=pl.Object)
    given = [table[name] if name in table.columns else absent.alias(name) for name in names]
    return Rows(pl.DataFrame(given), places, order=places)


def _rows_of_queries(data: bytes, where: str, number: str) -> Rows:
    members = members_in(data, where, "queries", exact=True)
    whole = dict(zip(members.names, members.values, strict=True))
    refuse_tables(whole, where)
    if form_of_tool(whole):  # lists of documents
        table = to_frame(whole, number, where)
        return Rows(table, pl.int_range(1, table.height + 1, eager=True), "row")
    expected, numbers, rows = "{query: {document: number}}", [], []
    for n, (name, documents) in enumerate(zip(members.names, members.values, strict=True)):
        if isinstance(documents, dict) or documents == []:
            pairs = dict(documents).items() or [(None, None)]
            rows += [(name, document, value) for document, value in pairs]
            numbers += [n] * len(pairs)
        else:
            found = f"{type(documents).__name__} as the documents of query {name!r}"
            problem = Problem(where, expected, found, NO_JSON, "fields", order=members.order[n])
            members.problems.append(problem)
    names = ("query_id", "doc_id", number)
    columns = zip(*rows, strict=True) if rows else [[]] * len(names)
    given = _parsed_rows(dict(zip(names, map(list, columns), strict=True)), members, numbers, "")
    return replace(given, has_numbers=True)


def _parsed_rows(
    values: Mapping[str, list[Any]], members: Members, numbers: Sequence[int], unit: str
) -> Rows:
    table = pl.DataFrame(
        [pl.Series(name, cells, dtype=pl.Object) for name, cells in values.items()]
    )
    places = pl.Series([members.places[n] for n in numbers], dtype=pl.Int64)
    order = pl.Series([members.order[n] for n in numbers], dtype=pl.Int64)
    return Rows(table, places, unit, table_of(members.problems), order)
