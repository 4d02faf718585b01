"""Two runs side by side as text: their requests, and the recall levels of one request."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed


def requests_text(table: pl.DataFrame, a: str, b: str) -> tuple[str, str]:
    """Return which run is better how often, the differences as requests × measures, and a note.

    ``table`` is made by `Evaluation.pair`; rows are sorted by the first measure. The note is about
    requests that are not shown.
    """
    wide = table.pivot("measure", index="query_id", values="preference")
    decided = table.filter(pl.col("deciding_level").is_not_null())
    if decided.height:
        levels = decided.pivot("measure", index="query_id", values="deciding_level")
        levels = levels.rename({name: f"{name} level" for name in levels.columns[1:]})
        wide = wide.join(levels, on="query_id", how="left", maintain_order="left")
    note = (
        f"{printed.MOST} of {wide.height:,} requests are shown, those with the greatest gains "
        "and losses; --format csv prints all"
    )
    legend = "; level: the recall level that decides (—: none)" if decided.height else ""
    title = f"Differences by request: positive where {a} is better than {b}{legend}"
    drawn = printed.plain_text(printed.ends_of(wide), is_matrix=True)
    said = "\n".join(map(printed.paragraph, _how_often(table, a, b)))
    text = f"{said}\n\n{printed.paragraphs(escaped(title))}\n{drawn}"
    return text, note if wide.height > printed.MOST else ""


def _how_often(table: pl.DataFrame, a: str, b: str) -> list[str]:
    """Say by each measure in how many requests each of two runs is better."""
    said = []
    for (measure,), part in table.group_by("measure", maintain_order=True):
        sides = part["preference"].sign().to_list()
        n = {run: sides.count(sign) for run, sign in ((a, 1), (b, -1))}
        first, second = sorted(n, key=lambda run: -n[run])
        n_tied = sides.count(0)
        ties = f", and {n_tied:,} {'is' if n_tied == 1 else 'are'} tied" if n_tied else ""
        told = f"{first} and {second} tie in every request"
        if n[first]:
            of = printed.counted(part.height, "request")
            told = f"{first} is better in {n[first]:,} of {of}, {second} in {n[second]:,}{ties}"
        said.append(f"By {measure}, {told}.")
    return said


def levels_text(table: pl.DataFrame, levels: pl.DataFrame, query_id: str, a: str, b: str) -> str:
    """Return the comparison of two rankings of one request, then their positions side by side.

    ``table`` is made by `Evaluation.pair`, ``levels`` by `Evaluation.explain`. Levels that neither
    run retrieved are counted; of many, the first, the last and the deciding ones are shown.
    Thresholds are shown where there are several. Where ties are expected, the ranks are those that
    some order gives, with the chance that either run is sooner.
    """
    are_expected = "low_a" in levels.columns
    sides = _possible_ranks(a, b) if are_expected else _items(a, b)
    ranks = ("low_a", "low_b") if are_expected else ("position_a", "position_b")
    found = levels.filter(pl.any_horizontal(pl.col(*ranks).is_not_null()))
    marks = table.drop_nulls("deciding_level").group_by("deciding_level", maintain_order=True)
    decides = dict(marks.agg(pl.col("measure").str.join(", ")).iter_rows())
    graded = ["threshold"] if levels["threshold"].n_unique() > 1 else []
    of_levels = pl.col("level").replace_strict(decides, default="", return_dtype=pl.String)
    deciding = pl.col("decides").fill_null("") if are_expected else of_levels
    shown = found.select(*graded, "level", *sides, deciding.alias("decides"))
    place = pl.int_range(pl.len())
    is_end = (place < printed.MOST // 2) | (place >= pl.len() - printed.MOST // 2)
    is_shown = found.select(is_end | pl.col("level").is_in([*decides])).to_series()
    part = shown.filter(is_shown)
    lacks = found.filter(is_shown).select(pl.any_horizontal(pl.col(*ranks).is_null()).any()).item()
    notes = [f"{printed.MISSING}: not retrieved"] if lacks else []
    if are_expected:
        notes.append("over all orders of equal scores; +: in some orders not retrieved")
    if part.height < shown.height:
        notes.append(f"{shown.height - part.height:,} levels between are left out: --format csv")
    if found.height < levels.height:
        notes.append(f"{levels.height - found.height:,} more levels: retrieved by neither")
    sections = printed.Section("", part, tuple(notes), leads=1)
    values = printed.plain_text(table.drop("query_id", "run_a", "run_b"))
    said = printed.paragraph(_who_is_better(table, query_id, a, b))
    return f"{said}\n\n{sections.text()}\n\n{values}"


def _items(a: str, b: str) -> list[pl.Expr]:
    """Return the items of both runs, and their positions."""
    return [
        pl.col(f"{column}_{side}").alias(name)
        for side, run, at in (("a", a, "at"), ("b", b, " at"))
        for column, name in (("doc", f"item of {run}"), ("position", at))
    ]


def _possible_ranks(a: str, b: str) -> list[pl.Expr]:
    """Return the ranks that orders of equal scores give, and the chances to be sooner."""
    found = []
    for side, run in (("a", a), ("b", b)):
        low, high = (pl.col(f"{end}_{side}") for end in ("low", "high"))
        later = pl.when(high > low).then(pl.concat_str(pl.lit("–"), high)).otherwise(pl.lit(""))
        last = pl.when(high.is_null()).then(pl.lit("+")).otherwise(later)
        found.append(pl.concat_str(low, last).alias(f"ranks in {run}"))
    chances = (("p_better", a), ("p_worse", b))
    return [*found, *(pl.col(p).alias(f"chance of {run}") for p, run in chances)]


def _who_is_better(table: pl.DataFrame, query_id: str, a: str, b: str) -> str:
    """Name the measures by which each of two runs is better, and the deciding levels."""
    sides = {a: pl.col("preference") > 0, b: pl.col("preference") < 0}
    said = []
    for run, is_better in sides.items():
        of = [_measure_name(row) for row in table.filter(is_better).iter_rows(named=True)]
        said += [f"{run} is better by {printed.and_joined(of)}"] if of else []
    tied = table.filter(pl.col("preference") == 0)["measure"].to_list()
    said += [f"they are equal by {printed.and_joined(tied)}"] if tied else []
    return f"In request {query_id}, {'; '.join(said)}."


def _measure_name(row: dict[str, Any]) -> str:
    level = row["deciding_level"]
    return row["measure"] if level is None else f"{row['measure']} (level {level:,} decides)"
