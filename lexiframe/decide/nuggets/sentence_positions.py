"""The sentences that first state each nugget, as positions: `nugget_positions`."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, printed, schemas, typed
from lexiframe.decide.nuggets.answer_tables import AnswerTables
from lexiframe.decide.nuggets.nugget_metrics import STATED, VITAL
from lexiframe.decide.nuggets.scored_answers import judged_tables
from lexiframe.typing import Frame

_KEY = ["run", "query_id"]
_SET = (
    "an answer is a set: with every stated nugget at one place binary RPP is exactly the "
    "difference of NuggetRecall(strict), graded RPP (vital 2, okay 1) that of "
    "NuggetRecall(weighted,strict), sgnLR the sign of the former, LP nearly always a tie: nothing "
    "new"
)


@typed
def nugget_positions(
    statements: Frame, nuggets: Frame | None = None, *, partial: bool = False
) -> pl.DataFrame:
    """Find the sentence that first states each nugget, as the positions of a ranking.

    Parameters
    ----------
    statements
        What `read_nuggets` returns, or a table of statements with ``sentence`` (see `Nuggets`).
    nuggets
        The table of nuggets for a table of statements.
    partial : bool
        Whether a nugget with a credit below 1 is stated, too.

    Returns
    -------
    polars.DataFrame
        A table of `positions`, for `preferences`, `scores` and `explain`: key ``run, query_id,
        doc_id``, where ``doc_id`` is the nugget; ``relevance`` (2 vital, 1 okay), ``position`` (the
        sentence, null: not stated), ``level``, ``n_relevant`` (the nuggets of the request) and
        ``n_retrieved`` (the sentences of the answer, as far as they are known).

    Raises
    ------
    LexiframeError
        For statements without sentences, of which preferences say nothing new; and for nuggets
        that are stated in no sentence while others are.

    Notes
    -----
    RPP weighs vital nuggets by its two thresholds; LR asks which answer leaves fewer nuggets out,
    and then which states the last one sooner; LP which states the first one sooner. Several nuggets
    may have one position, so that metrics of rankings such as AP may be above 1. Depth is in
    sentences; beyond that, long answers are not punished.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> facts = pl.DataFrame({"query_id": "q", "nugget_id": ["a", "b"],
    ...                       "importance": ["vital", "okay"]})
    >>> stated = pl.DataFrame({"run": ["x", "x", "y"], "query_id": "q", "nugget_id": list("aba"),
    ...                        "credit": 1.0, "sentence": [3, 2, 1]})
    >>> p = lf.nugget_positions(stated, facts)
    >>> p.select("run", "doc_id", "relevance", "position").rows()
    [('x', 'a', 2.0, 3), ('x', 'b', 1.0, 2), ('y', 'a', 2.0, 1), ('y', 'b', 1.0, None)]
    >>> lf.preferences(p, ["LP", "LR"])["preference"].to_list()
    [-1.0, 1.0]
    """
    return positions_of(judged_tables(statements, nuggets), partial=partial)


def positions_of(n: AnswerTables, *, partial: bool = False) -> pl.DataFrame:
    """Return the positions of the nuggets of all answers; see `nugget_positions`."""
    counted = pl.col("credit") > 0 if partial else STATED
    rows = n.nugget_rows.with_columns(
        position=pl.when(counted).then("sentence"),
        relevance=pl.when(VITAL).then(2.0).otherwise(1.0),
        is_nowhere=counted & pl.col("sentence").is_null(),
    )
    if not rows["position"].count():
        how = printed.advice(python="compare(nugget_scores(n))", terminal="-m NuggetRecall")
        raise LexiframeError(
            f"nugget_positions: expected the sentences that state nuggets, found none; {_SET}; "
            f"{how} compares the recalls"
        )
    if rows["is_nowhere"].any():
        first = n_and_first(rows.filter("is_nowhere").select("run", "query_id", "nugget_id").rows())
        raise LexiframeError(
            "nugget_positions: expected a sentence for each nugget that is stated, found none for "
            f"{first}"
        )
    length = pl.concat([one.select(*_KEY, "sentence") for one in (n.sentences, n.statements)])
    lengths = length.group_by(_KEY).agg(n_retrieved=pl.col("sentence").max())
    ordered = rows.join(lengths, on=_KEY, how="left").sort(
        *_KEY, "position", "nugget_id", nulls_last=True
    )
    return ordered.select(
        *_KEY,
        pl.col("nugget_id").alias("doc_id"),
        "relevance",
        "position",
        level=pl.int_range(1, pl.len() + 1).over(_KEY),
        n_relevant=pl.len().over(_KEY).cast(pl.Int64),
        n_retrieved=pl.col("n_retrieved").fill_null(0),
    ).sort(schemas.POSITIONS.key)
