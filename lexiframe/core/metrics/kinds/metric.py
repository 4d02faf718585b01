"""The common parts of all metrics: a name, parameters, a least grade and a cut-off."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, errors, shown
from lexiframe.core.metrics import notation
from lexiframe.core.metrics.bounds import Bounds
from lexiframe.core.metrics.catalogues.described import Explained
from lexiframe.core.metrics.kinds.metric_parameters import (
    Parameter,
    as_parameter,
    plain,
    refuse_wrong,
)
from lexiframe.core.metrics.needed import RELEVANT
from lexiframe.core.metrics.rankings import Rankings

Aggregate = Literal["mean", "sum", "geometric mean"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """A function from a ranking to a number; the base of all kinds of metrics.

    Attributes
    ----------
    name
        Its name. ``str`` adds parameters and cut-off, which gives the ``measure`` of its rows.
    parameters, given
        Its parameters with their defaults, and the values that were given.
    operand
        The measure inside its parentheses, if it is made from another one: ``TSE(AP)``.
    rel
        The least grade that counts as relevant; None: as in the positions.
    cutoff
        k: items beyond rank k count as not retrieved, but they still count in m.
    formula, source, bounds
        What `measures` shows: the formula, where it was published, and the range of values. Within
        this range are intervals and sequential tests of an evaluation.
    aggregate
        What one number for a run is made of the values of its requests: their ``"mean"``,
        ``"sum"``, or, for logarithms, ``"geometric mean"`` (see `aggregates`).
    """

    name: str
    _: KW_ONLY
    parameters: Mapping[str, Parameter | float | str | None] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    operand: str | None = None
    rel: float | None = None
    cutoff: int | None = None
    formula: str = ""
    source: str = ""
    bounds: str = ""
    aggregate: Aggregate = "mean"

    kind: ClassVar[str] = "metric"
    needs: ClassVar[str] = RELEVANT
    smaller_is_better: ClassVar[bool] = False
    cuts_off: ClassVar[bool] = True
    of_no_relevant: ClassVar[float | None] = 0.0
    """The value for a request without a relevant item; None: what the formula gives."""
    quotes: ClassVar[bool] = True
    """Whether its notation quotes words, as that of ir_measures does."""
    is_exact: ClassVar[bool] = False
    """Whether equal values are equal to the last bit: then only equal values tie."""

    def __post_init__(self) -> None:
        notation.refuse_wrong(self.name, self.rel, self.cutoff)
        Bounds.refuse_wrong(self.name, self.bounds)

    @property
    def limits(self) -> Bounds:
        """The least and the greatest value of ``bounds``, as numbers."""
        return Bounds.parse(self.bounds)

    @property
    def at(self) -> str:
        """The cut-off or share behind @ in its notation, if there is one."""
        return "@k" if self.cuts_off else ""

    def __init_subclass__(cls) -> None:
        cls.__doc__ = Explained(cls.__doc__)  # type: ignore[assignment]

    def __matmul__(self, cutoff: Any) -> Self:
        if not self.cuts_off:
            inside = f"; write it inside: {self.name}({self.operand}@{cutoff})"
            raise LexiframeError(
                f"{self} has no cut-off, found {self}@{cutoff}{inside if self.operand else ''}"
            )
        return replace(self, cutoff=notation.rank_of_cutoff(self.name, cutoff))

    def _refuse_cutoff(self, given: Any) -> NoReturn:
        """Raise for ``P(10)``."""
        known = ", ".join(f"{name}=" for name in ("rel", *self.parameters))
        behind = f"a cut-off stands behind @: {self} @ {shown(given)}; " if self.cuts_off else ""
        raise errors.WrongTypeError(
            f"{self.name}({shown(given)}): {behind}parameters are named: {known}"
        )

    def __call__(self, *cutoff: Any, **parameters: Any) -> Self:
        """Return the metric with other parameters: ``P(rel=2)``, ``RBP(p=0.5)``."""
        if cutoff:
            self._refuse_cutoff(cutoff[0])
        rel = notation.least_grade(self.name, parameters.pop("rel", self.rel))
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            known = ", ".join(["rel", *self.parameters])
            advice = "; a cut-off stands behind @, as in AP@10" * (unknown[0] == "cutoff")
            raise LexiframeError(
                f"{self.name} has no parameter {unknown[0]!r}; its parameters are {known}{advice}"
            )
        if self.operand is not None and parameters:
            raise LexiframeError(
                f"{self}: write its parameters inside, with its measure: "
                f"{self.name}({self.operand.partition('(')[0]}({next(iter(parameters))}=...))"
            )
        for name, value in parameters.items():
            refuse_wrong(self.name, name, as_parameter(self.parameters[name]), value)
        given = {**self.given, **{name: plain(value) for name, value in parameters.items()}}
        in_order = {name: given[name] for name in self.parameters if name in given}
        return replace(self, given=in_order, rel=rel)

    def __str__(self) -> str:
        return self._notation

    __repr__ = __str__

    @cached_property
    def _notation(self) -> str:  # hashes and comparisons, of which there are many, need it
        return self._written(self.cutoff)

    def _written(self, at: float | None, but: str = "", lacking: Iterable[str] = ()) -> str:
        """Return the notation, with ``at`` behind @, and ``'...'`` for the parameters ``lacking``.

        The parameter called ``but`` is left out: it is the one that stands behind @.
        """
        said = {k: v for k, v in self.given.items() if k != but and v != self._default(k)}
        said |= {name: "..." for name in lacking if name != but}
        said |= {} if self.rel is None else {"rel": self.rel}
        return notation.write(self.name, self.operand, said, at, quoted=self.quotes)

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Metric):
            return self is other
        return str(self) == str(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(str(self))

    def _identity(self) -> tuple[Any, ...]:
        """Return the identity of a metric: kind, notation, and the fields of the kind's own.

        The notation stands for the common fields, because AP and AP(denominator="m") are one metric
        though ``given`` differs. The own fields hold functions, such as the exposure.
        """
        common = {f.name for f in fields(Metric)}
        own = (getattr(self, f.name) for f in fields(self) if f.name not in common)
        return (type(self), str(self), *own)

    def _default(self, name: str) -> Any:
        return as_parameter(self.parameters[name]).default

    @property
    def values(self) -> dict[str, Any]:
        """The parameters and their values."""
        return {name: self._default(name) for name in self.parameters} | dict(self.given)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return the value of each ranking: the sum of the contributions of its relevant items."""
        return np.bincount(rankings.relevant_rankings, self.contributions(rankings), len(rankings))

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """Return each relevant item's contribution to the value; raise if the metric is no sum."""
        raise LexiframeError(
            f"{self} is not a sum over recall levels or relevant items; ask for metrics such as AP "
            "and nDCG, or preferences such as RPP and LR"
        )

    def rank_weights(self) -> np.ndarray | None:
        """Return W of the ranks 1, 2 ... of a metric Σ W(p) g(y); None for other metrics."""
        return None

    def evaluate(self, function: Callable[..., Any], *arguments: pl.Expr) -> pl.Expr:
        """Call an exposure, a weight or a gain with the arguments and parameters that it takes.

        The function gets as many arguments as it has positional ones without a default. Its
        keyword-only arguments are parameters of the metric, or ``cutoff``; those without a default
        must have a value.
        """
        result = function(*arguments[: n_required(function)], **self.keywords(function))
        if isinstance(result, str | None):
            raise TypeError(
                f"{self}: expected a Polars expression or a number of its function "
                f"{getattr(function, '__name__', function)}, found {type(result).__name__}: "
                f"{shown(result)}"
            )
        result = result if isinstance(result, pl.Expr) else pl.lit(result)
        # a null would count as 0, as an item that was not retrieved does; `scores` refuses a NaN
        return result.cast(pl.Float64).fill_null(float("nan"))

    def keywords(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the parameters that a function takes, by keyword only; raise if one is needed."""
        self.refuse_missing(function)
        known = {**self.values, "cutoff": self.cutoff}
        return {a.name: known[a.name] for a in _keyword_only(function) if a.name in known}

    def refuse_missing(self, *functions: Callable[..., Any]) -> None:
        """Raise, naming all of them, if parameters that functions need have no value."""
        known = {**self.values, "cutoff": self.cutoff}
        taken = [argument for function in functions for argument in _keyword_only(function)]
        needed = [a.name for a in taken if a.default is a.empty]
        missing = [name for name in dict.fromkeys(needed) if known.get(name, 0) is None]
        if missing:
            named = " and its ".join(missing)
            raise LexiframeError(f"{self.name} needs its {named}: write {self._with(missing)}")

    def _with(self, missing: list[str], share: str = "cutoff", example: str = "10") -> str:
        """Return the notation with the missing parameters; ``share`` is the one behind @.

        Given parameters are kept, so that a user who follows the advice is not asked for them
        again.
        """
        at = self.cutoff if share == "cutoff" else self.values[share]
        text = self._written(at, share, missing).replace("'...'", "...")
        return text + f"@{example}" * (share in missing)


def n_required(function: Callable[..., Any]) -> int:
    """Return how many positional arguments without a default a function has."""
    accepted = _function_parameters(function)
    return sum(a.kind in _POSITIONAL and a.default is a.empty for a in accepted)


def _keyword_only(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return [a for a in _function_parameters(function) if a.kind is inspect.Parameter.KEYWORD_ONLY]


def _function_parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a function, which are looked up once if they can be kept."""
    if isinstance(function, Hashable):
        return _known_parameters(function)
    return tuple(inspect.signature(function).parameters.values())


@lru_cache(1000)
def _known_parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())
