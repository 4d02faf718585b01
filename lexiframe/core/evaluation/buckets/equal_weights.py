"""Who would be first if all requests counted alike, beside sums by weight."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from lexiframe.core.base import sums
from lexiframe.core.evaluation.buckets.one_order import other_first_runs
from lexiframe.core.orderings import Method
from lexiframe.core.pairwise import arrays, facts

_BY_BALLOTS = ("mc4", "kemeny")
"""The rules that count ballots, of which only weighed sums are kept."""


def add_first_by_request(
    provenance: dict[str, Any], found: arrays.Reduced, order: Method, known: facts.Known
) -> None:
    """Add to the facts of weights the first runs if all requests counted alike, where they differ.

    ``found`` has sums by weight, which keep the plain ones. Preferences are left out where
    ``order`` counts ballots.
    """
    preferences = {} if order in _BY_BALLOTS else found.preferences
    plain = replace(
        found,
        preferences={name: _plain(of) for name, of in preferences.items()},
        scores={name: _plain(of) for name, of in found.scores.items()},
        weights=None,
    )
    first = other_first_runs(found, plain, order, known)
    provenance["weights"] = {**provenance["weights"], "first_by_request": first}


def _plain(of: Any) -> Any:
    """Return the sums of a measure in which all requests count alike."""
    moments = {
        field.name: sums.Moments(*(getattr(weighed, one.name) for one in fields(sums.Moments)))
        for field in fields(of)
        if isinstance(weighed := getattr(of, field.name), sums.Moments)
    }
    return replace(of, **moments)
