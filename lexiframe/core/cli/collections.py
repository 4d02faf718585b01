"""Several collections on the command line: where they lie, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lexiframe.core.cli.inputs import RunsOrScores
from lexiframe.core.cli.options import INPUT, MEASURES, POLICIES, option
from lexiframe.core.io import output_files
from lexiframe.core.projection import Policies, by_collection

Rel = Annotated[
    list[str] | None,
    option(
        MEASURES,
        "The lowest relevant grade, default: above 0; for a collection NAME=GRADE, repeated.",
        metavar="GRADE",
        show_default=False,
    ),
]
NoRelevant = Annotated[
    list[str] | None,
    option(
        POLICIES,
        "Leave out requests without a relevant item, or score them 0: drop (default) or zero; for "
        "a collection NAME=HOW, repeated.",
        metavar="HOW",
        show_default=False,
        rare=True,
    ),
]
Depth = Annotated[
    list[str] | None,
    option(
        POLICIES,
        "Cut every ranking at this rank; for a collection NAME=K, repeated.",
        metavar="K",
        show_default="no cut",
        rare=True,
    ),
]
Places = Annotated[
    str | None,
    option(
        INPUT,
        "A table of several collections: collection, runs, qrels, and perhaps rel, depth, "
        "no_relevant.",
        metavar="FILE",
        show_default=False,
    ),
]
_KINDS: dict[str, Any] = {"rel": float, "no_relevant": str, "depth": int}


@dataclass(frozen=True)
class PoliciesOfEach(Policies):
    """Policies of which some hold for all collections, or for single ones by their names."""

    rel: Rel = None  # type: ignore[assignment]
    no_relevant: NoRelevant = None  # type: ignore[assignment]
    depth: Depth = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Turn ``--rel 2`` into 2, and ``--rel a=4 --rel b=3`` into ``{"a": 4, "b": 3}``."""
        for name, kind in _KINDS.items():
            value = _values(name, getattr(self, name) or [], kind)
            object.__setattr__(self, name, getattr(Policies, name) if value is None else value)
        if not any(isinstance(getattr(self, name), dict) for name in _KINDS):
            super().__post_init__()


def _values(name: str, given: Sequence[str], kind: Any) -> Any:
    pairs = [text.rpartition("=")[::2] for text in given]
    names = [collection for collection, _ in pairs]
    flag = f"--{name.replace('_', '-')}"
    if len(set(names)) < len(names) or (len(names) > 1 and "" in names):
        raise typer.BadParameter(
            f"{flag}: expected one value, or NAME=VALUE once for each collection, found "
            f"{', '.join(given)}"
        )
    try:
        values = {collection: kind(value) for collection, value in pairs}
    except ValueError:
        what = "a number" if kind is float else "a whole number"
        raise typer.BadParameter(f"{flag}: expected {what}, found {', '.join(given)}") from None
    return values.get("", values or None)


@dataclass
class RunsOrCollections(RunsOrScores):
    """Judgments and runs, or scores; or a folder or table of several collections."""

    qrels: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments: a file in any form, or - (standard input). Alone, a folder of "
            "collections: NAME/qrels* and NAME/runs. With --scores: scores.",
            default_factory=str,
            show_default=False,
        ),
    ]
    policies: PoliciesOfEach = field(default_factory=PoliciesOfEach)
    collections: Places = None

    @property
    def place(self) -> str | None:
        """The folder or table of several collections; None for one."""
        if self.collections is not None and (self.qrels or self.has_scores):
            raise typer.BadParameter(
                "--collections names runs and judgments; leave QRELS, --scores and --nuggets out"
            )
        if not self.qrels and self.collections is None:
            raise typer.BadParameter("expected QRELS, or --collections FILE, found neither")
        is_folder = output_files.found_at(self.qrels) == "a folder"
        alone = self.qrels if is_folder and not (self.runs or self.has_scores) else None
        return alone if self.collections is None else self.collections

    def policies_of_one(self) -> Policies:
        """Return the policies; raise if they are said by collection."""
        return Policies(**vars(self.policies))

    def each_collection(
        self, outputs: Sequence[Path], requests: str | None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Find the runs and judgments of each collection, and its policies."""
        given: Any = by_collection.given(self.place, None, "evaluate")
        own = given.policies_of_each(**{name: getattr(self.policies, name) for name in _KINDS})
        found = {}
        for name, (runs, qrels) in given.items():
            with by_collection.told_of(name):
                one = replace(self, qrels=str(qrels), runs=[str(runs)], collections=None)
                found[name] = one.found(outputs, requests), one.judgments()
        by_name = {o: {n: of[o] for n, of in own.items() if of.get(o) is not None} for o in _KINDS}
        return found, {**vars(self.policies), **by_name}
