"""The columns, types and row key of every table, and the check that a frame fits its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from threading import RLock
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.codes import categories_of
from lexiframe.errors import Problem, SchemaError, first_three, in_one_line

STR, INT, FLOAT, BOOL = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
IDS = ("query_id", "doc_id")
"""The id columns that both runs and judgments have."""


@dataclass(frozen=True)
class TableSchema:
    """One table: its name, the columns that identify a row, and the type of every column.

    A frame may lack the ``optional`` columns. The ``nullable`` columns belong to the key but may be
    null (``doc_id`` of a request without relevant items).
    """

    name: str
    key: tuple[str, ...]
    columns: dict[str, pl.DataType]
    optional: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()

    @property
    def required(self) -> dict[str, pl.DataType]:
        """The columns that each frame of this table must have."""
        return {name: dtype for name, dtype in self.columns.items() if name not in self.optional}


RUNS = TableSchema(
    "runs",
    ("run", "query_id", "doc_id"),
    {"run": STR, "query_id": STR, "doc_id": STR, "score": FLOAT, "rank": INT},
    optional=("rank",),
    nullable=("doc_id",),  # null: the query was answered with an empty list
)
QRELS = TableSchema(
    "qrels",
    ("query_id", "iteration", "doc_id"),
    {"query_id": STR, "iteration": STR, "doc_id": STR, "relevance": FLOAT},
    optional=("iteration",),
)
POSITIONS = TableSchema(
    "positions",
    ("run", "query_id", "doc_id"),
    {
        "run": STR,
        "query_id": STR,
        "doc_id": STR,
        "relevance": FLOAT,
        "position": INT,
        "level": INT,
        "n_relevant": INT,
        "n_retrieved": INT,
        "pool_size": INT,
        "n_judged": INT,
        "rel": FLOAT,
        "corpus_size": INT,
    },
    optional=("pool_size", "n_judged", "rel", "corpus_size"),
    nullable=("doc_id",),
)
SUBTOPIC_POSITIONS = TableSchema(
    "subtopic_positions",
    ("run", "query_id", "subtopic", "doc_id"),
    {
        "run": STR,
        "query_id": STR,
        "subtopic": STR,
        "doc_id": STR,
        "relevance": FLOAT,
        "position": INT,
        "level": INT,
        "n_relevant": INT,
        "n_retrieved": INT,
        "pool_size": INT,
        "rel": FLOAT,
    },
    optional=("pool_size", "rel"),
    nullable=("subtopic", "doc_id"),
)
SCORES = TableSchema(
    "scores",
    ("run", "query_id", "measure"),
    {"run": STR, "query_id": STR, "measure": STR, "value": FLOAT, "smaller_is_better": BOOL},
    optional=("smaller_is_better",),
)
PROVIDER_EXPOSURE = TableSchema(
    "provider_exposure",
    ("run", "query_id", "provider"),
    {
        "run": STR,
        "query_id": STR,
        "provider": STR,
        "items": INT,
        "exposure": FLOAT,
        "is_worst_off": BOOL,
    },
)
PROVIDERS = TableSchema("providers", ("doc_id", "provider"), {"doc_id": STR, "provider": STR})
PREFERENCES = TableSchema(
    "preferences",
    ("query_id", "run_a", "run_b", "measure"),
    {
        "query_id": STR,
        "run_a": STR,
        "run_b": STR,
        "measure": STR,
        "preference": FLOAT,
        "deciding_level": INT,
    },
    optional=("deciding_level",),
)
WIN_RATES = TableSchema(
    "win_rates",
    ("measure", "run_a", "run_b"),
    {
        "measure": STR,
        "run_a": STR,
        "run_b": STR,
        "n": INT,
        "wins": INT,
        "losses": INT,
        "ties": INT,
        "win_rate": FLOAT,
        "mean_preference": FLOAT,
    },
)
REQUEST_WIN_RATES = TableSchema(
    "request_win_rates",
    ("measure", "query_id", "run"),
    {"measure": STR, "query_id": STR, "run": STR, "win_rate": FLOAT},
)
ORDERINGS = TableSchema(
    "orderings",
    ("measure", "method", "run"),
    {"measure": STR, "method": STR, "run": STR, "value": FLOAT, "rank": FLOAT},
)
RANK_DISTRIBUTIONS = TableSchema(
    "rank_distributions",
    ("measure", "method", "run", "rank"),
    {"measure": STR, "method": STR, "run": STR, "rank": FLOAT, "probability": FLOAT},
)
ORDER_PROBABILITIES = TableSchema(
    "order_probabilities",
    ("measure", "method", "run_a", "run_b"),
    {
        "measure": STR,
        "method": STR,
        "run_a": STR,
        "run_b": STR,
        "p_a_first": FLOAT,
        "p_tie": FLOAT,
        "p_b_first": FLOAT,
    },
)
CYCLES = TableSchema(
    "cycles", ("measure", "cycle", "run"), {"measure": STR, "cycle": INT, "run": STR}
)
CORRELATIONS = TableSchema(
    "correlations",
    ("method", "ordering_a", "ordering_b"),
    {
        "method": STR,
        "ordering_a": STR,
        "ordering_b": STR,
        "correlation": FLOAT,
        "p_value": FLOAT,
        "n": INT,
        "ci_low": FLOAT,
        "ci_high": FLOAT,
    },
    optional=("ci_low", "ci_high"),
)
TIE_RATES = TableSchema(
    "tie_rates", ("measure",), {"measure": STR, "n": INT, "ties": INT, "tie_rate": FLOAT}
)
SIGN_AGREEMENT = TableSchema(
    "sign_agreement",
    ("measure_a", "measure_b"),
    {
        "measure_a": STR,
        "measure_b": STR,
        "n": INT,
        "agree": INT,
        "agreement": FLOAT,
        "n_systems": INT,
        "systems_agree": INT,
        "system_agreement": FLOAT,
        "agreement_low": FLOAT,
        "agreement_high": FLOAT,
        "system_agreement_low": FLOAT,
        "system_agreement_high": FLOAT,
    },
    optional=(
        "agreement_low",
        "agreement_high",
        "system_agreement_low",
        "system_agreement_high",
    ),
)
COMPARISONS = TableSchema(
    "comparisons",
    ("measure", "test", "correction", "run_a", "run_b"),
    {
        "measure": STR,
        "test": STR,
        "correction": STR,
        "run_a": STR,
        "run_b": STR,
        "n": INT,
        "mean_difference": FLOAT,
        "ci_low": FLOAT,
        "ci_high": FLOAT,
        "effect_size": FLOAT,
        "statistic": FLOAT,
        "p_value": FLOAT,
        "p_adjusted": FLOAT,
        "reject": BOOL,
        "effect_low": FLOAT,
        "effect_high": FLOAT,
    },
    optional=("effect_low", "effect_high"),
)
POWER = TableSchema(
    "power",
    ("measure", "test", "correction", "alpha"),
    {
        "measure": STR,
        "test": STR,
        "correction": STR,
        "alpha": FLOAT,
        "n_pairs": INT,
        "n_significant": INT,
        "power": FLOAT,
    },
)
ASL_CURVE = TableSchema(
    "asl_curve",
    ("measure", "test", "correction", "place"),
    {
        "measure": STR,
        "test": STR,
        "correction": STR,
        "place": INT,
        "share": FLOAT,
        "p_value": FLOAT,
        "p_adjusted": FLOAT,
        "run_a": STR,
        "run_b": STR,
    },
)
SMALLEST_DIFFERENCES = TableSchema(
    "smallest_differences",
    ("measure", "test", "correction", "alpha"),
    {
        "measure": STR,
        "test": STR,
        "correction": STR,
        "alpha": FLOAT,
        "n_pairs": INT,
        "n_significant": INT,
        "smallest_significant": FLOAT,
        "largest_not_significant": FLOAT,
        "run_a": STR,
        "run_b": STR,
    },
)
SWAP_RATES = TableSchema(
    "swap_rates",
    ("measure",),
    {
        "measure": STR,
        "n_pairs": INT,
        "splits": INT,
        "half": INT,
        "swap_rate": FLOAT,
        "tie_rate": FLOAT,
        "swap_rate_sd": FLOAT,
    },
)
SWAP_CURVE = TableSchema(
    "swap_curve",
    ("measure", "difference_low"),
    {
        "measure": STR,
        "difference_low": FLOAT,
        "difference_high": FLOAT,
        "n": INT,
        "swap_rate": FLOAT,
    },
)
REQUIRED_REQUESTS = TableSchema(
    "required_requests",
    ("measure", "run_a", "run_b", "how"),
    {
        "measure": STR,
        "run_a": STR,
        "run_b": STR,
        "n": INT,
        "mean_difference": FLOAT,
        "effect_size": FLOAT,
        "how": STR,
        "required": INT,
        "power_at_n": FLOAT,
    },
)
POWER_CURVE = TableSchema(
    "power_curve",
    ("measure", "run_a", "run_b", "n_requests"),
    {"measure": STR, "run_a": STR, "run_b": STR, "n_requests": INT, "power": FLOAT},
)
VERDICT = TableSchema(
    "verdict",
    ("measure", "test", "correction"),
    {
        "measure": STR,
        "test": STR,
        "correction": STR,
        "best": pl.List(pl.String),
        "not_worse": pl.List(pl.String),
        "n_pairs": INT,
        "n_significant": INT,
        "n": INT,
        "sentence": STR,
    },
)
COVERAGE = TableSchema(
    "coverage",
    ("run",),
    {
        "run": STR,
        "requests": INT,
        "answered": INT,
        "missing": INT,
        "extra": INT,
        "without_relevant": INT,
        "retrieved": INT,
        "judged": INT,
        "relevant_retrieved": INT,
        "duplicates": INT,
        "unjudged_removed": INT,
        "tied_relevant": INT,
        "AP_min": FLOAT,
        "AP_max": FLOAT,
        "RR_min": FLOAT,
        "RR_max": FLOAT,
        "nDCG@10_min": FLOAT,
        "nDCG@10_max": FLOAT,
    },
)


PROBLEMS = TableSchema(
    "problems",
    ("file", "line", "problem", "expected", "found"),
    {
        "file": STR,
        "line": INT,
        "problem": STR,
        "expected": STR,
        "found": STR,
        "advice": STR,
    },
    nullable=("line",),
)


_NO_COLUMNS = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,  # a type that Polars does not know
    pa.ArrowException,
    OverflowError,
    ValueError,  # pandas: two columns of the same name
    TypeError,  # pandas: a column of Python objects
)
"""What Polars, PyArrow and pandas raise for columns that cannot become Arrow."""


TWIN = "\x1f"
"""Appended to the name of the second column of that name, twice to that of the third, and so on."""
_ONE_COLUMN = ("Series", "ChunkedArray")
_taking_over = RLock()
"""Held while another library computes a frame: a DuckDB connection refuses a second thread."""


def to_polars(frame: Any, where: str = "the frame", *, keep_twins: bool = False) -> pl.DataFrame:
    """Turn any frame that exports Arrow into a Polars frame, without a copy where that is possible.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, or anything with ``__arrow_c_stream__`` (PyArrow,
        pandas 2.2 or later, DuckDB relations ...).
    where
        The frame's name in error messages.
    keep_twins
        Whether two columns may have the same name: ``TWIN`` is then appended to the second.

    Raises
    ------
    SchemaError
        When a column cannot become Arrow, because its values are of several types; when two columns
        have the same name; and when a LazyFrame cannot be computed.
    TypeError
        When the object exports no Arrow stream, or is a single column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_polars(pa.table({"run": ["bm25"]})).columns
    ['run']
    """
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pa.Table):
        return _taken_over(frame, where, keep_twins=keep_twins)
    with _taking_over:
        if isinstance(frame, pl.LazyFrame):
            return _collected(frame, where)
        return _taken_over(frame, where, keep_twins=keep_twins)


def _taken_over(frame: Any, where: str, *, keep_twins: bool) -> pl.DataFrame:
    if not hasattr(frame, "__arrow_c_stream__") or type(frame).__name__ in _ONE_COLUMN:
        raise TypeError(
            f"expected a frame that exports Arrow (Polars, PyArrow, pandas 2.2 or later), "
            f"found {type(frame).__name__}"
        )
    index = getattr(getattr(frame, "index", None), "names", [None])
    try:
        if isinstance(frame, pa.RecordBatchReader):
            frame = frame.read_all()
        frame = _with_names_once(frame, where, keep_twins=keep_twins)
        if any(name is not None for name in index):  # Polars drops the index of a pandas frame
            frame = frame.reset_index()
        if hasattr(frame, "iloc") and any("decimal256" in str(dtype) for dtype in frame.dtypes):
            frame = pa.Table.from_pandas(frame, preserve_index=False)
        if isinstance(frame, pa.Table | pa.RecordBatch):
            frame = _without_wide_decimals(pa.table(frame))
        return pl.DataFrame(frame)
    except SchemaError:
        raise
    except _NO_COLUMNS as error:
        raise SchemaError(
            f"{where} cannot become Arrow: {_first_broken(frame)}{in_one_line(error)}; give every "
            "column values of one simple type, or leave it out"
        ) from None


def _collected(frame: pl.LazyFrame, where: str) -> pl.DataFrame:
    try:
        return frame.collect()
    except Exception as error:  # the plan may call any function of the user
        said = str(error).strip().partition("\n")[0]
        raise SchemaError(
            f"{where}: the LazyFrame cannot be computed ({type(error).__name__}: {said}); call its "
            "collect() to see more"
        ) from error


def _with_names_once(frame: Any, where: str, *, keep_twins: bool) -> Any:
    """Rename columns of pandas and PyArrow frames so that each name occurs once, or raise."""
    is_pandas = hasattr(frame, "iloc")
    if not is_pandas and not isinstance(frame, pa.Table | pa.RecordBatch):
        return frame
    names = [str(name) for name in (frame.columns if is_pandas else frame.schema.names)]
    if not keep_twins:
        refuse_twins_among(names, where)
    if len({*names}) == len(names):
        return frame
    once = [f"{name}{TWIN * names[:n].count(name)}" for n, name in enumerate(names)]
    return frame.set_axis(once, axis=1) if is_pandas else pa.table(frame).rename_columns(once)


def refuse_twins_among(names: Collection[str], where: str) -> None:
    """Raise when two columns have the same name."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise SchemaError(Problem(where, "", f"two columns are called {twice[0]!r}", "rename one"))


def _without_wide_decimals(table: pa.Table) -> pa.Table:
    """Cast decimals of 256 bits, at which Polars panics, to 128 bits, or to floats if need be."""
    table = table.replace_schema_metadata()  # Polars fails unless it is UTF-8
    types = [_narrow(column.type, as_float=False) for column in table.schema]
    for place, (column, narrow) in enumerate(zip(table.schema, types, strict=True)):
        if narrow != column.type:
            values = table.column(place)
            try:
                values = values.cast(narrow)
            except pa.ArrowInvalid:
                values = values.cast(_narrow(column.type, as_float=True))
            table = table.set_column(place, column.name, values)
    return table


def _narrow(dtype: pa.DataType, *, as_float: bool) -> pa.DataType:
    """Return a type, also of lists and structs, with decimals of 256 bits replaced."""
    if pa.types.is_decimal256(dtype):
        return pa.float64() if as_float else pa.decimal128(38, dtype.scale)
    if pa.types.is_struct(dtype):
        return pa.struct(
            [field.with_type(_narrow(field.type, as_float=as_float)) for field in dtype]
        )
    lists = {pa.types.is_list: pa.list_, pa.types.is_large_list: pa.large_list}
    for is_such, such in lists.items():
        if is_such(dtype):
            return such(dtype.value_field.with_type(_narrow(dtype.value_type, as_float=as_float)))
    return dtype


def _first_broken(frame: Any) -> str:
    """Name the first column of a pandas or PyArrow frame that cannot become Arrow."""
    if isinstance(frame, pa.Table | pa.RecordBatch):
        parts = {name: frame.select([name]) for name in frame.column_names}
    else:
        parts = {name: frame[[name]] for name in frame.columns} if hasattr(frame, "iloc") else {}
    for name, part in parts.items():
        try:
            pl.DataFrame(part)
        except _NO_COLUMNS:
            return f"the column {name}: "
    return ""


def check(
    frame: Any, schema: TableSchema, where: str = "", *, coded: Collection[str] = ()
) -> pl.DataFrame:
    """Check that a frame has a table's columns, and return them in the table's order and types.

    Other columns are left out. Ids that are integers or categories become strings; no other value
    changes. Neither the uniqueness of keys nor the range of values is checked.

    Parameters
    ----------
    frame
        Any frame that exports Arrow.
    schema
        The table that the frame has to fit.
    where
        The frame's name in error messages (a path, say).
    coded
        Columns whose integers become categories (see `categories_of`) instead of strings.

    Raises
    ------
    SchemaError
        When a column is missing, a value cannot be cast to its column's type, or a key is null.

    Examples
    --------
    >>> check({"run": ["a"]}, SCORES)
    Traceback (most recent call last):
    TypeError: expected a frame that exports Arrow (...), found dict
    >>> check(pl.DataFrame({"run": ["a"], "value": [1.0]}), SCORES)
    Traceback (most recent call last):
    lexiframe.errors.SchemaError: scores: expected the columns run, query_id, measure, value; \
query_id, measure are missing (found: run, value)
    """
    table = to_polars(frame)
    called = where or schema.name
    missing = [name for name in schema.required if name not in table.columns]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise SchemaError(
            f"{called}: expected the columns {', '.join(schema.required)}; "
            f"{', '.join(missing)} {verb} missing "
            f"(found: {', '.join(table.columns)})"
        )
    table = table.select(
        categories_of(table[name])
        if name in coded and table[name].dtype.is_integer()
        else _typed(table[name], dtype, called)
        for name, dtype in schema.columns.items()
        if name in table.columns
    )
    for name in schema.key:
        if name in table.columns and name not in schema.nullable and table[name].null_count():
            raise SchemaError(
                f"{called}: the column {name} is part of the key, but "
                f"{table[name].null_count()} rows have no value in it"
            )
    return table


def _may_be_ids(dtype: pl.DataType) -> bool:
    is_whole = dtype.is_integer() or (isinstance(dtype, pl.Decimal) and dtype.scale == 0)
    return is_whole or dtype in (pl.Categorical, pl.Enum)


_TRUTH = {"true": True, "false": False}
_LISTS = (pl.List, pl.Array)
_READ_AS_NUMBERS = (pl.String, pl.Boolean, pl.Null)


def _typed(column: pl.Series, dtype: pl.DataType, called: str) -> pl.Series:
    """Cast a column, or raise when a value would change: 1.5 is no integer, "yes" no Boolean."""
    if column.dtype == dtype:
        return column
    if dtype == STR and not _may_be_ids(column.dtype):
        whole = "ids cannot be floats: cast them to integers (pandas: astype('Int64'))"
        exploded = "explode the columns that hold lists, so that each item has a row"
        advice = whole * column.dtype.is_float() + exploded * isinstance(column.dtype, _LISTS)
        expected = f"strings in {column.name}"
        raise SchemaError(Problem(called, expected, str(column.dtype), advice))
    is_number = column.dtype.is_numeric() or column.dtype in _READ_AS_NUMBERS  # no date, no list
    if dtype != STR and not is_number:
        raise SchemaError(Problem(called, f"{dtype} in {column.name}", str(column.dtype)))
    if dtype == BOOL and column.dtype == STR:  # "true" or "False", as CSV files write it
        column = column.str.to_lowercase()
        typed = column.replace_strict(_TRUTH, default=None, return_dtype=BOOL)
    else:
        typed = column.cast(dtype, strict=False)
    bad = column.filter(typed.is_null() & column.is_not_null())
    if dtype == INT and column.dtype.is_float() and not len(bad):
        bad = column.filter(typed != column)
    if len(bad):
        raise SchemaError(Problem(called, f"{dtype} in {column.name}", first_three(bad)))
    return typed
