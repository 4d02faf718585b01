"""Groups of options that commands share, with the readers of their input."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lexiframe import features
from lexiframe.core.base import LexiframeError
from lexiframe.core.base.feature import Answers
from lexiframe.core.cli.arguments import refuse_measures, refuse_misplaced
from lexiframe.core.cli.options import Decimal, Failed
from lexiframe.core.cli.output import complain
from lexiframe.core.evaluation import MEASURES
from lexiframe.core.io import (
    File,
    batches,
    data_sources,
    one_run,
    output_files,
    qrel_files,
    read_qrels,
    reading_options,
    run_scan,
    scan_runs,
)
from lexiframe.core.metrics import needed
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import Measure, parse_measures
from lexiframe.core.projection import Policies
from lexiframe.core.significance import Alternative, Family, Test, corrections
from lexiframe.core.significance import replicates as replication


@dataclass
class InputOptions:
    """The options of reading and ranking, for all commands that compare runs."""

    qrels: str
    runs: list[str]
    third: reading_options.Third | None = None
    better: reading_options.Better = "high"
    ranked_by: reading_options.RankedBy | None = None
    header: bool = False
    qrels_header: bool = False
    column: list[str] | None = None
    qrels_column: list[str] | None = None
    grade: list[str] | None = None
    decimal: Decimal = "."
    negative: qrel_files.Negative = "unjudged"
    rows: str | None = None
    na_values: list[float] | None = None
    name_from: one_run.NameFrom = "file"
    policies: Policies = field(default_factory=Policies)

    def scan(self) -> run_scan.RunScan:
        """Find the runs, which are read later, one file at a time."""
        if self.qrels == data_sources.STANDARD_INPUT and data_sources.STANDARD_INPUT in self.runs:
            raise LexiframeError(
                "standard input holds the judgments or a run, not both; name a file"
            )
        refuse_misplaced(self.qrels, self.runs)
        return found_runs(self.runs, **self._run_options())

    def found(self, outputs: Sequence[Path], requests: str | None) -> run_scan.RunScan:
        """Find the runs; raise if an output would replace a file that is read."""
        scan = self.scan()
        refuse_replacing(outputs, [*self.judged_files(), requests, self.rows], scan)
        return scan

    def judgments(self) -> Any:
        """Read the judgments if options say how; else return the path for the library to read."""
        is_plain = not self.qrels_header and self.decimal == "." and not self.qrels_column
        is_plain = is_plain and self.rows is None and not self.grade and not self.na_values
        if is_plain and self.negative == "unjudged":
            return batches.judgments_in(self.qrels)
        said = self._text_options(self.qrels_header, self.qrels_column)
        said["grades"] = as_grades(self.grade)
        duplicates, negative = self.policies.duplicates, self.negative
        return read_qrels(self.qrels, duplicates=duplicates, negative=negative, **said)

    def judged_files(self) -> list[str]:
        """Return the files of judgments."""
        return [self.qrels]

    def _run_options(self) -> dict[str, Any]:
        """Return the options with which runs are read."""
        said = self._text_options(self.header, self.column)
        said |= {"third": self.third, "better": self.better, "ranked_by": self.ranked_by}
        return {**said, "name_from": self.name_from}

    def _text_options(self, header: bool, column: list[str] | None) -> dict[str, Any]:
        said = {"header": header, "decimal": self.decimal, "columns": as_columns(column)}
        return {**said, "rows": self.rows, "na_values": self.na_values}


@dataclass
class NuggetOptions:
    """Whether files have answers judged by nuggets, and how these are read."""

    nuggets: bool = False
    failed: Failed = "error"
    max_grade: float | None = None

    def read(self, source: Any, rel: float | None, whose: str = "") -> Any:
        """Read judged answers; report missing ones by run and judge."""
        read = features.needed(Answers, "--nuggets").read
        found = read(source, failed=self.failed, max_grade=self.max_grade, rel=rel)
        for sentence in found.unanswered:
            complain(f"warning: {whose}{sentence}")
        return found

    def refuse(self, inputs: InputOptions, *, has_scores: bool = True) -> None:
        """Raise for options about rankings beside scores, and about nuggets without these."""
        if self.nuggets and vars(inputs).get("scores"):
            raise typer.BadParameter("files have --scores or --nuggets, not both; leave one out")
        if has_scores:
            refuse_reading_options(inputs, {"rel"} if self.nuggets else ())
        for name in ("failed", "max_grade"):
            if not self.nuggets and getattr(self, name) != getattr(NuggetOptions, name):
                raise typer.BadParameter(f"{flag(name)} is for --nuggets; leave it out")


TwoRuns = Annotated[
    list[str],
    typer.Argument(metavar="A B", help="Two runs: files in any form; - is standard input."),
]


@dataclass
class PairOptions(InputOptions):
    """The options of input for a command about two runs, in the order of the command line."""

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


FirstFile = Annotated[
    str,
    typer.Argument(
        metavar="QRELS",
        help="Judgments in any form, or -. With --scores: scores.",
    ),
]
# Typer takes the default of a list from its own factory alone.
FurtherFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Runs: files in any form, folders, globs, or -; NAME=FILE names one. With --scores: "
        "more scores.",
        default_factory=list,
        show_default=False,
    ),
]


@dataclass
class RunsOrScores(InputOptions):
    """Judgments and runs; or scores that tools computed, or judgments of answers by nuggets."""

    qrels: FirstFile
    runs: FurtherFiles
    scores: bool = False
    answers: NuggetOptions = field(default_factory=NuggetOptions)
    missing: missing_requests.Missing | None = None
    measure_name: str | None = None
    level: float | None = None

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, or answers that have some, in place of runs."""
        return self.scores or self.answers.nuggets

    def measures(self, asked: list[str] | None) -> list[Measure] | None:
        """Return the measures that are asked for, as ``--level`` has them; None for the usual."""
        if self.level is not None and (self.has_scores or self.policies.rel is not None):
            raise LexiframeError(
                "--level: scores of other tools are compared as they are; leave it or --scores out"
                if self.has_scores
                else "--level and --rel: one of them says which grades are relevant; --rel removes "
                "lower grades from all measures, --level as trec_eval -l does; leave one out"
            )
        if not asked and self.level is None:
            return None
        return needed.set_level(parse_measures(asked or MEASURES), self.level)

    def scan(self) -> run_scan.RunScan:
        """Find the runs; raise for judgments without any, which Typer no longer does."""
        self.answers.refuse(self, has_scores=False)
        if self.missing is not None:
            raise typer.BadParameter(
                "--missing is for --scores: by judgments, a run found nothing for a request that "
                "it lacks; leave it out"
            )
        if self.measure_name is not None:
            raise typer.BadParameter(
                "--measure-name is for --scores: of runs, -m says what is measured; leave it out"
            )
        if not self.runs:
            raise typer.BadParameter("expected at least one run after QRELS, found none")
        return super().scan()

    def given_scores(
        self, outputs: Sequence[Path], requests: str | None, asked: list[str] | None
    ) -> tuple[Any, dict[str, Any]]:
        """Find the scores, or read judged answers; return how their scores are read, too."""
        self.answers.refuse(self)
        files: Any = self.score_files(outputs, requests)
        if self.answers.nuggets:
            files = self.answers.read(files, self.policies.rel)
        columns: dict[str, Any] = {
            "columns": as_columns(self.column),
            "measure_name": self.measure_name,
        }
        columns["na_values"] = self.na_values
        return files, {"measures": asked or None, "missing": self.missing, **columns}

    def score_files(
        self, outputs: Sequence[Path], requests: str | None
    ) -> list[File | dict[str, str]]:
        """Find the files of scores; raise for options that say how judgments and runs are read."""
        from lexiframe.core.io import score_forms

        given = [self.qrels, *self.runs]
        refuse_measures(given)
        found = [named_file(text) for text in given]
        named = [one for one in found if isinstance(one, dict)]
        files = score_forms.score_files([one for one in found if isinstance(one, str)])
        paths = [*(file.path for file in files), *(path for one in named for path in one.values())]
        refuse_replacing(outputs, [requests, *paths])
        return [*files, *named]


def found_runs(given: Sequence[str], **how: Any) -> run_scan.RunScan:
    """Find runs, which are read later, one file at a time; ``NAME=FILE`` names one."""
    return scan_runs([named_file(text) for text in given], **how)


def named_file(text: str) -> str | dict[str, str]:
    """Return the path of a file, or ``{name: path}`` when a name stands in front of it."""
    name, _, path = text.partition("=")
    is_name = name and path and not {"/", "\\"} & {*name}
    return {name: path} if is_name and not output_files.found_at(text) else text


def refuse_replacing(
    outputs: Sequence[Path], read: Sequence[Any], scan: run_scan.RunScan | None = None
) -> None:
    """Raise if an output would replace a file that is read."""
    sources = scan.sources if scan is not None else ()
    runs = [file.path for source in sources for file in source.files]
    output_files.refuse_replacing(outputs, [*filter(None, read), *runs])


def flag(name: str) -> str:
    """Return the option of a parameter."""
    return f"--{name.replace('_', '-')}"


def refuse_reading_options(inputs: InputOptions, but: Collection[str] = ()) -> None:
    """Raise for options of reading judgments and runs, which ``--scores`` does not do.

    ``but`` names options that are allowed all the same.
    """
    usual = vars(InputOptions("", []))
    given = {name: getattr(inputs, name) for name in usual} | vars(inputs.policies)
    usual |= vars(usual["policies"])
    apart = {"qrels", "runs", "policies", "column", "na_values", *but}
    for name in usual:
        if name not in apart and given[name] != usual[name]:
            raise typer.BadParameter(
                f"{flag(name)} says how judgments and runs are read, and --scores "
                "and --nuggets read neither; leave it out"
            )


@dataclass(kw_only=True)  # help lists them after the other options of a command
class WeightOptions:
    """The weights of requests, in columns of ``--requests``."""

    weights: str | None = None
    strata: str | None = None
    shares: str | None = None

    @property
    def weighed(self) -> dict[str, Any]:
        """The arguments that say which weights requests have, if they have some."""
        given = {
            "weights": self.weights,
            "strata": self.strata,
            "shares": named_shares(self.shares),
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass
class InferenceOptions(WeightOptions):
    """The arguments of `compare` that all commands with tests have as options."""

    test: Test = "auto"
    correction: corrections.PairedCorrection = "auto"
    family: Family = "measure"
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    trials: int = 10_000
    seed: int = 0
    baseline: str | None = None
    replicates: replication.Replicates | None = None
    seeds: replication.Seeds = "unrelated"
    requests: str | None = None
    by: list[str] | None = None

    def groups(self) -> dict[str, Any]:
        """Return the arguments that say which groups of requests there are."""
        return {"requests": qrel_files.held_or_data(self.requests), "by": self.by}


def as_grades(given: list[str] | None) -> dict[str, float | None]:
    """Turn ``--grade E=3 --grade I=none`` into ``grades={"E": 3.0, "I": None}``."""
    grades = dict[str, float | None]()
    for text in given or []:
        word, _, number = text.rpartition("=")
        try:
            grades[word] = None if number == "none" else float(number)
        except ValueError:
            raise typer.BadParameter(f"expected WORD=NUMBER (E=3), found {text!r}") from None
    return grades


def named_shares(given: str | None) -> dict[str, float] | None:
    """Turn ``--shares head=.6,tail=.4`` into ``shares={"head": 0.6, "tail": 0.4}``."""
    shares = dict[str, float]()
    for text in given.split(",") if given is not None else ():
        name, _, share = text.rpartition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise typer.BadParameter(
                f"--shares: expected NAME=SHARE,... (head=.6,tail=.4), found {text!r}"
            ) from None
    return shares or None


def as_columns(given: list[str] | None, such_as: str = "query_id=topic") -> dict[str, str]:
    """Turn ``--column query_id=topic`` into ``columns={"query_id": "topic"}``."""
    columns = {}
    for text in given or []:
        ours, _, theirs = text.partition("=")
        if not ours or not theirs:
            of = "OURS=THEIRS" if such_as == "query_id=topic" else "WINNER=SIDE"
            raise typer.BadParameter(f"expected {of} ({such_as}), found {text!r}")
        columns[ours] = theirs
    return columns
