"""The command that says how alike runs are, without judgments: ``lexiframe overlap``."""

from __future__ import annotations

from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.base import escaped
from lexiframe.cli.inputs import as_columns, found_runs, refuse_replacing
from lexiframe.cli.options import INPUT, MEASURES, OUTPUT, Decimal, Format, OutFile, option
from lexiframe.cli.output import complain, print_table, refuse_other_ending, say, write_table
from lexiframe.collection import OVERLAPS, contrasting
from lexiframe.collection import overlap as overlap_of_runs
from lexiframe.io import output_files, problems, qrel_files, reading_options, run_parts
from lexiframe.metrics import each
from lexiframe.pairwise import grouping
from lexiframe.projection import ScoreType, Ties
from lexiframe.views import sentences, shown

PANEL = "Compare runs"
EXAMPLES = (
    "overlap runs/ -m 'RBO(p=0.9),Jaccard@10'",
    "overlap runs/ --contrast bm25 dense --top 5",
)

_MOST = 40
"""How many pairs a table for people has: those that are least and those that are most alike."""
_SHOWN_REQUESTS, _SHOWN_DOCUMENTS = 3, 10

Overlaps = Annotated[
    list[str] | None,
    option(
        MEASURES,
        "RBO(p=0.9), Jaccard@10, overlap@10, tau@100 or tau_ap@100, with other numbers too; "
        "several with commas, or repeated.",
        "-m",
        "--measure",
        metavar="MEASURE",
        show_default=" ".join(OVERLAPS),
    ),
]
Contrast = Annotated[
    tuple[str, str] | None,
    option(
        OUTPUT,
        "Show the requests in which these two runs differ most by the first measure, with both "
        "tops.",
        metavar="A B",
        show_default="no",
    ),
]
Number = Annotated[
    int | None,
    option(
        OUTPUT,
        "How many requests --contrast shows.",
        metavar="N",
        show_default=str(_SHOWN_REQUESTS),
    ),
]
Top = Annotated[
    int | None,
    option(
        OUTPUT,
        "How many documents of each ranking --contrast shows.",
        metavar="K",
        show_default=str(_SHOWN_DOCUMENTS),
    ),
]
Grades = Annotated[
    str | None,
    option(INPUT, "Judgments, whose grades --contrast shows beside the documents.", metavar="FILE"),
]


def overlap(
    *,
    runs: list[str],
    third: reading_options.Third | None = None,
    header: bool = False,
    column: list[str] | None = None,
    decimal: Decimal = ".",
    name_from: run_parts.NameFrom = "file",
    qrels: Grades = None,
    requests: str | None = None,
    measure: Overlaps = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: problems.Duplicates = "error",
    by: list[str] | None = None,
    contrast: Contrast = None,
    number: Number = None,
    top: Top = None,
    out: OutFile = None,
    format: Format = "table",
) -> None:
    """Say how alike the rankings of runs are, pair by pair, without judgments.

    Printed are means over requests; --out writes the values of all requests.
    """
    if contrast is None:
        _refuse_without_contrast({"--qrels": qrels, "--number": number, "--top": top})
    if out is not None:
        refuse_other_ending(out)
        output_files.refuse_outputs([out])
    scan = found_runs(
        runs,
        third=third,
        name_from=name_from,
        header=header,
        decimal=decimal,
        columns=as_columns(column),
    )
    refuse_replacing([out] if out else [], [qrels, requests], scan)
    measures = measure or [*OVERLAPS]
    policies: dict[str, Any] = {"ties": ties, "score_type": score_type, "duplicates": duplicates}
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    names = grouping.names_of(requests, by)
    if contrast is None:
        table = overlap_of_runs(scan, measures, **policies, **groups)
    else:
        shown: dict[str, Any] = {
            "n": _SHOWN_REQUESTS if number is None else number,
            "depth": _SHOWN_DOCUMENTS if top is None else top,
            "qrels": qrels,
        }
        a, b = contrast
        table = contrasting(scan, a, b, _first(measures), **shown, **policies, **groups)
    if out is not None:
        called = "overlap" if contrast is None else "contrasting"
        write_table(out, table, {"table": called, "policies": policies})
        typer.echo(f"wrote {out}", err=True)
    if contrast is not None:
        _print_contrasting(table, format)
    elif format in ("json", "csv"):
        print_table(_means(table, names), format)
    else:
        _print_means(_means(table, names), format, names)
        if format == "table":
            say("\n".join(sentences.overlap_sentences(table)["sentence"]))


def _refuse_without_contrast(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise typer.BadParameter(f"{name} says what --contrast shows; add --contrast A B")


def _first(measures: list[str]) -> str:
    """Return the notation of the first measure."""
    return str(each(measures[0])[0])


def _means(table: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Return the mean of each pair and measure, and of how many requests it is; lowest first."""
    key = [*names, "measure", "run_a", "run_b"]
    means = table.group_by(key).agg(mean=pl.col("value").mean(), n=pl.col("value").count())
    return means.sort(*names, "measure", "mean", "run_a", "run_b", nulls_last=True)


def _print_means(means: pl.DataFrame, format: Any, names: list[str]) -> None:
    """Print pairs × measures, the pairs that are least alike by the first measure first."""
    n, key = int(means["n"].to_numpy().max()), [*names, "run_a", "run_b"]
    wide = means.pivot("measure", index=key, values="mean", maintain_order=True)
    n_pairs = wide.height
    if n_pairs > _MOST and format == "table":
        wide = _ends(wide, names, wide.columns[len(key)])
        complain(
            f"{wide.height} of {n_pairs:,} pairs are shown, those least and most alike by "
            f"{wide.columns[len(key)]}; --format csv prints all"
        )
    if format == "table":
        missing = "; —: no request has a value" * any(
            column.null_count() for column in wide.get_columns()[len(key) :]
        )
        of = f"{n:,} request{'s' * (n != 1)}"
        say(escaped(f"Mean overlap of the rankings of {of}, 1: the same{missing}"))
    print_table(wide, format)


def _ends(wide: pl.DataFrame, names: list[str], measure: str) -> pl.DataFrame:
    """Return the pairs that are least and those that are most alike, of all groups together."""
    known = wide.drop_nulls(measure).sort(measure, maintain_order=True)
    if known.height > _MOST:
        known = pl.concat([known.head(_MOST // 2), known.tail(_MOST // 2)])
    return known.sort(names, nulls_last=False, maintain_order=True) if names else known


def _print_contrasting(table: pl.DataFrame, format: Any) -> None:
    """Print both tops, for people request by request below what is said of it."""
    if format != "table":
        print_table(table, format)
        return
    said = sentences.contrasting_sentences(table)
    # what the sentences say already, and what follows from the positions
    in_common = ["query_id", "run_a", "run_b", "measure", "value", "in_top_a", "in_top_b"]
    parts = table.partition_by("query_id", maintain_order=True)
    for sentence, part in zip(said["sentence"], parts, strict=True):
        say(sentence)
        a, b = part["run_a"][0], part["run_b"][0]
        names = {"doc_a": a, "position_in_b": f"in {b}", "doc_b": b, "position_in_a": f"in {a}"}
        attributes = table.columns[: table.columns.index("query_id")]
        typer.echo(f"{shown.table_text(part.drop(in_common, attributes).rename(names))}\n")
