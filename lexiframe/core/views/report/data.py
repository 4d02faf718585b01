"""The data of an evaluation's page: its tables, and the facts of each request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, __version__, errors, printed, schemas, sums
from lexiframe.core.orderings import rank_distributions
from lexiframe.core.pairwise import LexicographicPreference, Measure, facts
from lexiframe.core.pairwise import facts as of_measures
from lexiframe.core.significance import own_tests, tests
from lexiframe.core.views.report.conclusions import conclusions
from lexiframe.core.views.report.packing import Packing
from lexiframe.core.views.report.requests import cells_of, positions_of
from lexiframe.core.views.report.texts import texts_of_documents, texts_of_queries
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.sentences.coverage import coverage_in_words, differences_in_words
from lexiframe.core.views.sentences.first import sentences_by_group
from lexiframe.core.views.sentences.gains import GAIN
from lexiframe.core.views.sentences.lacking import Lacking
from lexiframe.core.views.sentences.rows import counts_in
from lexiframe.core.views.sentences.ties import sentences_on_coverage
from lexiframe.core.views.shown.means import inference_in_words, marks

_SHOWN = """
    means orderings win_rates comparisons correlations tie_rates sign_agreement power coverage
""".split()
"""The tables of an evaluation that the page has, whole."""


@dataclass(frozen=True)
class Rankings:
    """The facts of an evaluation beside its tables.

    Attributes
    ----------
    positions
        The table of `positions`; None when there are no rankings, or they cannot be read again.
    why_none
        Why there are no positions, to be said on the page.
    measures
        The measures that were computed.
    attributes
        The attributes by which requests are grouped; None without groups.
    excerpt
        A sentence that says of which requests the page has more than sums, or which runs it has;
        empty: all.
    runs
        The runs that the page has, sorted; None: all.
    nuggets
        Whether the positions are those of nuggets in the sentences of answers.
    coverage
        What is said of answers that were judged, as there is no table of coverage.
    """

    positions: pl.DataFrame | None = None
    why_none: str = ""
    measures: tuple[Measure, ...] = ()
    attributes: pl.DataFrame | None = None
    excerpt: str = ""
    runs: pl.Series | None = None
    nuggets: bool = False
    coverage: tuple[str, ...] = ()


def report_data(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    rankings: Rankings,
    texts: Any = None,
    queries: Any = None,
) -> tuple[dict[str, Any], Packing, dict[str, pl.DataFrame]]:
    """Return the data of the page: facts that JSON can hold, and the numbers that they refer to.

    Third come the tables among the numbers, with all runs.
    """
    by, packing = list(provenance["groups"]), Packing()
    grouped = {name: printed.name_groups(table, by) for name, table in tables.items()}
    every = grouped["orderings"]["run"].unique().sort()
    runs = every if rankings.runs is None else rankings.runs
    keyed = tables["scores"] if tables["scores"].height else tables["preferences"]
    ids = pl.concat([keyed["query_id"], tables["preferences"]["query_id"]]).unique().sort()
    inference = provenance["inference"]
    lacking = Lacking.read_provenance(provenance)
    is_expected = provenance.get("policies", {}).get("ties") == "expected"
    stable, notes = rank_probabilities(
        tables, inference["ordering"], rankings.attributes, by, lacking
    )
    measures = list(dict.fromkeys(provenance["measures"]))
    said = sentences_by_group(tables, provenance)
    of_all = [*lacking.said(measures), *sentences_on_coverage(tables, provenance)]
    by_weight, once = "", ""
    if "weights" in provenance:
        from lexiframe.core.views.sentences import weights

        by_weight = weights.weight_phrase(provenance)
        once = f"{weights.NOT_WEIGHED.capitalize()}." * bool(by_weight)
        of_all = [*weights.weights_in_short(provenance), *of_all]
    cut = cut_intervals(grouped, of_measures.known_facts(provenance))
    named = partial(_named_alike, are_several=_are_several(grouped["comparisons"], inference))
    shown = {name: grouped[name] for name in _SHOWN} | {
        "win_rates": _add_half_wins(grouped["win_rates"]),
        "means": cut["means"],
        "comparisons": named(_turned_comparisons(cut["comparisons"])),
        "interval_notes": cut["interval_notes"],
        "rank_distributions": printed.name_groups(stable, by),
        "conclusions": named(conclusions(tables, provenance)),
        "coverage": _add_shares(grouped["coverage"]),
        "power": named(grouped["power"]),
        "marks": _marks(named(grouped["comparisons"]), grouped["means"], inference, lacking),
    }
    cells = cells_of(packing, tables["scores"], tables["preferences"], measures, runs, ids)
    counts = counts_in(provenance)
    groups = grouped["orderings"]["group"].unique(maintain_order=True).to_list()
    facts = {
        "version": __version__,
        "runs": runs.to_list(),
        "measures": [
            {
                "is_count": name in counts,
                # where ties are expected, each level decides with some chance
                **_measure_facts(name, cells.get(name), () if is_expected else rankings.measures),
            }
            for name in measures
        ],
        "tie": sums.TIE,
        "groups": groups,
        "headlines": [
            [*said.get(group, ()), *of_all, *[rankings.excerpt] * bool(rankings.excerpt)]
            for group in groups
        ],
        "inference": _inference(
            inference, grouped["comparisons"], named(grouped["comparisons"]), measures
        ),
        "by": by,
        "tables": {
            name: packing.table(_rows_of_runs(table, runs)) for name, table in shown.items()
        },
        "queries": {
            "ids": ids.to_list(),
            "groups": packing.array(_group_of_requests(ids, rankings.attributes, by, groups)),
            "texts": {} if queries is None else texts_of_queries(queries, ids.to_list()),
        },
        "notes": {
            "stability": notes,
            "byWeight": by_weight,
            "once": once,
            "coverage": _coverage(tables["coverage"], rankings),
            "ranks": _BY_ID if is_expected else "",
        },
        **_positions(packing, rankings, runs, ids, texts),
    }
    return facts, packing, shown


_BY_ID = "Documents of equal score stand in the order of their ids, which is one possible order."


def _add_shares(coverage: pl.DataFrame) -> pl.DataFrame:
    """Add the share of places that hang on ties, where the coverage has tied documents."""
    if "tied" not in coverage.columns:
        return coverage
    share = pl.when(pl.col("retrieved") > 0).then(pl.col("tied") / pl.col("retrieved"))
    return coverage.with_columns(tied_share=share)


def _rows_of_runs(table: pl.DataFrame, runs: pl.Series) -> pl.DataFrame:
    """Return the rows of some runs, and of pairs of them; all rows of a table without runs."""
    named = [name for name in ("run", "run_a", "run_b") if name in table.columns]
    return table.filter([pl.col(name).is_in(runs.implode()) for name in named]) if named else table


def _inference(
    inference: Mapping[str, Any],
    comparisons: pl.DataFrame,
    named_alike: pl.DataFrame,
    measures: Iterable[str],
) -> dict[str, Any]:
    named = ("alpha", "alternative", "baseline", "family", "ordering")
    facts = {name: inference.get(name) for name in named}
    facts |= {
        f"{name}s": _sort_as_asked(named_alike[name], own_tests.several(inference[name]))
        for name in ("test", "correction")
    }
    of_groups = dict[str, dict[str, str]]()
    if _are_several(comparisons, inference):
        chosen = comparisons.select("group", "measure", "test").unique(maintain_order=True)
        for group, measure, test in chosen.iter_rows():
            of_groups.setdefault(group, {})[measure] = test
    words = inference_in_words(inference, comparisons, measures)
    return facts | {"chosen": of_groups, "words": words}


def _are_several(comparisons: pl.DataFrame, inference: Mapping[str, Any]) -> bool:
    """Return whether the default test differs between measures."""
    return inference["test"] == tests.AUTO and comparisons["test"].n_unique() > 1


def _named_alike(table: pl.DataFrame, *, are_several: bool) -> pl.DataFrame:
    """Call the tests of the default by one name if they are several: the page shows one a time."""
    alike = {name: pl.lit(tests.AUTO) for name in ("test", "correction")}
    return table.with_columns(**alike) if are_several and (table["test"] != "").any() else table


def _sort_as_asked(found: pl.Series, asked: Sequence[str]) -> list[str]:
    """Return the names of a column in the order of the user's list.

    The column's names may have options behind them: ``t(alternative='greater')``.
    """
    places = {name: place for place, name in enumerate(asked)}
    names = found.unique().sort().to_list()
    return sorted(names, key=lambda name: places.get(name.partition("(")[0], len(places)))


def _measure_facts(
    name: str, cells: dict[str, Any] | None, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Return the page's facts of a measure; cells is None when no request counts for it."""
    decides = None
    for m in measures:
        if isinstance(m, LexicographicPreference) and str(m) == name:
            decides = {"direction": m.direction, "rel": m.rel, "cutoff": m.cutoff}
    return {"name": name, "cells": cells, "decides": decides}


def _add_half_wins(wins: pl.DataFrame) -> pl.DataFrame:
    """Add the cells of `win_rate_matrix` for both runs: shares won, a tie half a win."""
    half = pl.col("ties") / 2
    shares = {"half_wins": pl.col("wins") + half, "half_losses": pl.col("losses") + half}
    if "win_share" in wins.columns:  # by weight
        return wins.with_columns(half_wins="win_rate", half_losses=1 - pl.col("win_rate"))
    return wins.with_columns(**{name: won / pl.col("n") for name, won in shares.items()})


def _turned_comparisons(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Add the effect size with the runs in reverse order, and the gain that the test compares."""
    is_odds = pl.col("test").str.contains(r"^sign(\(|$)")  # the others change their sign
    turned = pl.when(is_odds).then(1 / pl.col("effect_size")).otherwise(-pl.col("effect_size"))
    return comparisons.with_columns(effect_turned=turned, gain=GAIN)


def _group_of_requests(
    ids: pl.Series, attributes: pl.DataFrame | None, by: Sequence[str], groups: list[str]
) -> np.ndarray:
    """Return the place of each request's group among the groups."""
    if attributes is None:
        return np.zeros(len(ids), np.int64)
    known = printed.name_groups(attributes, by).select("query_id", "group")
    asked = pl.DataFrame({"query_id": ids}).join(
        known, on="query_id", how="left", maintain_order="left"
    )
    return asked["group"].replace_strict(groups, range(len(groups))).to_numpy()


def _marks(
    c: pl.DataFrame, of_runs: pl.DataFrame, inference: Mapping[str, Any], lacking: Lacking
) -> pl.DataFrame:
    """Return the marks of means for each test and correction, ``*`` the best (see `marks`)."""
    used = c.select("test", "correction").unique(maintain_order=True).rows() or [("", "")]
    parts = []
    for (group,), means in of_runs.group_by("group", maintain_order=True):
        for test, correction in used:
            chosen = {"test": test.partition("(")[0], "correction": correction}
            found = marks(means, c.filter(group=group), {**inference, **chosen})
            mark = pl.col("mark") + lacking.counts(means)
            of = {"group": group, "test": test, "correction": correction}
            parts.append(found.with_columns(mark=mark, **{n: pl.lit(v) for n, v in of.items()}))
    return pl.concat(parts)


def _coverage(coverage: pl.DataFrame, rankings: Rankings) -> list[str]:
    if not coverage.height:
        return [*rankings.coverage] or [
            "These are scores of other tools: runs and judgments are not known."
        ]
    return [coverage_in_words(coverage), *differences_in_words(coverage)]


def _positions(
    packing: Packing, rankings: Rankings, runs: pl.Series, ids: pl.Series, texts: Any
) -> dict[str, Any]:
    """Return the positions of relevant items, or why there are none."""
    if rankings.positions is None:
        return {"positions": None, "documents": [], "texts": {}, "why_none": rankings.why_none}
    p = _rows_of_runs(rankings.positions, runs)
    p = p.filter(pl.col("query_id").cast(pl.String).is_in(ids.implode()))
    found, documents = positions_of(packing, p, runs, ids)
    known = {} if texts is None else texts_of_documents(texts, documents)
    said = {"why_none": "", "nuggets": rankings.nuggets}
    return {"positions": found, "documents": documents, "texts": known, **said}


_VALUES: dict[str, Literal["mean", "mean_difference"]] = {
    "means": "mean",
    "comparisons": "mean_difference",
}
_NOTES = {"table": pl.String, "group": pl.String, "measure": pl.String, "said": pl.String}


def cut_intervals(
    grouped: Mapping[str, pl.DataFrame], known: facts.Known
) -> dict[str, pl.DataFrame]:
    """Return tables whose intervals are cut, and ``interval_notes``, a row for each note."""
    tables: dict[str, pl.DataFrame] = {}
    notes = []
    for name, value in _VALUES.items():
        tables[name], _ = cut_at_bounds(grouped[name], value, known)
        for part in grouped[name].partition_by("group", "measure", maintain_order=True):
            _, said = cut_at_bounds(part, value, known)
            of = {"table": name, "group": part["group"][0], "measure": part["measure"][0]}
            notes += [{**of, "said": f"{note[0].upper()}{note[1:]}."} for note in said]
    return {**tables, "interval_notes": pl.DataFrame(notes, schema=_NOTES)}


OF_MEANS, OF_PREFERENCES = 1000, 200
"""The number of samples: ordering by preferences takes a hundred times as long as by means."""
_MANY = 1_000_000
"""The number of preferences above which runs are ordered in fewer samples."""
_FEWER = 50


def rank_probabilities(
    tables: Mapping[str, pl.DataFrame],
    order: str,
    attributes: pl.DataFrame | None,
    by: list[str],
    lacking: Lacking,
) -> tuple[pl.DataFrame, list[str]]:
    """Return the table of `rank_distributions`, and notes on how it was computed, or why not.

    Each measure is ordered like in the evaluation: metrics by their mean, preferences by ``order``.
    Measures whose runs lack requests have no order, unless each run keeps its own requests.
    """
    s, d = tables["scores"], tables["preferences"]
    others = d.filter(~pl.col("measure").is_in(s["measure"].unique().implode()))
    found = [pl.DataFrame(schema=schemas.RANK_DISTRIBUTIONS.columns)]
    notes = []
    if lacking.missing is None:
        s = s.filter(~pl.col("measure").is_in([*lacking.of]))
        notes = lacking.notes([*lacking.of])
    missing = "own" if lacking.missing == "own" else None
    fewer = OF_PREFERENCES if others.height <= _MANY else _FEWER
    for table, method, samples in ((s, "mean", OF_MEANS), (others, order, fewer)):
        if table.height and d.height:
            within: dict[str, Any] = {"requests": attributes, "by": by} if by else {}
            within["missing"] = missing
            try:
                found.append(rank_distributions(table, method, samples=samples, **within))  # type: ignore[arg-type]
            except LexiframeError as error:
                notes.append(f"How stable the ranks by {method} are is not known: {error}")
            else:
                which = ", ".join(table["measure"].unique().sort())
                notes.append(f"{which}: {samples} samples, by {method}")
    return pl.concat(found, how="diagonal"), [errors.printable(note) for note in notes]
