"""The measures of how alike two rankings of one request are, and their notation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lexiframe.core.base import LexiframeError, errors, sums, unknown_name
from lexiframe.core.metrics import metric_parameters, notation
from lexiframe.core.orderings import coefficients


@dataclass(frozen=True)
class Beside:
    """One ranking of a request beside several other rankings.

    Attributes
    ----------
    length, lengths
        The number of documents in the one ranking, and in each of the others.
    rank
        length × others, the rank (from 1) at which each of the others has the one's documents.
    absent
        The rank of a document that a ranking lacks; it is greater than all lengths.
    """

    length: int
    lengths: np.ndarray
    rank: np.ndarray
    absent: int

    def top(self, k: int | None) -> Beside:
        """Return the first ``k`` ranks of all the rankings."""
        if k is None or k >= self.absent:
            return self
        rank = self.rank[:k]
        rank = np.where(rank > k, rank.dtype.type(self.absent), rank)
        return Beside(min(self.length, k), np.minimum(self.lengths, k), rank, self.absent)

    @property
    def n_common(self) -> np.ndarray:
        """The number of documents that each of the other rankings has in common with the one."""
        return np.asarray((self.rank < self.absent).sum(axis=0))


Compare = Callable[[Beside], np.ndarray]
"""From one ranking beside others to a value for each of them, NaN where there is none."""


@dataclass(frozen=True)
class OverlapMeasure:
    """A measure of overlap, such as ``Jaccard@10``: its notation, cut-off and formula."""

    name: str
    depth: int | None
    compare: Compare

    def __str__(self) -> str:
        return self.name

    def __call__(self, rankings: Beside) -> np.ndarray:
        """Return the value of the one ranking with each other ranking."""
        return self.compare(rankings.top(self.depth))


def rbo(b: Beside, p: float) -> np.ndarray:
    """RBO_ext of lists of s ≤ l documents, with X_d documents in the first d of both.

    (1 − p)/p · [Σ_{d≤l} X_d p^d / d + Σ_{s<d≤l} X_s (d − s) p^d / (s d)]
    + [(X_l − X_s) / l + X_s / s] p^l
    """
    short, long = np.minimum(b.length, b.lengths), np.maximum(b.length, b.lengths)
    x = _common_by_depth(b)
    powers, terms = _persistence_weights(p, b.absent)
    every = np.arange(x.shape[1])
    # Terms are added from the top on, whatever follows: the sums then are the same to the last bit
    # when the two rankings change places, and beside longer rankings.
    seen = x * terms[:, None]
    seen = np.cumsum(seen, axis=0, out=seen)[long, every]
    x_short, x_long = x[short, every], x[long, every]
    total, shares = np.cumsum(powers), np.cumsum(terms)
    behind = total[long] - total[short] - short * (shares[long] - shares[short])
    at_short = x_short / np.maximum(short, 1)
    at_end = sums.ratio(x_long - x_short, long) + at_short
    value = (1 - p) / p * (seen + at_short * behind) + at_end * powers[long]
    # The sums of rankings that are the same miss 1 by a rounding error.
    return np.where(np.abs(value - 1) <= sums.TIE, 1.0, value)


def _common_by_depth(b: Beside) -> np.ndarray:
    """Return X_d of the one ranking and each other ranking: d from 0 to the longest × rankings."""
    place = np.arange(1, b.length + 1, dtype=b.rank.dtype)[:, None]
    n = len(b.lengths)
    cell = np.multiply(np.maximum(b.rank, place), n, dtype=np.int64)
    cell += np.arange(n)
    found = np.bincount(cell.ravel(), minlength=(b.absent + 1) * n).reshape(-1, n)[: b.absent]
    return np.cumsum(found, axis=0, out=found)  # in place: new arrays take as long as the sums


@lru_cache(maxsize=64)
def _persistence_weights(p: float, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return p^d and p^d / d, for d from 0 (where the second is 0) to below ``depth``."""
    d = np.arange(depth, dtype=np.float64)
    return p**d, np.where(d > 0, p**d / np.maximum(d, 1), 0.0)


def jaccard(b: Beside) -> np.ndarray:
    """|X ∩ Y| / |X ∪ Y|."""
    return sums.ratio(b.n_common, b.length + b.lengths - b.n_common)


def overlap_of_tops(b: Beside) -> np.ndarray:
    """|X ∩ Y| / max(|X|, |Y|), which is |X ∩ Y| / k where both have k documents."""
    return sums.ratio(b.n_common, np.maximum(b.length, b.lengths))


def tau(b: Beside) -> np.ndarray:
    """4 C / (n (n − 1)) − 1, where C of the pairs of the n common documents are ordered alike."""
    n = b.n_common
    above, _ = _above_in_both(b)
    return sums.ratio(4 * above.sum(axis=1), n * (n - 1)) - 1


def tau_ap(b: Beside) -> np.ndarray:
    """Return the mean of τ_AP with the one ranking and with the other as the truth.

    τ_AP = 2 / (n − 1) · Σ_{i=2..n} C_i / (i − 1) − 1, where C_i of the i − 1 documents above the
    i-th one are above it in the truth, too.
    """
    n = b.n_common
    in_other, in_one = _above_in_both(b)
    all_above = (b.rank < b.absent).cumsum(axis=0).T - 1
    shares = [
        np.cumsum(above / np.maximum(i, 1), axis=1)[:, -1]  # in order: see `rbo`
        for above, i in ((in_other, np.arange(in_other.shape[1])), (in_one, all_above))
        if above.shape[1]
    ]
    return sums.ratio(np.sum(shares, axis=0), np.where(n > 1, n - 1, 0)) - 1


def _above_in_both(b: Beside) -> tuple[np.ndarray, np.ndarray]:
    """Return how many documents are above each common one in both: rankings × documents.

    The documents are in the order of the other ranking, followed by those in one ranking alone,
    which have 0; in the second array they are in the order of the one ranking.
    """
    width = 1 << max(b.length - 1, 0).bit_length()
    order = np.tile(np.arange(width), (len(b.lengths), 1))
    order[:, : b.length] = np.argsort(b.rank.T, axis=1, kind="stable")
    number = np.empty_like(order)
    np.put_along_axis(number, order, np.arange(width)[None], axis=1)
    above = _smaller_above(number) * (np.arange(width) < b.n_common[:, None])
    in_one = np.empty_like(above)
    np.put_along_axis(in_one, order, above, axis=1)
    return above, in_one[:, : b.length]


def _smaller_above(numbers: np.ndarray) -> np.ndarray:
    """Count how many numbers before each are smaller; the counts are in the order of the numbers.

    Each row has the numbers from 0 to n − 1, for a power n of 2. They are divided by their bits,
    the greatest first: a number whose bit is 1 is greater than those before it in its group whose
    bit is 0, and all others of the group are compared by smaller bits.

    Examples
    --------
    >>> _smaller_above(np.array([[2, 0, 3, 1]])).tolist()
    [[0, 1, 0, 2]]
    """
    shape, count, half = numbers.shape, np.zeros_like(numbers), numbers.shape[1] // 2
    while half:
        is_great = (numbers & half) > 0
        small_above = np.cumsum(~is_great.reshape(-1, 2 * half), axis=1).reshape(shape)
        count += np.where(is_great, small_above, 0)
        numbers, count = (_divided(values, is_great, half) for values in (numbers, count))
        half //= 2
    return count


def _divided(values: np.ndarray, is_great: np.ndarray, half: int) -> np.ndarray:
    """Put the great half of each group behind its small half; both keep their order."""
    halves = [values[~is_great].reshape(-1, half), values[is_great].reshape(-1, half)]
    return np.stack(halves, axis=1).reshape(values.shape)


_KINDS: dict[str, Callable[..., np.ndarray]] = {
    "RBO": rbo,
    "Jaccard": jaccard,
    "overlap": overlap_of_tops,
    "tau": tau,
    "tau_ap": tau_ap,
}
_P = metric_parameters.Number(coefficients.PERSISTENCE, above=0, below=1)
_KNOWN = ("RBO(p=0.9)", "Jaccard@10", "overlap@10", "tau@100", "tau_ap@100")


def overlap_measures(measures: str | Iterable[str], function: str) -> list[OverlapMeasure]:
    """Parse one or several measures of overlap; each occurs once, and they are sorted by name.

    Examples
    --------
    >>> [str(measure) for measure in overlap_measures("RBO, Jaccard@10", "overlap")]
    ['Jaccard@10', 'RBO(p=0.9)']
    """
    given = [measures] if isinstance(measures, str) else measures
    texts = [text for one in given for text in notation.each(one)]
    found = {measure.name: measure for measure in map(_parse_overlap, texts)}
    if not found:
        raise LexiframeError(f"{function}: expected at least one measure, found none")
    return [found[name] for name in sorted(found)]


def _parse_overlap(text: str) -> OverlapMeasure:
    try:
        written = notation.read(text)
    except errors.UnknownNameError:
        raise unknown_name("measure of overlap", text, _KNOWN) from None
    name, parameters = written.name, dict(written.parameters)
    known = {kind.casefold(): kind for kind in _KINDS}
    kind = known.get(name.casefold())
    allowed = {"p"} if kind == "RBO" else set()
    if kind is None or written.operand is not None or {*parameters} - allowed:
        raise unknown_name("measure of overlap", text, _KNOWN, near=[name, *_KINDS])
    depth = None if written.cutoff is None else notation.rank_of_cutoff(kind, written.cutoff)
    if kind == "RBO":
        p = parameters.get("p", coefficients.PERSISTENCE)
        metric_parameters.refuse_wrong(kind, "p", _P, p)
        called = notation.write(kind, None, {"p": float(p)}, depth)
        return OverlapMeasure(called, depth, lambda b: rbo(b, float(p)))
    return OverlapMeasure(notation.write(kind, None, {}, depth), depth, _KINDS[kind])


def within(measures: Sequence[OverlapMeasure]) -> int | None:
    """Return how many ranks all measures look at together; None for all ranks."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)
