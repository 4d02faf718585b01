"""The options of the command line: one table has the purpose and the panel of each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, getdoc, signature
from operator import getitem
from pathlib import Path
from pkgutil import resolve_name
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.io import output_files
from lexiframe.core.significance import tests

Format = Literal["table", "json", "csv", "latex", "markdown"]
Kind = Literal["run", "qrels"]
AnyKind = Literal["run", "qrels", "votes", "scores"]
Decimal = Literal[".", ","]
Failed = Literal["error", "zero"]

# The panels of a command's help, in the order in which they are shown.
INPUT, MEASURES, POLICIES = "Input", "Measures", "Policies"
STATISTICS, OUTPUT = "Statistics", "Output"


def option(panel: str, help: str, *flags: str, rare: bool = False, **how: Any) -> Any:
    """Return Typer's description of an option; without flags it is called like its parameter.

    ``rare`` options, which few users need on a usual day, are listed by ``--help-all`` only.
    """
    return typer.Option(..., *flags, help=help, rich_help_panel=panel, hidden=rare, **how)


def place(text: str | Path) -> Path:
    """Return the path of an output; raise the error that Typer prints when the text is no path."""
    try:
        return output_files.output_path(text)
    except LexiframeError as error:
        raise typer.BadParameter(str(error)) from None


def output(help: str, *flags: str, metavar: str = "FILE", rare: bool = False) -> Any:
    """Return Typer's description of an option that names a file or folder to write."""
    return option(OUTPUT, help, *flags, metavar=metavar, parser=place, rare=rare)


OutFile = Annotated[
    Path | None, output("Write the table here, as .parquet, .csv or .json.", "--out", "-o")
]

_TESTS = ", ".join(get_args(tests.Test)).replace("auto", "auto (default)")

OPTIONS: dict[str, Any] = {
    "qrels": typer.Argument(
        metavar="QRELS", help="Judgments: a file in any form, or - (standard input)."
    ),
    "runs": typer.Argument(
        metavar="RUN...", help="Runs: files in any form, folders, globs, or -; NAME=FILE names one."
    ),
    # how files are read
    "scores": option(INPUT, "Files have scores per request (trec_eval -q)."),
    "nuggets": option(
        INPUT, "Files have answers judged by nuggets (nuggetizer, Auto-ARGUE).", rare=True
    ),
    "failed": option(
        INPUT, "With --nuggets, those that failed: an error, or okay and not stated.", rare=True
    ),
    "max_grade": option(
        INPUT,
        "With --nuggets, the greatest grade of the scale (or --rel: stated from this grade on).",
        metavar="GRADE",
        rare=True,
    ),
    "missing": option(
        INPUT,
        "With --scores, where runs lack requests that others have: 0 for these, only the requests "
        "common to all, or each run by its own. Default: no order of the runs.",
        rare=True,
    ),
    "measure_name": option(
        INPUT,
        "With --scores, the name of the measure where a file has no column for it. Default: the "
        "file's name.",
        metavar="NAME",
        rare=True,
    ),
    "kind": option(INPUT, "What the file holds; found out if not given.", "--as"),
    "third": option(INPUT, "As for `read_runs`.", rare=True),
    "better": option(
        INPUT, "Which scores are better: low ones, as of distances, change their sign.", rare=True
    ),
    "ranked_by": option(
        INPUT, "What orders documents that have ranks and scores. Default: scores.", rare=True
    ),
    "header": option(INPUT, "As for `read_runs`.", rare=True),
    "qrels_header": option(
        INPUT, "Text files of judgments begin with a line of column names.", rare=True
    ),
    "negative": option(
        INPUT,
        "Documents with a grade below 0 were pooled but not judged, as in trec_eval, or are judged "
        "not relevant, as the spam of ClueWeb.",
        rare=True,
    ),
    "column": option(
        INPUT,
        "The name of a column in the file: query_id=topic; repeat for several.",
        metavar="OURS=THEIRS",
        rare=True,
    ),
    "value": option(
        INPUT,
        "What a winner means: 1=a, 2=b, 0=tie or 0=both_bad; repeat for several. Others are names.",
        metavar="WINNER=SIDE",
    ),
    "qrels_column": option(INPUT, "The same for the judgments.", metavar="OURS=THEIRS", rare=True),
    "grade": option(
        INPUT,
        "The number of a grade that is a word: E=3; with =none, no judgment. Repeat for several.",
        metavar="WORD=NUMBER",
        rare=True,
    ),
    "na_values": option(
        INPUT,
        "A number that stands for none, as a value, a grade, or the id of a document: -1; repeat "
        "for several.",
        metavar="NUMBER",
        rare=True,
    ),
    "decimal": option(INPUT, "As for `read_runs`.", rare=True),
    "rows": option(
        INPUT,
        "The rows of learning to rank that predictions are of, or how many each query has.",
        metavar="FILE",
        rare=True,
    ),
    "name_from": option(INPUT, "Name runs by their files, or by the tags in them.", rare=True),
    "memory": option(
        INPUT,
        "Take no more memory than this, as in 4GB: larger data are evaluated in parts.",
        metavar="SIZE",
        show_default="four fifths of what is available",
        rare=True,
    ),
    "reuse": option(
        INPUT,
        "Take what still holds from results written with --out; it may be the same folder.",
        metavar="FOLDER",
        parser=place,
        rare=True,
    ),
    "items": option(
        INPUT,
        "The catalogue of items, for Novelty@10, Coverage@10 ...: doc_id, and perhaps users, "
        "categories, vector.",
        metavar="FILE",
        rare=True,
    ),
    "history": option(
        INPUT,
        "With --items, what users had in training: query_id and doc_id of all interactions.",
        metavar="FILE",
        rare=True,
    ),
    "requests": option(INPUT, "Attributes of requests, by query_id.", metavar="FILE"),
    "collections": option(INPUT, "QRELS names collections, their runs and qrels."),
    # how documents are ranked and counted
    "ties": option(
        POLICIES,
        "How documents with equal scores are ordered: doc_id_desc, doc_id_asc, input or rank; or "
        "expected, the mean over all orders.",
        metavar="HOW",
        rare=True,
    ),
    "score_type": option(POLICIES, "As for `positions`.", rare=True),
    "no_relevant": option(
        POLICIES,
        "Leave out requests without a relevant item, or score them 0.",
        metavar="drop|zero",
        rare=True,
    ),
    "duplicates": option(POLICIES, "As for `positions`.", rare=True),
    "unjudged": option(POLICIES, "As for `positions`.", rare=True),
    "depth": option(POLICIES, "As for `positions`.", metavar="K", show_default="no cut", rare=True),
    "exclude_self": option(POLICIES, "As for `positions`.", rare=True),
    "exclude": option(
        POLICIES,
        "Leave out these documents, by query_id and doc_id: a file as judgments are.",
        metavar="FILE",
        parser=str,
        rare=True,
    ),
    # what is measured
    "measure": option(
        MEASURES,
        "Measures: AP,nDCG@10 or -m AP -m nDCG@10; `lexiframe measures` lists them.",
        "-m",
        "--measure",
        metavar="MEASURE",
        show_default="RPP LR LP AP nDCG@10 RR",
    ),
    "rel": option(
        MEASURES,
        "The lowest relevant grade; default: above 0.",
        metavar="GRADE",
        show_default=False,
    ),
    "level": option(
        MEASURES,
        "As trec_eval -l: the lowest relevant grade of measures without gains; nDCG, ERR and other "
        "measures with gains keep those of lower grades.",
        metavar="GRADE",
        show_default="any positive grade",
        rare=True,
    ),
    # how differences are tested
    "test": option(STATISTICS, f"The paired test: {_TESTS}.", metavar="TEST", show_default=False),
    "correction": option(
        STATISTICS,
        "Of p-values: max_t (with the default test), holm, bonferroni, bh, none.",
        metavar="HOW",
        rare=True,
    ),
    "family": option(STATISTICS, "As for `compare`.", rare=True),
    "alpha": option(STATISTICS, "As for `compare`.", rare=True),
    "alternative": option(
        STATISTICS,
        "Two-sided; or run_a (with a baseline: the other run) is better, or worse.",
        rare=True,
    ),
    "trials": option(
        STATISTICS,
        f"Trials of tests that draw: {', '.join(tests.DRAWING)} and, in compare, hsd.",
        rare=True,
    ),
    "samples": option(
        STATISTICS, "Bootstrap samples for the intervals of correlations.", rare=True
    ),
    "seed": option(STATISTICS, "As for `compare`.", rare=True),
    "intervals": option(STATISTICS, "As for `compare`.", rare=True),
    "hsd": option(
        STATISTICS,
        "Tukey's HSD of all runs: randomized or parametric.",
        metavar="HOW",
        show_default=False,
    ),
    "order": option(
        STATISTICS,
        "How preferences order the runs: mean, win_rate, borda, copeland, mc4 (as the papers), "
        "kemeny or bradley_terry. Metrics order them by their mean.",
        metavar="HOW",
        rare=True,
    ),
    "baseline": option(
        STATISTICS,
        "Compare others with this run, not all pairs.",
        metavar="RUN",
        show_default=False,
    ),
    "replicates": option(
        STATISTICS,
        "What the column replicate of runs or scores, or several files of a run (NAME=FOLDER, "
        "NAME='PATTERN'), are: each run's own seeds, each request's samples, each cell's "
        "repetitions, or seeds that all share.",
        rare=True,
    ),
    "seeds": option(
        STATISTICS, "With --replicates run, whether replicates of one name share a seed.", rare=True
    ),
    "by": option(STATISTICS, "Group requests by it; repeat for several.", metavar="ATTRIBUTE"),
    "weights": option(
        STATISTICS,
        "With --requests, their weights: the column of traffic, say; only ratios count.",
        metavar="COLUMN",
        rare=True,
    ),
    "strata": option(
        STATISTICS, "With --requests, the column of their strata.", metavar="COLUMN", rare=True
    ),
    "shares": option(
        STATISTICS,
        "With --strata, the part of the traffic that each has: head=.6,tail=.4.",
        metavar="NAME=SHARE,...",
        rare=True,
    ),
    # what is written and printed
    "out": output("Write all tables here, as Parquet.", "--out", "-o", metavar="DIR"),
    "keep": option(
        OUTPUT,
        "Of data evaluated in parts, also write scores or preferences, in parts, to --out.",
        metavar="TABLE",
        rare=True,
    ),
    "resume": option(
        OUTPUT,
        "Go on with an evaluation in parts that was interrupted, in the same --out.",
        rare=True,
    ),
    "table": option(
        OUTPUT,
        "One table: means, comparisons, scores, verdict ...",
        metavar="NAME",
        show_default=False,
    ),
    "wide": option(OUTPUT, "Print all columns of the table."),
    "all": option(OUTPUT, "Print all tables to look at, not the main one."),
    "report": output("Write one HTML page to look around in."),
    "format": option(
        OUTPUT, "table (default), csv, json, latex or markdown.", metavar="FORM", show_default=False
    ),
}
"""What Typer has to know of the parameters of commands, by name.

A command that means something else by a name says so itself, in the type of its parameter.
"""


@dataclass(frozen=True)
class Passed:
    """Parameters of a function as options of a command, which gets the given values.

    Attributes
    ----------
    function
        The function, whose signature has their types and defaults.
    names
        The names of the parameters, with blanks between; ``group=COLUMN`` also says what help
        calls the value.
    panel
        The panel of help that shows them, each with the first sentence of its docstring. Without a
        panel `OPTIONS` says what help shows.
    rare
        More names: only ``--help-all`` shows these.
    """

    function: Any
    names: str
    panel: str = ""
    rare: str = ""

    def options(self) -> Iterator[Parameter]:
        """Yield the parameters as Typer wants them."""
        types, declared = get_type_hints(self.function), signature(self.function).parameters
        for name, metavar, is_rare in self._metavars():
            kind, default = _kind_of_option(types[name]), declared[name].default
            default = None if get_origin(kind) is list else default
            kind = kind if default is not None else kind | None
            if self.panel:
                info = self._shown(kind, metavar, rare=is_rare)
                kind = getitem(Annotated, (kind, info))
            yield declared[name].replace(default=default, annotation=kind)

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the function; one that was not given keeps its default."""
        return {name: values[name] for name, *_ in self._metavars() if values[name] is not None}

    def _metavars(self) -> Iterator[tuple[str, str, bool]]:
        for names, is_rare in ((self.names, False), (self.rare, True)):
            for name, _, metavar in (text.partition("=") for text in names.split()):
                yield name, metavar, is_rare

    def _shown(self, kind: Any, metavar: str, *, rare: bool) -> Any:
        said = f"As for `{self.function.__module__}.{self.function.__name__}`."
        if get_origin(kind) is Literal:
            said, metavar = f"{said} ({', '.join(get_args(kind))})", metavar or "HOW"
        return option(self.panel, said, metavar=metavar or None, rare=rare)


def _kind_of_option(kind: Any) -> Any:
    """Return a type of the command line: text, a number, a choice, or a list of one of these.

    Examples
    --------
    >>> from collections.abc import Mapping, Sequence
    >>> _kind_of_option(float | None), _kind_of_option(str | Mapping[str, str])
    (<class 'float'>, <class 'str'>)
    >>> _kind_of_option(str | Sequence[str])
    list[str]
    """
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    several = [get_args(k)[0] for k in kinds if _is_collection(k)]
    if several:
        return list[several[0]]  # type: ignore[valid-type]
    return next(k for k in kinds if k in (str, int, float, bool) or get_origin(k) is Literal)


def _is_collection(kind: Any) -> bool:
    of = get_origin(kind)
    return isinstance(of, type) and issubclass(of, Collection) and len(get_args(kind)) == 1


_REFERENCE = re.compile(r"As for `([\w.]+)`\.?( \(.*\))?")
_SECTION = re.compile(r"\nParameters\n-+\n(.*?)(?=\n\n\S|\Z)", re.S)
_ENTRY = re.compile(r"^(\w[\w, ]*?\w|\w)(?: :[^\n]*)?\n((?: {4}[^\n]*\n?|\n)*)", re.M)
_END = re.compile(r"(?<!\.)\.(?:\s+|\Z)")
_OF_PYTHON = re.compile(r",? or ``\{.*?\}``|,? as for `.*?`|``| \(see the notes\)")


def first_sentence(name: str, help: str) -> str:
    """Return the help of an option; "As for `x`" stands for the first sentence of x on the name.

    Examples
    --------
    >>> first_sentence("alpha", "As for `evaluate`.")
    'Significance level of the tests; the confidence intervals have level 1 − alpha.'
    """
    choices = ""
    while found := _REFERENCE.match(help):
        called = found[1] if "." in found[1] else f"lexiframe.{found[1]}"
        help, choices = _documented(called).get(name, ""), choices or found[2] or ""
        is_said = {*re.findall(r"\w+", choices)} <= {*re.findall(r"\w+", _END.split(help)[0])}
        help = f"{_END.split(help)[0]}{'' if is_said else choices}."
    return _OF_PYTHON.sub("", help)


@cache
def _documented(function: str) -> dict[str, str]:
    """Return the text on each parameter in the docstring of a function, by its name."""
    section = _SECTION.search(getdoc(resolve_name(function)) or "")
    entries = _ENTRY.findall(f"{section[1]}\n") if section else []
    return {name: " ".join(said.split()) for names, said in entries for name in names.split(", ")}
