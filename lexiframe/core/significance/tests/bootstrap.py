"""The bootstrap test, whose computing is loaded when it is asked for."""

from __future__ import annotations

import numpy as np

from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.paired_tests import Answers, Outcome, PairedTest


def _compute(d: Differences, options: Options) -> Outcome:
    from lexiframe.core.significance.bootstrapped_t import bootstrap_test

    return bootstrap_test(d, options)


def _answer(d: Differences, margin: np.ndarray, options: Options) -> Answers:
    from lexiframe.core.significance.bootstrapped_t import bootstrap_answers

    return bootstrap_answers(d, margin, options)


TEST = PairedTest("bootstrap", "paired bootstrap test", _compute, draws=True, shifted=_answer)
