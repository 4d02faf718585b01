"""What all charts share: Altair, the data inside them, sizes and colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import LexiframeError, escaped, schemas, unknown_name
from lexiframe.typing import Frame
from lexiframe.views.charts.names import shortened, shown_as

if TYPE_CHECKING:
    import altair as alt

COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #f0e442".split()
"""Colours that colour-blind people can tell apart (Okabe & Ito), those that print best first."""
SHARES = "blues"
"""The colour scheme of a quantity from none to all: darker is more."""
SIDES = "blueorange"
"""The colour scheme of a quantity with a middle, reversed: blue is above it, orange below."""
WIDTH = 460
"""The width of a chart in pixels, names and legends apart."""
GREY = "#767676"
"""What is not in the foreground; on white it has a contrast of 4.5."""
LONGEST = 200
"""The width in pixels after which a name beside an axis is cut; its tooltip has all of it."""
NUMBER = ".4~g"
"""The format of numbers at an axis; Vega's own rounds to the distance between numbers."""
_TAGS = re.compile(r"<(?=[/!?a-zA-Z])")


def altair() -> Any:
    """Return Altair; raise if it is not installed."""
    try:
        import altair
    except ImportError:
        raise LexiframeError(
            "charts need Altair, which is not installed; pip install 'lexiframe[viz]'"
        ) from None
    return altair


def harmless(text: str) -> str:
    r"""Return a text that cannot end the script of a page in which a chart stands.

    Altair writes data into pages as they are, so that a run named ``</script>`` would end the
    chart and begin a page of its own. An invisible mark (U+200B) behind ``<`` prevents that.

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


def inside(table: pl.DataFrame) -> alt.InlineData:
    """Return a table as the data of a chart, however many rows; NaN and infinities are missing.

    Altair refuses frames of more than 5,000 rows, which the pairs of 110 runs exceed.
    """
    rows = [{name: _plain(value) for name, value in row.items()} for row in table.to_dicts()]
    data: alt.InlineData = altair().InlineData(values=[])
    # Given at once, the rows would be validated one by one, which takes longer than to draw them.
    data["values"] = rows
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    return None if isinstance(value, float) and not isfinite(value) else value


def rows_of(
    table: Frame, schema: schemas.TableSchema, key: Sequence[str], called: str, **only: str | None
) -> pl.DataFrame:
    """Return the rows of a table that a chart shows; raise if there are several of one key.

    ``only`` maps a column to the value wanted; None takes the only one that there is. A table by
    groups of requests has several rows of a key, as `check` leaves the groups out.
    """
    rows = schemas.check(table, schema, called)
    for column, value in only.items():
        if value is None:
            continue
        known = rows[column].unique().sort().to_list()
        if value not in known:
            raise unknown_name(column, value, known)
        rows = rows.filter(pl.col(column) == value)
    if rows.is_empty():
        raise LexiframeError(f"{called}: expected at least one row to draw, found none")
    several = _several(rows, {column for column, value in only.items() if value is None} - {*key})
    if several or rows.select(key).is_duplicated().any():
        raise LexiframeError(
            f"{called}: expected one row for each {', '.join(key)}, found several; "
            + ("; ".join(several) or _ONE)
        )
    return rows


_ONE = "choose one group of requests, one method, one test and one correction first (table.filter)"


def _several(rows: pl.DataFrame, columns: Iterable[str]) -> list[str]:
    """Say of which columns the rows have several values, and how to choose one."""
    values = {column: rows[column].unique().sort().to_list() for column in sorted(columns)}
    return [
        f"the table has {len(known)} values of {column} ({', '.join(known)}): choose one, such as "
        f"{column}={known[0]!r}"
        for column, known in values.items()
        if len(known) > 1
    ]


def step(n: int, least: int = 12, most: int = 40, side: int = WIDTH) -> int:
    """Return the pixels of each of n rows or columns: few are wide, many narrow.

    Examples
    --------
    >>> step(2), step(20), step(110)
    (40, 23, 12)
    """
    return min(most, max(least, side // max(1, n)))


def name_size(pixels: int) -> int:
    """Return the size of the names of rows that are so many pixels high, so that none overlap.

    Examples
    --------
    >>> name_size(step(2)), name_size(step(110))
    (11, 9)
    """
    return min(11, max(7, pixels - 3))


def title(text: str, *more: str) -> Any:
    """Return the title of a chart, and lines below it that say of how much it is."""
    lines = harmless_all(line for line in more if line)
    below = {"subtitle": lines, "subtitleColor": GREY} if lines else {}
    return altair().Title(harmless(text), anchor="start", **below)


def of_requests(n: pl.Series) -> str:
    """Return a number of requests in words, or the least and the greatest.

    Examples
    --------
    >>> of_requests(pl.Series([5, 5])), of_requests(pl.Series([3, 5])), of_requests(pl.Series([1]))
    ('5 requests', '3 to 5 requests', '1 request')
    """
    return counted(n, "request")


def of_pairs(n: pl.Series) -> str:
    """Return a number of pairs in words, or the least and the greatest.

    Examples
    --------
    >>> of_pairs(pl.Series([5995, 5995])), of_pairs(pl.Series([1]))
    ('5,995 pairs', '1 pair')
    """
    return counted(n, "pair")


def counted(n: pl.Series, of: str) -> str:
    """Return a number of anything in words, or the least and the greatest.

    Examples
    --------
    >>> counted(pl.Series([110]), "run")
    '110 runs'
    """
    ends = n.drop_nulls().unique().sort().to_list()
    least_and_most = dict.fromkeys([*ends[:1], *ends[-1:]])
    return f"{' to '.join(f'{n:,}' for n in least_and_most)} {of}{'s' * ([*least_and_most] != [1])}"


def names_axis(title: str = "", names: Iterable[str] = (), **options: Any) -> Any:
    """Return an axis of names: each stands beside it, long ones cut so that they stay different."""
    of_labels: dict[str, Any] = {"labelLimit": LONGEST, "labelOverlap": False}
    if cut := shortened(harmless_all(names)):  # by characters, so that Vega cuts no end off
        of_labels |= {"labelExpr": shown_as(cut, "datum.label"), "labelLimit": 2 * LONGEST}
    return altair().Axis(title=title or None, **of_labels | options)


def tooltip(*columns: tuple[str, str, str]) -> list[Any]:
    """Return a tooltip from columns, their titles and formats; without a format it is text.

    Examples
    --------
    >>> tooltip(("run", "run", ""), ("mean", "mean", ".4f"))[1].to_dict()
    {'field': 'mean', 'format': '.4f', 'title': 'mean', 'type': 'quantitative'}
    """
    line = altair().Tooltip
    # Titles become parts of Vega's expressions, in which a backslash is written twice.
    written = [(column, title.replace("\\", "\\\\"), form) for column, title, form in columns]
    return [
        line(column, type="quantitative", title=title, format=form)
        if form
        else line(column, type="nominal", title=title)
        for column, title, form in written
    ]


def of_runs(runs: Sequence[str], n: pl.Series) -> str:
    """Return the numbers of runs and of requests in words."""
    return f"{len(runs)} run{'s' * (len(runs) != 1)}, {of_requests(n)}"


def square(cells: pl.DataFrame, row: str, column: str, names: Sequence[str]) -> Any:
    """Return a chart with the same names from top to bottom and from left to right."""
    draw = altair()
    pixels = step(len(names))
    side = draw.Step(pixels)
    order = {"sort": harmless_all(names), "type": "nominal"}
    beside = {"labelFontSize": name_size(pixels)}
    return (
        draw.Chart(inside(cells))
        .encode(
            draw.Y(row, axis=names_axis(row, names, **beside), **order),
            draw.X(column, axis=names_axis(column, names, labelAngle=-90, **beside), **order),
        )
        .properties(width=side, height=side)
    )
