"""How far judges agree about grades: `judge_agreement`, `judge_confusion`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, memory_use, schemas, sums, typed
from lexiframe.core.io import column_forms, qrel_files
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import Policies, alone
from lexiframe.decide.judges.agreement_coefficients import (
    alpha_ordinal,
    kappa,
    kappa_linear,
    kappa_quadratic,
)
from lexiframe.decide.judges.graded_items import read_judges, side_by_side
from lexiframe.decide.judges.judged_statements import are_statements, judges_apart, read_statements
from lexiframe.decide.judges.schemas import JUDGE_AGREEMENT, JUDGE_CONFUSION
from lexiframe.decide.judges.stated_agreement import stated_agreement
from lexiframe.decide.votes import stated
from lexiframe.typing import Frame, JudgesLike, RequestsLike


@alone.each_collection
@typed
def judge_agreement(
    judges: JudgesLike | Frame,
    rel: float | None = None,
    *,
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Compute how far every two judges agree about the documents, or pairs of runs, both judged.

    Parameters
    ----------
    judges
        The judgments by the names of their judges, ``{"nist": "qrels.txt", "llm": "llm.txt"}``, at
        least two, each in any form that `read_qrels` takes; or of answers, what `read_nuggets`
        returns or frames ``run, query_id, nugget_id, credit``, or a frame of all with ``judge``. Or
        the side-by-side judgments of all of them, what `read_preferences` returns or a frame that
        it reads, with a column for the judge.
    rel : float, optional
        The least grade that is relevant, for ``kappa_binary``; None: any positive grade, of answers
        credit 1.
    duplicates
        The policy for repeated judgments, as for `read_qrels`.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The table is computed within each group, whose attributes are its first columns.

    Returns
    -------
    polars.DataFrame
        Key ``judge_a, judge_b``, sorted by it. Of two judges ``judge_a`` is the one that was given
        first, so a reference that comes first is judge_a of all its rows. Both judged ``n`` items;
        ``only_a`` and ``only_b`` items have a grade of one of them only, and count for nothing
        else. ``agreement`` is the share of equal grades, in 0..1. ``kappa`` is Cohen's κ of the
        grades as names, ``kappa_linear`` and ``kappa_quadratic`` weigh how far grades are apart,
        ``kappa_binary`` is κ of relevant or not. ``alpha`` is Krippendorff's α of ordinal data. All
        of these are at most 1, and 0 is what chance gives. ``mean_difference`` is the mean of the
        grade by judge_a minus that by judge_b. Of answers an item is a nugget in an answer, its
        grade is the credit, and a last column ``unit`` says ``nugget``. Values are null where both
        judges have the same
        single grade for all items (``kappa_binary``: where all items are relevant to both, or none
        is), since chance alone then makes them agree, and, like the rest, where n is 0.

        Of side-by-side judgments, a row for every two judges who judged a request and pair of runs
        both; these are the items, and what is said of them is -1, 0 or 1. ``agreement`` is the
        share of equal verdicts, ``opposite`` that of opposite ones; ``kappa`` takes the three as
        names, ``kappa_linear`` with their order; ``alpha_nominal`` and ``alpha`` are Krippendorff's
        for names and for ordinal data. `collection.judge_consistency` has a row for each judge.

    Raises
    ------
    LexiframeError
        For fewer than two judges, when no two of them judged the same document for a request, for a
        ``rel`` that is not a positive number; and as `read_qrels`, with the name of the judge.
    TypeError
        When ``judges`` is not a mapping of names.

    Notes
    -----
    An item is a document of a request, whatever its iteration is called; where a judge judged a
    document several times for a request, an item is a document of a subtopic (iteration). Grades
    are taken as they are: coarser grades of one judge are not rescaled, and a negative grade is a
    grade.

    For the weights grades are numbered in their order among those that either judge gave to the n
    items, as scikit-learn's ``cohen_kappa_score`` does: 0, 1 and 3 are one step apart each. Cohen,
    "A Coefficient of Agreement for Nominal Scales", 1960, doi:10.1177/001316446002000104;
    "Weighted kappa", 1968, doi:10.1037/h0026256; Krippendorff, "Computing Krippendorff's
    Alpha-Reliability", 2011. That judges agree about grades does not say whether they order runs
    alike: `compare_judges` does.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> nist = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": 0}}
    >>> llm = {"q1": {"d1": 2, "d2": 1, "d3": 1}, "q2": {"d1": 0, "d4": 0, "d5": 2}}
    >>> table = lf.judge_agreement({"nist": nist, "llm": llm})
    >>> table.select("judge_a", "judge_b", "n", "only_a", "only_b", "agreement").row(0)
    ('nist', 'llm', 5, 0, 1, 0.6)
    >>> table.select(pl.col("kappa", "kappa_quadratic", "alpha").round(3)).row(0)
    (0.375, 0.643, 0.6)
    """
    judges = judges_apart(judges)
    if column_forms.is_frame(judges):
        if rel is not None or duplicates != "error":
            raise LexiframeError(
                "judge_agreement: expected no rel and no duplicates with side-by-side judgments, "
                "which have no grades; leave them out"
            )
        judged = stated.judgments_of(judges)
        return grouping.group_tables(stated_agreement, judged, requests, by)
    Policies(rel=rel)  # which raises for a grade that rel cannot be
    rel = 1.0 if rel is None and are_statements(judges) else rel
    compute = partial(_judge_pairs_table, rel=rel)
    of_grades: Any = judges
    return _group_tables("judge_agreement", of_grades, compute, duplicates, requests, by)


@alone.each_collection
@typed
def judge_confusion(
    judges: JudgesLike,
    *,
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Count how often one judge gave each grade where the other gave each, for every two judges.

    Parameters
    ----------
    judges, duplicates, requests, by
        As for `judge_agreement`.

    Returns
    -------
    polars.DataFrame
        Key ``judge_a, judge_b, relevance_a, relevance_b``, sorted by it, with a row for every two
        of the grades that either judge gave to items that both judged. Of two judges ``judge_a`` is
        the one that was given first. ``n`` counts the items with these grades, ``share`` is their
        share of the items that both judged, and ``share_of_a`` that of the items to which judge_a
        gave ``relevance_a`` (null if there are none); both in 0..1.

    Raises
    ------
    LexiframeError
        As `judge_agreement`; and for more grades than memory has room for pairs of them.
    TypeError
        When ``judges`` is not a mapping of names.

    Examples
    --------
    >>> import lexiframe as lf
    >>> nist = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> llm = {"q1": {"d1": 1, "d2": 1, "d3": 1}}
    >>> table = lf.judge_confusion({"nist": nist, "llm": llm})
    >>> table.select("relevance_a", "relevance_b", "n", "share_of_a").rows()
    [(0.0, 0.0, 0, 0.0), (0.0, 1.0, 1, 1.0), (1.0, 0.0, 0, 0.0), (1.0, 1.0, 2, 1.0)]
    """
    return _group_tables("judge_confusion", judges, _confusion, duplicates, requests, by)


Compute = Callable[[pl.DataFrame, list[str]], pl.DataFrame]


def _group_tables(
    function: str,
    judges: JudgesLike,
    compute: Compute,
    duplicates: qrel_files.Duplicates,
    requests: RequestsLike,
    by: By,
) -> pl.DataFrame:
    """Read the judgments, and compute a table of them in each group of requests."""
    if by_names := grouping.names_of(requests, by):  # judgments themselves have no attributes
        requests = grouping.all_attributes(requests, by_names)
    of_answers = are_statements(judges)
    read = (read_statements if of_answers else read_judges)(function, judges, duplicates)
    items = side_by_side(function, read, of_answers)
    unit = {"unit": pl.lit("nugget")} if of_answers else {}
    return grouping.group_tables(
        lambda part: compute(part, [*read]).with_columns(**unit), items, requests, by
    )


def _judge_pairs(
    items: pl.DataFrame, names: list[str]
) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Yield every two judges, and their grades of all items, NaN where there is none."""
    grades = {name: items[str(n)].to_numpy() for n, name in enumerate(names)}
    for a, b in combinations(names, 2):
        yield a, b, grades[a], grades[b]


def _judge_pairs_table(items: pl.DataFrame, names: list[str], rel: float | None) -> pl.DataFrame:
    rows = [(a, b, *_pair_values(x, y, rel)) for a, b, x, y in _judge_pairs(items, names)]
    table = pl.DataFrame(rows, schema=JUDGE_AGREEMENT.required, orient="row")
    return table.with_columns(pl.selectors.float().fill_nan(None)).sort(JUDGE_AGREEMENT.key)


def _pair_values(a: np.ndarray, b: np.ndarray, rel: float | None) -> tuple[float, ...]:
    """Return the values of a row from the grades of all items, NaN where a judge has none."""
    has_a, has_b = ~np.isnan(a), ~np.isnan(b)
    counts = (int((has_a & has_b).sum()), int((has_a & ~has_b).sum()), int((has_b & ~has_a).sum()))
    if counts[0] == 0:
        return (*counts, *[np.nan] * 7)
    a, b = a[has_a & has_b], b[has_a & has_b]
    i, j, _ = _number_grades(a, b)
    is_a, is_b = ((g > 0 if rel is None else g >= rel).astype(np.int64) for g in (a, b))
    coefficients = (kappa(i, j), kappa_linear(i, j), kappa_quadratic(i, j), kappa(is_a, is_b))
    mean_difference = float((a - b).mean())
    return (*counts, float((i == j).mean()), *coefficients, alpha_ordinal(i, j), mean_difference)


def _number_grades(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the grades of two judges in their order; return the numbers and the grades."""
    grades, number = np.unique(np.concatenate([a, b]), return_inverse=True)
    return number[: len(a)], number[len(a) :], grades


_BYTES_OF_ROW = 100


def _confusion(items: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    frames = [pl.DataFrame(schema=JUDGE_CONFUSION.required)]
    frames += [_confusion_rows(a, b, x, y) for a, b, x, y in _judge_pairs(items, names)]
    return pl.concat(frames).sort(JUDGE_CONFUSION.key)


def _confusion_rows(judge_a: str, judge_b: str, a: np.ndarray, b: np.ndarray) -> pl.DataFrame:
    """Return a row for every two grades of two judges."""
    both = ~np.isnan(a) & ~np.isnan(b)
    i, j, grades = _number_grades(a[both], b[both])
    k = len(grades)
    what = f"judge_confusion: a row for every two of {k:,} grades"
    memory_use.refuse_more_than_available(k * k * _BYTES_OF_ROW, what, "round the grades")
    n = np.bincount(i * k + j, minlength=k * k)
    of_a = n.reshape(k, k).sum(axis=1).repeat(k)
    columns = {
        "judge_a": judge_a, "judge_b": judge_b, "relevance_a": grades.repeat(k),
        "relevance_b": np.tile(grades, k), "n": n, "share": n / max(1, len(i)),
        "share_of_a": sums.ratio(n, of_a),
    }  # fmt: skip
    return schemas.table_of(JUDGE_CONFUSION.required, k * k, columns)
