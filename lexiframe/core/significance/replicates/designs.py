"""How replicates of runs were made: the designs, as sources of variance and their mean squares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, to_polars
from lexiframe.core.base.feature import Replication

Replicates = Literal["run", "request", "cell", "both"]
"""What a replicate belongs to: each run's own seeds, each request's own samples, each cell's own
repetitions, or seeds that all runs and requests share."""
Seeds = Literal["unrelated", "paired"]
"""Whether the seeds of two runs have anything to do with one another."""


@dataclass(frozen=True)
class Design:
    """The sources of variance of a design.

    Attributes
    ----------
    sources
        From each source to the axes (0 run, 1 request, 2 replicate) that tell its effects apart.
        A replicate that is nested in runs is told apart by run and replicate, so that its effects
        include those of run × replicate.
    """

    sources: Mapping[str, tuple[int, ...]]

    def repeats(self, source: str, shape: tuple[int, int, int]) -> int:
        """Return how many values of a table of this shape share an effect of a source."""
        return math.prod(n for axis, n in enumerate(shape) if axis not in self.sources[source])

    def further(self, source: str) -> list[str]:
        """Return the sources whose effects a source tells apart further."""
        axes = set(self.sources[source])
        return [one for one, others in self.sources.items() if axes < set(others)]


CELL = "run × request"
_OF_CELLS = {"run": (0,), "request": (1,), CELL: (0, 1)}
_RESIDUAL = {"residual": (0, 1, 2)}
DESIGNS = {
    "run": Design({**_OF_CELLS, "replicate": (0, 2), **_RESIDUAL}),
    "request": Design({**_OF_CELLS, "replicate": (1, 2), **_RESIDUAL}),
    "cell": Design({**_OF_CELLS, **_RESIDUAL}),
    "both": Design({
        **_OF_CELLS, "replicate": (2,), "run × replicate": (0, 2), "request × replicate": (1, 2),
        **_RESIDUAL,
    }),
}  # fmt: skip
ONE = Design({"run": (0,), "request": (1,), "residual": (0, 1, 2)})
"""The design of one replicate, in which run × request and the residual are one source."""


def mean_squares(x: np.ndarray, design: Design) -> dict[str, tuple[float, int]]:
    """Return the mean square and the degrees of freedom of each source.

    ``x`` is runs × requests × replicates, without gaps. The effects of a source are the means over
    the axes that it lacks, minus the effects of all sources within its axes, and the grand mean.

    Examples
    --------
    >>> x = np.array([[[1.0, 2.0], [3.0, 5.0]], [[2.0, 2.0], [6.0, 4.0]]])
    >>> {k: (round(v, 4), df) for k, (v, df) in mean_squares(x, DESIGNS["cell"]).items()}
    {'run': (1.125, 1), 'request': (15.125, 1), 'run × request': (0.125, 1), 'residual': (1.125, 4)}
    """
    effects: dict[tuple[int, ...], np.ndarray] = {(): np.asarray(x.mean(keepdims=True))}
    freedom: dict[tuple[int, ...], int] = {(): 1}
    found = {}
    for source, axes in design.sources.items():
        others = tuple(axis for axis in range(3) if axis not in axes)
        below = [one for one in effects if set(one) < set(axes)]
        effect = x.mean(axis=others, keepdims=True) - sum(effects[one] for one in below)
        df = math.prod(x.shape[axis] for axis in axes) - sum(freedom[one] for one in below)
        effects[axes], freedom[axes] = np.asarray(effect), df
        repeats = design.repeats(source, _shape(x))
        found[source] = (repeats * float((effect**2).sum()) / df if df else math.nan), df
    return found


def components(x: np.ndarray, design: Design) -> dict[str, float]:
    """Return the variance of each source by its mean square: unbiased, and possibly below 0.

    The expected mean square of a source is Σ n σ² over the sources that distinguish its effects, or
    finer ones; n is the number of values that share such an effect. The equations are solved from
    the residual upwards. A source without degrees of freedom is NaN.
    """
    squares, variances = mean_squares(x, design), dict[str, float]()
    for source in reversed([*design.sources]):
        further = design.further(source)
        noise = sum(design.repeats(one, _shape(x)) * variances[one] for one in further)
        variances[source] = (squares[source][0] - noise) / design.repeats(source, _shape(x))
    return {source: variances[source] for source in design.sources}


def _shape(x: np.ndarray) -> tuple[int, int, int]:
    runs, requests, replicates = x.shape
    return runs, requests, replicates


def average_replicates(called: str, d: Any, replicates: Replicates | None, tests: list[Any]) -> Any:
    """Return scores with the means of replicates, unless the replicates are seeds.

    Raise unless the design is stated where there are replicates, and the test knows it.
    """
    table = to_polars(d) if isinstance(d, pl.LazyFrame) else d
    if replicates is None and hasattr(table, "columns"):
        refuse_unstated(called, table.columns)
    if replicates in ("run", "both") and tests != ["t"]:
        raise LexiframeError(
            f"{called}: expected test='t' with replicates={replicates!r}, found "
            f"{', '.join(map(str, tests))}: only t knows that runs trained anew would differ"
        )
    if replicates not in ("request", "cell"):
        return table
    return features.needed(Replication, called).mean_of_replicates(called, table)


def refuse_unstated(called: str, columns: Iterable[str]) -> None:
    """Raise for a table with replicates whose kind is unspecified."""
    if "replicate" in columns:
        raise LexiframeError(
            f"{called}: the table has replicates, and what they are is unspecified; say "
            "replicates='run' (each run's own seeds), 'request' (samples of each request's data, "
            "the same for all runs), 'cell' (repetitions of each run and request) or 'both' (seeds "
            "that all runs share)"
        )
