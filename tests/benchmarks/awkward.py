"""Measure what reading an awkward run file costs, as a multiple of a clean one of its size.

One file of a million bytes or more is written in each form that `lexiframe.read_runs` takes. Both
are read in turn, and the CPU times (user and system, all threads) per byte of unpacked text are
compared; a ratio is the median over the rounds. For a packed file the last column says what the
codec alone takes, on the same scale. With `--packing CODEC` both files are packed by it, so that
unpacking is on both sides and the ratio says what the awkwardness costs.
"""

import argparse
import bz2
import gzip
import lzma
import re
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa

import lexiframe as lf


def lines_joined(text: str, change: Callable[[int, list[str]], str]) -> str:
    """Return the text with each line made anew from its number and fields."""
    return "".join(change(n, line.split(" ")) for n, line in enumerate(text.splitlines()))


def table_of(text: str) -> pl.DataFrame:
    """Return the lines as a table with the field's usual column names."""
    names = ["query_id", "iteration", "doc_id", "rank", "score", "run"]
    strings = dict.fromkeys(names, pl.String)
    return pl.read_csv(text.encode(), separator=" ", has_header=False, schema=strings)


TEXT_FORMS: dict[str, Callable[[str], str]] = {
    "tabs": lambda text: text.replace(" ", "\t"),
    "two spaces": lambda text: text.replace(" ", "  "),
    "some tabs, some spaces": lambda text: text.replace(" Q0 ", "\tQ0  "),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "leading space, trailing tab": lambda text: re.sub("(?m)^(.+)$", " \\1\t", text),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "a comment every ten lines": lambda text: lines_joined(
        text, lambda n, of: ("# a comment\n" if n % 10 == 0 else "") + " ".join(of) + "\n"
    ),
    "junk after the sixth field": lambda text: text.replace("\n", " junk more\n"),
    "one line of junk": lambda text: text.replace("\n", " junk\n", 1),
    "ranks as 1.0": lambda text: lines_joined(
        text, lambda _, of: " ".join([*of[:3], of[3] + ".0", *of[4:]]) + "\n"
    ),
    "scores with + and exponent": lambda text: lines_joined(
        text, lambda _, of: " ".join([*of[:4], f"+{float(of[4]):e}", of[5]]) + "\n"
    ),
    "one infinite score": lambda text: lines_joined(
        text, lambda n, of: " ".join([*of[:4], "-inf" if n == 9 else of[4], of[5]]) + "\n"
    ),
    "ids beyond ASCII": lambda text: text.replace(" Q0 ", " Q0 é"),
    "five columns": lambda text: lines_joined(text, lambda _, of: " ".join(of[:5]) + "\n"),
    "requests interleaved": lambda text: "".join(
        sorted(text.splitlines(keepends=True), key=lambda line: line.split(" ")[2])
    ),
    "CSV with a header": lambda text: table_of(text).write_csv(),
    "TSV with a header": lambda text: table_of(text).write_csv(separator="\t"),
    "CSV, quoted": lambda text: table_of(text).write_csv(quote_style="always"),
    "JSON lines": lambda text: (
        table_of(text).with_columns(pl.col("score").cast(pl.Float64)).write_ndjson()
    ),
    "ir_metadata header": lambda text: "# ir_metadata.start\n# tag: x\n# ir_metadata.end\n" + text,
}

OPTIONS = {"decimal commas": {"decimal": ","}, "header": {"header": True}}

OPTION_FORMS: dict[str, Callable[[str], str]] = {
    "decimal commas": lambda text: re.sub(r"(\d)\.(\d+ \S+\n)", r"\1,\2", text),
    "header": lambda text: "qid iter docno rank score tag\n" + text,
}

PACKED: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.compress, gzip.decompress),
    "bzip2": (bz2.compress, bz2.decompress),
    "xz": (lzma.compress, lzma.decompress),
    "zstd": (
        lambda data: pa.compress(data, codec="zstd", asbytes=True),
        lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(),
    ),
}

ENCODINGS = {"UTF-8 with BOM": "utf-8-sig", "UTF-16": "utf-16"}


def texts_of(text: str) -> dict[str, bytes]:
    """Return the file's bytes in each form of text."""
    forms = {**TEXT_FORMS, **OPTION_FORMS}
    return {
        **{name: form(text).encode() for name, form in forms.items()},
        **{name: text.encode(encoding) for name, encoding in ENCODINGS.items()},
    }


def forms_of(text: str) -> dict[str, bytes]:
    """Return the file's bytes in each form, packed ones too."""
    packed = {name: pack(text.encode()) for name, (pack, _) in PACKED.items()}
    return {**texts_of(text), **packed}


def cpu_of(function: Callable[[], object]) -> float:
    """Return the CPU seconds that a call takes."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    """Write the forms of one run, and print what each costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a clean run file, some megabytes")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--packing", choices=PACKED, help="pack both files by it")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    text = arguments.run.read_text()
    pack, forms = bytes, forms_of(text)
    if arguments.packing:
        pack, forms = PACKED[arguments.packing][0], texts_of(text)
    print(f"{'form':30} {'MB':>6} {'a byte':>7} {'a line':>7} {'codec':>6}")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "clean")
        clean.write_bytes(pack(text.encode()))
        for name, data in forms.items():
            path = Path(folder, "awkward")
            path.write_bytes(pack(data))
            unpacked = len(text) if name in PACKED else len(data)
            read = partial(lf.read_runs, {"x": path}, **OPTIONS.get(name, {}))
            read_clean = partial(lf.read_runs, {"x": clean})
            unpack = partial(PACKED[name][1], data) if name in PACKED else int
            rounds = [
                tuple(map(cpu_of, (read, read_clean, unpack))) for _ in range(arguments.rounds)
            ]
            line = statistics.median(awkward / plain for awkward, plain, _ in rounds)
            codec = statistics.median(codec / plain for _, plain, codec in rounds)
            byte = line * len(text) / unpacked
            print(f"{name:30} {unpacked / 1e6:6.1f} {byte:7.2f} {line:7.2f} {codec:6.2f}")


if __name__ == "__main__":
    main()
