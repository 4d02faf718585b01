"""Compositions of measures: one decides, and where it ties the next one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise.arrays.arrays import PairCube
from lexiframe.core.pairwise.preference import Measure, Preference
from lexiframe.core.projection import blocks


@dataclass(frozen=True, repr=False)
class Composition(Preference):
    """Δ = the sign of the first of several measures that does not tie: ``RR>AP``.

    `lex` makes one. ``components`` has the metrics and preferences in their order, and the name is
    their notation.
    """

    components: tuple[Measure, ...]

    kind: ClassVar[str] = "composed preference"

    @classmethod
    def compose(cls, components: Sequence[Measure]) -> Composition:
        """Return the composition of some measures; compositions among them give components."""
        flat = [part for one in components for part in getattr(one, "components", (one,))]
        if len(flat) < 2:
            raise LexiframeError(
                f"lex: expected two measures or more, the first to decide first, found {len(flat)}"
            )
        if odd := [part for part in flat if ">" in str(part)]:
            raise LexiframeError(f"lex: expected names without '>', found {odd[0]}; rename it")
        name, formula = ">".join(map(str, flat)), "sgn Δ_k, k the smallest with Δ_k ≠ 0"
        return cls(name, tuple(flat), formula=formula, bounds="−1, 0, 1", source="lexiframe")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None or self.cutoff is not None:
            raise LexiframeError(
                f"{self}: expected a composition without rel and cut-off; give them to its "
                f"measures, as in {self.components[0].name}(rel=2)@10>..."
            )

    @property
    def needs(self) -> str:
        """The data that a component needs beside relevant items; where several do, the rarest."""
        needs = {part.needs for part in self.components}
        rare = (needed.ITEMS, needed.SUBTOPICS, *sorted(needs - {needed.RELEVANT}))
        return next((one for one in rare if one in needs), needed.RELEVANT)

    def compute(
        self, block: blocks.Block, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """Raise: scores of metrics are not in a block, so `composed` takes computed preferences."""
        raise LexiframeError(f"{self}: blocks have no scores; `composed` takes Δ of each measure")


def decided(deltas: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return Δ of a composition, and the place of the component that decides, 0 where all tie.

    ``deltas`` are the preferences by each component, in arrays of one shape. A component without a
    value (NaN) ties; Δ is NaN where no component has one.
    """
    delta, place = np.full(deltas[0].shape, np.nan), np.zeros(deltas[0].shape, np.int16)
    for n, of_component in enumerate(deltas, 1):
        is_open = (place == 0) & ~np.isnan(of_component)
        sign = np.sign(of_component[is_open])
        delta[is_open] = sign
        place[is_open] = np.where(sign == 0, 0, n)
    return delta, place


def composed(cube: PairCube, measures: Sequence[Measure]) -> PairCube:
    """Return the preferences by some measures, from a cube of measures and components.

    Compositions that the cube has already stay as they are.
    """
    if not any(isinstance(measure, Composition) for measure in measures):
        return cube
    names = sorted(map(str, measures))
    metrics = cube.scores.select_measures(names)
    if not len(cube.a):
        return replace(cube, scores=metrics)
    asked = {str(measure): measure for measure in measures}
    found = dict(zip(cube.measures, cube.values, strict=True))
    values = np.full((len(names), *cube.values.shape[1:]), np.nan)
    for n, name in enumerate(names):
        parts = [found[part] for part in map(str, components_of(asked[name])) if part in found]
        if name in found:
            values[n] = found[name]
        elif parts:
            values[n] = decided(parts)[0]
    measured = pl.Series(names, dtype=pl.String)
    return replace(cube, measures=measured, values=values, scores=metrics)


def composed_rows(
    names: Sequence[str], deltas: np.ndarray, levels: np.ndarray | None, measures: Sequence[Measure]
) -> tuple[np.ndarray, np.ndarray | None, pl.Series | None]:
    """Return Δ by some measures, the levels that decide, and the components that decide, by cell.

    ``deltas`` and ``levels`` are requests × pairs × components, of which ``names`` are the names.
    Components are null for a tie and for other measures, and None where no levels are asked for.
    """
    shape = (*deltas.shape[:2], len(measures))
    found, code = np.empty(shape), np.zeros(shape, np.uint32)
    level = None if levels is None else np.zeros(shape, np.int64)
    for n, measure in enumerate(measures):
        at = [names.index(str(part)) for part in components_of(measure)]
        found[:, :, n], place = deltas[:, :, at[0]], np.ones(shape[:2], np.int16)
        if isinstance(measure, Composition):
            found[:, :, n], place = decided([deltas[:, :, k] for k in at])
            code[:, :, n] = np.array([0, *(k + 1 for k in at)], np.uint32)[place]
        if level is not None and levels is not None:
            of_place = levels[:, :, at]
            chosen = np.maximum(place.astype(np.int64) - 1, 0)[:, :, None]
            level[:, :, n] = np.take_along_axis(of_place, chosen, 2)[:, :, 0] * (place > 0)
    labels = pl.Series([None, *names], dtype=pl.String)
    return found, level, None if level is None else labels.gather(code.ravel())


def computed_first(measures: Sequence[Measure]) -> list[Measure]:
    """Return measures, with the components of compositions by lists of items in place of these."""
    found = ([m] if m.needs != needed.ITEMS else components_of(m) for m in measures)
    return [*dict.fromkeys(part for parts in found for part in parts)]


def components_of(measure: Measure) -> Sequence[Measure]:
    """Return the components of a composition, and any other measure alone."""
    return tuple(needed.parts_of([measure]))
