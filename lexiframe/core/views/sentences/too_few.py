"""Requests or trials that are too few for any conclusion: the measures, and the sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.significance import (
    correct_families,
    corrections,
    indistinct_groups,
    tests,
    tests_in_words,
)

KEY = ("measure", "test", "correction")
IS_TESTED = indistinct_groups.ARE_ENOUGH & pl.col("p_adjusted").is_not_nan().fill_null(value=False)
"""One request says nothing about others; a test of one's own may return no p-value."""
_IS_CORRECTED = (pl.col("n") > 0) & pl.col("p_adjusted").is_not_nan().fill_null(value=False)
"""What a family counts: comparisons of one request, too, although these say nothing of others."""
_FACTS = ("too_few", "least", "n_differ", "over", "n_trials", "wins", "losses")


def has_several_tests(c: pl.DataFrame, by: Sequence[str]) -> bool:
    """Return whether a measure was tested by several tests; else each may have another one."""
    n = c.group_by(*by, "measure").agg(pl.col("test").n_unique())["test"].max()
    return isinstance(n, int) and n > 1


def family_keys(c: pl.DataFrame, by: Sequence[str], family: str) -> list[str]:
    """Return the columns whose values together name the family of a comparison."""
    if family == "measure":
        return [*by, *KEY]
    collection = [name for name in by if name.removeprefix("by ") == "collection"]  # each alone
    return [*collection, "correction", *["test"] * has_several_tests(c, by)]


def mark_too_few(
    rows: pl.DataFrame,
    c: pl.DataFrame,
    wins: pl.DataFrame,
    by: Sequence[str],
    family: str,
    alpha: float,
) -> pl.DataFrame:
    """Add to the rows of measures (tests, corrections) whether their requests are too few.

    Requests are too few where no comparison could be rejected, even if one run won every request
    that is not a tie. ``family`` is as for `verdict`. Where ``too_few`` is true, the rows have the
    ``least`` p-value after the correction (null without a test); ``n_differ``, the most requests in
    which two runs differ, if more such requests would do; ``over``, the comparisons of the
    correction, if one alone could be conclusive; ``n_trials``, if the trials are too few; and of a
    single pair the requests that run_a wins and loses (``wins``, ``losses``).
    """
    on = [*by, *KEY]
    lacking = [name for name in ("least_p", "least_p_adjusted") if name not in c.columns]
    c = c.with_columns(pl.lit(None, pl.Float64).alias(name) for name in lacking)
    few = pl.when(~indistinct_groups.ARE_ENOUGH).then(pl.col("n").clip(0, 1))  # n* below 2
    c = c.with_columns(few.otherwise("n").alias("n"), tested=IS_TESTED)
    rejects = pl.col("tested") & (pl.col("p_adjusted") < alpha)
    barren = c.group_by(on).agg(n=pl.col("n").max(), reject=rejects.any())
    barren = barren.filter(~pl.col("reject"), pl.col("n") > 0)
    # Of a million pairs something is told apart mostly, so that nothing else need be looked up.
    corrected = c.filter(_IS_CORRECTED)
    if family == "measure":
        corrected = corrected.join(barren, on=on, how="semi", nulls_equal=True)
    least = _least_possible(corrected, on, family_keys(c, by, family))
    barren = barren.join(least, on=on, how="left", nulls_equal=True)
    barren = barren.filter((pl.col("n") == 1) | (pl.col("least") >= alpha))
    found = barren.join(_least_differences(c, wins, barren, by, alpha), on=on, nulls_equal=True)
    # One request may outweigh all others in a test of means; a sign test is content with few.
    are_few = pl.col("n_trials").is_not_null() | (_least_of_signs("n_differ") >= alpha)
    are_few |= _IS_JOINT  # which knows what no outlier hides
    found = found.filter(pl.col("n_differ") > 0, (pl.col("n") == 1) | are_few)
    found = found.with_columns(_reasons(alpha), too_few=True)
    found = found.select(*on, *_FACTS)
    rows = rows.join(found, on=on, how="left", nulls_equal=True, maintain_order="left")
    return rows.with_columns(pl.col("too_few").fill_null(value=False))


def _reasons(alpha: float) -> list[pl.Expr]:
    """Return ``n_differ`` and ``over`` where they are the reason that nothing can be concluded.

    They are the reason where all signs of n requests, whose least p is 2 · 0.5^n, would be enough.
    """
    of_signs = 2 * pl.lit(0.5).pow(pl.col("n"))
    is_over = (_DIVIDES | _IS_JOINT) & (pl.col("of") > 1)
    is_over &= (pl.col("alone") < alpha) & (of_signs < alpha)
    would_do = (_least_of_signs("n") < alpha) & ~(_IS_JOINT & is_over)
    return [
        pl.when(would_do, pl.col("n_differ") < pl.col("n")).then("n_differ"),
        pl.when(is_over).then("of").alias("over"),
    ]


_DIVIDES = pl.col("correction").is_in(["holm", "bonferroni"])
_IS_JOINT = pl.col("correction") == corrections.MAX_T
"""The least p after this correction is that of all signs and all pairs of the family."""


def _least_of_signs(n: str) -> pl.Expr:
    """Return the least corrected p of a sign test where so many requests differ."""
    return 2 * pl.lit(0.5).pow(pl.col(n)) * pl.when(_DIVIDES).then("of").otherwise(1)


def _least_possible(corrected: pl.DataFrame, on: list[str], keys: list[str]) -> pl.DataFrame:
    """Return the least p that each measure's comparisons could have had, before and after.

    A larger p-value never makes a corrected one smaller, so that all are the least they could be.
    ``of`` counts the comparisons of the family.
    """
    named = [*on, "tested"]
    parts = [
        corrected.select(*named, alone="least_p", least="least_p", of=pl.lit(0, pl.Int64)).clear()
    ]
    for part in corrected.partition_by(keys):
        alone, correction = part["least_p"].to_numpy(), part["correction"][0]
        together = part["least_p_adjusted"].to_numpy() if correction == corrections.MAX_T else alone
        if correction not in get_args(
            corrections.Correction
        ):  # of one's own, which makes p larger, too
            correction = "none"
        least = correct_families(together, np.zeros(len(alone), np.int64), correction)
        of = pl.lit(part.height, pl.Int64)
        parts.append(part.select(*named, alone="least_p", least=pl.Series(least), of=of))
    known = pl.col("least").is_not_nan().fill_null(value=False).all()
    return pl.concat(parts).filter("tested").group_by(on).agg(
        pl.when(known).then(pl.col("alone").min()).alias("alone"),
        pl.when(known).then(pl.col("least").min()).alias("least"),
        pl.col("of").first(),
    )  # fmt: skip


def _least_differences(
    c: pl.DataFrame, wins: pl.DataFrame, measures: pl.DataFrame, by: Sequence[str], alpha: float
) -> pl.DataFrame:
    """Return in how many requests the runs of some measures differ, and whether trials are few."""
    on, ends = [*by, *KEY], ("run_a", "run_b")
    pairs = c.filter(pl.col("n") > 0).join(measures, on=on, how="semi", nulls_equal=True)
    is_turned = pl.col("run_a") > pl.col("run_b")  # a baseline is always run_b
    pairs = pairs.select(
        *on, "least_p", is_turned=is_turned,
        run_a=pl.min_horizontal(ends), run_b=pl.max_horizontal(ends),
    )  # fmt: skip
    of_pairs = wins.select(*by, "measure", *ends, "wins", "losses")
    pairs = pairs.join(of_pairs, on=[*by, "measure", *ends], nulls_equal=True)
    differ = pl.col("wins") + pl.col("losses")
    draws = pl.col("test").str.extract(r"^([^(]*)").is_in([*tests.DRAWING])
    # The least p of all signs is 2 · 0.5^k: trials were too few where p could not come near that.
    few_trials = draws & (pl.col("least_p") > 4 * pl.lit(0.5).pow(differ))
    few_trials &= ~_IS_JOINT | (pl.col("least_p") >= alpha)  # more would change no other p
    is_alone = pl.len() == 1
    turned = pl.col("is_turned").first()
    won, lost = pl.col("wins").first(), pl.col("losses").first()
    return pairs.group_by(on).agg(
        n_differ=differ.max().cast(pl.Int64),
        n_trials=pl.when(few_trials.all()).then(
            (1 / pl.col("least_p").min() - 1).round().cast(pl.Int64)
        ),
        wins=pl.when(is_alone).then(pl.when(turned).then(lost).otherwise(won)),
        losses=pl.when(is_alone).then(pl.when(turned).then(won).otherwise(lost)),
    )


def too_few_to_conclude(row: dict[str, Any], family: str) -> str:
    """Return the beginning of a sentence on too few requests or trials; "" if there are enough."""
    if row.get("n_pairs") == 0:
        return "No two runs have a request in common: nothing can be concluded"
    if not row["too_few"]:
        return ""
    much = printed.counted(printed.n_range([row["n"], row["n_most"]]), "request")
    if row["n_trials"] is not None:
        much = printed.counted(row["n_trials"], "trial")
    elif row["n_differ"] is not None:
        most = "at most " * (row["wins"] is None)
        much = f"Differences in {most}{row['n_differ']:,} of {much}"
    if row["least"] is None and (star := row.get("n_effective")) is not None:  # no test
        much = f"{much} (n* = {printed.n_range([star])})"
    what = "pairs" if family == "measure" else "comparisons"
    about = "" if row["over"] is None else f" about {row['over']:,} {what}"
    return f"{much}: too few for any conclusion{about}"


_BY_SIGNS = ("sign", "randomization", "wilcoxon")
"""The tests whose least p is that of all signs alike: 2^(1 − n) of n requests that are no ties."""


def what_would_do(
    c: pl.DataFrame, measures: Sequence[str], inference: Mapping[str, Any], n_all: int
) -> list[str]:
    """Return how many requests would be enough, by each measure with too few of them.

    ``c`` has the comparisons of a group by one test of each measure; ``n_all`` counts the
    comparisons of all groups and measures. Tests that use sizes of differences have no such number;
    for joint sign flips it is the least number for which two runs could differ.

    Examples
    --------
    >>> c = pl.DataFrame({"measure": "LR", "test": "sign", "run_a": ["a", "a", "b"],
    ...                   "run_b": ["b", "c", "c"], "n": 5, "p_adjusted": 0.1875,
    ...                   "correction": "holm"})
    >>> how = {"alpha": 0.05, "family": "measure", "alternative": "two-sided"}
    >>> what_would_do(c, ["LR"], how, n_all=3)
    ['a conclusion by LR takes 7 requests in which two runs differ']
    """
    n_family = pl.lit(n_all) if inference["family"] == "all" else pl.len()
    name = pl.col("test").str.extract(r"^([^(]*)").first()
    of_each = c.filter(_IS_CORRECTED).group_by("measure").agg(
        name, of=pl.when(_DIVIDES.first()).then(n_family).otherwise(1),
        n=pl.col("n").max(), least=pl.col("p_adjusted").min()
    ).sort(printed.place_among(measures))  # fmt: skip
    of_each = of_each.filter(pl.col("n") > 1, pl.col("test").is_in(_BY_SIGNS))
    runs = pl.concat([c["run_a"], c["run_b"]]).n_unique()
    found: dict[tuple[int, int], list[str]] = {}
    for row in of_each.iter_rows(named=True):
        of = row["of"]
        needed = _fewest(of, inference)
        if row["n"] < needed and row["least"] >= inference["alpha"]:
            # of all pairs, those of one run are 2 / S
            alone = of if inference.get("baseline") else max(of * 2 // runs, 1)
            found.setdefault((needed, _fewest(alone, inference)), []).append(row["measure"])
    return [
        f"a conclusion by {printed.and_joined(of)} takes {needed} requests in which two runs differ"
        + f", or {fewer} with a baseline" * (fewer < needed)
        for (needed, fewer), of in found.items()
    ]


def _fewest(n_comparisons: int, inference: Mapping[str, Any]) -> int:
    """Return the fewest requests whose least p is below the level after the correction."""
    sides = 2 if inference["alternative"] == "two-sided" else 1
    return math.floor(math.log2(sides * n_comparisons / inference["alpha"])) + 1


def who_is_first(row: dict[str, Any], named: Callable[[list[str]], str]) -> tuple[str, str]:
    """Return the first run and the verb; for two runs with the number of requests."""
    best, others = row["best"], [*row["not_worse"], *row["untested"]]
    if row["wins"] is None or len(best) > 1 or len(others) > 1:
        return named(best), "is first" if len(best) == 1 else "share the first place"
    won, lost = row["wins"], row["losses"]
    if best > others:  # the losses are those of the run whose name comes first
        won, lost = lost, won
    return ahead(named(best), named(others), row["n"], won, lost)


def ahead(run: str, other: str, n: int, won: int, lost: int) -> tuple[str, str]:
    """Return the first run, and the number of requests in which it is ahead of the only rival.

    Examples
    --------
    >>> ahead("a", "b", 2, 2, 0), ahead("a", "b", 5, 5, 0), ahead("a", "b", 1, 1, 0)
    (('a', 'is ahead in both'), ('a', 'is ahead in all 5'), ('a', 'is ahead'))
    >>> ahead("a", "b", 5, 3, 1), ahead("a", "b", 3, 1, 2)
    (('a', 'is ahead in 3 of 5, b in 1'), ('a', 'is first, although b is ahead in 2 of 3'))
    """
    if won == n:
        return run, "is ahead" + {1: "", 2: " in both"}.get(n, f" in all {n:,}")
    if won < lost:
        return run, f"is first, although {other} is ahead in {lost:,} of {n:,}"
    return run, f"is ahead in {won:,} of {n:,}" + f", {other} in {lost:,}" * (lost > 0)


def nothing_concluded(
    begin: str,
    who: Mapping[tuple[str, str], Sequence[str]],
    measures: str,
    group: str = "",
    *,
    is_all: bool = False,
) -> str:
    """Return a sentence, without its end, on the first runs by measures that decide nothing.

    ``who`` has the measures by first runs and verb, ``measures`` all of them in words, and
    ``group`` the group of requests as the end of a phrase. With ``is_all``, the measures are named
    once.

    Examples
    --------
    >>> who = {("a", "is first"): ["AP", "RR"], ("b", "is first"): ["P@1"]}
    >>> nothing_concluded("2 requests: too few", who, "all 3 measures", is_all=True)
    '2 requests: too few; a is first by AP and RR, b by P@1'
    >>> nothing_concluded("1 request: too few", {("a", "is ahead"): ["AP"]}, "AP", " for law")
    '1 request: too few by AP for law; a is ahead'
    """
    by = "" if is_all and len(who) > 1 else f" by {measures}"
    return f"{begin}{by}{group}; {first_by_measures(who)}"


def first_by_measures(who: Mapping[tuple[str, str], Sequence[str]], group: str = "") -> str:
    """Name the first runs and the verb of each; where several are first, with their measures."""
    said, before = "", ""
    # Runs, and what they do, may have commas of their own.
    has_commas = any("," in f"{runs} {verb}" for runs, verb in who)
    for (runs, verb), of in who.items():
        does, of_group = (f" {verb}", group) if verb != before else ("", "")
        divider = ("; " if does or has_commas else ", ") * bool(said)
        by = f" by {printed.and_joined(of)}" * (len(who) > 1)
        said, before = f"{said}{divider}{runs}{does}{by}{of_group}", verb
    return said


def evidence(
    rows: Sequence[dict[str, Any]], names: Sequence[str], alpha: float, family: str
) -> str:
    """Return the least p-values that were possible in some rows, as the end of a sentence."""
    least = [row["least"] for row in rows if row["least"] is not None]
    if rows[0]["n_most"] == 0:
        return ""
    if not least:
        few = "one request" if rows[0]["n_most"] == 1 else "n* below 2"
        return f"; no test is possible with {few}"
    ends = " to ".join(dict.fromkeys(f"{p:.2g}" for p in (min(least), max(least))))
    how = tests_in_words.how_decided(rows, names, alpha, family)
    return f" (the least p possible is {ends}: {how})"
