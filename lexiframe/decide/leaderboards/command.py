"""The command that ranks runs over several collections: ``lexiframe leaderboard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.base import LexiframeError, errors
from lexiframe.core.cli.inputs import as_columns, refuse_replacing
from lexiframe.core.cli.options import INPUT, OUTPUT, Format, Passed, option
from lexiframe.core.cli.output import print_table
from lexiframe.core.evaluation import read_results
from lexiframe.core.io import columns, logs, output_files
from lexiframe.decide.leaderboards.leaderboard_of import Leaderboard
from lexiframe.decide.leaderboards.leaderboard_of import leaderboard as leaderboard_of

PANEL = "Compare runs"
EXAMPLES = (
    "leaderboard scores.csv",
    "leaderboard scores.csv --rule mean --rule borda --report board.html",
    "leaderboard results/ --missing votes --rule borda --group type",
    "leaderboard evaluated/robust evaluated/dl19 -m AP",
    "leaderboard scores.csv --weights news=2 --weights law=1 --weights sport=0",
)

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER...",
        help="Tables with a value for each run and collection, or folders of results of MTEB, "
        "lm-evaluation-harness, HELM or BEIR; or a folder of evaluate --out for each collection.",
        show_default=False,
    ),
]
RuleNames = Annotated[
    list[str] | None,
    option(
        INPUT,
        "mean (default), mean_z, mean_rank, borda, win_rate, copeland, mc4, kemeny, leximin or "
        "bradley_terry; repeat for several.",
        "--rule",
        metavar="RULE",
        show_default=False,
    ),
]
_RANKED = Passed(
    leaderboard_of,
    "missing group=COLUMN",
    INPUT,
    "smaller_is_better=COLLECTION larger_is_better=COLLECTION over test",
)
Weighed = Annotated[
    list[str] | None,
    option(INPUT, "The weight of a collection (0 leaves it out), repeated for each; or a file with "
           "the columns collection and weight; equal; or groups.", metavar="NAME=WEIGHT|FILE",
           rare=True),
]  # fmt: skip
Measured = Annotated[
    str | None,
    option(INPUT, "Which measure counts where a collection has several.", "-m", "--measure",
           metavar="MEASURE"),
]  # fmt: skip
Page = Annotated[
    str | None, option(OUTPUT, "Write the leaderboard as one HTML page.", metavar="FILE")
]
Folder = Annotated[
    str | None, option(OUTPUT, "Write all tables as Parquet.", "-o", "--out", metavar="DIR")
]


def scores_in(given: list[str]) -> Any:
    """Return the data of a leaderboard: the paths, or the evaluations in their folders.

    An evaluation gives its folder's name to its collection, unless it has several.
    """
    are_evaluations = [(Path(path) / "means.parquet").is_file() for path in given]
    if not any(are_evaluations):
        return given[0] if len(given) == 1 else given
    if not all(are_evaluations):
        raise LexiframeError(
            f"{given[are_evaluations.index(False)]}: expected a folder of evaluate --out, as "
            f"{given[are_evaluations.index(True)]} is one, found something else; give folders of "
            "evaluations, or scores"
        )
    found: dict[str, Any] = {}
    for path in given:
        name = Path(path).resolve().name
        if name in found:
            raise LexiframeError(
                f"{path}: expected folders of different names, which name the collections, found "
                f"two that are called {name!r}; rename one"
            )
        one: Any = read_results(path)
        same = [other for other, known in found.items() if known.means.equals(one.means)]
        if same:
            raise LexiframeError(
                f"{path}: expected evaluations of different collections, found the same means as "
                f"in {same[0]!r}; give each evaluation once"
            )
        found[name] = one
    has_several = len(found) == 1 and "collection" in one.means.columns
    return one.scores if has_several else found


def weights_of(given: list[str] | None) -> Any:
    """Return the weights of collections: each from NAME=WEIGHT, or all from a file.

    Examples
    --------
    >>> weights_of(["news=2", "a=b=0.5"]), weights_of(["equal"])
    ({'news': 2.0, 'a=b': 0.5}, 'equal')
    """
    if given is None or given in (["equal"], ["groups"]):
        return given and given[0]
    if len(given) == 1 and "=" not in given[0]:
        return _weights_in(given[0])
    weights: dict[str, float] = {}
    for text in given:
        name, _, weight = text.rpartition("=")
        if not name or name in weights:
            found = f"two for {name!r}" if name else repr(text)
            raise typer.BadParameter(
                "--weights: expected NAME=WEIGHT for each collection, or one file, equal or "
                f"groups; found {found}"
            )
        weights[name] = _weight_number(weight, text)
    return weights


def _weight_number(weight: str, text: str) -> float:
    try:
        return float(weight)
    except ValueError:
        raise typer.BadParameter(f"--weights: expected a number in {text!r}") from None


def _weights_in(path: str) -> dict[str, float]:
    """Read weights from a file with the columns collection and weight."""
    table = logs.read_log(path)
    known = columns.COLLECTIONS
    names = [name for name in known if name in table.columns]
    if len(names) != 1 or "weight" not in table.columns:
        raise LexiframeError(
            f"{path}: expected the columns collection (or {', '.join(known[1:])}) and weight, "
            f"found {', '.join(table.columns)}"
        )
    rows = table.select(pl.col(names[0]).cast(pl.String), pl.col("weight"))
    twice = rows.filter(rows[names[0]].is_duplicated())
    if twice.height:
        raise LexiframeError(f"{path}: expected one weight for {twice[0, 0]!r}, found several")
    if not rows["weight"].dtype.is_numeric() or rows["weight"].null_count():
        odd = errors.n_and_first(rows.filter(pl.col("weight").cast(pl.Float64, strict=False)
                                             .is_null())["weight"])  # fmt: skip
        raise LexiframeError(f"{path}: expected a number as each weight, found {odd}")
    return dict(rows.rows())


def leaderboard(
    *,
    scores: Sources,
    rule: RuleNames = None,
    ranked: Annotated[dict[str, Any], _RANKED],
    weights: Weighed = None,
    measure: Measured = None,
    column: list[str] | None = None,
    drawn: Annotated[dict[str, Any], Passed(leaderboard_of, "alpha samples seed na_values")],
    report: Page = None,
    out: Folder = None,
    all: bool = False,
    format: Format = "table",
) -> None:
    """Rank runs over several collections, and say how sure the ranks are."""
    written = [*([Path(report)] if report else []), *(Leaderboard.files(out) if out else [])]
    output_files.refuse_outputs(written)
    refuse_replacing(written, scores)
    rules: Any = rule or ["mean"]  # names, which leaderboard checks
    board = leaderboard_of(
        scores_in(scores),
        rules,
        weights=weights_of(weights),
        measure=measure,
        columns=as_columns(column),
        **ranked,
        **drawn,
    )
    if format == "table":
        typer.echo(str(board.summary("all" if all else "first")))
    else:
        print_table(board.ranking, format)
    with output_files.together():
        if out is not None:
            board.write(out)
        if report is not None:
            board.report(Path(report))
    for place in filter(None, (out, report)):
        typer.echo(f"wrote {place}", err=True)
