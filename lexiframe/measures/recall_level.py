"""Recall-level metrics: a sum over relevant items of exposure times weight."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures import notation

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
Exposure = Callable[..., Any]
Weight = Callable[..., Any]


@dataclass(frozen=True, eq=False, repr=False)
class Metric(ABC):
    """What every metric has: a name, parameters, a least grade and a cut-off.

    Attributes
    ----------
    name
        Its name; with parameters and cut-off, as ``str`` writes it, the ``measure`` of its rows.
    exposure
        e(p), or e(p, m): from a Polars expression of ranks to one of exposures. Only arguments
        without a default are given; keyword-only ones are parameters.
    parameters
        The parameters and their values; None for one that has to be given.
    rel
        The least grade that counts as relevant; None: as in the positions.
    cutoff
        k: positions beyond it count as not retrieved; m stays.
    formula, source, bounds
        How `measures` shows it: its formula, where that stands, and the least and greatest value.
    """

    name: str
    exposure: Exposure
    parameters: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    given: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    operand: str | None = field(default=None, kw_only=True)
    rel: float | None = field(default=None, kw_only=True)
    cutoff: int | None = field(default=None, kw_only=True)
    formula: str = field(default="", kw_only=True, compare=False)
    source: str = field(default="", kw_only=True, compare=False)
    bounds: str = field(default="", kw_only=True, compare=False)

    def __matmul__(self, cutoff: Any) -> Any:
        if not isinstance(cutoff, Integral) or cutoff < 1:
            raise LexiframeError(f"{self.name}@k: expected a whole number from 1, found {cutoff!r}")
        return replace(self, cutoff=int(cutoff))

    def __call__(self, **parameters: Any) -> Any:
        """Give the metric with other parameters: ``P(rel=2)``, ``RBP(p=0.5)``."""
        rel = notation.least_grade(self.name, parameters.pop("rel", self.rel))
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            known = ", ".join(["rel", *self.parameters])
            raise LexiframeError(
                f"{self.name} has no parameter {unknown[0]!r}; its parameters are {known}"
            )
        for name, value in parameters.items():
            if isinstance(value, str) != isinstance(self.parameters[name], str):
                kind = "a word" if isinstance(self.parameters[name], str) else "a number"
                raise LexiframeError(f"{self.name}({name}={value!r}): expected {kind}")
        return replace(self, given={**self.given, **parameters}, rel=rel)

    def __str__(self) -> str:
        shown = {k: v for k, v in self.given.items() if v != self.parameters[k]}
        shown |= {} if self.rel is None else {"rel": self.rel}
        return notation.write(self.name, self.operand, shown, self.cutoff)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(str(self))

    def _identity(self) -> tuple[Any, ...]:
        return (type(self), str(self), self.exposure)

    @abstractmethod
    def terms(self, p: pl.Expr, i: pl.Expr, m: pl.Expr, y: pl.Expr) -> pl.Expr:
        """What one relevant item adds, from its rank p, level i of m and grade y."""

    def evaluate(self, function: Callable[..., Any], *arguments: pl.Expr) -> pl.Expr:
        """Call an exposure, a weight or a gain with the arguments and parameters it takes."""
        accepted = inspect.signature(function).parameters.values()
        required = [a for a in accepted if a.kind in _POSITIONAL and a.default is a.empty]
        keyword_only = [a for a in accepted if a.kind is inspect.Parameter.KEYWORD_ONLY]
        known = {**self.parameters, **self.given, "cutoff": self.cutoff}
        keywords = {a.name: known[a.name] for a in keyword_only if a.name in known}
        for name, value in keywords.items():
            if value is None:
                how = f"{self.name}@10" if name == "cutoff" else f"{self.name}({name}=...)"
                raise LexiframeError(f"{self.name} needs its {name}: write {how}")
        result = function(*arguments[: len(required)], **keywords)
        result = result if isinstance(result, pl.Expr) else pl.lit(result)
        return result.cast(pl.Float64).fill_null(float("nan"))

    def exposures(self, p: pl.Expr, m: pl.Expr) -> pl.Expr:
        """e(p); null beyond the cut-off and for items that were not retrieved: they add nothing."""
        seen = p.is_not_null() if self.cutoff is None else p <= self.cutoff
        return pl.when(seen).then(self.evaluate(self.exposure, p, m))


@dataclass(frozen=True, eq=False, repr=False)
class RecallLevelMetric(Metric):
    """μ = Σ over recall levels i of e(p_i) · z(i, m).

    Two functions make a metric: the *exposure* of a rank and the *weight* of a recall level, both
    from Polars expressions to Polars expressions. An item that was not retrieved has exposure 0.
    ``metric @ k`` cuts it off at rank k, ``metric(rel=2)`` counts grades from 2 as relevant.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    exposure : callable
        e(p), or e(p, m).
    weight : callable
        z(i, m).

    Notes
    -----
    Diaz, Ekstrand & Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    section 4, doi:10.1145/3728373.

    Examples
    --------
    A metric of one's own appears beside the built-in ones:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> inverse_root = lf.RecallLevelMetric(
    ...     "inverse_root", exposure=lambda p: 1 / p.sqrt(), weight=lambda i, m: 1 / m
    ... )
    >>> p = lf.positions("data/example/runs/random.run", "data/example/qrels.txt")
    >>> lf.scores(p, [lf.AP, inverse_root @ 10])["measure"].unique().sort().to_list()
    ['AP', 'inverse_root@10']
    """

    weight: Weight

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.weight)

    def terms(self, p: pl.Expr, i: pl.Expr, m: pl.Expr, y: pl.Expr) -> pl.Expr:
        """e(p) · z(i, m), for one relevant item."""
        return self.exposures(p, m) * self.evaluate(self.weight, i, m)
