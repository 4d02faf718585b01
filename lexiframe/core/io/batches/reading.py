"""Rows of runs and of judgments in batches, checked as `read_runs` and `read_qrels` check them.

A batch of plain columns is checked here, and integer ids stay integers. Any other batch goes
through the functions of `lexiframe.io`, which have the errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, schemas
from lexiframe.core.io.batches.tables import Request
from lexiframe.core.io.batches.texts import parse_pieces
from lexiframe.core.io.batches.units import Unit
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.column_forms.column_names import items_of_implicit_feedback
from lexiframe.core.io.column_forms.lists_of_items import rename_columns
from lexiframe.core.io.column_forms.numbers import EXACT, has_large
from lexiframe.core.io.column_forms.values_for_none import may_have_none
from lexiframe.core.io.doubts.scores_against_ranks import compared_with_ranks
from lexiframe.core.io.files.data_sources import File, Source, one_run_per_source
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.one_run import UNNAMED, RunPart, as_written
from lexiframe.core.io.qrel_files import (
    checked_judgments,
    grades_of_implicit_feedback,
    load_qrels,
    one_collection,
    parse_qrels,
)
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.run_parts import parse_runs
from lexiframe.core.io.run_scan import RunScan
from lexiframe.core.io.run_tables import parts_of_table, split_runs


@dataclass(frozen=True)
class Share:
    """How much one thread reads at once: rows of a table, bytes of text; and whether ranks too."""

    rows: int
    text: int
    rank: bool = False


def parts_of_unit(unit: Unit, scan: RunScan, share: Share) -> Iterator[list[RunPart]]:
    """Read a unit of runs; each list has the runs of a batch."""
    source = scan.sources[unit.source]
    is_one = source.origin is unit.origin
    if unit.stamp is not None:  # error messages name the file of a data set
        source = replace(source, origin=File(unit.where))
    if unit.batches is not None:
        is_ranked = share.rank or scan.options.ranked_by == "rank"
        request = Request(schemas.RUNS, scan.options.columns, share.rows, is_ranked)
        yield from _parts_of_batches(unit.batches(request), source, scan.options, is_one=is_one)
    elif unit.path is not None:
        yield from _parts_of_text(unit.path, source, scan, share)
    else:
        yield scan.load(unit.source, rank=share.rank)


def _parts_of_batches(
    frames: Iterator[pl.DataFrame], source: Source, options: TextOptions, *, is_one: bool
) -> Iterator[list[RunPart]]:
    before: Counter[str] = Counter()
    for frame in frames:
        if not frame.height and not is_one:  # a file of a data set may have no rows
            rename_columns(frame, schemas.RUNS, source.where, options.columns)
            continue
        try:
            parts = _parts_of_batch(frame, source, options)
        except SchemaError as error:
            raise _further_down(error, before) from None
        yield parts
        before[source.where] += frame.height
        for part in parts:
            before[f"{source.where}, run {part.name!r}"] += part.rows.height + len(part.empty)


def _further_down(error: SchemaError, before: Counter[str]) -> SchemaError:
    """Add the rows of the batches before to the number of a row in an error message."""
    message = str(error)
    where = max((place for place in before if message.startswith(place)), key=len, default=None)
    if where is None:
        return error
    rest = message.removeprefix(where)
    count = before[where]
    rest = re.sub(r"\brow ([0-9]+)\b", lambda found: f"row {int(found[1]) + count}", rest, count=1)
    return SchemaError(where + rest)


def _parts_of_batch(table: pl.DataFrame, source: Source, options: TextOptions) -> list[RunPart]:
    named = rename_columns(table, schemas.RUNS, source.where, options.columns)
    has_run = "run" in named.columns
    is_plain = (
        options.na_values is None
        and _needs_no_check(named, "score")
        and "replicate" not in named.columns
    )
    is_other = source.name == "" or options.better == "low" or options.ranked_by is not None
    is_other |= any(kind.is_nested() for kind in table.dtypes)  # lists of distances
    if not is_plain or is_other or (has_run and source.is_given):
        parts = parts_of_table(table, source, options)
        return _keep_digits(parts, named)
    if not has_run:
        name = UNNAMED if source.name is None else source.name
        runs = [(name, named)]
    else:
        runs = [*split_runs(named)]
    return [
        RunPart(name, rows, source.where, against=compared_with_ranks(rows, options))
        for name, rows in runs
    ]


def _keep_digits(parts: list[RunPart], written: pl.DataFrame) -> list[RunPart]:
    """Keep the written digits of large numbers in a column `DIGITS`, which `Buckets.runs` compares.

    Two documents of one request, equal as float64, may lie in different batches. Floats do not
    change.
    """
    number = "score" if "score" in written.columns else "rank"
    is_float = written[number].dtype in (pl.Float32, pl.Float64)
    if is_float or not any(has_large(part.rows["score"]) for part in parts):
        return parts
    if len(parts) > 1:  # as `split_runs` orders them
        written = written.sort(pl.col("run").cast(pl.String), maintain_order=True)
    if any(part.empty for part in parts):
        written = written.filter(pl.col("doc_id").is_not_null())
    texts = written[number].cast(pl.String).alias(DIGITS)
    ends = np.cumsum([part.rows.height for part in parts])
    return [
        replace(part, rows=part.rows.with_columns(texts[end - part.rows.height : end]))
        for part, end in zip(parts, ends.tolist(), strict=True)
    ]


def _needs_no_check(named: pl.DataFrame, number: str) -> bool:
    """Return whether no value of a table can be wrong, or change when it is converted."""
    texts = [named[name] for name in ("run", "iteration") if name in named.columns]
    ids = [named[name] for name in ("query_id", "doc_id") if name in named.columns]
    ranks = [named["rank"]] if "rank" in named.columns else []
    return (
        number in named.columns
        and all(_is_plain_text(column) for column in texts)
        and all(column.dtype in _WHOLE or _is_plain_text(column) for column in ids)
        and not may_have_none(named["doc_id"])
        and not any(column.has_nulls() for column in [*ids, *ranks, named[number]])
        and all(column.dtype == pl.Int64 for column in ranks)
        and _is_plain_number(named[number], finite=number == "relevance")
    )


DIGITS = "digits"
_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)


def _is_plain_text(column: pl.Series) -> bool:
    return column.dtype == pl.String and not column.has_nulls() and not (column == "").any()


def _is_plain_number(column: pl.Series, *, finite: bool) -> bool:
    if column.dtype in (pl.Float32, pl.Float64):
        return not (column.is_nan() | (column.is_infinite() & finite)).any()
    least, greatest = column.min(), column.max()
    if not (isinstance(least, int) and isinstance(greatest, int)):
        return False
    return column.dtype.is_integer() and -least < EXACT and greatest < EXACT


def _parts_of_text(
    path: str, source: Source, scan: RunScan, share: Share
) -> Iterator[list[RunPart]]:
    names: dict[str, None] = {}
    collections: dict[str | None, None] = {}

    def parse(content: Content) -> list[RunPart]:
        parts = parse_runs(content, source, scan.name_from, scan.options, rank=share.rank)
        if not any(has_large(part.rows["score"]) for part in parts):
            return parts
        written, _, _ = as_written(content, source.where, scan.options, schemas.RUNS)
        return _keep_digits(parts, written)

    for parts in parse_pieces(path, source.where, scan.options, schemas.RUNS, share.text, parse):
        names |= dict.fromkeys(part.name for part in parts)
        collections |= dict.fromkeys(part.collection for part in parts)
        of_collections.refuse_several([*collections], source.where)
        if scan.name_from == "tag" and len(parts) == 1:
            one_run_per_source([*names], source.where)
        yield parts


def judgments_of_unit(
    unit: Unit, options: TextOptions, share: Share, count: Callable[[int], None]
) -> Iterator[pl.DataFrame]:
    """Read a unit of judgments; ``count`` is given the rows of implicit feedback.

    The first batch of judgments without grades says so by a warning of `load_qrels` if the unit is
    read at once; other units count them, since a thread must not warn.
    """
    if unit.batches is not None:
        request = Request(schemas.QRELS, options.columns, share.rows)
        yield from _judgments_of_batches(unit.batches(request), unit.where, options, count)
    elif unit.path is not None:
        parse = partial(parse_qrels, where=unit.where, options=options)
        for rows in parse_pieces(unit.path, unit.where, options, schemas.QRELS, share.text, parse):
            yield one_collection(rows, unit.where)
    else:
        yield load_qrels(unit.origin, options).rows


def _judgments_of_batches(
    frames: Iterator[pl.DataFrame], where: str, options: TextOptions, count: Callable[[int], None]
) -> Iterator[pl.DataFrame]:
    before: Counter[str] = Counter()
    for frame in frames:
        table = frame
        if items_of_implicit_feedback(frame.columns, options.columns) is not None:
            graded = grades_of_implicit_feedback(frame, options.columns)
            table = frame if graded is None else graded
            count(table.height)
        try:
            named = rename_columns(table, schemas.QRELS, where, options.columns)
            is_plain = _needs_no_check(named, "relevance")
            yield named if is_plain else checked_judgments(table, where, options)
        except SchemaError as error:
            raise _further_down(error, before) from None
        before[where] += table.height
