"""One run in several files, whose parts are joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from lexiframe.core.base import (
    Problem,
    SchemaError,
    coded,
    schemas,
)
from lexiframe.core.io.column_forms.numbers import may_have_changed, refuse_lost_digits
from lexiframe.core.io.doubts.scores_against_ranks import (
    NOTHING_AGAINST,
)
from lexiframe.core.io.doubts.several_in_parts import several_in_parts, share_queries
from lexiframe.core.io.files.data_sources import Source
from lexiframe.core.io.one_run import RunPart, as_written
from lexiframe.core.io.problems.advice import NO_DOCUMENT
from lexiframe.core.io.reading_options import TextOptions


def joined_parts(
    source: Source,
    read: Callable[[Source, bool], list[RunPart]],
    options: TextOptions,
    *,
    rank: bool,
) -> list[RunPart]:
    """Read the files of one run, and join the parts of each run in them.

    ``read`` returns the runs of one file, with their ranks if its second argument says so.
    """
    by_name: dict[tuple[str | None, str], list[RunPart]] = {}
    for of_file in source.apart():
        for part in read(of_file, rank):
            by_name.setdefault((part.collection, part.name), []).append(part)
    if not rank and any(share_queries([one.rows for one in parts]) for parts in by_name.values()):
        ranked = joined_parts(source, read, options, rank=True)  # ranks tell runs from parts
        return [replace(part, rows=part.rows.drop("rank", strict=False)) for part in ranked]
    joined = [_one(parts, source.where) for parts in by_name.values()]
    if any(may_have_changed(part.rows, "score") for part in joined):
        files = [(file.content(), str(file)) for file in source.files]
        written = [as_written(*file, options, schemas.RUNS) for file in files]
        texts = pl.concat([texts for texts, _, _ in written], how="diagonal")
        refuse_lost_digits(texts, source.where, written[0][2])
    return joined


def _one(parts: list[RunPart], where: str) -> RunPart:
    """Join the parts of one run; ranks are kept if all parts have them."""
    columns = [c for c in parts[0].rows.columns if all(c in part.rows.columns for part in parts)]
    rows = pl.concat(coded.as_strings(part.rows.select(columns)) for part in parts)
    empty = pl.Series([query for part in parts for query in part.empty], dtype=pl.String)
    twice = empty.filter(empty.is_duplicated() | empty.is_in(rows["query_id"].unique().implode()))
    if len(twice):
        found = f"an empty list beside other rows for query {twice[0]!r} ({len(twice)} such lists)"
        raise SchemaError(Problem(where, "each empty list alone in its query", found, NO_DOCUMENT))
    every = [part.rows for part in parts]
    several = several_in_parts(every, [part.where.partition(", run ")[0] for part in parts], where)
    return RunPart(
        parts[0].name,
        rows,
        where,
        tuple(empty),
        doubts=(*([several] if several else []), *(said for part in parts for said in part.doubts)),
        against=sum((part.against for part in parts), NOTHING_AGAINST),
        collection=parts[0].collection,
        header=next((part.header for part in parts if part.header), None),
        n_wider=sum(part.n_wider for part in parts),
    )
