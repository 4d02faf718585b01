"""The command that says where and why two runs differ: ``lexiframe explain``."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer

from lexiframe.base import LexiframeError, escaped
from lexiframe.cli.inputs import PairOptions
from lexiframe.cli.options import Format
from lexiframe.cli.output import complain, print_table, say
from lexiframe.evaluation import Evaluation
from lexiframe.evaluation import evaluate as evaluate_runs
from lexiframe.io import File, data_sources

PANEL = "Compare runs"
EXAMPLES = (
    "explain qrels.txt bm25.run dense.run",
    "explain qrels.txt a.run b.run --query 42 -m AP",
)

_MOST = 40
"""How many requests a table for people has: those with the greatest gains and losses."""


def explain(
    *,
    inputs: PairOptions,
    query: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The request to explain, recall level by recall level."),
    ] = None,
    measure: list[str] | None = None,
    format: Format = "table",
) -> None:
    """Explain where run A is better or worse than run B, request by request, and why in one."""
    scan = inputs.scan()
    e = evaluate_runs(scan, inputs.judgments(), measure or None, **vars(inputs.policies))
    a, b = _names_of(e, [_path_of(source) for source in scan.sources])
    table = e.pair(a, b)
    if query is not None:
        levels = e.explain(query, a, b)
        if format == "table":
            _print_request(
                table.filter(query_id=query), levels, f"Request {query}: {a} against {b}"
            )
        else:
            print_table(levels, format)
    elif format == "table":
        _print_requests(table, a, b)
    else:
        print_table(table, format)


def _path_of(source: data_sources.Source) -> str:
    """Return the path of a source as the provenance has it; hashes do not matter here."""
    origin = source.origin
    return str(origin.facts(sha256="any")["path"] if isinstance(origin, File) else origin)


def _names_of(e: Evaluation, paths: list[str]) -> list[str]:
    """Return the names of the runs in the order in which their files were given."""
    names = [fact["run"] for path in paths for fact in e.provenance["runs"] if fact["path"] == path]
    if len(names) != 2:
        raise LexiframeError(
            f"explain: expected one run in each of two files, found {len(names)} in "
            f"{', '.join(paths)}; give files of one run"
        )
    return names


def _print_request(table: pl.DataFrame, levels: pl.DataFrame, title: str) -> None:
    """Print what each measure says of one request, and then its recall levels.

    Thresholds and grades are left out where all are the same.
    """
    no_scores = table["value_a"].null_count() > 0
    missing = "; —: preferences have no values, or no single level decides" * no_scores
    say(escaped(f"{title}; positive: the first is better{missing}"))
    print_table(table.drop("query_id", "run_a", "run_b"), "table")
    graded = ("threshold", "relevance_a", "relevance_b")
    same = [name for name in graded if levels[name].n_unique() == 1]
    not_found = levels["position_a"].null_count() + levels["position_b"].null_count()
    typer.echo()
    say(
        "Recall level by recall level"
        + "; —: not retrieved, or nothing to decide" * (not_found > 0)
    )
    print_table(levels.drop(same), "table")


def _print_requests(table: pl.DataFrame, a: str, b: str) -> None:
    """Print the differences as requests × measures, sorted by those under the first measure."""
    wide = table.pivot("measure", index="query_id", values="preference")
    decided = table.filter(pl.col("deciding_level").is_not_null())
    if decided.height:
        levels = decided.pivot("measure", index="query_id", values="deciding_level")
        levels = levels.rename({name: f"{name} level" for name in levels.columns[1:]})
        wide = wide.join(levels, on="query_id", how="left", maintain_order="left")
    shown = wide
    if wide.height > _MOST:
        shown = pl.concat([wide.head(_MOST // 2), wide.tail(_MOST // 2)])
        complain(
            f"{_MOST} of {wide.height:,} requests are shown, those with the greatest gains and "
            "losses; --format csv prints all"
        )
    legend = "; level: the recall level that decides (—: none)" if decided.height else ""
    say(escaped(f"Differences by request: positive where {a} is better than {b}{legend}"))
    print_table(shown, "table")
