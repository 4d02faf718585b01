"""Grades that are words, such as ESCI's E, S, C and I, NTCIR's L0 to L3, and true and false."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, SchemaError, n_and_first, schemas, warn
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.rows_as_written import columns_in
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.rows_of_files import rows_of

Grades = Mapping[Any, float | None]
_TRUTH: Grades = {"true": 1, "false": 0}
_OF_WORDS = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Object)
_WHOLE = r"^([+-]?[0-9]+)\.0+$"
"""A whole number with a point: 2.0 is the grade 2."""
_MOST, _WORD = 20, r"^\pL.{0,29}$"
"""So many different words of so many characters can be grades; others are something else."""


def graded(table: pl.DataFrame, where: str, grades: Grades) -> pl.DataFrame:
    """Return judgments with numbers in place of words; numbers remain.

    Rows whose grade is None are left out, with a warning that counts them. Raise SchemaError for
    words without a number.

    Examples
    --------
    >>> table = pl.DataFrame({"doc_id": ["a", "b"], "relevance": ["E", "I"]})
    >>> graded(table, "esci.csv", {"E": 3, "I": 0})["relevance"].to_list()
    [3.0, 0.0]
    """
    given = table["relevance"] if "relevance" in table.columns else pl.Series([0.0])
    if not (given.dtype in _OF_WORDS or (grades and given.dtype.is_numeric())):
        return table
    words = _read_words(given)
    are_truths = given.dtype == pl.Boolean or _are_truths(words)
    if not grades and not are_truths:
        _refuse_words(words, where)
        return table
    given_words = {str(word): grade for word, grade in (grades or _TRUTH).items()}
    named = {re.sub(_WHOLE, r"\1", word): grade for word, grade in given_words.items()}
    if are_truths and not grades:
        words = words.str.to_lowercase()
    is_named = words.is_in([*named])
    numbers = words.set(is_named, None).cast(pl.Float64, strict=False)
    unknown = words.filter(~is_named & numbers.is_null() & (words != "")).unique(
        maintain_order=True
    )
    if len(unknown):
        expected = f"grades that are named ({', '.join(named)})"
        advice = "give each word its number in grades="
        raise SchemaError(Problem(where, expected, n_and_first(unknown), advice, is_first=True))
    of_words = words.replace_strict(named, default=None, return_dtype=pl.Float64)
    table = table.with_columns(of_words.fill_null(numbers).alias("relevance"))
    left_out = is_named & of_words.is_null()
    if left_out.any():
        warn(f"{where}: rows without a judgment, which are left out: {left_out.sum()}")
    return table.filter(~left_out)


def labelled_rows(content: Content, where: str, options: TextOptions) -> pl.DataFrame | None:
    """Return the judgments of a file whose grades are words, as text; None for other files."""
    tables = []
    try:
        for rows in rows_of(content, where, options, schemas.QRELS):
            found, problems = columns_in(rows, where, schemas.QRELS, options.columns)
            if rows.problems.height or problems or "relevance" not in found:
                return None
            texts = {name: column.texts for name, column in found.items()}
            texts["relevance"] = _read_words(found["relevance"].values)
            tables.append(pl.DataFrame(texts))
    except LexiframeError:
        return None
    if not tables:
        return None
    table = pl.concat(tables)
    words = table["relevance"]
    return table if options.grades or _are_truths(words) or _are_labels(words) else None


def _read_words(column: pl.Series) -> pl.Series:
    """Return the text in cells, without blanks around it; "" for empty cells."""
    if column.dtype == pl.Object:
        cells = [v if isinstance(v, str) else "" if v is None else json.dumps(v) for v in column]
        return pl.Series(column.name, cells, pl.String).str.strip_chars()
    texts = column.cast(pl.String).fill_null("").str.strip_chars()
    return texts.str.replace(_WHOLE, "$1")


def _are_truths(words: pl.Series) -> bool:
    return len(words) > 0 and bool(words.str.to_lowercase().is_in([*_TRUTH]).all())


def _are_labels(words: pl.Series) -> bool:
    """Return whether texts are few words; one alone is a number that is misspelt."""
    few = 1 < words.n_unique() <= _MOST
    are_words = words.str.contains(_WORD) & words.cast(pl.Float64, strict=False).is_null()
    return few and bool(are_words.all())  # inf and nan are numbers


def _refuse_words(words: pl.Series, where: str) -> None:
    if not _are_labels(words):
        return
    every = words.unique(maintain_order=True)
    said = ", ".join(f"{word!r}: ..." for word in every[:4]) + ", ..." * (len(every) > 4)
    advice = f"say what each word means: grades={{{said}}}"
    raise SchemaError(
        Problem(where, "numbers as grades", n_and_first(every), advice, is_first=True)
    )
