"""The options of the command line: one table says what each is for, and where help shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from lexiframe.base import LexiframeError
from lexiframe.io import output_files
from lexiframe.significance import tests

Format = Literal["table", "json", "csv", "latex", "markdown"]
Kind = Literal["run", "qrels"]
AnyKind = Literal["run", "qrels", "votes", "scores"]
Decimal = Literal[".", ","]

# The panels of a command's help, in the order in which they are shown.
INPUT, MEASURES, POLICIES = "Input", "Measures", "Policies"
STATISTICS, OUTPUT = "Statistics", "Output"


def option(panel: str, help: str, *flags: str, **how: Any) -> Any:
    """Return what Typer has to know of an option; without flags it is called like its parameter."""
    return typer.Option(*flags, help=help, rich_help_panel=panel, **how)


def place(text: str | Path) -> Path:
    """Return the path of an output; raise the error that Typer prints when the text is no path."""
    try:
        return output_files.output_path(text)
    except LexiframeError as error:
        raise typer.BadParameter(str(error)) from None


def output(help: str, *flags: str, metavar: str = "FILE") -> Any:
    """Return what Typer has to know of an option that names a file or folder to write."""
    return option(OUTPUT, help, *flags, metavar=metavar, parser=place)


OutFile = Annotated[
    Path | None,
    output("Write the table here, as its ending says: .parquet, .csv or .json.", "--out", "-o"),
]

RARE = frozenset(
    """
    third better header qrels_header column qrels_column decimal negative name_from missing reuse
    memory ties score_type no_relevant duplicates unjudged exclude_self level family alternative
    trials samples seed seeds replicates order keep resume intervals depth measure_name sequential
    planned curve cluster junit same_ok smaller_is_better larger_is_better power any_measure
    """.split()
)
"""The options that ``--help`` leaves to ``--help-all``: few users need them on a usual day."""

OPTIONS: dict[str, Any] = {
    "qrels": typer.Argument(
        metavar="QRELS", help="Judgments: a file in any form, or - (standard input)."
    ),
    "runs": typer.Argument(
        metavar="RUN...", help="Runs: files in any form, folders, globs, or -; NAME=FILE names one."
    ),
    # how files are read
    "scores": option(
        INPUT,
        "Files have scores per request (trec_eval -q).",
        "--scores",
    ),
    "missing": option(
        INPUT,
        "With --scores, where runs lack requests that others have: 0 for these, only the requests "
        "common to all, or each run by its own. Default: no order of the runs.",
    ),
    "measure_name": option(
        INPUT,
        "With --scores, the name of the measure where a file has no column for it. Default: the "
        "file's name.",
        metavar="NAME",
    ),
    "kind": option(INPUT, "What the file holds; found out if not given.", "--as"),
    "third": option(INPUT, "What the third column of a run with three columns is."),
    "better": option(
        INPUT, "Which scores are better: low ones, as of distances, change their sign."
    ),
    "header": option(INPUT, "Text files of runs begin with a line of column names.", "--header"),
    "qrels_header": option(
        INPUT, "Text files of judgments begin with a line of column names.", "--qrels-header"
    ),
    "negative": option(
        INPUT,
        "Documents with a grade below 0 were pooled but not judged, as in trec_eval, or are judged "
        "not relevant, as the spam of ClueWeb.",
    ),
    "column": option(
        INPUT,
        "The name of a column in the file: query_id=topic; repeat for several.",
        metavar="OURS=THEIRS",
    ),
    "value": option(
        INPUT,
        "What a winner means: 1=a, 2=b, 0=tie or 0=both_bad; repeat for several. Others are names.",
        metavar="WINNER=SIDE",
    ),
    "qrels_column": option(INPUT, "The same for the judgments.", metavar="OURS=THEIRS"),
    "decimal": option(INPUT, "The decimal mark in text files."),
    "name_from": option(INPUT, "Name runs by their files, or by the tags in them."),
    "memory": option(
        INPUT,
        "Take no more memory than this, as in 4GB: larger data are evaluated in parts.",
        metavar="SIZE",
        show_default="four fifths of what is available",
    ),
    "reuse": option(
        INPUT,
        "Take what still holds from results written with --out; it may be the same folder.",
        metavar="FOLDER",
        parser=place,
    ),
    "requests": option(INPUT, "Attributes of requests, by query_id.", metavar="FILE"),
    # how documents are ranked and counted
    "ties": option(POLICIES, "How documents with equal scores are ordered."),
    "score_type": option(
        POLICIES, "How scores are compared; trec_eval up to 9.0.8 and pytrec_eval use float32."
    ),
    "no_relevant": option(POLICIES, "Leave out requests without a relevant item, or score them 0."),
    "duplicates": option(POLICIES, "Refuse repeated documents, or keep the best-ranked one."),
    "unjudged": option(POLICIES, "Keep unjudged documents, or remove them as trec_eval -J does."),
    "depth": option(
        POLICIES,
        "Cut all rankings at this rank, once ties are broken, as trec_eval -M does.",
        metavar="K",
        show_default="no cut",
    ),
    "exclude_self": option(
        POLICIES, "Leave out documents that have the id of their query.", "--exclude-self"
    ),
    # what is measured
    "measure": option(
        MEASURES,
        "Measures, as in -m AP,nDCG@10 or -m AP -m nDCG@10; `lexiframe measures` lists them.",
        "-m",
        "--measure",
        metavar="MEASURE",
        show_default="RPP LR LP AP nDCG@10 RR",
    ),
    "rel": option(
        MEASURES, "The lowest grade that is relevant.", show_default="any positive grade"
    ),
    "level": option(
        MEASURES,
        "As trec_eval -l: the lowest relevant grade of measures without gains; nDCG, ERR and other "
        "measures with gains keep those of lower grades.",
        metavar="GRADE",
        show_default="any positive grade",
    ),
    # how differences are tested
    "test": option(
        STATISTICS,
        f"The paired test: {', '.join(get_args(tests.Test))}.",
        metavar="TEST",
    ),
    "correction": option(STATISTICS, "Of p-values: holm, bonferroni, bh, none.", metavar="HOW"),
    "family": option(STATISTICS, "Correct over the pairs of each measure, or of all measures."),
    "alpha": option(STATISTICS, "Significance level of the tests."),
    "alternative": option(
        STATISTICS, "Two-sided; or run_a (with a baseline: the other run) is better, or worse."
    ),
    "trials": option(
        STATISTICS, f"Trials of tests that draw: {', '.join(tests.DRAWING)} and, in compare, hsd."
    ),
    "samples": option(STATISTICS, "Bootstrap samples for the intervals of correlations."),
    "seed": option(STATISTICS, "Seed of these tests; the same seed gives the same table."),
    "intervals": option(
        STATISTICS,
        "Confidence intervals of the mean differences: Student's t, or BCa bootstrap.",
    ),
    "hsd": option(
        STATISTICS,
        "Tukey's HSD over all runs, instead of a paired test and its correction.",
        show_default="no",
    ),
    "order": option(
        STATISTICS,
        "How preferences order the runs; the papers take mc4. Metrics order them by their mean.",
    ),
    "baseline": option(
        STATISTICS,
        "The run that the others are compared with.",
        metavar="RUN",
        show_default="all pairs",
    ),
    "replicates": option(
        STATISTICS,
        "What the column replicate of runs or scores, or several files of a run (NAME=FOLDER, "
        "NAME='PATTERN'), are: each run's own seeds, each request's samples, each cell's "
        "repetitions, or seeds that all share.",
    ),
    "seeds": option(
        STATISTICS, "With --replicates run, whether replicates of one name share a seed."
    ),
    "by": option(
        STATISTICS,
        "Group requests by it; repeat for several.",
        metavar="ATTRIBUTE",
    ),
    # what is written and printed
    "out": output("Write all tables here, as Parquet.", "--out", "-o", metavar="FOLDER"),
    "keep": option(
        OUTPUT,
        "Of data evaluated in parts, also write scores or preferences, in parts, to --out.",
        metavar="TABLE",
    ),
    "resume": option(
        OUTPUT,
        "Go on with an evaluation in parts that was interrupted, in the same --out.",
        "--resume",
    ),
    "table": option(
        OUTPUT,
        "One table: means, comparisons, scores, verdict ...",
        metavar="NAME",
        show_default=False,
    ),
    "wide": option(OUTPUT, "Print all columns of the table.", "--wide"),
    "all": option(OUTPUT, "Print all tables to look at, not the main one.", "--all"),
    "report": output("Write one HTML page to look around in."),
    "format": option(
        OUTPUT,
        "table, csv, json, latex or markdown.",
        metavar="FORM",
    ),
}
"""What Typer has to know of the parameters of commands, by name.

A command that means something else by a name says so itself, in the type of its parameter.
"""
