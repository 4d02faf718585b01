"""The page of a leaderboard: ranks with their intervals, and what each run and collection shows."""

from __future__ import annotations

import html
import re
from typing import Any, Protocol

import polars as pl

from lexiframe.base import __version__, escaped
from lexiframe.views.report.page import as_json, part, policy


class Shown(Protocol):
    """What the page shows: a leaderboard, which `views` may not import."""

    @property
    def verdict(self) -> pl.DataFrame:
        """The sentences."""
        ...

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        ...


def leaderboard_page(board: Shown) -> str:
    """Return a leaderboard as one HTML page, which makes no request to a network."""
    tables = board.tables()
    script = f'"use strict";\n(() => {{\n{part("leaderboard.js")}}})();\n'
    ranking = tables["ranking"]
    rules = board.verdict["rule"].unique(maintain_order=True).to_list()
    rule = rules[0]
    n = ranking.filter(pl.col("rule") == rule).height
    sentences = board.verdict["sentence"].to_list()
    parts = {
        "title": f"Leaderboard of {n} run{'s' * (n != 1)}",
        "policy": policy(script),
        "style": part("page.css"),
        "script": script,
        "summary": "\n".join(f"<p>{html.escape(escaped(one))}</p>" for one in sentences),
        "version": __version__,
        "facts": as_json(_facts(tables, rules)),
    }
    page = part("leaderboard.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)


def _facts(tables: dict[str, pl.DataFrame], rules: list[str]) -> dict[str, Any]:
    """Return the numbers of the page: columns of tables, and cells as collections by run."""
    cells = tables["cells"].pivot("collection", index="run", values="value")
    collections = cells.columns[1:]
    return {
        "rules": rules,
        "ranking": tables["ranking"].to_dicts(),
        "collections": collections,
        "cells": {row[0]: list(row[1:]) for row in cells.rows()},
        "leave_one_out": tables["leave_one_out"].to_dicts(),
        "weights": tables["collection_weights"].to_dicts(),
        "gaps": tables["gaps"].group_by("run").agg("collection").sort("run").to_dicts(),
    }
