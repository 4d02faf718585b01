"""Tables of runs: a frame, an object or a file with names of columns, divided into its runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    coded,
    feature,
    n_and_first,
    schemas,
)
from lexiframe.core.io import doubts
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.column_forms.column_names import columns_of, words_for
from lexiframe.core.io.column_forms.ids import checked_ids
from lexiframe.core.io.column_forms.lists_of_items import rename_columns
from lexiframe.core.io.column_forms.numbers import may_have_changed, refuse_lost_digits, whole_ranks
from lexiframe.core.io.column_forms.objects import form_of_tool, to_frame
from lexiframe.core.io.column_forms.values_for_none import drop_none
from lexiframe.core.io.doubts.first_looks import may_begin_anew, names_folds, some_of
from lexiframe.core.io.doubts.scores_against_ranks import (
    NOTHING_AGAINST,
    compared_with_ranks,
    contradict,
    first_rows,
)
from lexiframe.core.io.files.data_sources import File, Source
from lexiframe.core.io.files.form import Form, Opened
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.io.files.tables import read_arrow, read_columns
from lexiframe.core.io.one_run import (
    UNNAMED,
    RunPart,
    as_text,
    doubts_of_run,
    orient_scores,
    refuse_no_number,
)
from lexiframe.core.io.parsing import places_in
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.rare_forms import forms_of_table
from lexiframe.core.io.reading_options import TextOptions

_FEW = 256  # values that a column may have that tells several systems apart
_ROW = "\0row"  # none of our columns has this name
_RUNS_OR_RANKS = replace(schemas.RUNS, optional=("run", "replicate", "score", "rank"))


def parts_of_object(source: Source, options: TextOptions) -> list[RunPart]:
    """Return the runs of a frame, an object of another library, or a name of ir_datasets."""
    data = source.origin
    if isinstance(data, str):
        read = features.needed(feature.Places, data).from_ir_datasets
        return parts_of_table(read(data, "scoreddocs"), source, options)
    frame = to_frame(data, "score", source.where, keep_twins=True)
    parts = parts_of_table(frame, source, options.settled_for(data))
    if len(parts) > 1 and provenance_of(data.schema if isinstance(data, pa.Table) else None):
        parts = [replace(part, doubts=()) for part in parts]  # said when they were read
    if isinstance(data, dict) and not form_of_tool(data):
        return [replace(part, distinct=True) for part in parts]
    return [_from_its_file(part, data) for part in parts]


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
    if of_collections.has_collections(table.columns, options.columns):
        return _parts_of_collections(table, source, options, places, names)
    named = _checked_rows(table, source, options)
    if not named.height and not source.is_given:
        raise SchemaError(Problem(where, "the rows of a ranking", "no rows"))
    if not named.height:
        return [RunPart(str(source.name), named.drop("run", strict=False), where)]
    places = None if options.na_values else places  # rows may have been left out
    unnamed = UNNAMED if source.name is None else source.name
    given_name = source.is_given
    if "replicate" in named.columns:
        named, given_name = _name_replicates(named, source, str(unnamed)), False
    rows = named if places is None else named.with_row_index(_ROW)
    runs = [*split_runs(rows)] if "run" in named.columns else [(str(unnamed), rows)]
    further = _doubts_of_rows(table, named, names or table.columns, where, options)
    if len(runs) == 1:
        name = str(source.name) if given_name else runs[0][0]
        is_known = given_name or not {"run", "rank"}.isdisjoint(named.columns)
        part = separate_empty(name, runs[0][1].drop(_ROW, strict=False), where, places, options)
        unread = dict.fromkeys(_unread(table, named, names or table.columns, where, options))
        others = pl.DataFrame([column for column in table if column.name in unread])
        said = doubts_of_run(named, others, where, [*unread]) + further
        return [replace(part, is_known=is_known, unread=(*unread,), doubts=said)]
    if given_name:
        raise _several_under_one_name(pl.Series([name for name, _ in runs]), where)
    first, *rest = _divided_runs(runs, where, places, options)
    divided = _divided_ranking(table, named, where, options)
    return [replace(first, doubts=(divided, *further) if divided else further), *rest]


def _parts_of_collections(
    table: pl.DataFrame,
    source: Source,
    options: TextOptions,
    places: Places | None,
    names: Sequence[str] | None,
) -> list[RunPart]:
    """Divide each collection of a table into its runs."""
    rest = [name for name in names or table.columns if name != of_collections.COLLECTION]
    found = []
    for name, rows in of_collections.rows_by_collection(table, source.where):
        part = table.drop(of_collections.COLLECTION)[rows]
        one = parts_of_table(part, source, options, _places_of(rows, places), rest)
        found += [replace(run, collection=name) for run in one]
    return found or parts_of_table(table.drop(of_collections.COLLECTION), source, options)


def _checked_rows(table: pl.DataFrame, source: Source, options: TextOptions) -> pl.DataFrame:
    """Return the rows of a table under our names of columns, with ids and numbers checked."""
    where = source.where
    named = given = rename_columns(table, schemas.RUNS, where, options.columns)
    if "run" not in named.columns and source.name == "":
        named = named.with_columns(run=pl.lit(""))  # refused below like other empty ids
    if named.schema.get("rank") == pl.String:
        ranks = whole_ranks(named["rank"])  # other text stays, and is refused below
        is_same = ranks.null_count() == named["rank"].null_count()
        named = named.with_columns(ranks) if is_same else named
    named = drop_none(named, where, options.na_values)
    named = checked_ids(named, _RUNS_OR_RANKS, where, coded=schemas.IDS)
    lists = forms_of_table(table, schemas.RUNS)
    is_low = lists is not None and lists.are_distances(table, options.columns)
    named = orient_scores(named, replace(options, better="low") if is_low else options, where)
    if "score" in named.columns and may_have_changed(named, "score"):
        refuse_lost_digits(*as_text(given, where))
    return named


def _divided_runs(
    runs: Sequence[tuple[str, pl.DataFrame]],
    where: str,
    places: Places | None,
    options: TextOptions,
) -> Iterator[RunPart]:
    """Yield the runs of a table with a column of runs."""
    for name, rows in runs:
        of_run = None if places is None else _places_of(rows[_ROW], places)
        whose, rows = f"{where}, run {coded.said(name)}", rows.drop(_ROW, strict=False)
        yield separate_empty(name, rows, whose, of_run, options)


def _divided_ranking(
    table: pl.DataFrame, named: pl.DataFrame, where: str, options: TextOptions
) -> Problem | None:
    """Return the doubt that several runs are one ranking; None where the user named the runs."""
    is_said = "run" in {*options.columns, *options.columns.values()}
    if is_said or not _are_the_rows(table, named, options):
        return None
    read = columns_of(table.columns, schemas.RUNS, where, options.columns)
    if "replicate" in read or "rank" not in read:
        return None
    return doubts.divided_ranking(named, read["run"], where)


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
    folds = others.select(column for column in others if names_folds(column.name))
    divided = doubts.divided_lists(named, folds, where) if folds.width else None
    if divided is not None and divided.is_certain:
        raise SchemaError(divided.problem)
    said = [] if divided is None else [divided.problem]
    if "score" in read and "rank" not in read and options.ranked_by is None:
        order = doubts.doubted_order(named, others, where, read["score"])
        said += [order] if order else []
    return tuple(said)


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
    some = some_of(column)
    return some.n_unique() > 1 or (len(some) < len(column) and column.n_unique() > 1)


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


def _places_of(rows: pl.Series, places: Places | None) -> Places | None:
    """Return the places of some rows."""
    if places is None:
        return None
    return lambda: (places()[0], places()[1][rows.to_numpy()])


def separate_empty(
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


@dataclass
class _Needed:
    """A function from an opened table to the columns that are read, which keeps why they are."""

    where: str
    options: TextOptions
    rank: bool
    beside: bool
    only_run: str = ""  # the run that a column names in all rows, so that it is not read
    ranks: list[tuple[Any, ...]] = field(default_factory=list)  # the first, if few are looked at
    ranked: list[str] = field(default_factory=list)  # the columns to compare with these
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
        unread = sorted(name for name in others if opened.has_few(name, _FEW))
        if "run" in found and "replicate" not in found:
            self.only_run = _only_text(opened.distinct(found["run"]))
        if self.only_run:
            found.pop("run")
        if self.beside:
            unread += sorted({*doubts.numbers_in_doubt(opened, found)} - {*unread})
        elif "rank" not in found:
            names = [name for name in ("run", "query_id", "score") if name in found]
            self.scored.update({found[name]: name for name in names})
        is_needless = "score" in found and _has_whole_ranks(opened.schema, found.get("rank"))
        if is_needless and not self.rank:
            self.ranks = first_rows([found["rank"]], opened.batches)
            self.ranked = [found["query_id"], found["score"]]
            if unread:
                self.looked_at.append("rank")
            else:
                self.left_out.append(found.pop("rank"))
        if of_collections.has_collections(opened.schema.names, self.options.columns):
            unread.append(of_collections.COLLECTION)
        return [*found.values(), *dict.fromkeys(unread)]


def parts_of_file(
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
        if "score" in needed.scored.values() and not doubts.in_order(
            frame.select(*needed.scored), needed.scored
        ):
            return parts_of_file(form, data, source, options, rank=rank, beside=True)
        if needed.ranks and contradict(frame.select(needed.ranked), needed.ranks):
            return parts_of_file(form, data, source, options, rank=True)
        if needed.only_run and not source.is_given:
            source = replace(source, name=needed.only_run)
    parts = parts_of_table(frame, source, options, names=schema.names)
    needs_ranks = False  # to tell several runs apart
    if needed.left_out and len(parts) == 1:
        needs_ranks = may_begin_anew(parts[0].rows)
    elif needed.left_out:
        named = rename_columns(frame, schemas.RUNS, source.where, options.columns)
        needs_ranks = doubts.may_be_one_ranking(named)
    if needs_ranks:
        parts = parts_of_file(form, data, source, options, rank=True)
        return [replace(part, rows=part.rows.drop("rank")) for part in parts]
    headers = provenance_of(schema).get("ir_metadata", {})
    if not rank and read is not None:  # it was read to tell several systems apart
        parts = [replace(part, rows=part.rows.drop(needed.looked_at)) for part in parts]
    return [
        replace(
            part, header=headers.get(part.name), is_known=part.is_known or bool(needed.only_run)
        )
        for part in parts
    ]


def _only_text(stretches: Iterator[pa.Array]) -> str:
    """Return the text that all rows of a column have; empty if there are other values."""
    found = set[Any]()
    while len(found) <= 1 and (values := next(stretches, None)) is not None:
        found.update(values[:2].to_pylist())
    (only,) = found if len(found) == 1 else [""]
    return only if isinstance(only, str) else ""


def _has_whole_ranks(schema: pa.Schema, name: str | None) -> bool:
    """Return whether a column exists and needs no check, since its type has whole ranks only."""
    return name is not None and pa.types.is_signed_integer(schema.field(name).type)


def _from_its_file(part: RunPart, table: Any) -> RunPart:
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
