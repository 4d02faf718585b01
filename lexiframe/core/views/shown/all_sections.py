"""The sections of a printed evaluation that only ``e.summary("all")`` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed, schemas
from lexiframe.core.orderings import agreement_matrix
from lexiframe.core.pairwise import facts
from lexiframe.core.views.sentences.coverage import (
    coverage_in_words,
    differences_in_words,
    told_of_each,
)
from lexiframe.core.views.sentences.lacking import Lacking, drop_unranked
from lexiframe.core.views.sentences.rows import counts_in
from lexiframe.core.views.sentences.verdicts import verdict_of
from lexiframe.core.views.shown.mean_cells import sort_by_rank
from lexiframe.core.views.shown.means import ends, inference_in_words, titled_parts


def listed_sections(
    first: Sequence[printed.Section],
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
) -> list[printed.Section]:
    """Return sections, and behind them sections on ranks, verdict, correlations, ties, coverage."""
    coverage = tables["coverage"]  # has no rows where scores came from another tool
    once = not_weighed(provenance)
    sections = [
        *first,
        printed.Section(notes=told_of_each(coverage, differences_in_words)),
        *_rank_sections(tables, provenance),
        *_verdict(tables, provenance),
        *_correlation_sections(tables, provenance),
        *_tie_sections(tables, provenance),
        printed.Section(
            notes=(*told_of_each(coverage, lambda part: [coverage_in_words(part)]), *once)
            if coverage.height
            else ()
        ),
    ]
    return [s for s in sections if s.notes or (s.table is not None and s.table.height)]


def not_weighed(provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note below counts of requests where the other numbers are by weight."""
    if "weights" not in provenance:
        return ()
    from lexiframe.core.views.sentences import weights

    return (weights.NOT_WEIGHED,) if weights.source_of_weights(provenance) else ()


def _rank_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    if tables["means"]["run"].n_unique() < 2:
        return
    order = _order_of_preferences(tables, provenance)
    how = " by mean" if order is None else f": metrics by mean, preferences by {order}"
    title = f"Ranks of the runs{how}"
    notes = Lacking.read_provenance(provenance).short_notes(provenance["measures"])
    counts = counts_in(provenance)  # which have no best, so no rank
    ranked = [name for name in provenance["measures"] if name not in counts]
    for of_group, o in titled_parts(tables["orderings"].drop_nulls("rank"), provenance["groups"]):
        table, left_out = ends(ranks_by_measure(o, ranked), "orderings")
        if table.width > 1:  # counts have no ranks
            yield printed.Section(title + of_group, table, (*notes, *left_out), is_matrix=True)


def _order_of_preferences(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> str | None:
    """Return the method that orders runs by preferences; None where the mean orders all."""
    # mean(missing='own') is a mean, too
    is_mean = (tables["orderings"]["method"].str.extract(r"^([^(]*)") == "mean").all()
    return None if is_mean else str(provenance["inference"]["ordering"])


def _verdict(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    inference, by = provenance["inference"], provenance["groups"]
    baseline = inference.get("baseline")
    if baseline is not None:
        from lexiframe.core.significance import baseline_in_short
        from lexiframe.core.views.shown.against import baseline_section

        table = baseline_in_short(tables["against_baseline"], provenance["measures"], by)
        known = facts.known_facts(provenance)
        yield baseline_section(table, by, inference, tables["comparisons"], known)
        if tables["against_baseline"]["n"].max() == 1:
            yield printed.Section(notes=("no test is possible with one request",))
    # A verdict needs two-sided comparisons of all pairs.
    elif inference["alternative"] == "two-sided":
        ranked = drop_unranked(tables, by)
        v = verdict_of(ranked, provenance)
        n, table = _take_out_n(verdict_in_short(v, _ranges_of_n(tables["comparisons"], by)))
        n = [f"{said} request{'s' * (said != 'n = 1')}" for said in n]
        if "n_effective" in tables["comparisons"].columns:
            from lexiframe.core.views.sentences.weights import star_range

            n.append(star_range(tables["comparisons"]).removeprefix(", "))
        how = inference_in_words(inference, tables["comparisons"], provenance["measures"])
        title = f"Verdict ({', '.join([how, *n])})"
        order = _order_of_preferences(tables, provenance)
        by_what = "mean" if order is None else f"mean or, of preferences, by {order}"
        notes = [_BEST.format(by_what)] if v.height else []
        notes += Lacking.read_provenance(provenance).short_notes(v["measure"].to_list())
        yield printed.Section(title, table, tuple(notes), leads=len(by) + 1)


_BEST = "best: first by {}; the others are tested against these"


def _ranges_of_n(comparisons: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return for each measure (and group) the numbers of requests of its pairs as text."""
    comparisons = comparisons.filter(pl.col("n") > 0)  # the others have no request in common
    table = comparisons.group_by(*by, "measure").agg(of_pairs="n")
    return table.select(
        *by, "measure", printed.texts_of(table["of_pairs"], printed.n_range).alias("range")
    )


def _correlation_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    for of_group, part in titled_parts(tables["correlations"], provenance["groups"]):
        matrix = correlation_matrix(part, provenance["measures"])
        is_missing = any(matrix[name].null_count() for name in matrix.columns)
        notes = (
            (f"{printed.MISSING}: by one of the two measures all runs are equal",)
            if is_missing
            else ()
        )
        title = f"Kendall's τ between the orderings{of_group}"
        yield printed.Section(title, matrix, notes, is_matrix=True)


def _tie_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    by = provenance["groups"]
    ties = tables["tie_rates"]
    groups = printed.group_order(by, ties)
    in_order = ties.sort(*groups, printed.place_among(provenance["measures"]))
    n, table = _take_out_n(in_order)
    of_pairs = f" ({n[0]} pairs of rankings)" if n else ""
    yield printed.Section(
        f"Ties between rankings of one request{of_pairs}",
        table,
        not_weighed(provenance),
        leads=len(by) + 1,
    )


def _take_out_n(table: pl.DataFrame) -> tuple[list[str], pl.DataFrame]:
    """Take the number of requests or pairs out of a table where it is the same in all rows."""
    if table["n"].n_unique() != 1:
        return [], table
    n = table["n"][0]
    return [f"n = {n if isinstance(n, str) else format(n, ',')}"], table.drop("n")


def verdict_in_short(v: pl.DataFrame, ranges: pl.DataFrame) -> pl.DataFrame:
    """Shorten a verdict: leave out its title's content, and list at most four runs in a cell.

    ``ranges`` has the numbers of requests of each measure (and group) as text.
    """
    pairs = v.select("n_significant", "n_pairs").iter_rows()
    told_apart = pl.Series("significant pairs", [f"{n:,} of {of:,}" for n, of in pairs], pl.String)
    groups = v.columns[: v.width - len(schemas.VERDICT.columns)]
    v = v.join(ranges, on=[*groups, "measure"], how="left", nulls_equal=True, maintain_order="left")
    differing = [name for name in ("test", "correction") if v[name].n_unique() > 1]
    # With one request there is no test, which a cell without names would not say.
    is_empty = pl.col("not_worse").list.len() + pl.col("n_significant") == 0
    no_test = v.select(is_empty & (pl.col("n").fill_null(0) < 2)).to_series()
    # A measure without any test says so for all of its runs, and lists none.
    rows_with = {"best": v, "not_worse": v, "untested": v.filter(~no_test)}
    named = {
        name: printed.texts_of(v[name], _first_names)
        for name, rows in rows_with.items()
        if name in ("best", "not_worse") or rows[name].list.len().sum()
    }
    for is_so, said in ((v["too_few"], "too few to tell"), (no_test, "no test is possible")):
        named["not_worse"] = named["not_worse"].zip_with(~is_so, pl.Series([said]))
    called = {
        "not_worse": "not significantly worse",
        "untested": "not tested",
    }
    lists = [texts.alias(called.get(name, name)) for name, texts in named.items()]
    n = pl.col("range").alias("n")
    return v.select(*groups, "measure", *differing, *lists, n, told_apart)


def _first_names(runs: Sequence[str]) -> str:
    return ", ".join(printed.shortened(escaped(run)) for run in printed.first_runs(runs, 4))


def ranks_by_measure(orderings: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Arrange the orderings as runs × measures; the first row is the best by the first measure."""
    ranks = orderings.pivot("measure", index="run", values="rank")
    shown = [name for name in measures if name in ranks.columns]
    # As text: 2 and 2.5 are easier to read in a column than 2.000 and 2.500.
    without_zeros = pl.col(shown).round(1).cast(pl.String).str.strip_suffix(".0")
    return sort_by_rank(ranks.select("run", *shown)).with_columns(without_zeros)


def correlation_matrix(correlations: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Arrange the correlations as measures × measures, in the order of the measures."""
    matrix = agreement_matrix(correlations)
    shown = [measure for measure in measures if measure in matrix.columns]
    order = pl.DataFrame({"measure": shown}, schema={"measure": pl.String})
    return order.join(matrix, on="measure", maintain_order="left").select("measure", *shown)
