"""Several collections in one table of a measure: runs × collections, then the mean over them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed
from lexiframe.core.pairwise import facts
from lexiframe.core.views.shown.mean_cells import DECIMALS, mean_cells
from lexiframe.core.views.shown.means import best_and_named, legend, marks, untested_in_words
from lexiframe.core.views.shown.model import Cell, Column, Panel, ShownTable
from lexiframe.core.views.shown.paper import paper_of as paper_of_groups

_MARKS = ("Superscript", "†", "▲", "?", "With one request")
"""How the notes begin that explain marks."""
_ALL = re.compile(r"the [\d,]+ pairs of all measures")
Tables = Mapping[str, pl.DataFrame]


def _as_measures(
    tables: Tables, provenance: Mapping[str, Any], measure: str
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return means and comparisons of one measure, in which each collection is a measure."""
    found = {
        name: tables[name].filter(measure=measure).with_columns(measure="collection")
        .drop("collection")
        for name in ("means", "comparisons")
    }  # fmt: skip
    names = found["means"]["measure"].unique(maintain_order=True).to_list()
    known = facts.as_provenance(dict.fromkeys(names, facts.known_facts(provenance)[measure]))
    return found, {**provenance, "groups": [], "measures": names, "facts": known}


def _over_collections(means: pl.DataFrame) -> pl.DataFrame:
    """Return the mean and the mean rank of each run, null unless it is in all; the best first.

    Runs that a collection lacks come after all others, by the mean of the ranks that they have.
    """
    n, own = means["measure"].n_unique(), pl.col("rank").mean().alias("own")
    both = pl.col("mean", "rank")
    found = means.group_by("run").agg(pl.when(both.count() == n).then(both.mean()), own)
    return found.sort("rank", "own", "run", nulls_last=True).drop("own")


def paper_of(
    tables: Tables,
    provenance: Mapping[str, Any],
    measures: Sequence[str],
    runs: Sequence[str] | None = None,
    *,
    blocks: bool | None = None,
    **how: Any,
) -> ShownTable:
    """Return the means of an evaluation as a table for a paper; see `Evaluation.latex`.

    Several collections have a column each if there is one measure and a run that all have; else,
    or with ``blocks``, a block of rows each.
    """
    is_one = provenance["groups"] == ["collection"] and len(measures) == 1
    if blocks is False and not is_one:
        raise LexiframeError(
            "blocks=False: expected one measure of several collections without further groups, "
            f"found {printed.listed(measures)} in groups by {printed.listed(provenance['groups'])};"
            " name one measure, or leave blocks out"
        )
    if blocks is None and is_one:
        blocks = not _are_shared(tables["means"].filter(measure=measures[0]))
    if blocks or not is_one:
        return paper_of_groups(tables, provenance, measures, runs, **how)
    return _paper_across(tables, provenance, measures[0], runs, **how)


def _paper_across(
    tables: Tables,
    provenance: Mapping[str, Any],
    measure: str,
    runs: Sequence[str] | None = None,
    **how: Any,
) -> ShownTable:
    """Return one measure as a table for a paper: a row for each run, a column for each collection.

    The mean and the mean rank of the runs that all collections have stand last.
    """
    of, told = _as_measures(tables, provenance, measure)
    own = facts.known_facts(provenance)[measure]
    mean = _over_collections(of["means"])
    runs = mean["run"].to_list() if runs is None else runs
    paper = paper_of_groups(of, told, told["measures"], runs, **how)
    in_percent = how.get("percent") and (own.kind == "preference" or own.limits.are_of_a_share)
    digits = how.get("decimals")
    digits = (2 if in_percent else DECIMALS) if digits is None else digits
    mean = mean.filter(pl.col("run").is_in([*runs])).with_columns(
        pl.col("mean") * (100 if in_percent else 1),
        is_best=(pl.col("mean") == (pl.min if own.smaller_is_better else pl.max)("mean"))
        & pl.col("rank").is_not_null(),
        is_first=pl.col("rank") == pl.col("rank").min(),
    )
    is_alone = len(runs) == 1
    last = {
        run: (
            Cell(printed.cell("mean", m, digits), bool(is_best) and not is_alone),
            Cell(_rank(rank), bool(is_first) and not is_alone),
        )
        for run, m, rank, is_best, is_first in mean.iter_rows()
    }
    (panel,) = paper.panels
    there = (last[run] for run in runs if run in last)
    rows = tuple((*row, *cells) for row, cells in zip(panel.rows, there, strict=True))
    columns = (Column(name, is_number=True) for name in ("mean", "mean rank"))
    shown = of["means"].filter(pl.col("run").is_in([*runs]))
    notes = [*_notes(shown, len(told["measures"]), measure, own, in_percent=bool(in_percent))]
    if shown["rank"].count() and not is_alone:
        notes.append("Bold: the best of a column, several runs if they tie.")
    marks_in_words = (
        _ALL.sub("all pairs of all measures of a collection", note).replace(
            "each measure", "each collection"
        )
        for note in paper.notes
        if note.startswith(_MARKS)
    )
    return ShownTable((*paper.columns, *columns), (Panel("", rows),), (*notes, *marks_in_words))


def _are_shared(means: pl.DataFrame) -> bool:
    """Return whether all collections have a run in common."""
    n = means.group_by("run").agg(pl.col("collection").n_unique())
    return bool((n["collection"] == means["collection"].n_unique()).any())


def _rank(rank: float | None) -> str:
    return printed.MISSING if rank is None else f"{rank:.2f}"


def _notes(
    means: pl.DataFrame, n_collections: int, measure: str, own: facts.Facts, *, in_percent: bool
) -> Iterator[str]:
    """Yield what the numbers are, which is better, and why some are missing."""
    n = printed.counted(printed.n_range(means["n"]), "request")
    share = ": the share of requests won against the other runs, ties half"
    share *= own.kind == "preference"
    yield f"Means of {measure} over {n} of each collection{share}{'; in %' * in_percent}."
    if own.smaller_is_better:
        yield "Smaller is better."
    if means.height < means["run"].n_unique() * n_collections:
        yield (
            f"{printed.MISSING}: the collection lacks the run; means are of runs that all have, "
            "ranks among all runs of a collection."
        )


def section_across(
    tables: Tables, provenance: Mapping[str, Any], named: Collection[str]
) -> printed.Section:
    """Return the first measure as runs × collections with their mean; of many runs some."""
    measure, inference = provenance["measures"][0], provenance["inference"]
    of, told = _as_measures(tables, provenance, measure)
    means, own = of["means"], facts.known_facts(provenance)[measure]
    found = marks(means, of["comparisons"], inference)
    cells = mean_cells(means.join(found, on=["run", "measure"], maintain_order="left"), "nothing")
    last = _over_collections(means)
    texts = (
        printed.texts_of(last[name], write).alias(called)
        for name, called, write in (
            ("mean", "mean", lambda m: printed.cell("mean", m, DECIMALS)),
            ("rank", "mean rank", _rank),
        )
    )
    whole = last.select("run", *texts).join(cells, on="run", maintain_order="left")
    table, left_out = best_and_named(
        whole.select("run", *told["measures"], "mean", "mean rank"), named
    )
    title, *notes = _notes(means, len(told["measures"]), measure, own, in_percent=False)
    if means["rank"].count() and means["run"].n_unique() > 1:
        notes.append(legend(inference, of["comparisons"], told["measures"], "mean"))
    if found["mark"].str.contains("?", literal=True).any():
        notes.append(untested_in_words(inference))
    return printed.Section(title.removesuffix("."), table, (*notes, *left_out), is_matrix=True)
