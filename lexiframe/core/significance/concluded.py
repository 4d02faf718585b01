"""Whether two sets of comparisons lead to the same conclusions: `conclusions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    SchemaError,
    n_and_first,
    resampling,
    schemas,
    sums,
    to_polars,
    typed,
    unknown_name,
    warn,
)
from lexiframe.core.orderings import coefficients, ordering_rules
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import alone
from lexiframe.typing import ComparisonsLike, ComparisonsTable

CATEGORIES = ("AA", "AD", "MA", "MD", "PA", "PD", "TIE")


@alone.each_collection
@typed
def conclusions(
    c1: ComparisonsLike,
    /,
    c2: ComparisonsTable | None = None,
    *,
    alpha: float | None = None,
    by: By = None,
) -> pl.DataFrame:
    """Count how often two comparisons tables agree about which run of a pair is better.

    The tables may come from two judges, collections, halves of the requests, measures or tests.

    Parameters
    ----------
    c1
        A table of `compare` or `tukey_hsd`, or a mapping of names to such tables, of which every
        two are compared.
    c2
        The other table, when c1 is one. They are then called ``a`` and ``b``.
    alpha : float, optional
        A pair is significant when its corrected p-value is below alpha. Default: what the column
        ``reject`` says.
    by
        Columns of the tables that name groups of requests: the table is computed within each group,
        whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``name_a, name_b, measure, test, correction``, sorted by it; of two tables ``name_a`` is
        the one that was given first. ``n_pairs`` pairs of runs are in both tables, and each is in
        one category:

        ======= =============================== =======================================
        column  significant                     the better run, by the mean difference
        ======= =============================== =======================================
        ``AA``  on both sides                   the same
        ``AD``  on both sides                   another one
        ``MA``  on one side                     the same
        ``MD``  on one side                     another one
        ``PA``  on no side                      the same
        ``PD``  on no side                      another one
        ``TIE`` (not asked)                     none: on a side the difference is 0
        ======= =============================== =======================================

        ``tau`` is Kendall's τ-b, in −1..1, between the orders of the runs on both sides, by the
        mean of a run's mean differences from all others; null when the tables do not share all
        pairs of some runs (as with a baseline), or when all runs are equal on a side. ``only_a``
        and ``only_b`` pairs are in one table only.

    Raises
    ------
    LexiframeError
        For fewer than two tables, tables that share no pair of runs or that cannot be matched (see
        the notes), several rows of a pair, an unknown attribute, and an alpha not between 0 and 1.

    Warns
    -----
    LexiframeWarning
        When a measure, test or correction is in one table only, and others in both.

    Notes
    -----
    Measures that both tables have are compared with each other; the same holds for tests and for
    corrections. When they have none in common, the single one of a table is compared with each of
    the other table, and called by both: ``AP vs nDCG@10``. So AP is compared with nDCG@10 by
    ``conclusions(lf.compare(ap), lf.compare(ndcg))``.

    The better run is that of the greater mean, also for tests that compare wins or ranks. Mean
    differences of up to 1e-12 are rounding, and count as 0. Moffat, Scholer & Thomas, "Models and
    Metrics: IR Evaluation as a User Process", ADCS 2012, doi:10.1145/2407085.2407092; Ferro, "What
    Does Affect the Correlation Among Evaluation Measures?", ACM TOIS 2017, doi:10.1145/3106371.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> c1, c2 = (lf.compare(lf.scores(p, [name]), "t") for name in ("AP", "RR"))
    >>> table = lf.conclusions(c1, c2)
    >>> table.select("measure", "n_pairs", "AA", "MA", "PA").row(0)
    ('AP vs RR', 3, 0, 2, 1)
    >>> lf.conclusions({"AP": c1, "RR": c2}, alpha=0.01).select("name_a", "MA", "tau").row(0)
    ('AP', 2, 1.0)
    """
    names = grouping.names_of(None, by)
    both = _both("conclusions", c1, c2, alpha, names)
    key = [*names, *schemas.CONCLUSIONS.key]
    is_both = pl.col("in_a") & pl.col("in_b")
    counts = {name: ((pl.col("category") == name) & is_both).sum() for name in CATEGORIES}
    counts |= {"only_a": (~pl.col("in_b")).sum(), "only_b": (~pl.col("in_a")).sum()}
    table = both.group_by(key, maintain_order=True).agg(
        n_pairs=is_both.sum(), **counts, tau=pl.struct(_OF_PAIR).filter(is_both)
    )
    table = table.with_columns(
        pl.col("n_pairs", *counts).cast(schemas.INT),
        tau=pl.Series([_tau(rows.struct.unnest()) for rows in table["tau"]], dtype=pl.Float64),
    )
    return schemas.CONCLUSIONS.arranged(table, names)


@alone.each_collection
@typed
def conclusion_pairs(
    c1: ComparisonsLike,
    /,
    c2: ComparisonsTable | None = None,
    *,
    alpha: float | None = None,
    by: By = None,
) -> pl.DataFrame:
    """List the pairs of runs of two comparisons tables, and whether both sides conclude the same.

    ``table.filter("changes_side")`` has the pairs of which another run is better on each side.

    Parameters
    ----------
    c1, c2, alpha, by
        As for `conclusions`.

    Returns
    -------
    polars.DataFrame
        Key ``name_a, name_b, measure, test, correction, run_a, run_b`` with run_a < run_b, sorted
        by it: the pairs of runs that both tables compare. ``category`` is that of `conclusions`,
        and ``changes_side`` says whether the mean differences have opposite signs (AD, MD, PD).
        ``mean_difference_a`` and ``mean_difference_b`` (positive: run_a is better), ``p_adjusted``
        and ``reject`` of both sides follow.

    Raises
    ------
    LexiframeError
        As `conclusions`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> c1, c2 = (lf.compare(lf.scores(p, [name]), "t") for name in ("AP", "RR"))
    >>> lf.conclusion_pairs(c1, c2).select("run_a", "run_b", "category", "changes_side").row(0)
    ('pca8_euclidean', 'pixels_euclidean', 'PA', False)
    """
    names = grouping.names_of(None, by)
    both = _both("conclusion_pairs", c1, c2, alpha, names).filter("in_a", "in_b")
    return schemas.CONCLUSION_PAIRS.arranged(both, names)


_OF_PAIR = ("run_a", "run_b", "mean_difference_a", "mean_difference_b")


def _both(
    function: str,
    c1: ComparisonsLike,
    c2: ComparisonsTable | None,
    alpha: float | None,
    by: Sequence[str],
) -> pl.DataFrame:
    """Return a row for each pair of runs of every two tables, with its category."""
    if alpha is not None:
        resampling.check_share(function, "alpha", alpha)
    named = named_comparisons(function, c1, c2, alpha, by)
    frames = [
        matched(function, ab, named[ab[0]], named[ab[1]], by) for ab in combinations(named, 2)
    ]
    return pl.concat(frames).with_columns(category=_category(), changes_side=_PRODUCT < 0)


def _difference_sign(column: str) -> pl.Expr:
    difference = pl.col(column)
    return pl.when(difference.abs() <= sums.TIE).then(0).otherwise(difference.sign())


_PRODUCT = _difference_sign("mean_difference_a") * _difference_sign("mean_difference_b")


def _category() -> pl.Expr:
    """Return the category of a pair: how many sides are significant, and whether they agree."""
    n_significant = pl.col("reject_a").cast(schemas.INT) + pl.col("reject_b").cast(schemas.INT)
    how_sure = n_significant.replace_strict({0: "P", 1: "M", 2: "A"}, return_dtype=pl.String)
    agree = pl.when(_PRODUCT > 0).then(pl.lit("A")).otherwise(pl.lit("D"))
    return pl.when(_PRODUCT == 0).then(pl.lit("TIE")).otherwise(how_sure + agree)


def _tau(pairs: pl.DataFrame) -> float | None:
    """Return τ-b of the orders of the runs by their mean differences; None if pairs are lacking."""
    runs = pl.concat([pairs["run_a"], pairs["run_b"]]).unique().sort()
    n = len(runs)
    if n < 2 or pairs.height < n * (n - 1) // 2:
        return None
    a, b = (runs.search_sorted(pairs[end]).to_numpy() for end in ("run_a", "run_b"))
    ranks = []
    for side in ("mean_difference_a", "mean_difference_b"):
        difference = pairs[side].to_numpy()
        sums = np.bincount(a, difference, n) - np.bincount(b, difference, n)
        ranks.append(ordering_rules.ranks_of(sums[None] / n))
    tau = float(coefficients.kendall(*ranks)[0])
    return None if np.isnan(tau) else tau


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
    """Return the comparisons of each pair of runs, turned so that run_a comes before run_b."""
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
    """Return a row for each pair that either table compares, with columns ``_a`` and ``_b``.

    `_matches` chooses the measures, tests and corrections; ``in_a`` and ``in_b`` tell the tables.
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
    """Return whether each measure has one test alone, as by default."""
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
    """Match the measures (tests, corrections) of two tables; return both names, and a common one.

    Common names are matched, and a warning names the remaining ones. Without a common name, the
    only one of a table is matched with each of the other table.
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
    """Give the values of a column their matched names; leave rows with other values out."""
    renamed = pl.DataFrame(names, schema=[column, "said"], orient="row")
    return table.join(renamed, on=column).drop(column).rename({"said": column})
