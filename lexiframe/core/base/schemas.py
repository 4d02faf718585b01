"""The columns, types and row key of every table, and the check that a frame fits its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any, cast

import polars as pl
import pyarrow as pa

from lexiframe.core.base.coded import categories_of
from lexiframe.core.base.errors import (
    LexiframeError,
    Problem,
    SchemaError,
    n_and_first,
    one_line,
    shown,
    warn,
)

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

    def arranged(self, table: pl.DataFrame, by: Iterable[str] = ()) -> pl.DataFrame:
        """Return the columns of the table, behind columns of groups, with rows sorted by key."""
        there = [name for name in self.columns if name in table.columns or name in self.required]
        arranged, keys = table.select(*by, *there), [*by, *self.key]
        return arranged if is_in_order(arranged, keys) else arranged.sort(keys)


def is_in_order(table: pl.DataFrame, keys: Sequence[str]) -> bool:
    """Return whether each row is after the one before it by some columns, so that none is twice.

    To sort millions of rows takes several times the memory of the table.
    """
    if any(isinstance(table.schema[name], pl.Categorical | pl.Enum) for name in keys):
        return False
    after = pl.lit(value=False)
    for name in reversed(keys):
        here, before = pl.col(name), pl.col(name).shift(1)
        after = (here > before) | ((here == before) & after)
    return table.height < 2 or bool(
        table.select(after.slice(1).fill_null(value=False).all()).item()
    )


_COLUMNS = {
    STR: """
        winner first covariate
        run query_id doc_id iteration subtopic measure provider run_a run_b method ordering_a
        ordering_b measure_a measure_b test correction how sentence file problem expected found
        advice group_a group_b conclusion baseline candidate require outcome why judge judge_a
        judge_b name_a name_b collection collection_a collection_b group rule rule_a rule_b kind
        deciding_component component
        name category null doc_a doc_b question source replicate order case family reason unit
        attribute request_stratum
    """,
    INT: """
        n_judgments n_both_orders n_shared n_triples n_circular
        position level n_relevant n_retrieved pool_size n_judged corpus_size items deciding_level n
        wins losses ties cycle agree n_systems systems_agree n_pairs n_significant place splits half
        required n_requests requests answered missing extra without_relevant retrieved judged
        relevant_retrieved depth duplicates unjudged_removed tied_relevant line better worse tied
        n_a n_b only_a only_b AA AD MA MD PA PD TIE compared holes trials n_differ position_in_a
        position_in_b n_collections part n_runs best_position baseline_answered candidate_answered
        negative one_score own_first n_replicates df n_model people_alone seed n_planned n_own
        n_other tied_from tied_to largest_tie large_losses decided_at
    """,
    FLOAT: """
        strength se coefficient per_sd fall elo elo_low elo_high observed_share expected_share
        residual difference p_a_wins p_b_wins
        p_a_low p_a_high
        score rank relevance rel value mean exposure preference win_rate mean_preference probability
        p_a_first p_tie p_b_first correlation p_value ci_low ci_high tie_rate agreement
        system_agreement agreement_low agreement_high system_agreement_low system_agreement_high
        mean_difference effect_size statistic p_adjusted effect_low effect_high alpha power share
        smallest_significant largest_not_significant swap_rate swap_rate_sd difference_low
        difference_high value_a value_b sd min max power_at_n judged_at_10 AP_min AP_max RR_min
        RR_max nDCG@10_min nDCG@10_max mean_difference_a mean_difference_b interaction by_chance
        margin p_not_worse_a p_not_worse_b p_equivalent p_better p_not_worse_a_adjusted
        p_not_worse_b_adjusted p_equivalent_adjusted p_better_adjusted p_better_by_margin_a
        p_better_by_margin_b p_better_by_margin_a_adjusted p_better_by_margin_b_adjusted p_opposite
        p_opposite_adjusted kappa kappa_linear kappa_quadratic kappa_binary relevance_a relevance_b
        share_of_a tau rank_a rank_b shift p_adjusted_a p_adjusted_b draws_low draws_high naive_low
        naive_high factor rank_low rank_high share_widened share_reject value_without needed
        error_rate error_se error_low error_high power_se power_low power_high type_iii type_iii_se
        type_iii_low type_iii_high
        value_difference share_in_order rank_low_each rank_high_each percentile_low
        percentile_high share_first rank_without tau_sd random random_low random_high
        weight cumulated_share baseline_judged_at_10 candidate_judged_at_10 variance raw
        generalisability dependability effective_n pass_rate pass_low pass_high
        fail_rate disagree people_mean people_low people_high model_mean win_rate_both_orders
        both_orders_low both_orders_high concordance strength_above strength_up_to
        opposite others circular alpha_nominal low high least_p least_p_adjusted
        catalogue_share bias slope least most pooled n_worst quantile quantile_low quantile_high
        quantile_difference quantile_ci_low quantile_ci_high counted share_worst share_all urisk
        trisk large_low large_high worst_change worst_change_low worst_change_high georisk
        georisk_low georisk_high worst p_equal p_worse ties_sd
        n_effective request_weight win_share loss_share tie_share
    """,
    BOOL: """
        smaller_is_better is_worst_off reject reverses trivial reject_a reject_b changes_side inside
        inside_before in_top_a in_top_b incomplete first_changes is_count too_few extrapolated
    """,
    pl.List(pl.String): "best not_worse untested favoured",
}
"""The columns of all tables by type; a name has the same type in each, except runs' ``rank``, and
``level``, which is one of recall or of a test."""
_TYPES = {name: dtype for dtype, names in _COLUMNS.items() for name in names.split()}


def table_schema(
    name: str, key: str, others: str, nullable: str = "", **types: pl.DataType
) -> TableSchema:
    """Describe a table by its key and its other columns, given as names with blanks between.

    An optional column has a question mark. The key comes first, except for columns of it that
    ``others`` names again. ``types`` has types that `_TYPES` lacks or that differ from it.
    """
    optional = tuple(name[:-1] for name in f"{key} {others}".split() if name.endswith("?"))
    of_key, rest = (names.replace("?", "").split() for names in (key, others))
    first = [column for column in of_key if column not in rest]
    columns = {column: (_TYPES | types)[column] for column in [*first, *rest]}
    return TableSchema(name, tuple(of_key), columns, optional, tuple(nullable.split()))


def table_per_value(column: str, table: TableSchema) -> TableSchema:
    """Describe a table like ``table``, repeated for each value of a column."""
    name, key = f"{column}_{table.name}", (column, *table.key)
    columns = {column: _TYPES[column], **table.columns}
    return TableSchema(name, key, columns, table.optional, table.nullable)


# A query that was answered with an empty list has a row without doc_id. Ranks are whole here; in
# orderings they may be mid-ranks.
RUNS = table_schema(
    "runs", "run replicate? query_id doc_id", "score rank?", nullable="replicate doc_id", rank=INT
)
QRELS = table_schema("qrels", "query_id iteration? doc_id", "relevance")
POSITIONS = table_schema(
    "positions",
    "run query_id doc_id",
    "relevance position level n_relevant n_retrieved pool_size? n_judged? rel? corpus_size? "
    "answered? tied_from? tied_to?",
    nullable="doc_id",
    answered=BOOL,
)
SUBTOPIC_POSITIONS = table_schema(
    "subtopic_positions",
    "run query_id subtopic doc_id",
    "relevance position level n_relevant n_retrieved pool_size? rel? answered? tied_from? tied_to?",
    nullable="subtopic doc_id",
    answered=BOOL,
)
# `answered` is false where a missing ranking became 0, and null where that is not known; in the
# coverage it is a count.
_OF_SCORES = "value smaller_is_better? answered? ties_sd? request_weight? request_stratum?"
SCORES = table_schema("scores", "run query_id measure", _OF_SCORES, answered=BOOL)
REPLICATED_SCORES = table_schema(
    "replicated_scores", "run replicate query_id measure", _OF_SCORES, answered=BOOL
)
AGGREGATES = table_schema("aggregates", "run measure", "value how n")
PROVIDER_EXPOSURE = table_schema(
    "provider_exposure", "run query_id provider", "items exposure is_worst_off"
)
PROVIDERS = table_schema("providers", "doc_id provider", "")
CATALOGUE = table_schema("catalogue", "run measure", "value se ci_low ci_high n catalogue_share?")
PREFERENCES = table_schema(
    "preferences",
    "query_id run_a run_b measure",
    "preference p_better? p_equal? p_worse? deciding_level? deciding_component? n_judgments? "
    "request_weight? request_stratum?",
)
PAIR_REQUESTS = table_schema(
    "pair_requests",
    "measure query_id",
    "run_a run_b value_a value_b preference deciding_level",
)
REQUESTS = table_schema(
    "requests",
    "measure query_id",
    "n mean sd min max tie_rate agreement run? value? mean_preference? better? worse? tied?",
)
WIN_RATES = table_schema(
    "win_rates",
    "measure run_a run_b",
    "n wins losses ties win_share? loss_share? tie_share? win_rate mean_preference n_effective?",
)
REQUEST_WIN_RATES = table_schema("request_win_rates", "measure query_id run", "win_rate")
ORDERINGS = table_schema("orderings", "measure method run", "value rank")
MEANS = table_schema("means", "run measure", "mean ci_low ci_high rank n n_effective? ties_sd?")
FACTS = table_schema("facts", "measure", "kind smaller_is_better low high is_count")
RANK_DISTRIBUTIONS = table_schema("rank_distributions", "measure method run rank", "probability")
ORDER_PROBABILITIES = table_schema(
    "order_probabilities", "measure method run_a run_b", "p_a_first p_tie p_b_first"
)
CYCLES = table_schema("cycles", "measure cycle run", "")
CORRELATIONS = table_schema(
    "correlations",
    "method ordering_a ordering_b",
    "correlation p_value n ci_low? ci_high?",
)
GROUP_CORRELATIONS = table_schema(
    "group_correlations",
    "measure method group_a group_b",
    "correlation by_chance p_value n n_a n_b",
)
TIE_RATES = table_schema("tie_rates", "measure", "n ties tie_rate")
SIGN_AGREEMENT = table_schema(
    "sign_agreement",
    "measure_a measure_b",
    "n agree agreement n_systems systems_agree system_agreement agreement_low? agreement_high? "
    "system_agreement_low? system_agreement_high?",
)
COMPARISONS = table_schema(
    "comparisons",
    "measure test correction run_a run_b",
    # Polars prints the first and last four.
    "mean_difference ci_low ci_high n n_effective? effect_size statistic effect_low? effect_high? "
    "level? least_p? least_p_adjusted? p_value p_adjusted reject test correction",
    level=FLOAT,  # that of a test, not of recall
)
AGAINST_BASELINE = table_schema(
    "against_baseline",
    "measure test correction run",
    "mean_difference ci_low ci_high n mean effect_size better worse tied p_value p_adjusted reject "
    "test correction",
)
GROUP_COMPARISONS = table_schema(
    "group_comparisons",
    "measure test correction run_a run_b group_a group_b",
    "n_a n_b mean_difference_a mean_difference_b interaction ci_low ci_high statistic p_value "
    "p_adjusted reject reverses",
)
POWER = table_schema("power", "measure test correction alpha", "n_pairs n_significant power")
ASL_CURVE = table_schema(
    "asl_curve", "measure test correction place", "share p_value p_adjusted run_a run_b"
)
SMALLEST_DIFFERENCES = table_schema(
    "smallest_differences",
    "measure test correction alpha",
    "n_pairs n_significant smallest_significant largest_not_significant run_a run_b",
)
SWAP_RATES = table_schema(
    "swap_rates", "measure", "n_pairs splits half swap_rate tie_rate swap_rate_sd"
)
SWAP_CURVE = table_schema("swap_curve", "measure difference_low", "difference_high n swap_rate")
REQUIRED_REQUESTS = table_schema(
    "required_requests",
    "measure run_a run_b how",
    "n n_effective? mean_difference effect_size how required power_at_n",
)
REQUIRED_BY_QUESTION = table_schema(
    "required_by_question",
    "measure run_a run_b how question",
    "question n n_effective? mean_difference margin effect_size how required power_at_n",
)
POWER_CURVE = table_schema("power_curve", "measure run_a run_b n_requests", "power")
GENERALISABILITY = table_schema(
    "generalisability",
    "measure n_requests n_replicates",
    "generalisability dependability",
)
_POWERED = "mean ci_low ci_high weight n n_model effective_n people_mean people_low people_high "
_POWERED += "model_mean"
POWERED_MEANS = table_schema("powered_means", "run measure", _POWERED)
POWERED_DIFFERENCES = table_schema("powered_differences", "run_a run_b measure", _POWERED)
CONCLUSIONS = table_schema(
    "conclusions",
    "name_a name_b measure test correction",
    "n_pairs AA AD MA MD PA PD TIE tau only_a only_b",
)
CONCLUSION_PAIRS = table_schema(
    "conclusion_pairs",
    "name_a name_b measure test correction run_a run_b",
    "category changes_side mean_difference_a mean_difference_b p_adjusted_a p_adjusted_b "
    "reject_a reject_b",
)
VERDICT = table_schema(
    "verdict",
    "measure test correction",
    "best not_worse untested favoured n_pairs n_significant n too_few sentence",
)
COVERAGE = table_schema(
    "coverage",
    "run",
    "requests answered missing extra without_relevant retrieved judged relevant_retrieved depth "
    "judged_at_10 duplicates unjudged_removed tied_relevant AP_min AP_max RR_min RR_max "
    "nDCG@10_min nDCG@10_max negative? one_score? own_first? tied? largest_tie?",
)
PROBLEMS = table_schema("problems", "file line problem expected found", "advice", nullable="line")


_NO_COLUMNS = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,  # a type that Polars does not know
    pa.ArrowException,
    OverflowError,
    ValueError,  # pandas: two columns of the same name
    TypeError,  # pandas: a column of Python objects
)
"""What Polars, PyArrow and pandas raise for columns that cannot become Arrow."""


WEIGHT, STRATUM = "request_weight", "request_stratum"
"""The columns of scores and preferences with the weights of their requests."""
TWIN = "\x1f"
"""Appended to the name of the second column of that name, twice to that of the third, and so on."""
_LONG = 1 << 16  # rows of a chunk
_ONE_COLUMN = ("Series", "ChunkedArray")
_taking_over = RLock()
"""Held while another library computes a frame: a DuckDB connection refuses a second thread."""


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Convert a frame to Arrow with plain strings: not all readers know large or view ones."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))


def to_polars(frame: Any, where: str = "the frame", *, keep_twins: bool = False) -> pl.DataFrame:
    """Turn any frame that exports Arrow into a Polars frame, without a copy where that is possible.

    ``where`` names the frame in error messages. Two columns of one name are an error; with
    ``keep_twins``, ``TWIN`` is appended to the second.
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
    if hasattr(frame, "why_no_table"):  # sums over requests
        raise LexiframeError(frame.why_no_table)
    if not hasattr(frame, "__arrow_c_stream__") or type(frame).__name__ in _ONE_COLUMN:
        raise TypeError(
            f"expected a frame that exports Arrow (Polars, PyArrow, pandas 2.2 or later), "
            f"found {type(frame).__name__}"
        )
    index = getattr(getattr(frame, "index", None), "names", [None])
    if not keep_twins:  # else threads read, and their caller has warned
        warn_of_index(frame, where)
    try:
        frame = frame.read_all() if isinstance(frame, pa.RecordBatchReader) else frame
        frame = _unique_names(frame, where, keep_twins=keep_twins)
        if any(name is not None for name in index):  # Polars drops the index of a pandas frame
            frame = frame.reset_index()
        frame = _without_wide_decimals(frame)
        chunks = [c.num_chunks for c in frame.columns] if isinstance(frame, pa.Table) else []
        if chunks and frame.num_rows >= _LONG * max(chunks):  # a copy into one would take longer
            return cast(pl.DataFrame, pl.from_arrow(frame, rechunk=False))
        return pl.DataFrame(frame)
    except (LexiframeError, MemoryError):
        raise
    except _NO_COLUMNS as error:
        raise SchemaError(
            f"{where} cannot become Arrow: {_first_broken(frame)}{one_line(error)}; give every "
            "column values of one simple type, or leave it out"
        ) from None
    except Exception as error:  # objects may call any function to export themselves
        raise SchemaError(
            f"{where}: {type(frame).__name__} cannot be exported as Arrow "
            f"({type(error).__name__}: {one_line(error)}); give a table of PyArrow instead"
        ) from error


def warn_of_index(frame: Any, where: str) -> None:
    """Warn of an index of pandas without names that holds more than the numbers of rows."""
    index = getattr(frame, "index", None)
    kind = getattr(index, "inferred_type", "integer")  # numbers are left by filters and sorting
    if index is not None and kind not in ("integer", "empty") and not any(index.names):
        warn(
            f"{where}: its index, which has no name, is left out (it begins with "
            f"{shown(index[0])}); to have it as a column, name it: frame.rename_axis('run')"
        )


def _without_wide_decimals(frame: Any) -> Any:
    if hasattr(frame, "iloc") and any("decimal256" in str(dtype) for dtype in frame.dtypes):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pa.RecordBatch):  # `pa.table` would import pandas, in half a second
        frame = pa.Table.from_batches([frame])
    return _cast_wide_decimals(frame) if isinstance(frame, pa.Table) else frame


def _collected(frame: pl.LazyFrame, where: str) -> pl.DataFrame:
    try:
        return frame.collect()
    except Exception as error:  # the plan may call any function of the user
        reason = str(error).strip().partition("\n")[0]
        raise SchemaError(
            f"{where}: the LazyFrame cannot be computed ({type(error).__name__}: {reason}); call "
            "its collect() to see more"
        ) from error


def _unique_names(frame: Any, where: str, *, keep_twins: bool) -> Any:
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


def _cast_wide_decimals(table: pa.Table) -> pa.Table:
    """Cast decimals of 256 bits, at which Polars panics, to 128 bits, or to floats if need be."""
    table = table.replace_schema_metadata()  # Polars 2.1 panics at metadata that is not UTF-8
    for place, column in enumerate(table.schema):
        narrow = _narrow(column.type, as_float=False)
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

    Further columns are left out. Ids that are integers or categories become strings; no other value
    changes. A missing column, a value that cannot be cast and a key that is null are errors;
    neither the uniqueness of keys nor the range of values is checked. ``where`` names the frame in
    error messages (a path, say). ``coded`` names columns whose integers become categories (see
    `categories_of`) instead of strings.

    Examples
    --------
    >>> check({"run": ["a"]}, SCORES)
    Traceback (most recent call last):
    TypeError: expected a frame that exports Arrow (...), found dict
    >>> check(pl.DataFrame({"run": ["a"], "value": [1.0]}), SCORES)
    Traceback (most recent call last):
    lexiframe.SchemaError: scores: expected the columns run, query_id, measure, value; \
query_id, measure are missing (found: run, value)
    """
    table = to_polars(frame)
    source = where or schema.name
    if "replicate" in table.columns and "replicate" not in schema.columns and "run" in schema.key:
        advice = (
            "give each replicate a name of its own as run, or give scores with this column to "
            "compare, gate or equivalence, which take replicates="
        )
        found = "the column replicate, with several of each run"
        raise SchemaError(Problem(source, "runs without replicates", found, advice))
    if "collection" in table.columns and "doc_id" in schema.key:
        _refuse_collections(table, source)
    spans = {*_SPANS} & {*schema.columns}
    required = [*schema.required, *(_SPANS if spans & {*table.columns} else ())]
    missing = [name for name in required if name not in table.columns]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise SchemaError(
            f"{source}: expected the columns {', '.join(required)}; {', '.join(missing)} "
            f"{verb} missing (found: {', '.join(table.columns)})"
        )
    table = table.select(
        categories_of(table[name])
        if name in coded and table[name].dtype.is_integer()
        else _typed(table[name], dtype, source)
        for name, dtype in schema.columns.items()
        if name in table.columns
    )
    for name in schema.key:
        if name in table.columns and name not in schema.nullable and table[name].null_count():
            raise SchemaError(
                f"{source}: the column {name} is part of the key, but "
                f"{table[name].null_count()} rows have no value in it"
            )
    return table


_SPANS = ("tied_from", "tied_to")
"""Optional columns that a table has both or neither of."""


def _refuse_collections(table: pl.DataFrame, source: str) -> None:
    """Raise for rows of several collections, whose requests of the same id are different ones."""
    names = table["collection"].unique().sort().cast(pl.String).to_list()
    if len(names) > 1:
        advice = (
            "take one (.filter(collection=...)); positions, scores, preferences and evaluate take "
            "several: {name: (runs, qrels)}"
        )
        raise SchemaError(Problem(source, "rows of one collection", n_and_first(names), advice))


def table_of(
    columns: Mapping[str, pl.DataType], height: int, given: Mapping[str, Any]
) -> pl.DataFrame:
    """Make a table of these columns; one value fills a column, and NaN becomes null."""
    made = []
    for name, dtype in columns.items():
        value = given.get(name)
        is_one = value is None or isinstance(value, str | float | int)
        column = pl.Series(name, [value] if is_one else value).cast(dtype)
        made.append(column.new_from_index(0, height) if is_one else column)
    return pl.DataFrame(made).with_columns(pl.selectors.float().fill_nan(None))


def _may_be_ids(dtype: pl.DataType) -> bool:
    is_whole = dtype.is_integer() or (isinstance(dtype, pl.Decimal) and dtype.scale == 0)
    return is_whole or dtype in (pl.Categorical, pl.Enum)


_TRUTH = {"true": True, "false": False}
_LISTS = (pl.List, pl.Array)
_BYTES_OF_UUID = 16
_COMMA = r"^\s*[+-]?[0-9]+(?:[.' ][0-9]{3})*(?:,[0-9]+)+(?:[.][0-9]+)?\s*$"
POINT = "write it with a decimal point, and thousands without commas"
"""The advice for numbers as text where no option says what their commas are."""
_READ_AS_NUMBERS = (pl.String, pl.Null)


def _typed(column: pl.Series, dtype: pl.DataType, source: str) -> pl.Series:
    """Cast a column, or raise when a value would change: 1.5 is no integer, "yes" no Boolean."""
    if column.dtype == dtype:
        return column
    if column.dtype == pl.List(pl.Null) and isinstance(dtype, pl.List):  # all lists are empty
        return column.cast(dtype)
    if dtype == STR and not _may_be_ids(column.dtype):
        whole = (
            "ids cannot be floats: cast them to integers if they are whole (pandas: "
            "astype('Int64')), or else to text (pandas: astype(str), Polars: cast(pl.String))"
        )
        exploded = "explode the columns that hold lists, so that each item has a row"
        is_list = isinstance(column.dtype, _LISTS)
        advice = whole if column.dtype.is_float() else exploded if is_list else "cast them to text"
        expected, found = f"strings in {column.name}", str(column.dtype)
        if column.dtype == pl.Binary and (column.bin.size() == _BYTES_OF_UUID).all():
            found, advice = "UUIDs", "write them as text (pandas: astype(str))"
        if column.dtype == pl.Object:
            found = f"objects ({type(column.drop_nulls()[0]).__name__})" if len(column) else found
        raise SchemaError(Problem(source, expected, found, advice))
    is_number = column.dtype.is_numeric() or column.dtype in _READ_AS_NUMBERS  # no date, no list
    if dtype != STR and not is_number:
        advice = f"cast it to a number, or say which column is {column.name}"
        raise SchemaError(Problem(source, f"{dtype} in {column.name}", str(column.dtype), advice))
    if dtype == BOOL and column.dtype == STR:  # "true" or "False", as CSV files write it
        column = column.str.to_lowercase()
        typed = column.replace_strict(_TRUTH, default=None, return_dtype=BOOL)
    else:
        typed = column.cast(dtype, strict=False)
    bad = column.filter(typed.is_null() & column.is_not_null())
    if dtype == INT and column.dtype.is_float() and not len(bad):
        bad = column.filter(typed != column)
    if len(bad):
        has_commas = bad.dtype == STR and bad.str.contains(_COMMA).any()
        advice = POINT if has_commas else ""
        raise SchemaError(Problem(source, f"{dtype} in {column.name}", n_and_first(bad), advice))
    return typed
