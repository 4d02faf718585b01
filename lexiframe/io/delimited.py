"""Tables in text: CSV and TSV with a header, in any of the dialects, and JSON."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from lexiframe.errors import ReadError, in_one_line
from lexiframe.io.frames import DIALECTS, is_one_run, to_frame, whole_ranks
from lexiframe.io.lines import count_of, is_rectangular, plain, refuse_binary
from lexiframe.io.problems import lines_of, problem_table, sentence
from lexiframe.io.trec import NOT_PARSED, NUMBER, Dialect
from lexiframe.schemas import PROBLEMS

_LONGEST_HEADER = 1 << 16
_SEPARATORS = "\t,;"
_KNOWN = {name for names in DIALECTS.values() for name in names}
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}


def is_json(data: bytes) -> bool:
    """Tell whether text begins as JSON does."""
    return data[:1000].lstrip().startswith((b"{", b"["))


def separator_of(data: bytes, dialect: Dialect) -> str | None:
    r"""Give what separates the columns of a table whose first line names them; None for no table.

    Examples
    --------
    >>> separator_of(b"qid,docno,score\n", Dialect())
    ','
    >>> separator_of(b"q1 Q0 d1 1 0.5 bm25\n", Dialect())
    """
    start = data[:_LONGEST_HEADER].lstrip(b"\r\n").replace(b"\r", b"\n")
    first = start.partition(b"\n")[0].decode("utf-8", "replace")
    words = {*dialect.columns.keys(), *dialect.columns.values()}
    queries, documents = ({*DIALECTS[name], *words} for name in ("query_id", "doc_id"))
    for separator in _SEPARATORS:
        names = {name.strip().strip('"').partition(":")[0] for name in first.split(separator)}
        has_items = any(name == "items" for name in names)
        if len(names) > 1 and names & queries and (names & documents or has_items):
            return separator
    if dialect.header:
        names = set(first.split())
        if names & queries and names & documents:
            return " "  # which stands for any blanks
        counts = {s: first.count(s) for s in _SEPARATORS}
        likely = max(counts, key=lambda s: counts[s])
        return likely if counts[likely] else " "
    return None


def parse_delimited(data: bytes, where: str, separator: str, dialect: Dialect) -> pl.DataFrame:
    r"""Parse a table with a header; ids stay as they are written, scores and grades are numbers.

    Raises
    ------
    ReadError
        With the line's number, for a row of another width, and what is no number.

    Examples
    --------
    >>> parse_delimited(b"qid,docno,score\n007,d1,0.5\n", "bm25.csv", ",", Dialect()).rows()
    [('007', 'd1', 0.5)]
    """
    table = _parse_quickly(_in_order(data, where, separator), separator, dialect)
    if table is not None:
        return table.with_columns(_whole_rank(table))
    table, problems = _table_and_problems(data, where, separator, dialect)
    if table is None or problems.height:
        more = problems.height - 1
        others = f" ({more} more: lexiframe.check_run lists them)" if more > 0 else ""
        raise ReadError(sentence(problems.row(0, named=True)) + others)
    numbers = (
        _english(name, dialect).cast(pl.Float64) for name in _numbers(table.columns, dialect)
    )
    return table.with_columns(*numbers, *_whole_rank(table))


def problems_of_delimited(
    data: bytes, where: str, separator: str, dialect: Dialect
) -> pl.DataFrame:
    """List rows of another width than the header, and what is no number; see `check_run`."""
    return _table_and_problems(data, where, separator, dialect)[1]


def _table_and_problems(
    data: bytes, where: str, separator: str, dialect: Dialect
) -> tuple[pl.DataFrame | None, pl.DataFrame]:
    """Give a table of texts, or None when its rows are of several widths; and what is wrong."""
    data = _in_order(data, where, separator)
    try:
        table = _scan(data, separator, infer_schema=False).collect()
    except NOT_PARSED as error:
        return None, _problems_of_width(data, where, separator, error)
    if not _has_one_width(table, data, separator):
        return None, _problems_of_width(data, where, separator, "lines of several widths")
    return table, _problems_of_numbers(table, where, dialect)


def _in_order(data: bytes, where: str, separator: str) -> bytes:
    """Make white space single spaces, or line ends line feeds."""
    if separator == " ":
        text = plain(data, where)
        if not text:
            raise ReadError(f"{where}: expected a line of names, and lines below it, found none")
        return text
    refuse_binary(data, where)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.strip(b"\n") + b"\n"


def _scan(data: bytes, separator: str, **options: Any) -> pl.LazyFrame:
    return pl.scan_csv(
        data,
        separator=separator,
        empty_string_is_null=False,
        quote_char=None if separator in " \t" else '"',
        extra_columns="raise",
        missing_columns="raise",
        **options,
    )


def _has_one_width(table: pl.DataFrame, data: bytes, separator: str) -> bool:
    """Tell whether lines were too short, which Polars fills up; too long ones it refuses."""
    quotes = separator not in " \t" and b'"' in data
    separators = (table.height + 1) * (table.width - 1)
    if not quotes and count_of(separator, data) == separators:
        return True
    return is_rectangular(data, separator, table.width, quotes=quotes)


def _parse_quickly(data: bytes, separator: str, dialect: Dialect) -> pl.DataFrame | None:
    """Parse only the columns that may be wanted, numbers as such; None when that does not go."""
    try:
        lines = _scan(data, separator, infer_schema=False)
        names = lines.collect_schema().names()
        wanted = {*_KNOWN, *dialect.columns.keys(), *dialect.columns.values()}
        numbers = [] if dialect.decimal == "," else _numbers(names, dialect)
        schema = dict.fromkeys(names, pl.String()) | dict.fromkeys(numbers, pl.Float64())
        kept = [name for name in names if name.partition(":")[0] in wanted]
        table = _scan(data, separator, schema=schema).collect()  # all columns, or none is counted
    except NOT_PARSED:
        return None
    if not _has_one_width(table, data, separator):
        return None
    is_bad = any(table[name].null_count() or table[name].is_nan().any() for name in numbers)
    return None if is_bad or not numbers else table.select(kept)


def _problems_of_width(data: bytes, where: str, separator: str, error: object) -> pl.DataFrame:
    lines = lines_of(data, where, separator)
    if separator not in " \t":
        bare = pl.col("text").str.replace_all(r'"[^"]*"', "")
        lines = lines.with_columns(n=bare.str.count_matches(separator, literal=True) + 1)
    expected = int(lines["n"][0])
    advice = "" if separator != "," else "put text that holds commas into double quotes"
    is_text = pl.col("bytes").is_null()
    bad = lines.filter((pl.col("n") != expected) | ~is_text)
    found = pl.format("{}: '{}'", "n", pl.col("text").str.head(80))
    if not bad.height:
        return problem_table(where, None, "fields", "a table", in_one_line(error))
    return bad.select(
        pl.lit(where).alias("file"),
        pl.col("line").cast(pl.Int64),
        pl.when(is_text).then(pl.lit("fields")).otherwise(pl.lit("encoding")).alias("problem"),
        pl.when(is_text)
        .then(pl.lit(f"{expected} fields as in the header"))
        .otherwise(pl.lit("UTF-8 text"))
        .alias("expected"),
        pl.when(is_text).then(found).otherwise(pl.format("the bytes {}", "bytes")).alias("found"),
        pl.lit(advice).alias("advice"),
    )


def _problems_of_numbers(table: pl.DataFrame, where: str, dialect: Dialect) -> pl.DataFrame:
    rows = table.with_row_index("line", offset=2)
    bad = [
        rows.filter(~_english(name, dialect).str.contains(NUMBER)).select(
            pl.lit(where).alias("file"),
            pl.col("line").cast(pl.Int64),
            pl.lit("number").alias("problem"),
            pl.lit(f"a number as {name}").alias("expected"),
            pl.format("'{}'", name).alias("found"),
            pl.when(pl.col(name).str.contains(r"^[-+0-9]+,[0-9]+$") & (dialect.decimal == "."))
            .then(pl.lit("this has a decimal comma: say so with decimal=','"))
            .otherwise(pl.lit(""))
            .alias("advice"),
        )
        for name in _numbers(table.columns, dialect)
    ]
    return pl.concat([pl.DataFrame(schema=PROBLEMS.columns), *bad]).sort("line")


def _numbers(names: list[str], dialect: Dialect) -> list[str]:
    """Name the columns that hold scores or grades."""
    said = [*dialect.columns.items(), *((b, a) for a, b in dialect.columns.items())]
    named = {theirs for ours, theirs in said if ours in ("score", "relevance")}
    return [name for name in names if name.partition(":")[0] in _NUMBERS or name in named]


def _english(name: str, dialect: Dialect) -> pl.Expr:
    text = pl.col(name).str.strip_chars()
    return text.str.replace(",", ".", literal=True) if dialect.decimal == "," else text


def _whole_rank(table: pl.DataFrame) -> list[pl.Series]:
    """Give the rank as integers; as text when one is no whole number."""
    if "rank" not in table.columns:
        return []
    ranks = whole_ranks(table["rank"])
    return [] if ranks.null_count() else [ranks]


def parse_json(data: bytes, where: str, value: str, unit: str = "line") -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    Errors count in ``unit``: a list has records where others have lines.

    Raises
    ------
    ReadError
        With the line's number, for what is no JSON.

    Examples
    --------
    >>> parse_json(b'{"qid": "007", "docno": 7, "score": 1}\n', "bm25.jsonl", "score").rows()
    [('007', '7', 1.0)]
    """
    keys: dict[str, Any] = {
        name: pl.String() for ours in ("run", "query_id", "doc_id") for name in DIALECTS[ours]
    }
    first = data.lstrip().split(b"\n", 1)[0]
    try:
        records = json.loads(first) if first.lstrip().startswith(b"{") else None
    except (ValueError, RecursionError):
        records = None
    try:
        if isinstance(records, dict) and not is_one_run(records):
            known = {n: keys[n] for n in records if n in keys and _may_be_id(records[n])}
            known |= {name: pl.Float64() for name in records if name in _NUMBERS}
            return _read_ndjson(data, known)
        whole: Any = json.loads(data)
    except (
        *(ValueError, TypeError, OverflowError, RecursionError),
        pl.exceptions.PolarsError,
    ) as error:
        raise _no_json(data, where, unit, error) from None
    if isinstance(whole, dict) and is_one_run(whole):
        return to_frame(whole, value, where)
    if isinstance(whole, list) and whole and all(isinstance(record, dict) for record in whole):
        lines = "\n".join(json.dumps(record) for record in whole).encode()
        return parse_json(lines, where, value, "record")
    raise ReadError(
        f"{where}: expected JSON with a record a line, a list of records, or "
        f"{{query: {{document: number}}}}, found {type(whole).__name__}"
    )


def _may_be_id(value: Any) -> bool:
    """Tell text and whole numbers, which are read as text, from what is refused as an id."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _read_ndjson(data: bytes, types: dict[str, Any]) -> pl.DataFrame:
    """Read records; look at all of them for their types only when the first do not tell."""
    options: dict[str, Any] = {"schema_overrides": types}
    if rb"\ud" in data.lower():  # half a surrogate pair is no text; Polars takes it for U+0000
        for line in data.splitlines():
            json.dumps(json.loads(line or b"{}"), ensure_ascii=False).encode()
    try:
        return pl.read_ndjson(data, **options)
    except pl.exceptions.PolarsError:
        options["infer_schema_length"] = None
    try:
        return pl.read_ndjson(data, **options)
    except pl.exceptions.PolarsError:  # Python writes Infinity, which is no JSON but a score
        records = [json.loads(line) for line in data.splitlines() if line.strip()]
        return pl.DataFrame(records, **options)


def _no_json(data: bytes, where: str, unit: str, error: Exception) -> ReadError:
    """Name the first line that is no JSON record, or holds a score or grade that is no number."""
    for number, line in enumerate(data.splitlines(), 1):
        expected, why, shown = "", "", line[:80].decode("utf-8", "backslashreplace")
        try:
            record = json.loads(line) if line.strip() else {}
            if isinstance(record, dict):
                texts = {name: record[name] for name in record if name in _NUMBERS}
                for name, value in texts.items():
                    expected, shown = f"a number as {name}", str(value)[:80]
                    float(0 if value is None else value)
                continue
            expected = "a record in braces"
        except (ValueError, TypeError, RecursionError) as wrong:
            expected, why = expected or "JSON", "" if expected else f" ({wrong})"
        return ReadError(f"{where}, {unit} {number}: expected {expected}, found {shown!r}{why}")
    return ReadError(f"{where}: cannot be read as JSON records ({in_one_line(error)})")
