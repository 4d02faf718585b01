"""The arguments and options of the command line, by the panels of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from lexiframe.base import LexiframeError
from lexiframe.io import output_files, problems, qrel_files, reading_options, run_parts
from lexiframe.orderings import gaps
from lexiframe.projection import NoRelevant, ScoreType, Ties, Unjudged
from lexiframe.significance import Alternative, Correction, Family, Test, tests

Format = Literal["table", "json", "csv", "latex", "markdown"]
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
        **_of(INPUT),
    ),
]
OfMissing = Annotated[
    gaps.Missing | None,
    typer.Option(
        "--missing",
        help="With --scores, where runs lack requests that others have: 0 for these, only the "
        "requests common to all, or each run by its own. Default: no order of the runs.",
        **_of(INPUT),
    ),
]
HeldKind = Annotated[
    Kind | None,
    typer.Option("--as", help="What the file holds; found out if not given.", **_of(INPUT)),
]
ThirdColumn = Annotated[
    reading_options.Third | None,
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
NegativeGrades = Annotated[
    qrel_files.Negative,
    typer.Option(
        "--negative",
        help="Documents with a grade below 0 were pooled but not judged, as in trec_eval, or are "
        "judged not relevant, as the spam of ClueWeb.",
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
    run_parts.NameFrom,
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
Level = Annotated[
    float | None,
    typer.Option(
        metavar="GRADE",
        help="As trec_eval -l: the lowest relevant grade of measures without gains; nDCG, ERR and "
        "other measures with gains keep those of lower grades.",
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
    problems.Duplicates,
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
        return output_files.output_path(text)
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
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Take no more memory than this, as in 4GB: larger data are evaluated in parts.",
        show_default="four fifths of what is available",
        **_of(INPUT),
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="TABLE",
        help="Of data evaluated in parts, also write scores or preferences, in parts, to --out.",
        **_of(OUTPUT),
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with an evaluation in parts that was interrupted, in the same --out.",
        **_of(OUTPUT),
    ),
]
ReuseFolder = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        metavar="FOLDER",
        parser=place,
        help="Take what still holds from results written with --out; it may be the same folder.",
        **_of(INPUT),
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
        help="Write all of it here as one HTML page to look around in.",
        **_of(OUTPUT),
    ),
]
AsFormat = Annotated[
    Format,
    typer.Option(
        "--format",
        help="The format of the output; for evaluate, csv prints the orderings, latex (booktabs) "
        "and markdown the means with marks of significance. In csv, ' precedes text that a "
        "spreadsheet would run as a formula.",
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
        help=f"Trials of the {' and '.join(tests.DRAWING)} tests, and of --hsd.", **_of(STATISTICS)
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
