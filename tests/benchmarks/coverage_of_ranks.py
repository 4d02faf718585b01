"""Whether rank intervals hold the true ranks of simulated leaderboards: a table of the guide.

``python -m tests.benchmarks.coverage_of_ranks [REPETITIONS]``

Runs differ in their true means: all equal, next ones 0.01 or 1 standard errors of a difference
apart, or in three groups. Results are normal around them, with a part that all runs share in a
collection. A run's true rank is any from 1 + the number of truly better runs to S − the number of
truly worse ones: an interval holds it when it overlaps those ranks.
"""

from __future__ import annotations

import sys

import numpy as np

from lexiframe.significance import ranks

SETTINGS = {"equal": 0.0, "0.01 se apart": 0.01, "1 se apart": 1.0, "three groups": None}
TESTS = ("holm", "flip", "bootstrap")


def true_means(setting: str, runs: int, collections: int) -> np.ndarray:
    """Return the true means, the best last, in units of the sd of a result."""
    se = np.sqrt(2 / collections)
    step = SETTINGS[setting]
    if step is None:
        return np.arange(runs) * 3 // runs * 2 * se
    return np.arange(runs) * step * se


def covered(
    setting: str, runs: int, collections: int, test: str, repetitions: int, seed: int = 0
) -> tuple[float, float, float]:
    """Return how often all ranks are held at once, and each by itself, and the median width."""
    rng = np.random.default_rng(seed)
    mean = true_means(setting, runs, collections)
    least = 1 + (mean[:, None] < mean).sum(axis=1)
    most = runs - (mean[:, None] > mean).sum(axis=1)
    at_once, each, widths = 0, np.zeros(runs), []
    for repetition in range(repetitions):
        shared = rng.normal(size=(collections, 1))
        design = ranks.Design.of(mean + shared + rng.normal(size=(collections, runs)))
        if test == "holm":
            found = (
                ranks.holm_all(design.p_values) < 0.05,
                ranks.holm_each(design.p_values) < 0.05,
            )
        else:
            found = ranks.step_down(design, test, 499, repetition, 0.05)  # type: ignore[arg-type]
        low, high = ranks.possible_ranks(design.differences, found[0])
        at_once += bool(((low <= least) & (high >= most)).all())
        widths.append(np.median(high - low + 1))
        low, high = ranks.possible_ranks(design.differences, found[1])
        each += (low <= least) & (high >= most)
    return at_once / repetitions, float((each / repetitions).mean()), float(np.mean(widths))


def main(repetitions: int) -> None:
    """Print the table, in Markdown."""
    print("| runs | collections | true means | test | all at once | each | width |")
    print("|--:|--:|---|---|--:|--:|--:|")
    for runs in (10, 40):
        for collections in (10, 41):
            for setting in SETTINGS:
                for test in TESTS:
                    together, each, width = covered(setting, runs, collections, test, repetitions)
                    cells = f"{runs} | {collections} | {setting} | {test}"
                    print(f"| {cells} | {together:.3f} | {each:.3f} | {width:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
