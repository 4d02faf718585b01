"""Runs that are cut at different depths: the verdict says so where a measure sees it."""

import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

QRELS = {f"q{n}": {f"d{n % 15}": 1} for n in range(8)}
SAID = (
    "The runs are cut at different depths, from 10 (b) to 40 (a), which may favour the longer one"
)


def run(depth, last=None):
    """Return a run with so many documents for each request, and others for the last one."""
    depths = [depth] * (len(QRELS) - 1) + [depth if last is None else last]
    return {q: {f"d{n}": -n for n in range(d)} for q, d in zip(QRELS, depths, strict=True)}


@pytest.mark.parametrize(
    "runs, measures, is_said",
    [
        ({"a": run(40), "b": run(10)}, ["AP"], True),
        ({"a": run(40, last=35), "b": run(10, last=9)}, ["RPP"], True),
        ({"a": run(40), "b": run(10)}, ["nDCG@20", "nDCG@10"], True),
        ({"a": run(40), "b": run(10)}, ["nDCG@10", "P@5"], False),
        ({"a": run(15), "b": run(10)}, ["AP"], False),  # not much longer
        ({"a": run(40), "b": run(2, last=10)}, ["AP"], False),  # b answers what it finds
        ({"a": run(8), "b": run(2)}, ["AP"], False),  # so few may be all there are
    ],
)
def test_runs_of_different_depths(runs, measures, is_said):
    e = lf.evaluate(runs, QRELS, measures)
    assert (SAID in " ".join(str(e.verdict).split())) == is_said
    assert (SAID in " ".join(str(e).split())) == is_said
    told = lf.verdict(e).filter(measure=measures[-1])["sentence"]
    assert (SAID in told.item()) == (is_said and measures[-1] != "nDCG@10")
    cut = lf.evaluate(runs, QRELS, measures, depth=10)
    assert SAID not in str(lf.verdict(cut)["sentence"].to_list())
