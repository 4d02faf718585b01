"""The worst share of requests in words: which run serves it best, and which is first by mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import printed, sums
from lexiframe.decide.worst.schemas import WORST_VALUES

_SHARES = {0.1: "tenth", 0.2: "fifth", 0.25: "quarter", 1 / 3: "third", 0.5: "half"}


def share_sentences(
    values: pl.DataFrame, tested: pl.DataFrame, of: Sequence[tuple[Any, Any]]
) -> pl.DataFrame:
    """Return a sentence for each measure and share, in each group of requests.

    ``of`` are the values and what is asked of them, by measure and group.
    """
    by = values.columns[: values.columns.index("measure")]
    on = [*by, "measure", "share"]
    pairs = tested.partition_by(on, as_dict=True)
    known = {tuple(m.group.values()): (m, asked) for m, asked in of}

    def said(part: pl.DataFrame, of_group: str) -> str:
        key = part.select(on).row(0)
        m, asked = known[key[:-1]]
        return _share_sentence(part, of_group, pairs.get(key, tested.clear()), m, asked)

    return printed.sentence_of_each(values, WORST_VALUES, ["measure", "share"], said)


def share_in_words(share: float, unit: str = "request") -> str:
    """Return the name of a share of the requests, such as ``the tenth of the requests``."""
    if share == 1:
        return f"all {unit}s"
    named = next((word for x, word in _SHARES.items() if abs(x - share) < sums.TIE), "")
    return f"the {named or f'{100 * share:g} %'} of the {unit}s"


def _share_sentence(
    part: pl.DataFrame, of_group: str, pairs: pl.DataFrame, m: Any, asked: Any
) -> str:
    share, unit = part["share"][0], asked.unit or "request"
    part, where = (
        part.drop_nulls("value"),
        share_in_words(share, unit) + " by weight" * m.has_weights,
    )
    if part.is_empty():
        return f"{where.capitalize()}{of_group} is less than one {unit}."
    best, by_mean = (_first(part, of, m.sign) for of in ("value", "mean"))
    rows = part.rows_by_key("run", named=True, unique=True)
    value, low, high = (
        printed.cell("value", rows[best[0]][of]) for of in ("value", "ci_low", "ci_high")
    )
    is_one, is_all = len(best) == 1, share == 1
    serves = "" if is_all else " that each run serves worst"
    told = f"In {where}{serves}{of_group}, {printed.listed(best)} {'has' if is_one else 'have'} "
    told += f"{part['measure'][0]} {value}"
    if is_one and rows[best[0]]["ci_low"] is not None:
        told += f" ({low} to {high})"
    others = part.filter(~pl.col("run").is_in(best))
    if is_one and others.height:
        with_test = [run for run in (asked.baseline,) if run in rows]
        of_others = with_test + by_mean + _first(others, "value", m.sign)
        other = next(run for run in of_others if run not in best)
        told += f", {other} {printed.cell('value', rows[other]['value'])}"
        told += f": {_decided(pairs, best[0], other)}"
    if not is_all and part.height > 1:
        are = "it is" if is_one else "they are"
        is_same = by_mean == best
        told += f"; by the mean{f', too, {are}' if is_same else f' {printed.they_are(by_mean)}'}"
        told += " first"
    return ". ".join([told, *_counts(part, pairs, m, asked)]) + "."


def _first(part: pl.DataFrame, column: str, sign: int) -> list[str]:
    """Return the runs that are best by a column; values that differ by rounding tie."""
    values = sign * part[column].to_numpy()
    return part["run"].filter(sums.difference(values, values.max()) == 0).to_list()


def _decided(pairs: pl.DataFrame, best: str, other: str) -> str:
    """Say whether the best of two runs is better, by the row of their pair."""
    both = pl.col("run_a").is_in([best, other]) & pl.col("run_b").is_in([best, other])
    reject = pairs.filter(both)["reject"].to_list() or [None]
    if reject[0] is None:
        return "the difference is not tested"
    return f"{best} is better" if reject[0] else "the difference is not significant"


def _counts(part: pl.DataFrame, pairs: pl.DataFrame, m: Any, asked: Any) -> list[str]:
    """Count the pairs that differ, and the runs whose worst share does not vary."""
    told, unit = [], asked.unit or "request"
    if (n_tested := pairs["reject"].count()) > 1:
        n = int(pairs["reject"].sum())
        differ = "differs" if n == 1 else "differ"
        told.append(f"Of {n_tested:,} pairs of runs {n:,} {differ} significantly there")
    no_limits = part.filter(pl.col("ci_low").is_null())
    of_few = m.runs.filter(part["share"][0] * m.tails.n_effective < 2 - 1e-9)
    few, still = (no_limits.filter(pl.col("run").is_in(of_few.implode()) == of) for of in (1, 0))
    if few.height:
        worth = "worth " * m.has_weights
        is_all_runs = few.height == part.height
        what = "This" if is_all_runs else f"In {printed.counted(few.height, 'run')} this"
        told.append(
            f"{what} share is {worth}fewer than two {unit}s, so that there are neither limits nor "
            "tests"
        )
    if still.height:
        of_runs = printed.counted(still.height, "run")
        told.append(
            f"In {of_runs} all {unit}s of this share have one value, which decides nothing: no "
            "limits, and p = 1 between such runs"
        )
    for share in asked.left_out:
        told.append(f"The share {share:g} is less than one {unit}: left out")
    return told
