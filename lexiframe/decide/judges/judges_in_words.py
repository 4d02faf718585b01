"""The agreement of judges about grades, and their confusion, in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.metrics import derived
from lexiframe.decide.judges.schemas import JUDGE_AGREEMENT, JUDGE_CONFUSION, OWN_FAMILY

_DOCUMENT = ("document", "grade", "relevant")
_WORDS = {"nugget": ("nugget", "credit", "stated in full")}
"""What is judged, what a judge gives it, and when it counts: by the ``unit`` of a table's rows."""

_ALPHA = 0.05
"""The level at which sentences say that a favour is shown."""


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
    return printed.sentence_of_each(table, JUDGE_AGREEMENT, JUDGE_AGREEMENT.key, _pair_sentence)


def _group_begin(of_group: str) -> str:
    """Return the group as the beginning of a sentence, or nothing."""
    return f"For{of_group.removeprefix(' for')}, " if of_group else ""


def _pair_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    a, b, n = row["judge_a"], row["judge_b"], row["n"]
    item, grade, _ = _WORDS.get(row.get("unit", ""), _DOCUMENT)
    if n == 0:
        return f"{_group_begin(of_group)}no {item} was judged by both {a} and {b}.{_alone(row)}"
    same = round(row["agreement"] * n)
    items = f"{item}{'s' * (n != 1)} that both judged"
    agreed = f"{a} and {b} give {same:,} of the {n:,} {items} the same {grade}"
    how = f"({printed.percent(row['agreement'])}){_kappas(row)}"
    return f"{_group_begin(of_group)}{agreed} {how}. {_height(row)}{_alone(row)}"


def _kappas(row: dict[str, Any]) -> str:
    """Say how far the judges agree beyond chance; one grade for all items leaves nothing to say."""
    _, grade, relevant = _WORDS.get(row.get("unit", ""), _DOCUMENT)
    if row["kappa"] is None:
        return (
            f", the only {grade} that they give them, so that agreement beyond chance is undefined"
        )
    of_relevant = row["kappa_binary"]
    binary = "undefined" if of_relevant is None else f"{of_relevant:.2f}"
    return (
        f": κ = {row['kappa']:.2f}, {row['kappa_quadratic']:.2f} with quadratic weights, "
        f"{binary} for {relevant} or not; α = {row['alpha']:.2f}"
    )


def _height(row: dict[str, Any]) -> str:
    difference, grade = row["mean_difference"], _WORDS.get(row.get("unit", ""), _DOCUMENT)[1]
    if f"{abs(difference):.2f}" == "0.00":
        return f"Their {grade}s are equally high on average."
    than = "higher" if difference > 0 else "lower"
    return f"The {grade}s of {row['judge_a']} are {than} by {abs(difference):.2f} on average."


def _alone(row: dict[str, Any]) -> str:
    counts = {row["judge_a"]: row["only_a"], row["judge_b"]: row["only_b"]}
    item, grade, _ = _WORDS.get(row.get("unit", ""), _DOCUMENT)
    return printed.known_by_one_side(counts, item, f"has a {grade}", f"have a {grade}")


def confusion_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say of every two judges of a table of `judge_confusion` where their grades differ most."""
    return printed.sentence_of_each(
        table, JUDGE_CONFUSION, JUDGE_AGREEMENT.key, _confusion_sentence
    )


def _confusion_sentence(part: pl.DataFrame, of_group: str) -> str:
    a, b, n = part["judge_a"][0], part["judge_b"][0], int(part["n"].sum())
    item, grade, _ = _WORDS.get(part.row(0, named=True).get("unit", ""), _DOCUMENT)
    both, documents = (
        f"{_group_begin(of_group)}{a} and {b}",
        f"{printed.counted(n, item)} that both judged",
    )
    differ = part.filter(pl.col("relevance_a") != pl.col("relevance_b"), pl.col("n") > 0)
    if differ.is_empty():
        return f"{both} give the {documents} the same {grade}s."
    most = differ.sort("n", descending=True, maintain_order=True).row(0, named=True)
    return (
        f"{both} differ about {differ['n'].sum():,} of the {documents}, most often where {a} "
        f"gives {most['relevance_a']:g} and {b} {most['relevance_b']:g}: {most['n']:,} "
        f"({printed.percent(most['n'] / n)})."
    )


def own_family_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say of each judge and measure of a table of `own_family` whether it favours its own runs.

    Examples
    --------
    >>> row = {"measure": "GRADE", "family": "lynx", "n_own": 3, "n_other": 8, "bias": 0.12,
    ...        "se": 0.01, "ci_low": 0.1, "ci_high": 0.14, "p_value": 1e-5, "p_adjusted": 1e-5,
    ...        "slope": 0.7, "extrapolated": False, "reason": None}
    >>> print(own_family_sentences(pl.DataFrame([row]))["sentence"][0])
    By GRADE, the judge gives the 3 runs of lynx 0.120 more than expected from the 8 other runs \
(0.100 to 0.140; p < 0.001): it favours them, unless people missed how good they are.
    """
    key = [name for name in OWN_FAMILY.key if name in table.columns]
    return printed.sentence_of_each(table, OWN_FAMILY, key, _family_sentence)


def _family_sentence(part: pl.DataFrame, of_group: str) -> str:
    row = part.row(0, named=True)
    who, family = row.get("judge", "the judge"), row["family"]
    begin = f"By {row['measure']}{of_group}, "
    if row["p_value"] is None:
        return f"{begin}it is not known whether {who} favours {family}: {row['reason']}."
    metric = derived.known_metric(row["measure"])
    smaller = metric is not None and metric.smaller_is_better
    favours = (row["bias"] > 0) != smaller
    than = "more" if row["bias"] > 0 else "less"
    own, p = printed.counted(row["n_own"], "run"), row["p_adjusted"]
    shown = "it is not shown to favour or disfavour them"
    if p < _ALPHA and row["ci_low"] * row["ci_high"] > 0:  # intervals may have another level
        missed = "how good they are" if favours else "what they lack"
        shown = f"it {'' if favours else 'dis'}favours them, unless people missed {missed}"
    said = printed.cell("p_value", p)
    said = said.replace("<", "< ") if said[0] == "<" else f"= {said}"
    far = " One of them lies beyond all other runs by people's mean, where this is a guess."
    return (
        f"{begin}{who} gives the {own} of {family} {abs(row['bias']):.3f} {than} than expected "
        f"from the {printed.counted(row['n_other'], 'other run')} ({row['ci_low']:.3f} to "
        f"{row['ci_high']:.3f}; p {said}): {shown}."
        f"{far * row['extrapolated']}"
    )
