"""The arguments and options of ``lexiframe gate``, and the runs they name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.cli.inputs import InputOptions, named_file, refuse_reading_options
from lexiframe.core.cli.options import INPUT, MEASURES, OUTPUT, STATISTICS, option, output, place
from lexiframe.core.io import data_sources, run_scan, scan_runs
from lexiframe.core.metrics import Metric, as_list
from lexiframe.core.pairwise import Measure, parse_measure
from lexiframe.core.significance import ShiftedTest, corrections
from lexiframe.decide import gates

Judgments = Annotated[
    str,
    typer.Argument(
        metavar="QRELS",
        help="Judgments: a file, or -; none with --scores.",
        default_factory=str,
        show_default=False,
    ),
]
TwoRuns = Annotated[
    list[str],
    typer.Argument(
        metavar="BASELINE CANDIDATE",
        help="Two runs: files in any form, or -; NAME=FILE names one. With --scores: their names.",
        default_factory=list,
        show_default=False,
    ),
]
ScoreFiles = Annotated[
    list[str] | None,
    option(
        INPUT,
        "Scores per request, as of trec_eval -q; RUN=FILE names a run. Repeat for several.",
        metavar="FILE",
    ),
]
AskedMeasures = Annotated[
    list[str] | None,
    option(
        MEASURES,
        "Measures, as in AP,nDCG@10; default: those that --margin names.",
        "-m",
        "--measure",
        metavar="MEASURE",
        show_default=False,
    ),
]
GivenMargins = Annotated[
    list[str] | None,
    option(
        MEASURES,
        "Required: the difference that does not matter yet: 0.01 for all, nDCG@10=2% (of the "
        "baseline's mean) for one; repeat for several.",
        metavar="MARGIN",
    ),
]
Required = Annotated[
    gates.Require,
    option(
        STATISTICS,
        "not-worse (default) by more than the margin, better, or equivalent (within the margin).",
        metavar="WHAT",
        show_default=False,
    ),
]
AnyMeasure = Annotated[
    bool, option(STATISTICS, "One measure that shows it is enough, not all.", "--any", rare=True)
]
TestOfGate = Annotated[
    ShiftedTest | None,
    option(
        STATISTICS,
        "t (default; betting where differences are rare or discrete), bootstrap or betting.",
        metavar="TEST",
        show_default=False,
    ),
]
StateFile = Annotated[
    Path | None,
    option(
        STATISTICS,
        "Test sequentially, by requests in the order in which they come, and keep what was seen in "
        "this file: call it again when there are more, as often as you like.",
        metavar="FILE",
        rare=True,
        parser=place,
    ),
]
Planned = Annotated[
    int | None,
    option(
        STATISTICS,
        "With --sequential, how many requests there will be at most.",
        metavar="N",
        rare=True,
    ),
]
Curve = Annotated[
    bool,
    option(
        OUTPUT,
        "Do not decide, but show how often this gate would pass a candidate that is unchanged, "
        "better or worse, by the number of requests.",
        rare=True,
    ),
]
CorrectionOfGate = Annotated[
    corrections.Correction | None,
    option(
        STATISTICS,
        "Of p-values: holm, bonferroni, bh, none. All rows passing needs none.",
        metavar="HOW",
        show_default="none, with --any holm",
        rare=True,
    ),
]
Power = Annotated[float, option(STATISTICS, "As for `gate`.", rare=True)]
WorstShare = Annotated[
    float | None, option(STATISTICS, "As for `gate`.", metavar="SHARE", rare=True)
]
Cluster = Annotated[str | None, option(STATISTICS, "As for `gate`.", metavar="COLUMN", rare=True)]
JunitFile = Annotated[Path | None, output("Also write JUnit XML here.", rare=True)]
AsGateFormat = Annotated[
    Literal["table", "json", "csv", "markdown", "junit"],
    option(
        OUTPUT,
        "table (default), json, csv, markdown (for the summary of a job on GitHub) or junit (XML).",
        metavar="FORM",
        show_default=False,
    ),
]


@dataclass
class GateInputs(InputOptions):
    """Judgments and two runs, or with ``--scores`` the names of two runs."""

    qrels: Judgments
    runs: TwoRuns
    scores: ScoreFiles = None

    def scan(self) -> run_scan.RunScan:
        """Find the two runs; runs whose files have one name are called by their folders."""
        if len(self.runs) != 2:
            found = f"found {len(self.runs)} after the judgments"
            raise typer.BadParameter(f"expected QRELS BASELINE CANDIDATE: two runs, {found}")
        if self.runs == [data_sources.STANDARD_INPUT] * 2:
            raise LexiframeError("standard input holds one run, not both; name a file")
        scans = [InputOptions.scan(replace(self, runs=[run])) for run in self.runs]
        for run, scan in zip(self.runs, scans, strict=True):
            if len(scan) != 1:
                raise LexiframeError(
                    f"{run}: expected one run, found {len(scan)}; name the file of one, or say "
                    "what they are if they are seeds, folds or repetitions of it: --replicates run"
                )
        sources = tuple(scan.sources[0] for scan in scans)
        if self.name_from == "file":
            sources = _name_runs(sources)
        return replace(scans[0], sources=sources, stamps={})

    def runs_with_replicates(self) -> tuple[tuple[str, str], run_scan.RunScan]:
        """Find two runs, perhaps with several files each; return their names too."""
        if len(self.runs) != 2:
            found = f"found {len(self.runs)} after the judgments"
            raise typer.BadParameter(f"expected QRELS BASELINE CANDIDATE: two runs, {found}")
        given = [named_file(text) for text in self.runs]
        names = [
            next(iter(one)) if isinstance(one, dict) else data_sources.run_name(Path(one))
            for one in given
        ]
        roles = ("baseline", "candidate")
        is_no_name = [not {*"*?["}.isdisjoint(name) for name in names]
        if names[0] == names[1]:
            is_no_name = [True, True]
        names = [
            role if hides else name
            for role, name, hides in zip(roles, names, is_no_name, strict=True)
        ]
        paths = [next(iter(one.values())) if isinstance(one, dict) else one for one in given]
        scan = scan_runs(dict(zip(names, paths, strict=True)), **self._run_options())
        return (names[0], names[1]), scan

    def two_names(self) -> tuple[str, str]:
        """Return the names of baseline and candidate among the runs of ``--scores``."""
        refuse_reading_options(self)
        names = [*filter(None, [self.qrels]), *self.runs]
        if len(names) != 2:
            raise typer.BadParameter(
                "with --scores, expected the names of two runs, BASELINE CANDIDATE, found "
                f"{len(names)}: {', '.join(names)}"
            )
        return names[0], names[1]


def _name_runs(sources: Sequence[data_sources.Source]) -> tuple[data_sources.Source, ...]:
    """Give two runs different names, whatever their files and the rows in them call them."""
    roles = ("baseline", "candidate")
    names = [source.name or role for source, role in zip(sources, roles, strict=True)]
    if names[0] == names[1]:
        ends = told_apart([str(source.origin) for source in sources])
        names = ends or [f"{names[0]} ({role})" for role in roles]
    return tuple(replace(s, name=n, is_given=True) for s, n in zip(sources, names, strict=True))


def told_apart(paths: Sequence[str]) -> list[str]:
    """Return the shortest ends of two paths that differ; none if the paths are the same.

    Examples
    --------
    >>> told_apart(["/tmp/main/runs/bm25.run", "/tmp/pr/runs/bm25.run"])
    ['main/runs/bm25.run', 'pr/runs/bm25.run']
    >>> told_apart(["bm25.run", "bm25.run"])
    []
    """
    parts = [re.split(r"[/\\]", path) for path in paths]
    ends = (["/".join(part[-n:]) for part in parts] for n in range(1, max(map(len, parts)) + 1))
    return next((end for end in ends if end[0] != end[1]), [])


def margins_by_measure(
    given: Sequence[str] | None, asked: Sequence[str] | None
) -> dict[str, str | float]:
    """Return the margin of each measure that is asked for, by its name here.

    Examples
    --------
    >>> margins_by_measure(["ndcg_cut_10=0.01", "RPP=0.05"], None)
    {'nDCG@10': 0.01, 'RPP': 0.05}
    >>> margins_by_measure(["2%", "RPP=0.05"], ["map,RPP"])
    {'AP': '2%', 'RPP': 0.05}
    """
    if not given:
        raise typer.BadParameter(
            "--margin: expected the difference that does not matter yet, found none; say, for "
            "instance, --margin 0.01 for all measures of -m, --margin nDCG@10=0.01 for one, or "
            "--margin AP=2% for a share of the baseline's mean"
        )
    sizes: dict[str | None, str | float] = {}
    for text in (piece for one in given for piece in _COMMA.split(one)):
        name, _, size = text.strip().rpartition("=")
        called = _score_name(name) if name else None
        if called in sizes:
            raise typer.BadParameter(f"--margin: found two for {name or 'all measures'}; keep one")
        sizes[called] = _size_of(size, text)
    names = [_score_name(name) for name in as_list(asked or [])] or [
        n for n in sizes if n is not None
    ]
    if not names:
        raise typer.BadParameter("expected measures, found none; name them with -m")
    others = [name for name in sizes if name is not None and name not in names]
    if others:
        raise typer.BadParameter(
            f"--margin: {others[0]} is no measure of -m; name it there as well"
        )
    lacking = [name for name in names if name not in sizes and None not in sizes]
    if lacking:
        raise typer.BadParameter(
            f"--margin: expected a margin for each measure, found none for {lacking[0]}; add "
            f"--margin {lacking[0]}=SIZE"
        )
    return {name: sizes[name if name in sizes else None] for name in names}


def refuse_shares_of_preferences(
    asked: Sequence[Measure], margins: Mapping[str, str | float]
) -> None:
    """Raise for a share of the mean of a measure that compares two rankings, and has no mean."""
    for measure, size in zip(asked, margins.values(), strict=True):
        if isinstance(size, str) and not isinstance(measure, Metric):
            raise typer.BadParameter(
                f"--margin: expected a number for {measure}, whose values compare two runs and are "
                f"no scores of the baseline, found {size}; add --margin {measure}=0.05"
            )


_COMMA = re.compile(r",(?![^(]*\))")
"""A comma that is not in parentheses, as in ``nDCG(gains={1:2,2:4})@10=0.01,AP=0.02``."""


def _score_name(text: str) -> str:
    """Return our name of a measure; a name that is not known may be one of the scores."""
    try:
        return str(parse_measure(text))
    except LexiframeError:
        return text


def _size_of(size: str, text: str) -> str | float:
    try:
        number = float(size.removesuffix("%"))
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise typer.BadParameter(
            "--margin: expected MEASURE=SIZE with a number above 0 or a share of the baseline's "
            f"mean (nDCG@10=0.01, nDCG@10=2%, 2%), found {text!r}"
        )
    return size if size.endswith("%") else number
