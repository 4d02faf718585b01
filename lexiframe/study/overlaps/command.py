"""The command that says how alike runs are, without judgments: ``lexiframe overlap``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.base import escaped, printed
from lexiframe.core.cli.inputs import as_columns, found_runs, refuse_replacing
from lexiframe.core.cli.options import (
    INPUT,
    MEASURES,
    OUTPUT,
    Decimal,
    Format,
    OutFile,
    Passed,
    option,
)
from lexiframe.core.cli.output import complain, print_table, refuse_other_ending, say, write_table
from lexiframe.core.io import output_files, qrel_files, read_runs
from lexiframe.core.metrics import notation
from lexiframe.core.pairwise import grouping
from lexiframe.study.overlaps.contrasting import contrasting
from lexiframe.study.overlaps.overlap import OVERLAPS
from lexiframe.study.overlaps.overlap import overlap as overlap_of_runs
from lexiframe.study.overlaps.overlap_in_words import contrasting_sentences, overlap_sentences

PANEL = "Compare runs"
EXAMPLES = (
    "overlap runs/ -m 'RBO(p=0.9),Jaccard@10'",
    "overlap runs/ --contrast bm25 dense --top 5",
)

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
        show_default=False,
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
    read: Annotated[dict[str, Any], Passed(read_runs, "third better ranked_by header name_from")],
    column: list[str] | None = None,
    decimal: Decimal = ".",
    qrels: Grades = None,
    requests: str | None = None,
    measure: Overlaps = None,
    policies: Annotated[dict[str, Any], Passed(overlap_of_runs, "ties score_type duplicates")],
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
    scan = found_runs(runs, decimal=decimal, columns=as_columns(column), **read)
    refuse_replacing([out] if out else [], [qrels, requests], scan)
    measures = measure or [*OVERLAPS]
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    names = grouping.names_of(requests, by)
    if contrast is None:
        table = overlap_of_runs(scan, measures, **policies, **groups)
    else:
        tops: dict[str, Any] = {
            "n": _SHOWN_REQUESTS if number is None else number,
            "depth": _SHOWN_DOCUMENTS if top is None else top,
            "qrels": qrels,
        }
        a, b = contrast
        table = contrasting(scan, a, b, _first_measure(measures), **tops, **policies, **groups)
    if out is not None:
        called = "overlap" if contrast is None else "contrasting"
        write_table(out, table, {"table": called, "policies": policies})
        typer.echo(f"wrote {out}", err=True)
    if contrast is not None and format != "table":
        print_table(table, format)
    elif contrast is not None:
        typer.echo(contrasting_text(table))
    elif format in ("json", "csv"):
        print_table(overlap_means(table, names), format)
    elif format != "table":
        print_table(wide_means(overlap_means(table, names), names), format)
    else:
        text, note = overlap_text(overlap_means(table, names), names)
        if note:
            complain(note)
        say("\n".join(overlap_sentences(table)["sentence"]))
        typer.echo(f"\n{text}")


def _refuse_without_contrast(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise typer.BadParameter(f"{name} says what --contrast shows; add --contrast A B")


def _first_measure(measures: list[str]) -> str:
    """Return the notation of the first measure."""
    return str(notation.each(measures[0])[0])


def overlap_means(table: pl.DataFrame, groups: Sequence[str] = ()) -> pl.DataFrame:
    """Return the mean and the number of requests of each pair and measure, lowest mean first.

    ``table`` is the table of `overlap`, and ``groups`` are its columns of groups.
    """
    key = [*groups, "measure", "run_a", "run_b"]
    means = table.group_by(key).agg(mean=pl.col("value").mean(), n=pl.col("value").count())
    return means.sort(*groups, "measure", "mean", "run_a", "run_b", nulls_last=True)


def wide_means(means: pl.DataFrame, groups: Sequence[str] = ()) -> pl.DataFrame:
    """Return means as pairs × measures, the least similar pairs by the first measure first."""
    index = [*groups, "run_a", "run_b"]
    return means.pivot("measure", index=index, values="mean", maintain_order=True)


def overlap_text(means: pl.DataFrame, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the means as text, of many pairs the first and the last, and a note if some lack."""
    wide, n = wide_means(means, groups), int(means["n"].to_numpy().max())
    n_pairs, measures, note = wide.height, wide.columns[len(groups) + 2 :], ""
    if n_pairs > printed.MOST:
        by_value = wide.drop_nulls(measures[0]).sort(measures[0], maintain_order=True)
        wide = printed.ends_of(by_value).sort(groups or measures[0], maintain_order=True)
        note = (
            f"{wide.height} of {n_pairs:,} pairs are shown, those least and most alike by "
            f"{measures[0]}; --format csv prints all"
        )
    missing = any(wide[name].null_count() for name in measures)
    title = f"Mean overlap of the rankings of {n:,} request{'s' * (n != 1)}, 1: the same"
    title += "; —: no request has a value" * missing
    return f"{printed.paragraphs(escaped(title))}\n{printed.plain_text(wide, is_matrix=True)}", note


def contrasting_text(table: pl.DataFrame) -> str:
    """Return both tops, request by request, each below its sentence."""
    # what the sentences say already, and what follows from the positions
    in_common = ["query_id", "run_a", "run_b", "measure", "value", "in_top_a", "in_top_b"]
    attributes = table.columns[: table.columns.index("query_id")]
    texts = []
    parts = table.partition_by("query_id", maintain_order=True)
    for sentence, part in zip(contrasting_sentences(table)["sentence"], parts, strict=True):
        a, b = part["run_a"][0], part["run_b"][0]
        names = {"doc_a": a, "position_in_b": f"in {b}", "doc_b": b, "position_in_a": f"in {a}"}
        tops = part.drop(in_common, attributes).rename(names)
        texts.append(f"{printed.paragraphs(sentence)}\n{printed.table_text(tops)}\n")
    return "\n".join(texts)
