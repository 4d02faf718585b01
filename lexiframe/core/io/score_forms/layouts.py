"""The layouts of per-request scores: one row for each value, or a matrix of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    ReadError,
    SchemaError,
    coded,
    errors,
    n_and_first,
    schemas,
)
from lexiframe.core.io.column_forms.column_names import (
    columns_among,
    reader_of_answers,
    refuse_no_mapping,
)
from lexiframe.core.io.column_forms.measure_names import SUMMARIES, are_measures
from lexiframe.core.io.column_forms.numbers import first_inexact
from lexiframe.core.io.columns import ALL_SCORES, KNOWN_NAMES, SCORES, SPARE_IDS
from lexiframe.core.io.score_forms.judged_rows import (
    other_means,
    plain_value,
    text_as_numbers,
    words_as_numbers,
)
from lexiframe.core.io.score_forms.text import PLACE

_NO_VALUE = ["", "nan", "na", "n/a", "null", "none", "-", "–", "—"]
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Boolean)
_LIKE_NUMBERS = r"^[^\pL]*\d[^\pL]*$"
_STEPS = frozenset("epoch epochs step steps global_step checkpoint".split())
_CELL = "\0"  # a prefix for the columns of a matrix, since one may have the name of our column


ACCEPTED = "; ".join(f"{ours}: {', '.join(words)}" for ours, words in SCORES.items())
"""The names that each column may have, for errors."""


@dataclass(frozen=True)
class ScoreTable:
    """The unchanged columns of one file or frame; ``PLACE`` has the line or record of each row."""

    table: pl.DataFrame
    where: str  # what error messages call the table
    unit: str  # what error messages call a place in it: line, record or row
    name: str | None = None  # of the run, if the table does not name it
    is_given: bool = False  # whether the caller gave the name, which overrides the table's
    left_out: tuple[str, ...] = ()  # columns that were no scores
    texts: list[str] = field(default_factory=list)  # columns of text that were left out as well
    doubts: list[str] = field(default_factory=list)  # what else is to be warned of

    def at(self, place: int) -> str:
        """Return the text for a place in the table."""
        return f"{self.where}, {self.unit} {place}"


def rows_of(given: ScoreTable, measure: str | None, otherwise: str | None = None) -> pl.DataFrame:
    """Return the scores in a table of any layout, without means over all requests.

    The columns are run, query_id, measure, value (null where there is none) and ``PLACE``, in the
    order of the table. Runs with replicates have names of `coded.join_replicate`. ``measure`` is
    the caller's name of the measure, also if the table has another name for it; ``otherwise`` is
    the name if the table has none.
    """
    found = _column_names(given)
    if {"query_id", "measure", "value"} <= {*found}:
        given = _judged_rows(given, found)
    given = _drop_means(given, found)
    if measure is None and _lacks_measure(given, found):
        measure = otherwise or _measure_of_file(given, found)
    is_long = {"query_id", "value"} <= set(found) and ("measure" in found or measure is not None)
    rows = _one_value_a_row(given, found) if is_long else _unpivoted(given, found, measure)
    rows = _set_name(rows, "measure", measure, given)
    is_named = given.is_given or "run" not in rows.columns
    rows = _set_name(rows, "run", given.name if is_named else None, given)
    rows = coded.replicates_joined(rows)
    typed = schemas.check(rows, schemas.SCORES, given.where).with_columns(rows[PLACE])
    _refuse_blank(typed, given)
    return typed


def _judged_rows(given: ScoreTable, found: Mapping[str, str]) -> ScoreTable:
    """Leave out measures without numbers, and note the doubts for a later warning."""
    measure, value = found["measure"], found["value"]
    table, doubt = words_as_numbers(given.table, measure, value, _NO_VALUE)
    means = ""
    if "run" in found:
        means = other_means(table, found["run"], found["query_id"], measure, value)
    given.doubts.extend(filter(None, (doubt, means)))
    return replace(given, table=table)


# --- Columns ------------------------------------------------------------------------------------


def _column_names(given: ScoreTable) -> dict[str, str]:
    """Map our names to the names of the columns that are there."""
    names = given.table.columns
    items = [name for name in KNOWN_NAMES["doc_id"] if name in names]
    if items:
        raise SchemaError(
            f"{given.where}: expected scores of whole rankings, found a column of documents "
            f"({items[0]}); read a run with read_runs, then use positions and scores"
        )
    return columns_among(SCORES, names, given.where)


def _lacks_measure(given: ScoreTable, found: dict[str, str]) -> bool:
    """Return whether a table names no measure: in no column, and not as columns of one run."""
    are_columns = "run" in found or given.is_given or are_measures(pl.Series(given.table.columns))
    return "measure" not in found and ("value" in found or not are_columns)


def _measure_of_file(given: ScoreTable, found: dict[str, str]) -> str | None:
    """Return the name of a file whose rows name their runs and no measure; else None.

    The columns of a matrix may be anything, so its file has to be called like a measure. Rows of a
    frame have the measure that their column of values is called.
    """
    names_runs = {"run", "query_id", "value"} <= set(found)
    if given.name is None or given.is_given:
        return found["value"] if names_runs else None
    return given.name if names_runs or _all_measures([given.name]) else None


def rename_columns(table: pl.DataFrame, columns: Mapping[str, str], where: str) -> pl.DataFrame:
    """Rename the columns that the caller names; leave out other columns of the same meaning.

    ``columns`` is {our name: the table's}, or the other way round, as for `pl.DataFrame.rename`.
    """
    refuse_no_mapping("scores", "columns", columns)
    for key, other in columns.items():
        ours, theirs = (key, other) if key in ALL_SCORES else (other, key)
        if ours not in ALL_SCORES:
            raise SchemaError(
                f"columns: expected one of lexiframe's names ({', '.join(ALL_SCORES)}), found "
                f"{key!r} and {other!r}"
            )
        if theirs not in table.columns:
            there = ", ".join(name for name in table.columns if name != PLACE)
            found = f"columns names {theirs!r}, which is not there (found: {there})"
            raise SchemaError(Problem(where, "", found))
        same = [name for name in ALL_SCORES[ours] if name in table.columns and name != theirs]
        table = table.drop(same).rename({theirs: ours})
    return table


def plain_name(name: str) -> str:
    """Return the name of a column without capitals and blanks."""
    return name.strip().lower().replace(" ", "_")


def rename_known_columns(table: pl.DataFrame, kept: Sequence[str] = ()) -> pl.DataFrame:
    """Rename columns that have a known name in other letters: Model, QID, Model Name.

    A collection may have such a name too. So names have to be text, or whole numbers of requests
    where no runs are named, and values have to stand beside a column of collections or measures,
    and known names alone. ``kept`` columns keep their names.
    """
    known = {word: ours for ours, words in ALL_SCORES.items() for word in words}
    taken = {known[name] for name in table.columns if name in known}
    new = {name: plain_name(name) for name in table.columns if name not in {*kept, *known}}
    new = {name: word for name, word in new.items() if word in known and known[word] not in taken}
    names = {name: word for name, word in new.items() if _has_text(table[name])}
    ours = taken | {known[word] for word in names.values()}
    ids = {
        name: word
        for name, word in new.items()
        if known[word] == "query_id" and "run" not in ours and _are_whole_numbers(table[name])
    }
    values = {name: word for name, word in new.items() if known[word] == "value"}
    is_long = bool(ours & {"collection", "measure"})
    if is_long and {*table.columns} <= {PLACE, *known, *names, *values}:
        names |= values
    names |= ids
    spare = {name: SPARE_IDS.get(plain_name(name)) for name in table.columns if name not in kept}
    names |= {name: word for name, word in spare.items() if word and word not in ours}
    words = [*names.values()]
    return table.rename({name: word for name, word in names.items() if words.count(word) == 1})


def _has_text(column: pl.Series) -> bool:
    """Return whether some value is text, and no number."""
    if column.dtype not in _TEXTS:
        return False
    text = plain_value(column.cast(pl.String))
    text = text.filter(~text.is_in(_NO_VALUE))
    return text.cast(pl.Float64, strict=False).null_count() > 0


def _are_whole_numbers(column: pl.Series) -> bool:
    """Return whether all values are whole numbers."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return False
    numbers = column.cast(pl.Float64, strict=False)
    return not numbers.has_nulls() and bool((numbers % 1 == 0).all())


def texts_among(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the columns that hold values but no number."""
    simple = table.select(names).select(pl.selectors.by_dtype(*_TEXTS))
    values = simple.select(plain_value(pl.all().cast(pl.String)))
    return [
        column.name
        for column in values.select(pl.all().replace(dict.fromkeys(_NO_VALUE, None)))
        if column.null_count() < len(column)
        and column.cast(pl.Float64, strict=False).null_count() == len(column)
    ]


def drop_texts(given: ScoreTable, cells: list[str], found: Mapping[str, str]) -> list[str]:
    """Return the columns of scores; columns of text are left out and noted for a warning.

    Raise where text may name the rows, or may be a number that is written in another way (0,5).
    """
    has_no_names = {"run", "query_id", "collection"}.isdisjoint(found)
    lists = [name for name in cells if given.table[name].dtype.is_nested() and not has_no_names]
    texts = [*texts_among(given.table, cells), *lists]
    if not texts or len(texts) == len(cells):
        return cells
    table = given.table.select(texts).select(pl.selectors.by_dtype(*_TEXTS))
    odd = [t.name for t in table if t.cast(pl.String).str.contains(_LIKE_NUMBERS).any()]
    first, n = (odd or texts)[0], n_and_first(texts)
    if has_no_names and first == cells[0]:
        raise SchemaError(
            f"{given.where}: expected numbers in the columns of scores, found text in {n}; "
            f"call {first} run or query_id, whichever it names, or say so: "
            f"columns={{'run': {first!r}}}"
        )
    if odd or has_no_names:
        raise SchemaError(
            f"{given.where}: expected numbers in the columns of scores, found text in {n}, "
            f"{given.table[first].drop_nulls()[0]!r}; give a frame without them: .drop({texts}) in "
            f"Polars, .drop(columns={texts}) in pandas; read_csv makes a frame of a file"
        )
    given.texts.extend(texts)
    return [name for name in cells if name not in texts]


def _drop_means(given: ScoreTable, found: dict[str, str]) -> ScoreTable:
    if "query_id" not in found:
        return given
    queries, kept = given.table[found["query_id"]], given.table
    if queries.dtype in (pl.String, pl.Categorical, pl.Enum):  # other ids are no words like "all"
        kept = kept.filter(~queries.cast(pl.String).is_in(SUMMARIES).fill_null(value=False))
    if not kept.height:
        raise ReadError(
            f"{given.where}: expected values per request, found only means over all of them, or "
            "nothing; ask trec_eval or ir_measures for the others with -q"
        )
    return replace(given, table=kept)


def refuse_without_run(given: ScoreTable) -> NoReturn:
    """Raise, because neither a column nor an argument names the runs."""
    raise LexiframeError(
        f"{given.where}: the rows do not say whose scores they are; pass run=, or "
        f"{{name: file or frame}}, or call the column of runs {', '.join(SCORES['run'])}, or say "
        "which it is: columns={'run': 'engine'}"
    )


def _set_name(rows: pl.DataFrame, ours: str, name: str | None, given: ScoreTable) -> pl.DataFrame:
    """Set the given name of the run or measure; raise if the rows are of several."""
    if name is None and ours not in rows.columns:
        refuse_without_run(given)
    if name is None:
        return rows
    if ours in rows.columns and rows[ours].n_unique() > 1:
        raise LexiframeError(
            f"{given.where}: expected one {ours}, to be called {name!r}, found "
            f"{n_and_first(rows[ours].unique().sort())}; they have names, so leave yours out"
        )
    return rows.with_columns(pl.lit(name).alias(ours))


def _refuse_blank(rows: pl.DataFrame, given: ScoreTable) -> None:
    for name in schemas.SCORES.key:
        blank = rows.filter(pl.col(name).str.strip_chars() == "")
        if blank.height:
            raise ReadError(f"{given.at(blank[PLACE][0])}: expected a name as {name}, found none")


# --- Layouts ------------------------------------------------------------------------------------


def _one_value_a_row(given: ScoreTable, found: dict[str, str]) -> pl.DataFrame:
    names = [pl.col(theirs).alias(ours) for ours, theirs in found.items() if ours != "value"]
    value = numbers_of(given.table[found["value"]], given).alias("value")
    return given.table.select(PLACE, *names, *said_besides(given.table)).with_columns(value)


def said_besides(table: pl.DataFrame) -> list[pl.Expr]:
    """Return the columns of missing rankings, of how far ties move values, and of weights."""
    found = []
    if "answered" in table.columns and table["answered"].dtype in (pl.Boolean, pl.String):
        said = pl.col("answered").cast(pl.String).str.to_lowercase()
        are_known = table.select(said.is_in(["true", "false"]).all()).item()
        found += [(said == "true").alias("answered")] if are_known else []
    if "ties_sd" in table.columns:
        found.append(pl.col("ties_sd").cast(pl.Float64, strict=False))
    weights = {schemas.WEIGHT: pl.Float64, schemas.STRATUM: pl.String}
    return found + [pl.col(n).cast(of) for n, of in weights.items() if n in table.columns]


def _unpivoted(given: ScoreTable, found: dict[str, str], measure: str | None) -> pl.DataFrame:
    """Make a row of each cell of a matrix, whose columns are runs, or measures of one run."""
    cells = [c for c in given.table.columns if c not in {PLACE, *found.values()}]
    has_only_means = "run" in found and "query_id" not in found
    if not cells or has_only_means or not found.keys().isdisjoint(("measure", "value")):
        _refuse_unknown_layout(given)
    cells = drop_texts(given, cells, found)
    # A file whose columns are all measures has the scores of the run that it is called like.
    is_of_one = given.is_given or (given.name is not None and _all_measures(cells))
    of_measures = "run" in found or (is_of_one and measure is None)
    if not of_measures and measure is None:
        raise LexiframeError(
            f"{given.where}: found a row for each request and the columns {', '.join(cells[:3])}"
            f"{', ...' * (len(cells) > 3)}; if these are runs, say what was measured "
            "(measure='AP'; evaluate_scores: measures='AP'), and if they are measures, whose they "
            "are (run='bm25')"
        )
    if "query_id" not in found:
        _refuse_checkpoints(given, cells)
        _refuse_ids(given, cells)
    numbered = pl.int_range(1, pl.len() + 1).cast(pl.String).alias("query_id")
    queries = [] if "query_id" in found else [numbered]
    index = [pl.col(theirs).alias(ours) for ours, theirs in found.items()]
    numbers = [numbers_of(given.table[name], given).alias(_CELL + name) for name in cells]
    wide = given.table.select(PLACE, *index, *queries).with_columns(numbers)
    variable = "measure" if of_measures else "run"
    keys = [name for name in wide.columns if not name.startswith(_CELL) or name == PLACE]
    rows = wide.unpivot(index=keys, variable_name=variable, value_name="value")
    return rows.with_columns(pl.col(variable).str.strip_prefix(_CELL))


def _all_measures(names: Sequence[str]) -> bool:
    return len(are_measures(pl.Series(names))) == len(names)


def _refuse_checkpoints(given: ScoreTable, cells: Sequence[str]) -> None:
    """Raise for a column of steps of training that go on: the rows are no requests."""
    steps = [name for name in cells if plain_name(name) in _STEPS]
    numbers = given.table.select(pl.col(steps).cast(pl.Float64, strict=False)).drop_nulls()
    if any(column.is_sorted() for column in numbers):
        found = f"rows that look like checkpoints of one run, by {n_and_first(steps)}"
        advice = "lexiframe.read_log reads them; scores of requests have a column query_id"
        raise SchemaError(Problem(given.where, "a row for each request", found, advice))


def _refuse_ids(given: ScoreTable, cells: Sequence[str]) -> None:
    """Raise if a column with a name like query_id holds distinct whole numbers: ids, not scores."""
    simple = given.table.select(cells).select(pl.selectors.numeric() | pl.selectors.string())
    for name in errors.nearest(simple.columns, SCORES["query_id"]):
        numbers = simple[name].cast(pl.Float64, strict=False)
        are_whole = not numbers.has_nulls() and (numbers % 1 == 0).all()
        if given.table.height > 1 and are_whole and numbers.is_unique().all():
            raise SchemaError(
                f"{given.where}: expected columns of scores, found whole numbers, none of them "
                f"twice, as {name}; if these are ids of queries, call the column query_id, if they "
                "are not, add a column query_id"
            )


def _refuse_unknown_layout(given: ScoreTable) -> NoReturn:
    columns = [name for name in given.table.columns if name != PLACE]
    raise SchemaError(
        f"{given.where}: expected columns for query, measure and value (and for the run: name, "
        "qid, measure, value), or a matrix of requests (rows) and runs (columns); found the "
        f"columns {', '.join(columns[:10])}{', ...' * (len(columns) > 10)}; a column may be called "
        f"- {ACCEPTED} - or anything else if you say so: columns={{'run': 'engine'}}, on the "
        "command line --column run=engine"
    )


def numbers_of(
    column: pl.Series, given: ScoreTable, whose: Sequence[str] | None = None
) -> pl.Series:
    """Convert to float64, with null where there is no value; raise for other text and infinity.

    ``whose`` says of each row whose score it is, for errors.
    """
    written = column
    if column.dtype == pl.String:
        text = plain_value(column)
        column = text_as_numbers(text.set(text.is_in(_NO_VALUE).fill_null(value=False), None))
    elif not (column.dtype.is_numeric() or column.dtype in (pl.Null, pl.Boolean)):
        expected, advice = f"scores in the column {column.name}", reader_of_answers([column.name])
        raise SchemaError(Problem(given.where, expected, str(column.dtype), advice))
    numbers = column.cast(pl.Float64, strict=False)
    is_bad = (column.is_not_null() & numbers.is_null()) | numbers.is_infinite()
    bad = is_bad.fill_null(value=False).arg_true()
    if len(bad):
        raise ReadError(
            f"{given.at(given.table[PLACE][bad[0]])}: expected a finite number as {column.name}, "
            f"found {written[bad[0]]!r}{f' for {whose[bad[0]]}' if whose else ''}"
        )
    if inexact := first_inexact(column, numbers):
        advice = "subtract the same number from all, or divide them by one"
        expected, found = f"numbers that float64 can hold as {column.name}", inexact
        raise SchemaError(Problem(given.where, expected, found, advice))
    return numbers.fill_nan(None)
