"""Advice for messages: the mending of a problem, and the likely content of unreadable text."""

from __future__ import annotations

import re

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.io.column_forms import line_layouts
from lexiframe.core.io.column_forms.column_names import CHANGED_PLACES, columns_to_say
from lexiframe.core.io.column_forms.line_layouts import Layout
from lexiframe.core.io.column_forms.measure_names import are_lines_of_scores
from lexiframe.core.io.column_forms.numbers import NUMBER
from lexiframe.core.io.columns import KNOWN_NAMES

NO_NUMBER = {
    "score": "mend it (-inf puts a document last)",
    "relevance": "mend it, or leave the judgment out",
    "rank": "mend it",
}
"""The advice for a row that has no number in one of these columns."""
NO_ID = "give it an id, or leave the row out"
NO_TEXT = "write it as text"
NO_DOCUMENT = (
    "give it both, or leave it out; a row with neither stands for an empty list, alone in its query"
)
LINES_OF_RECORD = "write each record on one line (jq -c . does), or all in one list"
NO_JSON = "mend it, or leave it out"
CUT_SHORT = "the file ends in this line: if it was cut short, fetch or write it again"
TWO_ROWS = "these are two rows: put a line feed between them; joined files need one at their end"
TWO_OBJECTS = "mend it; join several objects or lists into one, or write each to its own file"
TWO_RECORDS = "mend it; if these are two records, put a line feed between them"
LOST_FIELD = "a field may be missing, since tags of other lines are numbers: give this line all six"
DECIMAL_COMMA = "this has a decimal comma: say so with decimal=','"
THOUSANDS = "leave out what separates the thousands"
COMMA = (
    "this may have a decimal comma (say so with decimal=','), or a comma that separates thousands "
    "(leave it out): the two put documents in different orders"
)
REPEATED_NAMES = "this repeats the names of the columns: leave the line out"
READ_AS_SCORES = "evaluate_scores reads them"
ONE_OF_TWINS = {
    "runs": "mend the file, or let positions keep the best-ranked one with duplicates='best'",
    "qrels": "mend the file, or let read_qrels keep the highest grade with duplicates='best'",
}
"""The advice for a document that occurs twice."""
_INTERACTIONS = ("user_id", "item_id", "rating", "timestamp")
_MOST = 0.5  # a file is taken for qrels if more than this share of its lines look like it
# Lines of runs have Q0 as their second field, so q0 does not show that a line holds names.
_NAMES = {name for names in KNOWN_NAMES.values() for name in names} - {"q0"}
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}


_GROUPED = "^[+-]?[1-9][0-9]{0,2}(?:%s[0-9]{3})+(?:[.][0-9]+)?$"
_WITH_COMMAS = _GROUPED % ","
_WITH_OTHERS = _GROUPED.replace("[.]", "[.,]") % "[ _'\u2019\u00a0\u202f]"
_WITH_POINTS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+\.[0-9]+$"


def advice_for_separators(texts: pl.Series, decimal: str) -> pl.Series:
    r"""Return the advice for each text with commas or other separators; "" for any other text.

    1,204 may be one or a thousand. Other texts tell which: there is one meaning for all.

    Examples
    --------
    >>> advice_for_separators(pl.Series(["987,5", "high"]), ".").to_list()
    ["this has a decimal comma: say so with decimal=','", '']
    >>> advice_for_separators(pl.Series(["1,204", "1,204,987"]), ".").to_list()
    ['leave out what separates the thousands', 'leave out what separates the thousands']
    """
    english = texts.str.replace(",", ".", literal=True)
    is_decimal = (english != texts) & english.str.contains(NUMBER)
    is_grouped = texts.str.contains(_WITH_COMMAS)
    other = texts.str.contains(_WITH_OTHERS)
    if decimal == ",":  # commas are points in these texts
        other |= texts.str.contains(_WITH_POINTS)
        is_decimal, is_grouped = is_decimal & False, is_grouped & False
    either = is_decimal & is_grouped
    are_decimal, are_grouped = (is_decimal & ~either).any(), (is_grouped & ~either).any()
    meant = COMMA if are_decimal == are_grouped else DECIMAL_COMMA if are_decimal else THOUSANDS
    found = pl.DataFrame({"either": either, "decimal": is_decimal, "grouped": is_grouped | other})
    said = (
        pl.when("either")
        .then(pl.lit(meant))
        .when("decimal")
        .then(pl.lit(DECIMAL_COMMA))
        .when("grouped")
        .then(pl.lit(THOUSANDS))
        .otherwise(pl.lit(""))
    )
    if not decimal:  # there is no option for numbers in JSON, Parquet and Arrow
        said = (
            pl.when(pl.col("decimal") | pl.col("grouped"))
            .then(pl.lit(schemas.POINT))
            .otherwise(pl.lit(""))
        )
    return found.fill_null(value=False).select(said.alias("advice"))["advice"]


def mend_width(separator: str, *, is_narrow: bool) -> str:
    """Return how to mend a line with too few or too many fields."""
    if is_narrow:
        return "give it the missing fields, or leave it out"
    if separator in ",;":
        return f"put text that holds {_SEPARATORS[separator]} into double quotes"
    return f"ids cannot hold {_SEPARATORS[separator]}: replace them"


def advice_for(lines: list[str], number: str, layout: Layout) -> str:
    """Return the likely kind of a file with a malformed first line, and the argument that reads it.

    ``lines`` are the first lines, single spaces between fields; ``number`` is the text where the
    first line should have its number. The advice is "" if the kind of file is unclear.

    Examples
    --------
    >>> advice_for(["query_id Q0 doc_id rank score tag"], "score", line_layouts.RUN)
    'this looks like a header: say so with header=True'
    """
    fields = lines[0].split(" ")
    if len(fields) == 1 and "::" in lines[0]:
        return f"put commas in place of '::', and {_names_on_top(fields[0].count('::') + 1)}"
    if not re.match(NUMBER, number) and sum(field.casefold() in _NAMES for field in fields) > 1:
        return "this looks like a header: say so with header=True"
    if len(fields) == 1 and (mark := re.search(r"^(?!\{).*?[^,;|]([,;|])[^,;|]", lines[0])):
        return _table_advice(lines[0].split(mark[1]), mark[1], layout)
    if layout is line_layouts.RUN:
        return _run_advice(fields, lines) or _header_advice(fields, lines)
    is_run = layout.number != "relevance"
    return _header_advice(fields, lines) or ("" if is_run else _qrels_advice(fields, lines, layout))


def no_names(ours: str) -> str:
    """Return how to mend a table without names of columns; ``ours`` are examples of these."""
    return f"this looks like a table without names of columns: put them on top ({ours})"


def _table_advice(cells: list[str], separator: str, layout: Layout) -> str:
    names = [cell.strip(" \"'") for cell in cells]
    ours = f"query_id,doc_id,{layout.number}"
    if separator not in _SEPARATORS:
        return f"this looks like a table: put commas between its columns, and names on top ({ours})"
    if any(re.match(NUMBER, name) for name in names):
        return no_names(ours)
    asked = [one for one in ours.split(",") if not {*KNOWN_NAMES[one]} & {*names}]
    return (
        "this looks like a table whose columns have names that are not all known: call them "
        f"{ours}, or say what they are called: {columns_to_say(asked, names)}"
    )


def _header_advice(fields: list[str], lines: list[str]) -> str:
    """Recognise a header of unknown names: no field is a number, but the line below has some."""
    below = lines[1].split(" ") if len(lines) > 1 else []
    is_number = [re.match(NUMBER, field) is not None for field in (*fields, *below)]
    if len(fields) != len(below) or any(is_number[: len(fields)]) or not any(is_number):
        return ""
    return (
        "if these are names of columns, say so with header=True, and what they are called: "
        f"columns={{'query_id': {fields[0]!r}, ...}}"
    )


def _run_advice(fields: list[str], lines: list[str]) -> str:
    if len(fields) == len(line_layouts.QRELS.names):
        if are_grades(lines, line_layouts.QRELS):
            return f"this looks like a qrels file, given as a run; {CHANGED_PLACES}"
        if _are_ranks(pl.Series(lines).str.split(" ")):
            return (
                "this looks like (query, document, rank, score): put a line with the names "
                "query_id doc_id rank score on top, and say header=True"
            )
    if len(fields) != len(line_layouts.SCORED.names):
        return ""
    if are_lines_of_scores(lines):  # before numbers are looked for: a runid has none
        return f"these look like scores of trec_eval -q, not like a run; {READ_AS_SCORES}"
    if not re.match(NUMBER, fields[-1]):
        return ""
    if are_grades(lines, line_layouts.GRADED):
        return (
            "this looks like a qrels file (query, document, grade), given as a run; if it is a "
            "run, say what its third column is with third='score' or third='rank'"
        )
    return (
        "three columns may be (query, document, score) or (query, document, rank): say which with "
        "third='score' or third='rank'"
    )


def _names_on_top(n_fields: int) -> str:
    """Return the header to add to a file of interactions: user, item, perhaps more."""
    return f"a line with the names of the columns on top ({','.join(_INTERACTIONS[:n_fields])})"


def _qrels_advice(fields: list[str], lines: list[str], layout: Layout) -> str:
    if len(fields) == 2:
        return (
            "if these are users and the items that they chose, put a line with the names user_id "
            "item_id on top, and say header=True"
        )
    if len(fields) > len(layout.names) and _are_lists_of_items(lines):
        return (
            "if these are users with all their items, write a line for each user and item, put a "
            "line with the names user_id item_id on top, and say header=True"
        )
    if len(fields) == len(line_layouts.GRADED.names):
        return "if these are query, document and grade, the grade has to be a number"
    if _are_two_judgments(fields, layout):
        return TWO_ROWS
    if re.fullmatch(r"-?\d+ -?\d+", " ".join(fields[3:])):  # behind query, iteration, document
        return (
            "if these are judgments of a sample with its strata, as infNDCG needs, give them to "
            f"lexiframe.collection.inferred_scores; if this is a run, {CHANGED_PLACES}"
        )
    is_run = len(fields) > len(line_layouts.QRELS.names) and re.match(
        NUMBER, fields[4].replace(",", ".")
    )
    return f"this looks like a run, given as qrels; {CHANGED_PLACES}" if is_run else ""


def _are_lists_of_items(lines: list[str]) -> bool:
    """Return whether lines hold whole numbers alone, and each begins with another one."""
    fields = [line.split(" ") for line in lines]
    users = [one[0] for one in fields]
    are_whole = all(field.isdecimal() for one in fields for field in one)
    return are_whole and len(lines) > 1 and len({*users}) == len(users)


def _are_two_judgments(fields: list[str], layout: Layout) -> bool:
    """Return whether a line holds two judgments; the second query may be joined to the grade.

    The iterations are equal then, or what would be a run's rank or score is no number.
    """
    width = len(layout.names)
    if len(fields) not in (2 * width - 1, 2 * width) or not re.match(NUMBER, fields[-1]):
        return False
    return fields[1] == fields[-3] or not all(re.match(NUMBER, field) for field in fields[3:5])


def are_grades(lines: list[str], layout: Layout) -> bool:
    """Return whether the last field of lines may be a grade.

    In lines of three fields it may also be a score or a rank. There, grades are taken to be whole
    numbers that occur repeatedly in a query.
    """
    fields = pl.Series(lines).str.split(" ")
    last = fields.list.get(len(layout.names) - 1, null_on_oob=True)
    if layout is line_layouts.QRELS:
        is_grade = last.str.contains(NUMBER) & (fields.list.len() == len(layout.names))
        return bool(is_grade.mean() > _MOST) and not _are_ranks(fields)  # type: ignore[operator]
    pairs = pl.DataFrame({"query_id": fields.list.get(0), "grade": last})
    are_whole = last.str.contains(r"^[+-]?[0-9]+(?:\.0+)?$").all()
    return bool(are_whole) and bool(pairs.is_duplicated().any())


def _are_ranks(fields: pl.Series) -> bool:
    """Return whether the third fields count the rows of each query from 0 or 1, as ranks do."""
    names = ("query_id", "doc_id", "rank")
    rows = pl.DataFrame(
        {name: fields.list.get(n, null_on_oob=True) for n, name in enumerate(names)}
    )
    nth = pl.int_range(pl.len()).over("query_id")
    first = pl.col("rank").cast(pl.Int64, strict=False) - nth
    counts = (first == first.first().over("query_id")) & first.is_in([0, 1])
    # A query with a single row shows nothing: its 0 or 1 may be anything.
    are_lists = pl.col("query_id").is_duplicated().any()
    are_once = pl.struct("query_id", "doc_id").is_unique().all()
    is_counted = counts.fill_null(value=False).all() & are_lists & are_once
    return bool(rows.select(is_counted).item())
