"""Several collections on the command line: their places, and their policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from lexiframe.core.base import Problem, ReadError
from lexiframe.core.cli.inputs import RunsOrScores, flag
from lexiframe.core.io import output_files
from lexiframe.core.projection import Policies, by_collection

_KINDS: dict[str, Any] = {"rel": float, "no_relevant": str, "depth": int}


@dataclass(frozen=True)
class PoliciesOfEach(Policies):
    """Policies, some for all collections or for single ones by their names."""

    rel: list[str] | None = None  # type: ignore[assignment]
    no_relevant: list[str] | None = None  # type: ignore[assignment]
    depth: list[str] | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Turn ``--rel 2`` into 2, and ``--rel a=4 --rel b=3`` into ``{"a": 4, "b": 3}``."""
        values = {name: _values(name, getattr(self, name) or []) for name in _KINDS}
        vars(self).update(values)
        if not any(isinstance(value, dict) for value in values.values()):
            super().__post_init__()


def _values(name: str, given: Sequence[str]) -> Any:
    pairs = [text.rpartition("=")[::2] for text in given]
    try:
        values = {collection: _KINDS[name](value) for collection, value in pairs}
        if len(values) < len(pairs) or ("" in values and len(values) > 1):
            raise ValueError
    except ValueError:
        raise typer.BadParameter(
            f"{flag(name)}: expected one value, or NAME=VALUE for each collection, found "
            f"{', '.join(given)}"
        ) from None
    return values.get("", values or getattr(Policies, name))


@dataclass
class RunsOrCollections(RunsOrScores):
    """Judgments and runs, or scores; or a folder or table of several collections."""

    policies: PoliciesOfEach = field(default_factory=PoliciesOfEach)
    collections: bool = False

    @property
    def place(self) -> str | None:
        """The folder or table of several collections; None for one."""
        is_alone = not (self.runs or self.has_scores)
        if self.collections and not is_alone:
            raise typer.BadParameter(
                "--collections: the table names runs and judgments; leave out all but its name"
            )
        is_folder = is_alone and output_files.found_at(self.qrels) == "a folder"
        return self.qrels if self.collections or is_folder else None

    def each_collection(self, outputs: Sequence[Path], requests: str | None) -> by_collection.Given:
        """Find the runs and judgments of each collection, as the options of reading say."""
        place = str(self.place)
        if not output_files.found_at(place):
            expected = "a table of places (collection, runs, qrels), or a folder of collections"
            raise ReadError(Problem(place, expected, "no file", "check the name and the folder"))
        given = by_collection.given(self.place, None, "evaluate") or by_collection.Given()
        for name, (runs, qrels) in given.items():
            with by_collection.told_of(name):
                one = replace(self, qrels=str(qrels), runs=[str(runs)], collections=False)
                given[name] = one.found(outputs, requests), one.judgments()
        return given
