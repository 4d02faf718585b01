"""All measures as a table: `measures`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from lexiframe.metrics.catalogue import METRICS
from lexiframe.metrics.derived import TSE, WC, eta
from lexiframe.metrics.described import Listing
from lexiframe.metrics.metric import Metric
from lexiframe.metrics.papers import RECALL_PAIRED
from lexiframe.metrics.parameters import Gains, as_parameter
from lexiframe.pairwise.catalogue import PREFERENCES

_OI = (
    "OI",
    "OI(user=dcg)",
    "interleaving",
    "−1 to 1",
    "E_c[sgn(hits(π, k_c) − hits(π′, k_c))]",
    f"{RECALL_PAIRED}; Joachims, KDD 2002, doi:10.1145/775047.775067",
    "whole rankings: lexiframe.interleaving",
)
_NAMES = ("name", "notation", "kind", "range", "formula", "source", "needs")


def measures() -> pl.DataFrame:
    """List all metrics and preferences.

    Returns
    -------
    polars.DataFrame
        It prints whole, some lines for each row. One row for each measure: ``name``; ``notation``
        (with its parameters, their defaults, and what it has behind @, ``@k`` if it can be cut off;
        all accept ``rel`` too), ``kind``, ``range`` (the least and the greatest value),
        ``formula``, ``source``, and ``needs``: what the positions have to contain for `scores` and
        `preferences`. p_i is the rank of the i-th of m relevant items, y a grade, e an exposure;
        s_i the sign of p′_i − p_i. ``help(lf.nDCG)`` explains one of them.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.measures().filter(name="RBP").select("notation", "formula").rows()
    [('RBP(p=0.8)@k', 'Σ_i (1 − γ) γ^(p_i − 1), γ = p')]
    """
    made_from_another = (TSE("AP"), eta("AP"), WC("AP"))
    rows = [*map(_row, (*METRICS.values(), *made_from_another, *PREFERENCES.values())), _OI]
    return Listing(rows, schema=_NAMES, orient="row")


def _row(measure: Any) -> tuple[str, ...]:
    said = (measure.bounds, measure.formula, measure.source, measure.needs)
    return (str(measure), _notation(measure), measure.kind, *said)


def _notation(measure: Any) -> str:
    if not isinstance(measure, Metric):
        return f"{measure}@k"
    inside = measure.operand or ", ".join(_parameters(measure))
    return measure.name + (f"({inside})" if inside else "") + measure.at


def _parameters(metric: Metric) -> Iterator[str]:
    for name, parameter in metric.parameters.items():
        if metric.at != f"@{name}":
            declared = as_parameter(parameter)
            required = "{grade: gain}" if isinstance(declared, Gains) else "..."
            yield f"{name}={required if declared.default is None else repr(declared.default)}"
