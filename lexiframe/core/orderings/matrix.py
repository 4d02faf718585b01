"""Tables of pairs of measures as a matrix of measures × measures: `agreement_matrix`."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, check_choice, schemas, to_polars, typed
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import Frame


@alone.each_collection
@typed
@grouping.takes_groups
def agreement_matrix(table: Frame, value: str | None = None, *, by: By = None) -> pl.DataFrame:
    """Arrange correlations or agreements of measures as a matrix of measures × measures.

    Parameters
    ----------
    table
        The table of `rank_correlations`, `bootstrap_correlations` or `sign_agreement`, or what
        `over_collections` makes of it.
    value : str, optional
        The column to arrange: ``"correlation"``, or of `sign_agreement` ``"agreement"`` (the
        default) or ``"system_agreement"``; over collections ``"mean"``.
    by
        Columns of ``table`` that name groups of requests: a matrix is made for each group.

    Returns
    -------
    polars.DataFrame
        ``measure``, and a column for each measure; both are sorted by name. A cell is the value
        with the row's measure as ordering_a (measure_a) and the column's as ordering_b (measure_b).
        A correlation that the table has in one direction only fills both cells. The diagonal is
        1.0, even for a measure that ties everything; a cell is null where the table has no value.

    Raises
    ------
    LexiframeError
        For another table or column, several methods of correlation, or a pair that occurs twice.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> d = pl.DataFrame({"query_id": ["q1", "q2"] * 2, "run_a": "a", "run_b": "b",
    ...                   "measure": ["LP", "LP", "RR", "RR"], "preference": [1.0, -1.0, 0.5, 0.0]})
    >>> lf.agreement_matrix(lf.sign_agreement(d)).rows()
    [('LP', 1.0, 0.5), ('RR', 1.0, 1.0)]
    """
    (column_a, column_b), rows, column = _checked_table(to_polars(table), value)
    names = pl.concat([rows[column_a], rows[column_b]]).unique().sort()
    a, b = (names.search_sorted(rows[end]).to_numpy() for end in (column_a, column_b))
    values = rows[column].to_numpy()  # null becomes NaN
    square = np.full((len(names), len(names)), np.nan)
    square[b, a] = values  # the next line overwrites this where the table has both directions
    square[a, b] = values
    np.fill_diagonal(square, 1.0)
    columns = {name: square[:, n] for n, name in enumerate(names)}
    return pl.DataFrame({"measure": names, **columns}).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def _checked_table(
    table: pl.DataFrame, value: str | None
) -> tuple[tuple[str, str], pl.DataFrame, str]:
    """Check a table; return the columns of its two measures, its rows and the column to arrange."""
    found = [known for known in _TABLES if {*known[0], *known[2]} <= {*table.columns}]
    if not found:
        raise SchemaError(
            "agreement_matrix: expected the table of rank_correlations, bootstrap_correlations or "
            f"sign_agreement, found the columns {', '.join(table.columns)}"
        )
    ends, schema, values = found[0]
    if value is not None:
        check_choice("agreement_matrix", value, values, "value")
    rows = schemas.check(table, schema)
    methods = rows["method"].unique().sort().to_list() if "method" in rows.columns else []
    if len(methods) > 1:
        raise LexiframeError(
            f"agreement_matrix: the table has several methods of correlation "
            f"({', '.join(methods)}); choose one: table.filter(pl.col('method') == {methods[0]!r})"
        )
    if rows.select(ends).is_duplicated().any():
        raise SchemaError(
            f"agreement_matrix: expected one row for each {' and '.join(ends)}, found several"
        )
    return ends, rows, value or values[0]


_OVER = "mean sd n_collections ci_low ci_high least most pooled"
_TABLES = (
    (("ordering_a", "ordering_b"), schemas.CORRELATIONS, ("correlation",)),
    (("measure_a", "measure_b"), schemas.SIGN_AGREEMENT, ("agreement", "system_agreement")),
    (
        ("ordering_a", "ordering_b"),
        schemas.table_schema("mean_correlations", "method ordering_a ordering_b", _OVER),
        ("mean",),
    ),
    (
        ("measure_a", "measure_b"),
        schemas.table_schema("mean_agreement", "measure_a measure_b", _OVER),
        ("mean",),
    ),
)
