"""Reading preferences that people or models state: `read_preferences`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    Problem,
    ReadError,
    SchemaError,
    errors,
    n_and_first,
    resampling,
    typed,
    warn,
)
from lexiframe.core.io.column_forms.column_names import refuse_no_mapping
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.column_forms.records import table_of_records
from lexiframe.core.io.column_forms.values_for_none import NaValues
from lexiframe.core.io.files.data_sources import File, Source, sources_of_runs
from lexiframe.core.io.logs.files import read_log
from lexiframe.decide.votes.schemas import JUDGMENTS
from lexiframe.decide.votes.stated.columns import Columns, find_columns
from lexiframe.decide.votes.stated.logged import add_winner, joined_names
from lexiframe.decide.votes.stated.names import are_votes, plain_names, refuse_cells
from lexiframe.decide.votes.stated.stated_preferences import StatedPreferences
from lexiframe.decide.votes.stated.winners import (
    BOTH_BAD,
    refuse_contradictions,
    shares,
    sides,
    won_by_share,
)
from lexiframe.typing import FrameKind, VotesLike

_NAMES = (
    "the columns chosen_model and rejected_model name the runs of chosen and rejected answers; or "
    "say which do: columns={'run_a': '...', 'run_b': '...'}"
)
_SOME_NAMES, _SOME_CHOSEN = 20, 4
"""Fewer names may well be of runs that met once; columns called chosen often hold answers."""
_MOST_JUDGMENTS = 100_000_000
_ALONE = 0.9
"""Names are answers when so many of them belong to one request alone: runs answer several."""


@typed
def read_preferences(
    source: VotesLike,
    *,
    measure: str = "stated",
    columns: Mapping[str, str] | None = None,
    values: Mapping[Any, str] | None = None,
    strong: int = 1,
    na_values: NaValues = None,
    frames: FrameKind | None = None,
) -> StatedPreferences:
    """Read side-by-side judgments: someone saw two runs' answers and said which is better.

    Parameters
    ----------
    source
        A file (CSV, TSV, JSON, JSON lines, Parquet), a folder, a glob, a frame, a list of any of
        these, or ``{judge: file or frame}`` for files that name no judge; or a list of
        dictionaries. Columns may be written in any case. Each row is one judgment:

        - the request: ``query_id``, ``qid``, ``question_id``, ``prompt_id``, ``prompt``,
          ``question``, ``instruction``, ..., and ``id`` where nothing else is there; without any,
          each row is a request of its own;
        - the two runs: ``left, right``; ``model_a, model_b``; ``run_a, run_b``; ``system_a,
          system_b``; ``model_1, model_2``; ``generator_1, generator_2``; or ``chosen_model,
          rejected_model`` and ``winner, loser``, of which the first one won;
        - the winner: ``winner``, ``preference``, ``preferred``, ``vote``, ...: a name of one of the
          two runs, a side (``left``, ``a``, ``model_a``, ``leftvote``, ...), ``win`` or ``lose`` of
          the first run, ``tie``, ``tie (bothbad)``, the numbers 1, 0 and −1, or 1, 0.5 and 0, or
          1, 2 and 1.5 as AlpacaEval has them (where runs are called like
          sides or numbers, all rows together tell which is meant); or the three columns
          ``winner_model_a, winner_model_b, winner_tie`` of 0 and 1; or, in logs of reward models,
          who of ``chosen_model`` and ``rejected_model`` has the higher of ``scores_chosen`` and
          ``scores_rejected``, or, without scores, ``results``: 1, 0.5 or 0 for the chosen one;
          or ``g1_winner, g2_winner``, the two games of MT-Bench's judgments of pairs, which are
          two judgments, of model_1 and of model_2 shown first (``error`` names no winner), and
          ``win_1, win_2``; ``games`` beside a ``model`` as Arena-Hard has them, against a
          ``baseline``; or the higher of ``score_a`` and ``score_b``;
        - how sure it is: a ``preference`` between 1 and 2, as AlpacaEval weighs it (1.93 is the
          second run with a share of .93), or a column ``share`` (``prob_a``, ...), from 0 to 1,
          what the first run has of the judgment;
        - how many judgments the row stands for, if it is known: ``count``, ``weight``, ``votes``;
        - who judged, if it is known: ``judge``, ``worker``, ``annotator``, ...;
        - which was shown first: a column ``first`` with a side or a name; otherwise the run under
          ``left``, ``model_a`` or ``system_a``.
    measure : str
        What the preferences are called as a measure.
    columns : dict, optional
        Columns of other names: ``{"query_id": "task", "judge": "rater"}``.
    values : dict, optional
        What other values of the winner mean: ``{"yes": "a", "no": "b", "0": "tie"}``;
        ``"both_bad"`` is a tie that is counted apart. A winner that is not named here has to be a
        run of its row.
    strong : int
        How many judgments a strong one counts for (``A>>B``), as Arena-Hard counts 3.
    na_values : float or list of float, optional
        Scores of answers that stand for none: −1 of a judge that failed. Such a row names no
        winner.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    StatedPreferences
        With ``judgments``, one row each, and ``preferences``, one row for each request and pair,
        whose ``preference`` is the mean of +1 (run_a won), −1 and 0, with ``n_judgments``. All
        functions that take preferences take it as it is.

    Raises
    ------
    ReadError
        For a file that cannot be read or is given twice, and a winner that cannot be understood,
        with its row, or that may be a run as well as another side.
    SchemaError
        For missing or ambiguous columns, columns of runs that hold their answers, an empty id,
        shares and counts that cannot be, and no judgments.

    Warns
    -----
    LexiframeWarning
        When names of runs differ in capitals alone; when rows name no winner, or one run twice,
        and are left out; when a tie means that both are bad; and when no column names the request.

    Notes
    -----
    Judgments of the same request, pair and judge are numbered in their order by ``replicate``; each
    counts.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> v = lf.read_preferences(pl.DataFrame({
    ...     "question_id": ["q1", "q1"], "model_a": ["x", "y"], "model_b": ["y", "x"],
    ...     "winner": ["model_a", "tie (bothbad)"]}).head(1))
    >>> v.judgments.select("run_a", "run_b", "winner", "first").rows()
    [('x', 'y', 'a', 'a')]
    """
    refuse_no_mapping("read_preferences", "columns", columns)
    if isinstance(values, Mapping):
        values = {str(value): side for value, side in values.items()}
    refuse_no_mapping("read_preferences", "values", values)
    resampling.check_draws("read_preferences", "strong", strong, 0)
    read = partial(_read_source, columns=dict(columns or {}), values=dict(values or {}))
    parts = [read(one, strong=strong, na_values=na_values) for one in _sources(source)]
    judgments = pl.concat(parts, how="diagonal")
    itself = judgments["run_a"] == judgments["run_b"]
    if itself.any():
        first = judgments.filter(itself)["run_a"][0]
        warn(
            f"judgments of a run against itself, left out: {itself.sum():,} rows ({first!r} first)"
        )
        judgments = judgments.filter(~itself)
    names = pl.concat([judgments["run_a"], judgments["run_b"]]).unique().sort()
    if len(alike := names.filter(names.str.to_lowercase().is_duplicated())):
        warn(
            f"names that differ in capitals alone, counted as different runs: {n_and_first(alike)}"
        )
    left_out = judgments["winner"].null_count()
    judgments = judgments.filter(pl.col("winner").is_not_null())
    if not judgments.height:
        found = f"{left_out:,} rows without a winner" if left_out else "no rows"
        raise SchemaError(f"read_preferences: expected at least one judgment, found {found}")
    both_bad = int((judgments["winner"] == BOTH_BAD).sum())
    if left_out:
        warn(f"judgments without a winner, left out: {left_out:,} rows")
    if both_bad:
        warn(f"judgments that both are bad, counted as ties: {both_bad:,}")
    judgments = judgments.with_columns(pl.col("winner").replace(BOTH_BAD, "tie"))
    return StatedPreferences(_number_repeats(judgments), measure, both_bad, left_out)


def _sources(source: Any) -> list[Source]:
    """Find the sources; a file that is given twice would count each of its judgments twice."""
    are_records = isinstance(source, list) and all(isinstance(one, Mapping) for one in source)
    if are_records and source and are_votes([*source[0]]):
        source = pl.DataFrame(table_of_records(source, json.dumps, "votes"))
    sources = [one for of in sources_of_runs(source).sources for one in of.apart()]
    files = [one.origin for one in sources if isinstance(one.origin, File) and not one.origin.data]
    paths = Counter(Path(file.path).resolve() for file in files)
    if twice := [str(file) for file in files if paths[Path(file.path).resolve()] > 1]:
        raise ReadError(f"{twice[0]}: expected each file once, found it twice; give it once")
    return sources


def _read_source(
    source: Source,
    columns: dict[str, str],
    values: dict[str, str],
    strong: int,
    na_values: NaValues,
) -> pl.DataFrame:
    """Read one source into judgments whose winner may be null or ``both_bad``."""
    is_file = isinstance(source.origin, File)
    where = str(source.origin) if is_file else "judgments"
    table = read_log(source.origin) if is_file else to_frame(source.origin, "winner", where)
    said = columns.values()
    plain = {old: new for old, new in plain_names(table.columns).items() if old not in said}
    table = table.rename(plain)
    table = add_winner(table, where, na_values)
    found = find_columns(table, where, columns)
    _refuse_nested(table, found, where)
    ids = {c: _ids(table, getattr(found, c), where) for c in ("run_a", "run_b")}
    ids = {"query_id": _requests(table, found, where), **ids}
    if found.query_id is not None:
        _refuse_answers(ids, found, where)
    judge = None if found.judge is None else joined_names(table[found.judge])
    if judge is None and source.is_given:
        judge = pl.repeat(source.name, table.height, dtype=pl.String, eager=True)
    share = shares(table, found, where, values)
    if share is None:
        winner = sides(table, found, where, values)
    else:
        refuse_contradictions(table, found, share, where, values)
        winner = won_by_share(share)
    frame = pl.DataFrame(ids).with_columns(
        winner.alias("winner"),
        (pl.lit(None, pl.String) if judge is None else judge).alias("judge"),
        _side_shown_first(table, found, where).alias("first"),
    )
    if share is not None:
        frame = frame.with_columns(share.alias("share"))
    return _sort_pair_names(_counted_rows(frame, table, found, where, strong))


def _requests(table: pl.DataFrame, found: Columns, where: str) -> pl.Series:
    """Return the requests of rows; each row is one where no column names them."""
    if found.query_id is not None:
        return _ids(table, found.query_id, where)
    others = ", ".join(table.columns)
    warn(
        f"{where}: no column names the request ({others}), so that each row counts as a request of "
        "its own; if one does, say which: columns={'query_id': '...'}"
    )
    return _numbered(table.height)


def _numbered(n: int) -> pl.Series:
    return pl.select(pl.format("vote {}", pl.int_range(1, n + 1))).to_series()


def _counted_rows(
    frame: pl.DataFrame, table: pl.DataFrame, found: Columns, where: str, strong: int
) -> pl.DataFrame:
    """Repeat each row by its count and by ``strong``, if its preference is strong."""
    times = pl.repeat(1, table.height, dtype=pl.Float64, eager=True)
    if found.count is not None:
        times = table[found.count].cast(pl.Float64, strict=False)
        bad = times.is_null() | (times < 0) | (times % 1 != 0)
        advice = "leave the column out, or give it another name: then each row counts once"
        expected = f"a whole number of judgments in {found.count}"
        refuse_cells(table[found.count], bad, where, expected, advice, SchemaError)
    if strong > 1 and found.winner is not None:
        is_strong = table[found.winner].cast(pl.String).str.contains(">>|<<").fill_null(False)
        times = times * is_strong.cast(pl.Int64).replace({1: strong, 0: 1})
    if times.sum() > _MOST_JUDGMENTS:
        found_here = f"{times.sum():,.0f}"
        raise SchemaError(Problem(where, f"at most {_MOST_JUDGMENTS:,} judgments", found_here))
    if (times == 1).all():
        return frame
    frame = frame[np.repeat(np.arange(frame.height), times.to_numpy().astype(np.int64))]
    return frame if found.query_id else frame.with_columns(query_id=_numbered(frame.height))


def _refuse_nested(table: pl.DataFrame, found: Columns, where: str) -> None:
    """Raise for lists or records where an id, a name or a winner is expected."""
    for name in filter(None, (found.query_id, found.run_a, found.run_b, found.winner, found.first)):
        if table[name].dtype.is_nested() or table[name].dtype == pl.Object:
            found_here = f"{table[name].dtype} in {name}; it may hold messages or answers"
            raise SchemaError(Problem(where, "text or numbers", found_here, _NAMES))


def _refuse_answers(ids: dict[str, pl.Series], found: Columns, where: str) -> None:
    """Raise where the columns of the two runs hold their answers.

    Answers have several lines, or nearly each of them belongs to one request alone.
    """
    rows = pl.DataFrame(ids)
    names = pl.concat([rows.select("query_id", name=run) for run in ("run_a", "run_b")]).unique()
    n_requests = names["name"].value_counts()["count"].to_numpy()
    few = _SOME_CHOSEN if found.run_a == "chosen" else _SOME_NAMES
    lines = names.filter(pl.col("name").str.contains("\n", literal=True))["name"]
    if len(lines):
        texts = f"texts of several lines ({errors.shown(lines[0])})"
    elif len(n_requests) >= few and float((n_requests == 1).mean()) >= _ALONE:
        shown = n_and_first(names["name"].sort(), len(n_requests))
        texts = f"texts that occur in one request each: {shown}"
    else:
        return
    columns = f"{found.run_a} and {found.run_b}"
    raise SchemaError(
        Problem(where, f"names of runs in {columns}", f"{texts}; they look like answers", _NAMES)
    )


def _ids(table: pl.DataFrame, name: str, where: str) -> pl.Series:
    column = table[name]
    if not (column.dtype == pl.String or column.dtype.is_integer()):
        column = column.cast(pl.String, strict=False)
    bad = (column.cast(pl.String).str.strip_chars().fill_null("") == "").arg_true()
    if len(bad):
        found = f"none in row {bad[0] + 1} ({len(bad)} such rows)"
        raise SchemaError(Problem(where, f"an id in {name}", found, "give it one"))
    return column.cast(pl.String)


def _side_shown_first(table: pl.DataFrame, found: Columns, where: str) -> pl.Series:
    """Return which side was shown first: ``a``, ``b`` or null."""
    if found.a_is_first:
        return pl.repeat("a", table.height, dtype=pl.String, eager=True)
    if found.first is None:
        return pl.repeat(None, table.height, dtype=pl.String, eager=True)
    as_winner = Columns(found.query_id, found.run_a, found.run_b, winner=found.first)
    side = sides(table, as_winner, where, {})
    return side.replace({"tie": None, BOTH_BAD: None})


def _sort_pair_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Exchange the runs where run_a > run_b, with the sides of the winner and of the first."""
    turned = pl.col("run_a") > pl.col("run_b")
    other = {"a": "b", "b": "a"}
    turned_share = pl.when(turned).then(1 - pl.col("share")).otherwise("share")
    return frame.select(
        "query_id",
        "judge",
        *([turned_share.alias("share")] if "share" in frame.columns else []),
        run_a=pl.min_horizontal("run_a", "run_b"),
        run_b=pl.max_horizontal("run_a", "run_b"),
        **{
            c: pl.when(turned).then(pl.col(c).replace(other)).otherwise(pl.col(c))
            for c in ("winner", "first")
        },
    )


def _number_repeats(judgments: pl.DataFrame) -> pl.DataFrame:
    """Number the judgments of the same request, pair and judge, in their order."""
    key = ["query_id", "run_a", "run_b", "judge"]
    number = pl.int_range(1, pl.len() + 1).over(key).alias("replicate")
    numbered = judgments.with_columns(number).sort(*key, "replicate")
    numbered = numbered.with_columns(pl.col("replicate").cast(pl.String))
    if "share" in numbered.columns:  # of other sources, the share of a winner is 1
        whole = pl.col("winner").replace_strict({"a": 1.0, "tie": 0.5, "b": 0.0})
        numbered = numbered.with_columns(pl.col("share").fill_null(whole))
    return numbered.select(name for name in JUDGMENTS.columns if name in numbered.columns)
