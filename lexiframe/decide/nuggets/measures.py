"""The measures of answers, each with its formula, its range and its source."""

from __future__ import annotations

from lexiframe.core.metrics import Metric, metric_parameters
from lexiframe.core.metrics.catalogues import symbols
from lexiframe.decide.nuggets import nugget_metrics as of_answers
from lexiframe.decide.nuggets.nugget_metrics import NuggetMetric, PairedNuggets

_NO = metric_parameters.Flag(default=False)
_NUGGETIZER = "Pradeep et al., SIGIR 2025, arXiv:2504.15068"
_ARGUE = "Auto-ARGUE: Walden et al. 2025, arXiv:2509.26184"
_SUPPORT = "Thakur et al., SIGIR 2025, arXiv:2504.15205"
_SYMBOLS = {
    "w": "the weight of a nugget: 1; ½ for one that is okay, if weighted; 0 for it, if vital",
    "c": "the credit of a nugget: 1 stated, ½ in part, 0 not; with strict, 1 or 0",
    "a": "the support that a citation gives its sentence",
    "a_1": "the support of the first citation of a sentence, 0 without any",
    "C": "the number of citations",
    "T": "how many sentences cite, or need to and are the first with their claim",
    "N": "how many sentences cite",
    "n": "the number of sentences",
    "S": "SentenceSupport",
    "R": "NuggetRecall",
}
"""What the symbols of the formulas mean."""
_OF_PAIRS = {
    "c": "the credit of a nugget in the first answer: 1 stated, ½ in part, 0 not",
    "c′": "its credit in the second answer",
}
"""The same in preferences, of which none is strict."""

# fmt: off
NuggetRecall = NuggetMetric("NuggetRecall", of_answers.nugget_recall, "nugget_rows",
    parameters={"vital": _NO, "weighted": _NO, "strict": _NO},
    formula="Σ w c/Σ w", bounds="0 to 1", source=_NUGGETIZER)
"""How many of the nuggets of a request an answer states: the mean of their credits.
``NuggetRecall(strict)`` counts only those stated in full, ``NuggetRecall(vital)`` only vital
nuggets, and in ``NuggetRecall(weighted)`` the others weigh half. Also called all_score, All and
nugget_coverage; vital_score, strict_all_score, strict_vital_score; nugget_coverage_weighted."""

CitationSupport = NuggetMetric("CitationSupport", of_answers.citation_support, "citations", None,
    formula="#{a = 1}/C", bounds="0 to 1", source=_ARGUE)
"""The share of the citations of an answer whose document supports the sentence. Also called
citation_support."""

CitationRelevance = NuggetMetric("CitationRelevance", of_answers.citation_relevance, "citations",
    None, formula="#{relevant}/C", bounds="0 to 1", source=_ARGUE)
"""The share of the citations of an answer whose document is relevant to the request. Also called
citation_relevance."""

SentenceSupport = NuggetMetric("SentenceSupport", of_answers.sentence_support, "sentence_rows",
    formula="#{min a = 1}/T", bounds="0 to 1", source=_ARGUE)
"""The share of sentences with citations that all support them, of those that cite, or need a
citation and are the first with their claim. Also called sentence_support."""

SupportPrecision = NuggetMetric("SupportPrecision", of_answers.support_precision, "sentence_rows",
    None, formula="Σ a_1/N", bounds="0 to 1", source=_SUPPORT)
"""The mean support that the first citations of sentences give, over the sentences that cite."""

SupportRecall = NuggetMetric("SupportRecall", of_answers.support_recall, "sentence_rows",
    formula="Σ a_1/n", bounds="0 to 1", source=_SUPPORT)
"""The mean support that the first citations of sentences give, over all sentences."""

ReportF1 = NuggetMetric("ReportF1", of_answers.report_f1, "scores", parameters={"weighted": _NO},
    formula="2 S R/(S + R)", bounds="0 to 1", source=_ARGUE)
"""The harmonic mean of SentenceSupport and NuggetRecall, which is weighted in
``ReportF1(weighted)``. Also called f1 and f1_weighted."""

NuggetPreference = PairedNuggets("NuggetPreference", of_answers.weight, "pairs",
    parameters={"vital": _NO, "weighted": _NO},
    formula="Σ w sgn(c − c′)/Σ w", bounds="−1 to 1", source="lexiframe")
"""Which of two answers states more nuggets better: they are compared nugget by nugget. With credits
of 0 and 1 it is the difference of NuggetRecall; with others it tells how often one answer is the
better, not by how much."""
# fmt: on

all_score = nugget_coverage = NuggetRecall
vital_score = NuggetRecall(vital=True)
strict_all_score = NuggetRecall(strict=True)
strict_vital_score = NuggetRecall(vital=True, strict=True)
nugget_coverage_weighted = NuggetRecall(weighted=True)
citation_support, citation_relevance = CitationSupport, CitationRelevance
sentence_support, f1_weighted = SentenceSupport, ReportF1(weighted=True)

MEASURES: dict[str, Metric] = {n: m for n, m in vars().items() if isinstance(m, Metric)}
"""All of them by their names here and in nuggetizer and Auto-ARGUE."""
ALSO = {"All": NuggetRecall, "f1": ReportF1}
"""Names that are too short to mean them elsewhere."""
USUAL = (
    "NuggetRecall NuggetRecall(strict) NuggetRecall(vital) NuggetRecall(vital,strict) "
    "NuggetRecall(weighted) NuggetRecall(weighted,strict) CitationSupport CitationRelevance "
    "SentenceSupport SupportPrecision SupportRecall ReportF1 ReportF1(weighted)"
)
"""The measures that `nugget_scores` computes unless some are named."""
symbols.know({NuggetMetric.kind: _SYMBOLS, PairedNuggets.kind: _SYMBOLS | _OF_PAIRS})
NUGGETS: dict[str, Metric] = {
    name: one for name, one in vars().copy().items() if isinstance(one, Metric)
}
"""The measures, by the names that they have in Python."""
