"""Names and numbers in the titles, the axes and the data of charts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from lexiframe.core.base import escaped

_TAGS = re.compile(r"<(?=[/!?a-zA-Z])")
_IN_TITLE = 40
"""The letters of a name in a title; the axis or the tooltip has all of it."""


def harmless(text: str) -> str:
    r"""Return a text that cannot end the script of a page with a chart.

    Altair writes data into pages unescaped, so that a run named ``</script>`` would end the chart
    and begin a page of its own. An invisible mark (U+200B) behind ``<`` prevents that.

    Examples
    --------
    >>> harmless("a</script>\x07"), harmless("p < 0.05")
    ('a<\u200b/script>\\x07', 'p < 0.05')
    """
    return _TAGS.sub("<\u200b", escaped(text))


def harmless_all(texts: Iterable[str]) -> list[str]:
    """Return texts as `harmless` does, for the order of an axis, say."""
    return [harmless(text) for text in texts]


def spoken(text: str) -> str:
    r"""Return a text of data as the title of an axis or a legend, which screen readers read aloud.

    Vega-Lite puts such titles into expressions of Vega, where a backslash would begin another
    sign, or end the chart with an error. An invisible mark (U+200B) behind it prevents that.

    Examples
    --------
    >>> spoken("mean a\\b")
    'mean a\\\u200bb'
    """
    return harmless(text).replace("\\", "\\\u200b")


def short(name: str) -> str:
    """Return a name for a title: a very long one is cut."""
    return name if len(name) <= _IN_TITLE else f"{name[: _IN_TITLE - 1]}…"


def requests_text(n: pl.Series) -> str:
    """Return numbers of requests in words: one number, or the least and the greatest."""
    return counted(n, "request")


def pairs_text(n: pl.Series) -> str:
    """Return numbers of pairs in words: one number, or the least and the greatest."""
    return counted(n, "pair")


def counted(n: pl.Series, of: str) -> str:
    """Return numbers of anything in words: one number, or the least and the greatest."""
    ends = n.drop_nulls().unique().sort().to_list()
    least_and_most = dict.fromkeys([*ends[:1], *ends[-1:]])
    return f"{' to '.join(f'{n:,}' for n in least_and_most)} {of}{'s' * ([*least_and_most] != [1])}"


def runs_text(runs: Sequence[str], n: pl.Series) -> str:
    """Return the numbers of runs and of requests in words."""
    return f"{len(runs)} run{'s' * (len(runs) != 1)}, {requests_text(n)}"


def tested(pairs: pl.DataFrame, alpha: float | None) -> str:
    """Return the test, the correction and the level in a few words."""
    level = "" if alpha is None else f", α = {alpha:g}"
    return f"test: {pairs['test'][0]}, correction: {pairs['correction'][0]}{level}"
