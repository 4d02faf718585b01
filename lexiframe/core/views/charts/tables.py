"""The tables that charts show: their rows, and columns that only charts read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, unknown_name
from lexiframe.typing import Frame


def rows_of(
    table: Frame,
    schema: schemas.TableSchema,
    called: str,
    key: Sequence[str] = (),
    **only: str | None,
) -> pl.DataFrame:
    """Return the rows of a table that a chart shows; raise if there are several of one key.

    The default key is the key of the table. ``only`` maps a column to the wanted value; None takes
    the only one. A table by groups of requests has several rows of a key, as `check` leaves the
    groups out.
    """
    rows, key = schemas.check(table, schema, called), key or schema.key
    for column, value in only.items():
        rows = rows_with(rows, column, None if value is None else [value])
    if rows.is_empty():
        raise LexiframeError(f"{called}: expected at least one row to draw, found none")
    several = _several(rows, {column for column, value in only.items() if value is None} - {*key})
    if several or rows.select(key).is_duplicated().any():
        raise LexiframeError(
            f"{called}: expected one row for each {', '.join(key)}, found several; "
            + ("; ".join(several) or _ONE)
        )
    return rows


def refuse_gaps(rows: pl.DataFrame, called: str, *columns: str) -> pl.DataFrame:
    """Return rows with a value in each of some columns; raise if a row lacks one."""
    for column in columns:
        if n := rows[column].null_count():
            raise LexiframeError(
                f"{called}: expected {column} in each row to draw, found {n:,} rows without it; "
                "leave them out"
            )
    return rows


_ONE = "choose one group of requests, one method, one test and one correction first (table.filter)"


def _several(rows: pl.DataFrame, columns: Iterable[str]) -> list[str]:
    """List the columns with several values in the rows, each with an example of a choice."""
    values = {column: rows[column].unique().sort().to_list() for column in sorted(columns)}
    return [
        f"the table has {len(known)} values of {column} ({', '.join(known)}): choose one, such as "
        f"{column}={known[0]!r}"
        for column, known in values.items()
        if len(known) > 1
    ]


def rows_with(rows: pl.DataFrame, column: str, wanted: str | Sequence[str] | None) -> pl.DataFrame:
    """Return the rows that have one of the values wanted, in their order; None wants all."""
    if wanted is None:
        return rows
    values = chosen(column, wanted, rows[column].unique().sort().to_list())
    if not values:
        raise LexiframeError(
            f"expected at least one {column}, found none; name one, or leave it out"
        )
    return pl.concat([rows.filter(pl.col(column) == value) for value in values])


def renamed(rows: pl.DataFrame, column: str, names: Mapping[str, str]) -> pl.Expr:
    """Return a column with its values as a chart calls them; raise for a value without a name."""
    chosen(column, rows[column].unique().sort().to_list(), [*names])
    return pl.col(column).replace_strict(names)


def chosen(kind: str, wanted: str | Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Return the names wanted, each once, or all; raise for one that there is not."""
    names = known if wanted is None else [wanted] if isinstance(wanted, str) else wanted
    for name in names:
        if name not in known:
            raise unknown_name(kind, name, known)
    return list(dict.fromkeys(names))


STR, INT, FLOAT = schemas.STR, schemas.INT, schemas.FLOAT
_RANKS = pl.List(pl.Int64())
_ITEM = {"doc": STR, "relevance": FLOAT, "position": INT}

EXPOSURE_CURVE = schemas.TableSchema(
    "exposure_curve", ("run", "items"), {"run": STR, "items": FLOAT, "exposure": FLOAT}, (), ()
)
TIE_PROFILE = schemas.TableSchema(
    "tie_profile",
    ("by", "value"),
    {"by": STR, "value": INT, "pairs": INT, "ties": INT, "tie_rate": FLOAT},
)
DECIDING_LEVELS = schemas.TableSchema(
    "deciding_levels",
    ("measure", "deciding_level"),
    {"measure": STR, "deciding_level": INT, "pairs": INT, "share": FLOAT, "cumulative": FLOAT},
)
LEVEL_CORRELATIONS = schemas.TableSchema(
    "level_correlations",
    ("level_a", "level_b"),
    {"level_a": INT, "level_b": INT, "n": INT, "correlation": FLOAT},
)
STATISTICS = {
    "tie_rate": "share of pairs that tie",
    "agreement": "agreement with all data",
    "system_agreement": "agreement on runs",
    "reference_agreement": "agreement with the reference",
    "reference_system_agreement": "agreement with the reference on runs",
    "tau": "Kendall's τ with all data",
}
"""The statistics of the table of `degradation`, as axes call them."""
DEGRADATION = schemas.TableSchema(
    "degradation",
    ("what", "how", "fraction", "measure"),
    {"what": STR, "how": STR, "fraction": FLOAT, "n_requests": INT, "measure": STR, "samples": INT}
    | {name: FLOAT for of in STATISTICS for name in (of, f"{of}_sd")},
    optional=(
        "n_requests",
        *(
            f"reference_{name}{end}"
            for name in ("agreement", "system_agreement")
            for end in ("", "_sd")
        ),
    ),
    nullable=("how",),
)
EXPLANATION = schemas.TableSchema(
    "explanation",
    ("threshold", "level"),
    {"threshold": FLOAT, "level": INT}
    | {f"{name}_{end}": of for end in "ab" for name, of in _ITEM.items()}
    | {"sign": INT, "decides": STR},
)
"""The columns of the table of `explain` that do not depend on the measures."""
EXPOSURE_DIFFERENCES = schemas.TableSchema(
    "exposure_differences",
    ("measure", "rank_a", "rank_b"),
    {"measure": STR, "rank_a": INT, "rank_b": INT, "difference": FLOAT},
)
EXPOSURE_DISTRIBUTION = schemas.TableSchema(
    "exposure_distribution",
    ("measure", "difference"),
    {"measure": STR, "difference": FLOAT, "cumulative": FLOAT, "below": FLOAT, "n": INT},
)
LEVEL_REGRESSION = schemas.TableSchema(
    "level_regression",
    ("level", "predictor"),
    {"level": INT, "predictor": INT, "n": INT}
    | dict.fromkeys(("coefficient", "ci_low", "ci_high", "r_squared"), FLOAT),
)
FIRST_RANK_TIES = schemas.TableSchema(
    "first_rank_ties", ("m", "first"), {"m": INT, "first": INT, "probability": FLOAT}
)
ORDER = schemas.TableSchema("order", ("better", "worse"), {"better": _RANKS, "worse": _RANKS})
FIRST_AND_LAST = schemas.TableSchema(
    "first_and_last",
    ("m", "first"),
    {"m": INT, "first": INT, "least_last": INT, "greatest_last": INT},
)
ORIENTATION = schemas.TableSchema(
    "orientation",
    ("measure", "m"),
    {"measure": STR, "m": INT, "precision_orientation": FLOAT, "recall_orientation": FLOAT},
)
SIMULATED_TIES = schemas.TableSchema(
    "simulate_ties",
    ("depth", "measure"),
    {"depth": INT, "measure": STR, "pairs": INT, "tie_rate": FLOAT},
)
SIMULATED_AGREEMENT = schemas.TableSchema(
    "simulate_agreement",
    ("n", "measure"),
    {"measure": STR, "n": INT, "pairs": INT, "tied": FLOAT, "agreement": FLOAT, "random": FLOAT},
    optional=("random",),
)
OPTIMAL = schemas.TableSchema(
    "optimal_worst_case", ("m",), {"m": INT, "deterministic": FLOAT, "stochastic": FLOAT}
)
AXIOMS = schemas.TableSchema(
    "axioms",
    ("method", "property"),
    {"method": STR, "property": STR, "holds": schemas.BOOL, "counterexample": STR},
)
