"""Weights of requests in words: their column, n*, the heaviest request, and the first runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed, schemas
from lexiframe.core.views.sentences.expected_ties import other_first_sentences

NOT_WEIGHED = "not weighed: each request counts once"
"""What captions of counts say where means are by weight."""
_ALL = "over all groups, "
"""What precedes the facts of weights of all requests, where tables have groups of them."""


def weights_by_collection(provenance: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the facts of weights by collection, "" without collections; none if all count alike.

    Examples
    --------
    >>> weights_by_collection({"weights": {"weights": "traffic", "are_equal": True}})
    {}
    """
    found = provenance.get("weights", {})
    of_each = found if "collections" in provenance else {"": found}
    return {name: of for name, of in of_each.items() if "n_effective" in of}


def source_of_weights(provenance: Mapping[str, Any]) -> str:
    """Return the name of the weights, which is their column; "" where all requests count alike.

    Examples
    --------
    >>> shares = {"head": 0.6, "tail": 0.2}
    >>> source_of_weights({"weights": {"strata": "segment", "shares": shares, "n_effective": 3}})
    'shares of segment (head 75 %, tail 25 %)'
    """
    each = weights_by_collection(provenance).values()
    sources = {_source_of(of) for of in each}
    if len(sources) > 1:  # collections have shares of their own
        sources = {_source_of({**of, "shares": {}}) for of in each}
    return min(sources, default="")


def _source_of(of: Mapping[str, Any]) -> str:
    """Return the column of weights, or of strata with their shares."""
    if "strata" not in of:
        named = str(escaped(of["weights"]))
        return "weight" if named in ("weights", schemas.WEIGHT) else named
    total, strata = sum(of["shares"].values()), f"shares of {escaped(of['strata'])}"
    each = (f"{escaped(str(k))} {100 * p / total:.3g} %" for k, p in of["shares"].items())
    return f"{strata} ({', '.join(each)})" if total else strata


def weight_phrase(provenance: Mapping[str, Any]) -> str:
    """Return the end of a phrase on means of requests; "" where all requests count alike.

    Examples
    --------
    >>> weight_phrase({"weights": {"weights": "traffic", "n_effective": 3}}), weight_phrase({})
    (' by traffic', '')
    """
    source = source_of_weights(provenance)
    return f" by {source}" if source else ""


def weight_notes(provenance: Mapping[str, Any]) -> Iterator[str]:
    """Yield for each collection how much the requests tell by weight, and the heaviest of them."""
    has_groups = any(name != "collection" for name in provenance.get("groups", ()))
    for name, of in weights_by_collection(provenance).items():
        yield (
            f"{_prefix_of(name)}{_ALL * has_groups}by {_source_of(of)}, "
            f"{printed.counted(of['n'], 'request')} tell as much as n* = "
            f"{printed.n_range([of['n_effective']])} that count alike; the heaviest, "
            f"{printed.shortened(escaped(of['heaviest']))}, has {printed.percent(of['share'])} of "
            "the weight"
        )


def weights_in_short(provenance: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each collection on how much the requests tell by weight."""
    said = weight_notes(provenance)
    return [
        f"{one[:1].upper() if one.startswith(('by ', _ALL)) else one[:1]}{one[1:]}." for one in said
    ]


def sentences_on_weights(
    provenance: Mapping[str, Any], means: pl.DataFrame, measure: str | None = None, **how: Any
) -> Iterator[str]:
    """Yield `weight_notes` as sentences, and then `first_by_request_sentences`."""
    yield from weights_in_short(provenance)
    yield from first_by_request_sentences(provenance, means, measure, **how)


def first_by_request_sentences(
    provenance: Mapping[str, Any],
    means: pl.DataFrame,
    measure: str | None = None,
    names: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the first runs by weight, and the other ones that equal weights would put first.

    Runs may have other ``names``.
    """
    names = names or {}
    means = means.with_columns(pl.col("run").replace(names))
    words = source_of_weights(provenance), "if all requests counted alike,"
    for name, of in weights_by_collection(provenance).items():
        of_one = means.filter(collection=name) if name else means
        first = of.get("first_by_request", {}).items()
        others = {name: [names.get(run, run) for run in runs] for name, runs in first}
        said = other_first_sentences(others, of_one, measure, words)
        yield from (f"{_prefix_of(name)}{one}" for one in said)


def _prefix_of(name: str) -> str:
    return f"{printed.shortened(escaped(name))}: " if name else ""


def star_range(table: pl.DataFrame) -> str:
    """Return the least and the greatest n* of the rows of a table as the end of a phrase.

    It is empty where a table has none.
    """
    if "n_effective" not in table.columns or not table["n_effective"].count():
        return ""
    return f", n* = {printed.n_range(table['n_effective'].drop_nulls())}"
