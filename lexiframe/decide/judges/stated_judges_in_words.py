"""Judges of preferences in words: how far they agree, who differs, who goes round in circles."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.decide.judges.schemas import JUDGE_CONSISTENCY, STATED_AGREEMENT

_ENOUGH = 10
"""How many units two judges must share to be named as those that agree least."""


def stated_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say how far the judges of preferences agree, and which two agree least."""
    return printed.sentence_of_each(table, STATED_AGREEMENT, [], _pairs_sentence)


def _pairs_sentence(part: pl.DataFrame, of_group: str) -> str:
    begin = f"For{of_group.removeprefix(' for')}, " if of_group else ""
    if part.height == 1:
        return f"{begin}{_pair_text(part.row(0, named=True))}."
    judges = pl.concat([part["judge_a"], part["judge_b"]]).n_unique()
    n = part["n"].to_numpy()
    mean = printed.percent((part["agreement"].to_numpy() * n).sum() / n.sum())
    enough = min(_ENOUGH, int(n.max()))
    least = part.filter(pl.col("n") >= enough).sort("agreement", "judge_a", "judge_b")
    return (
        f"{begin}{printed.counted(judges, 'judge')} say the same in {mean} of the "
        f"{int(n.sum()):,} cases in which two of them judged a request and pair. No two with "
        f"{enough:,} or more such cases agree less than these: "
        f"{_pair_text(least.row(0, named=True))}."
    )


def _pair_text(row: dict[str, Any]) -> str:
    n, same, other = row["n"], row["agreement"], row["opposite"]
    many = f"{n:,} request{'s' * (n != 1)} and pair{'s' * (n != 1)}"
    text = (
        f"{row['judge_a']} and {row['judge_b']} say the same of {round(same * n):,} of the {many} "
        f"that both judged ({printed.percent(same)}), and the opposite of {round(other * n):,} "
        f"({printed.percent(other)})"
    )
    if row["kappa"] is None:
        return f"{text}; all have the same winner, so that agreement beyond chance is undefined"
    alphas = f"α = {row['alpha_nominal']:.2f}, {row['alpha']:.2f} with the order -1 < 0 < 1"
    return f"{text}: κ = {row['kappa']:.2f}; {alphas}"


def consistency_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say how far all judges agree, who differs most, and who goes round in circles."""
    return printed.sentence_of_each(table, JUDGE_CONSISTENCY, [], _consistency_sentence)


def _consistency_sentence(part: pl.DataFrame, of_group: str) -> str:
    every, each = part.row(0, named=True), part.slice(1)
    text = f"{printed.counted(each.height, 'judge')} judged {every['n']:,} requests and pairs"
    if every["alpha"] is not None:
        text += (
            f": Krippendorff's α is {every['alpha_nominal']:.2f}, {every['alpha']:.2f} with the "
            "order -1 < 0 < 1"
        )
    odd = each.filter(pl.col("reject") & (pl.col("difference") < 0)).sort("difference", "judge")
    tested = each["p_value"].drop_nulls().len()
    if odd.height:
        names = odd["judge"].to_list()
        who = f"judge{'s' * (len(names) > 1)} {printed.they_are(names)}"
        others = f"{who} shown to agree with the others less than they agree with one another"
    elif tested:
        others = "no judge is shown to agree with the others less than they agree with one another"
    else:
        others = "no judge can be compared with two others over two requests"
    how = f" (corrected over {printed.counted(tested, 'judge')})" if tested else ""
    circles = "; no judge decided all three pairs of three runs"
    if every["n_triples"]:
        circles = (
            f"; when a judge decided all pairs of three runs (n = {every['n_triples']:,}), "
            f"{printed.percent(every['circular'])} went in a circle: a over b, b over c, c over a "
            f"(by chance {printed.percent(every['by_chance'])})"
        )
    return f"{text}; {others}{how}{circles}."
