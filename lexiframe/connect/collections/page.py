"""The page of several collections: an overview, and the page that each has alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe import features
from lexiframe.core.base import printed, warn
from lexiframe.core.base.feature import Boards
from lexiframe.core.pairwise import facts
from lexiframe.core.projection import by_collection
from lexiframe.core.views import Contents, sentences
from lexiframe.core.views.report import page
from lexiframe.core.views.report.data import PageData
from lexiframe.core.views.report.packing import Packing

MOST = 19
"""The collections whose data a page has: of more it would open slowly, and has a leaderboard."""
_FOLDER = "lexiframe.connect.collections"
_KEY = ["group", "measure"]


def texts_by_collection(given: Any) -> Callable[[str], Any]:
    """Return a function from collections to the texts of their documents, or queries.

    A frame with the column ``collection`` has those of each; any other holds for all.
    """
    parts = by_collection.apart(given)
    return (lambda name: given) if parts is None else parts.get


def collections_page(e: Any, pages: Mapping[str, Contents]) -> str:
    """Return a page with an overview of collections, and with the contents of the page of each."""
    data = overview_data(pages, sentences_over(e))
    n_runs, n = len(data.facts["runs"]), printed.counted(len(pages), "collection")
    title = f"Evaluation of {printed.counted(n_runs, 'run')} on {n}"
    summary, provenance = e.summary("all")._repr_html_(), page.provenance_text(e.provenance)
    of_all = Contents(data, title, summary, "", provenance)
    written = [page.written_data(data)]
    for place, one in enumerate(pages.values()):
        written += [
            page.written_data(one.data, f"-{place}"),
            f'<template id="catalogue-{place}">{one.catalogue}</template>',
            f'<template id="provenance-{place}">{one.provenance}</template>',
        ]
    scripts = [*map(page.part, page.SCRIPTS), page.part("overview.js", _FOLDER)]
    parts = (page.part(f"overview.{kind}", _FOLDER) for kind in ("html", "css"))
    return page.put_together(of_all, "\n".join(written), scripts, "startOverview", *parts)


def sentences_over(e: Any) -> dict[str, str]:
    """Return the sentences of the verdict over all collections by measure, where there is one."""
    inference = e.provenance["inference"]
    has_none = inference["alternative"] != "two-sided" and inference["baseline"] is None
    if has_none or e.orderings["run"].n_unique() < 2:
        return {}
    of_all = sentences.verdict(e).filter(pl.col("collection").is_null())
    return dict(of_all.select("measure", "sentence").iter_rows())


def overview_data(pages: Mapping[str, Contents], over: Mapping[str, str]) -> PageData:
    """Return the data of the overview: means and conclusions of all collections.

    Marks and conclusions are those by the first test and correction; ``over`` are sentences on all
    collections by measure.
    """
    means, marks, said = (
        by_collection.together({name: _first_test(one.data, of) for name, one in pages.items()})
        for of in ("means", "marks", "conclusions")
    )
    on = ["collection", *_KEY]
    marks = marks.select(*on, "run", "mark")
    means = means.join(marks, on=[*on, "run"], how="left", maintain_order="left")
    sizes = means.group_by(on, maintain_order=True).agg(n_runs=pl.len(), n=pl.col("n").max())
    said = said.select(*on, "best", "is_best", "told", "sentence")
    tables = {
        "means": means.select(*on, "run", "mean", "ci_low", "ci_high", "rank", "mark"),
        "marks": means.select("measure", "mark").unique().drop_nulls().sort("measure", "mark"),
        "over": _over_collections(means, said),
        "collections": sizes.join(said, on=on, how="left", maintain_order="left").with_columns(
            pl.col("best").fill_null([]), pl.col("told", "sentence").fill_null("")
        ),
    }
    told = [one.data.facts for one in pages.values()]
    measures: dict[str, dict[str, Any]] = {}
    for one in (one for each in told for one in each["measures"]):
        cells = one["cells"] and {name: one["cells"].get(name) for name in ("kind", "smaller")}
        if measures.get(one["name"], {}).get("cells") is None:
            measures[one["name"]] = {**one, "cells": cells, "decides": None}
    packing = Packing()
    of_all = {
        "said": over,
        "version": told[0]["version"],
        "collections": [{"name": name, "title": one.title} for name, one in pages.items()],
        "runs": sorted({*means["run"]}),
        "measures": [*measures.values()],
        "groups": [*dict.fromkeys(group for each in told for group in each["groups"])],
        "by": told[0]["by"],
        "inference": {**told[0]["inference"], "tests": [], "corrections": [], "words": ""},
        "tables": {name: packing.table(table) for name, table in tables.items()},
        "queries": {"ids": [], "groups": packing.array(np.zeros(0, np.int64)), "texts": {}},
    }
    return PageData(of_all, packing, tables)


def _first_test(one: PageData, name: str) -> pl.DataFrame:
    """Return the rows of a table by the test and correction that the page begins with."""
    table, inference = one.tables[name], one.facts["inference"]
    for kind in ("test", "correction"):
        if kind in table.columns and inference[f"{kind}s"]:
            table = table.filter(pl.col(kind) == inference[f"{kind}s"][0])
    return table


def _over_collections(means: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Return for each run its mean and mean rank over collections, and where it is first.

    Runs that lack collections have no mean, and come last; ``first`` counts the collections in
    which the run is first, and ``alone`` those in which it also differs from all others.
    """
    alone = said.filter("is_best").group_by(*_KEY, run=pl.col("best").list.first()).len("alone")
    everywhere = pl.col("n") == pl.col("among")
    among = pl.col("collection").n_unique().over(_KEY)
    over = (
        means.with_columns(among=among)
        .group_by(*_KEY, "run")
        .agg(
            pl.col("among").first(),
            pl.col("mean", "rank").mean(),
            first=pl.col("mark").str.contains("*", literal=True).sum(),
            n=pl.col("mean").count(),
            ranked=pl.col("rank").null_count() == 0,
        )
    )
    over = over.sort(*_KEY, ~everywhere, "rank", "run", nulls_last=True)
    over = over.join(alone, on=[*_KEY, "run"], how="left", maintain_order="left")
    known = {"mean": everywhere, "rank": everywhere & pl.col("ranked")}
    over = over.with_columns(pl.when(is_so).then(name).alias(name) for name, is_so in known.items())
    return over.drop("ranked", "among").with_columns(pl.col("alone").fill_null(0))


def leaderboard_instead(e: Any) -> str:
    """Return the page of the leaderboard of an evaluation, and warn that it is no page of all."""
    make_page = features.needed(Boards, "report(...)").page_of_leaderboard
    known, n = facts.known_facts(e.provenance), len(e.collections)
    measures = e.provenance["measures"]
    ranked = [name for name in measures if not known[name].is_count] or measures
    metrics = [name for name in ranked if known[name].kind == "metric"]
    measure = (metrics or ranked)[0]
    of_runs = e.means.filter(measure=measure).drop_nulls("mean")
    share = (pl.col("mean") * pl.col("n")).sum() / pl.col("n").sum()
    shares = of_runs.group_by("run", "collection", maintain_order=True).agg(value=share)
    how: dict[str, Any] = {"measure": measure} if metrics else {}
    if not (shares["run"].value_counts()["count"] == n).any():  # no run has all collections
        how |= {"rule": "borda", "missing": "votes"}
    why = (
        f"This evaluation has {n} collections, and a page has the data of up to {MOST}: this is "
        f"their leaderboard by {measure}."
    )
    another, first = "lf.leaderboard(e, measure=...).report(...)", next(iter(e.collections))
    advised = printed.advice(terminal="name it first in -m", python=another)
    warn(f"report: {why} By another measure: {advised}.")
    one = f"e.collections[{first!r}].report(...)"
    said = [why, f"In Python, {another} is that by another measure, {one} the page of one."]
    return make_page(e if metrics else shares, said, **how)
