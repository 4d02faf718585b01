"""The options of the command line, and the translation of advice from arguments to options."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import typer

from lexiframe.cli_arguments import explained, refuse_misplaced
from lexiframe.errors import LexiframeError
from lexiframe.io.files.outputs import output_path
from lexiframe.io.files.sources import STANDARD_INPUT, File
from lexiframe.io.options import Third
from lexiframe.io.problems.duplicates import Duplicates
from lexiframe.io.qrels import read_qrels
from lexiframe.io.run_parts import NameFrom
from lexiframe.io.runs import RunScan, scan_runs
from lexiframe.io.score_forms.sources import score_files
from lexiframe.projection.policies import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.significance.differences import Alternative
from lexiframe.significance.paired import Correction, Family, Test

Format = Literal["table", "json", "csv"]
Kind = Literal["run", "qrels"]
Decimal = Literal[".", ","]

# The panels of a command's help, in the order in which they are shown.
INPUT, POLICIES, MEASURES = "Input", "Policies", "Measures"
STATISTICS, OUTPUT = "Statistics", "Output"


def _of(panel: str) -> dict[str, Any]:
    return {"rich_help_panel": panel}


QrelsPath = Annotated[
    str,
    typer.Argument(metavar="QRELS", help="Judgments: a file in any form, or - (standard input)."),
]
RunPaths = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="Runs: files in any form, folders, globs, or -."),
]
TwoRuns = Annotated[
    list[str],
    typer.Argument(metavar="A B", help="Two runs: files in any form; - is standard input."),
]
FirstFile = Annotated[
    str,
    typer.Argument(
        metavar="QRELS",
        help="Judgments: a file in any form, or - (standard input). With --scores: scores.",
    ),
]
FurtherFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Runs: files in any form, folders, globs, or -. With --scores: more scores.",
        default_factory=list,
        show_default=False,
    ),
]
AreScores = Annotated[
    bool,
    typer.Option(
        "--scores",
        help="All files hold scores per request, as trec_eval -q and other tools write them.",
    ),
]
HeldKind = Annotated[
    Kind | None,
    typer.Option("--as", help="What the file holds; found out if not given.", **_of(INPUT)),
]
ThirdColumn = Annotated[
    Third | None,
    typer.Option(
        "--third", help="What the third column of a run with three columns is.", **_of(INPUT)
    ),
]
HasHeader = Annotated[
    bool,
    typer.Option(
        "--header", help="Text files of runs begin with a line of column names.", **_of(INPUT)
    ),
]
QrelsHeader = Annotated[
    bool,
    typer.Option(
        "--qrels-header",
        help="Text files of judgments begin with a line of column names.",
        **_of(INPUT),
    ),
]
RunColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="The name of a column in the file: query_id=topic; repeat for several.",
        **_of(INPUT),
    ),
]
QrelsColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--qrels-column", metavar="OURS=THEIRS", help="The same for the judgments.", **_of(INPUT)
    ),
]
DecimalMark = Annotated[
    Decimal, typer.Option("--decimal", help="The decimal mark in text files.", **_of(INPUT))
]
NamedBy = Annotated[
    NameFrom,
    typer.Option(
        "--name-from", help="Name runs by their files, or by the tags in them.", **_of(INPUT)
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="Measures, as in -m AP,nDCG@10 or -m AP -m nDCG@10; `lexiframe measures` lists them.",
        show_default="RPP LR LP AP nDCG@10 RR",
        **_of(MEASURES),
    ),
]
Rel = Annotated[
    float | None,
    typer.Option(
        help="The lowest grade that is relevant.",
        show_default="any positive grade",
        **_of(MEASURES),
    ),
]
TiePolicy = Annotated[
    Ties, typer.Option(help="How documents with equal scores are ordered.", **_of(POLICIES))
]
ScoresAs = Annotated[
    ScoreType,
    typer.Option(
        help="How scores are compared; trec_eval up to 9.0.8 and pytrec_eval use float32.",
        **_of(POLICIES),
    ),
]
WithoutRelevant = Annotated[
    NoRelevant,
    typer.Option(
        help="Leave out requests without a relevant item, or score them 0.", **_of(POLICIES)
    ),
]
Repeated = Annotated[
    Duplicates,
    typer.Option(help="Refuse repeated documents, or keep the best-ranked one.", **_of(POLICIES)),
]
NotJudged = Annotated[
    Unjudged,
    typer.Option(
        help="Keep unjudged documents, or remove them as trec_eval -J does.", **_of(POLICIES)
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="Cut all rankings at this rank, once ties are broken, as trec_eval -M does.",
        show_default="no cut",
        **_of(POLICIES),
    ),
]
ExcludeSelf = Annotated[
    bool,
    typer.Option(
        "--exclude-self",
        help="Leave out documents that have the id of their query.",
        **_of(POLICIES),
    ),
]


def place(text: str | Path) -> Path:
    """Return the path of an output; raise the error that Typer prints when the text is no path."""
    try:
        return output_path(text)
    except LexiframeError as error:
        raise typer.BadParameter(str(error)) from None


OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        parser=place,
        help="Write all tables here, as Parquet.",
        **_of(OUTPUT),
    ),
]
OutFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        parser=place,
        help="Write the table here, as its ending says: .parquet, .csv or .json.",
        **_of(OUTPUT),
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        parser=place,
        help="Write a summary here, as HTML.",
        **_of(OUTPUT),
    ),
]
AsFormat = Annotated[
    Format,
    typer.Option(
        "--format",
        help="The format of the output; for evaluate, csv prints the orderings. In csv, ' precedes "
        "text that a spreadsheet would run as a formula.",
        **_of(OUTPUT),
    ),
]

PairedTest = Annotated[Test, typer.Option(help="The paired test.", **_of(STATISTICS))]
Corrected = Annotated[
    Correction,
    typer.Option(help="Correction of p-values for many comparisons.", **_of(STATISTICS)),
]
InFamily = Annotated[
    Family,
    typer.Option(
        help="Correct over the pairs of each measure, or of all measures.", **_of(STATISTICS)
    ),
]
Alpha = Annotated[float, typer.Option(help="Significance level of the tests.", **_of(STATISTICS))]
Side = Annotated[
    Alternative,
    typer.Option(
        help="Two-sided; or run_a (with a baseline: the other run) is better, or worse.",
        **_of(STATISTICS),
    ),
]
Trials = Annotated[
    int,
    typer.Option(
        help="Trials of the randomization and bootstrap tests, and of --hsd.", **_of(STATISTICS)
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        help="Seed of these tests; the same seed gives the same table.", **_of(STATISTICS)
    ),
]
Intervals = Annotated[
    Literal["t", "bca"],
    typer.Option(
        help="Confidence intervals of the mean differences: Student's t, or BCa bootstrap.",
        **_of(STATISTICS),
    ),
]
HonestDifference = Annotated[
    Literal["randomized", "parametric"] | None,
    typer.Option(
        "--hsd",
        help="Tukey's HSD over all runs, instead of a paired test and its correction.",
        show_default="no",
        **_of(STATISTICS),
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="RUN",
        help="The run that the others are compared with; positive differences are then better.",
        show_default="all pairs",
        **_of(STATISTICS),
    ),
]
RequestsFile = Annotated[
    str | None,
    typer.Option(
        "--requests",
        metavar="FILE",
        help="Attributes of requests: query_id and other columns.",
        **_of(INPUT),
    ),
]
GroupedBy = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="ATTRIBUTE",
        help="Group requests by this attribute; repeat for several.",
        **_of(STATISTICS),
    ),
]


@dataclass
class InputOptions:
    """What is read and how, and the policies of ranking, for all commands that compare runs."""

    qrels: QrelsPath
    runs: RunPaths
    third: ThirdColumn = None
    header: HasHeader = False
    qrels_header: QrelsHeader = False
    column: RunColumns = None
    qrels_column: QrelsColumns = None
    decimal: DecimalMark = "."
    name_from: NamedBy = "file"
    ties: TiePolicy = "doc_id_desc"
    score_type: ScoresAs = "float64"
    no_relevant: WithoutRelevant = "drop"
    duplicates: Repeated = "error"
    unjudged: NotJudged = "keep"
    depth: Depth = None
    exclude_self: ExcludeSelf = False
    rel: Rel = None

    def scan(self) -> RunScan:
        """Find the runs, which are read later, one file at a time."""
        if self.qrels == STANDARD_INPUT and STANDARD_INPUT in self.runs:
            raise LexiframeError(
                "standard input holds the judgments or a run, not both; name a file"
            )
        refuse_misplaced(self.qrels, self.runs)
        said = self._text_options(self.header, self.column)
        return scan_runs(self.runs, third=self.third, name_from=self.name_from, **said)

    def judgments(self) -> Any:
        """Read the judgments if options say how; else return the path for the library to read."""
        if not self.qrels_header and self.decimal == "." and not self.qrels_column:
            return self.qrels
        said = self._text_options(self.qrels_header, self.qrels_column)
        return read_qrels(self.qrels, duplicates=self.duplicates, **said)

    def policies(self) -> dict[str, Any]:
        """Return the policies by name."""
        return {field.name: getattr(self, field.name) for field in fields(Policies)}

    def _text_options(self, header: bool, column: list[str] | None) -> dict[str, Any]:
        return {"header": header, "decimal": self.decimal, "columns": as_columns(column)}


@dataclass
class PairOptions(InputOptions):
    """The same for a command about two runs, in the order in which they are given."""

    runs: TwoRuns

    def scan(self) -> RunScan:
        """Find the two runs; two files of one name are called by their paths."""
        if len(self.runs) != 2:
            raise typer.BadParameter(f"expected two runs, A and B, found {len(self.runs)}")
        one, other = (InputOptions.scan(replace(self, runs=[run])) for run in self.runs)
        sources = (*one.sources, *other.sources)
        if len(sources) != 2 or self.runs[0] == self.runs[1]:
            raise LexiframeError(
                f"expected two runs, found {len(set(sources))} in {' and '.join(self.runs)}; name "
                "two files"
            )
        if sources[0].name is not None and sources[0].name == sources[1].name:
            named = zip(sources, self.runs, strict=True)
            sources = tuple(replace(source, name=run, is_given=True) for source, run in named)
        return replace(one, sources=sources, stamps={})


@dataclass
class EvaluatedOptions(InputOptions):
    """What `evaluate` reads: judgments and runs, or with ``--scores`` files of scores alone."""

    # Typer takes the default of a list from its own factory alone.
    qrels: FirstFile
    runs: FurtherFiles
    scores: AreScores = False

    def scan(self) -> RunScan:
        """Find the runs; raise for judgments without any, which Typer no longer does."""
        if not self.runs:
            raise typer.BadParameter("expected at least one run after QRELS, found none")
        return super().scan()

    def score_files(self) -> list[File]:
        """Find the files of scores; raise for options that say how judgments and runs are read."""
        for option in fields(InputOptions):
            if option.default is not MISSING and getattr(self, option.name) != option.default:
                name = option.name.replace("_", "-")
                raise typer.BadParameter(
                    f"--{name} says how judgments and runs are read, and --scores reads neither; "
                    "leave it out"
                )
        return score_files([self.qrels, *self.runs])


@dataclass
class InferenceOptions:
    """The options of `compare` that all commands with tests have."""

    test: PairedTest = "t"
    correction: Corrected = "holm"
    family: InFamily = "measure"
    alpha: Alpha = 0.05
    alternative: Side = "two-sided"
    trials: Trials = 10_000
    seed: Seed = 0


def with_groups_of_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the fields of a command's dataclasses as options of the command."""
    declared = signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in declared if is_dataclass(p.annotation)}
    options: list[Parameter] = []
    for parameter in declared:
        group = groups.get(parameter.name)
        found = (
            [parameter] if group is None else signature(group, eval_str=True).parameters.values()
        )
        options += [option.replace(kind=Parameter.KEYWORD_ONLY) for option in found]

    @wraps(command)
    def of_options(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        try:
            command(**given)
        except LexiframeError as error:
            inputs = next(value for value in given.values() if isinstance(value, InputOptions))
            raise explained(error, inputs.qrels) from None

    vars(of_options)["__signature__"] = Signature(options)  # Typer reads the options from it
    return of_options


_ARGUMENT = re.compile(
    r"\b(header|decimal|third|name_from|ties|score_type|no_relevant|duplicates|unjudged|requests|by|"
    r"baseline|exclude_self|depth)"
    r"=(?:True|'([^']+)')"
)
_CHECKS = re.compile(r"\blexiframe\.check_(?:run|qrels)\b")
_COLUMNS = re.compile(r"\bcolumns=\{([^}]*)\}")
_COLUMN = re.compile(r"'(\w+)': '([^']*)'")


def as_columns(given: list[str] | None) -> dict[str, str]:
    """Turn ``--column query_id=topic`` into ``columns={"query_id": "topic"}``.

    Examples
    --------
    >>> as_columns(["query_id=topic", "doc_id=a=b"])
    {'query_id': 'topic', 'doc_id': 'a=b'}
    """
    columns = {}
    for text in given or []:
        ours, _, theirs = text.partition("=")
        if not ours or not theirs:
            raise typer.BadParameter(f"expected OURS=THEIRS (query_id=topic), found {text!r}")
        columns[ours] = theirs
    return columns


def as_options(message: str) -> str:
    """Translate advice about Python arguments into advice about options of the command line.

    Examples
    --------
    >>> as_options("a decimal comma: say so with decimal=','")
    'a decimal comma: say so with --decimal ,'
    >>> as_options("say so with header=True, or name_from='tag'")
    'say so with --header (of qrels --qrels-header), or --name-from tag'
    >>> as_options("attributes come from a file: requests='requests.csv', by='category'")
    'attributes come from a file: --requests FILE, --by category'
    >>> as_options("say which column it is: columns={'query_id': 'topic'}")
    'say which column it is: --column query_id=topic (of qrels --qrels-column)'
    >>> as_options("say what was measured (measure='AP'; evaluate_scores: measures='AP')")
    'say what was measured (-m AP)'
    >>> as_options("(4 more: lexiframe.check_run lists them)")
    '(4 more: `lexiframe check FILE` lists them)'
    """
    message = _CHECKS.sub("`lexiframe check FILE`", message)
    message = message.replace("measure='AP'; evaluate_scores: measures='AP'", "-m AP")
    message = message.replace("whose they are (run='bm25')", "add a column run that says whose")
    return _COLUMNS.sub(_as_column, _ARGUMENT.sub(_as_option, message))


def _as_column(argument: re.Match[str]) -> str:
    columns = [quote(f"{ours}={theirs}") for ours, theirs in _COLUMN.findall(argument[1])]
    more = " ..." if argument[1].endswith(", ...") else ""
    options = " ".join(f"--column {column}" for column in columns)
    return f"{options}{more} (of qrels --qrels-column)" if columns else argument[0]


def _as_option(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if name == "header":
        return "--header (of qrels --qrels-header)"
    if name == "requests":
        return "--requests FILE"
    option = f"--{name.replace('_', '-')}"
    return option if value is None else f"{option} {value}"
