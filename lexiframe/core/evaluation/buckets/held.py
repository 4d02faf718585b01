"""The preferences of single requests, held for tests that their sums do not suffice for: `Held`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import memory_use
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.pairwise import PairCube, arrays

_WHILE_TESTED = 5
"""How often a measure's preferences are in memory while it is tested."""
_IN_MEMORY = 2**30
"""The bytes of preferences by all measures, for weights, above which they go to disk."""


HELD = "held"
"""The folder of preferences of single requests, in that of a job."""


@dataclass(frozen=True)
class Work:
    """The folder in which a job in batches keeps its finished parts, and its limit of memory."""

    folder: Path
    memory: int
    resume: bool
    is_kept: bool = True


@dataclass
class Held:
    """The preferences of all requests, with one measure at a time in memory.

    They are held in ``folder``, a file for each part and measure, or in memory if it is None. With
    a ``baseline`` only its pairs are held. ``memory`` is how much may be taken. Once all requests
    are known, they may have ``weights``. Many go from memory to a temporary folder, which is there
    ``until_end``.
    """

    plan: Plan
    baseline: str | None = None
    folder: Path | None = None
    memory: int = 2**62
    cubes: list[PairCube] = field(default_factory=list)
    n_parts: Counter[int] = field(default_factory=Counter)
    weights: Any = None
    size: int = 0
    until_end: ExitStack = field(default_factory=ExitStack)

    def add(self, bucket: int, cube: PairCube) -> None:
        """Hold the preferences of some requests of a bucket."""
        from lexiframe.core.evaluation.buckets.codec import encoded
        from lexiframe.core.evaluation.buckets.whole_files import write_whole

        if self.baseline is not None and not self.plan.weighs:
            cube = cube.against(self.baseline)
        if self.folder is None:
            self.cubes.append(cube)
            self.size += cube.values.nbytes
            if self.plan.weighs and self.size > _IN_MEMORY:
                self._spill()
            return
        for n, measure in enumerate(self.plan.compared):
            path = self.folder / f"{bucket:06}-{self.n_parts[bucket]:06}-{n:03}.bin"
            write_whole(path, encoded(cube.select_measures([str(measure)])))
        self.n_parts[bucket] += 1

    def _spill(self) -> None:
        """Move all preferences to a temporary folder, into which further ones go, too."""
        from lexiframe.core.io import output_files

        self.folder = self.until_end.enter_context(output_files.temporary_folder())
        cubes, self.cubes = self.cubes, []
        for cube in cubes:
            self.add(0, cube)

    def by_measure(self) -> arrays.PairsByMeasure:
        """Return the preferences by each measure, in all requests, in the order of their names."""
        return arrays.PairsByMeasure(self, len(self.plan.compared))

    def __iter__(self) -> Iterator[tuple[PairCube, pl.DataFrame | None]]:
        """Yield the preferences by each measure, and the attributes of the requests in groups."""
        plan = self.plan
        for n, measure in enumerate(plan.compared):
            cubes = [cube.select_measures([str(measure)]) for cube in self.cubes]
            if self.folder is not None:
                paths = sorted(self.folder.glob(f"*-{n:03}.bin"))
                cubes = [*self._read(paths, str(measure))]
            none = plan.no_requests().select_measures([str(measure)])
            cube = PairCube.together(cubes or [none], none.measures)
            if self.weights is not None:
                cube = arrays.attach(cube, self.weights)
            yield cube, plan.attributes(cube.queries.to_list()) if plan.by else None

    def _read(self, paths: Sequence[Path], name: str) -> Iterator[PairCube]:
        """Read the preferences by a measure; raise when they do not fit in memory."""
        from lexiframe.core.evaluation.buckets.codec import decoded

        size = sum(path.stat().st_size for path in paths) * _WHILE_TESTED
        advice = (
            "allow more memory, compare with one run alone (baseline), or take the tests t and "
            "sign, for which sums over the requests suffice"
        )
        what = f"compare: the preferences by {name} in all requests"
        if self.plan.weighs:
            what = what.replace("compare", "weights")
            advice = (
                "allow more memory, or evaluate without weights, for which sums over parts of the "
                "requests suffice"
            )
        memory_use.refuse_more_than_available(size, what, advice, self.memory)
        for path in paths:
            yield decoded(path.read_bytes(), (PairCube, arrays.ScoreCube))
