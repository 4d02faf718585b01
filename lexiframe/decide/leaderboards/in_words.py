"""A leaderboard in words: possible first runs, left-out data, collections that decide alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import printed, sums
from lexiframe.core.significance import ranks
from lexiframe.decide.leaderboards.ranked import Ranked
from lexiframe.decide.leaderboards.settled import Settled

_FEW = 8
_NAMES = {
    "mean": "the mean",
    "mean_z": "the mean of z-scores",
    "mean_rank": "the mean rank",
    "borda": "Borda's points",
    "win_rate": "the win rate",
    "copeland": "Copeland's rule",
    "mc4": "MC4",
    "kemeny": "Kemeny's rule",
    "bradley_terry": "Bradley–Terry strengths",
    "leximin": "leximin",
}
_ONE_ORDER = ("mean_rank", "borda", "win_rate", "bradley_terry")
_TESTS = {
    "holm": "t-tests with Holm's correction",
    "max_t": "the largest t of random signs",
    "max_t_bootstrap": "the largest t of the bootstrap",
}
_OVER = {
    "collections": "collections like these",
    "groups": "groups of collections like these",
    "requests": "other requests of these collections",
}


def leaderboard_sentences(
    ranked: list[Ranked],
    ranking: pl.DataFrame,
    neighbours: pl.DataFrame,
    left_out: pl.DataFrame,
    weights: pl.DataFrame,
) -> pl.DataFrame:
    """Return a sentence a row, by rule; the first says who may be first."""
    rows = []
    for one in ranked:
        part = ranking.filter(pl.col("rule") == one.name)
        told = [_first_sentence(one, part, weights), *_weights_in_words(weights)]
        told += _smaller_in_words(one)
        if not _are_too_few(one):
            told += _neighbours(neighbours.filter(pl.col("rule") == one.name))
        if len(one.settled.board.runs) > 1:
            told += _one_collection(left_out.filter(pl.col("rule") == one.name))
        told += [_liberal(one), *_about_rule(one)]
        rows += [(one.name, sentence) for sentence in told if sentence]
    rows += [(ranked[0].name, sentence) for sentence in _gaps(ranked[0].settled)]
    schema = {"rule": pl.String, "sentence": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _rule_name(one: Ranked) -> str:
    return _NAMES.get(one.name, one.name)


def weighted_collections(weights: pl.DataFrame) -> str:
    """Name the collections of a leaderboard by their number, and their weights if these differ.

    ``weights`` is the table of weights of collections.
    """
    counted = printed.counted(weights.height, "collection")
    if _are_weights_equal(weights["weight"]):
        return counted
    of_groups = weights.drop_nulls("group").group_by("group").agg(pl.col("weight").sum())
    if of_groups.height > 1 and _are_weights_equal(of_groups["weight"]):
        return f"{counted} in {of_groups.height} groups of equal weight"
    return f"{counted} of different weights"


def _are_weights_equal(weights: pl.Series) -> bool:
    return bool((weights - weights.mean()).abs().max() < sums.TIE)  # type: ignore[operator]


def _weights_in_words(weights: pl.DataFrame) -> list[str]:
    """Name the collections of the least and of the greatest weight, if weights differ."""
    if _are_weights_equal(weights["weight"]):
        return []
    in_order = weights.sort("weight", "collection")
    least, most = (in_order.row(n, named=True) for n in (0, -1))
    said = [f"{printed.percent(one['weight'])} ({one['collection']})" for one in (least, most)]
    return [f"Single collections weigh from {said[0]} to {said[1]}."]


def _smaller_in_words(one: Ranked) -> list[str]:
    """Name the collections where smaller values are better."""
    board = one.settled.board
    smaller = [c for c, sign in zip(board.collections, board.signs, strict=True) if sign < 0]
    is_mixed = one.name == "mean" and len(smaller) < len(board.collections)
    counted = ", and count with a minus sign" * is_mixed
    named = ", ".join(printed.first_runs(smaller, 4))
    return [f"Smaller values are better in {named}{counted}."] if smaller else []


def _first_sentence(one: Ranked, part: pl.DataFrame, weights: pl.DataFrame) -> str:
    board, what = one.settled.board, weighted_collections(weights)
    first = part.filter(pl.col("rank") == 1)["run"].to_list()
    if len(board.runs) == 1:
        return (
            f"There is one run, {first[0]}, over {what}: a rank says nothing without another run."
        )
    are = "is" if len(first) == 1 else "are equal and"
    named = printed.listed(first)
    begin = f"By {_rule_name(one)} over {what}, {named} {are} first of {part.height:,} runs"
    if part["rank_low"].null_count():
        has = part.filter(pl.col("rank") == 1, "incomplete")["n_collections"].to_list()
        if one.settled.missing == "adjust" and len(first) == len(has) == 1:
            begin = f"{begin}, with results in {has[0]:,} of these collections"
        return f"{begin}; {_no_intervals(one)}."
    may = part.filter(pl.col("rank_low") == 1)["run"].to_list()
    sure = f"{100 * (1 - one.alpha):g} %"
    over = f"over {_OVER[one.over]}"
    if _are_too_few(one):
        return f"{begin}; {_units(one)} are too few for any conclusion {over}."
    over = f"{over} ({_TESTS[one.applied]}, all pairs at once, {sure})"
    if len(may) == 1:
        return f"{begin}, and no other run may be first {over}."
    named = ", ".join(may[:_FEW]) + (f" and {len(may) - _FEW:,} more" if len(may) > _FEW else "")
    return f"{begin}; {len(may):,} runs may be first {over}: {named}."


def _no_intervals(one: Ranked) -> str:
    settled = one.settled
    if settled.missing == "adjust" and np.isnan(settled.board.cells).any():
        return (
            "no intervals are given, because runs without all collections are estimated as if they "
            "were as good elsewhere"
        )
    if one.design is None:
        return "its ranks have percentiles of resamples, and are not tested"
    if one.design.is_free:
        return (
            f"{_units(one)} are too few to say which ranks are possible by this rule, which takes "
            f"{ranks.FEWEST_FLIPPED}"
        )
    return (
        f"how sure the ranks are is unknown, because {_units(one)}{_strata(one)} cannot show how "
        f"much {one.over} vary"
    )


def _units(one: Ranked) -> str:
    """Count the units that a test generalises from."""
    n = 0 if one.design is None else len(one.design.points)
    return printed.counted(n, one.over.removesuffix("s"))


def _are_too_few(one: Ranked) -> bool:
    """Return whether random signs cannot reject anything: p is at least 2^(1 − n)."""
    n = 0 if one.design is None else len(one.design.points)
    return one.applied == "max_t" and 2.0 ** (1 - n) >= one.alpha


def _strata(one: Ranked) -> str:
    n = 0 if one.design is None else len(one.design.sizes)
    return f" in {n} groups" if n > 1 else ""


def _neighbours(part: pl.DataFrame) -> list[str]:
    if not part.height or part["reject"].null_count():
        return []
    n = int(part["reject"].sum())
    differ = "differs" if n == 1 else "differ"
    pairs = printed.counted(part.height, "pair")
    return [f"{n:,} of {pairs} of neighbours in the order {differ} significantly."]


def _one_collection(part: pl.DataFrame) -> list[str]:
    if not part.height:
        return []
    changed = part.filter("first_changes")
    most = part.with_columns(moved=(pl.col("rank") - pl.col("rank_without")).abs())
    most = most.sort("moved", "collection", descending=[True, False], nulls_last=True)
    unknown = part.filter(pl.col("first_changes").is_null())["collection"].to_list()
    row: dict[str, Any] = most.row(0, named=True)
    told = []
    if changed.height:
        names = changed["collection"].to_list()
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        of_each = f"for each of {len(names):,} collections ({shown}), leaving out that one"
        left_out = of_each if len(names) > 1 else f"leaving out {shown}"
        told.append(f"The first place is fragile: {left_out} alone changes who is first.")
    else:
        other = "other " if unknown else ""
        told.append(f"Whichever {other}collection is left out, the first place stays the same.")
    if unknown:
        shown = ", ".join(unknown[:3]) + (f" or {len(unknown) - 3} more" if unknown[3:] else "")
        told.insert(
            0, f"Without {shown}, some runs share no collections, so that there is no order."
        )
    if row["moved"]:
        told.append(
            f"Without {row['collection']}, {row['run']} would have rank {row['rank_without']} "
            f"instead of {row['rank']}, the largest move of a run."
        )
    return told


_ENOUGH = 20
"""From so many units on, t-tests of votes keep their level nearly (see the guide)."""


def _liberal(one: Ranked) -> str:
    """Say where t-tests of votes and z-scores err more often than α: these have light tails."""
    design = one.design
    if one.applied != "holm" or one.name == "mean" or design is None or not design.is_free:
        return ""
    n = len(design.points)
    if n >= _ENOUGH or len(one.settled.board.runs) < 2:
        return ""
    instead = (
        "test='max_t' keeps its level" if n >= ranks.FEWEST_FLIPPED
        else f"from {ranks.FEWEST_FLIPPED} on, test='max_t' keeps its level"
    )  # fmt: skip
    return (
        f"With votes or z-scores of fewer than {_ENOUGH} {one.over}, t-tests call equal runs "
        f"different more often than α; {instead}."
    )


def _about_rule(one: Ranked) -> list[str]:
    settled, told = one.settled, []
    cells = settled.board.cells
    spread = np.nanmax(cells, axis=1) - np.nanmin(cells, axis=1)
    constant = [
        name
        for name, s in zip(settled.board.collections, spread, strict=True)
        if s <= settled.board.rounding
    ]
    if constant and len(settled.board.runs) > 1:
        told.append(
            f"All runs are equal in {printed.counted(len(constant), 'collection')} "
            f"({', '.join(constant[:3])}), which {'tells' if len(constant) == 1 else 'tell'} "
            "nothing about them."
        )
    if one.name in _ONE_ORDER and not np.isnan(cells).any():
        told.append(
            "With complete data mean rank, Borda's points, win rate and Bradley–Terry strengths "
            "give the same order."
        )
    if one.name == "leximin":
        told.append(_hardest_collection(settled.board.collections, cells))
    if one.name == "kemeny" and (n := one.n_least_contradicted) > 1:
        told.append(
            f"{n:,} orders fit the results equally well; the values are mean places in them."
        )
    return told


def _hardest_collection(collections: list[str], cells: np.ndarray) -> str:
    """Name the collection in which most runs have their worst result, which leximin asks first."""
    worst = np.bincount(cells.argmin(axis=0), minlength=len(collections))
    of_runs = f"{worst.max():,} of {printed.counted(cells.shape[1], 'run')}"
    hardest = collections[int(worst.argmax())]
    return f"Leximin begins with a run's worst collection, which is {hardest} for {of_runs}."


def _gaps(settled: Settled) -> list[str]:
    whole, board, gaps = settled.whole, settled.board, settled.gaps
    if not gaps.height:
        return []
    runs = gaps["run"].unique().sort()
    cells = printed.counted(gaps.height, "result")
    lack, are = ("lacks", "is") if len(runs) == 1 else ("lack", "are")
    begin = f"{printed.counted(len(runs), 'run')} of {len(whole.runs):,} {lack} {cells} in all"
    if settled.missing == "complete":
        named = ", ".join(printed.first_runs(runs.to_list(), 4))
        return [f"{begin} and {are} not ranked ({named})."]
    if settled.missing == "common":
        names = [c for c in whole.collections if c not in board.collections]
        named = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        left_out = printed.counted(len(names), "collection")
        do = "does" if len(names) == 1 else "do"
        return [f"{begin}: {left_out} that not all runs have ({named}) {do} not count."]
    if settled.missing == "votes":
        return [f"{begin}; there they lose to runs that have one."]
    how = (
        "these are estimated, as if they were as good there as elsewhere, and marked as incomplete"
    )
    return [f"{begin}; {how}."]
