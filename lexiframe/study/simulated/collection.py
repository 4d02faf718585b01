"""Simulated runs and judgments as tables: `simulate_collection`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe.core.base import (
    LexiframeError,
    memory_use,
    progress,
    resampling,
    schemas,
    shown,
    typed,
)
from lexiframe.core.io import provenance, read_qrels, read_runs
from lexiframe.study.simulated.design import (
    check_model,
    check_range,
    check_whole,
    make_design,
    replace_given,
    resized,
)
from lexiframe.study.simulated.fitting import imitate
from lexiframe.study.simulated.model import Design, Model, Pool, draws, item_scores
from lexiframe.study.simulated.statistics import collection_of
from lexiframe.typing import CollectionLike, Evaluated

_FUNCTION = "simulate_collection"
_POOL_DEPTH = 20


@typed
def simulate_collection(
    *,
    requests: int | None = None,
    runs: int | None = None,
    depth: int | tuple[int, int] | None = None,
    relevant: float | tuple[float, float] | None = None,
    grades: Mapping[float, float] | None = None,
    subtopics: int = 0,
    tied_scores: float | None = None,
    pool_depth: int | None = None,
    pool_share: float | None = None,
    all_relevant: bool | None = None,
    like: CollectionLike | Evaluated | None = None,
    rel: float | None = None,
    seed: int = 0,
    **signal: float,
) -> tuple[pa.Table, pa.Table]:
    """Simulate runs and judgments, from scratch or like those of a real collection.

    Parameters
    ----------
    requests, runs
        How many there are. Default: as in ``like``, or 50 requests and 10 runs.
    depth
        The number of items that each run retrieves for each request; or the least and the greatest
        of these numbers, between which the runs are evenly spread. Default: 100.
    relevant
        The mean number of relevant items of a request, with a standard deviation as large as the
        mean; or mean and standard deviation. The numbers follow a log-normal distribution.
        Default: 20.
    grades
        The grades of relevant items, above 0, and the share of relevant items that has each.
        Default: ``{1: 1}``.
    subtopics
        The number of subtopics of each request. The column ``iteration`` of the judgments then is
        the subtopic, and each relevant item has one to all of them; the first ones are frequent.
    tied_scores
        The share of items of a run whose score equals the score of the item above. Default: 0.
    pool_depth, pool_share
        The items that some run ranks within this depth are the pool, and this share of the pool is
        judged; other items stay unjudged. With depth 0, all relevant items are judged, and no
        others. Default: 20 and 1.
    all_relevant
        Whether all relevant items are judged, also outside the pool. Default: no.
    like
        Runs and judgments, as `positions` takes them, of a collection that is imitated; or an
        `Evaluation`, whose runs, judgments and least relevant grade are used. The numbers of
        relevant items, the grades, depths and ties of scores are taken over. The parameters of
        the model are fitted, so that AP, nDCG@10 and RR have nearly the same means, spreads, ties
        and correlations; and the pool is fitted, so that nearly as many of the top 10 are judged.
        Other arguments that are given override this. The collection needs at least two runs and
        four requests. What a collection does not have, such as the correlation of AP with an RR
        that is always 1, is not fitted (see `collection_distances`).
    rel
        The least grade of ``like`` that is relevant. Default: any positive grade, or that of the
        evaluation.
    seed
        The same arguments and seed give the same tables.
    signal
        The parameters of the model by name:

        ``skill`` and ``skill_spread``: how far relevant items stand out, on average and as the
        standard deviation over runs, in standard deviations of the scores of other items (1.9 and
        0.4 unless given). ``difficulty`` and ``interaction``: the same as the standard deviation
        over requests, and over pairs of a run and a request (0.9, 0.35). ``relevant_spread``: how
        much the relevant items of a request differ, for all runs (0.4). ``grade_effect``: how much
        more an item stands out whose grade is one standard deviation higher (0.3).

        ``similarity``: the share of the variance of scores that all runs have in common, 0 to 1
        (0.6). ``near_misses``: for each relevant item, a request has another one that looks
        relevant but is not; it stands out by this share of what a relevant item does, 0 to 1 (0.8).

    Returns
    -------
    runs, qrels : pyarrow.Table
        As `read_runs` and `read_qrels` return them. The schema metadata say how they were made:
        the arguments of this call, with which it gives the same tables again; the parameters of the
        model and the pool, which may have been fitted; and as ``sources`` the files of ``like``.

    Raises
    ------
    LexiframeError
        For an argument out of its range, for ``rel`` without ``like``; and for ``like``, as
        `collection_distances`.
    TypeError
        For ``like`` that is neither a pair of runs and judgments nor an evaluation.

    See Also
    --------
    collection_distances : How close a simulated collection is to a real one.

    Notes
    -----
    The score of an item is the sum of a part that all runs share and a part that only one run has,
    both normally distributed; relevant items have a third part, which makes them stand out. The
    module ``lexiframe.study.simulated.model`` has the formula. Items of two requests are
    never the same.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs, qrels = lf.simulate_collection(requests=20, runs=4, relevant=8, seed=1)
    >>> lf.scores(lf.positions(runs, qrels), "AP").height
    80
    """
    arguments: dict[str, Any] = {
        "requests": requests, "runs": runs, "depth": depth, "relevant": relevant,
        "subtopics": subtopics, "tied_scores": tied_scores, "pool_depth": pool_depth,
        "pool_share": pool_share, "all_relevant": all_relevant, "rel": rel, "seed": seed, **signal,
    }  # fmt: skip
    for name in ("requests", "runs", "pool_depth", "subtopics"):
        if arguments[name] is not None:
            check_whole(name, arguments[name], 0 if name in ("pool_depth", "subtopics") else 1)
    resampling.check_draws(_FUNCTION, "seed", 1, seed)
    _refuse_large(requests or 1, runs or 1, depth, relevant, subtopics)
    check_model(signal)
    sources: list[dict[str, Any]] = []
    if like is None:
        _refuse_rel(rel)
        model, design = Model(), make_design(requests, runs, seed)
        pool = Pool(_POOL_DEPTH, 1.0, all_relevant=False)
    else:
        (real_runs, real_qrels), arguments["rel"] = collection_of(_FUNCTION, "like=", like, rel)
        real = read_runs(real_runs), read_qrels(real_qrels)
        sources = [
            {"imitated": True, **fact} for one in real for fact in provenance.recorded_sources(one)
        ]
        model, design, pool = imitate(*real, arguments["rel"], seed)
        design = resized(design, requests, runs, seed)
    design = replace_given(design, depth, relevant, grades, tied_scores, seed)
    pool = _pool_as_given(pool, pool_depth, pool_share, all_relevant)
    model = replace(model, **signal)
    # The keys of JSON are text, which NumPy's numbers do not become by themselves.
    arguments["grades"] = grades and {str(grade): share for grade, share in grades.items()}
    facts = {"arguments": arguments, "model": asdict(model), "pool": asdict(pool)}
    return _tables(model, design, pool, subtopics, seed, {"sources": sources, _FUNCTION: facts})


def _refuse_large(
    requests: int,
    runs: int,
    depth: int | tuple[int, int] | None,
    relevant: float | tuple[float, float] | None,
    subtopics: int,
) -> None:
    """Raise, before the work, when the least that it takes does not fit in memory."""
    deepest = max(depth) if isinstance(depth, tuple | list) else depth or 1
    most = max(relevant) if isinstance(relevant, tuple | list) else relevant or 1
    per_request = 60 * runs * deepest + 60 * deepest + 60 * most + 60 * subtopics
    memory_use.refuse_more_than_available(
        requests * per_request + 60 * runs,
        f"{_FUNCTION}: {requests:,} requests × {runs:,} runs to depth {deepest:,}",
        "ask for fewer",
    )


def _refuse_rel(rel: float | None) -> None:
    if rel is not None:
        raise LexiframeError(
            f"{_FUNCTION}: expected like beside rel, its least relevant grade, found rel="
            f"{shown(rel)} alone; the grades of a collection that imitates none are grades={{...}}"
        )


def _pool_as_given(
    pool: Pool, depth: int | None, share: float | None, all_relevant: bool | None
) -> Pool:
    """Replace the parts of a pool for which the user gave an argument."""
    given: dict[str, Any] = {} if depth is None else {"depth": depth}
    if share is not None:
        check_range("pool_share", share, 0, 1)
        given["share"] = float(share)
    if all_relevant is not None:
        given["all_relevant"] = bool(all_relevant)
    return replace(pool, **given)


def _tables(
    model: Model, design: Design, pool: Pool, subtopics: int, seed: int, facts: dict[str, Any]
) -> tuple[pa.Table, pa.Table]:
    """Simulate one request after the other, and put all of them into two tables.

    The facts go into the metadata of both.
    """
    n_requests, first = len(design.ease), 0
    ranked, scored, judged = [], [], []
    every = progress(draws(design, seed), n_requests, "simulating requests")
    for number, draw in enumerate(every):
        rng = np.random.default_rng([seed, number, 1])
        # Documents are numbered at random, or ties of scores would be broken by relevance.
        document = first + rng.permutation(len(draw.common))
        first += len(document)
        items, scores = _rankings(item_scores(model, design, draw, number), document, draw.is_tied)
        ranked.append(document[items])
        scored.append(scores)
        item, subtopic, grade = _judgments(items, draw.grade, design, pool, subtopics, rng)
        judged.append((np.full(len(item), number), subtopic, document[item], grade))
    name = _numbered_names("q", n_requests), _numbered_names("d", first)
    runs = _runs_table(np.stack(ranked, axis=1), np.stack(scored, axis=1), design, *name)
    columns = [np.concatenate(column) for column in zip(*judged, strict=True)]
    qrels = _qrels_table(columns, *name)
    return (
        schemas.to_arrow(runs).replace_schema_metadata(
            provenance.describe({"table": "runs", **facts})
        ),
        schemas.to_arrow(qrels).replace_schema_metadata(
            provenance.describe({"table": "qrels", **facts})
        ),
    )


def _rankings(
    scores: np.ndarray, document: np.ndarray, is_tied: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return items and scores, runs × ranks; equal scores by document, the greatest first."""
    order = np.argsort(-scores, axis=1)[:, : is_tied.shape[1]]
    above = np.maximum.accumulate(np.where(is_tied, 0, np.arange(is_tied.shape[1])), axis=1)
    tied = np.take_along_axis(np.take_along_axis(scores, order, axis=1), above, axis=1)
    place = np.lexsort((-document[order], above), axis=1)
    return np.take_along_axis(order, place, axis=1), tied


def _judgments(
    items: np.ndarray,
    grade: np.ndarray,
    design: Design,
    pool: Pool,
    subtopics: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of a request that are judged, each with a subtopic and a grade."""
    pooled = np.unique(
        items[np.arange(items.shape[1]) < np.minimum(design.depth, pool.depth)[:, None]]
    )
    pooled = pooled[rng.random(len(pooled)) < pool.share]
    m = len(grade)
    is_complete = pool.all_relevant or not pool.depth
    relevant, others = np.arange(m) if is_complete else pooled[pooled < m], pooled[pooled >= m]
    place, subtopic = _subtopics(len(relevant), subtopics, rng)
    item = np.concatenate([relevant[place], others])
    # A non-relevant item has one row, with the first subtopic.
    subtopic = np.concatenate([subtopic, np.full(len(others), min(1, subtopics))])
    return item, subtopic, np.concatenate([grade[relevant[place]], np.zeros(len(others))])


def _subtopics(n: int, subtopics: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Give each of n items one subtopic or more; the probability of subtopic j falls as 1 / j."""
    if not subtopics:
        return np.arange(n), np.zeros(n, np.int64)
    share = 1 / np.arange(1, subtopics + 1)
    has = rng.random((n, subtopics)) < share / 4
    has[np.arange(n), rng.choice(subtopics, n, p=share / share.sum())] = True
    place, subtopic = np.nonzero(has)
    return place, subtopic + 1


def _numbered_names(letter: str, n: int) -> pl.Series:
    """Return n names: the letter and a number with leading zeros, so that they sort by number."""
    numbers = pl.Series(np.arange(1, n + 1)).cast(pl.String).str.zfill(len(str(n)))
    return letter + numbers


def _runs_table(
    document: np.ndarray, scores: np.ndarray, design: Design, queries: pl.Series, docs: pl.Series
) -> pl.DataFrame:
    """Build the table of runs from runs × requests × ranks."""
    is_kept = np.broadcast_to(
        np.arange(document.shape[2]) < design.depth[:, None, None], document.shape
    )
    run, query, rank = np.nonzero(is_kept)
    return pl.DataFrame(
        {
            "run": _numbered_names("run", len(design.depth)).gather(run),
            "query_id": queries.gather(query),
            "doc_id": docs.gather(document[is_kept]),
            "score": scores[is_kept].astype(np.float64),
            "rank": rank + 1,
        }
    )


def _qrels_table(columns: list[np.ndarray], queries: pl.Series, docs: pl.Series) -> pl.DataFrame:
    """Build the table of judgments from requests, subtopics, documents and grades."""
    query, subtopic, document, grade = columns
    return pl.DataFrame(
        {
            "query_id": queries.gather(query),
            "iteration": pl.Series(subtopic).cast(pl.String),
            "doc_id": docs.gather(document),
            "relevance": grade.astype(np.float64),
        }
    )
