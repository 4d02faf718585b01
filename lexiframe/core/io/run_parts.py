"""Reading one file, frame or object, and dividing it into its runs: `RunPart`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import (
    LexiframeError,
    Problem,
    ReadError,
    SchemaError,
    coded,
    feature,
    n_and_first,
    schemas,
    warn,
)
from lexiframe.core.io.column_forms import line_layouts
from lexiframe.core.io.column_forms.column_names import columns_of, words_for
from lexiframe.core.io.column_forms.ids import checked_ids
from lexiframe.core.io.column_forms.lists_of_items import rename_columns
from lexiframe.core.io.column_forms.numbers import may_have_changed, refuse_lost_digits, whole_ranks
from lexiframe.core.io.column_forms.objects import form_of_tool, to_frame
from lexiframe.core.io.column_forms.values_for_none import drop_none
from lexiframe.core.io.files.data_sources import File, Parts, Source, one_run_per_source
from lexiframe.core.io.files.form import Form, Opened
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.io.files.tables import read_arrow, read_columns
from lexiframe.core.io.files.unpacking import Content, content_of
from lexiframe.core.io.headers import header_of
from lexiframe.core.io.parsing import error_with_line, layout_of, parse_table, places_in, rows_of
from lexiframe.core.io.problems.divided_lists import divided_lists, names_folds
from lexiframe.core.io.problems.doubted_runs import (
    SECOND,
    TAGS,
    divided_ranking,
    may_be_one_ranking,
    may_begin_anew,
    several_in_parts,
    several_rankings,
    share_queries,
)
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.problems.order_of_rows import doubted_order, in_order, numbers_in_doubt
from lexiframe.core.io.problems.rows_as_written import columns_in
from lexiframe.core.io.problems.scores_against_ranks import (
    NOTHING_AGAINST,
    Against,
    batches_are_doubtful,
    compared_with_ranks,
    text_is_doubtful,
)
from lexiframe.core.io.rare_forms import forms_of_table
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text import trec

NameFrom = Literal["file", "tag"]
UNNAMED = "run"
_NUMBERS = ("score", "relevance", "rank")
_SAMPLE = 1000  # the rows of a column that are looked at first
_ROW = "\0row"  # none of our columns has this name
RUNS_ALONE = replace(
    schemas.RUNS,
    key=("run", "query_id", "doc_id"),
    columns={name: kind for name, kind in schemas.RUNS.columns.items() if name != "replicate"},
)
"""Runs where replicates have no place."""
_RUNS_OR_RANKS = replace(schemas.RUNS, optional=("run", "replicate", "score", "rank"))


@dataclass(frozen=True)
class RunPart:
    """One run, or one of its replicates, which then is in its name: see `coded.join_replicate`.

    The columns of ``rows`` are ``query_id``, ``doc_id``, ``score`` and perhaps ``rank``; the rows
    are in the order of the file. Ids are strings, or categories if they were integers.
    """

    name: str
    rows: pl.DataFrame
    where: str  # what error messages call the run
    empty: tuple[str, ...] = ()  # queries answered with an empty list, which have no rows
    places: Places | None = None  # returns the line or record of every row that comes from text
    header: str | None = None  # the ir_metadata in the file's comments, as YAML
    n_wider: int = 0  # how many lines of the file have more fields than are read
    sha256: str | None = None  # the hash of the file's bytes, if it was asked for
    unread: tuple[str, ...] = ()  # names of columns or fields that may tell several runs apart
    doubts: tuple[Problem, ...] = ()  # what the run may be instead, which nobody has said yet
    is_known: bool = True  # whether a name, a column or the form of the file says that it is a run
    distinct: bool = False  # whether no document can occur twice: dictionaries have each name once
    against: Against = NOTHING_AGAINST  # the rows whose scores contradict the ranks


def no_rows(names: Sequence[str]) -> SchemaError:
    """Return the error of runs whose table has no row."""
    found = f"no rows of {n_and_first(names)}"
    advice = "leave a run out that was not read, and check the filter that made the frame"
    return SchemaError(Problem("runs", "the rows of each run's rankings", found, advice))


def load_source(
    source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool, hashed: bool = False
) -> list[RunPart]:
    """Read the runs of one file, frame or object; ``hashed`` asks for the sha256 of a file."""
    data = source.origin
    if isinstance(data, Parts):
        return _joined_parts(source, name_from, options, rank=rank)
    if isinstance(data, str):
        return parts_of_table(
            features.needed(feature.Places, data).from_ir_datasets(data, "scoreddocs"),
            source,
            options,
        )
    if not isinstance(data, File):
        frame = to_frame(data, "score", source.where, keep_twins=True)
        parts = parts_of_table(frame, source, options.settled_for(data))
        if len(parts) > 1 and provenance_of(data.schema if isinstance(data, pa.Table) else None):
            parts = [replace(part, doubts=()) for part in parts]  # said when they were read
        if isinstance(data, dict) and not form_of_tool(data):
            return [replace(part, distinct=True) for part in parts]
        return [_from_file(part, data) for part in parts]
    given = data.read()
    content = content_of(given, source.where)
    try:
        parts = parse_runs(content, source, name_from, options, rank=rank)
    except LexiframeError as error:
        raise error_with_line(error, content, source.where, options, schemas.RUNS) from None
    sha256 = hashlib.sha256(given).hexdigest() if hashed else None
    return [replace(part, sha256=sha256) for part in parts]


def _joined_parts(
    source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool
) -> list[RunPart]:
    """Read the files of one run, and join the parts of each run in them."""
    by_name: dict[str, list[RunPart]] = {}
    for of_file in source.apart():
        for part in load_source(of_file, name_from, options, rank=rank):
            by_name.setdefault(part.name, []).append(part)
    if not rank and any(share_queries([one.rows for one in parts]) for parts in by_name.values()):
        ranked = _joined_parts(source, name_from, options, rank=True)  # ranks tell runs from parts
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
    from lexiframe.core.io.problems.advice import NO_DOCUMENT

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
        header=next((part.header for part in parts if part.header), None),
        n_wider=sum(part.n_wider for part in parts),
    )


def parse_runs(
    content: Content, source: Source, name_from: NameFrom, options: TextOptions, *, rank: bool
) -> list[RunPart]:
    """Parse and check the content of a file."""
    rank |= options.ranked_by == "rank"
    if content.form is not None:
        return _parts_of_file(content.form, content.data, source, options, rank=rank)
    table = parse_table(content.data, source.where, options, schemas.RUNS)
    if table is None:
        parts = [_part_of_lines(content.data, source, name_from, options, rank=rank)]
    else:
        parts = parts_of_table(
            table, source, options, places_in(source.origin, options, schemas.RUNS)
        )
    # Above 2^53 different numbers can become equal as float64: compare them as they are written.
    if any(may_have_changed(part.rows, "score") for part in parts):
        refuse_lost_digits(*as_written(content, source.where, options, schemas.RUNS))
    return parts


@dataclass
class _Needed:
    """A function from an opened table to the columns that are read, which keeps why they are."""

    where: str
    options: TextOptions
    rank: bool
    beside: bool
    named_by: list[str] = field(default_factory=list)  # the column of runs, if it is read as it is
    looked_at: list[str] = field(default_factory=list)  # our columns that are only looked at
    left_out: list[str] = field(default_factory=list)
    scored: dict[str, str] = field(default_factory=dict)  # of scores without ranks, by theirs

    def __call__(self, opened: Opened) -> list[str] | None:
        """Return the needed columns, and the columns that may distinguish several systems."""
        try:
            found = columns_of(opened.schema.names, schemas.RUNS, self.where, self.options.columns)
        except LexiframeError:
            return None
        others = {*opened.schema.names} - {*found.values()}
        if {"run", "replicate"} & {*found}:
            others = {*filter(names_folds, others)}
        unread = sorted(name for name in others if opened.has_few(name))
        if self.beside:
            unread += sorted({*numbers_in_doubt(opened, found)} - {*unread})
        elif "rank" not in found:
            names = [name for name in ("run", "query_id", "score") if name in found]
            self.scored.update({found[name]: name for name in names})
        is_needless = "score" in found and _has_whole_ranks(opened.schema, found.get("rank"))
        if is_needless and not self.rank and not batches_are_doubtful(found, opened.batches):
            if unread:
                self.looked_at.append("rank")
            else:
                self.left_out.append(found.pop("rank"))
        self.named_by.extend([found["run"]] if "run" in found and "replicate" not in found else [])
        return [*found.values(), *unread]


def _parts_of_file(
    form: Form,
    data: bytes,
    source: Source,
    options: TextOptions,
    *,
    rank: bool,
    beside: bool = False,
) -> list[RunPart]:
    """Read and check a table that is no text: if possible, only the columns that are needed.

    ``beside``: numbers that are not read may order the rows, which do not fall by the scores.
    """
    needed = _Needed(source.where, options, rank, beside)
    read = read_columns(form, data, source.where, needed)
    if read is None:
        arrow = read_arrow(form, data, source.where)
        frame, schema = to_frame(arrow, "score", source.where, keep_twins=True), arrow.schema
    else:
        frame, schema = read
        if "score" in needed.scored.values() and not in_order(
            frame.select(*needed.scored), needed.scored
        ):
            return _parts_of_file(form, data, source, options, rank=rank, beside=True)
        if name := _only_text(frame, needed.named_by):
            frame = frame.drop(needed.named_by)
            source = source if source.is_given else replace(source, name=name)
    parts = parts_of_table(frame, source, options, names=schema.names)
    if needed.left_out and (
        may_begin_anew(parts[0].rows)
        if len(parts) == 1
        else may_be_one_ranking(rename_columns(frame, schemas.RUNS, source.where, options.columns))
    ):
        parts = _parts_of_file(form, data, source, options, rank=True)
        return [replace(part, rows=part.rows.drop("rank")) for part in parts]
    headers = provenance_of(schema).get("ir_metadata", {})
    if not rank and read is not None:  # it was read to tell several systems apart
        parts = [replace(part, rows=part.rows.drop(needed.looked_at)) for part in parts]
    return [
        replace(
            part, header=headers.get(part.name), is_known=part.is_known or bool(needed.named_by)
        )
        for part in parts
    ]


def _only_text(frame: pl.DataFrame, names: list[str]) -> str:
    """Return the text that a column has in all rows; empty if there is none, or no column."""
    for name in names:
        column = frame[name]
        if column.dtype == pl.String and column.len() and not column.has_nulls():
            return column[0] if (column == column[0]).all() else ""
    return ""


def _has_whole_ranks(schema: pa.Schema, name: str | None) -> bool:
    """Return whether a column exists and needs no check, since its type has whole ranks only."""
    return name is not None and pa.types.is_signed_integer(schema.field(name).type)


def as_written(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> tuple[pl.DataFrame, str, str]:
    """Return a file's runs, queries and numbers as text, and two names for `refuse_lost_digits`."""
    blocks, number = [], ""
    for rows in rows_of(content, where, options, schema):
        found, _ = columns_in(rows, where, schema, options.columns)
        number = next(name for name in _NUMBERS if name in found)
        texts = [found[name].texts.alias(name) for name in ("run", "query_id") if name in found]
        blocks.append(pl.DataFrame([*texts, found[number].texts.alias("score")]))
    return pl.concat(blocks, how="diagonal"), where, number


def _from_file(part: RunPart, table: Any) -> RunPart:
    """Add the file and the ir_metadata of a run, which the metadata of a table of `read_runs` name.

    This is done for tables in memory only: a path in the metadata of a file cannot be trusted.
    """
    facts = provenance_of(table.schema if isinstance(table, pa.Table) else None)
    header = facts.get("ir_metadata", {}).get(part.name)
    if facts.get("reading", {}).get("ranked_by"):  # said when it was read
        part = replace(part, against=NOTHING_AGAINST)
    sources = {
        coded.join_replicate(str(source.get("run")), source.get("replicate")): source
        for source in facts.get("sources", [])
    }
    if part.name not in sources:
        return replace(part, header=header)
    file = File(str(sources[part.name].get("path")))
    places = _if_same(file, sources[part.name])
    return replace(part, where=str(file), places=places, header=header)


def _if_same(file: File, source: dict[str, Any]) -> Places:
    """Return a function that reads a file again; it returns no places if the file has changed."""

    def places() -> tuple[str, np.ndarray]:
        try:
            held = file.held() if os.path.isfile(file.path) else File("", b"")  # noqa: PTH113
            options = TextOptions(**source.get("reading", {}))
            is_same = held.facts()["sha256"] == source.get("sha256")
        except (LexiframeError, TypeError):  # TypeError: the metadata name other options
            is_same = False
        return places_in(held, options, schemas.RUNS)() if is_same else ("", np.empty(0, np.int64))

    return places


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
    rows = _orient_scores(rows, options, source.where)
    against = compared_with_ranks(rows.with_columns(numbers), options)
    looked_at = rows
    if layout is line_layouts.RUN and "rank" not in wanted and may_begin_anew(rows):
        both, _ = trec.parse_lines(data, source.where, layout, ("score", "rank"), options.decimal)
        ranks = whole_ranks(both["rank"].cast(pl.Float64, strict=False))
        looked_at = rows if ranks.has_nulls() else rows.with_columns(ranks)
    called = {"tag": TAGS, "q0": SECOND}
    others = pl.DataFrame([rows[n].alias(called[n]) for n in unread if n in rows.columns])
    doubts = _doubts(looked_at, others, source.where, others.columns, named_lines=source.is_given)
    if layout is line_layouts.SCORED and options.ranked_by is None:
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
    alone = _separate_empty(part.name, rows, part.where, None, options)
    return replace(part, rows=alone.rows, empty=alone.empty, places=None)


def parts_of_table(
    table: pl.DataFrame,
    source: Source,
    options: TextOptions,
    places: Places | None = None,
    names: Sequence[str] | None = None,
) -> list[RunPart]:
    """Check a table and divide it into its runs.

    ``names`` names all columns, if the table has only the needed ones.
    """
    where = source.where
    named = given = rename_columns(table, schemas.RUNS, where, options.columns)
    if "run" not in named.columns and source.name == "":
        named = named.with_columns(run=pl.lit(""))  # refused below like other empty ids
    if named.schema.get("rank") == pl.String:
        ranks = whole_ranks(named["rank"])  # other text stays, and is refused below
        is_same = ranks.null_count() == named["rank"].null_count()
        named = named.with_columns(ranks) if is_same else named
    named = drop_none(named, where, options.na_values)
    places = None if options.na_values else places  # rows may have been left out
    named = checked_ids(named, _RUNS_OR_RANKS, where, coded=schemas.IDS)
    lists = forms_of_table(table, schemas.RUNS)
    is_low = lists is not None and lists.are_distances(table, options.columns)
    named = _orient_scores(named, replace(options, better="low") if is_low else options, where)
    if "score" in named.columns and may_have_changed(named, "score"):
        refuse_lost_digits(*as_text(given, where))
    if not named.height and not source.is_given:
        raise SchemaError(Problem(where, "the rows of a ranking", "no rows"))
    if not named.height:
        return [RunPart(str(source.name), named.drop("run", strict=False), where)]
    unnamed = UNNAMED if source.name is None else source.name
    given_name = source.is_given
    if "replicate" in named.columns:
        named, given_name = _name_replicates(named, source, str(unnamed)), False
    runs = named["run"].unique() if "run" in named.columns else pl.Series([unnamed])
    further = _doubts_of_rows(table, named, names or table.columns, where, options)
    if len(runs) == 1:
        name = str(source.name) if given_name else str(runs.item())
        is_known = given_name or not {"run", "rank"}.isdisjoint(named.columns)
        part = _separate_empty(name, named.drop("run", strict=False), where, places, options)
        unread = dict.fromkeys(_unread(table, named, names or table.columns, where, options))
        others = pl.DataFrame([column for column in table if column.name in unread])
        doubts = _doubts(named, others, where, [*unread]) + further
        return [replace(part, is_known=is_known, unread=(*unread,), doubts=doubts)]
    if given_name:
        raise _several_under_one_name(runs, where)
    numbered = named.with_row_index(_ROW)
    parts = [
        _separate_empty(
            name,
            rows.drop(_ROW),
            f"{where}, run {coded.said(name)}",
            _places_of(rows[_ROW], places),
            options,
        )
        for name, rows in split_runs(numbered)
    ]
    parts[0] = replace(parts[0], doubts=further)
    is_said = "run" in {*options.columns, *options.columns.values()}
    if is_said or not _are_the_rows(table, named, options):
        return parts
    read = columns_of(table.columns, schemas.RUNS, where, options.columns)
    divided = None if "replicate" in read else divided_ranking(named, read["run"], where)
    return [replace(parts[0], doubts=(divided, *further)), *parts[1:]] if divided else parts


def _doubts_of_rows(
    table: pl.DataFrame,
    named: pl.DataFrame,
    names: Sequence[str],
    where: str,
    options: TextOptions,
) -> tuple[Problem, ...]:
    """Return the doubts that unread columns and the order of the rows raise about runs."""
    if not _are_the_rows(table, named, options):
        return ()
    read = columns_of(names, schemas.RUNS, where, options.columns)
    others = table.select(column for column in table if column.name not in read.values())
    divided = divided_lists(named, others, where)
    if divided is not None and divided.is_certain:
        raise SchemaError(divided.problem)
    doubts = [] if divided is None else [divided.problem]
    if "score" in read and "rank" not in read and options.ranked_by is None:
        order = doubted_order(named, others, where, read["score"])
        doubts += [order] if order else []
    return tuple(doubts)


def _unread(
    table: pl.DataFrame,
    named: pl.DataFrame,
    names: Sequence[str],
    where: str,
    options: TextOptions,
) -> tuple[str, ...]:
    """Return which columns are not read, and may vary."""
    if "run" in named.columns or not _are_the_rows(table, named, options):
        return ()
    read = {*columns_of(table.columns, schemas.RUNS, where, options.columns).values()}
    others = [name for name in names if name not in read]
    there = {column.name: column for column in table}
    return tuple(name for name in others if name not in there or _may_vary(there[name]))


def _are_the_rows(table: pl.DataFrame, named: pl.DataFrame, options: TextOptions) -> bool:
    """Return whether each row of a table is one of the run, and no list of documents."""
    are_lists = any(isinstance(dtype, pl.List | pl.Array) for dtype in table.dtypes)
    names = {name.partition(":")[0] for name in table.columns}
    are_lists |= names.isdisjoint(words_for("doc_id", options.columns))
    return not are_lists and table.height == named.height


def _may_vary(column: pl.Series) -> bool:
    if column.dtype.is_nested() or column.dtype == pl.Object:
        return True
    some = column[:: max(len(column) // _SAMPLE, 1)]
    return some.n_unique() > 1 or column.n_unique() > 1


def _doubts(
    rows: pl.DataFrame,
    others: pl.DataFrame,
    where: str,
    unread: Sequence[str],
    *,
    named_lines: bool = False,
) -> tuple[Problem, ...]:
    """Return the doubts about the rows of a run; raise for a certain problem.

    ``named_lines``: the caller named the run of lines without column names, so that it is one run.
    """
    several = several_rankings(rows, others, where, unread)
    if several is None or (named_lines and not several.is_certain and not several.has_twins):
        return ()
    if several.is_certain:
        raise SchemaError(several.problem)
    return (several.problem,)


def warn_of_doubts(doubts: Iterable[Problem]) -> None:
    """Warn of doubts about runs, once for each file or frame."""
    for said in dict.fromkeys(map(str, doubts)):
        warn(said)


def _name_replicates(named: pl.DataFrame, source: Source, unnamed: str) -> pl.DataFrame:
    """Return rows whose runs are names of run and replicate; raise for several under one name."""
    if "run" not in named.columns:
        named = named.with_columns(run=pl.lit(unnamed))
    elif source.is_given and named["run"].n_unique() > 1:
        raise _several_under_one_name(named["run"].unique(), source.where)
    elif source.is_given:
        named = named.with_columns(run=pl.lit(source.name))
    return coded.replicates_joined(named)


def _several_under_one_name(names: pl.Series, where: str) -> SchemaError:
    return SchemaError(
        f"{where}: expected one run under this name, found {n_and_first(names.sort())} in the "
        "column of runs; give the table without a name"
    )


def refuse_replicates(parts: Iterable[RunPart]) -> None:
    """Raise for runs with replicates if their kind is unknown or unspecified."""
    of_replicates = [part.name for part in parts if coded.split_replicate(part.name)[1]]
    if of_replicates:
        raise LexiframeError(
            f"runs: found replicates (run {coded.said(min(of_replicates))}), and what they "
            "are is unspecified; evaluate takes replicates='run' (each run's own seeds), 'request' "
            "(samples of each request's data, the same for all runs), 'cell' (repetitions of each "
            "run and request) or 'both' (seeds that all runs share), and so do compare, "
            "equivalence and gate of their scores: scores(positions(runs, qrels), ...); elsewhere, "
            "give each replicate a name of its own as run"
        )


def as_text(given: pl.DataFrame, where: str) -> tuple[pl.DataFrame, str, str]:
    """Return a frame's runs, queries and numbers as text, with two names (see `as_written`)."""
    names = [name for name in ("run", "query_id") if name in given.columns]
    number = next(name for name in _NUMBERS if name in given.columns)
    score = pl.col(number).cast(pl.String).alias("score")
    return given.select(pl.col(names).cast(pl.String), score), where, number


def _places_of(rows: pl.Series, places: Places | None) -> Places | None:
    """Return the places of some rows."""
    if places is None:
        return None
    return lambda: (places()[0], places()[1][rows.to_numpy()])


def _separate_empty(
    name: str, rows: pl.DataFrame, where: str, places: Places | None, options: TextOptions
) -> RunPart:
    """Separate the queries that were answered with an empty list from the rows."""
    no_document = rows["doc_id"].is_null()
    if not no_document.any():
        refuse_no_number(rows, "score", where)
        against = compared_with_ranks(rows, options)
        return RunPart(name, rows, where, places=places, against=against)
    empty = rows.filter(no_document)
    numbers = pl.col(name for name in ("score", "rank") if name in empty.columns)
    n_scored = empty.filter(pl.any_horizontal(numbers.is_not_null())).height
    if n_scored:
        raise SchemaError(
            f"{where}: expected an id as doc_id, found none in {n_scored} rows that have a score "
            "or rank"
        )
    refuse_padding(rows, no_document, where)
    rows = rows.filter(~no_document)
    refuse_no_number(rows, "score", where)
    answers = tuple(empty["query_id"].cast(pl.String))
    return RunPart(name, rows, where, answers, against=compared_with_ranks(rows, options))


def refuse_padding(rows: pl.DataFrame, no_document: pl.Series, where: str) -> None:
    """Raise for rows without a document in queries that have other rows too.

    Only a row that is alone in its query stands for an empty list; here a document may be lost.
    """
    from lexiframe.core.io.problems.advice import NO_DOCUMENT

    bad = (rows["query_id"].is_duplicated() & no_document).arg_true()
    if len(bad):
        query = rows["query_id"][int(bad[0])]
        raise SchemaError(
            f"{where}: expected a document and a number in each row of a query, found neither in "
            f"{len(bad)} (row {bad[0] + 1} first, query {query!r}); {NO_DOCUMENT}"
        )


def _orient_scores(rows: pl.DataFrame, options: TextOptions, where: str) -> pl.DataFrame:
    """Negate scores if low ones are better; use the negative rank where there is no score."""
    is_ranked = options.ranked_by == "rank"
    if is_ranked and "rank" not in rows.columns:
        advice = "say which column has them (columns={'rank': '...'}), or leave ranked_by out"
        raise SchemaError(Problem(where, "a column of whole ranks", "none", advice))
    if "score" in rows.columns and not is_ranked:
        return rows if options.better == "high" else rows.with_columns(-pl.col("score"))
    if "rank" not in rows.columns:
        return rows
    return rows.with_columns(score=-pl.col("rank").cast(pl.Float64))


def split_runs(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield each run's name and rows; runs are sorted by name, rows keep the table's order."""
    # Most tables have each run in one stretch: slicing it copies nothing.
    stretches = table["run"].rle().struct.unnest()
    if stretches["value"].n_unique() < stretches.height:
        table = table.sort("run", maintain_order=True)
        stretches = table["run"].rle().struct.unnest()
    starts = stretches["len"].cast(pl.Int64).cum_sum() - stretches["len"]
    for start, length, name in sorted(
        zip(starts, stretches["len"], stretches["value"], strict=True), key=lambda part: part[2]
    ):
        yield name, table.slice(start, length).drop("run")


def refuse_no_number(rows: pl.DataFrame, column: str, where: str) -> None:
    """Raise when a score or grade is null or NaN."""
    from lexiframe.core.io.problems.advice import NO_NUMBER

    numbers = rows[column]
    if not (numbers.has_nulls() or np.isnan(numbers.to_numpy()).any()):  # as mostly, and faster
        return
    bad = (numbers.is_null() | numbers.is_nan()).arg_true()
    if len(bad):
        first = rows.row(int(bad[0]), named=True)
        raise SchemaError(
            f"{where}: expected a number in {column} of every row, found none in {len(bad)} "
            f"(row {bad[0] + 1} first, query {first['query_id']!r}, document {first['doc_id']!r}); "
            f"{NO_NUMBER[column]}"
        )
