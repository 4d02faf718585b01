"""Mutated files against a strict reader: python tests/fuzz/mutants.py --cases 100000 --seed 0.

Each case is a small file of one form, changed in one to three places: a byte, a token, a field, a
line, a key of JSON. A strict reader, which is a few lines of plain Python for each form, says which
rows it holds, or that it is malformed. What lexiframe accepts has to be just these rows, in their
order; what it refuses has to end in a LexiframeError, and neither may take longer than ten seconds.
A case that fails is printed with its seed and its bytes. Files that lexiframe refuses although the
strict reader takes them are counted, and no failure: duplicates and the like are refused later.
"""

import argparse
import csv
import io
import json
import os
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import polars as pl

import lexiframe as lf
from lexiframe.core.io import qrel_files as qrels
from lexiframe.core.io import run_parts
from lexiframe.core.io.runs import scan_runs

SECONDS = 10
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.I | re.A)
WHOLE = re.compile(r"-?\d+", re.A)
Row = tuple


# --- What a strict reader finds -----------------------------------------------------------------


class MalformedError(Exception):
    """The strict reader does not take it."""


class UndecidedError(Exception):
    """The strict reader cannot say what it holds."""


def text_of(data: bytes, errors: str = "strict") -> str:
    """Decode UTF-8, without the mark at the begin; nothing else is text."""
    try:
        text = data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise MalformedError from error
    if "\0" in text:
        raise MalformedError
    return text.removeprefix("\ufeff")


def lines_of(text: str) -> list[str]:
    """Split at line feeds, carriage returns and both together; marks of joined files are none."""
    lines = re.split(r"\r\n|\n|\r", text)
    starts = [re.match('[ \t\v\f\ufeff]*"?\ufeff*', line)[0] for line in lines]
    return [
        start.replace("\ufeff", "") + line[len(start) :]
        for start, line in zip(starts, lines, strict=True)
    ]


def number_of(text: str) -> float:
    if not NUMBER.fullmatch(text):
        raise MalformedError
    return float(text)


def trec(widths: tuple[int, ...], number: int):
    """Return a strict reader of lines of TREC text, all of one of these widths."""

    def read(data: bytes) -> list[Row]:
        text = lines_of(text_of(data, "surrogateescape"))
        lines = [re.split(r"[ \t\v\f]+", line.strip(" \t\v\f")) for line in text]
        rows = [line for line in lines if line != [""] and not line[0].startswith("#")]
        if max(widths) == 6:
            refuse_lines_of_runs(rows)
        elif rows and all(len(row) == 3 for row in rows):  # judgments without an iteration
            return [(query, document, number_of(grade)) for query, document, grade in rows]
        elif any(len(row) not in widths for row in rows):
            raise MalformedError
        if any("\udc80" <= mark <= "\udcff" for row in rows for mark in "".join(row[:5])):
            raise MalformedError  # behind these fields bytes are ignored, whatever they are
        return [(row[0], row[2], number_of(row[number])) for row in rows]

    return read


def refuse_lines_of_runs(rows: list[list[str]]) -> None:
    """Raise for fields that are lost, rows that are glued together, and spaces in ids.

    A tag may have several words, or be missing; where others are numbers it may be another field
    that is missing. Words behind the tag are ignored unless they are a second row.
    """
    tags = [row[5] for row in rows if len(row) > 5]
    if any(len(row) < 5 for row in rows):
        raise MalformedError
    if any(len(row) == 5 for row in rows) and any(NUMBER.fullmatch(tag) for tag in tags):
        raise MalformedError
    for row in rows:
        if len(row) > 6 and not NUMBER.fullmatch(row[3]):
            raise MalformedError
        for q0, _, rank, score, *_ in (row[6:], row[7:]) if len(row) > 10 else ():
            is_like = q0 == row[1] or not NUMBER.fullmatch(q0)
            if is_like and re.fullmatch(r"\d+(\.0+)?", rank, re.A) and NUMBER.fullmatch(score):
                raise MalformedError


def read_csv(data: bytes) -> list[Row]:
    """Read commas below a header."""
    if re.search(rb'"[ \t]|[ \t]"', data):
        raise UndecidedError  # the csv module takes white space round quotes for text
    plain = "\n".join(lines_of(text_of(data)))
    try:
        header, *lines = csv.reader(io.StringIO(plain, newline=""), strict=True)
    except csv.Error as error:
        raise MalformedError from error
    rows = [[cell.strip(" \t") for cell in line] for line in lines]
    rows = [row for row in rows if "".join(row).strip() or len(row) > 1]
    if any(len(row) != len(header) or not row[0] or not row[1] for row in rows):
        raise MalformedError
    return [(row[0], row[1], number_of(row[2].strip())) for row in rows]


def without_repeats(pairs):
    names = [name for name, _ in pairs]
    if len({*names}) < len(names):
        raise MalformedError
    return dict(pairs)


def refuse(text):
    raise MalformedError


def loads(text: str):
    try:
        return json.loads(text, object_pairs_hook=without_repeats, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedError from error


def id_of(value) -> str:
    """Return an id: a text that is not empty, or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise MalformedError
    return str(value)


def score_of(value) -> float:
    if isinstance(value, str):
        return number_of(value.strip(" \t\v\f"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedError
    try:
        return float(value)
    except OverflowError as error:
        raise MalformedError from error


def json_lines(number: str):
    """Return a strict reader of an object a line, which looks at three fields.

    Others are ignored, but for ``run``, which all records have or none.
    """

    def is_padding(found: dict) -> bool:
        """Tell a record that says of a query only that it was asked, as a run may, once."""
        is_there = found.get("doc_id") is not None or found.get(number) is not None
        return number == "score" and not is_there and id_of(found.get("query_id")) != ""

    def read(data: bytes) -> list[Row]:
        objects = [loads(line) for line in lines_of(text_of(data)) if line.strip()]
        for found in objects:
            if not isinstance(found, dict) or "run" in found:
                raise MalformedError
            if not {"query_id", "doc_id", number} <= {*found} and not is_padding(found):
                raise MalformedError
        asked = Counter(id_of(found["query_id"]) for found in objects)
        for found in objects:
            if is_padding(found) and (asked[id_of(found["query_id"])] > 1 or "rank" in found):
                raise MalformedError
        objects = [found for found in objects if not is_padding(found)]
        return [(id_of(o["query_id"]), id_of(o["doc_id"]), score_of(o[number])) for o in objects]

    return read


def json_of_queries(data: bytes) -> list[Row]:
    """Read ``{query: {document: number}}``."""
    found = loads("\n".join(lines_of(text_of(data))))
    if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
        raise MalformedError
    return [
        (id_of(query), id_of(document), score_of(value))
        for query, documents in found.items()
        for document, value in documents.items()
    ]


# --- Forms --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """A kind of file: one that is well-formed, its strict reader, whether it holds judgments."""

    text: str
    strict: object
    is_qrels: bool = False
    header: int = 0  # so many bytes are not changed: they say what the columns are


RANKING = [(f"q{n // 4}", f"d{n}", 9 - n) for n in range(8)]
JUDGMENTS = [(f"q{n // 3}", f"d{n}", n % 3) for n in range(6)]


def lines(template: str, rows: list[Row]) -> str:
    return "".join(template.format(*row, n=n) + "\n" for n, row in enumerate(rows, 1))


FORMS = {
    "run": Form(lines("{} Q0 {} {n} {}.5 tag", RANKING), trec((5, 6), 4)),
    "run, numbers as tags": Form(lines("{} Q0 {} {n} {}.5 10", RANKING), trec((5, 6), 4)),
    "run of five fields": Form(lines("{} Q0 {} {n} {}.5", RANKING), trec((5, 6), 4)),
    "qrels": Form(lines("{} 0 {} {}", JUDGMENTS), trec((4,), 3), True),
    "csv": Form("query_id,doc_id,score\n" + lines("{},{},{}.5", RANKING), read_csv, header=22),
    "csv, quoted": Form(
        '"query_id","doc_id","score"\n' + lines('"{}","{}","{}.5"', RANKING), read_csv, header=28
    ),
    "csv of judgments": Form(
        "query_id,doc_id,relevance\n" + lines("{},{},{}", JUDGMENTS), read_csv, True, header=26
    ),
    "json lines": Form(
        lines('{{"query_id": "{}", "doc_id": "{}", "score": {}.5}}', RANKING), json_lines("score")
    ),
    "json lines of judgments": Form(
        lines('{{"query_id": "{}", "doc_id": "{}", "relevance": {}}}', JUDGMENTS),
        json_lines("relevance"),
        True,
    ),
    "json": Form(
        json.dumps({"q0": {"d0": 9.5, "d1": 8, "d2": 7}, "q1": {"d0": 3, "d4": 2.5}}),
        json_of_queries,
    ),
}


# --- Mutations ----------------------------------------------------------------------------------

TOKENS = r"""
    nan inf -inf 1e999 1e5 0x1F 1_0 0,5 .5 5. +1 -0 true false null NaN Infinity # Q0 q1 d1 10 1 2.5
    { } [ ] " "" ' , ; : \ \u006f \" 9007199254740993 "score" "run": "rank":1, "doc_id":"x",
""".split()
BYTES = [" ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\0", "\ufeff", "\xa0", "\x85", "\u2028", "é"]
PIECES = [piece.encode() for piece in [*TOKENS, *BYTES, *BYTES]] + [b"\xff", b"\xc3", b"\x1a"]


def change_a_byte(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def drop_some(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice([1, 1, 1, 2, 5]) :]


def insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) + data[at:]


def insert_at_an_edge(data: bytes, rng: random.Random) -> bytes:
    """Insert a piece where a field begins or ends."""
    edges = [at for at, byte in enumerate(data) if byte in b' \n,:"{}']
    at = rng.choice(edges or [0]) + rng.choice([0, 1])
    return data[:at] + rng.choice(PIECES) + data[at:]


def cut_short(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(1, len(data) + 1)]


def in_lines(change):
    """Change the list of lines."""

    def mutate(data: bytes, rng: random.Random) -> bytes:
        parts = data.splitlines(keepends=True)
        change(parts, rng.randrange(len(parts)), rng)
        return b"".join(parts)

    return mutate


def in_fields(change):
    """Change the list of fields of a line."""

    def of_line(parts: list[bytes], at: int, rng: random.Random) -> None:
        separator = b"," if b"," in parts[at] else b" "
        fields = parts[at].rstrip(b"\n").split(separator)
        change(fields, rng.randrange(len(fields)), rng)
        parts[at] = separator.join(fields) + b"\n"

    return in_lines(of_line)


def glue(parts, at, rng):
    parts[at] = parts[at].rstrip(b"\n")


def swap(parts, at, rng):
    other = rng.randrange(len(parts))
    parts[at], parts[other] = parts[other], parts[at]


def repeat(parts, at, rng):
    parts.insert(at, parts[at])


def drop(parts, at, rng):
    del parts[at]


def replace(parts, at, rng):
    parts[at] = rng.choice(PIECES)


MUTATIONS = [
    change_a_byte,
    drop_some,
    insert,
    insert_at_an_edge,
    insert_at_an_edge,
    cut_short,
    *(in_lines(change) for change in (glue, swap, repeat, drop)),
    *(in_fields(change) for change in (swap, repeat, drop, drop, replace, replace)),
]


def mutant(form: Form, rng: random.Random) -> bytes:
    """Change a well-formed file in one to three places."""
    data = form.text.encode()
    header, body = data[: form.header], data[form.header :]
    for _ in range(rng.choice([1, 1, 2, 3])):
        if body:
            body = rng.choice(MUTATIONS)(body, rng)
    return header + body


# --- What lexiframe finds -----------------------------------------------------------------------


def rows_of(path: Path, *, is_qrels: bool) -> list[Row]:
    """Return what lexiframe reads; queries that are answered with an empty list have no rows."""
    if is_qrels:
        return pl.DataFrame(lf.read_qrels(path))["query_id", "doc_id", "relevance"].rows()
    parts = scan_runs(path).load(0)
    return [row for part in parts for row in part.rows["query_id", "doc_id", "score"].rows()]


def outcome(path: Path, data: bytes, form: Form) -> str:
    """Compare both readers on a file; raise where they differ, else say how they agree."""
    path.write_bytes(data)
    try:
        expected = form.strict(data)
    except MalformedError:
        expected = None
    except UndecidedError:
        return "undecided"
    start = time.monotonic()
    try:
        found = rows_of(path, is_qrels=form.is_qrels)
    except lf.LexiframeError as error:
        if len(str(error).splitlines()) != 1:
            raise AssertionError(f"expected a message of one line, found {error}") from error
        return "refused" if expected is None else "too strict"
    finally:
        seconds = time.monotonic() - start
        assert seconds < SECONDS, f"{seconds:.0f} s"
    if form.strict is read_csv:  # the csv module does not tell white space in quotes from other
        found = [(query.strip(" \t"), document.strip(" \t"), n) for query, document, n in found]
    assert found == expected, f"found {found}, expected {expected}"
    return "read"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=100_000, help="how many (100000)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case (0)")
    parser.add_argument(
        "--unnamed",
        action="store_true",
        help="do not look for the line of what is refused: most of the time",
    )
    parser.add_argument("--failures", type=int, default=20, help="stop after so many (20)")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.unnamed:
        run_parts.error_with_line = qrels.error_with_line = lambda error, *_: error
    names, counts, failures = list(FORMS), Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        for seed in range(asked.seed, asked.seed + asked.cases):
            rng = random.Random(seed)
            name = rng.choice(names)
            data = mutant(FORMS[name], rng)
            try:
                counts[name, outcome(path, data, FORMS[name])] += 1
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                failures += 1
                print(f"case {seed}, {name}: {type(error).__name__}: {error}\n  {data!r}")
                if failures >= asked.failures:
                    break
    for (name, ending), count in sorted(counts.items()):
        print(f"{name:<28} {ending:<12} {count:>9,}")
    print(f"{sum(counts.values()) + failures:,} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
