"""Scores from judgments of a sample of the pool, drawn by strata: `inferred_scores`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lexiframe.core.base import Problem, ReadError, schemas, typed
from lexiframe.core.io import data_sources, problems
from lexiframe.core.projection import positions
from lexiframe.typing import LogLike, RunsLike

_IDS = ("query_id", "doc_id", "stratum")
_TYPES = {**dict.fromkeys(_IDS, schemas.STR), "relevance": schemas.FLOAT}
_JUDGMENTS = schemas.TableSchema("judgments", _IDS, _TYPES)
_LINE = (
    r"^\s*(?<query_id>\S+)\s+\S+\s+(?<doc_id>\S+)\s+(?<stratum>\S+)\s+(?<relevance>-?[0-9]+)\s*$"
)
_KEY = ("run", "query_id")
_EPSILON = 1e-5


@typed
def inferred_scores(runs: RunsLike, judgments: LogLike, *, depth: int = 1000) -> pl.DataFrame:
    """Estimate AP and nDCG from a sample of the pool that was judged at different rates.

    A judged document stands for w = (documents of its stratum in the pool) / (judged ones).

    Parameters
    ----------
    runs
        As for `positions`.
    judgments
        TREC's file of five fields, query, 0, document, stratum and grade; or a frame with the
        columns ``query_id, doc_id, stratum, relevance``. They list the whole pool, and a grade
        below 0 says that a document was not judged.
    depth : int
        Deeper documents do not count, nor do they in the ideal ranking.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, measure``; ``value``, from 0, and ``smaller_is_better``, which
        is false. A request has ``xinfAP`` and ``infNDCG`` if a document is judged relevant.

    Raises
    ------
    ReadError
        For a line without five fields and a whole number as grade.
    LexiframeError
        As `positions`.

    Notes
    -----
    xinfAP = 1/Σ w · Σ w/p (1 + Σ_s n_s (r_s + ε)/(j_s + 3ε)) over relevant documents at positions
    p, with n documents of the pool, j judged and r relevant ones of each stratum s above; ε =
    0.00001. infNDCG divides Σ_s n_s/j_s Σ y/log₂(p + 1), with all that was retrieved of s, by the
    same of the ideal ranking, in which a grade y occurs Σ w times, rounded. As sample_eval.pl;
    Yilmaz, Kanoulas and Aslam 2008, doi:10.1145/1390334.1390437.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> pool = pl.DataFrame({"query_id": "1", "doc_id": [*"abcd"], "stratum": [1, 1, 2, 2],
    ...                      "relevance": [1, 0, 1, -1]})
    >>> s = lf.collection.inferred_scores({"bm25": {"1": {"b": 3, "a": 2, "c": 1}}}, pool)
    >>> s.select("measure", pl.col("value").round(3)).rows()
    [('infNDCG', 0.531), ('xinfAP', 0.611)]
    """
    stratum = ("query_id", "stratum")
    is_judged, is_relevant = pl.col("relevance") >= 0, pl.col("relevance") > 0
    pool = _read_pool(judgments).with_columns(w=(pl.len() / is_judged.sum()).over(stratum))
    ranked = positions(
        runs, pool.select("query_id", "doc_id", "relevance"), depth=depth, judged=True
    )
    found = ranked.select(*_KEY, "doc_id", "position").join(pool, on=["query_id", "doc_id"])
    found = found.drop_nulls("position").sort(*_KEY, "position")
    n_relevant, n_judged = (flag.cast(pl.Int64).cum_sum() for flag in (is_relevant, is_judged))
    share = (n_relevant + _EPSILON) / (n_judged + 3 * _EPSILON)
    expected = pl.int_range(1, pl.len() + 1) * share
    # each document changes what is expected of its own stratum, and their sum is that of all
    change = (expected - expected.shift(fill_value=0.0)).over(*_KEY, "stratum")
    found = found.with_columns(change=change)
    precision = 1.0 + (pl.col("change").cum_sum() - pl.col("change")).over(_KEY)
    gain = pl.col("relevance") / (pl.col("position") + 1).log(2)
    found = found.with_columns(ap=pl.col("w") * precision / pl.col("position"), gain=gain)
    relevant = found.filter(is_relevant).group_by(_KEY).agg(pl.col("ap").sort().sum())
    of_strata = found.group_by(*_KEY, "stratum").agg(
        dcg=pl.col("gain").filter(is_relevant).sort().sum() * pl.len() / is_judged.sum()
    )
    gains = of_strata.group_by(_KEY).agg(pl.col("dcg").fill_nan(0).sort().sum())
    judged = pool.filter(is_relevant).group_by("query_id", "relevance").agg(pl.col("w").sum())
    judged = judged.sort("query_id", "relevance", descending=[False, True])
    n = (pl.col("w") + 0.5).floor().cast(pl.Int64)
    ideal = judged.select("query_id", pl.col("relevance").repeat_by(n)).explode("relevance")
    ideal = ideal.with_columns(position=pl.int_range(1, pl.len() + 1).over("query_id"))
    ideal = ideal.filter(pl.col("position") <= depth).group_by("query_id").agg(ideal=gain.sum())
    table = ranked.select(_KEY).unique().join(relevant, on=_KEY, how="left")
    table = table.join(gains, on=_KEY, how="left").join(ideal, on="query_id")
    table = table.join(judged.group_by("query_id").agg(pl.col("w").sum()), on="query_id")
    each = {"xinfAP": pl.col("ap") / pl.col("w"), "infNDCG": pl.col("dcg") / pl.col("ideal")}
    values = table.select(*_KEY, **{name: value.fill_null(0) for name, value in each.items()})
    values = values.unpivot(index=_KEY, variable_name="measure", value_name="value")
    values = values.with_columns(smaller_is_better=False)
    return schemas.SCORES.arranged(values)


def _read_pool(judgments: LogLike) -> pl.DataFrame:
    if not isinstance(judgments, str | Path):
        return schemas.check(judgments, _JUDGMENTS)
    file = data_sources.only_file(judgments)
    text = problems.decoded(file.content("sampled judgments").data, str(file))
    lines = pl.Series("line", text.split("\n"))
    fields = lines.str.extract_groups(_LINE).struct.unnest()
    bad = (fields["query_id"].is_null() & (lines.str.strip_chars() != "")).arg_true()
    if len(bad):
        expected = "five fields: query, 0, document, stratum, and a whole number as grade"
        found = f"{lines[bad[0]]:.80}"
        raise ReadError(Problem(str(file), expected, repr(found), line=bad[0] + 1))
    return fields.drop_nulls("query_id").cast({"relevance": pl.Float64})
