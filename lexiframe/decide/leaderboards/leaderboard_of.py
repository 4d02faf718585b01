"""Leaderboards: runs over several collections: `leaderboard`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, ReadError, printed, typed
from lexiframe.core.io import Tables, column_forms, kept_results, output_files, to_parquet
from lexiframe.decide import leaderboards as of
from lexiframe.decide.leaderboards.schemas import (
    COLLECTION_COMPARISONS,
    COLLECTION_CORRELATIONS,
    COLLECTION_GAPS,
    COLLECTION_RANKING,
    COLLECTION_SCORES,
    COLLECTION_WEIGHTS,
    CONNECTED_PARTS,
    LEAVE_ONE_OUT,
    NEIGHBOURS,
    RANK_PERCENTILES,
    RULE_CORRELATIONS,
    SMALLEST_SET,
)
from lexiframe.typing import FrameKind, ScoresLike

if TYPE_CHECKING:
    from lexiframe.decide.leaderboards.charts import LeaderboardPlots

LEADERBOARD, VERDICT = "leaderboard", "verdict"
SCHEMAS = {
    "ranking": COLLECTION_RANKING,
    "cells": COLLECTION_SCORES,
    "gaps": COLLECTION_GAPS,
    "comparisons": COLLECTION_COMPARISONS,
    "neighbours": NEIGHBOURS,
    "rank_percentiles": RANK_PERCENTILES,
    "collection_weights": COLLECTION_WEIGHTS,
    "leave_one_out": LEAVE_ONE_OUT,
    "correlations": COLLECTION_CORRELATIONS,
    "rule_correlations": RULE_CORRELATIONS,
    "smallest_set": SMALLEST_SET,
    "components": CONNECTED_PARTS,
}
"""The tables of a leaderboard."""
_AGAIN = "name a folder that Leaderboard.write, or lexiframe leaderboard --out, wrote"
_WINDOW = 20
"""How many of the first runs are printed."""


@dataclass(frozen=True, repr=False, eq=False)
class Leaderboard(of.BoardTables, Tables):
    """Runs over several collections, and how sure their ranks are; `leaderboard` makes it.

    A table is computed when it is first asked for, and kept. A larger value is better, except for
    places (``mean_rank``, ``kemeny``) and for the mean of collections of which smaller values are
    better in all. In a mean of both kinds these count with a minus sign.

    Attributes
    ----------
    ranking
        Key ``rule, run``, sorted by rule and rank: ``value`` with its interval ``ci_low, ci_high``
        (of the run's own value; it does not say which runs differ); ``rank`` = 1 + the number of
        better runs; ``rank_low, rank_high``: the ranks that are possible, for all runs at once;
        ``rank_low_each, rank_high_each``: for each run by itself (all at once they may hold in as
        few as half of the cases); ``n_collections`` that the run has, and whether it is
        ``incomplete``.
    cells
        Key ``run, collection``: the ``value`` of each run that is ranked, as given.
    gaps
        Key ``run, collection``: the results that are missing, and ``how`` they were dealt with;
        ``n_collections`` of the run and ``n_runs`` of the collection.
    comparisons
        Key ``rule, test, correction, run_a, run_b``: by how much run_a is better in all pairs, by
        ``n`` units, with ``df`` degrees of freedom. ``reject`` holds for all pairs at once; it is
        null where the correction is ``none``, as of too few units. The step-down test has no
        ``p_adjusted``.
    neighbours
        Key ``rule, place``: runs next to each other in the order. ``mean_difference`` has the
        interval ``ci_low, ci_high`` and an uncorrected ``p_value``; ``reject`` is that of all
        pairs; ``share_in_order`` of the resamples that keep their order (ties half).
    rank_percentiles
        Key ``rule, run``: central percentiles of the ranks in resamples, and the share in which the
        run is first. They describe resamples and are no confidence intervals: near ties they hold
        the true rank of .75 to .84 of the runs, and of none all at once.
    collection_weights
        Key ``collection``: its ``weight`` in the value, and its ``share`` in the variance of the
        means over runs, w Cov(x, mean)/Var(mean); shares have the sum 1 and may be negative.
    leave_one_out
        Key ``rule, collection``: without the collection, ``tau`` (τ-b) with the whole order, the
        ``run`` that moves most from ``rank`` to ``rank_without``, the ``first`` runs, and whether
        these change.
    correlations
        Key ``collection_a, collection_b``: τ-b over the ``n`` runs that have both.
    rule_correlations
        Key ``rule_a, rule_b``: τ-b between two rules, and the run that moves most between them.
    smallest_set
        Key ``n_collections``: ``collection`` is added as that many-th; ``tau`` of the order by so
        many with the order by all, chosen on half of the runs and measured on the others (mean of
        20 splits, ``tau_sd``), beside ``random`` sets with their 5 to 95 %.
    components
        Key ``part, kind, name``: runs and collections; two parts share nothing.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b"], "news": [0.7, 0.5], "law": [0.8, 0.6]})
    >>> lf.leaderboard(x).leave_one_out.select("collection", "first").rows()
    [('law', ['a']), ('news', ['a'])]
    """

    _TABLES = tuple(SCHEMAS)

    @classmethod
    def files(cls, folder: str | Path) -> list[Path]:
        """Return the paths of the files that ``write`` writes."""
        return [*super().files(folder), output_files.output_path(folder) / f"{VERDICT}.parquet"]

    @classmethod
    def of_tables(
        cls, tables: Mapping[str, pl.DataFrame], sentences: pl.DataFrame, how: dict[str, Any]
    ) -> Leaderboard:
        """Return the leaderboard that had these tables and sentences: see `read_results`."""
        board = cls([], how)
        vars(board).update({**tables, VERDICT: printed.Verdict(sentences)})
        return board

    def write(self, folder: str | Path) -> list[Path]:
        """Write each table as Parquet, all of them or none; `read_results` reads them.

        Parameters
        ----------
        folder
            The folder to write to; it is made if it does not exist.

        Returns
        -------
        list of pathlib.Path
            A file for each table, with its name, and the sentences in ``verdict.parquet``; how they
            were made is in their schema metadata. The same inputs give the same bytes.

        Raises
        ------
        LexiframeError
            When the folder cannot be written to.
        """
        tables = {**self.tables(), VERDICT: pl.DataFrame(self.verdict)}
        return to_parquet.write_tables(folder, tables, {LEADERBOARD: self._how})

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: the ranking, neighbours, and what collections do."""
        rounded = pl.selectors.float().round(4)
        shown = ["rank", "rank_low", "rank_high", "value", "ci_low", "ci_high", "n_collections"]
        rules = ["rule"] * (self.ranking["rule"].n_unique() > 1)
        near = ["place", "run_a", "run_b", "reject", "mean_difference", "ci_low", "ci_high"]
        moves = ["collection", "tau", "first_changes", "run", "rank", "rank_without"]
        weights = self.collection_weights.sort("share", descending=True, nulls_last=True)
        top = self.ranking.group_by("rule", maintain_order=True).head(_WINDOW)
        over = of.weighted_collections(self.collection_weights)
        found = {
            _titled(f"Ranking over {over}", self.ranking): top.select(*rules, "run", *shown),
            "Neighbours in the order": self.neighbours.select(*rules, *near),
            "Collections, by their share in the variance of the mean": weights,
            "Without each collection": self.leave_one_out.select(*rules, *moves),
            "Rules": self.rule_correlations,
            "Gaps": self.gaps,
        }
        return {
            title: table.with_columns(rounded)
            for title, table in found.items()
            if table.height or title.startswith("Ranking")
        }

    @typed
    def among_first(self, k: int) -> pl.DataFrame:
        """Return the runs that may be among the first k, for all runs at once: by rule.

        A run is not among them when at least k runs are significantly better; where no test says
        which ranks are possible, all runs are.

        Parameters
        ----------
        k : int
            The number of places.

        Returns
        -------
        polars.DataFrame
            The rows of ``ranking`` of these runs.

        Raises
        ------
        LexiframeError
            For a k below 1.
        """
        if k < 1:
            raise LexiframeError(f"among_first: expected k from 1, found {k}")
        return self.ranking.filter(pl.col("rank_low").fill_null(1) <= k)

    @property
    def plot(self) -> LeaderboardPlots:
        """The charts: ``ranks``, ``cells``, ``smallest_set``, ``correlations``; extra ``viz``."""
        from lexiframe.decide.leaderboards.charts import LeaderboardPlots

        return LeaderboardPlots(self)

    def report(self, path: str | Path) -> Path:
        """Write the leaderboard as one HTML page to look around in; it loads nothing else.

        The main picture is the ranking with the ranks that are possible. A click on a run shows its
        results beside those of its neighbours, one on a collection what changes without it.

        Parameters
        ----------
        path
            The file to write.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        LexiframeError
            When the file cannot be written.
        """
        from lexiframe.decide.leaderboards.page import leaderboard_page

        return output_files.write_page(path, leaderboard_page(self))


@typed
def leaderboard(
    x: ScoresLike,
    /,
    rule: of.Rules = "mean",
    missing: of.Missing = "complete",
    *,
    weights: of.Weights = None,
    group: of.Group = None,
    over: of.Over = "collections",
    test: of.RankTest = "auto",
    measure: str | None = None,
    smaller_is_better: Sequence[str] = (),
    larger_is_better: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    na_values: column_forms.NaValues = None,
    frames: FrameKind | None = None,
) -> Leaderboard:
    """Rank runs over several collections, and say how sure the ranks are.

    Parameters
    ----------
    x
        Leaderboards and results that `read_scores` reads: a table, file or folder with one value
        for each run and collection, or the scores of requests with a column ``collection``; or
        evaluations by the names of their collections, ``{"robust": evaluate(...), ...}``, or what
        `catalogue` returns.
    rule : str, function, or a list of these
        ``mean``; ``mean_z``, the mean of z-scores within collections; ``mean_rank``; ``borda``, the
        mean number of runs below; ``win_rate``; ``copeland``; ``mc4``; ``kemeny`` (up to 12 runs);
        ``bradley_terry``, strengths from the wins of collections, as `bradley_terry` has them;
        ``leximin``, results sorted from the worst, of which the first that differs decides.
        A function takes cells, units × runs, and weights of the units, and returns a value for each
        run; larger is better.
    missing : {"complete", "common", "votes", "adjust"}
        What is done with runs that lack collections. ``complete`` ranks those that have all;
        ``common`` counts the collections that all runs have; ``votes`` lets a run lose where it has
        no result (rules that count votes; ``bradley_terry`` counts what both runs have); ``adjust``
        estimates how hard collections are, by weighted least squares of run + collection (the
        mean). ``gaps`` names what is missing.
    weights : dict or {"equal", "groups"}, optional
        A weight for each collection (0 leaves it out of everything); ``equal``; or ``groups``, the
        mean of the means of groups. Default: ``groups`` with ``group``, else ``equal``. Weights of
        requests, those of `evaluate` and `compare`, are other weights, inside a collection.
    group : str or dict, optional
        The column of the table that names the groups of collections, or ``{collection: group}``.
    over : {"collections", "groups", "requests"}
        What the tests generalise to: other collections like these; other groups of collections; or
        other requests of these collections. A request has the weight w_c/n_c. For a measure of all
        lists the pseudo-values of the jackknife stand for its requests, and the rule is the mean.
    test : {"auto", "holm", "max_t", "max_t_bootstrap"}
        How pairs are tested for the ranks that are possible. ``holm``: t-tests with Holm's
        correction. ``max_t``, ``max_t_bootstrap``: the step-down test of the largest t, with
        resamples that change the signs of whole collections, or draw them with replacement; both
        studentise anew in each resample. ``auto``: ``holm`` for the mean and over requests;
        ``max_t`` for other rules, of which t-tests call equal runs different too often, and no
        test, and no possible ranks, of fewer than six units. In three collections with results 0
        or 1 ``holm`` holds all ranks of equal runs at once in .64 (ten runs) and .40 (40) of the
        cases by ``mean_z``; in six, by ``mean_z`` and ``win_rate`` of tied and other results, in
        .90 to 1, and ``max_t`` in .97 to 1 (2,000 leaderboards of ten runs each).
    measure : str, optional
        Which measure counts, where a collection has several: of evaluations with items also one of
        all lists (``"Coverage@10"``).
    smaller_is_better, larger_is_better
        Collections of which smaller, or larger, values are better. They are named where neither a
        column ``smaller_is_better`` nor the name of the measure or of the collection says it:
        ``AMI WER`` and ``T1 ↓`` do. Where a name only hints at errors, larger values count, with a
        warning.
    columns
        Other names of columns, as for `read_scores`: ``{"run": "model_id"}``.
    alpha : float
        1 − alpha is the level of intervals.
    samples, seed : int
        The number of resamples for percentiles and the tests of the largest t, and their seed.
    na_values
        As for `read_scores`: values that stand for no result.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Leaderboard
        It prints its conclusion first; its tables are frames.

    Raises
    ------
    LexiframeError
        For a table without collections; an unknown rule; a rule that cannot deal with gaps as
        ``missing`` says; when ``complete`` leaves no run or ``common`` no collection; for runs of
        ``adjust`` that share no collections; bad weights or groups; and where ``over`` lacks
        requests or groups.

    Warns
    -----
    LexiframeWarning
        When no degrees of freedom are left, so that there are no intervals.

    Notes
    -----
    Equal or given weights: se² = s² Σ w², C − 1 degrees of freedom; groups: s² pooled within
    groups, C − G; ``over="groups"``: t over the means of groups, G − 1; ``over="requests"``:
    Σ w_c² s_c²/n_c, Welch and Satterthwaite. The ranks possible for a run are 1 + the number of
    runs that are significantly better, to S − the number of those that are worse. Differences that
    do not vary decide nothing. ``bradley_terry``: each collection judges each pair of runs that
    have it once, with its weight, ties half; strengths exist when wins lead from each run to each
    other. When all runs have all collections, their intervals and tests are those of the sandwich
    over collections, β ± t(C − 1) · √(C/(C − 1)) · se. Romano & Wolf, JASA 2005; Mogstad, Romano,
    Shaikh & Wilhelm, Review of Economic Studies 2024, doi:10.1093/restud/rdad006.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> x = pl.DataFrame({"model": ["a", "b", "c"], "news": [0.7, 0.5, 0.4],
    ...                   "law": [0.8, 0.6, 0.5], "sport": [0.6, 0.5, 0.3]})
    >>> found = lf.leaderboard(x)
    >>> found.ranking.select("run", "rank", "rank_low", "rank_high").rows()
    [('a', 1, 1, 3), ('b', 2, 1, 3), ('c', 3, 1, 3)]
    """
    which = x, rule, missing, weights, group, over, measure, smaller_is_better, larger_is_better
    ranked = of.ranked_of(*which, columns, test, alpha, samples, seed, na_values)
    how = {"rules": [one.name for one in ranked], "missing": missing, "over": over, "test": test}
    return Leaderboard(ranked, how | {"alpha": alpha, "samples": samples, "seed": seed})


def page_of_leaderboard(x: ScoresLike, said: Sequence[str], **how: Any) -> str:
    """Return the page of a leaderboard, with sentences on why it is one."""
    from lexiframe.decide.leaderboards.page import leaderboard_page

    return leaderboard_page(leaderboard(x, **how), said)


def _titled(title: str, ranking: pl.DataFrame) -> str:
    n = int(ranking.group_by("rule").len()["len"][0])
    return printed.begun(title, n, _WINDOW)


def leaderboard_in(place: Path, there: Mapping[str, Path]) -> Leaderboard:
    """Read the tables of a leaderboard, and its sentences, from where ``there`` says they are."""
    names = [path.stem for path in Leaderboard.files(place)]
    if missing := [f"{name}.parquet" for name in names if name not in there]:
        expected, found = "the files that Leaderboard.write writes", f"no {', '.join(missing)}"
        raise ReadError(Problem(str(place), expected, found, _AGAIN))
    paths = {name: there[name] for name in names}
    tables, facts = kept_results.tables_of_one("leaderboard", place, paths, _AGAIN, SCHEMAS.get)
    if not isinstance(facts.get(LEADERBOARD), dict):
        found = "files of different leaderboards"
        raise ReadError(Problem(str(place), "the files of one leaderboard", found, _AGAIN))
    sentences = tables.pop(VERDICT)
    return Leaderboard.of_tables(tables, sentences, dict(facts[LEADERBOARD]))
