"""The explanation of a measure for ``help``: description, formula, parameters, range, source."""

from __future__ import annotations

import ast
import inspect
import itertools
import sys
import textwrap
from typing import Any

from lexiframe.core.metrics.kinds.metric_parameters import Gains, Parameter, as_parameter

_CATALOGUES = (
    "core.metrics.catalogues.ranked",
    "connect.measures.sets",
    "connect.measures.user_models",
    "core.metrics.catalogues.subtopics",
    "decide.beyond.measures",
    "decide.nuggets.measures",
    "core.pairwise.preference_entries",
)


def explanation(measure: Any) -> str:
    """Return the explanation of a measure: its description, formula, parameters, range and source.

    Examples
    --------
    >>> import lexiframe as lf
    >>> print(explanation(lf.ERR))
    ERR
    <BLANKLINE>
    Expected reciprocal rank: the mean of 1 divided by the rank at which a user stops, who is
    satisfied by a document the likelier the higher its grade. ``max`` is the greatest grade of the
    scale, 4 as in gdeval.
    <BLANKLINE>
    Formula: Σ_i 1/p_i · R_i Π_{j<i} (1 − R_j), R = (2^y − 1)/2^max
        p_i: the rank of the i-th relevant item
        R_i, R_j, R: the probability that a document of grade y satisfies the user
        y: the grade of an item
        max: the greatest grade of the scale
    Kind: cascade metric
    Range: 0 to 1
    Needs of the positions: relevant items
    Source: Chapelle et al., CIKM 2009, doi:10.1145/1645953.1646033
    <BLANKLINE>
    Parameters, as in ERR(max=4, rel=2) @ 10
    ----------
    max : a number above 0 and below 1024 (default: 4)
    rel : the least grade that is relevant (default: as in the positions)
    @ k : only the first k ranks count (default: all)
    """
    kind = measure.kind if measure.kind.endswith("preference") else f"{measure.kind} metric"
    from lexiframe.core.metrics.catalogues.symbols import explained as symbols_of

    explained = symbols_of(measure.name, measure.kind, measure.formula)
    meant: dict[str, list[str]] = {}
    for symbol, meaning in explained.items():
        meant.setdefault(meaning, []).append(symbol)
    symbols = [f"\n    {', '.join(names)}: {meaning}" for meaning, names in meant.items()]
    facts = {
        "Formula": measure.formula and measure.formula + "".join(symbols),
        "Kind": kind,
        "Range": measure.bounds,
        "Needs of the positions": measure.needs,
        "Source": measure.source,
    }
    said = [f"{label}: {fact}" for label, fact in facts.items() if fact]
    parts = [str(measure), _description(measure.name), "\n".join(said)]
    if not hasattr(measure, "components"):  # which have their parameters themselves
        parts.append("\n".join(_parameter_lines(measure)))
    return "\n\n".join(part for part in parts if part)


def _parameter_lines(measure: Any) -> list[str]:
    operand = getattr(measure, "operand", None)
    given = {} if operand else getattr(measure, "parameters", {})  # else they are the operand's
    declared = {k: as_parameter(v) for k, v in given.items()}
    cuts_off = getattr(measure, "cuts_off", True)
    defaults = {k: p.default for k, p in declared.items()}
    shown = [f"{k}={v!r}" for k, v in defaults.items() if v is not None]
    shown = [operand, *shown] if operand else shown
    of_grades = not hasattr(measure, "elsewhere")
    example = f"{measure.name}({', '.join([*shown, *['rel=2'] * of_grades])})" + " @ 10" * cuts_off
    lines = [
        f"{name} : {parameter} ({_default(parameter)})" for name, parameter in declared.items()
    ]
    lines += ["rel : the least grade that is relevant (default: as in the positions)"] * of_grades
    lines += ["@ k : only the first k ranks count (default: all)"] * cuts_off
    return [f"Parameters, as in {example}", "-" * 10, *lines]


def _default(parameter: Parameter) -> str:
    if isinstance(parameter, Gains):
        return "default: each grade is its own gain"
    value = parameter.default
    return "has to be given" if value is None else f"default: {value!r}"


_OF_ORDERS = {
    "rank": "The place of a ranking among those of all runs for its request, as {} orders them: "
    "the worst has 1, and equal rankings share a place.",
    "metric": "Metric lexirecall: a number that orders rankings as {} does, a sum of ranks in "
    "which each relevant item weighs more than all before it.",
}
"""What the metrics are that are made from an order of rankings."""


def _description(name: str) -> str:
    """Return the text that stands behind the entry of a measure in a catalogue, or nothing."""
    order, _, made = name.partition(".")
    if made in _OF_ORDERS:
        return textwrap.fill(_OF_ORDERS[made].format(order), 99)
    for module in (sys.modules.get(f"lexiframe.{part}") for part in _CATALOGUES):
        for constant, text in _texts(module).items() if module else ():
            if getattr(getattr(module, constant, None), "name", None) == name:
                return inspect.cleandoc(text)
    maker = getattr(sys.modules.get("lexiframe.core.metrics.kinds.derived"), name, None)
    return (inspect.getdoc(maker) or "").partition("\n\nParameters\n")[0] if maker else ""


def _texts(module: Any) -> dict[str, str]:
    """Return the text behind each assignment of a module, which Python itself does not keep."""
    try:
        body = ast.parse(inspect.getsource(module)).body
    except OSError:  # installed without its source
        return {}
    return {
        entry.targets[0].id: text.value.value
        for entry, text in itertools.pairwise(body)
        if isinstance(entry, ast.Assign) and isinstance(entry.targets[0], ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(text.value.value, str)
    }
