"""The measures beyond relevance, each with its formula, its range and its source."""

from __future__ import annotations

from lexiframe.core.metrics import Metric, metric_parameters, notation
from lexiframe.core.metrics.catalogues import papers as of
from lexiframe.core.metrics.catalogues import symbols
from lexiframe.decide.beyond import catalogue_measures as of_all
from lexiframe.decide.beyond import list_measures as of_lists
from lexiframe.decide.beyond.catalogue_measures import EXPOSURES, CatalogueMetric
from lexiframe.decide.beyond.list_measures import ListMetric

Number, Word = metric_parameters.Number, metric_parameters.Word
_SYMBOLS = {
    "list": {
        "l": "the length of the list",
        "u": "how many users had the item in training",
        "N": "the number of users",
        "d": "the distance of two items",
        "p": "the distribution of the user's history over the categories",
        "q": "the distribution of the list over the categories",
        "c": "a category",
        "i": "an item of the list",
        "j": "another item of the list",
        "b": "the list of the baseline",
        "tail": "the long tail: all items but the most popular, which hold the share head",
        "JSD": "the Jensen–Shannon divergence in bits",
        "ARP": "the mean number of users of the list's items",
        "H": "the mean number of users of the items in the user's history",
    },
    "catalogue": {
        "S": "the exposure of an item in all lists",
        "S_i": "the i-th exposure from below",
        "s": "the share of all exposure that an item has",
        "v": "the provider",
        "i": "an item",
    },
}
"""What the symbols of the formulas mean."""
_EXPOSURE = {"exposure": Word(tuple(EXPOSURES))}

# fmt: off
Novelty = ListMetric("Novelty", of_lists.novelty,
    formula="1/l Σ log2(N/max(1, u))", bounds="0 to log2 N", source=of.CASTELLS)
"""Novelty: how surprising the items of a list are, which few of the users had in training; the mean
self-information in bits."""

ILD = ListMetric("ILD", of_lists.diversity,
    parameters={"distance": Word(("cosine", "jaccard", "hamming")),
                "of": Word(("vectors", "categories"))},
    formula="2/(l(l − 1)) Σ_{i<j} d(i, j)", bounds="0 to 2", source=of.ZIEGLER)
"""Intra-list diversity: the mean distance of the items of a list, pair by pair. The distance is
1 − cos of their vectors (of their categories, where there are no vectors or ``of='categories'``),
that of their sets of categories with ``distance='jaccard'``, or the share of components that differ
with ``distance='hamming'``. Items without a vector, or categories, are left out."""

CategoryEntropy = ListMetric("CategoryEntropy", of_lists.category_entropy,
    formula="−Σ_c q(c) log2 q(c)", bounds="0 to log2 of the categories", source=of.CASTELLS)
"""How evenly a list is spread over the categories, in bits. An item of several categories spreads
its weight evenly over them."""

Miscalibration = ListMetric("Miscalibration", of_lists.miscalibration, smaller_is_better=True,
    parameters={"divergence": Word(("jsd", "kl")), "alpha": Number(0.01, above=0, below=1),
                "weight": "none"},
    formula="JSD(p, q)", bounds="0, or more", source=of.STECK)
"""How far the categories of a list are from those of what the user had: the Jensen–Shannon
divergence in bits of the two distributions, from 0 to 1, or with ``divergence='kl'`` that of
Kullback and Leibler, from 0 to log2 1/α. ``weight`` names a column of the history."""

Serendipity = ListMetric("Serendipity", of_lists.serendipity, parameters={"baseline": "popular"},
    formula="#{relevant, not among the first k of b}/k", bounds="0 to 1", source=of.GE)
"""The share of the first k ranks with a relevant item that a simple baseline does not show: the
items that most users had, or the run called ``baseline``."""

ARP = ListMetric("ARP", of_lists.mean_popularity, smaller_is_better=True,
    formula="1/l Σ u", bounds="0 to N", source=of.POPULARITY)
"""Average recommendation popularity: how many users had the items of a list, in the mean."""

PopularityLift = ListMetric("PopularityLift", of_lists.popularity_lift, smaller_is_better=True,
    formula="(ARP − H)/H", bounds="−1 to N", source=of.POPULARITY)
"""How much more popular the items of a list are than those that the user had, as a share of the
latter: 0 if they are as popular."""

APLT = ListMetric("APLT", of_lists.tail_share, parameters={"head": Number(0.8, above=0, below=1)},
    formula="#{of the tail}/l", bounds="0 to 1", source=of.TAIL)
"""The share of a list from the long tail: not of the most popular items that hold ``head`` of all
that users had."""

Coverage = CatalogueMetric("Coverage", of_all.coverage, of_all.coverage_without_each,
    takes_groups=True, formula="#{S ≠ 0}/n", bounds="0 to 1", source=of.GE)
"""The share of the catalogue that stands in any list of a run. (What is answered and judged is
counted by the function ``coverage``.)"""

Gini = CatalogueMetric("Gini", of_all.gini, of_all.gini_without_each, smaller_is_better=True,
    parameters=_EXPOSURE, formula="Σ_i (2i − n − 1) S_i/(n ΣS)", bounds="0 to 1", source=of.GINI)
"""How unevenly the lists of a run expose the items of the catalogue: 0 if all alike, 1 − 1/n if one
item has all. The exposure of a rank is 1, or that of ``dcg`` or ``geometric``."""

Entropy = CatalogueMetric("Entropy", of_all.entropy, of_all.entropy_without_each,
    parameters=_EXPOSURE, formula="−Σ s log2 s", bounds="0 to log2 n", source=of.CASTELLS)
"""How evenly the lists of a run expose the items of the catalogue, in bits."""

Exposure = CatalogueMetric("Exposure", of_all.not_shared, of_all.not_shared,
    parameters=_EXPOSURE | {"provider": "all"},
    formula="Σ_{i of v} S(i)/ΣS", bounds="0 to 1", source=of.GINI)
"""The share of all exposure that the items of a provider have. An item of several providers is
split evenly."""
# fmt: on

BEYOND: dict[str, Metric] = {m.name: m for m in [*vars().values()] if isinstance(m, Metric)}
notation.know(BEYOND)
symbols.know(_SYMBOLS)
