"""The numbers of runs, requests and items of a simulated collection, from a user's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import ndtri

from lexiframe.core.base import LexiframeError, shown, unknown_name
from lexiframe.study.simulated.model import CANDIDATES, PROPORTIONS, Design, Model

_FUNCTION = "simulate_collection"
_REQUESTS, _RUNS, _DEPTH, _RELEVANT = 50, 10, 100, 20.0


def check_model(signal: Mapping[str, float]) -> None:
    """Raise unless these are parameters of the model, and in their ranges."""
    known = list(vars(Model()))
    for name, value in signal.items():
        if name not in known:
            raise unknown_name("parameter of the model", name, known)
        least = -np.inf if name in ("skill", "grade_effect") else 0
        most = 1 if name in PROPORTIONS else np.inf
        check_range(name, value, least, most)


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Raise unless a number is finite and within a range."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and abs(value) < np.inf and least <= value <= most):
        bounds = f"number from {least:g}" + f" to {most:g}" * bool(np.isfinite(most))
        expected = bounds if np.isfinite(least) else "finite number"
        raise LexiframeError(f"{_FUNCTION}: expected a {expected} as {name}, found {shown(value)}")


def check_whole(name: str, value: int, least: int) -> None:
    """Raise for a whole number below the least one."""
    if value < least:
        raise LexiframeError(
            f"{_FUNCTION}: expected a whole number from {least} as {name}, found {shown(value)}"
        )


def _two(given: Any) -> tuple[Any, Any]:
    """Return both numbers of a pair, or a single number twice."""
    first, second = given if isinstance(given, tuple | list) else (given, given)
    return first, second


def make_design(requests: int | None, runs: int | None, seed: int) -> Design:
    """Make a design of this many requests and runs; their ease and ability are normal quantiles."""
    n_requests, n_runs = requests or _REQUESTS, runs or _RUNS
    return Design(
        relevant_counts(_RELEVANT, n_requests, seed),
        normal_quantiles(n_requests, seed + 1),
        normal_quantiles(n_runs, seed + 2),
        np.full(n_runs, _DEPTH),
        np.zeros(n_runs),
        np.ones(1),
        np.ones(1),
        CANDIDATES * _DEPTH,
    )


def resized(design: Design, requests: int | None, runs: int | None, seed: int) -> Design:
    """Change the numbers of requests and runs of a design that was taken from a collection.

    Requests are drawn with replacement. Runs are taken evenly spaced from the worst to the best,
    and their abilities are interpolated.
    """
    rng = np.random.default_rng(seed)
    n_requests, n_runs = len(design.ease), len(design.ability)
    if requests is not None and requests != n_requests:
        chosen = rng.integers(n_requests, size=requests)
        design = replace(design, n_relevant=design.n_relevant[chosen], ease=design.ease[chosen])
    if runs is not None and runs != n_runs:
        order = np.argsort(design.ability)
        place = rng.permutation(np.linspace(0, n_runs - 1, runs))
        ability = np.interp(place, np.arange(n_runs), design.ability[order])
        chosen = order[place.round().astype(int)]
        design = replace(
            design, ability=ability, depth=design.depth[chosen], tied=design.tied[chosen]
        )
    return design


def replace_given(
    design: Design,
    depth: int | tuple[int, int] | None,
    relevant: float | tuple[float, float] | None,
    grades: Mapping[float, float] | None,
    tied_scores: float | None,
    seed: int,
) -> Design:
    """Replace the parts of a design for which the user gave an argument."""
    n_requests, n_runs = len(design.ease), len(design.ability)
    given: dict[str, Any] = {}
    if depth is not None:
        given["depth"] = _depths(depth, n_runs, seed)
        given["candidates"] = CANDIDATES * int(given["depth"].max())
    if relevant is not None:
        given["n_relevant"] = relevant_counts(relevant, n_requests, seed)
    if tied_scores is not None:
        check_range("tied_scores", tied_scores, 0, 1)
        given["tied"] = np.full(n_runs, float(tied_scores))
    if grades is not None:
        given["grades"], given["shares"] = _grade_shares(grades)
    return replace(design, **given)


def normal_quantiles(n: int, seed: int) -> np.ndarray:
    """Return n quantiles of the normal distribution, in random order, with standard deviation 1.

    A sample would have another standard deviation, in particular if it is small.
    """
    values = ndtri((np.arange(n) + 0.5) / n)
    return np.random.default_rng(seed).permutation(values / (values.std() or 1.0))


def relevant_counts(relevant: float | tuple[float, float], n: int, seed: int) -> np.ndarray:
    """Return n counts of relevant items: log-normal quantiles, in random order."""
    mean, spread = _two(relevant)
    check_range("relevant", mean, 1, np.inf)
    check_range("relevant", spread, 0, np.inf)
    variance = np.log1p((spread / mean) ** 2)
    values = np.exp(
        np.log(mean) - variance / 2 + np.sqrt(variance) * ndtri((np.arange(n) + 0.5) / n)
    )
    counts = values.round().astype(np.int64).clip(min=1)
    return np.random.default_rng(seed).permutation(counts)


def _depths(depth: int | tuple[int, int], n_runs: int, seed: int) -> np.ndarray:
    least, greatest = _two(depth)
    check_whole("depth", least, 1)
    check_whole("depth", greatest, least)
    depths = np.linspace(least, greatest, n_runs).round().astype(np.int64)
    return np.random.default_rng(seed).permutation(depths)


def _grade_shares(grades: Mapping[float, float]) -> tuple[np.ndarray, np.ndarray]:
    try:  # grades may be text, as in JSON
        values, shares = (np.array([*part], float) for part in (grades.keys(), grades.values()))
    except (AttributeError, TypeError, ValueError):
        values = shares = np.empty(0)
    is_right = len(values) and np.isfinite([*values, *shares]).all() and (values > 0).all()
    if not (is_right and (shares >= 0).all() and shares.sum() > 0):
        raise LexiframeError(
            f"{_FUNCTION}: expected grades above 0 and the share of each, such as "
            f"{{1: 0.8, 2: 0.2}}, found {shown(grades)}"
        )
    return values, shares / shares.sum()
