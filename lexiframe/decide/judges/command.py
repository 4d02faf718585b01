"""The command that compares judges: ``lexiframe judges``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.base import LexiframeError, printed, unknown_name
from lexiframe.core.cli.arguments import holds_judgments, refuse_measures
from lexiframe.core.cli.inputs import (
    InputOptions,
    NuggetOptions,
    as_columns,
    as_grades,
    found_runs,
    named_file,
    refuse_replacing,
)
from lexiframe.core.cli.options import INPUT, STATISTICS, Format, option
from lexiframe.core.cli.output import print_json, print_table, say
from lexiframe.core.evaluation import MEASURES
from lexiframe.core.io import (
    batches,
    data_sources,
    output_files,
    per_request_scores,
    qrel_files,
    read_qrels,
    run_scan,
    to_parquet,
)
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import Measure, grouping, measured, pairs, parse_measures
from lexiframe.core.significance import Family, Test, corrections
from lexiframe.core.views import sentences
from lexiframe.decide.judges.compare_judges import JudgeComparison, compare_judges
from lexiframe.decide.judges.judges import judge_agreement, judge_confusion
from lexiframe.decide.judges.own_family import own_family
from lexiframe.decide.judges.people_and_model import prediction_powered

PANEL = "Compare runs"
EXAMPLES = (
    "judges nist=qrels.txt llm=llm.txt",
    "judges nist=qrels.txt llm=llm.txt runs/ -m nDCG@10 -o results",
)

JudgeFiles = Annotated[
    list[str],
    option(
        INPUT,
        "The judgments of a judge, as in front of the runs; for files that look like runs.",
        metavar="NAME=FILE",
        rare=True,
        default_factory=list,
        show_default=False,
    ),
]
SomeRuns = Annotated[
    list[str],
    typer.Argument(
        metavar="[NAME=]QRELS... [RUN...]",
        help="The judgments of two judges or more, and what to call each; then runs: files in any "
        "form, folders, globs, or -. Without runs grades are compared.",
        default_factory=list,
        show_default=False,
    ),
]
_SCORES = """Files have the scores of runs per request, people=FILE auto=FILE; no judgments, no
runs. -m people=A -m auto=B compares measures of other names."""
OfScores = Annotated[bool, option(INPUT, _SCORES, rare=True)]


@dataclass
class JudgeOptions(InputOptions):
    """The judgments of several judges, perhaps runs, and how both are read; or judges' scores."""

    qrels: JudgeFiles  # type: ignore[assignment]
    runs: SomeRuns
    scores: OfScores = False
    answers: NuggetOptions = field(default_factory=NuggetOptions)
    missing: missing_requests.Missing | None = None

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, or answers that have some, in place of judgments and runs."""
        return self.scores or self.answers.nuggets

    def __post_init__(self) -> None:
        """Move the judges' files from the runs to the judgments."""
        if self.has_scores:
            self.qrels = [*self.qrels, *map(_name_file, self.runs)]
            self.runs = []
            return
        judged = [text for text in self.runs if _is_of_judge(text)]
        self.qrels = [*self.qrels, *(_name_file(text) for text in judged)]
        self.runs = [text for text in self.runs if text not in judged]

    def scan(self) -> run_scan.RunScan:
        """Find the runs, which are read later, one file at a time."""
        refuse_measures(self.runs)
        return found_runs(self.runs, **self._run_options())

    def files(self) -> dict[str, str]:
        """Return the file of each judge; raise for a judge without a name, or named twice."""
        if not self.qrels:
            raise typer.BadParameter(
                "expected the judgments of two judges or more, nist=qrels.txt llm=llm.txt, found "
                "none" + (f" ({', '.join(self.runs)} look like runs)" if self.runs else "")
            )
        found: dict[str, str] = {}
        for text in self.qrels:
            name, is_named, path = text.partition("=")
            if not (name and is_named and path):
                raise typer.BadParameter(
                    f"--qrels: expected NAME=FILE (nist=qrels.txt), found {text!r}"
                )
            if name in found:
                raise typer.BadParameter(f"expected each judge once, found {name!r} twice")
            found[name] = path
        if [*found.values(), *self.runs].count(data_sources.STANDARD_INPUT) > 1:
            raise LexiframeError("standard input holds one file, not several; name the others")
        return found

    def judges(self) -> dict[str, Any]:
        """Read judgments or scores if options say how; else return the paths."""
        self.answers.refuse(self, has_scores=self.has_scores)
        if self.answers.nuggets:
            answers, rel = self.answers, self.policies.rel
            of_judges = self.files().items()
            return {n: answers.read(p, rel, f"judge {n!r}: ") for n, p in of_judges}
        if self.scores:
            said: dict[str, Any] = {"columns": as_columns(self.column), "na_values": self.na_values}
            read = per_request_scores.read_scores
            return {
                n: read(p, **said) if any(said.values()) else p for n, p in self.files().items()
            }
        if self.missing is not None:
            raise typer.BadParameter("--missing is for --scores; leave it out")
        is_usual = not self.qrels_header and self.decimal == "." and not self.qrels_column
        if (
            is_usual
            and not self.grade
            and not self.na_values
            and self.policies.duplicates == "error"
        ):
            return {name: batches.judgments_in(path) for name, path in self.files().items()}
        said = self._text_options(self.qrels_header, self.qrels_column)
        said |= {"duplicates": self.policies.duplicates, "grades": as_grades(self.grade)}
        return {name: read_qrels(path, **said) for name, path in self.files().items()}

    def judged_files(self) -> list[str]:
        """Return the files of the judges."""
        return [*self.files().values()]


def _is_of_judge(text: str) -> bool:
    given = named_file(text)
    return holds_judgments(given if isinstance(given, str) else next(iter(given.values())))


def _name_file(text: str) -> str:
    """Return NAME=FILE; a file without a name is called like itself, without its ending."""
    return text if isinstance(named_file(text), dict) else f"{Path(text).stem}={text}"


Human = Annotated[
    str | None,
    option(
        STATISTICS,
        "The judge whose judgments are right, of some requests drawn at random: show means by this "
        "judge and each other one together.",
        "--human",
        metavar="NAME",
    ),
]
_FAMILIES = """The family of each run (columns run, family): show whether judges favour their own
family (--own), against the first judge."""
Families = Annotated[str | None, option(STATISTICS, _FAMILIES, metavar="FILE", rare=True)]
_OWN = "The judges' own family; JUDGE=NAME says that of one judge, repeat for several."
Own = Annotated[
    list[str],
    option(STATISTICS, _OWN, metavar="NAME", rare=True, default_factory=list, show_default=False),
]
Top = Annotated[int | None, option(STATISTICS, "As for `compare_judges`.", metavar="K", rare=True)]
_LIMIT = option(STATISTICS, "As for `compare_judges`.", rare=True)


@dataclass
class JudgeTests:
    """How the runs are compared under each judge, and within which groups of requests."""

    test: Test = "auto"
    correction: corrections.PairedCorrection = "auto"
    family: Family = "measure"
    alpha: float = 0.05
    trials: int = 10_000
    samples: int = 1000
    seed: int = 0
    baseline: str | None = None
    top: Top = None
    least_found: Annotated[float, _LIMIT] = 0.8
    most_reversed: Annotated[int, _LIMIT] = 0
    least_tau: Annotated[float, _LIMIT] = 0.7
    fewest: Annotated[int, _LIMIT] = 5
    requests: str | None = None
    by: list[str] | None = None

    def refuse_without_runs(self, measure: list[str] | None) -> None:
        """Raise for options that say how runs are compared."""
        others = [f for f in fields(self) if f.name not in ("requests", "by")]
        told = [
            f"--{f.name.replace('_', '-')}" for f in others if getattr(self, f.name) != f.default
        ]
        for name in [*(["--measure"] if measure else []), *told]:
            raise typer.BadParameter(
                f"{name} says how runs are compared, and no run is given; name runs, or leave it "
                "out"
            )


def judges(
    *,
    inputs: JudgeOptions,
    measure: list[str] | None = None,
    tests: JudgeTests,
    own: Own,
    human: Human = None,
    families: Families = None,
    out: Path | None = None,
    all: bool = False,
    format: Format = "table",
) -> None:
    """Compare judges: how far their grades agree and, with runs, the conclusions that follow.

    Other judges are compared with the first one. The formats csv, latex and markdown have one
    table: the conclusions about pairs of runs, without runs the agreement about grades, with
    --human the means by people and model together, or with --families the favour of each judge.
    """
    grouping.names_of(tests.requests, tests.by)
    if not (inputs.runs or inputs.has_scores):
        tests.refuse_without_runs(measure)
    _refuse_outputs(out, inputs, tests, families)
    if families is not None or own:
        _print_favour(inputs, families, own, human, measure, tests, out, format)
        return
    if human is not None:
        _print_powered(inputs, human, parse_measures(measure or MEASURES), tests, out, format)
        return
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(tests.requests), "by": tests.by}
    how: dict[str, Any] = vars(tests) | groups
    if inputs.has_scores:
        judged = inputs.judges()
        how["missing"], asked = inputs.missing, _asked_of_scores(measure, judged)
        found = compare_judges(None, judged, asked, **how)
    elif not inputs.runs:
        _print_grades(inputs, groups, out, format)
        return
    else:
        how |= vars(inputs.policies)
        found = compare_judges(inputs.scan(), inputs.judges(), measure or MEASURES, **how)
    if out is not None:
        paths = found.write(out)
        typer.echo(f"wrote {len(paths)} tables to {out}", err=True)
    if format == "table":
        typer.echo(str(found.summary("all" if all else "first")))
    elif format == "json":
        print_json({name: table.to_dicts() for name, table in found.tables().items()})
    else:
        print_table(found.conclusions, format, tests.alpha)


def _print_powered(
    inputs: JudgeOptions, human: str, asked: list[Measure], tests: JudgeTests, out: Path | None,
    format: Format,
) -> None:  # fmt: skip
    """Print means by people on some requests and each model on all: `prediction_powered`."""
    judges = inputs.judges()
    if human not in judges:
        raise unknown_name("judge", human, judges)
    found = _scores_by_judge("--human", inputs, judges, asked)
    tables = [
        prediction_powered(found[human], found[name], alpha=tests.alpha).select(
            "run", "measure", pl.lit(name).alias("judge"), pl.exclude("run", "measure")
        )
        for name in found
        if name != human
    ]
    table = pl.concat(tables).sort("run", "measure", "judge")
    if out is not None:
        to_parquet.write_tables(out, {"prediction_powered": table})
        typer.echo(f"wrote {out / 'prediction_powered.parquet'}", err=True)
    notes: list[str] = []
    if format == "table":
        table, notes = sentences.cut_at_bounds(table)
        read = ["judge", "run", "measure", "mean", "ci_low", "ci_high", "people_mean"]
        table = table.select(*read, "model_mean", "weight", "effective_n", "n", "n_model")
        table = printed.join_interval_ends(table.sort("measure", "run", maintain_order=True))
    print_table(table, format)
    for note in notes:
        say(note)


def _scores_by_judge(
    option: str, inputs: JudgeOptions, judges: Mapping[str, Any], asked: list[Measure]
) -> dict[str, pl.DataFrame]:
    """Compute the scores of the runs under each judge."""
    metrics = [one for one in asked if isinstance(one, Metric)]
    if not inputs.runs or not metrics:
        raise typer.BadParameter(f"{option} needs runs, and metrics to take the means of (-m AP)")
    found = {}
    for name, qrels in judges.items():
        projected = measured.project_runs(inputs.scan(), qrels, metrics, inputs.policies)
        found[name] = pairs.tables_of(projected.whole(metrics))[0]
    return found


def _asked_of_scores(measure: list[str] | None, judges: Mapping[str, Any]) -> Any:
    """Return the measures of scores, by judge where ``-m JUDGE=MEASURE`` says so."""
    named = [text.partition("=") for text in measure or []]
    if not named or not all(name in judges and path for name, _, path in named):
        return measure or None
    return {name: [text for one, _, text in named if one == name] for name, _, _ in named}


def _print_favour(
    inputs: JudgeOptions, families: str | None, own: list[str], human: str | None,
    measure: list[str] | None, tests: JudgeTests, out: Path | None, format: Format,
) -> None:  # fmt: skip
    """Print whether each judge favours the runs of its own family, by the first judge's scores."""
    if families is None or not own:
        raise typer.BadParameter("--families and --own: expected both, the file and the family")
    if human is not None or tests.by:
        other = "--by" if human is None else "--human"
        raise typer.BadParameter(f"--families looks at all requests and judges; leave {other} out")
    scores, asked = inputs.judges(), None
    if inputs.has_scores:
        asked = _asked_of_scores(measure, scores)
    else:
        scores = _scores_by_judge("--families", inputs, scores, parse_measures(measure or MEASURES))
    first = next(iter(scores))
    people = scores.pop(first)
    if isinstance(asked, dict):
        asked = {"people" if judge == first else judge: names for judge, names in asked.items()}
    parts = [text.partition("=") for text in own]
    named = {judge: family for judge, is_named, family in parts if judge in scores and is_named}
    if len(own) > 1 and len(named) < len(own):
        raise typer.BadParameter(
            f"--own: expected one family, or JUDGE=NAME for each of {', '.join(scores)}, found "
            f"{', '.join(own)}"
        )
    table = own_family(people, scores, families, named or own[0], measures=asked, alpha=tests.alpha)
    if out is not None:
        to_parquet.write_tables(out, {"own_family": table})
        typer.echo(f"wrote {out / 'own_family.parquet'}", err=True)
    shown = printed.join_interval_ends(table.drop("se", "p_value", "reason"))
    _print_told(table, shown, format)


def _print_told(table: pl.DataFrame, shown: pl.DataFrame, format: Format) -> None:
    """Print a table; for reading its sentences, and the columns that have room."""
    if format != "table":
        print_table(table, format)
        return
    typer.echo(f"{sentences.verdict(table)}\n")
    print_table(shown, format)


_OF_GRADES = ("judge_agreement", "judge_confusion")
"""The tables that are written when there are no runs."""
_READ_FIRST = ("judge_a", "judge_b", "n", "agreement", "kappa", "kappa_quadratic", "alpha")
"""The columns of agreement that have room; the sentence has that about relevant or not."""


def _print_grades(
    inputs: JudgeOptions, groups: Mapping[str, Any], out: Path | None, format: Format
) -> None:
    """Print how far the grades agree, and write that and the confusion of grades."""
    read = {name: read_qrels(qrels) for name, qrels in inputs.judges().items()}
    table = judge_agreement(read, inputs.policies.rel, **groups)
    if out is not None:
        confusion = judge_confusion(read, **groups)
        to_parquet.write_tables(out, dict(zip(_OF_GRADES, (table, confusion), strict=True)))
        typer.echo(f"wrote {len(_OF_GRADES)} tables to {out}", err=True)
    by = table.columns[: table.columns.index("judge_a")]
    _print_told(table, table.select(*by, *_READ_FIRST, pl.exclude(*by, *_READ_FIRST)), format)


def _refuse_outputs(
    out: Path | None, inputs: JudgeOptions, tests: JudgeTests, families: str | None
) -> None:
    """Raise if output files cannot be written, or would replace input files."""
    judged = inputs.files()
    if out is None:
        return
    output_files.refuse_unwritable(out)
    names = ["own_family"] if families else [*_OF_GRADES, "prediction_powered"]
    files = [out / f"{name}.parquet" for name in names]
    if (inputs.runs or inputs.has_scores) and not families:
        files = JudgeComparison.files(out)
    output_files.refuse_outputs(files)
    scan = inputs.scan() if inputs.runs else None
    refuse_replacing(files, [*judged.values(), tests.requests, families], scan)
