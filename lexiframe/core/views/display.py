"""Tables to look at in notebooks and on pages, made with great-tables (extra ``viz``).

An evaluation shows itself in a notebook without these. They are for one of its tables: to style it,
to save it as a picture, or to put it on a page.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

import polars as pl

from lexiframe.core.base import LexiframeError, escaped, printed, schemas, to_polars
from lexiframe.core.orderings import is_count
from lexiframe.core.significance import tests_in_words
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.shown.markdown import markdown_cell, markdown_of
from lexiframe.core.views.shown.model import ShownTable
from lexiframe.core.views.shown.paper_marks import Marks
from lexiframe.typing import Frame, MeasureLike

if TYPE_CHECKING:
    from great_tables import GT

__all__ = ["comparison_table", "mean_table", "ordering_table", "verdict_table"]

_GROUP = "group of requests"


class _Evaluated(Protocol):
    """The attributes of an `Evaluation` that `mean_table` reads."""

    provenance: dict[str, Any]

    def _paper(self, measures: Any, runs: Any, **how: Any) -> ShownTable: ...


def mean_table(
    e: _Evaluated,
    /,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    runs: str | Iterable[str] | None = None,
    *,
    marks: Marks = "auto",
    decimals: int | None = None,
    percent: bool = False,
) -> GT:
    """Show the means of an evaluation, the best in bold, with marks of significance.

    Parameters
    ----------
    e : Evaluation
        The result of `evaluate`.
    measures, runs, marks, decimals, percent
        As `Evaluation.latex` has them.

    Returns
    -------
    great_tables.GT
        Runs × measures, with the rows of each group of requests together. Below it stands what the
        numbers and the marks are.

    Raises
    ------
    LexiframeError
        When great-tables is not installed, and as `Evaluation.latex`.
    TypeError
        When ``e`` is not an Evaluation.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.display import mean_table
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RR")
    >>> "pixels_euclidean" in mean_table(e, "AP").as_raw_html()
    True
    """
    gt = _great_tables()
    if not hasattr(e, "_paper"):
        raise TypeError(
            f"mean_table: expected the Evaluation of evaluate, found {type(e).__name__}"
        )
    paper = e._paper(measures, runs, marks=marks, decimals=decimals, percent=percent)
    # Columns are named by place: the names of measures may be those of other columns.
    n_leads = sum(not column.is_number for column in paper.columns)
    leads, places = ["letter", "run"][-n_leads:], range(len(paper.columns) - n_leads)
    columns = dict(zip([*leads, *(f"measure {n}" for n in places)], paper.columns, strict=True))
    rows = [
        [title, *(c.text for c in row[:n_leads]), *map(markdown_cell, row[n_leads:])]
        for title, row in paper.rows()
    ]
    table = pl.DataFrame(rows, dict.fromkeys([_GROUP, *columns], pl.String), orient="row")
    headings = {name: column.heading for name, column in columns.items()}
    right = [name for name, column in columns.items() if column.is_right]
    table = table if paper.has_titles else table.drop(_GROUP)
    shown = _made(gt, table, headings, right, paper.notes)
    return shown.fmt_markdown(columns=[*columns][n_leads:])


def ordering_table(o: Frame, /, measures: Sequence[str] | None = None) -> GT:
    """Show orderings of the runs: their ranks, by measure.

    Parameters
    ----------
    o
        The table of `order_runs`, also by several methods or in groups of requests.
    measures
        Some of its measures, in the order of the columns. Default: all, in the order of the table.

    Returns
    -------
    great_tables.GT
        Runs × measures, the best by the first measure on top. Rank 1 is the best, and runs that tie
        share the mean of their ranks; the best ranks are bold. The method stands above the measure.

    Raises
    ------
    LexiframeError
        When great-tables is not installed, and for measures that the table does not have.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.display import ordering_table
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP", test="t")
    >>> "win_rate" in ordering_table(e.orderings).as_raw_html()
    True
    """
    gt = _great_tables()
    table, by = _checked_frame(o, schemas.ORDERINGS)
    known = [m for m in table["measure"].unique(maintain_order=True) if not is_count(m)]
    unknown = [name for name in measures or [] if name not in known]
    if unknown:
        raise LexiframeError(
            f"ordering_table: expected measures of the table, found {unknown[0]!r}; it has "
            f"{', '.join(known)}"
        )
    asked = known if measures is None else list(dict.fromkeys(measures))
    table = table.filter(pl.col("measure").is_in(asked))
    table = table.sort(printed.place_among(asked), "method", maintain_order=True)
    pairs = table.select("measure", "method").unique(maintain_order=True).rows()
    columns = {pair: f"ordering {n}" for n, pair in enumerate(pairs)}
    names = [columns[pair] for pair in table.select("measure", "method").iter_rows()]
    table = table.with_columns(column=pl.Series(names, dtype=pl.String))
    ranks = printed.name_groups(table, by, _GROUP).pivot(
        "column", index=[_GROUP, "run"], values="rank"
    )
    ranks = ranks.sort(_GROUP, *columns.values(), "run", nulls_last=True)
    best = ranks.select(pl.col(n) == pl.col(n).min().over(_GROUP) for n in columns.values())
    texts = ranks.with_columns(printed.texts_of(ranks[name], _rank) for name in columns.values())
    headings = {name: measure for (measure, _), name in columns.items()}
    note = "Ranks of the runs, 1 for the best; bold: the best of each column."
    texts = texts if by else texts.drop(_GROUP)
    shown = _made(gt, texts, headings, [*headings], [note], bold=best, stub="run")
    for method in dict.fromkeys(method for _, method in pairs):
        of_method = [name for (_, other), name in columns.items() if other == method]
        label = gt.html(_safe_html(method))
        shown = shown.tab_spanner(label, of_method, id=f"method {method}", gather=False)
    return shown


def comparison_table(c: Frame, /, *, alpha: float = 0.05, most: int | None = 200) -> GT:
    """Show comparisons of pairs of runs: differences, intervals, effect sizes and p-values.

    Parameters
    ----------
    c
        The table of `compare` or `tukey_hsd`, or rows of it, such as
        ``e.comparisons.filter(measure="AP")``.
    alpha
        P-values are written with as many digits as show on which side of it they are.
    most : int, optional
        The number of rows that are shown, the first ones; a note says how many there are. None
        shows all: of thousands, great-tables needs a minute to make a page.

    Returns
    -------
    great_tables.GT
        A row for each pair, with the pairs of a measure (test, correction, group) together. ✓ and
        bold p-values are pairs that differ significantly.

    Raises
    ------
    LexiframeError
        When great-tables is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.display import comparison_table
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP", test="t")
    >>> comparison_table(e.comparisons.filter(measure="AP")).as_raw_html().count("✓")
    2
    """
    gt = _great_tables()
    table, by = _checked_frame(c, schemas.COMPARISONS)
    n_rows, table = table.height, table.head(table.height if most is None else most)
    table, of_intervals = cut_at_bounds(table, "mean_difference")
    words = [
        tests_in_words.test_and_correction(*pair)
        for pair in table.select("test", "correction").iter_rows()
    ]
    how = [f"{test}, {correction} all pairs of the family" for test, correction in words]
    table = printed.name_groups(table.with_columns(how=pl.Series(how, dtype=pl.String)), by, _GROUP)
    constant = [] if table["how"].n_unique() > 1 else ["how"]
    keys = [name for name in ("measure", _GROUP, "how") if name not in constant]
    headings = [", ".join(filter(None, row)) for row in table.select(keys).iter_rows()]
    interval = [
        printed.MISSING
        if low is None or high is None
        else f"{printed.cell('', low)} to {printed.cell('', high)}"
        for low, high in table.select("ci_low", "ci_high").iter_rows()
    ]
    is_incomparable = pl.when(n=0).then(pl.lit("not comparable")).otherwise(pl.lit(""))
    is_weighed = "n_effective" in table.columns
    told_apart = pl.when("reject").then(pl.lit("✓")).otherwise(is_incomparable)
    numbers = printed.as_cells(printed.write_p_values(table.drop("n"), alpha))
    texts = numbers.select(
        pl.Series(_GROUP, headings, dtype=pl.String),
        *("run_a", "run_b", table["n"], *["n_effective"] * is_weighed, "mean_difference"),
        pl.Series("interval", interval, pl.String),
        *("effect_size", "p_value", "p_adjusted"),
        table.select(told_apart.alias("apart")).to_series(),
    )
    named = {
        "run_a": "run a",
        "run_b": "run b",
        **({"n_effective": "n*"} if is_weighed else {}),
        "mean_difference": "difference",
        "effect_size": "effect size",
        "p_value": "p",
        "p_adjusted": "adjusted p",
        "apart": "significant",
    }
    notes = ["A positive difference is better for run a."]
    notes += [f"Test: {test}." for test in how[:1] if constant]
    notes += ["Differences are by weight; n* requests that count alike tell as much."] * is_weighed
    notes += [f"{said[0].upper()}{said[1:]}." for said in of_intervals]
    if table.height < n_rows:
        notes.append(f"The first {table.height:,} of {n_rows:,} comparisons.")
    bold = table.select(p_adjusted="reject")
    shown = _made(gt, texts, named, texts.columns[3:-1], notes, bold)
    return shown.cols_align("center", columns="apart")


def verdict_table(v: Frame, /) -> GT:
    """Show a verdict: the best runs of each measure, and the runs not significantly worse.

    Parameters
    ----------
    v
        The table of `verdict`.

    Returns
    -------
    great_tables.GT
        A row for each measure (test, correction, group), with the sentences below it.

    Raises
    ------
    LexiframeError
        When great-tables is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.display import verdict_table
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP", test="t")
    >>> "2 of 3" in verdict_table(lf.verdict(e)).as_raw_html()
    True
    """
    gt = _great_tables()
    table, by = _checked_frame(v, schemas.VERDICT)
    differing = [name for name in ("test", "correction") if table[name].n_unique() > 1]
    texts = printed.name_groups(table, by, _GROUP).select(
        *([_GROUP] if by else []),
        *("measure", *differing),
        pl.col("best").list.join(", "),
        pl.when("too_few").then(pl.lit("too few to tell"))
        .otherwise(pl.col("not_worse").list.join(", ")).alias("not_worse"),
        "n",
        pl.format("{} of {}", "n_significant", "n_pairs").alias("apart"),
    )  # fmt: skip
    named = {"not_worse": "not significantly worse", "apart": "significant pairs"}
    said = table["sentence"].unique(maintain_order=True).to_list()
    return _made(gt, texts, named, ["n", "apart"], said)


def _checked_frame(frame: Frame, schema: schemas.TableSchema) -> tuple[pl.DataFrame, list[str]]:
    """Return a checked table with the attributes of groups, which are its other columns."""
    given = to_polars(frame)
    by = [name for name in given.columns if name not in schema.columns]
    return schemas.check(given, schema).with_columns(given[name] for name in by), by


def _made(
    gt: Any,
    table: pl.DataFrame,
    headings: Mapping[str, str],
    right: Sequence[str],
    notes: Iterable[str],
    bold: pl.DataFrame | None = None,
    stub: str | None = None,
) -> GT:
    """Return a table with names as plain text, a title above each group, and notes below.

    ``bold`` has true where a cell is bold, in columns of the same names.
    """
    texts = (
        pl.Series(c.name, [escaped(t) for t in c]) if c.dtype == pl.String else c for c in table
    )
    group = _GROUP if _GROUP in table.columns else None
    # A drawn name would change each time that a notebook is executed.
    name = f"table-{crc32(table.write_json().encode()):x}"
    shown: GT = gt.GT(table.select(texts), rowname_col=stub, groupname_col=group, id=name)
    shown = shown.cols_align("right", columns=[*right])
    labels = {name: gt.html(_safe_html(text)) for name, text in headings.items()}
    shown = shown.cols_label(cases=labels)
    for column in [] if bold is None else bold:
        rows = column.fill_null(False).arg_true().to_list()
        cells = gt.loc.body(columns=column.name, rows=rows)
        shown = shown.tab_style(gt.style.text(weight="bold"), cells)
    for note in notes:
        shown = shown.tab_source_note(gt.md(markdown_of(note)))
    return shown


def _rank(rank: float | None) -> str:
    """Write a rank: 2 and 2.5 are easier to read in a column than 2.000 and 2.500."""
    return printed.MISSING if rank is None else f"{rank:.1f}".removesuffix(".0")


def _safe_html(text: str) -> str:
    return html.escape(escaped(text))


def _great_tables() -> Any:
    try:
        import great_tables
    except ImportError:
        raise LexiframeError(
            "display tables need great-tables, which is not installed; pip install 'lexiframe[viz]'"
        ) from None
    return great_tables
