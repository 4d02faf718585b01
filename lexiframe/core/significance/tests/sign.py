"""The sign test: wins against losses."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.paired_tests import WINS, Outcome, PairedTest


def sign_test(d: Differences | sums.Moments, options: Options) -> Outcome:
    """Sign test: wins ~ Binomial(wins + losses, 1/2)."""
    wins, losses, ties = d.wins, d.losses, d.n - d.wins - d.losses
    with np.errstate(divide="ignore"):
        odds = (wins + ties / 2) / (losses + ties / 2)
    shared = ties // 2 if options.sign_ties == "split" else 0
    won, lost = wins + shared, losses + shared
    p_value = options.p_value(_binomial_cdf(won, won + lost), _binomial_cdf(lost, won + lost))
    least_p = options.least_p(_binomial_cdf(np.broadcast_to(shared, won.shape), won + lost))
    from lexiframe.core.significance.other_intervals import win_odds_interval

    interval = win_odds_interval(wins, losses, np.asarray(d.n), options)
    return Outcome(odds, *interval, won.astype(np.float64), p_value, least_p)


def _binomial_cdf(k: np.ndarray, n: np.ndarray) -> np.ndarray:
    """P(Binomial(n, 1/2) ≤ k), by the incomplete beta function, as scipy.stats imports slowly."""
    from scipy.special import betainc

    return np.where(k < n, betainc(np.maximum(n - k, 1), k + 1, 0.5), 1.0)


TEST = PairedTest("sign", "sign test", sign_test, compares=WINS, of_sums=True, splits_ties=True)
