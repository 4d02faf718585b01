"""Trials of an audit that draw whole clusters of requests, and their tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.base import memory_use, progress, resampling, sums
from lexiframe.pairwise import Pairs
from lexiframe.significance.audits.drawn_families import Families
from lexiframe.significance.clusters import codes_of, estimates_of, sums_of, t_of_drawn
from lexiframe.significance.differences import Options
from lexiframe.significance.estimates import outcome_by_t
from lexiframe.significance.paired_tests import Outcome

_BYTES = 100
_ROUNDING = 1e-9
"""What t of a sample may differ from t by, relative to 1 + |t|, and count as equal."""


@dataclass(frozen=True)
class ClusterTrials:
    """Some trials, each with the pairs of some runs and a sample of their clusters.

    ``size`` and ``total`` are how many requests each drawn cluster has, and the sum of their
    differences: clusters × (2 · trials · pairs), first all where no run is better, then all as they
    are. ``pair``,
    ``better`` and ``seed`` are those of `Trials`.
    """

    pair: np.ndarray
    better: np.ndarray
    size: np.ndarray
    total: np.ndarray
    rounding: np.ndarray
    seed: int

    def chosen_tests(
        self, test: str, options: Options, *, is_metric: bool
    ) -> Iterator[tuple[str, Options, np.ndarray]]:
        """Yield the test, which is that of all trials."""
        yield test, options, np.arange(len(self.pair))

    def some(self, trial: np.ndarray) -> ClusterTrials:
        """Return all trials, which have the same test."""
        return self

    @property
    def drawn(self) -> sums.Estimates:
        """The mean of each trial and its error by clusters."""
        return estimates_of(self.size, self.total, self.rounding)

    def tested(self, test: str, options: Options) -> Outcome:
        """Test all trials by Student's t of clusters, or by a bootstrap of clusters."""
        e = self.drawn
        found = outcome_by_t(e, np.full(len(e.mean), np.nan), options)
        if test == "t":
            return found
        rest = self.total - e.mean * self.size
        near = _ROUNDING * (1 + np.abs(np.nan_to_num(found.statistic)))
        count = np.zeros(len(found.statistic), np.int64)
        for drawn in resampling.drawn_blocks(len(rest), options.trials, options.seed):
            t = t_of_drawn(drawn, self.size, rest, self.rounding)
            count += options.extreme(t, found.statistic, near).sum(axis=0)
        p = (1 + count) / (1 + options.trials)
        return found._replace(p_value=np.where(np.isnan(found.statistic), 1.0, p))


def drawn_cluster_trials(
    pairs: Pairs,
    families: Families,
    clusters: pl.DataFrame,
    null: str,
    size: int,
    trials: int,
    seed: int,
) -> Iterator[ClusterTrials]:
    """Draw ``size`` clusters with replacement from the pairs of a random family, ``trials`` times.

    Where runs are to be exchangeable, their names are dealt out anew for each whole cluster.
    """
    code = codes_of(pairs.queries, clusters)
    sizes = sums_of((~np.isnan(pairs.values)).astype(float), code)
    totals = sums_of(np.nan_to_num(pairs.values), code)
    mean, rounding = pairs.differences.mean, pairs.mean_rounding
    better = np.where(np.abs(mean) <= rounding, 0, np.sign(mean))
    # The clusters of each pair, and then those that it has no request of.
    places, n = np.argsort(sizes == 0, axis=0, kind="stable"), (sizes > 0).sum(axis=0)
    at_once = families.trials_at_once(size)
    memory_use.refuse_more_than_available(
        at_once * size * families.size * _BYTES,
        f"trials of {size:,} clusters",
        "take fewer clusters (sizes)",
    )
    starts = range(0, trials, at_once)
    for number, start in enumerate(progress(starts, len(starts), f"audit, {size} clusters")):
        rng = families.rng(seed, size, number)
        inner, these = int(rng.integers(2**32)), min(at_once, trials - start)
        family = families.drawn(rng, these)
        first = family.pair[:, 0]  # all pairs of a family have the same clusters
        cluster = places[rng.integers(0, n[first], (size, these)), first]
        drawn = family.cells(cluster)
        of_size, kept = drawn.look_up(sizes), drawn.look_up(totals)
        if null == "centred":
            equal = kept - mean[family.pair].ravel() * of_size
        else:
            equal = family.exchanged(rng, cluster).differences(totals)
        both = np.concatenate([equal, kept], axis=1)
        rough = np.tile(np.broadcast_to(rounding, mean.shape)[family.pair].ravel(), 2)
        yield ClusterTrials(
            family.pair, better[family.pair], np.tile(of_size, 2), both, rough, inner
        )
