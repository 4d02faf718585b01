"""The groups of options that commands share, and how they find and read what is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from lexiframe.base import LexiframeError
from lexiframe.cli.arguments import explained, refuse_measures, refuse_misplaced
from lexiframe.cli.options import (
    Alpha,
    AreScores,
    Baseline,
    Corrected,
    DecimalMark,
    Depth,
    ExcludeSelf,
    FirstFile,
    FurtherFiles,
    GroupedBy,
    HasHeader,
    InFamily,
    Level,
    NamedBy,
    NegativeGrades,
    NotJudged,
    OfMissing,
    PairedTest,
    QrelsColumns,
    QrelsHeader,
    QrelsPath,
    Rel,
    Repeated,
    RequestsFile,
    RunColumns,
    RunPaths,
    ScoresAs,
    Seed,
    Side,
    ThirdColumn,
    TiePolicy,
    Trials,
    TwoRuns,
    WithoutRelevant,
)
from lexiframe.evaluation import MEASURES
from lexiframe.io import File, batches, data_sources, read_qrels, run_scan, scan_runs, score_forms
from lexiframe.metrics import needed
from lexiframe.pairwise import Measure, parse_measures
from lexiframe.projection import Policies


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
    negative: NegativeGrades = "unjudged"
    name_from: NamedBy = "file"
    ties: TiePolicy = "doc_id_desc"
    score_type: ScoresAs = "float64"
    no_relevant: WithoutRelevant = "drop"
    duplicates: Repeated = "error"
    unjudged: NotJudged = "keep"
    depth: Depth = None
    exclude_self: ExcludeSelf = False
    rel: Rel = None

    def scan(self) -> run_scan.RunScan:
        """Find the runs, which are read later, one file at a time."""
        if self.qrels == data_sources.STANDARD_INPUT and data_sources.STANDARD_INPUT in self.runs:
            raise LexiframeError(
                "standard input holds the judgments or a run, not both; name a file"
            )
        refuse_misplaced(self.qrels, self.runs)
        said = self._text_options(self.header, self.column)
        return scan_runs(
            batches.data_sets_in(self.runs), third=self.third, name_from=self.name_from, **said
        )

    def judgments(self) -> Any:
        """Read the judgments if options say how; else return the path for the library to read."""
        is_plain = not self.qrels_header and self.decimal == "." and not self.qrels_column
        if is_plain and self.negative == "unjudged":
            return batches.judgments_in(self.qrels)
        said = self._text_options(self.qrels_header, self.qrels_column)
        duplicates, negative = self.duplicates, self.negative
        return read_qrels(self.qrels, duplicates=duplicates, negative=negative, **said)

    def judged_file(self) -> str:
        """Return the file of judgments."""
        return self.qrels

    def policies(self) -> dict[str, Any]:
        """Return the policies by name."""
        return {field.name: getattr(self, field.name) for field in fields(Policies)}

    def _text_options(self, header: bool, column: list[str] | None) -> dict[str, Any]:
        return {"header": header, "decimal": self.decimal, "columns": as_columns(column)}


@dataclass
class PairOptions(InputOptions):
    """The same for a command about two runs, in the order in which they are given."""

    runs: TwoRuns

    def scan(self) -> run_scan.RunScan:
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
class RunsOrScores(InputOptions):
    """Judgments and runs, or with ``--scores`` the scores that other tools computed."""

    # Typer takes the default of a list from its own factory alone.
    qrels: FirstFile
    runs: FurtherFiles
    scores: AreScores = False
    missing: OfMissing = None
    level: Level = None

    def measures(self, asked: list[str] | None) -> list[Measure] | None:
        """Return the measures that are asked for, as ``--level`` has them; None for the usual."""
        if self.level is not None and (self.scores or self.rel is not None):
            raise LexiframeError(
                "--level: scores of other tools are compared as they are; leave it or --scores out"
                if self.scores
                else "--level and --rel: one of them says which grades are relevant; --rel removes "
                "lower grades from all measures, --level as trec_eval -l does; leave one out"
            )
        if not asked and self.level is None:
            return None
        return needed.at_level(parse_measures(asked or MEASURES), self.level)

    def scan(self) -> run_scan.RunScan:
        """Find the runs; raise for judgments without any, which Typer no longer does."""
        if self.missing is not None:
            raise typer.BadParameter(
                "--missing is for --scores: by judgments, a run found nothing for a request that "
                "it lacks; leave it out"
            )
        if not self.runs:
            raise typer.BadParameter("expected at least one run after QRELS, found none")
        return super().scan()

    def score_files(self) -> list[File]:
        """Find the files of scores; raise for options that say how judgments and runs are read."""
        refuse_reading_options(self)
        files = [self.qrels, *self.runs]
        refuse_measures(files)
        return score_forms.score_files(files)


def refuse_reading_options(inputs: InputOptions) -> None:
    """Raise for options that say how judgments and runs are read, which ``--scores`` does not."""
    for option in fields(InputOptions):
        if option.default is not MISSING and getattr(inputs, option.name) != option.default:
            name = option.name.replace("_", "-")
            raise typer.BadParameter(
                f"--{name} says how judgments and runs are read, and --scores reads neither; "
                "leave it out"
            )


@dataclass
class InferenceOptions:
    """The arguments of `compare` that all commands with tests have as options."""

    test: PairedTest = "t"
    correction: Corrected = "holm"
    family: InFamily = "measure"
    alpha: Alpha = 0.05
    alternative: Side = "two-sided"
    trials: Trials = 10_000
    seed: Seed = 0
    baseline: Baseline = None
    requests: RequestsFile = None
    by: GroupedBy = None


class OneValueEach(TyperCommand):
    """A command that refuses an option given twice if it takes one value.

    Click would take the last value and not say so: ``--test t --test sign`` tests once.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command; the parser notes each option that it meets."""
        _, _, met = self.make_parser(ctx).parse_args(args=[*args])
        rest = super().parse_args(ctx, args)
        for option, n in Counter(met).items():
            takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
            if takes_one and n > 1:
                name = max(option.opts, key=len)
                ctx.fail(f"{name}: expected one value, found {n}; give the option once")
        return rest


def with_groups_of_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the fields of a command's dataclasses as options of the command."""
    declared = signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in declared if is_dataclass(p.annotation)}
    options: list[Parameter] = []
    for parameter in declared:
        group = groups.get(parameter.name)
        found = [parameter] if group is None else _fields_of(group)
        options += [option.replace(kind=Parameter.KEYWORD_ONLY) for option in found]

    @wraps(command)
    def of_options(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        try:
            command(**given)
        except LexiframeError as error:
            inputs = next(value for value in given.values() if isinstance(value, InputOptions))
            raise explained(error, inputs.judged_file()) from None

    vars(of_options)["__signature__"] = Signature(options)  # Typer reads the options from it
    return of_options


def _fields_of(group: Any) -> list[Parameter]:
    """Return the fields of a dataclass with their types, as the module of each class knows them."""
    types = get_type_hints(group, include_extras=True)
    declared = signature(group).parameters.values()
    return [field.replace(annotation=types[field.name]) for field in declared]


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
