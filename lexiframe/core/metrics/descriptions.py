"""A collection in numbers, as papers print it: `describe`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.projection import Policies, answers, rank_runs
from lexiframe.typing import QrelsLike, RunsLike


@typed
def describe(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    *,
    rel: float | Mapping[str, float] | None = None,
    duplicates: qrel_files.Duplicates = "error",
) -> pl.DataFrame:
    """Describe a collection in one row, or each of several in one, as papers print them.

    Parameters
    ----------
    runs, qrels, duplicates
        As for `positions`; ``{"name": (runs, qrels)}`` are several collections.
    rel
        The least grade that is relevant, one or by the name of the collection; None, and for
        collections that are not named: any positive grade.

    Returns
    -------
    polars.DataFrame
        With several collections, the key ``collection``. ``requests`` with a relevant item;
        ``runs``; ``rankings``, one for each run and request, also where a run gave none; ``depth``
        and ``depth_sd``, mean and standard deviation over the rankings of the number of documents
        retrieved; ``relevant`` and ``relevant_sd``, over the requests, of the number of relevant
        items (a standard deviation of one value is null); ``grades``, all that were judged.

    Raises
    ------
    LexiframeError
        As `positions`; and for a ``rel`` of a collection that is not there.

    Warns
    -----
    LexiframeWarning
        As `positions`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> lf.describe(folder / "runs", folder / "qrels.txt").drop("relevant_sd").row(0)
    (5, 3, 15, 25.0, 0.0, 19.8, [1.0])
    """
    from lexiframe.core.projection import by_collection  # other commands do without

    collections = by_collection.given(runs, qrels, "describe")
    least = rel if isinstance(rel, Mapping) else dict.fromkeys(collections or (), rel)
    if strange := [name for name in least if name not in (collections or ())]:
        raise LexiframeError(
            f"describe: expected a rel for names of collections, found {strange[0]!r}; "
            f"{{name: (runs, qrels)}} gives them names, there are {[*(collections or ())]}"
        )
    if collections is not None:
        parts = {name: (*one, least.get(name)) for name, one in collections.items()}
        return by_collection.each_collection(
            parts, lambda one: describe(one[0], one[1], rel=one[2], duplicates=duplicates)
        )
    one: Any = (qrels, rel)  # there are judgments, or `given` would have raised; and no mapping
    ranked = rank_runs(runs, one[0], Policies(one[1], duplicates=duplicates), nonrelevant=True)
    answers.warn_of_gaps(ranked)
    grades = ranked.judged.judgments["relevance"]
    answers.warn_of_grades(grades, one[1])
    m = ranked.judged.n_relevant
    depth = np.array([run.retrieved[m > 0] for run in ranked.runs])
    counted = {"depth": pl.Series(depth.ravel()), "relevant": pl.Series(m[m > 0])}
    sizes = {"requests": len(counted["relevant"]), "runs": len(ranked.runs), "rankings": depth.size}
    found = {
        f"{name}{end}": of
        for name, values in counted.items()
        for end, of in (("", values.mean()), ("_sd", values.std()))
    }
    types = dict.fromkeys(sizes, pl.Int64()) | dict.fromkeys(found, pl.Float64())
    row = {**sizes, **found, "grades": [grades.unique().sort().to_list()]}
    return pl.DataFrame(row, schema_overrides=types)
