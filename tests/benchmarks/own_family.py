"""How often `own_family` finds a favour that is not there, and covers one that is.

``python -m tests.benchmarks.own_family [TIMES]`` simulates TIMES (default 10,000) of each of
`SETTINGS`, and prints the table of the page on nuggets: the share of p < .05 without favour, the
same for what is printed elsewhere, the difference of the differences between judge and people,
and how often the 95 % interval covers a favour of 0.1.

Eight runs of others and three of the judge's family have normal qualities (sd 0.1); the family's
may be better by 0.2. People's scores vary around them over 30 requests (sd 0.25). The judge sees
the same answers: it gives 0.2 + slope · people's score, with noise of its own (sd 0.1) and an
effect of each run (sd 0 or 0.03).
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy import stats

from lexiframe.decide.judges.own_family import favour_of

OWN, OTHERS, REQUESTS, FAVOUR = 3, 8, 30, 0.1
SETTINGS = [*product((0.0, 0.2), (0.5, 0.75, 1.0), (0.0, 0.03))]
"""By how much the own family is better, the judge's slope, and the spread of effects of runs."""
IS_OWN = np.arange(OWN + OTHERS) < OWN


def simulated_means(better, slope, effect, times, seed=0):
    """Return the means of runs by people and by a judge without favour: times × runs each."""
    rng = np.random.default_rng([seed, round(1000 * better), round(100 * slope), int(effect > 0)])
    quality = 0.5 + rng.normal(0, 0.1, (times, len(IS_OWN))) + better * IS_OWN
    people = quality + rng.normal(0, 0.25, (REQUESTS, *quality.shape)).mean(axis=0)
    own_noise = rng.normal(0, 0.1, (REQUESTS, *quality.shape)).mean(axis=0)
    return people, 0.2 + slope * people + own_noise + rng.normal(0, effect, quality.shape)


def shares(better, slope, effect, times):
    """Return the error of the bias and of differences of differences, and the coverage."""
    people, judge = simulated_means(better, slope, effect, times)
    found = [favour_of(t, s, IS_OWN, 0.05) for t, s in zip(people, judge, strict=True)]
    gap = judge - people
    naive = stats.ttest_ind(gap[:, IS_OWN], gap[:, ~IS_OWN], axis=1).pvalue
    favoured = zip(people, judge + FAVOUR * IS_OWN, strict=True)
    ends = [favour_of(t, s, IS_OWN, 0.05) for t, s in favoured]
    covers = np.mean([row["ci_low"] <= FAVOUR <= row["ci_high"] for row in ends])
    return np.mean([row["p_value"] < 0.05 for row in found]), np.mean(naive < 0.05), covers


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print("| own better by | slope | run effects | error | difference of differences | coverage |")
    print("|--:|--:|--:|--:|--:|--:|")
    for setting in SETTINGS:
        error, naive, covers = shares(*setting, many)
        print(f"| {' | '.join(map(str, setting))} | {error:.3f} | {naive:.2f} | {covers:.3f} |")
