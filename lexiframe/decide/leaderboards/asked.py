"""The arguments of a leaderboard, checked, and the ranked data that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from lexiframe.core.base import LexiframeError, check_choice, n_and_first, printed, resampling, warn
from lexiframe.core.io import column_forms
from lexiframe.core.orderings import refuse_many
from lexiframe.core.orderings import rules as known_rules
from lexiframe.decide.leaderboards.board import Board, Group, read_board
from lexiframe.decide.leaderboards.ranked import Over, Ranked, RankTest
from lexiframe.decide.leaderboards.settled import Missing, Weights, settle

Rule = known_rules.AnyMethod | Callable[[np.ndarray, np.ndarray], Any]
Rules = Rule | Sequence[Rule]


def ranked_of(
    x: Any,
    rule: Rules,
    missing: Missing,
    weights: Weights,
    group: Group,
    over: Over,
    measure: str | None,
    smaller_is_better: Sequence[str],
    larger_is_better: Sequence[str],
    columns: Mapping[str, str] | None,
    test: RankTest,
    alpha: float,
    samples: int,
    seed: int,
    na_values: column_forms.NaValues = None,
) -> list[Ranked]:
    """Read a leaderboard, settle its gaps, and return the ranked data of each rule."""
    resampling.check_share("leaderboard", "alpha", alpha)
    resampling.check_draws("leaderboard", "samples", samples, seed)
    rules = _rules(rule)
    named = {"test": (test, RankTest), "missing": (missing, Missing), "over": (over, Over)}
    for name, (value, choices) in named.items():
        check_choice("leaderboard", value, get_args(choices), name)
    if not (weights is None or isinstance(weights, Mapping) or weights in ("equal", "groups")):
        raise LexiframeError(
            "leaderboard: expected weights='equal', 'groups' or {collection: weight}, found "
            f"{weights!r}"
        )
    weighed = [*map(str, weights)] if isinstance(weights, Mapping) else []
    which = measure, group, smaller_is_better, larger_is_better, weighed, columns, na_values
    board = read_board(x, *which)
    if over == "groups" and board.groups is None:
        raise LexiframeError(
            "leaderboard: over='groups' generalises to other groups of collections, found none; "
            "name them: group='type' or group={collection: group}"
        )
    settled = settle(board, missing, weights, [one for one in rules if isinstance(one, str)])
    ranked = [Ranked(settled, one, over, test, alpha, samples, seed) for one in rules]
    for one in ranked:
        _refuse_many_runs(one)
    if "mean" in rules:
        for said in _units_in_words(settled.board):
            warn(said)
    return ranked


def _refuse_many_runs(one: Ranked) -> None:
    n = len(one.settled.board.runs)
    if isinstance(one.rule, str):
        refuse_many(one.rule, n, "leaderboard", "rule")
    one.refuse_no_order()
    if one.over == "requests":
        one.units  # noqa: B018 - raise now, not when a table is asked for
    if one.design is not None and not one.design.is_free and n > 1:
        units, groups = len(one.design.points), len(one.design.sizes)
        within = f" in {groups} groups" if groups > 1 else ""
        warn(
            f"leaderboard: there are no intervals, because "
            f"{printed.counted(units, one.over.removesuffix('s'))}{within} cannot show how much "
            f"{one.over} vary"
        )


_PERCENT = 100.0


def doubts_of_units(x: Any) -> list[str]:
    """Name the collections of a leaderboard in which the largest units decide the mean."""
    return _units_in_words(read_board(x, None, None))


def _units_in_words(board: Board) -> list[str]:
    given = board.cells * board.signs[:, None]
    largest, smallest = np.nanmax(given, axis=1), np.nanmin(given, axis=1)
    shares = (smallest >= 0) & (largest > 0) & (largest <= 1)
    percent = (smallest > 1) & (largest > _PERCENT / 10) & (largest <= _PERCENT)
    beyond = largest > _PERCENT
    masks = (shares, percent, shares | percent, beyond)
    names = [
        _collections_phrase(np.array(board.collections, object)[which].tolist()) for which in masks
    ]
    advice = "give all in one unit, or take another rule, such as 'mean_z'"
    said = []
    if shares.any() and percent.any():
        said.append(
            f"leaderboard: values up to 1 in {names[0]} and from 1 to 100 in {names[1]} look like "
            f"shares beside percent, of which the latter decide the mean; {advice}"
        )
    if beyond.any() and (shares | percent).any():
        said.append(
            f"leaderboard: values above 100 in {names[3]} beside shares or "
            f"percent in {names[2]} decide the mean; leave them out (weights), {advice}"
        )
    return said


def _collections_phrase(names: list[str]) -> str:
    """Return how many collections there are, and the first of them."""
    _, _, first = n_and_first(names).partition(" ")
    return f"{printed.counted(len(names), 'collection')} {first}"


def _rules(rule: Any) -> list[Any]:
    rules = list(rule) if isinstance(rule, Sequence) and not isinstance(rule, str) else [rule]
    for one in rules:
        if not callable(one):
            check_choice("leaderboard", one, known_rules.RULES, "rule")
        elif (name := getattr(one, "__name__", "")) in known_rules.RULES:
            raise LexiframeError(
                f"leaderboard: the function {name} is called like a rule of lexiframe; write "
                f"rule={name!r} for that rule, or call the function otherwise"
            )
    names = [one if isinstance(one, str) else getattr(one, "__name__", "") for one in rules]
    if not rules or len({*names}) < len(names) or not all(names):
        raise LexiframeError(
            f"leaderboard: expected rules with different names, found {names}; a function is "
            "called by its __name__"
        )
    return rules
