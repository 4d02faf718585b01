"""Types of the arguments of public functions: ``from lexiframe.typing import Frame, RunsLike``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import polars as pl


class ArrowStream(Protocol):
    """An object that exports an Arrow stream, as frames of most libraries do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the capsule that the Arrow PyCapsule interface asks for."""


class RanxTable(Protocol):
    """A ``Run`` or the ``Qrels`` of ranx."""

    def to_dict(self) -> Any:
        """Return ``{query: {document: number}}``."""


class Scan(Protocol):
    """The result of `scan_runs`: runs that are read one file at a time."""

    def load(self, index: int) -> Any:
        """Read one file into its runs."""


class Named(Protocol):
    """A metric or a preference, such as ``lf.AP`` or ``lf.RPP``."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def needs(self) -> str:
        """Which items of a ranking it looks at."""


class Evaluated(Protocol):
    """An `Evaluation`, as far as `verdict` and `simulate_collection` read it."""

    @property
    def orderings(self) -> pl.DataFrame:
        """The table of `order_runs`."""

    @property
    def means(self) -> pl.DataFrame:
        """The means of the runs."""

    @property
    def coverage(self) -> pl.DataFrame:
        """The table of `coverage`."""

    @property
    def comparisons(self) -> pl.DataFrame:
        """The table of `compare`."""

    @property
    def win_rates(self) -> pl.DataFrame:
        """The table of `win_rates`."""

    @property
    def provenance(self) -> dict[str, Any]:
        """The sources and options of the tables."""

    @property
    def collection(self) -> tuple[Any, Any]:
        """The runs and judgments, in the user's form."""


TableOf = str | Callable[[Any], Any]
"""Which table of an evaluation a function takes: its name, or a function of the evaluation."""


class HasTables(Protocol):
    """An `Evaluation`: functions of a table take it too, and use the table that they need."""

    def table_for(self, what: TableOf) -> tuple[Any, dict[str, Any]]:
        """Return the table for an annotation, and options that hold by default."""


class Told(Protocol):
    """A result that has its conclusion in sentences, such as a `JudgeComparison`."""

    @property
    def verdict(self) -> pl.DataFrame:
        """The conclusion: a frame with the column ``sentence``."""


class HasItems(Protocol):
    """The result of `read_items`: the catalogue of items."""

    @property
    def ids(self) -> pl.Series:
        """The ids of the items."""


FrameKind = Literal["polars", "pandas", "pyarrow"]
"""The library whose frames a function returns: see `lexiframe.frames`."""

Frame = ArrowStream | pl.LazyFrame
"""A table: a frame of Polars, PyArrow, pandas 2.2 or later, DuckDB, or any that exports Arrow."""

# What stands behind a type names the table of an evaluation that is meant; `typed` takes it.
PositionsTable = Annotated[Frame | HasTables, "positions"]
"""The table of `positions`, or an `Evaluation`."""

ScoresTable = Annotated[Frame | HasTables, "scores"]
"""The table of `scores`, or an `Evaluation`."""

OrderingsTable = Annotated[Frame | HasTables, "orderings"]
"""The table of `order_runs`, or an `Evaluation`."""

ComparisonsTable = Annotated[Frame | HasTables, "comparisons"]
"""The table of `compare`, or an `Evaluation`."""

RunsLike = str | Path | Frame | Scan | RanxTable | Mapping[str, Any] | Iterable[Any]
"""Runs: a path, folder, glob or address; a frame; ``{name: path or frame}``; a list of any of
these; what `scan_runs` returns; or an object of another library (see `read_runs`)."""

BaselineLike = RunsLike | None
"""Runs, or a run to compare with; None where scores stand in their place."""

QrelsLike = str | Path | Frame | RanxTable | Mapping[str, Any] | Iterable[Any]
"""Judgments: a path or address, ``"irds:NAME"``, a frame, ``{query: {document: grade}}``, or an
object of another library (see `read_qrels`)."""

JudgesLike = Mapping[str, QrelsLike]
"""Judgments of several judges by their names: ``{"nist": "qrels.txt", "llm": "llm.txt"}``."""

CollectionLike = tuple[RunsLike, QrelsLike]
"""Runs, and the judgments for them."""

ScoresLike = str | Path | Frame | Mapping[str, Any] | Iterable[Any]
"""Scores of another tool: a path, folder or glob, a frame, ``{run: path or frame}``, a list of any
of these, or an object of another library (see `read_scores`)."""

VotesLike = str | Path | Frame | Mapping[str, Any] | Iterable[Any]
"""Side-by-side judgments: a path, folder or glob, a frame, ``{judge: path or frame}``, a list of
any of these, or what `read_preferences` returns."""

TablesLike = Frame | Mapping[str, Frame]
"""A table, or several of the same kind by their names."""

ComparisonsLike = Annotated[
    Frame | HasTables | Mapping[str, Frame] | Mapping[str, HasTables], "comparisons"
]
"""A table of comparisons (see `compare`) or an evaluation, or several of them by their names."""

MeasureLike = Named | str | Callable[..., Any]
"""A metric or preference, its notation (``"nDCG@10"``, or several, ``"AP nDCG@10"``), an object of
ir_measures, or a function of one's own from positions to preferences (see `MatrixPreference`)."""

LogLike = str | Path | Frame
"""What describes runs or requests: a frame with a row for each, or the path of such a file."""

WeightsLike = Mapping[str, float] | str | None
"""Weights of requests by their ids, or the column of ``requests`` that has them."""
SharesLike = Mapping[str, float] | None
"""The parts of the traffic that strata of requests have, by their names."""
RequestsLike = str | Path | Frame | None
"""Attributes of requests: a frame with a row for each request, or the path of such a file; or None
for no groups."""
