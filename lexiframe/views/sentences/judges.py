"""The agreement of judges about grades, and their confusion, in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.views.sentences.rows import attributes_of, sentence_of_each
from lexiframe.views.sentences.words import in_group


def agreement_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Return a sentence for every two judges of a table of `judge_agreement`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> nist = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": 0}}
    >>> llm = {"q1": {"d1": 2, "d2": 1, "d3": 1}, "q2": {"d1": 0, "d4": 0, "d5": 2}}
    >>> table = lf.judge_agreement({"nist": nist, "llm": llm})
    >>> print(agreement_sentences(table)["sentence"][0])
    nist and llm give 3 of the 5 documents that both judged the same grade (60.0 %): κ = 0.37, \
0.64 with quadratic weights, 0.17 for relevant or not; α = 0.60. Their grades are equally high on \
average. 1 document has a grade by llm alone.
    """
    names = attributes_of(table, schemas.JUDGE_AGREEMENT)
    return sentence_of_each(table, schemas.JUDGE_AGREEMENT.key, names, _sentence)


def _sentence(row: dict[str, Any], names: list[str]) -> str:
    of_group = f"For {in_group(row, names)}, " if names else ""
    a, b, n = row["judge_a"], row["judge_b"], row["n"]
    if n == 0:
        return f"{of_group}{a} and {b} judged no document both.{_alone(row)}"
    same = round(row["agreement"] * n)
    documents = "document that both judged" if n == 1 else "documents that both judged"
    agreed = f"{of_group}{a} and {b} give {same:,} of the {n:,} {documents} the same grade"
    share = f"{100 * row['agreement']:.1f} %"
    return f"{agreed} ({share}){_kappas(row)}. {_height(row)}{_alone(row)}"


def _kappas(row: dict[str, Any]) -> str:
    """Say how far the judges agree beyond chance; one grade for all items leaves nothing to say."""
    if row["kappa"] is None:
        return (
            ", the only grade that they give them, so that no agreement beyond chance can be seen"
        )
    of_relevant = row["kappa_binary"]
    binary = "undefined" if of_relevant is None else f"{of_relevant:.2f}"
    return (
        f": κ = {row['kappa']:.2f}, {row['kappa_quadratic']:.2f} with quadratic weights, "
        f"{binary} for relevant or not; α = {row['alpha']:.2f}"
    )


def _height(row: dict[str, Any]) -> str:
    difference = row["mean_difference"]
    if f"{abs(difference):.2f}" == "0.00":
        return "Their grades are equally high on average."
    than = "higher" if difference > 0 else "lower"
    return f"The grades of {row['judge_a']} are {than} by {abs(difference):.2f} on average."


def _alone(row: dict[str, Any]) -> str:
    """Say how many documents one judge alone judged, if there are any."""
    counts = ((row["judge_a"], row["only_a"]), (row["judge_b"], row["only_b"]))
    said = [
        f" {n:,} document{'s have' if n > 1 else ' has'} a grade by {judge} alone."
        for judge, n in counts
        if n
    ]
    return "".join(said)


def confusion_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say of every two judges of a table of `judge_confusion` where their grades differ most.

    Examples
    --------
    >>> import lexiframe as lf
    >>> nist = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> llm = {"q1": {"d1": 1, "d2": 1, "d3": 1}}
    >>> print(confusion_sentences(lf.judge_confusion({"nist": nist, "llm": llm}))["sentence"][0])
    nist and llm differ about 1 of the 3 documents that both judged, most often where nist gives \
0 and llm 1: 1 (33.3 %).
    """
    names = attributes_of(table, schemas.JUDGE_CONFUSION)
    key = [*names, *schemas.JUDGE_AGREEMENT.key]
    differs = pl.col("relevance_a") != pl.col("relevance_b")
    most = pl.col("n").filter(differs).arg_max()
    rows = table.group_by(key, maintain_order=True).agg(
        n=pl.col("n").sum(),
        differ=pl.col("n").filter(differs).sum(),
        most=pl.col("n").filter(differs).max(),
        a=pl.col("relevance_a").filter(differs).get(most, null_on_oob=True),
        b=pl.col("relevance_b").filter(differs).get(most, null_on_oob=True),
    )
    return sentence_of_each(rows, schemas.JUDGE_AGREEMENT.key, names, _of_grades)


def _of_grades(row: dict[str, Any], names: list[str]) -> str:
    of_group = f"For {in_group(row, names)}, " if names else ""
    a, b, n = row["judge_a"], row["judge_b"], row["n"]
    documents = f"document{'s' * (n > 1)} that both judged"
    if not row["differ"]:
        return f"{of_group}{a} and {b} give the {n:,} {documents} the same grades."
    return (
        f"{of_group}{a} and {b} differ about {row['differ']:,} of the {n:,} {documents}, most "
        f"often where {a} gives {row['a']:g} and {b} {row['b']:g}: {row['most']:,} "
        f"({100 * row['most'] / n:.1f} %)."
    )
