"""Relevant documents that runs have in another spelling, beside others that match."""

import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings(  # made-up rows lie in any order
    "ignore:runs whose ranks and scores disagree",
    "ignore:.*expected scores of which the greatest is the best",
)


def test_two_differences_at_once():
    run = {"q1": {"S%C3%A3o Tom%C3%A9": 1.0}, "q2": {"Oslo": 1.0}}
    with pytest.warns(lf.LexiframeWarning, match="cause: spelling .'S%C3%A3o.* and 'São_Tomé'"):
        lf.positions({"r": run}, {"q1": {"São_Tomé": 1}, "q2": {"Oslo": 1}})
