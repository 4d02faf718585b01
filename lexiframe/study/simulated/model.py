"""A model of rankings: every run sees every item with noise, and relevant items also with signal.

The score that run s gives to item i for request q is

    √similarity · Z_qi + √(1 − similarity) · E_sqi                            any item,
    + ability_sq + relevant_spread · H_qi + grade_effect · grade_i            relevant items,
    + near_misses · ability_sq + relevant_spread · H_qi                       near misses,

    ability_sq = skill + skill_spread · u_s + difficulty · v_q + interaction · W_sq,

where Z, E, H and W are standard normal, u and v say which runs are good and which requests are
easy, and grades are standardised. All runs share Z and H, so they resemble one another. Each
request has as many near misses as relevant items: without them, rankings would be too good at the
top, and average precision and reciprocal rank would agree more than they do on real runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Model:
    """The parameters, named as in the formula above; `simulate_collection` explains them."""

    skill: float = 1.9
    skill_spread: float = 0.4
    difficulty: float = 0.9
    interaction: float = 0.35
    relevant_spread: float = 0.4
    similarity: float = 0.6
    near_misses: float = 0.8
    grade_effect: float = 0.3


SPREADS = ("skill_spread", "difficulty", "interaction", "relevant_spread")
"""The parameters that are at least 0."""
PROPORTIONS = ("similarity", "near_misses")
"""The parameters between 0 and 1."""
CANDIDATES = 5
"""Each request has this many non-relevant items for each rank of the deepest run."""


@dataclass(frozen=True)
class Design:
    """How many runs, requests and items there are.

    Parameters
    ----------
    n_relevant, ease
        For each request: the number of relevant items, and v, how easy it is.
    ability, depth, tied
        For each run: u, how good it is; the number of items that it retrieves; and the share of its
        items that have the score of the item above.
    grades, shares
        The grades of relevant items, and the share of the relevant items that has each.
    candidates
        The number of non-relevant items that each request has.
    """

    n_relevant: np.ndarray
    ease: np.ndarray
    ability: np.ndarray
    depth: np.ndarray
    tied: np.ndarray
    grades: np.ndarray
    shares: np.ndarray
    candidates: int


@dataclass(frozen=True)
class Pool:
    """The judged items: a ``share`` of the items that any run ranks within ``depth``.

    With ``all_relevant``, or with depth 0, all relevant items are judged as well.
    """

    depth: int
    share: float
    all_relevant: bool


@dataclass(frozen=True)
class Draw:
    """The random numbers of one request; for the same seed they do not depend on the model.

    ``common`` (items), ``own`` (runs × items) and ``spread`` (items) are Z, E and H, relevant items
    first, then near misses and others; ``luck`` (runs) is W; ``grade`` is that of each relevant
    item; ``is_tied`` (runs × ranks) says which ranks have the score of the rank above, and
    ``place`` (runs × ranks) which rank an item has once ties are broken at random.
    """

    common: np.ndarray
    own: np.ndarray
    spread: np.ndarray
    luck: np.ndarray
    grade: np.ndarray
    is_tied: np.ndarray
    place: np.ndarray


def draws(design: Design, seed: int) -> Iterator[Draw]:
    """Draw the random numbers of each request."""
    shape = len(design.ability), int(design.depth.max())
    for number, m in enumerate(design.n_relevant.tolist()):
        rng = np.random.default_rng([seed, number])
        items = m + max(m, design.candidates)
        luck, spread, common = (_normal(rng, size) for size in (shape[0], 2 * m, items))
        own = _normal(rng, (shape[0], items))
        grade = rng.choice(design.grades, m, p=design.shares)
        is_tied = rng.random(shape, np.float32) < design.tied[:, None]
        yield Draw(common, own, spread, luck, grade, is_tied, _shuffled_ranks(is_tied, rng))


def _normal(rng: np.random.Generator, size: int | tuple[int, int]) -> np.ndarray:
    return rng.standard_normal(size, np.float32)


def _shuffled_ranks(is_tied: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shuffle the ranks from 0 within each group of ties."""
    ranks = np.broadcast_to(np.arange(is_tied.shape[1]), is_tied.shape)
    if not is_tied.any():
        return ranks
    group = np.cumsum(~is_tied, axis=1)
    order = np.lexsort((rng.random(is_tied.shape, np.float32), group), axis=1)
    places = np.empty_like(order)
    np.put_along_axis(places, order, ranks, axis=1)
    return places


def item_scores(model: Model, design: Design, draw: Draw, number: int) -> np.ndarray:
    """Return runs × items: the score of each item of a request, relevant items first."""
    m = len(draw.grade)
    ability = (
        model.skill
        + model.skill_spread * design.ability
        + model.difficulty * design.ease[number]
        + model.interaction * draw.luck
    )[:, None]
    scores = np.sqrt(1 - model.similarity) * draw.own
    scores += np.sqrt(model.similarity) * draw.common
    scores[:, : 2 * m] += model.relevant_spread * draw.spread
    scores[:, :m] += ability + model.grade_effect * _standardised(draw.grade, design)
    scores[:, m : 2 * m] += model.near_misses * ability
    return np.asarray(scores)


def _standardised(grade: np.ndarray, design: Design) -> np.ndarray:
    mean = design.shares @ design.grades
    spread = np.sqrt(design.shares @ (design.grades - mean) ** 2)
    return np.asarray((grade - mean) / (spread or 1.0))


def relevant_ranks(model: Model, design: Design, draw: Draw, number: int) -> np.ndarray:
    """Return runs × relevant items: the rank of each from 1, and 0 where it is not retrieved."""
    m, scores = len(draw.grade), item_scores(model, design, draw, number)
    order = np.argsort(-scores[:, :m], axis=1)
    # One search for all runs: runs are kept apart by adding more than any difference of scores.
    apart = np.arange(len(scores))[:, None] * (2 * np.abs(scores).max() + 1.0)
    others = np.sort(scores[:, m:] + apart, axis=1)
    sought = np.take_along_axis(scores[:, :m], order, axis=1) + apart
    below = np.searchsorted(others.ravel(), sought.ravel()).reshape(sought.shape)
    below -= np.arange(len(scores))[:, None] * others.shape[1]
    rank = others.shape[1] - below + np.arange(m)
    places = np.take_along_axis(draw.place, rank.clip(max=draw.place.shape[1] - 1), axis=1)
    rank = np.where(rank < draw.place.shape[1], places, rank) + 1
    rank[rank > design.depth[:, None]] = 0
    ranks = np.empty_like(rank)
    np.put_along_axis(ranks, order, rank, axis=1)
    return ranks
