"""Two runs side by side as text: their requests, and the recall levels of one request."""

from __future__ import annotations

import polars as pl

from lexiframe.base import escaped, printed


def requests_text(table: pl.DataFrame, a: str, b: str) -> tuple[str, str]:
    """Return the differences as requests × measures, and a note if only some are shown.

    ``table`` is what `Evaluation.pair` returns; rows are sorted by the first measure.
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
    text = f"{printed.paragraphs(escaped(title))}\n{printed.plain_text(printed.ends_of(wide))}"
    return text, note if wide.height > printed.MOST else ""


def levels_text(table: pl.DataFrame, levels: pl.DataFrame, title: str) -> str:
    """Return what each measure says of one request, and then its recall levels.

    Thresholds and grades are left out where all are the same.
    """
    missing = "; —: preferences have no values, or no single level decides"
    missing *= table["value_a"].null_count() > 0
    graded = ("threshold", "relevance_a", "relevance_b")
    same = [name for name in graded if levels[name].n_unique() == 1]
    not_found = levels["position_a"].null_count() + levels["position_b"].null_count()
    by_level = "Recall level by recall level"
    by_level += "; —: not retrieved, or nothing to decide" * (not_found > 0)
    return "\n".join(
        [
            printed.paragraphs(escaped(f"{title}; positive: the first is better{missing}")),
            printed.plain_text(table.drop("query_id", "run_a", "run_b")),
            "",
            printed.paragraphs(by_level),
            printed.plain_text(levels.drop(same)),
        ]
    )
