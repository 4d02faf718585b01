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
from lexiframe.core.views import Contents
from lexiframe.core.views.report import page
from lexiframe.core.views.report.packing import Packing

MOST = 19
"""The collections whose data a page has: of more it would open slowly, and has a leaderboard."""
_FOLDER = "lexiframe.connect.collections"
_ENDS = ("js", "css", "html")
_ANOTHER, _ONE = "lf.leaderboard(e, measure=...).report(...)", "e.collections[name].report(...)"


def texts_by_collection(given: Any) -> Callable[[str], Any]:
    """Return a function from collections to the texts of their documents, or queries.

    A frame with the column ``collection`` has those of each; any other holds for all.
    """
    parts = by_collection.apart(given)
    return (lambda name: given) if parts is None else parts.get


def collections_page(e: Any, pages: Mapping[str, Contents]) -> str:
    """Return a page with an overview of collections, and with the contents of the page of each."""
    data, packing = overview_data(e, pages)
    written = page.written_data(data, packing)
    for n, one in enumerate(pages.values()):
        written += page.written_data(one.facts, one.packing, f"-{n}")
        for place in ("catalogue", "provenance"):
            written += f'<template id="{place}-{n}">{one.parts[place]}</template>\n'
    script, style, overview = (page.part(f"overview.{end}", _FOLDER) for end in _ENDS)
    on = " on ".join(printed.counted(len(data[f"{name}s"]), name) for name in ("run", "collection"))
    parts = {
        "title": f"Evaluation of {on}", "summary": e.summary("all")._repr_html_(),
        "style": page.part("page.css") + style, "overview": overview, "catalogue": "",
        "provenance": page.provenance_text(e.provenance), "data": written,
    }  # fmt: skip
    return page.put_together(parts, "startOverview", script)


def overview_data(e: Any, pages: Mapping[str, Contents]) -> tuple[dict[str, Any], Packing]:
    """Return the data of the overview: means and conclusions of all collections.

    Marks and conclusions are those by the first test and correction.
    """
    found = zip(*map(_first_test, pages.values()), strict=True)
    means, said = (by_collection.together(dict(zip(pages, of, strict=True))) for of in found)
    on = ["collection", "group", "measure"]
    sizes = means.group_by(on, maintain_order=True).agg(n_runs=pl.len(), n=pl.col("n").max())
    said = said.select(*on, "best", "is_best", "told", "sentence")
    tables = {
        "means": means.select(*on, "run", "mean", "ci_low", "ci_high", "rank", "mark"),
        "marks": means.select("measure", "mark").drop_nulls().unique().sort("measure", "mark"),
        "over": _row_over_collections(means),
        "collections": sizes.join(said, on=on, how="left", maintain_order="left"),
    }
    every = [measure for one in pages.values() for measure in one.facts["measures"]]
    known = {m["name"]: m for m in every if m["cells"]}  # no request counts for the others
    packing, first = Packing(), next(iter(pages.values())).facts
    return {
        "said": _sentences_over(e, first["inference"]),
        "collections": [{"name": c, "title": one.parts["title"]} for c, one in pages.items()],
        "runs": sorted({*means["run"]}),
        "measures": [*({m["name"]: m for m in every} | known).values()],
        "groups": means["group"].unique(maintain_order=True).to_list(),
        "by": first["by"],
        "inference": {**first["inference"], "tests": [], "corrections": [], "words": ""},
        "tables": {name: packing.table(table) for name, table in tables.items()},
        "queries": {"ids": [], "groups": packing.array(np.zeros(0, np.int64)), "texts": {}},
    }, packing  # fmt: skip


def _sentences_over(e: Any, page: Mapping[str, Any]) -> dict[str, str]:
    """Return the sentences of the verdict over all collections by measure, where there is one."""
    inference = e.provenance["inference"]
    has_none = inference["alternative"] != "two-sided" and inference["baseline"] is None
    is_grouped = len(e.provenance["groups"]) > 1  # and a sentence is about all requests
    if has_none or is_grouped or e.orderings["run"].n_unique() < 2:
        return {}
    over = e.verdict.filter(pl.col("collection").is_null())
    is_other = [
        pl.col(of).ne_missing(next(iter(page[f"{of}s"]), "")) for of in ("test", "correction")
    ]
    over = over.sort(is_other, maintain_order=True)  # the first test of the page comes first
    over = over.unique("measure", keep="first", maintain_order=True)
    return dict(over.select("measure", "sentence").iter_rows())


def _first_test(one: Contents) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return means with marks, and conclusions, by the first test and correction of a page."""
    asked, key = one.facts["inference"], ["group", "measure", "run"]
    how = {kind: next(iter(asked[f"{kind}s"]), "") for kind in ("test", "correction")}
    marks = one.tables["marks"].filter(**how).select(*key, "mark")
    means = one.tables["means"].join(marks, on=key, how="left", maintain_order="left")
    return means, one.tables["conclusions"].filter(**how)


def _row_over_collections(means: pl.DataFrame) -> pl.DataFrame:
    """Return for each run its mean and mean rank over collections, and in how many it is first.

    Runs that lack collections have no mean, and come last.
    """
    key = ["group", "measure"]
    among = pl.col("collection").n_unique().over(key)
    over = means.with_columns(among=among).group_by(*key, "run", "among").agg(
        pl.col("mean", "rank").mean(),
        n=pl.col("mean").count(),
        first=pl.col("mark").str.contains("*", literal=True).sum(),
    )  # fmt: skip
    is_whole = pl.col("n") == pl.col("among")
    over = over.sort(*key, ~is_whole, "rank", "run", nulls_last=True)
    return over.with_columns(pl.when(is_whole).then(pl.col("mean", "rank")))


def leaderboard_instead(e: Any) -> str:
    """Return the page of the leaderboard of an evaluation, and warn that it is no page of all."""
    known, measures = facts.known_facts(e.provenance), e.provenance["measures"]
    ranked = [name for name in measures if not known[name].is_count] or measures
    measure = next((name for name in ranked if known[name].kind == "metric"), ranked[0])
    of_runs = e.means.filter(measure=measure).drop_nulls("mean")
    n, x, how = len(e.collections), e, {"measure": measure}
    if known[measure].kind != "metric":  # of which there are shares, and no scores
        share = (pl.col("mean") * pl.col("n")).sum() / pl.col("n").sum()
        x, how = of_runs.group_by("run", "collection", maintain_order=True).agg(value=share), {}
    if of_runs.group_by("run").agg(n=pl.col("collection").n_unique())["n"].max() < n:
        how |= {"rule": "borda", "missing": "votes"}  # as no run has all collections
    why = f"This evaluation has {n} collections, and a page has the data of up to {MOST}: this is "
    why += f"their leaderboard by {measure}."
    advised = printed.advice(terminal="name it first in -m", python=_ANOTHER)
    warn(f"report: {why} By another measure: {advised}.")
    said = f"In Python, {_ANOTHER} is that by another measure, {_ONE} the page of a collection."
    return features.needed(Boards, "report(...)").page_of_leaderboard(x, [why, said], **how)
