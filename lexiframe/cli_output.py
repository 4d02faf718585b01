"""Tables on standard output: for people, as JSON, as CSV."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl
import typer

from lexiframe.cli_options import Format
from lexiframe.views.tables import table_text


def print_table(table: pl.DataFrame, format: Format) -> None:
    """Print a table in the format that was asked for."""
    if format == "json":
        print_json(table.to_dicts())
    elif format == "csv":
        typer.echo(table.write_csv(), nl=False)
    else:
        typer.echo(table_text(table))


def print_json(value: Any) -> None:
    """Print as JSON, which has no word for an infinite number: it becomes a string."""
    typer.echo(json.dumps(_finite(value), indent=1, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
