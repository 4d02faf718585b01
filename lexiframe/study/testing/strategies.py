"""Random small collections for Hypothesis: `collections`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, typed

_DOCUMENTS = ("d1", "d10", "d2", "d", "D1", "9", "10", "é", "𝔻")
_SCORES = (0.0, 1.0, 1.0, 2.0, -1.0, 0.5, 1e300)


@typed
def collections(
    *,
    runs: int = 3,
    requests: int = 3,
    grades: Sequence[float] = (0.0, 1.0, 2.0, -1.0),
) -> Any:
    """Return a Hypothesis strategy of runs with judgments: small, with ties and gaps.

    Parameters
    ----------
    runs, requests
        The greatest numbers of runs and of requests.
    grades
        The grades that are drawn; one above 0 is in each request.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        Of pairs of Polars frames, runs (``run, query_id, doc_id, score``) and judgments
        (``query_id, doc_id, relevance``), as `positions` and `evaluate` take them. Scores tie, ids
        are prefixes of one another or beyond ASCII, documents are unjudged or not retrieved; each
        run answers each request with one document at least. What fails shrinks to fewer rows.

    Raises
    ------
    LexiframeError
        When Hypothesis is not installed, for numbers below 1, and without a grade above 0.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from hypothesis import given
    >>> @given(lf.testing.collections(runs=2))
    ... def test_relevant_items_have_one_position(collection):
    ...     runs, qrels = collection
    ...     p = lf.positions(runs, qrels)
    ...     assert not p.select("run", "query_id", "doc_id").is_duplicated().any()
    >>> test_relevant_items_have_one_position()
    """
    try:
        from hypothesis import strategies as st
    except ImportError:
        raise LexiframeError(
            "hypothesis is not installed; it comes with the extra testing: "
            "pip install 'lexiframe[testing]'"
        ) from None
    if min(runs, requests) < 1:
        raise LexiframeError(
            f"collections: expected runs and requests from 1, found {runs} and {requests}"
        )
    above = [grade for grade in grades if grade > 0]
    if not above:
        raise LexiframeError(f"collections: expected a grade above 0, found {[*grades]}")
    ranking = st.dictionaries(
        st.sampled_from(_DOCUMENTS), st.sampled_from(_SCORES), min_size=1, max_size=6
    )
    judged = st.tuples(
        st.dictionaries(st.sampled_from(_DOCUMENTS), st.sampled_from([*grades]), max_size=6),
        st.sampled_from(_DOCUMENTS),
        st.sampled_from(above),
    ).map(lambda drawn: {**drawn[0], drawn[1]: drawn[2]})
    names, queries = (
        st.integers(1, most).map(partial(_numbered_names, of))
        for most, of in ((runs, "run "), (requests, "q"))
    )

    def filled(drawn: tuple[list[str], list[str]]) -> Any:
        cells = st.fixed_dictionaries({(run, q): ranking for run in drawn[0] for q in drawn[1]})
        return st.tuples(cells, st.fixed_dictionaries(dict.fromkeys(drawn[1], judged)))

    return st.tuples(names, queries).flatmap(filled).map(_frames)


def _numbered_names(of: str, n: int) -> list[str]:
    return [f"{of}{place}" for place in range(n)]


def _frames(drawn: tuple[dict[Any, Any], dict[str, Any]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    first, query = next(iter(drawn[0]))
    relevant = next(name for name, grade in drawn[1][query].items() if grade > 0)
    drawn[0][first, query].setdefault(relevant, 0.0)  # one is found, or there is a warning
    runs = [(*key, name, score) for key, of in drawn[0].items() for name, score in of.items()]
    qrels = [(query, name, grade) for query, of in drawn[1].items() for name, grade in of.items()]
    return (
        pl.DataFrame(runs, ["run", "query_id", "doc_id", "score"], orient="row"),
        pl.DataFrame(qrels, ["query_id", "doc_id", "relevance"], orient="row"),
    )
