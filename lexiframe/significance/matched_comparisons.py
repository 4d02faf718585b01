"""The rows of two comparisons tables that are about the same pair of runs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.base import (
    LexiframeError,
    SchemaError,
    n_and_first,
    schemas,
    to_polars,
    unknown_name,
    warn,
)
from lexiframe.pairwise import grouping

KINDS = ("measure", "test", "correction")
"""The columns that say how a pair was compared."""


def named_comparisons(
    function: str, c1: Any, c2: Any, alpha: float | None, by: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """Check two comparisons tables, which are then called a and b, or a mapping of several."""
    is_mapping = isinstance(c1, Mapping)
    if is_mapping == (c2 is not None):
        wanted = "one mapping of names to tables" if is_mapping else "two tables"
        raise LexiframeError(
            f"{function}: expected two comparisons tables, or one mapping of their names to them, "
            f"found {'a mapping and a table' if is_mapping else 'one table'}; give {wanted}"
        )
    named = dict(c1) if is_mapping else {"a": c1, "b": c2}
    if len(named) < 2:
        raise LexiframeError(
            f"{function}: expected at least two comparisons tables, found {n_and_first(named)}"
        )
    if len({str(name) for name in named}) < len(named):
        raise LexiframeError(
            f"{function}: expected different names for the tables, found {n_and_first(named)}, "
            "which are the same as text; rename one"
        )
    grouping.refuse_taken(by, [*schemas.CONCLUSIONS.columns, *schemas.CONCLUSION_PAIRS.columns])
    return {
        str(name): _turned_comparisons(function, name, c, alpha, by) for name, c in named.items()
    }


def _turned_comparisons(
    function: str, name: Any, given: Any, alpha: float | None, by: Sequence[str]
) -> pl.DataFrame:
    """Return what is compared of each pair of runs, turned so that run_a comes before run_b."""
    c = to_polars(given, f"comparisons {name!r}")
    for attribute in by:
        if attribute not in c.columns:
            raise unknown_name("attribute", attribute, c.columns)
    table = schemas.check(c, schemas.COMPARISONS, f"comparisons {name!r}").with_columns(
        c[b] for b in by
    )
    table = table.filter(pl.col("n") > 0)  # runs that share no request were not compared
    reject = pl.col("reject") if alpha is None else pl.col("p_adjusted") < alpha
    a, b, is_turned = pl.col("run_a"), pl.col("run_b"), pl.col("run_a") > pl.col("run_b")
    difference = pl.col("mean_difference").fill_nan(None).fill_null(0)
    table = table.select(
        *by,
        *KINDS,
        "p_adjusted",
        run_a=pl.min_horizontal(a, b),
        run_b=pl.max_horizontal(a, b),
        mean_difference=pl.when(is_turned).then(-difference).otherwise(difference),
        reject=reject.fill_null(False),  # a test of one's own may have no p-value
    )
    if table.select(*by, *schemas.COMPARISONS.key).is_duplicated().any():
        raise SchemaError(
            f"{function}: comparisons {name!r}: expected one row for each "
            f"{', '.join(schemas.COMPARISONS.key)}, found several; for tables by groups of "
            "requests name "
            "the attributes: by="
        )
    return table


def matched(
    function: str, names: tuple[str, str], a: pl.DataFrame, b: pl.DataFrame, by: Sequence[str]
) -> pl.DataFrame:
    """Return a row for each pair of runs that either table compares; ``_a`` and ``_b`` are theirs.

    `_matches` says which measures, tests and corrections are matched. The columns ``in_a`` and
    ``in_b`` say which of the tables compare the pair.
    """
    for column in KINDS:
        if column == "test" and _has_one_test(a) and _has_one_test(b):
            a, b = _match_tests(a, b)
            continue
        pairs = _matches(function, column, names, a, b)
        a = _rename_values(a, column, [(x, said) for x, _, said in pairs])
        b = _rename_values(b, column, [(y, said) for _, y, said in pairs])
    on = [*by, *KINDS, "run_a", "run_b"]
    rest = ["mean_difference", "p_adjusted", "reject"]
    both = a.select(*on, pl.col(rest).name.suffix("_a"), in_a=True).join(
        b.select(*on, pl.col(rest).name.suffix("_b"), in_b=True),
        on=on,
        how="full",
        coalesce=True,
        nulls_equal=True,
    )
    both = both.with_columns(pl.col("in_a", "in_b").fill_null(False))
    if not (both["in_a"] & both["in_b"]).any():
        raise LexiframeError(
            f"{function}: expected pairs of runs that {names[0]} and {names[1]} both compare, "
            "found none; were the runs named alike?"
        )
    named = [pl.lit(name).alias(f"name_{end}") for name, end in zip(names, "ab", strict=True)]
    return both.select(*by, *named, pl.exclude(by))


def _has_one_test(table: pl.DataFrame) -> bool:
    """Return whether each measure was tested by one test alone, as those that are chosen for it."""
    return bool((table.group_by("measure").agg(pl.col("test").n_unique())["test"] == 1).all())


def _match_tests(a: pl.DataFrame, b: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Match the one test of each measure; where a measure has another in each table, name both."""
    tests = (table.select("measure", "test").unique() for table in (a, b))
    both = next(tests).join(next(tests), on="measure", suffix="_b")
    said = pl.when(pl.col("test") == pl.col("test_b")).then("test")
    named = both.select("measure", said=said.otherwise(pl.format("{} vs {}", "test", "test_b")))
    found = [
        table.join(named, on="measure").drop("test").rename({"said": "test"}) for table in (a, b)
    ]
    return found[0], found[1]


def _matches(
    function: str, column: str, names: tuple[str, str], a: pl.DataFrame, b: pl.DataFrame
) -> list[tuple[str, str, str]]:
    """Match the measures (tests, corrections) of two tables; return both and what to call them.

    Those that both tables have are matched, and a warning names the others. When there are none,
    the only one of a table is matched with each of the other table.
    """
    in_a, in_b = (table[column].unique().sort().to_list() for table in (a, b))
    shared = [value for value in in_a if value in in_b]
    if not shared and min(len(in_a), len(in_b)) == 1:
        return [(x, y, f"{x} vs {y}") for x in in_a for y in in_b]
    if not shared:
        raise LexiframeError(
            f"{function}: expected a {column} that {names[0]} and {names[1]} have in common, or a "
            f"single one in one of them, found {', '.join(in_a)} and {', '.join(in_b)}; choose the "
            "rows of one (table.filter)"
        )
    for name, has in zip(names, (in_a, in_b), strict=True):
        if others := [value for value in has if value not in shared]:
            warn(f"{function}: {column}s of {name} alone, left out: {n_and_first(others)}")
    return [(value, value, value) for value in shared]


def _rename_values(table: pl.DataFrame, column: str, names: list[tuple[str, str]]) -> pl.DataFrame:
    """Give the values of a column the names by which they are matched; others are left out."""
    renamed = pl.DataFrame(names, schema=[column, "said"], orient="row")
    return table.join(renamed, on=column).drop(column).rename({"said": column})
