"""Samples that are drawn in blocks have the numbers of all samples, and take less memory."""

import subprocess
import sys

import numpy as np
import pytest

from lexiframe.core.base import resampling


@pytest.mark.parametrize("n, size", [(1, None), (2, None), (37, None), (37, 5), (1000, None)])
def test_blocks_have_the_numbers_of_all_samples_at_once(n, size):
    rng = np.random.default_rng(4)
    at_once = rng.multinomial(n if size is None else size, np.full(n, 1 / n), size=450)
    for rows in (None, 7, 200, 1000):
        blocks = [*resampling.drawn_blocks(n, 450, 4, size=size, rows=rows)]
        assert np.array_equal(np.concatenate(blocks), at_once)
    assert np.array_equal(resampling.drawn_requests(n, 450, 4, size=size), at_once)


def test_strata_have_seeds_of_their_own(monkeypatch):
    stratum = np.array([0, 1, 0, 1, 1])
    monkeypatch.setattr(resampling, "_NUMBERS", 40)
    blocks = [*resampling.drawn_in_strata(stratum, 30, seed=6)]
    assert len(blocks) > 1
    drawn = np.concatenate(blocks)
    assert np.array_equal(drawn[:, stratum == 0], resampling.drawn_requests(2, 30, 6))
    assert np.array_equal(drawn[:, stratum == 1], resampling.drawn_requests(3, 30, 7))


def test_samples_are_the_same_each_time_kept_or_drawn_anew(monkeypatch):
    expected = resampling.drawn_requests(9, 130, 3)
    for most in (2**23, 100):
        monkeypatch.setattr(resampling, "_NUMBERS", most)
        samples = resampling.Samples(9, 130, 3, rows=50)
        assert len(samples) == 3
        for _ in range(2):
            assert np.array_equal(np.concatenate([*samples]), expected)


@pytest.mark.parametrize("n", [1, 5, 41])
def test_signs_do_not_depend_on_the_blocks(n, monkeypatch):
    expected = resampling.signs(n, 97, 2)
    monkeypatch.setattr(resampling, "_NUMBERS", 8)
    assert np.array_equal(resampling.signs(n, 97, 2), expected)


CHILD = """
import resource, sys
import numpy as np, polars as pl, lexiframe as lf
from lexiframe.core.orderings import stability
n, what = int(sys.argv[1]), sys.argv[2]
a = (np.arange(n) * 7919 % 101) / 101
b = np.where(np.arange(n) % 9 < 8, a, 0.5)
names = np.arange(n).astype(str)
s = pl.concat([pl.DataFrame({"run": r, "query_id": names, "measure": "RR", "value": v})
               for r, v in (("a", a), ("b", b))])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if what == "rank_distributions":
    stability.rank_distributions(s, samples=400)
elif what == "equivalence":
    lf.equivalence(s, 0.01, test="bootstrap", trials=400)
else:
    lf.compare(s, test=what, trials=400)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", ["randomization", "bootstrap", "equivalence", "rank_distributions"]
)
def test_drawing_takes_no_memory_for_all_samples(what):
    """400 samples of 200,000 requests would take 1.3 GB as integers and floats."""
    child = [sys.executable, "-c", CHILD, "200000", what]
    found = subprocess.run(child, capture_output=True, text=True, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(found.stdout) * unit < 500e6
