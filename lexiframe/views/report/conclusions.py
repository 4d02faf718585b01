"""What the page says first: which runs are first, in a headline and a sentence for each measure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import polars as pl

from lexiframe.base import escaped, printed
from lexiframe.pairwise import facts
from lexiframe.views.sentences.bounds import cut_at_bounds
from lexiframe.views.sentences.lacking import drop_unmatched, drop_unranked
from lexiframe.views.sentences.rows import drop_counts, is_first
from lexiframe.views.sentences.verdict_on_baseline import baseline_sentences
from lexiframe.views.sentences.verdicts import verdict_of
from lexiframe.views.shown.means import inference_in_words

_KEY = ["group", "measure", "test", "correction"]
_RUNS = pl.List(pl.String)
CONCLUSIONS = pl.Schema(
    {
        **dict.fromkeys(_KEY, pl.String()),
        **dict.fromkeys(("best", "near"), _RUNS),
        "told": pl.String(),
        "sentence": pl.String(),
        "is_best": pl.Boolean(),
    }
)
"""``best`` are the first runs, and ``near`` those that the test does not tell from them; ``told``
counts significant pairs. ``is_best``: whether one run is first, and differs from all others."""


def conclusions(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> pl.DataFrame:
    """Return a row for each group, measure, test and correction, see `CONCLUSIONS`."""
    inference, by = provenance["inference"], provenance["groups"]
    if inference.get("baseline") is None:
        tables = drop_unmatched(tables, provenance)
    c, o, means = (
        printed.name_groups(tables[n], by) for n in ("comparisons", "orderings", "means")
    )
    if not c.height:
        table = _single_run_rows(means, inference, facts.known_facts(provenance))
    elif inference.get("baseline") is None and inference["alternative"] == "two-sided":
        told = pl.format("{} of {}", "n_significant", "n_pairs")
        v = printed.name_groups(verdict_of(drop_unranked(tables, by), provenance), by)
        n_near = pl.col("not_worse").list.len() + pl.col("untested").list.len()
        is_best = (pl.col("best").list.len() == 1) & (n_near == 0)
        # What is not significantly worse for want of requests is no finding.
        near = pl.when(~pl.col("too_few")).then("not_worse").otherwise(pl.lit([], _RUNS))
        table = v.with_columns(near=near, told=told, is_best=is_best)
    else:
        first = o.filter(is_first(["group"])).sort("run").group_by("group", "measure")
        table = _comparison_rows(tables, provenance, first.agg(best="run"))
    if c.height:
        table = drop_counts(table, provenance)
    return table.select(*CONCLUSIONS).cast(dict(CONCLUSIONS))  # type: ignore[arg-type]


def headline(
    orderings: pl.DataFrame, measures: Sequence[str], told: Container[str] = ()
) -> list[str]:
    """Return sentences on which runs are first by how many measures, for one group of requests.

    The orderings are those by measures other than counts. A run is best by the measures of
    ``told``, by which it differs significantly from all others. There are no sentences where runs
    have no ranks, because some lack requests.

    Examples
    --------
    >>> o = pl.DataFrame({"measure": ["AP", "AP", "RR", "RR"], "run": ["a", "b"] * 2,
    ...                   "rank": [1.0, 2.0, 1.0, 2.0]})
    >>> headline(o, ["AP", "RR"]), headline(o.filter(measure="AP"), ["AP"])
    (['a is first by both measures.'], ['a is first by AP.'])
    >>> headline(o, ["AP", "RR"], {"AP", "RR"}), headline(o, ["AP", "RR"], {"RR"})
    (['a is best by both measures.'], ['a is first by both measures, and best by RR.'])
    >>> tied = pl.DataFrame({"measure": "LP", "run": ["a", "b"], "rank": 1.5})
    >>> headline(pl.concat([o, tied]), ["AP", "RR", "LP"])
    ['a is first by 2 of 3 measures (AP and RR).', 'a and b share the first rank by LP.']
    >>> headline(o.clear(), ["num_ret"])
    ['There is nothing to compare.']
    >>> headline(o.with_columns(rank=None), ["AP", "RR"])
    []
    """
    first = orderings.filter(is_first()).sort("run").group_by("measure").agg("run")
    by_measure = {measure: tuple(runs) for measure, runs in first.rows()}
    by_best: dict[tuple[str, ...], list[str]] = {}
    for measure in measures:
        if measure in by_measure:
            by_best.setdefault(by_measure[measure], []).append(measure)
    ranked = sorted(by_best.items(), key=lambda item: -len(item[1]))
    said = [_is_first(runs, of, len(by_measure), told) for runs, of in ranked[:_MANY]]
    if others := [f"{_who(runs)} by {_escaped_names(of)}" for runs, of in ranked[_MANY:]]:
        said.append(f"First are also {', '.join(others)}")
    nothing = [] if orderings.height else ["There is nothing to compare."]
    return [f"{sentence}." for sentence in said] or nothing


def _is_first(runs: Sequence[str], of: Sequence[str], n_measures: int, told: Container[str]) -> str:
    who, best = _who(runs), [name for name in of if name in told]
    verb = "share the first rank" if len(runs) > 1 else "is first" if best != [*of] else "is best"
    if len(of) == n_measures and n_measures > 1:
        by = "both measures" if n_measures == 2 else f"all {n_measures} measures"
    elif len(of) == 1:
        by = of[0]
    else:
        by = f"{len(of)} of {n_measures} measures ({_escaped_names(of)})"
    also = f", and best by {_escaped_names(best)}" if best and verb == "is first" else ""
    return f"{who} {verb} by {by}{also}"


def _who(runs: Sequence[str]) -> str:
    return _escaped_names(runs) if len(runs) <= _MANY else f"{len(runs)} runs"


_MANY = 3
"""The number of sentences of a headline, and of runs that it names where they share a rank."""


def _escaped_names(names: Sequence[str]) -> str:
    return printed.and_joined([escaped(name) for name in names])


def _comparison_rows(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], best: pl.DataFrame
) -> pl.DataFrame:
    """Say how many pairs differ significantly; with a baseline, which runs are better and worse."""
    by, place = provenance["groups"], printed.place_among(provenance["measures"])
    told = pl.format("{} of {}", pl.col("reject").sum(), pl.len())
    c = drop_counts(tables["comparisons"], provenance).group_by(*by, *_KEY[1:]).agg(told=told)
    c = c.sort(*by, place, "test", "correction")  # as `baseline_sentences`
    if provenance["inference"].get("baseline") is None:
        of_all = provenance["inference"], tables["comparisons"], provenance["measures"]
        sentences = [_one_sided(row, *of_all) for row in c.iter_rows(named=True)]
    else:
        named = {name: tables.get(name) for name in ("comparisons", "win_rates", "coverage")}
        e: Any = SimpleNamespace(**named, provenance=provenance)
        sentences = baseline_sentences(e)
    c = printed.name_groups(c.with_columns(sentence=pl.Series(sentences, dtype=pl.String)), by)
    nothing = pl.lit([], dtype=_RUNS)
    return c.join(best, on=["group", "measure"], how="left", maintain_order="left").with_columns(
        best=pl.coalesce("best", nothing), near=nothing, is_best=False
    )


def _one_sided(
    row: Mapping[str, Any],
    inference: Mapping[str, Any],
    comparisons: pl.DataFrame,
    measures: Iterable[str],
) -> str:
    n, _, of = row["told"].partition(" of ")
    pairs, differ = "pair" if of == "1" else "pairs", "differs" if "1" in (n, of) else "differ"
    return escaped(
        f"By {row['measure']}, {n} of {of} {pairs} of runs {differ} significantly; the test is "
        "one-sided, and asks only about the run of a pair whose name comes first "
        f"({inference_in_words(inference, comparisons, measures, first=True)})."
    )


def _single_run_rows(
    means: pl.DataFrame, inference: Mapping[str, Any], known: facts.Known
) -> pl.DataFrame:
    """Say what the means of a single run are."""
    level = f"{100 * (1 - inference['alpha']):g} %"
    parts = means.partition_by("group", "measure", maintain_order=True)
    sentences = [_mean_sentence(part, level, known) for part in parts]
    empty = pl.lit("")
    return means.select(
        *("group", "measure"),
        test=empty,
        correction=empty,
        best=pl.concat_list("run"),
        near=pl.lit([], dtype=_RUNS),
        told=empty,
        sentence=pl.Series(sentences, dtype=pl.String),
        is_best=False,
    )


def _mean_sentence(mean: pl.DataFrame, level: str, known: facts.Known) -> str:
    """Say what the mean of a single run is, in one row, and what its interval."""
    shown, notes = cut_at_bounds(mean, known=known)
    row = shown.row(0, named=True)
    requests = printed.counted(str(row["n"]), "request")
    value = printed.cell("mean", row["mean"], 4)
    said = f"By {row['measure']}, the mean of {escaped(row['run'])} over {requests} is {value}"
    if row["ci_low"] is None:
        return f"{said}."
    ends = " to ".join(printed.cell(end, row[end], 4) for end in ("ci_low", "ci_high"))
    return f"{said} ({'; '.join([f'{level} interval: {ends}', *notes])})."
