"""The ranked data: runs, collections and weights, after gaps were settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas, unknown_name, warn
from lexiframe.core.orderings import rules as known_rules
from lexiframe.decide.leaderboards.board import Board
from lexiframe.decide.leaderboards.least_squares import parts_of

Missing = Literal["complete", "common", "votes", "adjust"]
Weights = Mapping[str, float] | Literal["equal", "groups"] | None


@dataclass(frozen=True)
class Settled:
    """The board that is ranked, the weights of its collections (sum 1), and the gaps that it had.

    ``whole`` is the board with all runs and all collections that have a weight.
    """

    board: Board
    weights: np.ndarray
    gaps: pl.DataFrame
    whole: Board
    of_groups: bool
    missing: Missing

    @property
    def n_collections(self) -> np.ndarray:
        """The number of collections that each ranked run has."""
        return np.asarray((~np.isnan(self.board.cells)).sum(axis=0))


def settle(board: Board, missing: Missing, weights: Weights, rules: list[str]) -> Settled:
    """Leave out runs or collections as ``missing`` says; raise where that leaves nothing."""
    whole, given, of_groups = weighted(board, weights)
    known = ~np.isnan(whole.cells)
    runs, collections = np.ones(len(whole.runs), bool), np.ones(len(whole.collections), bool)
    if missing == "complete":
        runs = known.all(axis=0)
        _refuse_no_runs(whole, known, runs)
    elif missing == "common":
        collections = known.all(axis=1)
        _refuse_no_collections(whole, known, collections)
    elif missing == "votes":
        _refuse_values(rules, known)
    else:
        _refuse_adjusted(whole, known, rules)
    kept = whole.part(runs, collections)
    of_kept = given[collections]
    return Settled(
        kept,
        of_kept / of_kept.sum(),
        gaps_table(whole, missing),
        whole,
        of_groups,
        missing,
    )


def weighted(board: Board, weights: Weights) -> tuple[Board, np.ndarray, bool]:
    """Leave out collections without weight, and runs that have no further collection; warn.

    Return the board, its weights, and whether groups of collections have these weights.
    """
    given, of_groups = weights_of(board, weights)
    has_weight = given > 0
    has_some = ~np.isnan(board.cells[has_weight]).all(axis=0)
    if not has_some.all():
        without = [run for run, has in zip(board.runs, has_some, strict=True) if not has]
        warn(
            "leaderboard: runs that have results in collections of weight 0 alone are left out: "
            f"{n_and_first(without)}"
        )
    return board.part(has_some, has_weight), given[has_weight], of_groups


def weights_of(board: Board, weights: Weights) -> tuple[np.ndarray, bool]:
    """Return the weights of collections, with the sum 1, and whether groups decide them."""
    n = len(board.collections)
    if weights is None:
        weights = "groups" if board.groups else "equal"
    if weights == "equal":
        return np.full(n, 1 / n), False
    if weights == "groups":
        if not board.groups:
            raise LexiframeError(
                "leaderboard: weights='groups' weighs groups of collections equally, found no "
                "groups; name them: group='type' or group={collection: group}"
            )
        size = Counter(board.groups)
        return np.array([1 / len(size) / size[g] for g in board.groups]), True
    return _given(board, weights), False


def _given(board: Board, weights: Mapping[str, float]) -> np.ndarray:
    for name in weights:
        if str(name) not in board.collections:
            raise unknown_name("collection", str(name), board.collections)
    lacking = [name for name in board.collections if name not in weights]
    if lacking:
        raise LexiframeError(
            "leaderboard: expected a weight for each collection, found none for "
            f"{n_and_first(lacking)}; give 0 to leave one out"
        )
    try:
        found = np.array([float(weights[name]) for name in board.collections])
    except (TypeError, ValueError, OverflowError):
        raise LexiframeError(
            f"leaderboard: expected numbers as weights, found {n_and_first([*weights.values()])}"
        ) from None
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise LexiframeError(
            "leaderboard: expected weights from 0, not all of them 0, found "
            f"{n_and_first(found.tolist())}"
        )
    found /= found.max()  # the sum of very large weights is infinite
    return np.asarray(found / found.sum())


def _refuse_no_runs(board: Board, known: np.ndarray, runs: np.ndarray) -> None:
    if not runs.any():
        n = known.sum(axis=0)
        most = board.runs[int(n.argmax())]
        raise LexiframeError(
            "leaderboard: missing='complete' ranks the runs that have all collections, and none of "
            f"{len(board.runs)} runs has all {len(board.collections)} ({most!r} has most, "
            f"{n.max()}); take missing='common', 'votes' with a rule that counts votes, or "
            "'adjust' with the mean"
        )


def _refuse_no_collections(board: Board, known: np.ndarray, collections: np.ndarray) -> None:
    if not collections.any():
        n = known.sum(axis=1)
        best = int(n.argmax())
        complete = int(known.all(axis=0).sum())
        raise LexiframeError(
            "leaderboard: missing='common' ranks by the collections that all runs have, and no "
            f"collection has all {len(board.runs)} runs: {board.collections[best]!r} has most, "
            f"{n[best]}, so that ranking by it alone would leave out {len(board.runs) - n[best]} "
            f"runs; {complete} runs have all {len(known)} collections (missing='complete')"
        )


def _refuse_values(rules: list[str], known: np.ndarray) -> None:
    wrong = [
        rule for rule in rules if rule in known_rules.RULES and known_rules.RULES[rule].takes_scores
    ]
    if wrong and not known.all():
        *others, last = (name for name, rule in known_rules.RULES.items() if not rule.takes_scores)
        raise LexiframeError(
            f"leaderboard: missing='votes' lets a run lose where it has no result, which "
            f"rule={wrong[0]!r} cannot count; take {', '.join(others)} or {last}, or "
            "missing='adjust' with the mean"
        )


def _refuse_adjusted(board: Board, known: np.ndarray, rules: list[str]) -> None:
    wrong = [rule for rule in rules if rule != "mean"]
    if wrong:
        raise LexiframeError(
            "leaderboard: missing='adjust' estimates how hard collections are, for rule='mean' "
            f"only, found {wrong[0]!r}; take missing='votes' for rules that count votes"
        )
    part = parts_of(known)
    if part.max(initial=0):
        of_parts = ([r for r, p in zip(board.runs, part, strict=True) if p == n] for n in {*part})
        names = "; ".join(", ".join(runs[:3]) for runs in of_parts)
        raise LexiframeError(
            f"leaderboard: missing='adjust' compares runs through the collections that they share, "
            f"and the runs fall into {part.max() + 1} parts that share none ({names}); rank the "
            "parts by themselves"
        )


_HOW = {
    "complete": "run left out",
    "common": "collection left out",
    "votes": "counts as lost",
    "adjust": "estimated",
}


def gaps_table(board: Board, missing: Missing) -> pl.DataFrame:
    """Return the results that are missing, and how ``missing`` deals with them."""
    known = ~np.isnan(board.cells)
    c, r = np.nonzero(~known)
    table = pl.DataFrame(
        {
            "run": [board.runs[n] for n in r],
            "collection": [board.collections[n] for n in c],
            "n_collections": known.sum(axis=0)[r],
            "n_runs": known.sum(axis=1)[c],
            "how": [_HOW[missing]] * len(r),
        },
        schema=schemas.COLLECTION_GAPS.columns,
    )
    return schemas.COLLECTION_GAPS.arranged(table)
