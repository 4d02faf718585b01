"""The command line: ``lexiframe evaluate | compare | verdict | coverage | check | ...``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from lexiframe.base import LexiframeError, __version__
from lexiframe.cli.commands.check import check, convert
from lexiframe.cli.commands.evaluate import compare, coverage, demo, evaluate, print_verdict
from lexiframe.cli.commands.explain import explain
from lexiframe.cli.commands.gate import gate
from lexiframe.cli.commands.judges import judges
from lexiframe.cli.commands.measures import conventions, measures
from lexiframe.cli.commands.overlap import overlap
from lexiframe.cli.inputs import OneValueEach
from lexiframe.cli.messages import as_options
from lexiframe.cli.output import complain

app = typer.Typer(
    help="Compare rankings: which run is better, and how sure one can be.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _examples(*commands: str) -> str:
    """Return the end of a command's help: examples, each on a line of its own."""
    return "\n\n".join(["Examples:", *(f"  lexiframe {command}" for command in commands)])


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"lexiframe {__version__}")
        raise typer.Exit


@app.callback(epilog=_examples("demo", "evaluate qrels.txt runs/ -m AP,nDCG@10"))
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Compare rankings: which run is better, and how sure one can be."""


def _add(name: str, command: Callable[..., None], *examples: str) -> None:
    app.command(name, cls=OneValueEach, epilog=_examples(*examples))(command)


_add("demo", demo, "demo", "demo -o results")
_add(
    "evaluate",
    evaluate,
    "evaluate qrels.txt bm25.run dense.run -m AP,nDCG@10",
    "evaluate qrels.txt runs/ --rel 2 -o results --report report.html",
)
_add(
    "compare",
    compare,
    "compare qrels.txt runs/ -m AP,RPP --baseline bm25 -o pairs.csv",
    "compare qrels.txt runs/ -m AP --hsd randomized --trials 2000",
)
_add(
    "verdict",
    print_verdict,
    "verdict qrels.txt runs/ -m AP",
    "verdict qrels.txt runs/ --test sign --correction bh",
)
_add(
    "gate",
    gate,
    "gate qrels.txt main/bm25.run pr/bm25.run -m nDCG@10 --margin 0.01",
    "gate main pr --scores perquery.csv --margin AP=2% --require better",
)
_add("coverage", coverage, "coverage qrels.txt runs/", "coverage qrels.txt runs/ --format csv")
_add("check", check, "check runs/ qrels.txt", "check run.txt --as run --third score")
_add("convert", convert, "convert run.gz run.parquet", "convert qrels.tsv qrels.txt")
_add(
    "explain",
    explain,
    "explain qrels.txt bm25.run dense.run",
    "explain qrels.txt a.run b.run --query 42 -m AP",
)
_add(
    "judges",
    judges,
    "judges --qrels nist=qrels.txt --qrels llm=llm.txt",
    "judges runs/ --qrels nist=qrels.txt --qrels llm=llm.txt -m nDCG@10 -o results",
)
_add(
    "overlap",
    overlap,
    "overlap runs/ -m 'RBO(p=0.9),Jaccard@10'",
    "overlap runs/ --contrast bm25 dense --top 5",
)
_add("measures", measures, "measures", "measures nDCG")
_add("conventions", conventions, "conventions", "conventions AP")


def _say_warning(message: Warning | str, *_args: Any, **_keywords: Any) -> None:
    complain(f"warning: {as_options(str(message))}")


def _open_closed_streams() -> None:
    """Replace closed standard streams, or the next file opened would get their descriptor."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)


class _Messages:
    """Standard error, but what cannot be written there, as on a full disk, is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _print_what_there_is(stream: Any) -> None:
    """Switch a stream to UTF-8 if its encoding lacks characters that ids and tables may have."""
    try:
        "│é語".encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        stream.reconfigure(encoding="utf-8")


def main() -> None:
    """Run the command line; for bad input print one message and exit with status 1."""
    _open_closed_streams()
    warnings.showwarning = _say_warning
    for stream in (sys.stdout, sys.stderr):
        _print_what_there_is(stream)
    sys.stderr = _Messages(sys.stderr)
    try:
        app()
    except (LexiframeError, OSError) as error:
        complain(f"error: {as_options(str(error))}")
        sys.exit(1)


if __name__ == "__main__":
    main()
