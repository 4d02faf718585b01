"""Which measure agrees with people, in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped, printed

_ENOUGH = 20
"""How many pairs of a strength there must be for a share of them to be said."""
Found = Any
"""What is put into words: `Concordance`, whose module imports this one."""


def concordance_sentences(found: Found) -> list[str]:
    """Return the sentences: what counts, the best measure, the others, where people are strong."""
    ranked = found.ranked()
    said = [
        _counts_sentence(found),
        _best(found, ranked),
        *_others(found, ranked),
        *_strength_sentences(found),
    ]
    return [escaped(sentence) for sentence in [*said, *_missing_sentences(ranked)]]


def _counts_sentence(found: Found) -> str:
    n = found.n_stated - found.n_undecided
    in_requests = printed.counted(found.n_requests, "request")
    undecided = ""
    if found.n_undecided:
        rest = "1 other does" if found.n_undecided == 1 else f"{found.n_undecided:,} others do"
        undecided = f"; the {rest} not count, as they prefer neither"
    pairs = printed.counted(n, "pair")
    return f"People prefer one run in {pairs} of rankings, in {in_requests}{undecided}."


def _best(found: Found, ranked: pl.DataFrame) -> str:
    row = ranked.row(0, named=True)
    which = "them" if not row["missing"] else f"the {row['n']:,} for which it has a value"
    share = f"{printed.percent(row['concordance'])} of {which}"
    text = f"{row['measure']} prefers the same run in {share} (a tie is half)"
    if row["ci_low"] is None:
        return f"{text}; how sure that is cannot be said, as no two requests differ."
    interval = f"{printed.percent(row['ci_low'])} to {printed.percent(row['ci_high'])}"
    level = f"{100 * (1 - found.alpha):g} % interval {interval}"
    if row["ci_low"] <= 0.5 <= row["ci_high"]:
        return f"{text}, {level}, which is not shown to be better than chance."
    return f"{text}, {level}."


def _others(found: Found, ranked: pl.DataFrame) -> list[str]:
    """Say which measures are shown to agree less than the best, and which are not."""
    if ranked.height < 2:
        return []
    best = ranked["measure"][0]
    is_a, is_b = pl.col("measure_a") == best, pl.col("measure_b") == best
    with_best = found.pairs.filter(is_a | is_b).with_columns(
        other=pl.when(is_a).then("measure_b").otherwise("measure_a"),
        gain=pl.when(is_a).then("difference").otherwise(-pl.col("difference")),
    )
    order = {name: n for n, name in enumerate(ranked["measure"])}
    less = with_best.filter(pl.col("reject").fill_null(False) & (pl.col("gain") > 0))
    names = sorted(less["other"], key=order.__getitem__)
    rest = sorted({*with_best["other"]} - {*names}, key=order.__getitem__)
    how = f" ({_family(found)}, α = {found.alpha:g})"
    said = []
    if names:
        said.append(f"It is shown to agree with people more than {printed.listed(names)}{how}.")
    if rest:
        said.append(f"{printed.they_are(rest)} not shown to agree less{'' if names else how}.")
    return said


def _family(found: Found) -> str:
    n = found.pairs.height
    pairs = "the pair of measures" if n == 1 else f"the {n:,} pairs of measures"
    if found.correction == "none":
        return "p-values of requests, uncorrected"
    return f"p-values over requests, corrected over {pairs}"


def _strength_sentences(found: Found) -> list[str]:
    """Say whether the best measure agrees more where people are of one mind, if both are many."""
    of = found.by_strength.filter(pl.col("measure") == found.best(), pl.col("n") >= _ENOUGH)
    if of.height < 2:
        return []
    weak, strong = of.row(0, named=True), of.row(-1, named=True)
    weakly = f"weak (up to {weak['strength_up_to']:g})"
    strongly = f"strong (above {strong['strength_above']:g})"
    of_weak = f"{printed.percent(weak['concordance'])} of {printed.counted(weak['n'], 'pair')}"
    of_strong = f"{printed.percent(strong['concordance'])} of {strong['n']:,}"
    begin = f"Where people's preference is {weakly}, {found.best()} agrees in {of_weak}"
    return [f"{begin}; where it is {strongly}, in {of_strong}."]


def _missing_sentences(ranked: pl.DataFrame) -> list[str]:
    lacking = ranked.filter(pl.col("missing") > 0)
    if lacking.is_empty():
        return []
    most = int(lacking["missing"].to_numpy().max())
    names = printed.listed(lacking["measure"].to_list())
    verb = "has" if lacking.height == 1 else "have"
    upto = "" if lacking["missing"].n_unique() == 1 else "up to "
    return [f"{names} {verb} no value for {upto}{most:,} of these pairs, which do not count there."]
