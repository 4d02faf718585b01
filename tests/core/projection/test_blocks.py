"""Blocks of requests: cut off at a rank, at a grade, and with the pairs that are compared."""

import numpy as np
import pytest

from lexiframe.core.projection.blocks import Block, missing

NONE = np.iinfo(np.int16).max
POSITIONS = np.array([[[1, 2], [3, 1]], [[4, 5], [5, NONE]], [[NONE, 9], [6, NONE]]], np.int16)
GRADES = np.array([[[1, 2], [2, 2]], [[2, 2], [1, 2]], [[3, 2], [3, 2]]], float)
BLOCK = Block(POSITIONS, GRADES)
"""Three items, two runs, two requests; the first request has items of the grades 1, 2 and 3."""


def test_items_beyond_a_rank_are_not_retrieved():
    """Those at the rank itself are."""
    assert missing(POSITIONS) == NONE
    cut = Block(POSITIONS, GRADES, compared=np.array([True, False])).within(5)
    assert cut.positions[:, 0].T.tolist() == [[1, 4, NONE], [2, 5, NONE]]
    assert cut.positions[:, 1].T.tolist() == [[3, 5, NONE], [1, NONE, NONE]]
    assert cut.positions.dtype == np.int16
    assert cut.compared.tolist() == [True, False]
    assert BLOCK.within(None) is BLOCK


def test_populations_have_the_items_of_each_grade_and_above():
    """The second request has one grade, so it has no item at the others' thresholds."""
    found = BLOCK.populations(None)
    assert [population.m.tolist() for population in found] == [[3, 3], [2, 0], [1, 0]]
    of_first = [population.positions[:, :, 0].T.tolist() for population in found]
    assert of_first == [[[1, 4, NONE], [3, 5, 6]], [[4, NONE], [3, 6]], [[NONE], [6]]]
    for population in found[1:]:  # the same number in all runs, which decides nothing
        assert np.ptp(population.positions[:, :, 1], axis=1).tolist() == [0] * len(
            population.positions
        )


@pytest.mark.parametrize("grade, m", [(None, [3, 3]), (2, [2, 3]), (3, [1, 0])])
def test_items_of_a_grade(grade, m):
    (population,) = BLOCK.populations(grade) if grade else [BLOCK.at_least(None)]
    assert population.m.tolist() == m
    assert len(population.positions) == max(m)
    if grade == 2:
        assert population.positions[:, :, 0].T.tolist() == [[4, NONE, 0], [3, 6, 0]]
        assert population.positions[:, :, 1].tolist() == POSITIONS[:, :, 1].tolist()


def test_equal_numbers_of_items_in_all_requests():
    alike = Block(POSITIONS[:, :, [0, 0]], GRADES[:, :, [0, 0]]).at_least(2)
    assert alike.positions.flags.c_contiguous
    assert alike.positions.transpose(2, 1, 0).tolist() == [[[4, NONE], [3, 6]]] * 2


def test_pairs_with_one_of_some_runs():
    three = Block(np.zeros((1, 3, 1), np.int16), np.ones((1, 3, 1)))
    assert [run.tolist() for run in three.pairs] == [[0, 0, 1], [1, 2, 2]]
    some = Block(three.positions, three.relevance, compared=np.array([False, True, False]))
    assert [run.tolist() for run in some.only(np.array([0])).pairs] == [[0, 1], [1, 2]]
