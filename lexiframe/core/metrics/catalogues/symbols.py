"""The meanings of the symbols in the formulas of measures."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORD = re.compile(r"[^\W\d_]\w*?′?(?:_(?:\{[^}]*\}|\w+))?(?![\w′])")

SYMBOLS = {
    "p_i": "the rank of the i-th relevant item",
    "p_1": "the rank of the first relevant item",
    "p_j": "the rank of the j-th relevant item",
    "p_m": "the rank of the last relevant item",
    "p_k": "the rank of the k-th relevant item in the first ranking",
    "p′_k": "the rank of the k-th relevant item in the second ranking",
    "p_ti": "the rank of the i-th relevant item of subtopic t",
    "p_t1": "the rank of the first relevant item of subtopic t",
    "p": "the rank of a relevant item",
    "m": "the number of relevant items of the request",
    "m_λ": "the number of items of grade λ or above",
    "m_t": "the number of relevant items of subtopic t",
    "k": "the cut-off: how many of the first documents count",
    "ñ": "the number of documents retrieved",
    "n": "the number of items in the corpus",
    "N": "the number of judged items that are not relevant",
    "r": "the number of relevant items retrieved",
    "y": "the grade of an item",
    "g": "the gain of an item, its grade unless others are named",
    "g_i": "the gain of the i-th relevant item retrieved",
    "g_j": "the gain of the j-th relevant item retrieved",
    "e": "the exposure of the measure: how much a rank is seen",
    "γ": "the probability of going on to the next rank",
    "α": "how much less a further document of the same subtopic is worth",
    "β": "the probability of going on to the next rank",
    "T": "the number of subtopics",
    "λ": "a grade; p(λ) is its weight and p(i|λ) that of its i-th item",
    "t": "a subtopic; p(t) is its weight and p(i|t) that of its i-th item",
    "s_i": "1 if the first ranking has its i-th relevant item further up, −1 if the second has it "
    "further up, 0 if neither",
    "s_{i,t}": "1 if the first ranking has its i-th relevant item of subtopic t further up, −1 if "
    "the second has it further up, 0 if neither",
    "s_k": "1 if the first ranking has its k-th relevant item further up, −1 if the second has",
    "b_i": "the judged non-relevant items above the i-th relevant one",
    "IDCG": "DCG of the ideal ranking",
    "μ": "the measure inside the parentheses",
    "π": "the ranking",
    "π′": "the second ranking",
    "C": "the probability of going on from rank i to the next",
    "x": "the number behind @",
    "d": "a depth",
    "D": "the greatest depth",
    "X_d": "the number of items in the first d of both rankings",
}
"""What a symbol means, unless a measure or a kind of measures says otherwise."""

_OF_KIND: dict[str, Mapping[str, str]] = {
    "composed preference": {
        "Δ_k": "the preference by the k-th measure",
        "k": "the place of the first measure that does not tie",
    },
    "C/W/L": {
        "i": "a rank",
        "g": "the gain of a document, from 0 to 1",
        "G": "the sum of the gains up to rank i",
        "T": "how much gain the user wants",
        "p": "the persistence of the user",
    },
    "cascade": dict.fromkeys(
        ("R_i", "R_j", "R"), "the probability that a document of grade y satisfies the user"
    ),
    "lexicographic preference": {"k": "the recall level that decides"},
    "interleaving": {"k_c": "the number of documents that the user c looks at"},
    "subtopic": {"r": "a rank"},
    "level preference": {"p": ""},  # of p(λ), which λ explains
    "overlap": {"p": "the probability of going on to the next depth"},
    "lexicographic": {"p": "the ranks of the relevant items"},
}
_OF_MEASURE: dict[str, Mapping[str, str]] = {
    "WorstIntents": {
        "β": "the share of the subtopics that counts, at least one of them",
        "w_t": "how much subtopic t counts: 1 for the worst, β T in all, the last in part",
        "μ_t": "the value of the metric with the relevant items of subtopic t",
    },
    "Q": {
        "β": "the weight of the gains",
        "G_i": "the gains of the first i relevant items retrieved",
        "I_{p_i}": "the gains of the first p_i ranks of the ideal ranking",
    },
    "WSS": {
        "R": "the recall in percent behind @",
        "p": "the rank where that recall is reached, ñ where it is not",
    },
    "infAP": {
        "r": "the relevant items above the i-th one",
        "b": "the judged non-relevant items above it",
        "u": "the items above it that are in the pool and not judged",
        "ε": "0.00001",
    },
    "PRES": {"r_i": "the rank of the i-th relevant item, or its place behind the cut-off",
        "i": "the recall level of the item"},
    "ERR": {"max": "the greatest grade of the scale"},
    "gRBP": {"max": "the greatest grade of the scale"},
    "RBP": {"p": "the parameter of that name"},
    "RR": dict.fromkeys(("level", "j"), "which relevant item, the parameter of that name"),
    "F1": {"P": "the precision", "R": "the recall"},
    "SetF": {"β": "the weight of recall", "P": "the precision", "R": "the recall"},
    "IPrec": {"R": "a share of the relevant items"},
    "11pt_avg": {"R": "a share of the relevant items"},
    "utility": {
        "a": "the worth of a relevant item retrieved", "b": "that of another item retrieved",
        "c": "that of a relevant item missed", "d": "that of another item left out",
    },
    "Rprec_mult": {"x": "the multiple of m behind @"},
    "WC": {"u": "a subset of the relevant items R", "R": "the relevant items"},
    "LR.metric": {"w_i": "the weight of the i-th relevant item", "d": "n + 1"},
    "G": {"cost": "the sum of the ideal gains of the first ranks, each at least 1"},
    "INST": {"T_i": "how much of the gain is still wanted at rank i"},
}  # fmt: skip


def know(of_kinds: Mapping[str, Mapping[str, str]]) -> None:
    """Let symbols of further kinds of measures be explained."""
    _OF_KIND.update(of_kinds)


def explained(name: str, kind: str, formula: str) -> dict[str, str]:
    """Return the meanings of the symbols of a formula, in the order of their first use.

    Examples
    --------
    >>> explained("ISL", "search length", "p_1")
    {'p_1': 'the rank of the first relevant item'}
    """
    known = {**SYMBOLS, **_OF_KIND.get(kind, {}), **_OF_MEASURE.get(name, {})}
    return {word: known[word] for word in words_in(formula) if known.get(word)}


def words_in(formula: str) -> list[str]:
    """Return the letters and words of a formula, without the ones below a sum."""
    without_sums = re.sub(r"[ΣΠE](_\{[^}]*\}|_\w)?", " ", formula)
    words = (word.rstrip("²⁵") for word in _WORD.findall(without_sums))
    return list(dict.fromkeys(word for word in words if word))
