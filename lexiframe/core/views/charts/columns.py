"""The names of columns in charts, and the formats of their values."""

from __future__ import annotations

from typing import Any

from lexiframe.core.views.charts.drawing import altair

_TEXTS = """
    against category conclusion correction counterexample decides from is item measure method null
    orientation property ranking run statistic test to with
"""
"""The columns of text that are called as they are."""
_COLUMNS = {name: (name, "") for name in _TEXTS.split()} | {
    "panel": ("counted", ""),
    "query_id": ("request", ""),
    "rank_high": ("rank to", ""),
    "rank_low": ("rank from", ""),
    "ranks": ("ranks of relevant items", ""),
    "row": ("of", ""),
    "run_a": ("run", ""),
    "run_b": ("and", ""),
    "says": ("better run", ""),
    # Numbers of something.
    "deciding_level": ("decided by level", "d"),
    "depth": ("retrieved items", "d"),
    "holes": ("unjudged in the top", "d"),
    "judged": ("documents judged", "d"),
    "layer": ("layer", "d"),
    "level": ("recall level", "d"),
    "level_a": ("level", "d"),
    "level_b": ("and level", "d"),
    "losses": ("lost", "d"),
    "m": ("relevant items", "d"),
    "n": ("requests", "d"),
    "n_pairs": ("pairs", "d"),
    "n_requests": ("requests", "d"),
    "n_runs": ("runs", "d"),
    "n_significant": ("significant pairs", "d"),
    "pairs": ("pairs", "d"),
    "samples": ("samples", "d"),
    "ties": ("ties", "d"),
    "wins": ("won", "d"),
    # Values, and how much they differ.
    "change": ("change", ".4f"),
    "ci_high": ("to", ".4f"),
    "ci_low": ("from", ".4f"),
    "correlation": ("correlation", ".4f"),
    "effect_size": ("effect size", "+.3f"),
    "mean": ("mean", ".4f"),
    "mean_difference": ("mean difference", "+.4f"),
    "preference": ("difference", ".4f"),
    "sd": ("standard deviation", ".4f"),
    "value": ("value", ".4f"),
    # Ranks, which may be mid-ranks, and other numbers as they are.
    "alpha": ("α", "~g"),
    "grade": ("grade", "~g"),
    "high": ("to", "~g"),
    "low": ("from", "~g"),
    "median": ("median", "~g"),
    "rank": ("rank", "~g"),
    # Shares.
    "agreement": ("agreement", ".2%"),
    "cumulative": ("decided up to it", ".2%"),
    "fraction": ("kept", ".0%"),
    "power": ("significant", ".1%"),
    "probability": ("probability", ".1%"),
    "share": ("share", ".1%"),
    "share_of_a": ("share of the row", ".3f"),
    "tie_rate": ("share of ties", ".2%"),
    "tied": ("pairs with equal worst cases", ".2%"),
    # Values of p.
    "p_adjusted": ("p, adjusted", ".3g"),
    "p_better_adjusted": ("p of a difference, adjusted", ".3g"),
    "p_equivalent_adjusted": ("p of equivalence, adjusted", ".3g"),
    "p_value": ("p", ".3g"),
}
"""The heading and the format of each column; without a format it is text."""


def tooltip(*columns: str | tuple[str, str, str]) -> list[Any]:
    """Return a tooltip of columns, by name, or with a heading and a format of a chart's own."""
    lines = [(name, *_COLUMNS[name]) if isinstance(name, str) else name for name in columns]
    return [_line(*line) for line in lines]


def _line(column: str, heading: str, form: str) -> Any:
    # Headings become parts of Vega's expressions, in which a backslash is written twice.
    title = heading.replace("\\", "\\\\")
    if not form:
        return altair().Tooltip(column, type="nominal", title=title)
    return altair().Tooltip(column, type="quantitative", title=title, format=form)
