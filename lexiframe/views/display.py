"""Tables to look at in notebooks and on pages, made with great-tables (extra ``viz``).

An evaluation shows itself in a notebook without these. They are for one of its tables: to style it,
to save it as a picture, or to put it on a page.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from lexiframe.base import LexiframeError, escaped, schemas, to_polars
from lexiframe.orderings import is_count
from lexiframe.typing import Frame, MeasureLike
from lexiframe.views.sentences.words import group_of, test_and_correction
from lexiframe.views.shown.cells import MISSING, cell, p_text
from lexiframe.views.shown.markdown import markdown_of, mean_markdown
from lexiframe.views.shown.paper import Paper
from lexiframe.views.shown.paper_marks import Marks

if TYPE_CHECKING:
    from great_tables import GT

__all__ = ["comparison_table", "mean_table", "ordering_table", "verdict_table"]

_GROUP, _LETTER = "group of requests", "letter"


class _Evaluated(Protocol):
    """The attributes of an `Evaluation` that `mean_table` reads."""

    provenance: dict[str, Any]

    def _paper(self, measures: Any, runs: Any, **how: Any) -> Paper: ...


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
    places = [f"measure {place}" for place in range(len(paper.measures))]
    rows = [
        {
            _GROUP: panel.title,
            _LETTER: row.letter,
            "run": row.run,
            **dict(zip(places, map(mean_markdown, row.means), strict=True)),
        }
        for panel in paper.panels
        for row in panel.rows
    ]
    columns = [_GROUP, _LETTER, "run", *places]
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
    unused = [_LETTER] * (not paper.has_letters) + [_GROUP] * (not e.provenance["groups"])
    by = [_GROUP] * bool(e.provenance["groups"])
    shown = _grouped(gt, table.drop(unused), by, stub=False)
    marked = [name for place, name in enumerate(places) if paper.has_marks(place)]
    shown = shown.cols_align("right", columns=places).cols_align("left", columns=marked)
    shown = shown.fmt_markdown(columns=places)
    labels = {_LETTER: ""} if paper.has_letters else {}
    shown = _labelled(gt, shown, labels | dict(zip(places, paper.measures, strict=True)))
    return _noted(gt, shown, paper.caption)


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
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP")
    >>> "mc4" in ordering_table(e.orderings).as_raw_html()
    True
    """
    gt = _great_tables()
    table, by = _checked(o, schemas.ORDERINGS)
    known = [m for m in table["measure"].unique(maintain_order=True) if not is_count(m)]
    unknown = [name for name in measures or [] if name not in known]
    if unknown:
        raise LexiframeError(
            f"ordering_table: expected measures of the table, found {unknown[0]!r}; it has "
            f"{', '.join(known)}"
        )
    asked = known if measures is None else list(dict.fromkeys(measures))
    places = pl.col("measure").replace_strict(
        {name: n for n, name in enumerate(asked)}, default=None, return_dtype=pl.Int64
    )
    table = table.with_columns(place=places).filter(pl.col("place").is_not_null())
    table = table.sort("place", "method", maintain_order=True)
    pairs = table.select("measure", "method").unique(maintain_order=True).rows()
    columns = {pair: f"ordering {n}" for n, pair in enumerate(pairs)}
    names = [columns[pair] for pair in table.select("measure", "method").iter_rows()]
    table = table.with_columns(column=pl.Series(names, dtype=pl.String))
    table = _with_groups(table, by)
    ranks = table.pivot("column", index=[_GROUP, "run"], values="rank")
    ranks = ranks.sort(_GROUP, *columns.values(), "run", nulls_last=True)
    best = {
        name: ranks.select(pl.col(name) == pl.col(name).min().over(_GROUP)).to_series()
        for name in columns.values()
    }
    texts = ranks.with_columns(
        pl.Series(name, [_rank(rank) for rank in ranks[name]], pl.String)
        for name in columns.values()
    )
    shown = _grouped(gt, texts if by else texts.drop(_GROUP), [_GROUP] * bool(by))
    shown = shown.cols_align("right", columns=list(columns.values()))
    for name, is_best in best.items():
        rows = is_best.fill_null(False).arg_true().to_list()
        shown = _bold(gt, shown, name, rows)
    for method in dict.fromkeys(method for _, method in pairs):
        of_method = [name for (_, other), name in columns.items() if other == method]
        shown = shown.tab_spanner(
            gt.html(_plain(method)), columns=of_method, id=f"method {method}", gather=False
        )
    shown = _labelled(gt, shown, {name: measure for (measure, _), name in columns.items()})
    return _noted(gt, shown, ["Ranks of the runs, 1 for the best; bold: the best of each column."])


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
        bold p-values are pairs that are told apart; runs that share no request are not comparable.

    Raises
    ------
    LexiframeError
        When great-tables is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.display import comparison_table
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP")
    >>> comparison_table(e.comparisons.filter(measure="AP")).as_raw_html().count("✓")
    2
    """
    gt = _great_tables()
    table, by = _checked(c, schemas.COMPARISONS)
    n_rows, table = table.height, table.head(table.height if most is None else most)
    words = [test_and_correction(*pair) for pair in table.select("test", "correction").iter_rows()]
    how = [f"{test}, {correction} all pairs of the family" for test, correction in words]
    table = _with_groups(table.with_columns(how=pl.Series(how, dtype=pl.String)), by)
    constant = [] if table["how"].n_unique() > 1 else ["how"]
    keys = [name for name in ("measure", _GROUP, "how") if name not in constant]
    headings = [", ".join(filter(None, row)) for row in table.select(keys).iter_rows()]
    interval = [
        MISSING if low is None or high is None else f"{cell('', low)} to {cell('', high)}"
        for low, high in table.select("ci_low", "ci_high").iter_rows()
    ]
    numbers = {"mean_difference": "difference", "effect_size": "effect size"}
    p_values = {"p_value": "p", "p_adjusted": "adjusted p"}
    texts = table.select(
        pl.Series(_GROUP, headings, dtype=pl.String),
        "run_a",
        "run_b",
        "n",
        *(pl.Series(name, [cell("", v) for v in table[name]], pl.String) for name in numbers),
        *(pl.Series(name, [p_text(v, alpha) for v in table[name]], pl.String) for name in p_values),
        interval=pl.Series(interval, dtype=pl.String),
        apart=pl.when("reject")
        .then(pl.lit("✓"))
        .when(pl.col("n") == 0)
        .then(pl.lit("not comparable"))
        .otherwise(pl.lit("")),
    )
    order = ["run_a", "run_b", "n", "mean_difference", "interval", "effect_size", *p_values]
    shown = _grouped(gt, texts.select(_GROUP, *order, "apart"), [_GROUP], stub=False)
    shown = shown.cols_align("right", columns=[*order[2:]]).cols_align("center", columns="apart")
    shown = _bold(gt, shown, "p_adjusted", table["reject"].fill_null(False).arg_true().to_list())
    labels = {"run_a": "run a", "run_b": "run b", "apart": "told apart", **numbers, **p_values}
    shown = _labelled(gt, shown, labels)
    said = [f"Test: {how[0]}."] if constant and how else []
    if table.height < n_rows:
        said.append(f"The first {table.height:,} of {n_rows:,} comparisons.")
    return _noted(gt, shown, ["A positive difference is better for run a.", *said])


def verdict_table(v: Frame, /) -> GT:
    """Show a verdict: the best runs of each measure, and those not significantly worse.

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
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RPP")
    >>> "2 of 3" in verdict_table(lf.verdict(e)).as_raw_html()
    True
    """
    gt = _great_tables()
    table, by = _checked(v, schemas.VERDICT)
    table = _with_groups(table, by)
    of = pl.format("{} of {}", "n_significant", "n_pairs")
    differing = [name for name in ("test", "correction") if table[name].n_unique() > 1]
    texts = table.select(
        _GROUP,
        "measure",
        *differing,
        pl.col("best").list.join(", "),
        pl.col("not_worse").list.join(", "),
        "n",
        of.alias("apart"),
    )
    labels = {"not_worse": "not significantly worse", "apart": "pairs told apart"}
    shown = _grouped(
        gt, texts if by else texts.drop(_GROUP), [_GROUP] * bool(by), stub=False
    ).cols_align("right", columns=["n", "apart"])
    return _noted(gt, _labelled(gt, shown, labels), table["sentence"].to_list())


def _checked(frame: Frame, schema: schemas.TableSchema) -> tuple[pl.DataFrame, list[str]]:
    """Return a checked table with the attributes of groups, which are its other columns."""
    given = to_polars(frame)
    by = [name for name in given.columns if name not in schema.columns]
    return schemas.check(given, schema).with_columns(given[name] for name in by), by


def _with_groups(table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    titles = [
        ", ".join(group_of(name, value) for name, value in zip(by, row, strict=True))
        for row in (table.select(by).iter_rows() if by else [()] * table.height)
    ]
    return table.with_columns(pl.Series(_GROUP, titles, pl.String))


def _grouped(gt: Any, table: pl.DataFrame, by: Sequence[str], *, stub: bool = True) -> GT:
    """Return a table with names as plain text, runs at the side, and a heading for each group."""
    texts = (
        pl.Series(c.name, [escaped(t) for t in c]) if c.dtype == pl.String else c for c in table
    )
    table = table.select(texts)
    shown: GT = gt.GT(
        table, rowname_col="run" if stub else None, groupname_col=by[0] if by else None
    )
    return shown


def _rank(rank: float | None) -> str:
    """Write a rank: 2 and 2.5 are easier to read in a column than 2.000 and 2.500."""
    return MISSING if rank is None else f"{rank:.1f}".removesuffix(".0")


def _bold(gt: Any, table: GT, column: str, rows: list[int]) -> GT:
    return table.tab_style(gt.style.text(weight="bold"), gt.loc.body(columns=column, rows=rows))


def _labelled(gt: Any, table: GT, labels: Mapping[str, str]) -> GT:
    return table.cols_label(cases={name: gt.html(_plain(text)) for name, text in labels.items()})


def _plain(text: str) -> str:
    return html.escape(escaped(text))


def _noted(gt: Any, table: GT, sentences: Iterable[str]) -> GT:
    for sentence in sentences:
        table = table.tab_source_note(gt.md(markdown_of(sentence)))
    return table


def _great_tables() -> Any:
    try:
        import great_tables
    except ImportError:
        raise LexiframeError(
            "display tables need great-tables, which is not installed; pip install 'lexiframe[viz]'"
        ) from None
    return great_tables
