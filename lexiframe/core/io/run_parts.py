"""Reading one file, frame or object of runs, whose lines are read here: `load_source`."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    ReadError,
    schemas,
)
from lexiframe.core.io.column_forms import line_layouts
from lexiframe.core.io.column_forms.numbers import may_have_changed, refuse_lost_digits, whole_ranks
from lexiframe.core.io.column_forms.values_for_none import drop_none
from lexiframe.core.io.doubts.first_looks import SECOND, TAGS, may_begin_anew
from lexiframe.core.io.doubts.scores_against_ranks import (
    compared_with_ranks,
    text_is_doubtful,
)
from lexiframe.core.io.files.data_sources import File, Parts, Source, one_run_per_source
from lexiframe.core.io.files.unpacking import Content, content_of
from lexiframe.core.io.headers import header_of
from lexiframe.core.io.one_run import NameFrom, RunPart, as_written, doubts_of_run, orient_scores
from lexiframe.core.io.parsing import parse_table, places_in
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text import trec
from lexiframe.core.io.text_forms import layout_of


def load_source(
    source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool, hashed: bool = False
) -> list[RunPart]:
    """Read the runs of one file, frame or object; ``hashed`` asks for the sha256 of a file."""
    data = source.origin
    if isinstance(data, Parts):
        from lexiframe.core.io.joined_parts import joined_parts

        def read(of_file: Source, rank: bool) -> list[RunPart]:
            return load_source(of_file, name_from, options, rank=rank)

        return joined_parts(source, read, options, rank=rank)
    if not isinstance(data, File):
        from lexiframe.core.io.run_tables import parts_of_object

        return parts_of_object(source, options)
    given = data.read()
    content = content_of(given, source.where)
    try:
        parts = parse_runs(content, source, name_from, options, rank=rank)
    except LexiframeError as error:
        from lexiframe.core.io.rows_of_files import error_with_line

        raise error_with_line(error, content, source.where, options, schemas.RUNS) from None
    sha256 = hashlib.sha256(given).hexdigest() if hashed else None
    return [replace(part, sha256=sha256) for part in parts]


def parse_runs(
    content: Content, source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool
) -> list[RunPart]:
    """Parse and check the content of a file."""
    rank |= options.ranked_by == "rank"
    if content.form is not None:
        from lexiframe.core.io.run_tables import parts_of_file

        return parts_of_file(content.form, content.data, source, options, rank=rank)
    table = parse_table(content.data, source.where, options, schemas.RUNS)
    if table is None:
        parts = [_part_of_lines(content.data, source, name_from, options, rank=rank)]
    else:
        from lexiframe.core.io.run_tables import parts_of_table

        places = places_in(source.origin, options, schemas.RUNS)
        parts = parts_of_table(table, source, options, places)
    # Above 2^53 different numbers can become equal as float64: compare them as they are written.
    if any(may_have_changed(part.rows, "score") for part in parts):
        refuse_lost_digits(*as_written(content, source.where, options, schemas.RUNS))
    return parts


def _part_of_lines(
    data: bytes, source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool
) -> RunPart:
    """Parse the text of one run."""
    layout = layout_of(data, source.where, options, schemas.RUNS)
    unread = [name for name in trec.fields_that_vary(data, layout) if name != name_from]
    is_ranked = rank or (layout is line_layouts.RUN and text_is_doubtful(data, options.decimal))
    further = ["rank"] * (is_ranked or bool(unread)) + ["tag"] * (name_from == "tag")
    wanted = ("query_id", "doc_id", "score", *further, *unread)
    if layout is line_layouts.RANKED:
        wanted = layout.names
    rows, n_wider = trec.parse_lines(data, source.where, layout, wanted, options.decimal)
    numbers: list[pl.Series] = []
    if "rank" in rows.columns:  # if one is not a whole number, all are left out
        numbers = [rows["rank"].cast(pl.Float64, strict=False)]
        ranks = whole_ranks(numbers[0])
        rows = rows.drop("rank") if ranks.has_nulls() else rows.with_columns(ranks)
    rows = orient_scores(rows, options, source.where)
    against = compared_with_ranks(rows.with_columns(numbers), options)
    looked_at = rows
    if layout is line_layouts.RUN and "rank" not in wanted and may_begin_anew(rows):
        both, _ = trec.parse_lines(data, source.where, layout, ("score", "rank"), options.decimal)
        ranks = whole_ranks(both["rank"].cast(pl.Float64, strict=False))
        looked_at = rows if ranks.has_nulls() else rows.with_columns(ranks)
    called = {"tag": TAGS, "q0": SECOND}
    others = pl.DataFrame([rows[n].alias(called[n]) for n in unread if n in rows.columns])
    doubts = doubts_of_run(
        looked_at, others, source.where, others.columns, named_lines=source.is_given
    )
    if layout is line_layouts.SCORED and options.ranked_by is None:
        from lexiframe.core.io.doubts.order_of_rows import doubted_order

        order = doubted_order(rows, others, source.where, "score")
        doubts = (*doubts, order) if order else doubts
    rows = rows.drop(*unread, *["rank"] * (bool(unread) and not is_ranked), strict=False)
    name = source.name
    if name_from == "tag":
        if "tag" not in rows.columns:
            raise ReadError(
                f"{source.where}: expected a tag in field 6, found {layout.at_least} fields"
            )
        name = one_run_per_source(rows["tag"].unique().to_list(), source.where)
        rows = rows.drop("tag")
    rows = drop_none(rows, source.where, options.na_values)
    part = RunPart(
        str(name),
        rows,
        source.where,
        places=places_in(source.origin, options, schemas.RUNS),
        header=header_of(data),
        n_wider=n_wider,
        against=against,
        unread=(*others.columns,),
        doubts=doubts,
    )
    if not options.na_values:
        return part
    from lexiframe.core.io.run_tables import separate_empty

    alone = separate_empty(part.name, rows, part.where, None, options)
    return replace(part, rows=alone.rows, empty=alone.empty, places=None)
