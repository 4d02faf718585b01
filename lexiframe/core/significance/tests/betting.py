"""The betting test, whose computing is loaded when it is asked for."""

from __future__ import annotations

import numpy as np

from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.paired_tests import Answers, Outcome, PairedTest


def _compute(d: Differences, options: Options) -> Outcome:
    from lexiframe.core.significance.betting_on_means import betting_test

    return betting_test(d, options)


def _answer(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    from lexiframe.core.significance.betting_on_means import betting_answers

    return betting_answers(d, margin, options)


def _interval(d: Differences, options: Options) -> tuple[np.ndarray, np.ndarray]:
    from lexiframe.core.significance.betting_on_means import betting_interval

    return betting_interval(d, options)


TEST = PairedTest(
    "betting",
    "sequential test by betting",
    _compute,
    needs_bounds=True,
    shifted=_answer,
    interval=_interval,
)
