"""All measures as a table, and where libraries differ: `measures` and `conventions`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from lexiframe.core.base import typed
from lexiframe.core.metrics import Metric, catalogues, derived, metric_parameters, notation
from lexiframe.core.pairwise.composition import Composition
from lexiframe.core.pairwise.preference_entries import PREFERENCES, parse_measure
from lexiframe.typing import MeasureLike

_OI = (
    "OI",
    "OI(user=dcg)",
    "interleaving",
    "−1 to 1",
    "E_c[sgn(hits(π, k_c) − hits(π′, k_c))]",
    f"{catalogues.RECALL_PAIRED}; Joachims, KDD 2002, doi:10.1145/775047.775067",
    "runs and judgments: lexiframe.interleaving",
)
_COMPOSED = "RR>AP"
"""The composition that stands for all of them."""
_NAMES = ("name", "notation", "kind", "range", "formula", "source", "needs")


@typed
def measures(measure: MeasureLike | None = None) -> pl.DataFrame:
    """List all metrics and preferences, or one of them.

    Parameters
    ----------
    measure
        A measure whose row is wanted, or its name in any library: ``"nDCG"``, ``"ndcg_cut_10"``.
        Default: all.

    Returns
    -------
    polars.DataFrame
        It prints whole, some lines for each row. One row for each measure: ``name``; ``notation``
        (with its parameters, their defaults, and what it has behind @, ``@k`` if it can be cut off;
        all accept ``rel`` too), ``kind``, ``range`` (the least and the greatest value),
        ``formula``, ``source``, and ``needs``: what the positions have to contain for `scores` and
        `preferences`. p_i is the rank of the i-th of m relevant items, y a grade, e an exposure;
        s_i the sign of p′_i − p_i. ``help(lf.nDCG)`` explains one of them.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.measures("RBP").select("notation", "formula").rows()
    [('RBP(p=0.8)@k', 'Σ_i (1 − γ) γ^(p_i − 1), γ = p')]
    """
    made_from_another = (derived.TSE("AP"), derived.eta("AP"), derived.WC("AP"), derived.NCP("RPP"))
    every = (*derived.every_metric(), *derived.metrics_of_items())
    rows = [
        *map(
            _listing_row,
            (*every, *made_from_another, *PREFERENCES.values()),
        ),
        _composition_row(),
        _OI,
    ]
    if measure is not None:
        name = _listed_name(measure)
        rows = [row for row in rows if row[0] == name or row[0].startswith(f"{name}(")]
    return catalogues.Listing(rows, schema=_NAMES, orient="row")


@typed
def conventions(measure: MeasureLike | None = None) -> pl.DataFrame:
    """List where this library and others define a measure differently.

    Parameters
    ----------
    measure
        A measure whose rows are wanted, with those of all measures, or its name in any library:
        ``"ERR"``, ``"map@10"``. Default: all rows.

    Returns
    -------
    polars.DataFrame
        It prints whole, some lines for each row. Key ``measure, choice``: what can be chosen;
        ``lexiframe``: the choice of this library; ``other``: how to get another choice here;
        ``trec_eval`` (10), ``ir_measures`` (0.4),
        ``ranx`` (0.3), ``LensKit`` (2025), ``RecTools``, ``RePlay`` and ``RecBole``: the choices of
        other libraries (– where a library lacks the measure); ``elsewhere``: that of others, which
        it names. BEIR calls trec_eval. m is the number
        of relevant items, N the number of judged non-relevant items, ñ the number of documents
        retrieved.

    Raises
    ------
    UnknownNameError
        With near matches, for a measure that does not exist.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.conventions("R").filter(measure="R@k").select("lexiframe", "LensKit").rows()
    [('m', 'min(m, k)')]
    """
    table = catalogues.all_conventions()
    if measure is None:
        return table
    names = pl.col("measure").str.split(", ").list.eval(pl.element().str.strip_suffix("@k"))
    is_of_it = names.list.contains(_listed_name(measure)) | (pl.col("measure") == "all")
    return catalogues.Listing(table.filter(is_of_it))


def _listed_name(measure: MeasureLike) -> str:
    """Return the name under which a measure is listed; raise if it does not exist."""
    if isinstance(measure, Composition) or (isinstance(measure, str) and measure == "lex"):
        return _COMPOSED
    if not isinstance(measure, str):
        return str(getattr(measure, "name", None) or parse_measure(measure).name)
    if measure in (*derived.MADE_FROM_ANOTHER, _OI[0]):
        return measure
    differs = notation.SEVERAL_HERE.get(measure.partition("@")[0].casefold())
    if differs is not None:
        return differs
    parsed = parse_measure(measure)
    return _COMPOSED if isinstance(parsed, Composition) else parsed.name


def _composition_row() -> tuple[str, ...]:
    one = parse_measure(_COMPOSED)
    written = f"{_COMPOSED}, lex(RR,AP)"
    return (_COMPOSED, written, one.kind, one.bounds, one.formula, one.source, "as its measures")


def _listing_row(measure: Any) -> tuple[str, ...]:
    said = (measure.bounds, measure.formula, measure.source, measure.needs)
    return (str(measure), _notation(measure), measure.kind, *said)


def _notation(measure: Any) -> str:
    if not isinstance(measure, Metric):
        return f"{measure}@k"
    inside = measure.operand or ", ".join(_parameter_names(measure))
    return measure.name + (f"({inside})" if inside else "") + measure.at


def _parameter_names(metric: Metric) -> Iterator[str]:
    for name, parameter in metric.parameters.items():
        if metric.at != f"@{name}":
            declared = metric_parameters.as_parameter(parameter)
            required = "{grade: gain}" if isinstance(declared, metric_parameters.Gains) else "..."
            yield f"{name}={required if declared.default is None else repr(declared.default)}"
