"""The command on side-by-side judgments: ``lexiframe votes``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.cli.inputs import as_columns, refuse_replacing
from lexiframe.core.cli.options import INPUT, OUTPUT, STATISTICS, Format, Passed, option, output
from lexiframe.core.cli.output import print_table, say
from lexiframe.core.io import output_files, to_parquet
from lexiframe.decide.judges.consistency import judge_consistency
from lexiframe.decide.judges.stated_judges_in_words import consistency_sentences
from lexiframe.decide.votes import stated, strength_report
from lexiframe.decide.votes import strengths as of

PANEL = "Compare runs"
EXAMPLES = (
    "votes votes.csv",
    "votes votes.csv --by both --report strengths.html",
    "votes votes.csv --value 1=a --value 2=b --value 0=tie",
    "votes gpt-4_pair.jsonl --ties davidson --out strengths/",
)

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Side-by-side judgments: files, folders or globs with a request, two runs and the "
        "winner in each row.",
        show_default=False,
    ),
]
Page = Annotated[Path | None, output("Write the strengths as one HTML page.")]
Folder = Annotated[
    Path | None, output("Write all tables as Parquet.", "-o", "--out", metavar="DIR")
]
Everything = Annotated[bool, option(OUTPUT, "Print all tables to look at.")]


def votes(
    *,
    files: Files,
    strengths: Annotated[
        dict[str, Any],
        Passed(of.bradley_terry, "by=UNIT ties level=SHARE elo", STATISTICS, "prior"),
    ],
    read: Annotated[
        dict[str, Any],
        Passed(stated.read_preferences, "", INPUT, "measure=NAME strong na_values=NUMBER"),
    ],
    column: list[str] | None = None,
    value: list[str] | None = None,
    all: Everything = False,
    report: Page = None,
    out: Folder = None,
    format: Format = "table",
) -> None:
    """Say which runs people prefer, how sure that is, and what judges agree about."""
    written = [*([report] if report else []), *(_vote_files(out) if out else [])]
    output_files.refuse_outputs(written)
    refuse_replacing(written, files)
    source: Any = files[0] if len(files) == 1 else files
    how: dict[str, Any] = {"columns": as_columns(column), "values": as_columns(value, "1=a")}
    v = stated.read_preferences(source, **read, **how)
    found = of.bradley_terry(v, **strengths)
    judges = (
        judge_consistency(v, alpha=1 - strengths["level"]) if _are_several(v.judgments) else None
    )
    if format == "table":
        typer.echo(str(found.summary("all" if all else "first")))
        for sentence in _judgment_sentences(v, judges):
            say(f"\n{sentence}")
    else:
        print_table(found.strengths, format)
    tables = {**found.tables(), **v.tables(), **({} if judges is None else {"judges": judges})}
    with output_files.together():
        if out is not None:
            to_parquet.write_tables(out, tables)
        if report is not None:
            strength_report(found, report, v)
    for place in filter(None, (out, report)):
        typer.echo(f"wrote {place}", err=True)


def _vote_files(out: Path) -> list[Path]:
    judges = Path(out, "judges.parquet")
    return [*of.Strengths.files(out), *stated.StatedPreferences.files(out), judges]


def _are_several(judgments: pl.DataFrame) -> bool:
    return judgments["judge"].drop_nulls().n_unique() > 1


def _judgment_sentences(v: stated.StatedPreferences, judges: pl.DataFrame | None) -> list[str]:
    """Return the sentences on position and on judges."""
    said = v.verdict["sentence"].to_list()[1:]  # the first one counts what the strengths rest on
    return said if judges is None else said + consistency_sentences(judges)["sentence"].to_list()
