"""Means as a table for a paper, before it is written as LaTeX, Markdown or HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, errors, printed, schemas, shown, unknown_name
from lexiframe.core.pairwise import facts
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.sentences.lacking import Lacking
from lexiframe.core.views.shown.mean_cells import sort_by_rank
from lexiframe.core.views.shown.means import measure_notes
from lexiframe.core.views.shown.model import FIGURE_SPACE, Cell, Column, Panel, ShownTable
from lexiframe.core.views.shown.paper_marks import (
    UNTESTED,
    Marks,
    chosen_marks,
    letters_of,
    marked,
    marks_in_words,
    untested_in_words,
)

_MOST_DECIMALS = 15


def paper_of(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    measures: Sequence[str],
    runs: Sequence[str] | None = None,
    *,
    marks: Marks = "auto",
    decimals: Any = None,
    percent: bool = False,
    intervals: bool = False,
    rename: Mapping[str, str] | None = None,
) -> ShownTable:
    """Return the means of an evaluation as a table for a paper; see `Evaluation.latex`.

    Without ``runs`` all are there, the best first. Numbers of a catalogue stand behind the means.
    """
    if decimals is not None and not (isinstance(decimals, int) and 0 <= decimals <= _MOST_DECIMALS):
        raise LexiframeError(
            f"decimals: expected a whole number from 0 to {_MOST_DECIMALS}, found {shown(decimals)}"
        )
    by, inference = provenance["groups"], provenance["inference"]
    values = tables.get("catalogue", pl.DataFrame(schema=schemas.CATALOGUE.columns))
    values = values.filter(pl.col("measure").is_in([*measures]))
    of_lists = [name for name in measures if name in values["measure"]]
    measures = [name for name in measures if name not in of_lists]
    if of_lists and not measures:
        raise LexiframeError(
            f"{of_lists[0]}: it is of all lists of a run together; name a measure of requests "
            "too, whose table it joins"
        )
    means = tables["means"].filter(pl.col("measure").is_in([*measures]))
    runs = _best_first(means, measures) if runs is None else runs
    names = _names_shown(runs, tables["means"]["run"].unique().sort().to_list(), rename)
    means = means.filter(pl.col("run").is_in([*runs]))
    means = means.sort(printed.place_among(measures))
    shown_measures = means["measure"].unique(maintain_order=True).to_list()
    lacking = Lacking.read_provenance(provenance)
    kind = chosen_marks(marks, runs, inference)
    letters = letters_of(runs) if kind == "letters" else {}
    of_metrics = {name: facts.metric_facts(name) for name in of_lists}
    known = facts.known_facts(provenance) | of_metrics
    intervals = intervals and means["ci_low"].count() > 0  # one request has none
    means, of_intervals = cut_at_bounds(means, known=known) if intervals else (means, [])
    scaled = _scaled(means, known, percent=percent)
    beside = values.filter(pl.col("run").is_in([*runs])).rename({"value": "mean"})
    beside = cut_at_bounds(beside.with_columns(in_percent=pl.lit(value=False)), known=known)[0]
    columns = [*shown_measures, *of_lists]
    rows_of_all = pl.concat([scaled, beside], how="diagonal_relaxed")
    compared = tables["comparisons"]
    panels, notes = [], []
    for title, part, c in _titled_groups(rows_of_all, compared, tables["means"], by):
        found = marked(kind, part, c, runs, inference)
        found = found.with_columns(mark=pl.col("mark") + lacking.counts(found))
        written = _text_rows(found, runs, columns, letters, decimals, names, intervals=intervals)
        panels.append(Panel(title, tuple(written)))
        part = part.filter(pl.col("measure").is_in(shown_measures))
        notes.append((title, [*measure_notes(part, measures, known), *lacking.notes(measures)]))
    leads = [*[Column("")] * bool(letters), Column("run")]
    panels = _lined_up(panels, len(leads))
    rows = [row for panel in panels for row in panel.rows]
    cells = [one for row in rows for one in row]
    bold = "Bold: the best mean of a measure, of several runs if they tie."
    level = f", with {100 * (1 - inference['alpha']):g} % intervals" if intervals else ""
    baseline = inference.get("baseline")
    inference = inference | {"baseline": (rename or {}).get(baseline, baseline)}
    by_weight, of_weights = "", list[str]()
    if "weights" in provenance:
        from lexiframe.core.views.sentences import weights

        by_weight = weights.weight_phrase(provenance)
        of_weights += weights.sentences_on_weights(
            provenance, tables["means"].filter(pl.col("measure").is_in(measures)), names=rename
        )
    said = (
        _what(scaled, tables, shown_measures, by, known, f"{by_weight}{level}"),
        *of_weights,
        *_notes(notes),
        *_notes([("", of_intervals)]),
        *[bold] * any(one.is_best for one in cells),
        *marks_in_words(kind, compared, means, by, inference),
        *[untested_in_words(kind, inference)] * any(UNTESTED in one.mark for one in cells),
    )
    caption = tuple(printed.say_users(one, provenance) for one in said)
    caption += _told_of_lists(values, known)
    headings = chain.from_iterable((name, *["interval"] * intervals) for name in columns)
    numbers = (
        Column(name, name in columns, has_marks=any(row[place].mark for row in rows))
        for place, name in enumerate(headings, len(leads))
    )
    return ShownTable((*leads, *numbers), tuple(panels), caption)


def _told_of_lists(values: pl.DataFrame, known: facts.Known) -> tuple[str, ...]:
    """Return the note on the numbers that are of all lists of a run, if there are some."""
    if not values.height:
        return ()
    names = values["measure"].unique(maintain_order=True).to_list()
    smaller = [name for name in names if known[name].smaller_is_better]
    less = f"; smaller is better: {printed.and_joined(smaller)}" if smaller else ""
    n = printed.n_range(values["n"])
    return (f"{printed.and_joined(names)}: of all lists of a run together (n = {n}){less}.",)


def _names_shown(
    runs: Sequence[str], known: Sequence[str], rename: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return the name that each run has in the table; raise for other runs and for twins."""
    if not isinstance(rename, Mapping | None):
        raise errors.WrongTypeError(f"rename: expected {{run: its name}}, found {shown(rename)}")
    for run, name in (rename or {}).items():
        if run not in known:
            raise unknown_name("run", run, known)
        if not (name and isinstance(name, str)):
            raise LexiframeError(f"rename: expected a name for {run}, found {shown(name)}")
    names = {run: (rename or {}).get(run, run) for run in runs}
    twins = [name for name, n in Counter(names.values()).items() if n > 1]
    if twins:
        raise LexiframeError(f"rename: two runs would both be called {twins[0]}; rename one")
    return names


def _best_first(means: pl.DataFrame, measures: Sequence[str]) -> list[str]:
    """Return the runs by their mean rank over the groups, under the first measure, then more."""
    ranks = means.group_by("run", "measure").agg(pl.col("rank").mean())
    ranks = ranks.pivot("measure", index="run", values="rank")
    return sort_by_rank(ranks.select("run", *(name for name in measures if name in ranks.columns)))[
        "run"
    ].to_list()


def _scaled(means: pl.DataFrame, known: facts.Known, *, percent: bool) -> pl.DataFrame:
    """Multiply shares by 100 for percent; the column ``in_percent`` marks their rows."""
    are_shares = {
        name: one.kind == "preference" or one.limits.are_of_a_share for name, one in known.items()
    }
    names = [name for name in means["measure"].unique() if percent and are_shares[name]]
    factor = pl.when("in_percent").then(100).otherwise(1)
    means = means.with_columns(in_percent=pl.col("measure").is_in(names))
    return means.with_columns(pl.col("mean", "ci_low", "ci_high") * factor)


def _titled_groups(
    means: pl.DataFrame, comparisons: pl.DataFrame, whole: pl.DataFrame, by: Sequence[str]
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Yield for each group of requests its title, its means and its comparisons.

    The ``whole`` table has the collections in their order.
    """
    if not by:
        yield "", means, comparisons
        return
    compared = comparisons.partition_by(by, as_dict=True)
    means = means.sort(printed.group_order(by, whole), maintain_order=True)
    parts = means.partition_by(by, as_dict=True, maintain_order=True)
    for key, part in parts.items():
        title = f"{printed.group_title(by, key)} (n = {printed.n_range(part['n'])})"
        yield title, part, compared.get(key, comparisons.clear())


def _text_rows(
    means: pl.DataFrame,
    runs: Sequence[str],
    measures: Sequence[str],
    letters: Mapping[str, str],
    decimals: int | None,
    names: Mapping[str, str],
    *,
    intervals: bool,
) -> Iterator[tuple[Cell, ...]]:
    """Write the means as text: four decimals, as trec_eval prints, and two of percent."""
    of = {}
    for row in means.iter_rows(named=True):
        usual = 2 if row["in_percent"] else 4
        digits = usual if decimals is None else decimals
        mean = Cell(printed.cell("mean", row["mean"], digits), row["is_best"], row["mark"])
        of[row["run"], row["measure"]] = (mean, *[_interval(row, digits)] * intervals)
    there = {run for run, _ in of}  # a collection may have other runs than the others
    for run in (run for run in runs if run in there):
        letter = [Cell(letters[run])] if letters else []
        found = [of.get((run, measure), (Cell(),) * (1 + intervals)) for measure in measures]
        yield (*letter, Cell(names[run]), *chain.from_iterable(found))


def _interval(row: Mapping[str, Any], digits: int) -> Cell:
    """Write both ends of an interval, with a digit less than the mean has."""
    ends = [row["ci_low"], row["ci_high"]]
    if None in ends:
        return Cell()
    return Cell("–".join(printed.cell("mean", end, max(digits - 1, 0)) for end in ends))


def _lined_up(panels: Sequence[Panel], n_leads: int) -> list[Panel]:
    """Put blanks as wide as digits before numbers, so that the points of a column are in line.

    Columns with marks and intervals begin at the same place, whatever the numbers' sizes are.
    """
    columns = [*zip(*(row for panel in panels for row in panel.rows), strict=True)]
    apart = [[cell.text.split("–") for cell in column] for column in columns]
    widths = [[max(map(len, e)) for e in zip_longest(*texts, fillvalue="")] for texts in apart]
    begin = [len(wide) > 1 or any(cell.mark for cell in column)
             for column, wide in zip(columns, widths, strict=True)]  # fmt: skip

    def wider(cell: Cell, wide: Sequence[int], is_left: bool) -> Cell:
        ends = zip(cell.text.split("–"), wide, strict=False)
        padded = "–".join(end.rjust(n, FIGURE_SPACE) for end, n in ends)
        return replace(cell, text=padded) if is_left and cell.text != printed.MISSING else cell

    return [
        replace(panel, rows=tuple(
            (*row[:n_leads], *map(wider, row[n_leads:], widths[n_leads:], begin[n_leads:]))
            for row in panel.rows
        ))
        for panel in panels
    ]  # fmt: skip


def _what(
    means: pl.DataFrame,
    tables: Mapping[str, pl.DataFrame],
    columns: Sequence[str],
    by: Sequence[str],
    known: facts.Known,
    level: str,
) -> str:
    """Describe the numbers; a share of wins is over all runs of the evaluation, shown or not."""
    shares = [name for name in columns if known[name].kind == "preference"]
    n = printed.n_range(means["n"]) if means.height else "0"
    said = f"Means over {printed.counted(n, 'request')}"
    if by:
        said = "Means over the requests of each group"
    said += level
    if shares:
        each = tables["means"].group_by(by or pl.lit(0)).agg(pl.col("run").n_unique() - 1)
        others = printed.n_range(each["run"])
        rivals = "other run" if others == "1" else f"{others} other runs"
        won = "weight" if "n_effective" in means.columns else "requests"
        share = f"the share of {won} won against the {rivals}, ties half"
        said += f"; of {', '.join(shares)} {share}"
    names = set(means.filter("in_percent")["measure"])
    if names:
        which = ", ".join(name for name in columns if name in names)
        said += "; in %" if len(names) == len(columns) else f"; in %: {which}"
    return f"{said}."


def _notes(notes: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the notes on measures; a note on some groups names these."""
    for said in dict.fromkeys(said for _, of_group in notes for said in of_group):
        titles = [title for title, of_group in notes if said in of_group]
        where = f"; {', '.join(titles)}" if len(titles) < len(notes) else ""
        yield f"{said[0].upper()}{said[1:]}{where}."
