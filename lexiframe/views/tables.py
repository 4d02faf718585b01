"""The summary that an evaluation shows when it is printed, as text or HTML tables."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.errors import escaped
from lexiframe.orderings.matrix import agreement_matrix
from lexiframe.schemas import VERDICT
from lexiframe.significance.baseline import baseline_in_short
from lexiframe.significance.paired import several
from lexiframe.views.verdict import first_runs, group_of, verdict_of

_DECIMALS = 3
_LONGEST = 200
"""The number of characters of a cell that a text table shows."""
_WORDS = {None: "null", True: "true", False: "false"}


def summary(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> dict[str, pl.DataFrame]:
    """Return the tables to look at first, by title, from all tables of an evaluation."""
    inference, by = provenance["inference"], provenance["groups"]
    ordering = f"Ranks of the runs: metrics by mean, preferences by {inference['ordering']}"
    measures = provenance["measures"]
    first = {
        "Coverage": coverage_in_short(tables["coverage"]),
        ordering: ranks_by_measure(tables["orderings"], measures, by),
        **{
            f"Kendall's τ between the orderings{of_group}": correlation_matrix(part, measures)
            for of_group, part in _parts(tables["correlations"], by)
        },
        "Ties between rankings of one request": in_order(tables["tie_rates"], by, measures),
    }
    if inference["baseline"] is not None:
        against = baseline_in_short(tables["against_baseline"], measures, by)
        first[f"Against {inference['baseline']} ({_inference(inference)})"] = against
    elif inference["alternative"] == "two-sided":  # a verdict needs it
        found = verdict_of(tables["orderings"], tables["comparisons"], provenance)
        first[f"Verdict ({_inference(inference)})"] = verdict_in_short(found)
    return {title: table for title, table in first.items() if table.height}


def _inference(inference: dict[str, Any]) -> str:
    """Describe the test, the correction and the level in a few words."""
    family = "the pairs of a measure" if inference["family"] == "measure" else "all pairs"
    test, correction = (", ".join(several(inference[name])) for name in ("test", "correction"))
    return f"{test} test, {correction} over {family}, α = {inference['alpha']:g}"


def _parts(table: pl.DataFrame, by: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield for each group of requests the words that name it in a title, and its rows."""
    if not by:
        yield "", table
        return
    for part in table.partition_by(by, maintain_order=True):
        yield "".join(f", {group_of(name, part[name][0])}" for name in by), part


def verdict_in_short(v: pl.DataFrame) -> pl.DataFrame:
    """Shorten a verdict: leave out what its title says, and list at most four runs in a cell."""
    told_apart = pl.format("{} of {}", "n_significant", "n_pairs")
    groups = v.columns[: v.width - len(VERDICT.columns)]
    differing = [name for name in ("test", "correction") if v[name].n_unique() > 1]
    named = {
        name: pl.Series([", ".join(first_runs(runs, 4)) for runs in v[name]], dtype=pl.String)
        for name in ("best", "not_worse")
    }
    return v.select(
        *groups, "measure", *differing, **named, n="n", pairs_told_apart=told_apart
    ).rename({"not_worse": "not significantly worse", "pairs_told_apart": "pairs told apart"})


def coverage_in_short(coverage: pl.DataFrame) -> pl.DataFrame:
    """Sum up the coverage table in one row."""
    return coverage.select(
        runs=pl.len(),
        requests=pl.col("requests").first(),
        without_relevant=pl.col("without_relevant").first(),
        rankings_missing=pl.col("missing").sum(),
        rankings_extra=pl.col("extra").sum(),
        retrieved=pl.col("retrieved").sum(),
        judged_share=(pl.col("judged").sum() / pl.col("retrieved").sum()).round(3),
        relevant_retrieved=pl.col("relevant_retrieved").sum(),
    )


def ranks_by_measure(
    orderings: pl.DataFrame, measures: list[str], by: Sequence[str] = ()
) -> pl.DataFrame:
    """Arrange the orderings as runs × measures; the first row is the best by the first measure."""
    ranks = orderings.pivot("measure", index=[*by, "run"], values="rank")
    shown = [measure for measure in measures if measure in ranks.columns]
    if not shown:
        return ranks
    # As text: 2 and 2.5 are easier to read in a column than 2.000 and 2.500.
    without_zeros = pl.col(shown).round(1).cast(pl.String).str.strip_suffix(".0")
    return ranks.select(*by, "run", *shown).sort(*by, *shown, "run").with_columns(without_zeros)


def correlation_matrix(correlations: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    """Arrange the correlations as measures × measures, in the order of the measures."""
    matrix = agreement_matrix(correlations)
    shown = [measure for measure in measures if measure in matrix.columns]
    order = pl.DataFrame({"measure": shown}, schema={"measure": pl.String})
    return order.join(matrix, on="measure", maintain_order="left").select("measure", *shown)


def in_order(table: pl.DataFrame, by: Sequence[str], measures: list[str]) -> pl.DataFrame:
    """Sort a table by group and by the order in which the measures were asked for."""
    return table.sort(*by, pl.col("measure").cast(pl.Enum(list(dict.fromkeys(measures)))))


def as_text(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> str:
    """Return the summary of an evaluation as text."""
    shown = summary(tables, provenance).items()
    return "\n\n".join(f"{escaped(title)}\n{table_text(table)}" for title, table in shown)


def as_html(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> str:
    """Return the summary of an evaluation as HTML."""
    return "\n".join(
        f"<h3>{html.escape(escaped(title), quote=False)}</h3>\n{html_table(table)}"
        for title, table in summary(tables, provenance).items()
    )


def html_table(table: pl.DataFrame) -> str:
    """Return a whole table as HTML: null cells are empty, numbers are aligned to the right.

    Examples
    --------
    >>> print(html_table(pl.DataFrame({"run": ["a", None], "tie_rate": [0.5, 0.25]})))
    <table class="dataframe">
    <thead>
    <tr><th style="text-align: left">run</th><th style="text-align: right">tie_rate</th></tr>
    </thead>
    <tbody>
    <tr><td style="text-align: left">a</td><td style="text-align: right">0.500</td></tr>
    <tr><td style="text-align: left"></td><td style="text-align: right">0.250</td></tr>
    </tbody>
    </table>
    """
    sides = ["right" if _are_numbers(column) else "left" for column in table]
    head = _html_row("th", table.columns, sides)
    body = "".join(_html_row("td", row, sides) for row in table.iter_rows())
    return f'<table class="dataframe">\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>'


def _html_row(tag: str, cells: Iterable[Any], sides: Iterable[str]) -> str:
    written = (
        f'<{tag} style="text-align: {side}">{html.escape(_cell(cell))}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>\n"


def _are_numbers(column: pl.Series) -> bool:
    """Return whether a column has numbers, or text that is numbers, as ranks are here."""
    if column.dtype != pl.String:
        return column.dtype.is_numeric()
    return column.str.contains(r"^-?[0-9]+(\.[0-9]+)?$").all()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.{_DECIMALS}f}"
    return "" if value is None else escaped(str(value))


def table_text(table: pl.DataFrame) -> str:
    """Return a whole table as text, all rows and columns, each row in one line.

    Polars could print it, but only with settings of the whole process (`polars.Config`): to change
    them for one table would change what the user and other threads print at the same time.

    Examples
    --------
    >>> print(table_text(pl.DataFrame({"run": ["a", None], "tie_rate": [0.5, 0.25]})))
    ┌─────────────────┐
    │ run    tie_rate │
    ╞═════════════════╡
    │ a      0.500    │
    │ null   0.250    │
    └─────────────────┘
    """
    columns = [_padded([column.name, *column.to_list()]) for column in table]
    lines = [f"│ {'   '.join(cells)} │" for cells in zip(*columns, strict=True)]
    width = max(sum(_width(column[0]) + 3 for column in columns) - 1, 0)
    top, below_head, bottom = f"┌{'─' * width}┐", f"╞{'═' * width}╡", f"└{'─' * width}┘"
    return "\n".join([top, *lines[:1], below_head, *lines[1:], bottom])


def _padded(values: list[Any]) -> list[str]:
    """Return values as text, filled with blanks to the width of the widest."""
    cells = [_text(value) for value in values]
    widths = [_width(cell) for cell in cells]
    widest = max(widths)
    return [cell + " " * (widest - width) for cell, width in zip(cells, widths, strict=True)]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.{_DECIMALS}f}"
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    text = escaped(str(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _width(text: str) -> int:
    """Return the columns that a text takes in a terminal: two for a Chinese character, say."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)
