"""The built-in preferences, each with its formula, its range and its source."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from lexiframe.core.base import LexiframeError, errors, typed, unknown_name
from lexiframe.core.metrics import Metric, catalogues, derived, exposures, notation, weights
from lexiframe.core.pairwise.composition import Composition
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.preference import Preference
from lexiframe.core.pairwise.recall_paired import LevelPreference
from lexiframe.typing import MeasureLike

# Weights are named functions, not lambdas, so that preferences and evaluations can be pickled.
# An entry has five lines at most; the formatter would give each of its arguments a line.
# fmt: off
RPP = LevelPreference("RPP", weight=weights.share_of_request,
    formula="Σ_λ p(λ) Σ_i 1/m_λ · s_i, p(λ) ∝ m_λ", bounds="−1 to 1",
    source=f"{catalogues.papers.RECALL_PAIRED}, eq. 4 and 5")
"""Recall-paired preference: the share of recall levels at which the first ranking is ahead, minus
the share at which the second one is. The i-th relevant item that a ranking has from the top is
compared with the i-th one of the other; whose is further up is ahead at level i. With several
grades this is done for the items of each grade and above, so that each item has the same
weight."""

dcgRPP = LevelPreference("dcgRPP", weight=weights.logarithmic,
    formula="Σ_λ p(λ) Σ_i p(i|λ) s_i, p(λ) ∝ m_λ, p(i|λ) ∝ 1/log2(i + 1)",
    bounds="−1 to 1",
    source=f"{catalogues.papers.RECALL_PAIRED}, eq. 4 and 5")
"""Recall-paired preference, see RPP, whose first levels count more: level i by 1 / log2(i + 1)."""

invRPP = LevelPreference("invRPP", weight=weights.reciprocal,
    formula="Σ_λ p(λ) Σ_i p(i|λ) s_i, p(λ) ∝ m_λ, p(i|λ) ∝ 1/i", bounds="−1 to 1",
    source=f"{catalogues.papers.RECALL_PAIRED}, eq. 4 and 5")
"""Recall-paired preference, see RPP, whose first levels count more: level i by 1 / i."""

LR = LexicographicPreference("LR", "recall",
    formula="s_k, k the largest i with s_i ≠ 0", bounds="−1, 0, 1",
    source=f"{catalogues.papers.LEXIRECALL}, eq. 11")
"""Lexirecall: which ranking has its last relevant item further up; if they have it at the same
rank the last but one decides, and so on. A ranking that misses fewer relevant items is always
ahead."""

LP = LexicographicPreference("LP", "precision",
    formula="s_k, k the smallest i with s_i ≠ 0", bounds="−1, 0, 1",
    source=f"{catalogues.papers.LEXIPRECISION}, eq. 3")
"""Lexiprecision: which ranking has its first relevant item further up; if they have it at the same
rank the second one decides, and so on. It agrees with reciprocal rank where that differs."""

sgnLR = replace(LR, name="sgnLR")
"""Lexirecall under a second name, which says that only the sign counts, unlike in rrLR."""

sgnLP = replace(LP, name="sgnLP")
"""Lexiprecision under a second name, which says that only the sign counts, unlike in rrLP."""

rrLR = LexicographicPreference("rrLR", "recall", magnitude=exposures.reciprocal,
    formula="1/p_k − 1/p′_k, k as of LR", bounds="−1 to 1",
    source="lexiframe")
"""Lexirecall with a size: the difference of the reciprocal ranks at the recall level that decides.
The papers define this for lexiprecision only."""

rrLP = LexicographicPreference("rrLP", "precision", magnitude=exposures.reciprocal,
    formula="1/p_k − 1/p′_k, k as of LP", bounds="−1 to 1",
    source=f"{catalogues.papers.LEXIPRECISION}, eq. 2")
"""Lexiprecision with a size: the difference of the reciprocal ranks at the level that decides."""

ST_RPP = LevelPreference("ST-RPP", weight=weights.share_of_request, subtopics=True,
    formula="Σ_t p(t) Σ_i s_{i,t} / m_t, p(t) ∝ m_t", bounds="−1 to 1",
    source=f"{catalogues.papers.RECALL_PAIRED}, eq. 6")
"""Recall-paired preference, see RPP, over the relevant items of each subtopic: each weighs as much
as it has items."""

ST_dcgRPP = LevelPreference("ST-dcgRPP", weight=weights.logarithmic,
    subtopics=True, formula="Σ_t p(t) Σ_i p(i|t) s_{i,t}, p(t) ∝ m_t, p(i|t) ∝ 1/log2(i + 1)",
    bounds="−1 to 1", source=f"{catalogues.papers.RECALL_PAIRED}, eq. 6")
"""Recall-paired preference by subtopic whose first levels count more: level i by 1 / log2(i +
1)."""

ST_invRPP = LevelPreference("ST-invRPP", weight=weights.reciprocal,
    subtopics=True, formula="Σ_t p(t) Σ_i p(i|t) s_{i,t}, p(t) ∝ m_t, p(i|t) ∝ 1/i",
    bounds="−1 to 1", source=f"{catalogues.papers.RECALL_PAIRED}, eq. 6")
"""Recall-paired preference by subtopic whose first levels count more: level i by 1 / i."""
# fmt: on

PREFERENCES = {p.name: p for p in vars().values() if isinstance(p, Preference)}
notation.know(PREFERENCES)


@typed
def parse_measure(text: MeasureLike) -> Metric | Preference:
    """Return the preference or the metric of a notation.

    Parameters
    ----------
    text : str
        ``"RPP"``, ``"LR(rel=2)"``, ``"nDCG@10"``; a composition, ``"RR>AP"`` or ``"lex(RR,AP)"``
        (see `lex`); or the name that another library has for it:
        trec_eval's ``"ndcg_cut_10"``, ranx' and BEIR's ``"ndcg@10"``, RePlay's ``"HitRate@10"``, an
        object of ir_measures. `conventions` shows what libraries mean by the same name.

    Returns
    -------
    RecallLevelMetric, GradedMetric, SubtopicMetric, a preference or a composition
        The same object as ``lf.RPP``, ``lf.LR(rel=2)``, ``lf.nDCG @ 10``.

    Raises
    ------
    UnknownNameError
        With near matches, for a name that does not exist; for several measures in one string; and
        for ``"OI"``, which needs runs instead of positions: `interleaving` computes it.

    Examples
    --------
    >>> parse_measure("RPP"), parse_measure("LR(rel=2)"), parse_measure("nDCG@10")
    (RPP, LR(rel=2), nDCG@10)
    >>> parse_measure("hit_rate@10"), parse_measure("mrr@10"), parse_measure("recall@100")
    (Success@10, RR@10, R@100)
    """
    written_text, *more = notation.each(text)
    if not isinstance(written_text, str):
        kind = type(written_text).__name__
        raise errors.WrongTypeError(f"expected a measure in its notation, found {kind}")
    if more:
        raise errors.UnknownNameError(
            f"expected one measure, found {len(more) + 1}: {', '.join([written_text, *more])}; "
            "parse each, or give them all to lexiframe.scores, preferences or evaluate"
        )
    notation.doubt_name(written_text)
    return _parse_known(written_text)


def known_measure(name: str) -> Metric | Preference | None:
    """Return the built-in measure of a name in data; None for a user's own."""
    if notation.is_too_short(name):
        return None
    try:
        return _parse_known(name)
    except LexiframeError:
        return None


def _parse_known(text: str) -> Metric | Preference:
    if len(parts := notation.composed(text)) > 1:
        return Composition.compose([_parse_known(part) for part in parts])
    if re.fullmatch(r"OI\s*(\(.*)?", text.strip()):
        raise errors.UnknownNameError(
            f"{text!r} needs runs instead of positions: compute it with "
            "lexiframe.interleaving(runs, qrels), which returns a table of preferences"
        )
    written = notation.read(text)
    if _is_metric(written):
        return derived.parse_metric(text)
    if not _is_preference(written):
        catalogues.refuse_not_offered(text)
        known = [*PREFERENCES, *derived.metric_names(), "TSE(AP)"]
        near = [written.name, *notation.TREC_EVAL]
        rest = text.strip().removeprefix(written.name)
        suggested = partial(_suggested, rest) if written.operand is None else str
        raise unknown_name("measure", text, known, near=near, suggested=suggested)
    name = written.name
    if set(written.parameters) - {"rel"}:
        raise unknown_name("measure", text, [name, f"{name}(rel=2)", f"{name}@10"])
    preference = PREFERENCES[name]
    if written.parameters:
        preference = preference(**written.parameters)
    return preference if written.cutoff is None else preference @ written.cutoff


def _is_metric(written: notation.Written) -> bool:
    """Return whether a notation has the name of a metric."""
    return derived.is_metric(written.name) or written.name in derived.MADE_FROM_ANOTHER


def _is_preference(written: notation.Written) -> bool:
    """Return whether a notation has the name of a preference, which takes no other measure."""
    return written.name in PREFERENCES and written.operand is None


def _suggested(rest: str, name: str) -> str | None:
    """Return a known name with the text behind an unknown one; None if it cannot have that text.

    A name that is unknown itself must not be parsed: its error would suggest further ones.
    """
    for text in notation.meant(name, rest):
        try:
            written = notation.read(text)
            if _is_metric(written) or _is_preference(written):
                return str(parse_measure(text))
        except LexiframeError:
            continue
    return None
