"""The common parts of the three kinds of preferences: a name, a least grade, their display."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from lexiframe.core.metrics import Bounds, Metric, catalogues, needed, notation
from lexiframe.core.projection import blocks


@dataclass(frozen=True, repr=False)
class Preference(ABC):
    """A rule that compares two rankings of one request.

    Attributes
    ----------
    name
        Its name; with ``rel`` and cut-off, as ``str`` writes it, the ``measure`` of its rows.
    rel
        The least grade that counts as relevant; None: as in the positions.
    cutoff
        k: items beyond rank k count as not retrieved, but they still count in m.
    formula, source, bounds
        What `measures` shows: the formula, where it was published, and the range of values. They
        are left out when preferences are compared for equality.
    """

    name: str
    _: KW_ONLY
    rel: float | None = None
    cutoff: int | None = None
    formula: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    bounds: str = field(default="", compare=False)

    kind: ClassVar[str] = "preference"

    def __post_init__(self) -> None:
        notation.refuse_wrong(self.name, self.rel, self.cutoff)
        Bounds.refuse_wrong(self.name, self.bounds)

    def __init_subclass__(cls) -> None:
        cls.__doc__ = catalogues.Explained(cls.__doc__)  # type: ignore[assignment]

    def __call__(self, *, rel: float) -> Self:
        """Return the preference that counts only grades of ``rel`` or more as relevant."""
        return replace(self, rel=notation.least_grade(self.name, rel))

    def __matmul__(self, cutoff: Any) -> Self:
        """Return the preference that looks at the first k ranks only: ``RPP @ 10``."""
        return replace(self, cutoff=notation.rank_of_cutoff(self.name, cutoff))

    def __str__(self) -> str:
        return self._notation

    @cached_property
    def _notation(self) -> str:
        rel = {} if self.rel is None else {"rel": self.rel}
        return notation.write(self.name, None, rel, self.cutoff)

    __repr__ = __str__

    @property
    def limits(self) -> Bounds:
        """The least and the greatest value of ``bounds``, as numbers."""
        return Bounds.parse(self.bounds)

    @property
    def needs(self) -> str:
        """The data that the positions have to contain."""
        return needed.RELEVANT

    @abstractmethod
    def compute(
        self, block: blocks.Block, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """Return Δ of each pair of runs: pairs × requests.

        ``known`` is a cache that the calls for several blocks may share.
        """


Measure = Metric | Preference
"""What two rankings can be compared by."""
