"""What a person reads first: `verdict`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.schemas import COMPARISONS, VERDICT, check, to_polars

_TESTS = {
    "t": "paired t-test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "randomization": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
    "hsd_randomized": "Tukey's HSD, randomised, requests as blocks",
    "hsd_parametric": "Tukey's HSD, requests as blocks",
}
_CORRECTIONS = {
    "none": "not corrected for",
    "bonferroni": "Bonferroni's correction over",
    "holm": "Holm's correction over",
    "bh": "Benjamini and Hochberg's correction over",
    "tukey": "over",
}


def verdict(
    e: Any,
    comparisons: Any = None,
    *,
    alpha: float | None = None,
    family: Literal["measure", "all"] | None = None,
) -> pl.DataFrame:
    """Say, for each measure, which runs are best, which are not worse, and how sure that is.

    Parameters
    ----------
    e : Evaluation
        What `evaluate` gives: its orderings, and its comparisons unless others are given.
    comparisons
        Another table of all pairs, by `compare` or `tukey_hsd`, made from the same scores or
        preferences (and within the same groups).
    alpha : float, optional
        A pair is told apart when its corrected p-value is below alpha; that of the evaluation
        unless given.
    family : {"measure", "all"}, optional
        What the p-values are corrected over: that of the evaluation, and of other comparisons the
        pairs of one measure, unless given. For the sentence only.

    Returns
    -------
    polars.DataFrame
        Key ``measure, test, correction``, behind the attributes of groups if there are any, in the
        order in which the measures were asked for. ``best``: the runs of the first rank;
        ``not_worse``: the other runs that no best run is significantly better than; of ``n_pairs``
        pairs of runs ``n_significant`` are told apart; ``n`` requests (the fewest of any pair);
        ``sentence`` says it in words: test, correction, family, level and n.

    Raises
    ------
    LexiframeError
        When comparisons of a best run with others are missing, as with a baseline; and for
        one-sided tests: of two runs they ask about the one whose name comes first, so which runs
        they find worse hangs on the names.

    Notes
    -----
    That a run is not significantly worse does not say that it is as good.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"])
    >>> print(lf.verdict(e)["sentence"][0])
    By AP, pixels_euclidean is best; pca8_euclidean is not significantly worse. 2 of 3 pairs of \
runs are told apart (paired t-test, Holm's correction over the 3 pairs, α = 0.05, n = 5 requests).
    """
    inference = e.provenance["inference"]
    level = inference["alpha"] if alpha is None else alpha
    if family is None:
        family = inference["family"] if comparisons is None else "measure"
    by = list(e.provenance.get("by", []))
    c = to_polars(e.comparisons if comparisons is None else comparisons)
    told_apart = pl.col("p_adjusted") < level
    c = check(c, COMPARISONS).with_columns(*(c[name] for name in by), reject=told_apart)
    _refuse_one_sided(c)
    best = e.orderings.filter(pl.col("rank") == pl.col("rank").min().over(*by, "measure"))
    table = _told_apart(c, by, family)
    for part in (_names(best, "best", by, []), _not_worse(c, best, e.orderings, by)):
        on = [name for name in (*by, *_KEY) if name in part.columns]
        table = table.join(part, on=on, how="left", nulls_equal=True, maintain_order="left")
    asked = {measure: place for place, measure in enumerate(e.provenance["measures"])}
    place = pl.col("measure").replace_strict(asked, default=len(asked), return_dtype=pl.Int64)
    table = table.with_columns(pl.col("best", "not_worse").fill_null([])).sort(*by, place, *_KEY)
    sentences = [_sentence(row, by, level, family) for row in table.iter_rows(named=True)]
    return table.with_columns(sentence=pl.Series(sentences, dtype=pl.String)).select(
        *by, *VERDICT.columns
    )


_KEY = ("measure", "test", "correction")


def _refuse_one_sided(c: pl.DataFrame) -> None:
    one_sided = c["test"].filter(c["test"].str.contains("alternative=", literal=True))
    if len(one_sided):
        raise LexiframeError(
            f"verdict: expected two-sided tests, found {one_sided[0]}, which asks only about the "
            "run whose name comes first; give verdict(e, lf.compare(e.scores)), or of e.preferences"
        )


def _told_apart(c: pl.DataFrame, by: list[str], family: str) -> pl.DataFrame:
    """Count the pairs, those told apart, and the comparisons of the family."""
    counted = c.group_by(*by, *_KEY).agg(
        n_pairs=pl.len().cast(pl.Int64),
        n_significant=pl.col("reject").sum().cast(pl.Int64),
        n=pl.col("n").min(),
    )
    of_all = pl.col("n_pairs").sum().over("test", "correction")
    return counted.with_columns(family=of_all if family == "all" else pl.col("n_pairs"))


def _not_worse(
    c: pl.DataFrame, best: pl.DataFrame, orderings: pl.DataFrame, by: list[str]
) -> pl.DataFrame:
    """Name the runs, other than the best ones, that no best run is significantly better than."""
    of_measure = [*by, "measure"]
    a, b, gain = pl.col("run_a"), pl.col("run_b"), pl.col("mean_difference")
    both = [
        c.select(*by, *_KEY, "reject", run=run, rival=rival, gain=sign * gain)
        for run, rival, sign in ((a, b, 1), (b, a, -1))
    ]
    rivals = best.select(*of_measure, rival="run")
    against = pl.concat(both).join(rivals, on=[*of_measure, "rival"], how="semi", nulls_equal=True)
    against = against.join(best, on=[*of_measure, "run"], how="anti", nulls_equal=True)
    _refuse_gaps(c, against, orderings, best)
    is_worse = (pl.col("reject") & (pl.col("gain") < 0)).any()
    kept = against.group_by(*by, *_KEY, "run").agg(is_worse=is_worse).filter(~pl.col("is_worse"))
    ranks = orderings.select(*of_measure, "run", "rank")
    kept = kept.join(ranks, on=[*of_measure, "run"], nulls_equal=True)
    return _names(kept, "not_worse", by, ["test", "correction"])


def _names(runs: pl.DataFrame, called: str, by: list[str], more: list[str]) -> pl.DataFrame:
    """Gather the runs of each measure into a list, by rank and name."""
    ranked = runs.sort("rank", "run").group_by(*by, "measure", *more, maintain_order=True)
    return ranked.agg(pl.col("run").alias(called))


def _refuse_gaps(
    c: pl.DataFrame, against: pl.DataFrame, orderings: pl.DataFrame, best: pl.DataFrame
) -> None:
    """Raise unless each best run is compared with all runs that are not best."""
    groups = [name for name in best.columns if name in c.columns and name not in ("run",)]
    n_best = best.group_by(groups).agg(n_best=pl.len())
    n_runs = orderings.group_by(groups).agg(n_runs=pl.len())
    tested = c.select(*groups, "test", "correction").unique()
    needed = tested.join(n_best, on=groups, nulls_equal=True).join(
        n_runs, on=groups, nulls_equal=True
    )
    there = against.group_by(*groups, "test", "correction").agg(there=pl.len())
    needed = needed.join(there, on=[*groups, "test", "correction"], how="left", nulls_equal=True)
    wanted = pl.col("n_best") * (pl.col("n_runs") - pl.col("n_best"))
    lacking = needed.filter(pl.col("there").fill_null(0) < wanted)
    if lacking.height:
        row = lacking.sort(groups).row(0, named=True)
        raise LexiframeError(
            f"verdict: expected comparisons of every best run of {row['measure']} with all other "
            "runs, and some are missing; compare all pairs (no baseline), of the same runs"
        )


def _sentence(row: dict[str, Any], by: Sequence[str], alpha: float, family: str) -> str:
    group = "".join(f" for {name} = {row[name]}" for name in by)
    verb = "is" if len(row["best"]) == 1 else "share the first rank"
    best = f"By {row['measure']}{group}, {_listed(row['best'])} {verb}"
    verb = "is" if len(row["not_worse"]) == 1 else "are"
    if row["not_worse"]:
        others = f"{_listed(row['not_worse'])} {verb} not significantly worse"
    elif len(row["best"]) * (len(row["best"]) - 1) // 2 == row["n_pairs"]:
        others = "there is no other"
    else:
        others = "all other runs are significantly worse"
    one = len(row["best"]) == 1
    test, _, options = row["test"].partition("(")
    how = _TESTS.get(test, test) + (f" ({options}" if options else "")
    over = f"{_CORRECTIONS.get(row['correction'], row['correction'])} the {row['family']} pairs"
    scope = " of all measures" if family == "all" else ""
    return (
        f"{best}{' best' if one else ''}; {others}. {row['n_significant']} of {row['n_pairs']} "
        f"pairs of runs are told apart ({how}, {over}{scope}, α = {alpha:g}, "
        f"n = {row['n']} requests)."
    )


_NAMED = 6
"""So many runs are named in a sentence; the columns have them all."""


def _listed(runs: list[str]) -> str:
    if len(runs) > _NAMED:
        runs = [*runs[: _NAMED - 1], f"{len(runs) - _NAMED + 1} others"]
    return " and ".join(filter(None, [", ".join(runs[:-1]), runs[-1]]))
