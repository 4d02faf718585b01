"""The means of the runs as the first table of a summary, the best of each measure marked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.pairwise import facts
from lexiframe.core.significance import corrections, indistinct_groups, own_tests, tests
from lexiframe.core.views.sentences.bounds import AT_BOUNDS, cut_at_bounds
from lexiframe.core.views.sentences.gains import both_ways, first_test_rows
from lexiframe.core.views.sentences.lacking import Lacking
from lexiframe.core.views.sentences.rows import is_first
from lexiframe.core.views.sentences.too_few import what_would_do
from lexiframe.core.views.shown.mean_cells import DECIMALS, mean_cells, widest_intervals

MOST_RUNS = 40
"""The number of runs up to which the summary of everything shows all of them."""
_MANY, _BEST = 20, 10
"""Of more runs than the first number, what is printed first has as many as the second says."""


_ONE_RUN = "one run: preferences (RPP, LR, LP ...) and comparisons need two runs"


def means_section(
    means: pl.DataFrame,
    comparisons: pl.DataFrame,
    measures: Sequence[str],
    preferences: Sequence[str],
    inference: Mapping[str, Any],
    of_group: str = "",
    lacking: Lacking | None = None,
    known: facts.Known | None = None,
    n_all: int = 0,
    named: Collection[str] | None = None,
    by_weight: str = "",
    of_weights: Sequence[str] = (),
) -> printed.Section:
    """Return runs × measures with the means, or measures × mean and interval of a single run.

    ``n_all`` counts the comparisons of all groups and measures by the first test. Of many runs the
    best ones by the first measure are shown, and those ``named``; None: all that fit. Requests
    count ``by_weight``, which the last notes explain.
    """
    if not measures:
        return printed.Section(notes=(_ONE_RUN,))
    means = means.sort(printed.place_among(measures))
    over = f"over {printed.counted(printed.n_range(means['n']), 'request')}{by_weight}{of_group}"
    means, of_intervals = cut_at_bounds(means, known=known)
    notes = [*measure_notes(means, list(dict.fromkeys(measures)), known), *of_intervals]
    if means["run"].n_unique() == 1:
        notes.append(_ONE_RUN)
        notes += of_weights
        return printed.Section(*_single_run_table(means, over, inference["alpha"]), tuple(notes))
    lacking = Lacking() if lacking is None else lacking
    found = marks(means, comparisons, inference)
    marked = means.join(found, on=["run", "measure"], maintain_order="left")
    marked = marked.with_columns(mark=pl.col("mark") + lacking.counts(marked))
    cut = partial(ends, called="means") if named is None else partial(best_and_named, named=named)
    whole, left_out = cut(mean_cells(marked, "nothing"))
    shares = [name for name in preferences if name in whole.columns]
    won = "weight" if by_weight else "requests"
    of_shares = f" ({', '.join(shares)}: share of {won} won)" if shares else ""
    order = inference["ordering"] if shares else "mean"
    explained = (
        [legend(inference, comparisons, measures, order)] if means["rank"].count() else []
    )  # counts have no best
    if found["mark"].str.contains("?", literal=True).any():
        explained.append(f"{untested_in_words(inference)}{', or n* below 2' * bool(by_weight)}")
    explained += what_would_do(first_test_rows(comparisons, inference), measures, inference, n_all)
    notes = [*explained, *_equal_shares(means, shares), *notes, *lacking.notes(measures), *left_out]
    notes += of_weights
    title = f"Means {over}{of_shares}"
    return _interval_section(title, whole, marked, notes, inference["alpha"], cut)


def _interval_section(
    title: str,
    whole: pl.DataFrame,
    marked: pl.DataFrame,
    notes: Sequence[str],
    alpha: float,
    cut: Callable[[pl.DataFrame], tuple[pl.DataFrame, list[str]]],
) -> printed.Section:
    """Return means with as much of their intervals as there is room for."""
    if not marked["ci_low"].count():
        return printed.Section(title, whole, tuple(notes), is_matrix=True)
    level = f"{100 * (1 - alpha):g} % intervals"
    widest = pl.concat([whole, widest_intervals(marked, whole)])
    # How far intervals reach says on its own line where these end, lest the table be longer.
    others = [note for note in notes if not note.startswith(AT_BOUNDS)]
    at_bounds = "".join(f"; {note}" for note in notes if note.startswith(AT_BOUNDS))
    said = f"± at most: no {level[:-1]} reaches farther from its mean{at_bounds}"
    section = printed.Section(title, widest, (*others, said), is_matrix=True)
    table, _ = cut(mean_cells(marked, "reach"))
    said = f"±: how far the {level[:-1]} reaches from the mean on its wider side{at_bounds}"
    section = printed.Section(title, table, (*others, said), instead=section)
    table, _ = cut(mean_cells(marked, "both"))
    return printed.Section(f"{title}, with {level}", table, tuple(notes), instead=section)


def marks(
    means: pl.DataFrame, comparisons: pl.DataFrame, inference: Mapping[str, Any]
) -> pl.DataFrame:
    """Return the mark of each run under each measure.

    ``*`` is the best mean, ``~`` a mean that does not differ significantly from any of the best,
    ``?`` a mean without a test, for want of requests in common. With a baseline, ▲ and ▼ are
    significantly better and worse, ``?`` is not tested, and there is no ``~``. One-sided tests of
    all pairs have neither ``~`` nor ``?``: they do not show whether runs differ.
    """
    baseline = inference.get("baseline")
    best = means.filter(is_first()).select("measure", "run", is_best=True)
    rivals = best.select("measure", rival="run")
    if baseline is not None:
        rivals = means.select("measure", rival=pl.lit(baseline)).unique()
    both = both_ways(first_test_rows(comparisons, inference), rivals)
    told = pl.col("reject") & indistinct_groups.IS_TESTED
    found = both.group_by("measure", "run").agg(
        n=indistinct_groups.IS_TESTED.sum(),
        told=told.any(),
        gain=pl.col("gain").filter(told).first(),
    )
    table = means.select("run", "measure").join(best, on=["measure", "run"], how="left")
    table = table.join(found, on=["measure", "run"], how="left").join(
        rivals.group_by("measure").agg(of=pl.len()), on="measure", how="left"
    )
    is_tested = pl.col("n").fill_null(0) == pl.col("of")
    side, near = pl.lit(""), pl.lit("")
    if baseline is not None:
        arrow = pl.when(pl.col("gain") > 0).then(pl.lit("▲")).otherwise(pl.lit("▼"))
        is_other = ~is_tested & (pl.col("run") != baseline)
        side = pl.when("told").then(arrow).when(is_other).then(pl.lit("?")).otherwise(side)
    elif inference["alternative"] == "two-sided":
        undecided = pl.when(is_tested).then(pl.lit("~")).otherwise(pl.lit("?"))
        is_told = pl.col("told").fill_null(False) | pl.col("of").is_null()
        near = pl.when(is_told).then(near).otherwise(undecided)
    star = pl.when("is_best").then(pl.lit("*")).otherwise(near)
    return table.select("run", "measure", mark=star + side)


def inference_in_words(
    inference: Mapping[str, Any],
    comparisons: pl.DataFrame,
    measures: Iterable[str],
    *,
    first: bool = False,
) -> str:
    """Describe the tests, the corrections and the level in a few words.

    The comparisons name the default tests. Where there are several tests, each has its measures
    behind it, but for the most frequent one; measures are in the order of the user's list.

    Examples
    --------
    >>> inference = {"test": "auto", "correction": "auto", "family": "measure", "alpha": 0.05}
    >>> c = pl.DataFrame({"measure": ["AP", "LR", "Gini"], "test": ["randomization"] * 2 + ["t"],
    ...                   "correction": ["max_t"] * 2 + ["holm"]})
    >>> inference_in_words(inference, c.head(2), ["AP", "LR"])
    'randomization test, max_t over the pairs of a measure, α = 0.05'
    >>> inference_in_words(inference, c, ["AP", "LR", "Gini"])
    'randomization test, max_t; t test, holm for Gini; over the pairs of a measure, α = 0.05'
    """
    family = "the pairs of a measure" if inference["family"] == "measure" else "all pairs"
    side = inference.get("alternative", "two-sided")
    one_sided = f" (one-sided: {side})" * (side != "two-sided")
    if inference["test"] == tests.AUTO:
        said = [
            f"{test} test{one_sided}, {how}" for test, how in _default_tests(comparisons, measures)
        ]
    else:
        named, how = (own_tests.several(inference[name]) for name in ("test", "correction"))
        how = [corrections.usual(one) if one == tests.AUTO else one for one in how]
        named, how = (of[:1] if first else of for of in (named, how))
        said = [f"{', '.join(named)} test{one_sided}, {', '.join(how)}"]
    then = " " if len(said) == 1 else "; "
    return f"{'; '.join(said) or 'no test,'}{then}over {family}, α = {inference['alpha']:g}"


def _default_tests(c: pl.DataFrame, measures: Iterable[str]) -> list[tuple[str, str]]:
    """Return the default tests and corrections; less frequent ones with their measures."""
    name = pl.col("test").str.extract(r"^([^(]*)")
    named = c.select("measure", "correction", name).unique(maintain_order=True)
    by_test = (
        named.sort(printed.place_among(measures), maintain_order=True)
        .group_by("test", "correction", maintain_order=True)
        .agg("measure")
        .sort(pl.col("measure").list.len(), descending=True, maintain_order=True)
    )
    return [
        (test, how + f" for {printed.listed(of)}" * (place > 0))
        for place, (test, how, of) in enumerate(by_test.iter_rows())
    ]


def legend(
    inference: Mapping[str, Any], comparisons: pl.DataFrame, measures: Iterable[str], order: str
) -> str:
    """Explain the marks that the table may have, and say that they are about means."""
    baseline, said = inference.get("baseline"), ""
    if baseline is not None:
        better, worse = (f"{mark} significantly" for mark in "▲▼")
        said = {
            "greater": f"; {better} better than {baseline}",
            "less": f"; {worse} worse than {baseline}",
        }.get(inference["alternative"], f"; {better} better than {baseline}, ▼ worse")
    elif inference["alternative"] == "two-sided":
        said = "; ~ not significantly different from any run with *"
    how = "" if order in ("mean", "win_rate") else f", preferences by {order}"
    return f"ranked by mean{how}, * the best{said}" + (
        f" ({inference_in_words(inference, comparisons, measures, first=True)})" if said else ""
    )


def untested_in_words(inference: Mapping[str, Any]) -> str:
    """Explain the mark ``?``."""
    rival = inference.get("baseline") or "a run with *"
    return f"? not tested against {rival}: fewer than two requests in common"


def measure_notes(
    means: pl.DataFrame, asked: Sequence[str], known: facts.Known | None = None
) -> list[str]:
    """Name the measures where smaller is better, where requests differ, and without any."""
    notes = []
    ranked = means.filter(pl.col("rank").is_not_null()).sort("rank")
    by_measure = ranked.group_by("measure", maintain_order=True)
    falls = by_measure.agg(falls=pl.col("mean").first() < pl.col("mean").last())
    smaller = set(falls.filter("falls")["measure"])
    if smaller:
        notes.append(f"smaller is better: {', '.join(name for name in asked if name in smaller)}")
    names = means["measure"].unique(maintain_order=True)
    counts = [name for name in names if facts.metric_facts(name, known).is_count]
    if counts:
        notes.append(f"counts, of which more is not better: {', '.join(counts)}")
    if means["n"].n_unique() > 1:
        n = means.group_by("measure", maintain_order=True).agg("n")
        said = (f"{printed.n_range(pl.Series(of))} of {name}" for name, of in n.iter_rows())
        notes.append(f"requests: {', '.join(said)}")
    if means.height < means["run"].n_unique() * means["measure"].n_unique():
        notes.append(f"{printed.MISSING}: no request of the run has a value")
    there = set(means["measure"])
    if not there.issuperset(asked):
        notes.append(f"no request counts for {', '.join(n for n in asked if n not in there)}")
    return notes


def _equal_shares(means: pl.DataFrame, preferences: Sequence[str]) -> list[str]:
    """Name preferences with equal shares for all runs, as LP and rrLP, and where they differ."""
    shares: dict[tuple[float, ...], list[str]] = {}
    for name in preferences:
        of_runs = means.filter(measure=name).sort("run")["mean"]
        shares.setdefault(tuple(of_runs), []).append(name)
    where = printed.advice(python="e.win_rates has", terminal="--table win_rates has")
    return [
        f"{printed.and_joined(names)} have equal shares; {where} their mean_preference, "
        "which says by how much"
        for names in shares.values()
        if len(names) > 1
    ]


def _single_run_table(means: pl.DataFrame, over: str, alpha: float) -> tuple[str, pl.DataFrame]:
    """Return the title and the table of a single run: means, intervals, n where it differs."""
    level = f"{100 * (1 - alpha):g} % intervals"
    write = partial(printed.cell, "mean", decimals=DECIMALS)
    numbers = [printed.texts_of(means[name], write) for name in ("mean", "ci_low", "ci_high")]
    n = ["n"] if means["n"].n_unique() > 1 else []
    return f"Means of {means['run'][0]} {over}, with {level}", means.select("measure", *numbers, *n)


def best_and_named(table: pl.DataFrame, named: Collection[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return the best runs of a long table, then the runs that sentences name, and a note."""
    if table.height <= _MANY:
        return table, []
    best, others = table.head(_BEST), table.slice(_BEST).filter(pl.col("run").is_in([*named]))
    more = printed.counted(table.height - best.height - others.height, "more run")
    blank = pl.DataFrame({**dict.fromkeys(table.columns, ""), "run": "…"})
    shown = pl.concat([best, blank, others]) if others.height else best
    how = printed.advice(python='e.summary("all")', terminal="--all")
    if table.height > MOST_RUNS:  # of which that has the first and the last
        how = printed.advice(python="e.means has all", terminal="--table means has all")
    return shown, [f"{more}: {how}"]


def ends(table: pl.DataFrame, called: str) -> tuple[pl.DataFrame, list[str]]:
    """Return the first and the last runs of a long table of text, and a note on all of it."""
    if table.height <= MOST_RUNS:
        return table, []
    half = MOST_RUNS // 2
    blank = dict.fromkeys(table.columns, "")
    gap = pl.DataFrame({**blank, "run": f"… {table.height - 2 * half:,} more"})
    shown = pl.concat([table.head(half), gap, table.tail(half)])
    said = f"the first and the last {half} of {table.height:,} runs"
    all_of = printed.advice(python=f"e.{called} has all", terminal=f"--table {called} has all")
    return shown, [f"{said}; {all_of}"]


def titled_parts(table: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield for each group of requests the words that name it in a title, and its rows."""
    if not by:
        yield "", table
        return
    for part in table.partition_by(by, maintain_order=True):
        yield f", {printed.group_title(by, part.select(by).row(0))}", part.drop(by)
