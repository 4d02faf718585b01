"""What a reader may do with any file whatever: give a table that obeys its schema, or one error.

`check_outcome` is what the fuzzer (readers.py) and the tests of this folder have in common.
"""

import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

import lexiframe as lf
from lexiframe.core.base.schemas import POSITIONS, PROBLEMS, QRELS, RUNS, SCORES
from lexiframe.decide.leaderboards.schemas import COLLECTION_SCORES

SECONDS = 20  # for one file of a few kilobytes, on a busy machine
JUDGED = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "7", "007", "é"],
        "doc_id": ["d1", "d2", "d1", "d1", "d1", "д"],
        "relevance": [1.0, 2.0, 0.0, 1.0, -1.0, 1.5],
    }
)
# Errors of runs and judgments together, which are about no single file.
OF_BOTH = ("runs and qrels have no query in common", "runs: expected at least one run")

COLUMNS = [None, None, {"doc_id": "item"}, {"query_id": "a", "doc_id": "b"}, {"qid": "query_id"}]


TEXT = ("columns", "header", "decimal")
TAKEN = {
    "read_runs": (*TEXT, "third", "name_from"),
    "positions": (*TEXT, "third", "name_from"),
    "check_run": (*TEXT, "third"),
    "read_qrels": TEXT,
    "check_qrels": TEXT,
    "read_scores": ("third", "name_from"),  # which choose its own: a measure, a run
    "read_log": (),
    "run_metadata": (),
}
"""What each reader can be told."""


@dataclass(frozen=True)
class Choices:
    """A reader and what it is told, as two bytes choose them."""

    reader: str
    third: str | None = None
    header: bool = False
    decimal: str = "."
    columns: dict[str, str] | None = None
    name_from: str = "file"

    @classmethod
    def of(cls, first: int, second: int) -> "Choices":
        """Give what two bytes choose; 0 for the second says nothing."""
        return cls(
            list(READERS)[first % len(READERS)],
            third=(None, None, "rank", "score")[second & 3],
            header=bool(second & 4),
            decimal="," if second & 8 else ".",
            columns=COLUMNS[(second >> 4) % len(COLUMNS)],
            name_from=("file", "tag")[second >> 7],
        )

    def said(self) -> dict[str, Any]:
        """Return the arguments that the reader takes."""
        return {name: getattr(self, name) for name in TAKEN[self.reader]}


# --- Tables -------------------------------------------------------------------------------------


def check_table(table, schema):
    """Check columns, types and keys; what may be null is null together."""
    if isinstance(table, pa.Table):
        table.validate(full=True)
        table = pl.DataFrame(table)
    needed = [name for name in schema.columns if name not in schema.optional]
    assert set(needed) <= set(table.columns) <= set(schema.columns), table.columns
    for name in table.columns:
        column = table[name]
        assert column.dtype == schema.columns[name], f"{name}: {column.dtype}"
        if column.dtype == pl.String:
            column.to_list()  # raises when it is no UTF-8
        if name in schema.key and name not in schema.nullable:
            assert not column.null_count(), f"{name} is null"
        if name in schema.key and column.dtype == pl.String and schema is not PROBLEMS:
            assert not (column == "").any(), f"{name} is empty"
        if column.dtype == pl.Float64:
            assert not column.is_nan().any(), f"{name} is NaN"
    return table


def check_runs(table):
    table = check_table(table, RUNS)
    empty = table["doc_id"].is_null()
    assert (table["score"].is_null() == empty).all()
    if "rank" in table.columns:
        assert (table["rank"].is_null() == empty).all()
    return table


def check_problems(table, path):
    table = check_table(table, PROBLEMS)
    assert set(table["file"]) <= {str(path)}
    assert (
        not table.select("problem", "expected", "found", "advice").null_count().sum_horizontal()[0]
    )
    texts = pl.concat([table[name] for name in ("expected", "found", "advice")])
    assert all(len(text.splitlines()) <= 1 for text in texts), table.rows()
    return table


# --- Readers ------------------------------------------------------------------------------------


def read_runs(path, choices):
    return check_runs(lf.read_runs(path, **choices.said()))


def read_qrels(path, choices):
    table = check_table(lf.read_qrels(path, **choices.said()), QRELS)
    assert "iteration" in table.columns
    assert not table.select(QRELS.key).is_duplicated().any()


def positions_of_runs(path, choices):
    scan = lf.scan_runs(path, **choices.said())
    for index in range(len(scan)):
        for part in scan.load(index, rank=True):
            check_runs_of(part)
    policy = "best" if choices.name_from == "file" else "error"
    check_positions(lf.positions(scan, JUDGED, duplicates=policy))
    check_runs(lf.read_runs(lf.read_runs(path, **choices.said())))


def check_runs_of(part):
    rows = part.rows.with_columns(run=pl.lit(part.name))
    check_table(rows, RUNS)
    assert not rows["doc_id"].null_count()
    assert not rows["score"].null_count()
    assert all(part.empty)


def check_positions(table):
    check_table(table, POSITIONS)
    assert not table.select(POSITIONS.key).is_duplicated().any()


DOUBTS = {"doubt", "one score", "ranks", "ties"}
"""The problems of files that can be read, but are probably not what they seem to be."""


def check_run(path, choices):
    """All problems at once are none exactly when the file can be read.

    But for bytes that are no UTF-8 in fields that are not needed, and for what is doubted.
    """
    problems = check_problems(lf.check_run(path, **choices.said()), path)
    can = can_read(lf.read_runs, path, choices.said())
    known = {"duplicate", "encoding", *DOUBTS} if can else {"duplicate"}
    assert can == (set(problems["problem"]) <= known), (can, problems.rows())


def check_qrels(path, choices):
    problems = check_problems(lf.check_qrels(path, **choices.said()), path)
    can = can_read(lf.read_qrels, path, choices.said())
    known = {"encoding", *DOUBTS} if can else set()
    assert can == (set(problems["problem"]) <= known), (can, problems.rows())


def can_read(read, path, options):
    try:
        read(path, **options)
    except lf.LexiframeError:
        return False
    return True


def read_scores(path, choices):
    measure = "AP" if choices.third == "rank" else None
    run = "mine" if choices.name_from == "tag" else None
    table = lf.read_scores(path, measure=measure, run=run)
    if "collection" in table.columns:  # a table for `leaderboard`, perhaps with measures
        assert {*COLLECTION_SCORES.columns} <= {*table.columns}
        return
    assert not check_table(table, SCORES).select(SCORES.key).is_duplicated().any()


def read_log(path, choices):
    table = lf.read_log(path)
    assert isinstance(table, pl.DataFrame)
    table.rows()


def run_metadata(path, choices):
    table = lf.run_metadata(path)
    assert table.columns[0] == "run"
    assert table["run"].is_sorted()
    assert not table["run"].has_nulls()
    table.rows()


READERS = {
    "read_runs": read_runs,
    "read_qrels": read_qrels,
    "positions": positions_of_runs,
    "check_run": check_run,
    "check_qrels": check_qrels,
    "read_scores": read_scores,
    "read_log": read_log,
    "run_metadata": run_metadata,
}


# --- The outcome --------------------------------------------------------------------------------


@contextmanager
def only_our_errors(*names):
    """Let pass a LexiframeError that names the file in one line, and its warnings; nothing else."""
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", lf.LexiframeWarning)
        try:
            yield
        except lf.LexiframeError as error:
            message = str(error)
            assert len(message.splitlines()) == 1, message
            assert any(n in message for n in names) or message.startswith(OF_BOTH), message
    seconds = time.monotonic() - start
    assert seconds < SECONDS, f"{seconds:.0f} seconds"


def check_outcome(path, choices):
    """Read a file; raise for any end but a table or a LexiframeError that names the file."""
    with only_our_errors(str(path), f"run {path.stem!r}"):
        READERS[choices.reader](path, choices)
