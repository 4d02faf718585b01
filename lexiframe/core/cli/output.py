"""Print tables on standard output: as a text table, JSON or CSV."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any

import polars as pl
import typer

from lexiframe.core.base import LexiframeError, escaped, printed
from lexiframe.core.cli.options import Format
from lexiframe.core.io import output_files
from lexiframe.core.views import shown

_FORMULAS = tuple("=+-@＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def say(text: str) -> None:
    """Print sentences or titles on standard output, in lines that fit the terminal as tables do."""
    typer.echo(printed.paragraphs(text))


def complain(text: str) -> None:
    """Print a message on standard error: in lines that fit if people read it, else in one line.

    Programs that search a log for a message expect it in one line.
    """
    is_read = sys.stderr.isatty() or "COLUMNS" in os.environ
    typer.echo(printed.paragraphs(text) if is_read else text, err=True)


def print_table(
    table: pl.DataFrame, format: Format, alpha: float | None = None, *, wide: bool = False
) -> None:
    """Print a table; text has a line with the constant columns.

    Rows of text stay in one piece, without the last columns if need be, unless ``wide`` has all. Of
    a thousand rows and more, text has the first and the last. P-values in text, LaTeX and Markdown
    show on which side of ``alpha`` they are.
    """
    if format == "json":
        print_json(table.to_dicts())
        return
    if format == "csv":
        typer.echo(csv_text(table), nl=False)
        return
    table = table if alpha is None else printed.write_p_values(table, alpha)
    if format == "latex":
        typer.echo(shown.latex_table(table))
    elif format == "markdown":
        typer.echo(shown.markdown_table(table))
    else:
        ends, notes = printed.ends_of_long(table)
        typer.echo("\n".join([printed.plain_text(ends, is_matrix=wide), *notes]))


def csv_text(table: pl.DataFrame) -> str:
    r"""Return a table as CSV that is safe in spreadsheets: text is escaped and never a formula.

    Examples
    --------
    >>> print(csv_text(pl.DataFrame({"run": ["=1+1", "-5", "a\nb"], "rank": [-1, 2, 3]})), end="")
    run,rank
    '=1+1,-1
    -5,2
    a\nb,3
    """
    head = pl.DataFrame([pl.Series(name, [_cell_text(name)]) for name in table.columns])
    body = table.select(_text_column(column) for column in table)
    return head.write_csv(include_header=False) + body.write_csv(include_header=False)


def _text_column(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.List):  # names of runs; a cell of CSV holds no list
        column = column.list.join("; ")
    if column.dtype != pl.String:
        return column
    texts = {text: _cell_text(text) for text in column.unique().drop_nulls()}
    changed = {text: written for text, written in texts.items() if text != written}
    return column.replace(changed) if changed else column


def _cell_text(text: str) -> str:
    """Escape unprintable characters; put a quote before text that would be a formula.

    Some spreadsheets split at semicolons, even inside quotes, so no part between them is a formula.
    """
    return ";".join(map(_no_formula, escaped(text).split(";")))


def _no_formula(text: str) -> str:
    is_formula = text.lstrip(' "')[:1] in _FORMULAS and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def print_json(value: Any) -> None:
    """Print as JSON; infinite numbers, which JSON cannot express, become strings."""
    typer.echo(_json_text(value))


def _json_text(value: Any) -> str:
    return json.dumps(_finite(value), indent=1, allow_nan=False)


_WRITTEN = (".parquet", ".csv", ".json")


def refuse_other_ending(path: Path) -> None:
    """Raise unless the ending of a path is one that `write_table` knows."""
    if path.suffix.lower() not in _WRITTEN:
        raise LexiframeError(
            f"{path}: expected a file name that ends in {', '.join(_WRITTEN)}, which says how the "
            "table is written"
        )


def write_table(path: Path, table: pl.DataFrame, facts: dict[str, Any]) -> None:
    """Write a table as the ending of the path says; ``facts`` go into the metadata of Parquet."""
    with output_files.replacing(path) as temporary:
        if path.suffix.lower() == ".parquet":
            from lexiframe.core.io import to_parquet

            to_parquet.write_parquet_file(temporary, table, facts)
        else:
            is_csv = path.suffix.lower() == ".csv"
            text = csv_text(table) if is_csv else _json_text(table.to_dicts())
            temporary.write_text(text, encoding="utf-8")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
