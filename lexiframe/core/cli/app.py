"""The command line: ``lexiframe evaluate | compare | verdict | coverage | check | ...``."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from lexiframe.core.base import LexiframeError, __version__
from lexiframe.core.cli.parsing import Commands, examples

app = typer.Typer(
    cls=Commands,
    help="Compare rankings: which run is better, and how sure one can be.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"lexiframe {__version__}")
        raise typer.Exit


@app.callback(epilog=examples("demo", "evaluate qrels.txt runs/ -m AP,nDCG@10"))
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Compare rankings: which run is better, and how sure one can be."""


def _say_warning(message: Warning | str, *_args: Any, **_keywords: Any) -> None:
    _complain("warning", message)


def _complain(kind: str, message: object) -> None:
    """Print a warning or an error; the modules for it are imported only then."""
    from lexiframe.core.cli.messages import as_options
    from lexiframe.core.cli.output import complain

    complain(f"{kind}: {as_options(str(message))}")


def _open_closed_streams() -> None:
    """Replace closed standard streams, or the next file opened would get their descriptor."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)


class _Messages:
    """Standard error without failures: text that cannot be written, on a full disk, is dropped."""

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
        _complain("error", error)
        sys.exit(1)


if __name__ == "__main__":
    main()
