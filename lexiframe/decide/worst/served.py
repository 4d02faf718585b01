"""The share of requests that each run serves worst: `worst_served`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, printed, to_polars, typed, unknown_name, warn
from lexiframe.core.base.schemas import TableSchema
from lexiframe.core.io import File, Tables, logs
from lexiframe.core.pairwise import By
from lexiframe.core.projection import alone
from lexiframe.core.significance import Options, corrections
from lexiframe.decide.worst.asked import (
    Measured,
    ValuesLike,
    decided,
    less_than_one,
    measured,
    pairs_of,
)
from lexiframe.decide.worst.schemas import WORST_COMPARISONS, WORST_REQUESTS, WORST_VALUES
from lexiframe.decide.worst.served_in_words import share_sentences
from lexiframe.decide.worst.tails import Tails
from lexiframe.typing import RequestsLike, SharesLike, WeightsLike

SHARES = (0.1, 0.25)
_OF_PAIRS = "n mean_difference ci_low ci_high effect_size statistic p_value".split()
_QUANTILES = "quantile_difference quantile_ci_low quantile_ci_high".split()
_CELLS = 2**22
"""The differences of pairs in samples that are in memory at once."""


@dataclass(frozen=True)
class Asked:
    """The shares of a measure, and the options of `worst_served`.

    ``left_out`` are default shares that are less than one request.
    """

    shares: tuple[float, ...]
    unit: str | None
    requests: Any
    baseline: str | None
    alpha: float
    correction: corrections.Correction
    samples: int
    seed: int
    left_out: tuple[float, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class WorstServed(Tables):
    """How well runs serve the requests that they serve worst; `worst_served` makes it.

    Its tables are ``values``, ``comparisons`` and ``requests``, which are described there.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> w = lf.worst_served(e, share=0.4)
    >>> w.requests.filter(run="random").select("query_id", "counted").rows()
    [('q0206', 1.0), ('q0113', 1.0)]
    """

    _of: tuple[tuple[Measured, Asked], ...]
    _TABLES: ClassVar[tuple[str, ...]] = ("values", "comparisons", "requests")

    @classmethod
    def together(cls, found: Mapping[str, WorstServed]) -> WorstServed:
        """Put the results of collections together, each behind its name."""
        each = ((name, *pair) for name, one in found.items() for pair in one._of)
        return cls(tuple((replace(m, group={"collection": c, **m.group}), a) for c, m, a in each))

    @cached_property
    def values(self) -> pl.DataFrame:
        """The mean of each run's worst share, and how sure it is."""
        return self._gathered(WORST_VALUES, _value_rows)

    @cached_property
    def tested(self) -> pl.DataFrame:
        """The comparisons without quantiles, whose intervals take longer."""
        return self._gathered(WORST_COMPARISONS, _pair_rows)

    @cached_property
    def comparisons(self) -> pl.DataFrame:
        """The tests of all pairs of runs, and intervals of the differences of their quantiles."""
        return self._gathered(WORST_COMPARISONS, partial(_pair_rows, with_quantiles=True))

    @cached_property
    def requests(self) -> pl.DataFrame:
        """The requests that count in each run's worst share, the worst first."""
        found = [_request_rows(m, asked) for m, asked in self._of]
        return pl.concat(found, how="diagonal_relaxed")

    def groups(self, *attributes: str) -> pl.DataFrame:
        """Say which groups of requests lie among the worst, more or less often than among all.

        Parameters
        ----------
        attributes : str
            Attributes of ``requests=`` of `worst_served`. Default: all.

        Returns
        -------
        polars.DataFrame
            Key ``measure, share, run, attribute, group``, sorted by it: the ``n`` requests of the
            group, how many of them count among the worst (``n_worst``, in part too), and the shares
            of the group there (``share_worst``) and in all requests (``share_all``). ``p_value`` is
            twice the smaller one-sided one of Fisher's exact test of the requests that count at
            all, corrected by Holm over the rows of a measure and share to ``p_adjusted``. Requests
            are counted here, whatever their weights.

        Raises
        ------
        LexiframeError
            Without attributes of requests, for an unknown one, and for units.
        """
        from lexiframe.decide.worst.groups import groups_among_the_worst

        return groups_among_the_worst(self._of, attributes)

    def _gathered(
        self, schema: TableSchema, rows_of: Callable[[Measured, Asked, float], pl.DataFrame]
    ) -> pl.DataFrame:
        found = [rows_of(m, asked, share) for m, asked in self._of for share in asked.shares]
        by = [name for name in self._of[0][0].group if name != "measure"]
        return schema.arranged(pl.concat(found, how="diagonal_relaxed"), by)

    @property
    def verdict(self) -> printed.Verdict:
        """Which run serves its worst requests best by each measure, and which is first by the mean.

        The last column is ``sentence``; it prints its sentences.
        """
        return printed.Verdict(share_sentences(self.values, self.tested, self._of))

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return the values, the tests and the requests, by titles."""
        by_weight = " by weight" * any(m.has_weights for m, _ in self._of)
        return {
            f"Mean of the worst share of the requests{by_weight}": self.values,
            "Tests of pairs of runs (.comparisons has quantiles, too)": self.tested,
            "Requests served worst; lf.explain shows a ranking, e.report(...) all": self.requests,
        }


@alone.each_collection
@typed
def worst_served(
    s: ValuesLike, /, share: float | Sequence[float] = SHARES, *, unit: str | None = None,
    weights: WeightsLike = None, strata: str | None = None, shares: SharesLike = None,
    correction: corrections.Correction = "holm", alpha: float = 0.05, baseline: str | None = None,
    samples: int = 1000, seed: int = 0,
    requests: RequestsLike = None, by: By = None,
) -> WorstServed:  # fmt: skip
    """Compare runs by the share of the requests that each of them serves worst.

    Parameters
    ----------
    s
        The table of `scores`, or an `Evaluation`, of which the metrics count.
    share : float, or several
        The share β of the requests, above 0 and up to 1, which is the mean. A default share that is
        less than one request is left out.
    unit : str, optional
        An attribute such as ``user``: first the mean of the requests of each user, then users count
        once each.
    weights, strata, shares
        The weights of requests, as for `compare`.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected over the pairs of a measure and share.
    alpha : float
        The level of the tests; intervals have level 1 − alpha.
    baseline : str, optional
        Compare the other runs with this run only, which is ``run_b`` of every pair.
    samples, seed : int
        The number of resamples, 1,000 or more, for the quantiles of pairs, and their seed.
    requests, by
        As for `compare`; ``requests`` has the attributes of ``unit`` and ``weights`` too.

    Returns
    -------
    WorstServed
        It prints its conclusion. ``values`` has the key ``measure, share, run``: ``value``, the
        mean W of the worst βn requests, the last of them in part, with its interval; ``n`` requests
        with a value, ``n_worst`` = βn; the ``mean`` of all; and the ``quantile`` x_(⌈βn⌉) with its
        interval of order statistics. ``comparisons`` has the key ``measure, share, run_a, run_b``
        and the columns of `compare`; a positive difference says that run_a is better. Two runs are
        compared by the requests that both have. ``requests`` lists for each run which requests
        count, ``counted`` in 0..1, the worst first, with their attributes. Attributes of groups are
        the first columns.

    Raises
    ------
    LexiframeError
        For preferences, a share outside (0, 1] or of less than one request, places within requests
        (``LR.rank``), weights that are no numbers from 0, and unknown attributes.

    Warns
    -----
    LexiframeWarning
        For groups in which a share is less than one request: they have no values.

    Notes
    -----
    ζ is the first value from the worst that does not count in full; ψ = ζ − max(0, ζ − x)/β has the
    mean W. se² = Σ(ψ − W)²/(n(n − 1)), t with βn − 1 degrees of freedom; of a pair the differences
    of ψ, with min(n − 1, 2βn − 2). If nothing varies (se = 0, as where the worst tenth of all runs
    is 0), nothing is decided: p is 1. Fewer than two requests in the share have neither limits nor
    p. The limits of quantiles have P(Bin(n, β) < l) and P(Bin(n, β) ≥ u) of at most α/2, and are
    null with weights; of pairs they are percentiles of joint resamples. By weights w, which decide
    what a share is, se² = Σw²(ψ − W)²/(n(n − 1)) with w of mean 1, ψ centred within strata, and n*
    is in place of n where n decides degrees of freedom and whether there are two requests.
    Of 43 to 100 requests, β = .1 tells 0 to 3 % of real pairs of runs apart, .25 up to 23 %, and
    the mean up to 81 %: give it many requests. Diaz, "Pessimistic evaluation", SIGIR-AP 2024,
    doi:10.1145/3673791.3698428; the intervals are ours.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> w = lf.worst_served(e, share=0.4)
    >>> w.values.select("run", pl.col("value", "mean").round(3)).rows()
    [('pca8_euclidean', 0.578, 0.817), ('pixels_euclidean', 0.657, 0.861), ('random', 0.005, 0.033)]
    """
    parts = tuple(dict.fromkeys(share if isinstance(share, Sequence) else [share]))
    wrong = [one for one in parts if not 0 < one <= 1]
    if wrong or not parts:
        found = wrong[0] if wrong else "none"
        raise LexiframeError(f"worst_served: expected share above 0 and up to 1, found {found}")
    options = Options("two-sided", alpha, samples, seed)
    corrections.check_corrected("worst_served", ["t"], [correction], "measure", options)
    if samples < 1000:
        raise LexiframeError(f"worst_served: expected samples from 1,000, found {samples}")
    if isinstance(requests, str | Path | File):
        requests = logs.read_log(requests)
    asked = Asked(parts, unit, requests, baseline, alpha, correction, samples, seed)
    of = measured("worst_served", s, requests, by, unit, (weights, strata, shares))
    each = tuple((m, _asked_of(m, asked)) for m in of)
    if not each:
        raise LexiframeError("worst_served: expected scores of runs, found none")
    return WorstServed(each)


def _asked_of(m: Measured, asked: Asked) -> Asked:
    """Return the shares of a measure in a group; raise for a share of less than one request."""
    if asked.baseline is not None and asked.baseline not in m.runs:
        raise unknown_name("run", asked.baseline, m.runs)
    n, is_default = int(m.tails.n.max()), asked.shares == SHARES
    lacking = [share for share in asked.shares if share * n < 1 - 1e-9]
    if not lacking:
        return asked
    error = less_than_one("worst_served", lacking[0], n, asked.unit or "request")
    if len(m.group) > 1:
        warn(f"{printed.group_title([*m.group][:-1], [*m.group.values()][:-1])}: {error}")
        return asked
    if is_default and len(lacking) < len(asked.shares):
        kept = tuple(share for share in asked.shares if share not in lacking)
        return replace(asked, shares=kept, left_out=tuple(lacking))
    raise error


def _value_rows(m: Measured, asked: Asked, share: float) -> pl.DataFrame:
    e, n = m.tails.estimates(share), m.tails.n
    low, high = m.turned(*e.ends(asked.alpha / 2))
    quantile, *ends = m.tails.quantiles(share, asked.alpha)
    quantile_low, quantile_high = m.turned(*ends)
    return m.rows_of(
        WORST_VALUES, len(m.runs), share=share, run=m.runs, value=m.turned(e.mean), ci_low=low,
        ci_high=high, n=n, n_worst=share * n, mean=m.turned(m.tails.means),
        quantile=m.turned(quantile), quantile_low=quantile_low, quantile_high=quantile_high,
    )  # fmt: skip


def _pair_rows(
    m: Measured, asked: Asked, share: float, *, with_quantiles: bool = False
) -> pl.DataFrame:
    """Return the tests of all pairs that share requests."""
    a, b = np.triu_indices(len(m.runs), k=1)
    if asked.baseline is not None:
        base = m.runs.index_of(asked.baseline)
        a = np.flatnonzero(np.arange(len(m.runs)) != base)
        b = np.full(len(a), base)
    names = [*_OF_PAIRS, *(_QUANTILES if with_quantiles else ())]
    found = np.full((len(names), len(a)), np.nan)
    found[0] = 0  # requests, where they share none
    for pair, (tails, of_a, of_b) in pairs_of(m.tails, a, b):
        n, e = int(tails.n[0]), tails.pairs(share, of_a, of_b)
        counted = tails.n_effective[0]
        few = share * counted < 2 - 1e-9
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = np.where(e.varies, e.mean / (e.deviation * np.sqrt(counted)), np.nan)
        each: list[Any] = [n, e.mean, *e.ends(asked.alpha / 2), effect, e.beyond(0.0)]
        each.append(np.full(len(pair), np.nan) if few else e.apart())
        each += _quantile_differences(m, tails, of_a, of_b, share, asked) if with_quantiles else []
        found[:, pair] = np.stack(np.broadcast_arrays(*each))
    of = dict(zip(names, found, strict=True))
    return m.rows_of(
        WORST_COMPARISONS, len(a), share=share, run_a=coded.decode(m.runs, a),
        run_b=coded.decode(m.runs, b), test="t", correction=asked.correction,
        **(of | decided(of["p_value"], asked.correction, asked.alpha)),
    )  # fmt: skip


def _quantile_differences(
    m: Measured, tails: Tails, a: np.ndarray, b: np.ndarray, share: float, asked: Asked
) -> list[np.ndarray]:
    """Return the differences of quantiles of pairs, and percentiles of joint resamples."""
    point = tails.quantiles(share, asked.alpha)[0]
    found = np.full((3, len(a)), np.nan)
    found[0] = point[a] - point[b]
    if np.isnan(found[0]).all() or share == 1:
        return [*found]
    # All shares are drawn together where all runs have all requests, as mostly.
    shares = [x for x in asked.shares if x < 1] if tails is m.tails else [share]
    drawn = tails.drawn_quantiles(shares, asked.samples, asked.seed)[shares.index(share)]
    ends = [math.ceil(asked.samples * q) - 1 for q in (asked.alpha / 2, 1 - asked.alpha / 2)]
    step = max(1, _CELLS // asked.samples)
    for some in (slice(start, start + step) for start in range(0, len(a), step)):
        found[1:, some] = np.partition(drawn[a[some]] - drawn[b[some]], ends, axis=1)[:, ends].T
    return [*found]


def _request_rows(m: Measured, asked: Asked) -> pl.DataFrame:
    """Return the requests that count in each run, the worst first, with their attributes."""
    of_shares = []
    for share in asked.shares:
        counted = m.tails.counted(share)
        run, row = np.nonzero(counted.T > 0)
        of_shares.append(m.rows_of(
            WORST_REQUESTS, len(run), share=share, run=coded.decode(m.runs, run),
            query_id=coded.decode(m.rows, row), value=m.turned(m.tails.values[row, run]),
            counted=counted[row, run],
        ))  # fmt: skip
    table = pl.concat(of_shares)
    table = table.sort("share", "run", m.sign * pl.col("value"), "query_id")
    if asked.unit is not None:
        return table.rename({"query_id": asked.unit})
    if asked.requests is None:
        return table
    named = to_polars(asked.requests).drop(m.group, strict=False)
    return logs.join_entries(table, named, "query_id", "worst_served", "requests")
