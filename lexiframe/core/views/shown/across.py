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
_FAMILIES = (
    ("the [0-9,]+ pairs of all measures", "all pairs of all measures of a collection"),
    (
        "each measure",
        "each collection",
    ),
)
"""What notes call the families of tests where columns are measures, and where collections."""
Tables = Mapping[str, pl.DataFrame]


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
            f"found {len(measures)} measures in groups by {provenance['groups'] or None}; name one "
            "measure, or leave blocks out"
        )
    if blocks or not is_one:
        return paper_of_groups(tables, provenance, measures, runs, **how)
    of, told = _collections_as_measures(tables, provenance, measures[0])
    if blocks is None and not _row_over_collections(of["means"], _facts(told))["mean"].count():
        return paper_of_groups(tables, provenance, measures, runs, **how)
    return _paper_across(of, told, measures[0], runs, **how)


def _collections_as_measures(
    tables: Tables, provenance: Mapping[str, Any], measure: str
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return means and comparisons of one measure, in which each collection is a measure."""
    rows = (tables[name].filter(measure=measure) for name in ("means", "comparisons"))
    means, compared = (t.with_columns(measure="collection").drop("collection") for t in rows)
    names = means["measure"].unique(maintain_order=True).to_list()
    known = facts.as_provenance(dict.fromkeys(names, facts.known_facts(provenance)[measure]))
    told = {**provenance, "groups": [], "measures": names, "facts": known}
    return {"means": means, "comparisons": compared}, told


def _row_over_collections(means: pl.DataFrame, own: facts.Facts) -> pl.DataFrame:
    """Return the mean and the mean rank of each run, null unless it is in all; the best mean first.

    Runs that a collection lacks come after all others, by the mean of the ranks that they have.
    """
    n, of_some = means["measure"].n_unique(), pl.col("rank").mean().alias("of some")
    both = pl.col("mean", "rank")
    found = means.group_by("run").agg(pl.when(both.count() == n).then(both.mean()), of_some)
    mean = pl.col("mean") if own.smaller_is_better else -pl.col("mean")
    mean = pl.when(not own.is_count).then(mean)  # of which more is neither better nor worse
    return found.sort(mean, "of some", "run", nulls_last=True).drop("of some")


def _paper_across(
    of: Tables, told: Mapping[str, Any], measure: str, runs: Sequence[str] | None, **how: Any
) -> ShownTable:
    """Return runs × collections, then the mean and the mean rank of the runs that are in all."""
    own = _facts(told)
    last = _row_over_collections(of["means"], own)
    runs = last["run"].to_list() if runs is None else [run for run in runs if run in last["run"]]
    paper = paper_of_groups(of, {**told, "weights": {}}, told["measures"], runs, **how)
    last = pl.DataFrame({"run": runs}).join(last, on="run", maintain_order="left")
    is_percent = how.get("percent") and (own.kind == "preference" or own.limits.are_of_a_share)
    means = last["mean"] * (100 if is_percent else 1)
    digits = how.get("decimals")
    digits = (2 if is_percent else DECIMALS) if digits is None else digits
    is_ranked = last["rank"].count() > 0 and len(runs) > 1
    best = (means.min() if own.smaller_is_better else means.max()), last["rank"].min()
    cells = (
        (Cell(_number(m, digits), is_ranked and m == best[0]),
         Cell(_number(rank, 2), is_ranked and rank == best[1]))
        for m, rank in zip(means, last["rank"], strict=True)
    )  # fmt: skip
    rows = (row + both for row, both in zip(paper.panels[0].rows, cells, strict=True))
    shown = of["means"].filter(pl.col("run").is_in(runs))
    notes = [*_notes(shown, told, measure, "; in %" * bool(is_percent))]
    notes += ["Bold: the best of a column, several runs if they tie."] * is_ranked
    for note in (note for note in paper.notes if note.startswith(_MARKS)):
        for of_measures, of_collections in _FAMILIES:
            note = re.sub(of_measures, of_collections, note)
        notes.append(note)
    columns = (Column(name, is_number=True) for name in ("mean", "mean rank"))
    return ShownTable((*paper.columns, *columns), (Panel("", tuple(rows)),), tuple(notes))


def _facts(told: Mapping[str, Any]) -> facts.Facts:
    """Return the facts of the measure, which all columns share."""
    return next(iter(facts.known_facts(told).values()))


def _number(value: float | None, digits: int) -> str:
    return printed.MISSING if value is None else f"{value:.{digits}f}"


def _notes(
    means: pl.DataFrame, told: Mapping[str, Any], measure: str, unit: str = ""
) -> Iterator[str]:
    """Yield the unit of the numbers, the better side, and the reason why some are missing."""
    own = _facts(told)
    n = printed.counted(printed.n_range(means["n"]), "request")
    is_share, by, won, of_weights = own.kind == "preference", "", "requests", list[str]()
    if "weights" in told:
        from lexiframe.core.views.sentences.weights import weight_notes, weight_phrase

        by, won, of_weights = weight_phrase(told), "weight", [*weight_notes(told)]
    share = f": the share of {won} won against the other runs, ties half" * is_share
    yield f"Means of {measure} over {n} of each collection{by}{share}{unit}."
    yield from (f"{said}." for said in of_weights)
    if own.smaller_is_better:
        yield "Smaller is better."
    if means.height < means["run"].n_unique() * len(told["measures"]):
        lacks = f"{printed.MISSING}: the collection lacks the run"
        yield f"{lacks}; means are of runs that all have, ranks among all runs of a collection."
    if lacking := _without_measure(told):
        alone = " (preferences need two runs)" * is_share
        rest = "; means are over the other collections" * (len(told["measures"]) > 1)
        yield f"Without {measure}{alone}: {printed.and_joined(lacking)}{rest}."


def _without_measure(told: Mapping[str, Any]) -> list[str]:
    """Return the collections in which a measure has no means."""
    return [name for name in told["collections"] if name not in told["measures"]]


def section_across(
    tables: Tables, provenance: Mapping[str, Any], named: Collection[str]
) -> printed.Section:
    """Return the first measure as runs × collections with their mean; of many runs some."""
    measure, inference = provenance["measures"][0], provenance["inference"]
    of, told = _collections_as_measures(tables, provenance, measure)
    means, last = of["means"], _row_over_collections(of["means"], _facts(told))
    found = marks(means, of["comparisons"], inference)
    cells = mean_cells(means.join(found, on=["run", "measure"], maintain_order="left"), "nothing")
    averages = {"mean": ("mean", DECIMALS), "mean rank": ("rank", 2)}
    texts = {
        heading: [_number(value, digits) for value in last[name]]
        for heading, (name, digits) in averages.items()
    }
    whole = last.select("run").join(cells, on="run", maintain_order="left")
    table, left_out = best_and_named(whole.with_columns(pl.DataFrame(texts)), named)
    missing = dict.fromkeys(_without_measure(told), pl.lit(printed.MISSING))
    table = table.with_columns(**missing).select("run", *told["collections"], *averages)
    title, *notes = _notes(means, told, measure)
    if means["rank"].count() and means["run"].n_unique() > 1:
        notes.append(legend(inference, of["comparisons"], told["measures"], "mean"))
    if found["mark"].str.contains("?", literal=True).any():
        notes.append(untested_in_words(inference))
    return printed.Section(title.removesuffix("."), table, (*notes, *left_out), is_matrix=True)
