"""Effects of equal scores: the range of means over their orders, and the first run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed, sums
from lexiframe.core.pairwise import facts
from lexiframe.core.views.sentences.coverage import cuts_in_words
from lexiframe.core.views.sentences.rows import is_first
from lexiframe.typing import Evaluated

_MANY = "many equal scores"
_MOST_OTHERS, _MOST_RIVALS = 3, 2
"""How many runs are named."""
_WIDE = 2.0
"""The standard errors of half an interval, where a mean has none."""
_ORDERED = ("input", "rank")
"""The policies of ties by which the order of equal scores is the run's own, and not arbitrary."""
_RANGE = ("run", "measure", "low", "high", "rank", "is_open", "moved", "one_score")


def tie_sentences(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], measure: str | None = None
) -> tuple[str, ...]:
    """Name runs whose mean the order of equal scores moves much, and say whether it decides.

    A mean is moved much if it may leave its interval. The order decides if another run may be
    first. Runs with one score for all documents of a request are named where their order matters,
    and by one ``measure`` alone where they are first. Where ties are expected nothing moves, and
    the runs that are first by document id are named if they differ. Nothing is said of means by
    weight, or without the requests of weight 0.
    """
    by_id, ties = provenance.get("first_by_document_id"), provenance.get("policies", {}).get("ties")
    of_weights = provenance.get("weights", {})
    each = of_weights.values() if "collections" in provenance else [of_weights]
    has_zeros = any("has_zeros" in of for of in each)
    is_weighed = "n_effective" in tables["means"].columns or has_zeros  # the coverage is not
    if ties in _ORDERED or (ties == "expected" and by_id is None) or is_weighed:
        return ()
    own = [name for name, of in facts.known_facts(provenance).items() if of.is_own]
    ranges = [f"{name}_{end}" for name in own for end in ("min", "max")]
    tables = {**tables, "coverage": tables["coverage"].drop(ranges, strict=False)}
    found = []
    for name, coverage, means, is_grouped in _collection_tables(tables, provenance["groups"]):
        if by_id is None:
            of_runs = tie_ranges(coverage, means)
            said = _range_sentences(of_runs, means, measure, is_grouped=is_grouped)
        elif is_grouped:  # runs are first in groups, and by id in all requests
            continue
        else:
            from lexiframe.core.views.sentences.expected_ties import other_first_sentences

            said = other_first_sentences(by_id.get(name, {}) if name else by_id, means, measure)
        found += [f"{_prefix_of(name)}{one}" for one in said]
    return tuple(found)


def sentences_on_coverage(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], measure: str | None = None
) -> tuple[str, ...]:
    """Say which runs are cut at different depths, and which results depend on equal scores.

    Without a ``measure`` this holds for all measures, and who is first by weights of requests only
    is said, too.
    """
    measures = [measure] if measure is not None else provenance["measures"]
    cuts = (
        f"{_prefix_of(name)}{said}"
        for name, coverage, _, _ in _collection_tables(tables, provenance["groups"])
        for said in cuts_in_words(coverage, measures)
    )
    of_weights = list[str]()
    if measure is None and "weights" in provenance:
        from lexiframe.core.views.sentences import weights

        of_weights += weights.first_by_request_sentences(provenance, tables["means"])
    return (*cuts, *tie_sentences(tables, provenance, measure), *of_weights)


def add_ties(v: pl.DataFrame, e: Evaluated) -> printed.Verdict:
    """Return a verdict whose first sentence by each measure ends with `sentences_on_coverage`.

    The first sentence of all says how requests with weights weigh.
    """
    names = v["measure"].unique(maintain_order=True).to_list()
    tables = {"coverage": e.coverage, "means": e.means}
    said = [" ".join(sentences_on_coverage(tables, e.provenance, name)) for name in names]
    ends = pl.col("measure").replace_strict(names, said, return_dtype=pl.String)
    is_end = pl.col("measure").is_first_distinct() & (ends != "")
    sentence = pl.when(is_end).then(pl.col("sentence") + " " + ends).otherwise("sentence")
    v = v.with_columns(sentence=sentence) if any(said) else v
    if v.height and "weights" in e.provenance:
        from lexiframe.core.views.sentences import weights

        more = [v["sentence"][0], *weights.sentences_on_weights(e.provenance, e.means)]
        v = v.with_columns(pl.col("sentence").replace({more[0]: " ".join(more)}))
    return printed.Verdict(v)


def _collection_tables(
    tables: Mapping[str, pl.DataFrame], by: Sequence[str]
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame, bool]]:
    """Yield each collection's name, coverage and means, and whether it has groups.

    An evaluation of other tools' scores has no coverage.
    """
    coverage, means = tables["coverage"], tables["means"]
    if "collection" not in coverage.columns:
        if coverage.height:
            yield "", coverage, means, bool(by)
        return
    for (name,), part in coverage.group_by("collection", maintain_order=True):
        yield str(name), part, means.filter(collection=name), len(by) > 1


def _prefix_of(name: str) -> str:
    """Return the words in front of a sentence about a collection, if it has a name."""
    return f"{printed.shortened(escaped(name))}: " if name else ""


def tie_ranges(coverage: pl.DataFrame, means: pl.DataFrame) -> pl.DataFrame:
    """Return for each run and measure the least and the greatest mean that equal scores allow.

    The measures are the measures of ``means`` whose bounds are known; if none are, as for
    preferences: AP, RR and nDCG@10. ``moved`` is the possible movement of the mean, in halves of
    its interval, and ``is_open`` whether it exceeds 1. The interval over all groups of requests
    follows from their standard errors. Without an interval, the widest one for values of 0 to 1
    with this mean is taken.
    """
    bounded = [name.removesuffix("_min") for name in coverage.columns if name.endswith("_min")]
    asked = [name for name in bounded if (means["measure"] == name).any()]
    n_scored = pl.col("requests") - pl.col("without_relevant")
    one_score = pl.col("one_score") if "one_score" in coverage.columns else pl.lit(0)
    long = pl.concat(
        coverage.group_by("run").agg(  # the mean of replicates
            measure=pl.lit(name),
            low=pl.col(f"{name}_min").mean(),
            high=pl.col(f"{name}_max").mean(),
            n=n_scored.first(),
            one_score=2 * one_score.sum() > pl.col("answered").sum(),
        )
        for name in asked or bounded
    )
    half = (pl.col("ci_high") - pl.col("ci_low")) / 2
    known = means.group_by("run", "measure").agg(
        mean=(pl.col("mean") * pl.col("n")).sum() / pl.col("n").sum(),
        half=pl.when(half.is_not_null().all()).then(
            (half * pl.col("n")).pow(2).sum().sqrt() / pl.col("n").sum()
        ),
        rank=pl.when(pl.len() == 1).then(pl.col("rank").first()),
    )
    middle = (pl.col("low") + pl.col("high")) / 2
    widest = _WIDE * ((middle * (1 - middle)).clip(0, None) / pl.col("n")).sqrt()
    mean = pl.coalesce("mean", middle)
    farthest = pl.max_horizontal(pl.col("high") - mean, mean - pl.col("low"))
    ranges = long.join(known, on=["run", "measure"], how="left").with_columns(
        moved=farthest / pl.coalesce("half", widest).clip(sums.TIE, None)
    )
    is_open = (pl.col("moved") > 1) & (pl.col("high") - pl.col("low") > sums.TIE)
    order = printed.place_among(asked or bounded)
    return ranges.with_columns(is_open=is_open).sort("run", order).select(_RANGE)


def _range_sentences(
    ranges: pl.DataFrame, means: pl.DataFrame, measure: str | None, *, is_grouped: bool
) -> Iterator[str]:
    """Yield the sentences on ranges (see `tie_ranges`), by all measures or by one."""
    matters = pl.col("high") - pl.col("low") > sums.TIE
    is_blind = pl.col("one_score") & matters
    of_measure = ranges
    if measure is not None:
        of_measure = ranges.filter(measure=measure)
        first = means.filter(measure=measure).filter(is_first())["run"].unique()
        is_blind &= pl.col("run").is_in(first.implode())
    # The bounds of a preference are not known, but that a run puts its documents in no order is.
    told = of_measure if of_measure.height else ranges.with_columns(is_open=pl.lit(value=False))
    yield from _moved_runs(told.filter(pl.col("is_open") | is_blind), means["measure"])
    if not is_grouped:  # ranks are those of groups, and ranges of all requests
        yield from _first_by_ties(of_measure.filter(pl.col("rank").is_not_null()))


def _moved_runs(named: pl.DataFrame, asked: pl.Series) -> Iterator[str]:
    """Yield the ranges of the run whose means may move farthest, and the names of further runs.

    Runs of one score for all documents come first. Only measures in ``asked`` are named.
    """
    worst = named.group_by("run").agg(pl.col("one_score").any(), pl.col("moved").max())
    order = worst.sort("one_score", "moved", "run", descending=[True, True, False])
    runs = [printed.shortened(escaped(run)) for run in order["run"]]
    if not runs:
        return
    rows = named.filter(pl.col("measure").is_in(asked.implode()), run=order["run"][0])
    what = "one score for all documents of a request" if order["one_score"][0] else _MANY
    end = f": its {_may_be(rows)}" if rows.height else ""
    yield f"{runs[0]} has {what}, whose order is arbitrary{end}."
    if len(runs) > 1:
        others = printed.and_joined(printed.first_runs(runs[1:], _MOST_OTHERS))
        yield f"The same holds for {others}."


def open_means(coverage: pl.DataFrame, means: pl.DataFrame) -> dict[str, str]:
    """Return the ranges of means that equal scores may move out of their intervals, by run."""
    ranges = tie_ranges(coverage, means).filter("is_open")
    return {str(run): _may_be(rows) for (run,), rows in ranges.group_by("run", maintain_order=True)}


def _may_be(rows: pl.DataFrame) -> str:
    """Return the ranges of a run in words: "AP may be 0.1 to 0.2 and RR 0.3 to 0.5"."""
    means = [f"{row['measure']} {_range(row, 3)}" for row in rows.iter_rows(named=True)]
    measure = rows["measure"][0]
    means[0] = f"{measure} may be{means[0].removeprefix(measure)}"
    return printed.and_joined(means)


def _first_by_ties(ranges: pl.DataFrame) -> Iterator[str]:
    """Name the measures by which the order of equal scores decides which run is first.

    It does if a run may be before one that is first, or if runs that share the first place may not.
    """
    first = ranges.with_columns(is_first=is_first())
    floor = pl.col("low").filter("is_first").min().over("measure")
    may_pass = (pl.col("high") > floor + sums.TIE).over("measure")
    is_alone = pl.col("is_first").sum().over("measure") == 1
    rivals = first.filter(
        pl.col("is_first") | may_pass,
        (may_pass & ~(pl.col("is_first") & is_alone)).any().over("measure"),
    )
    said = [_rivals(rows) for rows in rivals.partition_by("measure", maintain_order=True)]
    if said:
        yield f"The order of equal scores decides which run is first by {printed.and_joined(said)}."


def _rivals(rows: pl.DataFrame) -> str:
    """Return a measure with the ranges of the runs that may be first by it, wide ones in front."""
    width = pl.col("high") - pl.col("low")
    rows = rows.sort("is_first", width, "run", descending=[True, True, False])
    named = [
        f"{printed.shortened(escaped(row['run']))} {_range(row, 4)}"
        for row in rows.head(_MOST_RIVALS).iter_rows(named=True)
    ]
    left = rows.height - len(named)
    others = [f"{left:,} other{'s' * (left > 1)}"] if left else []
    return f"{rows['measure'][0]} ({', '.join([*named, *others])})"


def _range(row: Mapping[str, Any], decimals: int) -> str:
    """Return the least and the greatest mean of a row as people write them."""
    ends = (printed.cell("mean", row[end], decimals) for end in ("low", "high"))
    return " to ".join(dict.fromkeys(ends))
