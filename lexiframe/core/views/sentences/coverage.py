"""Coverage in words: the rankings of all runs, and differences between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.projection import answers


def told_of_each(
    coverage: pl.DataFrame, told: Callable[[pl.DataFrame], Iterable[str]]
) -> tuple[str, ...]:
    """Return the sentences on a coverage, with the name of each collection in front."""
    if "collection" not in coverage.columns:
        return tuple(told(coverage))
    parts = coverage.partition_by("collection", as_dict=True, maintain_order=True)
    return tuple(
        f"{printed.shortened(str(key[0]))}: {one}"
        for key, part in parts.items()
        for one in told(part.drop("collection"))
    )


def judged_where_pooled(coverage: pl.DataFrame, provenance: Mapping[str, Any]) -> pl.DataFrame:
    """Return a coverage with the share of judged documents only where judgments come from a pool.

    If every judged document has a positive grade, like the items that users of a recommender chose,
    no document was looked at for being judged: nearly all have no judgment.
    """
    grades = provenance.get("grades") or [0.0]
    is_positive = pl.lit(not isinstance(grades, Mapping) and grades[0] > 0)
    if isinstance(grades, Mapping):  # of collections
        is_positive = pl.col("collection").is_in(
            [c for c, of in grades.items() if of and of[0] > 0]
        )
    return coverage.with_columns(judged_at_10=pl.when(~is_positive).then("judged_at_10"))


def coverage_in_words(coverage: pl.DataFrame) -> str:
    """Return a sentence on the answers and documents of all runs together.

    Examples
    --------
    >>> coverage = pl.DataFrame({"requests": 5, "without_relevant": 0, "missing": [0, 1],
    ...     "extra": 0, "retrieved": [1000, 500], "judged": [500, 250], "relevant_retrieved": 9})
    >>> print(coverage_in_words(coverage))
    Coverage: 2 runs, 5 requests (0 without a relevant item); rankings missing: 1, extra: 0; \
documents retrieved: 1,500, of these judged: 50.0 %, relevant: 18.
    """
    total = coverage.sum()
    retrieved, judged = total["retrieved"][0], total["judged"][0]
    share = f"{printed.percent(judged / retrieved)}, relevant: " if retrieved else "0, relevant: "
    below = total["negative"][0] if "negative" in total.columns else 0
    spam = f"; with a grade below 0, counted as unjudged: {below:,}" * bool(below)
    requests, without = coverage["requests"][0], coverage["without_relevant"][0]
    return (
        f"Coverage: {printed.counted(coverage.height, 'run')}, "
        f"{printed.counted(requests, 'request')} "
        f"({without:,} without a relevant item); "
        f"rankings missing: {total['missing'][0]:,}, extra: {total['extra'][0]:,}; documents "
        f"retrieved: {retrieved:,}, of these judged: {share}"
        f"{total['relevant_retrieved'][0]:,}{spam}."
    )


_MOST_NAMED = 2


def run_names(runs: Sequence[str], many: str = "runs") -> str:
    """Name some runs; of many the number, as the table marks them."""
    shown = [printed.shortened(run) for run in runs]
    return printed.and_joined(shown) if len(runs) <= _MOST_NAMED else f"{len(runs):,} {many}"


def rankings_in_words(coverage: pl.DataFrame) -> tuple[str, ...]:
    """Return sentences on missing rankings, and on rankings that begin with their query."""
    how = printed.advice(python="exclude_self=True", terminal="--exclude-self")
    own = answers.own_queries_in_words(coverage)
    return (
        *missing_in_words(coverage),
        *(f"The query itself is {said}: {how} leaves it out of all runs." for said in own),
    )


def missing_in_words(coverage: pl.DataFrame) -> tuple[str, ...]:
    """Return a sentence on the runs that lack rankings, which count as empty, if some do."""
    lacking = coverage.filter(pl.col("missing") > 0)
    runs = lacking["run"].unique(maintain_order=True).to_list()  # not each of their replicates
    if not runs:
        return ()
    most, lack = ("", "lacks") if len(runs) == 1 else ("up to ", "lack")
    n, worst = coverage["requests"][0], max(lacking["missing"])
    return (f"{run_names(runs)} {lack} rankings of {most}{worst:,} of the {n:,} requests.",)


def differences_in_words(coverage: pl.DataFrame) -> tuple[str, ...]:
    """Return a sentence on how the runs differ in depth, judged documents and answers, if they do.

    Examples
    --------
    >>> coverage = pl.DataFrame({"run": ["a", "b", "c"], "depth": [10, 1000, 1000],
    ...     "judged_at_10": [0.5, 0.5, 0.25], "missing": 0})
    >>> print(*differences_in_words(coverage))
    The runs differ: depth from 10 (a) to 1,000 (2 runs); judged in the top 10 from 25.0 % (c) to \
50.0 % (2 runs).
    """
    said = [
        _name_extremes(coverage, "depth", "depth", "{:,}".format),
        _name_extremes(coverage, "judged_at_10", "judged in the top 10", printed.percent),
        _name_extremes(coverage, "missing", "requests not answered", "{:,}".format),
    ]
    differing = "; ".join(filter(None, said))
    return (f"The runs differ: {differing}.",) if differing else ()


_FULL = 0.9
_TIMES = 2
_FEWEST = 5
"""Runs are cut at a depth where their requests have this share of it, and the depth is no accident
of few requests or documents; depths differ where the greatest is this many times the least."""
_CUTOFF = r"@([0-9]+)"


def cuts_in_words(coverage: pl.DataFrame, measures: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on runs that are cut at different depths, where a measure sees them all.

    Measures with a cutoff at the least depth or above treat all runs alike.

    Examples
    --------
    >>> coverage = pl.DataFrame({"run": ["a", "b"], "depth": [10, 1000], "answered": 50,
    ...     "retrieved": [500, 49000]})
    >>> print(*cuts_in_words(coverage, ["AP", "nDCG@10"]))
    The runs are cut at different depths, from 10 (a) to 1,000 (b), which may favour the longer \
ones by AP; depth=10 cuts all of them there.
    >>> cuts_in_words(coverage, ["nDCG@10"])
    ()
    """
    are_cut = pl.col("retrieved") >= _FULL * pl.col("depth") * pl.col("answered")
    is_much = (pl.col("depth") >= _FEWEST) & (pl.col("answered") >= _FEWEST)
    cut = coverage.filter(are_cut & is_much)
    least, greatest = cut["depth"].min(), cut["depth"].max()
    if not isinstance(least, int) or greatest < _TIMES * least:  # type: ignore[operator]
        return ()
    cutoffs = pl.Series(measures, dtype=pl.String).str.extract(_CUTOFF).cast(pl.Int64)
    seen = [m for m, at in zip(measures, cutoffs, strict=True) if at is None or at > least]
    if not seen:
        return ()
    depths = _name_extremes(cut, "depth", "", "{:,}".format).strip()
    by = f" by {printed.and_joined(printed.first_runs(seen, _MOST_MEASURES))}"
    said = (
        f"The runs are cut at different depths, {depths}, which may favour the longer ones"
        f"{by if len(measures) > 1 else ''}; depth={least} cuts all of them there."
    )
    return (said,)


_MOST_MEASURES = 3


def _name_extremes(
    coverage: pl.DataFrame, name: str, called: str, write: Callable[[Any], str]
) -> str:
    """Name the runs with the least and the greatest value; nothing where these look the same."""
    values = coverage.select("run", name).drop_nulls().sort(name)
    written = [write(value) for value in values[name]]
    if not written or written[0] == written[-1]:
        return ""
    ends = (values["run"].filter(pl.Series(written) == end) for end in (written[0], written[-1]))
    low, high = (runs[0] if len(runs) == 1 else f"{len(runs):,} runs" for runs in ends)
    return f"{called} from {written[0]} ({low}) to {written[-1]} ({high})"
