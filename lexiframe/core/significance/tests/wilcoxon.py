"""Wilcoxon's signed-rank test, whose computing is loaded when it is asked for."""

from __future__ import annotations

from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.paired_tests import RANKS, Outcome, PairedTest


def _compute(d: Differences, options: Options) -> Outcome:
    from lexiframe.core.significance.signed_ranks import wilcoxon_test

    return wilcoxon_test(d, options)


TEST = PairedTest("wilcoxon", "Wilcoxon's signed-rank test", _compute, compares=RANKS)
