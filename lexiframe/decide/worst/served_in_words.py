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
    named = next((word for x, word in _SHARES.items() if abs(x - share) < sums.TIE), "")
    return f"the {named or f'{100 * share:g} %'} of the {unit}s"


def _share_sentence(
    part: pl.DataFrame, of_group: str, pairs: pl.DataFrame, m: Any, asked: Any
) -> str:
    share, unit = part["share"][0], asked.unit or "request"
    part = part.filter(pl.col("value").is_not_null())
    where = share_in_words(share, unit)
    if part.is_empty():
        return f"{where.capitalize()}{of_group} is less than one {unit}."
    firsts = {of: _first(part, of, m.sign) for of in ("value", "mean")}
    best, by_mean = firsts["value"], firsts["mean"]
    rows = {row["run"]: row for row in part.iter_rows(named=True)}
    begin = f"In {where} that {'it serves' if len(best) == 1 else 'they serve'} worst{of_group}"
    of_best = f"{part['measure'][0]} {_with_limits(rows[best[0]])}"
    if len(best) > 1:
        told = f"{begin}, {printed.listed(best)} have {of_best}"
    else:
        told = f"{begin}, {best[0]} has {of_best}"
        rest = [run for run in by_mean if run not in best] or [
            *_first(part.filter(pl.col("run") != best[0]), "value", m.sign)
        ]
        if rest:
            told += f", {rest[0]} {printed.cell('value', rows[rest[0]]['value'])}"
            told += f": {_decided(pairs, best[0], rest[0])}"
    is_same = by_mean == best
    told += "; by the mean, too, it is first" if is_same and len(best) == 1 else (
        f"; by the mean {printed.they_are(by_mean)} first"
    )  # fmt: skip
    return ". ".join([told, *_counts(part, pairs, where, asked)]) + "."


def _first(part: pl.DataFrame, column: str, sign: int) -> list[str]:
    """Return the runs that are best by a column."""
    turned = sign * pl.col(column)
    return part.filter(turned >= turned.max() - sums.TIE * turned.abs().max())["run"].to_list()


def _with_limits(row: dict[str, Any]) -> str:
    value, low, high = (printed.cell("value", row[of]) for of in ("value", "ci_low", "ci_high"))
    return f"{value} ({low} to {high})" if row["ci_low"] is not None else value


def _decided(pairs: pl.DataFrame, best: str, other: str) -> str:
    """Say whether the best of two runs is better, by the row of their pair."""
    both = pl.col("run_a").is_in([best, other]) & pl.col("run_b").is_in([best, other])
    reject = pairs.filter(both)["reject"].to_list() or [None]
    if reject[0] is None:
        return "nothing tests the difference"
    return f"{best} is better" if reject[0] else "the difference is not significant"


def _counts(part: pl.DataFrame, pairs: pl.DataFrame, where: str, asked: Any) -> list[str]:
    """Count the pairs that differ, and the runs whose worst share does not vary."""
    told, enough = [], part["n_worst"].max()
    if pairs["reject"].count():
        n = int(pairs["reject"].sum())
        told.append(f"Of {printed.counted(pairs.height, 'pair')} of runs {n:,} differ there")
    still = part.filter(pl.col("ci_low").is_null())
    if enough is not None and enough < 2 - 1e-9:  # type: ignore[operator]
        unit = asked.unit or "request"
        told.append(f"It is fewer than two {unit}s, so that there are neither limits nor tests")
    elif still.height:
        runs, has = (f"{still.height:,} runs", "have") if still.height > 1 else ("One run", "has")
        told.append(f"{runs} {has} one value in all of it, which decides nothing (p = 1)")
    for share in asked.left_out:
        told.append(f"The share {share:g} is less than one {asked.unit or 'request'}: left out")
    return told
