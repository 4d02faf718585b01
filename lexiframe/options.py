"""What the commands take: choices as enumerations, and the options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Optional

import typer


class Format(StrEnum):
    """How tables are printed."""

    table = "table"
    json = "json"
    csv = "csv"


class Ties(StrEnum):
    """What orders documents of equal score."""

    doc_id_desc = "doc_id_desc"
    doc_id_asc = "doc_id_asc"
    input = "input"
    rank = "rank"


class ScoreType(StrEnum):
    """How scores are compared."""

    float64 = "float64"
    float32 = "float32"


class NoRelevant(StrEnum):
    """What becomes of requests without a relevant item."""

    drop = "drop"
    zero = "zero"


class Duplicates(StrEnum):
    """What becomes of a document that is there twice."""

    error = "error"
    best = "best"


class Unjudged(StrEnum):
    """What becomes of unjudged documents in rankings."""

    keep = "keep"
    remove = "remove"


class Third(StrEnum):
    """What the third of three columns is."""

    rank = "rank"
    score = "score"


class Decimal(StrEnum):
    """What separates decimals."""

    point = "."
    comma = ","


class NameFrom(StrEnum):
    """What names a run."""

    file = "file"
    tag = "tag"


class Kind(StrEnum):
    """What a file holds."""

    run = "run"
    qrels = "qrels"


class Test(StrEnum):
    """The paired test."""

    t = "t"
    sign = "sign"


class Correction(StrEnum):
    """The correction for many comparisons."""

    holm = "holm"
    bonferroni = "bonferroni"
    none = "none"


QrelsPath = Annotated[
    str,
    typer.Argument(metavar="QRELS", help="Judgments: a file in any form, - (standard input)."),
]
RunPaths = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Runs: files in any form, folders, globs, -.")
]
ThirdColumn = Annotated[
    Optional[Third],  # noqa: UP045 - typer reads it
    typer.Option("--third", help="What the third of three columns of a run is."),
]
HasHeader = Annotated[
    bool, typer.Option("--header", help="The runs' text begins with a line of names.")
]
DecimalMark = Annotated[Decimal, typer.Option("--decimal", help="What separates decimals in runs.")]
NamedBy = Annotated[
    NameFrom, typer.Option("--name-from", help="Runs are called as their files, or by their tags.")
]
Measures = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it
    typer.Option("-m", "--measure", help="A measure; repeat for several.", show_default=False),
]
Rel = Annotated[Optional[float], typer.Option(help="Least relevant grade.")]  # noqa: UP045
TiePolicy = Annotated[Ties, typer.Option(help="What orders equal scores.")]
ScoresAs = Annotated[
    ScoreType,
    typer.Option(help="How scores are compared; float32 as trec_eval up to 9.0.8 and pytrec_eval."),
]
WithoutRelevant = Annotated[
    NoRelevant, typer.Option(help="Leave requests without a relevant item out, or score them 0.")
]
Repeated = Annotated[
    Duplicates, typer.Option(help="Refuse repeated documents, or keep the best-ranked.")
]
NotJudged = Annotated[
    Unjudged, typer.Option(help="Keep unjudged documents, or remove them as trec_eval -J does.")
]
OutFolder = Annotated[Optional[Path], typer.Option("--out", help="Write Parquet here.")]  # noqa: UP045
AsFormat = Annotated[
    Format,
    typer.Option("--format", help="How to print; of an evaluation csv prints the orderings."),
]
