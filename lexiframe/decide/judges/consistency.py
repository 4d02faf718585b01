"""Each judge of preferences against all other judges, and with itself: `judge_consistency`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import resampling, schemas, sums, typed
from lexiframe.decide.judges.agreement_coefficients import alpha_of
from lexiframe.decide.judges.circular import BY_CHANCE, triples
from lexiframe.decide.judges.schemas import JUDGE_CONSISTENCY
from lexiframe.decide.judges.verdicts import Verdicts, verdicts_of
from lexiframe.decide.votes import Ratios
from lexiframe.decide.votes import stated as stated_preferences
from lexiframe.typing import VotesLike

_OTHERS = 2
"""How many others must have judged a request and pair for the judge to be compared with them."""


@typed
def judge_consistency(
    stated: VotesLike, *, alpha: float = 0.05, samples: int = 2000, seed: int = 0
) -> pl.DataFrame:
    """Say of each judge of preferences whether they differ from all others, or from themselves.

    Parameters
    ----------
    stated
        Side-by-side judgments that name their judges: what `read_preferences` returns or reads.
    alpha : float
        The intervals have level 1 − alpha, and a judge differs from the others when the p-value,
        corrected over all judges (Holm), is below alpha.
    samples, seed : int
        For the bootstrap over requests, from 30 requests.

    Returns
    -------
    polars.DataFrame
        Key ``judge``, sorted by it; the first row, null, is of all judges together. ``n`` requests
        and pairs were judged, ``n_shared`` of them by two or more others as well, in ``n_requests``
        requests. In these ``agreement`` is the mean share of the others who say the same as the
        judge, and ``others`` how often two others say the same of each other; ``difference`` =
        agreement − others with its interval, ``p_value``, ``p_adjusted`` and ``reject``: below 0,
        the judge agrees with the others less than they with one another. ``alpha_nominal`` and
        ``alpha`` are Krippendorff's α of all judges without this one (in the first row: of all
        judges), of -1, 0, 1 as names, and with their order: where it is higher, the others agree
        better without them. ``n_triples`` are three runs of a request of which the judge prefers
        one in each pair, ``n_circular`` those in which they go round (x before y, y before z, z
        before x), ``circular`` their share, and ``by_chance`` that of a judge who decides at
        random, 0.25. Values are null where nothing is shared, or nothing varies.

    Raises
    ------
    LexiframeError
        For fewer than two judges with names; for an alpha not between 0 and 1, and numbers of
        samples or a seed that cannot be used; and as `read_preferences`.

    Notes
    -----
    Several judgments of a request and pair by one judge are one verdict, by the sign of their sum.
    Differences are taken within the same requests and pairs, and vary over requests, as in
    `concordance`. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011; Kendall &
    Babington Smith, "On the method of paired comparisons", Biometrika 31 (1940),
    doi:10.1093/biomet/31.3-4.324.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> rows = [(str(q), "x", "y", "b" if judge == "eve" or (q, judge) == (4, "bob") else "a",
    ...          judge) for q in range(9) for judge in ("ann", "bob", "cat", "eve")]
    >>> names = ["query_id", "left", "right", "winner", "judge"]
    >>> votes = pl.DataFrame(rows, schema=names, orient="row")
    >>> found = lf.collection.judge_consistency(votes)
    >>> differs = pl.col("reject") & (pl.col("difference") < 0)
    >>> found.filter(differs).select("judge", pl.col("difference").round(2)).rows()
    [('eve', -0.89)]
    """
    resampling.check_share("judge_consistency", "alpha", alpha)
    resampling.check_draws("judge_consistency", "samples", samples, seed)
    judgments = stated_preferences.judgments_of(stated)
    found = verdicts_of("judge_consistency", judgments)
    table = _others_agreement(found, {"alpha": alpha, "samples": samples, "seed": seed})
    table = table.with_columns(**_alphas(found))
    n_triples, n_circular = (np.append(n.sum(), n) for n in triples(found))
    table = table.with_columns(
        n_triples=n_triples, n_circular=n_circular, by_chance=pl.lit(BY_CHANCE),
        circular=sums.ratio(n_circular, np.where(n_triples > 0, n_triples, np.nan)),
    )  # fmt: skip
    return JUDGE_CONSISTENCY.arranged(table.with_columns(pl.col("circular").fill_nan(None)))


def _others_agreement(found: Verdicts, how: dict[str, Any]) -> pl.DataFrame:
    """Agreement of the other judges with each judge, and among themselves."""
    counts = found.counts[found.unit]
    rows = np.arange(len(found.unit))
    others = counts.copy()
    others[rows, found.said] -= 1
    m = others.sum(axis=1)
    shared = m >= _OTHERS
    same = sums.ratio(others[rows, found.said], m)
    among = sums.ratio((others * (others - 1)).sum(axis=1), m * (m - 1))
    size, agree, alone = (
        _request_sums(found, x)
        for x in (shared, np.where(shared, same, 0), np.where(shared, among, 0))
    )
    gain = Ratios(size, agree - alone, **how)
    low, high, p_value = gain.interval_and_p()
    p_value[gain.n_requests == 0] = np.nan
    adjusted = np.full(len(p_value), np.nan)
    tested = ~np.isnan(p_value)
    adjusted[tested] = sums.holm(p_value[tested])
    whole = size.sum(axis=0)
    each = {
        "n": np.bincount(found.judge), "n_shared": whole, "n_requests": gain.n_requests,
        "agreement": sums.ratio(agree.sum(axis=0), whole),
        "others": sums.ratio(alone.sum(axis=0), whole),
        "difference": gain.value, "ci_low": low, "ci_high": high,
        "p_value": p_value, "p_adjusted": adjusted, "reject": adjusted < how["alpha"],
    }  # fmt: skip
    every = {
        "n": len(found.counts), "n_shared": (found.counts.sum(axis=1) > _OTHERS).sum(),
        "n_requests": len(found.queries), "agreement": sums.ratio(agree.sum(), whole.sum()),
        "reject": False,
    }  # fmt: skip
    columns = {c: np.append(every.get(c, np.nan), x) for c, x in each.items()}
    types = {c: JUDGE_CONSISTENCY.columns[c] for c in ("judge", *columns)}
    return schemas.table_of(types, len(whole) + 1, {"judge": [None, *found.judges], **columns})


def _request_sums(found: Verdicts, values: np.ndarray) -> np.ndarray:
    """Add up values of rows by request and judge: requests × judges."""
    q, j = len(found.queries), len(found.judges)
    return np.bincount(found.request * j + found.judge, values, q * j).reshape(q, j)


def _alphas(found: Verdicts) -> dict[str, pl.Series]:
    """Return α of all judges, and of all without each judge in turn."""
    whole = _coincidences(found.counts)
    before = found.counts[found.unit]
    after = before.copy()
    after[np.arange(len(found.unit)), found.said] -= 1
    change = _coincidences(after) - _coincidences(before)
    flat = (found.judge[:, None] * 9 + np.arange(9)).ravel()
    lost = np.bincount(flat, change.ravel(), len(found.judges) * 9).reshape(-1, 3, 3)
    every = np.concatenate([whole.sum(axis=0)[None], whole.sum(axis=0) + lost])
    # What judges contribute is added up and taken away again: rounding may be left of it.
    every = np.where(np.abs(every) < sums.TIE * len(found.unit), 0.0, every)
    return {"alpha_nominal": pl.Series(alpha_of(every, "nominal")).fill_nan(None),
            "alpha": pl.Series(alpha_of(every, "ordinal")).fill_nan(None)}  # fmt: skip


def _coincidences(counts: np.ndarray) -> np.ndarray:
    """Return o_ck = n_c (n_k − [c = k])/(n − 1) of each unit; 0 for a unit of fewer than two."""
    n = counts.sum(axis=1)
    both = counts[:, :, None] * (counts[:, None, :] - np.eye(3))
    return np.asarray(both / np.maximum(n - 1, 1)[:, None, None] * (n >= 2)[:, None, None])
