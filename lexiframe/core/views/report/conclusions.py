"""The conclusions on top of the page: the first runs, in a headline and a sentence a measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.pairwise import facts
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.sentences.lacking import drop_unmatched, drop_unranked
from lexiframe.core.views.sentences.rows import drop_counts, is_first
from lexiframe.core.views.sentences.verdicts import verdict_of
from lexiframe.core.views.shown.means import inference_in_words

_KEY = ["group", "measure", "test", "correction"]
_RUNS = pl.List(pl.String)
CONCLUSIONS = pl.Schema(
    {
        **dict.fromkeys(_KEY, pl.String()),
        **dict.fromkeys(("best", "near"), _RUNS),
        "told": pl.String(),
        "sentence": pl.String(),
        "is_best": pl.Boolean(),
        "too_few": pl.Boolean(),
    }
)
"""``best`` are the first runs, and ``near`` those that the test does not tell from them; ``told``
counts significant pairs. ``is_best``: whether one run is first, and differs from all others;
``too_few``: whether requests are too few to tell, so that ``near`` is empty."""


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
        from lexiframe.core.views.sentences.verdict_on_baseline import baseline_sentences

        named = {name: tables.get(name) for name in ("comparisons", "win_rates", "coverage")}
        e: Any = SimpleNamespace(**named, provenance=provenance)
        sentences = baseline_sentences(e)
    c = printed.name_groups(c.with_columns(sentence=pl.Series(sentences, dtype=pl.String)), by)
    nothing = pl.lit([], dtype=_RUNS)
    return c.join(best, on=["group", "measure"], how="left", maintain_order="left").with_columns(
        best=pl.coalesce("best", nothing), near=nothing, is_best=False, too_few=False
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
    """Return the rows of conclusions for a single run: a sentence on each of its means."""
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
        too_few=False,
    )


def _mean_sentence(mean: pl.DataFrame, level: str, known: facts.Known) -> str:
    """Say the mean of a single run and its interval, from one row."""
    shown, notes = cut_at_bounds(mean, known=known)
    row = shown.row(0, named=True)
    requests = printed.counted(str(row["n"]), "request")
    requests += " by weight" * ("n_effective" in row)
    value = printed.cell("mean", row["mean"], 4)
    said = f"By {row['measure']}, the mean of {escaped(row['run'])} over {requests} is {value}"
    if row["ci_low"] is None:
        return f"{said}."
    ends = " to ".join(printed.cell(end, row[end], 4) for end in ("ci_low", "ci_high"))
    return f"{said} ({'; '.join([f'{level} interval: {ends}', *notes])})."
