"""The page of runs in an order: a leaderboard, or strengths from side-by-side judgments."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import polars as pl

from lexiframe.core.base import __version__, escaped, printed
from lexiframe.core.views.report.page import page_json, part, policy, script_of
from lexiframe.decide import leaderboards


class Shown(Protocol):
    """A result of several tables, for the page."""

    @property
    def verdict(self) -> pl.DataFrame:
        """The sentences."""
        ...

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        ...


_RUN = "\0run"
"""A column that is called like no collection."""


def leaderboard_page(board: Shown, said: Sequence[str] = ()) -> str:
    """Return a leaderboard as one HTML page, which makes no request to a network.

    ``said`` are sentences on the page behind those of the verdict.
    """
    tables = board.tables()
    rules = board.verdict["rule"].unique(maintain_order=True).to_list()
    n = tables["ranking"].filter(pl.col("rule") == rules[0]).height
    words = {
        "title": f"Leaderboard of {printed.counted(n, 'run')}",
        "value": f"Value over {leaderboards.weighted_collections(tables['collection_weights'])}",
        "interval": "Ranks that are possible, for all runs at once (line) and for the run alone "
        "(bar)",
        "beside": "One run beside its neighbours",
    }
    sentences = [*board.verdict["sentence"], *said]
    return _page(sentences, words, _leaderboard_data(tables, rules))


def ranked_page(
    said: Sequence[str],
    words: Mapping[str, str],
    rows: pl.DataFrame,
    against: pl.DataFrame,
    columns: Sequence[tuple[str, str, str]],
    tables: Mapping[str, tuple[str, pl.DataFrame]],
) -> str:
    """Return runs in an order as a page: each beside every other run, and further tables.

    ``rows`` have ``run, rank, value, low, high``; ``words`` has the ``title`` and the names of the
    columns ``value``, ``interval`` and ``beside``. ``columns`` are the columns of ``against`` (key
    run_a, run_b) with their headings, and their values when the runs change places: ``same``,
    ``sign``, ``rest`` (1 minus it) or the name of another column. ``tables`` are titles, each with
    a note and a table.
    """
    shown = rows.with_columns(
        rule=pl.lit(""), at="value", low_each=pl.lit(None, pl.Float64), note=pl.lit(""),
        high_each=pl.lit(None, pl.Float64), said=_row_label("value", "low", "high"),
    )  # fmt: skip
    facts = {
        **_NOTHING,
        "ranking": shown.to_dicts(),
        "against": _numbered_columns(against, columns),
        "columns": [list(column) for column in columns],
        "tables": [
            {"title": title, "note": note, "columns": table.columns, "rows": table.rows()}
            for title, (note, table) in tables.items()
        ],
    }
    return _page(said, words, facts)


def _numbered_columns(
    against: pl.DataFrame, columns: Sequence[tuple[str, str, str]]
) -> dict[str, list[Any]]:
    """Return the columns that are shown of pairs, with runs by their numbers: 300 have 45,000."""
    runs = pl.concat([against["run_a"], against["run_b"]]).unique().sort().to_list()
    ends = pl.col("run_a", "run_b").replace_strict(runs, range(len(runs)), return_dtype=pl.Int64)
    shown = {name for column in columns for name in column[::2]} & {*against.columns}
    numbers = against.select(ends, *sorted(shown)).with_columns(
        pl.selectors.float().round_sig_figs(6)
    )
    return {"runs": runs, **numbers.to_dict(as_series=False)}


_NOTHING: dict[str, Any] = {
    "rules": [""], "against": None, "collections": [], "cells": {}, "leave_one_out": [],
    "weights": [], "gaps": [], "tables": [],
}  # fmt: skip
"""What the script looks at, where a page has none of it."""


def _page(said: Sequence[str], words: Mapping[str, str], facts: Mapping[str, Any]) -> str:
    script = script_of(["dom", "copies"], f"(() => {{\n{part('ranked.js')}}})();")
    parts = {
        **{name: html.escape(word) for name, word in words.items()},
        "policy": policy(script),
        "style": part("page.css"),
        "script": script,
        "summary": "\n".join(f"<p>{html.escape(escaped(one))}</p>" for one in said),
        "version": __version__,
        "facts": page_json(facts),
    }
    # one pass: what is put in is not searched again
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], part("ranked.html"))


def _row_label(at: str, low: str, high: str) -> pl.Expr:
    """Describe the picture of a row, for readers who cannot see it."""
    number = pl.format("{}", pl.col(at).round(4))
    between = pl.format(", {} to {}", pl.col(low).round(4), pl.col(high).round(4))
    return number + between.fill_null("")


def _leaderboard_data(tables: dict[str, pl.DataFrame], rules: list[str]) -> dict[str, Any]:
    """Return the numbers of the page: columns of tables, and cells as collections by run."""
    # A collection may be called run.
    named = tables["cells"].rename({"run": _RUN})
    cells = named.pivot("collection", index=_RUN, values="value")
    possible = {"low": "rank_low", "high": "rank_high"}
    each = {f"{end}_each": f"{column}_each" for end, column in possible.items()}
    ranking = tables["ranking"].with_columns(
        **possible, **each, at="rank", said=_row_label("rank", *possible.values()),
        note=pl.when("incomplete").then(pl.lit("incomplete")).otherwise(pl.lit("")),
    )  # fmt: skip
    return {
        **_NOTHING,
        "rules": rules,
        "ranking": ranking.to_dicts(),
        "collections": cells.columns[1:],
        "cells": {row[0]: list(row[1:]) for row in cells.rows()},
        "leave_one_out": tables["leave_one_out"].to_dicts(),
        "weights": tables["collection_weights"].to_dicts(),
        "gaps": tables["gaps"].group_by("run").agg("collection").sort("run").to_dicts(),
    }
