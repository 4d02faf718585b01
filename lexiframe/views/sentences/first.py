"""What an evaluation says first, in a few lines: who is first by which measures, and how surely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.base import printed
from lexiframe.views.sentences.coverage import told_of_each
from lexiframe.views.sentences.gains import of_first_test
from lexiframe.views.sentences.lacking import Lacking, without_unranked
from lexiframe.views.sentences.rows import without_counts
from lexiframe.views.sentences.ties import tie_sentences
from lexiframe.views.sentences.verdict_on_baseline import baseline_rows
from lexiframe.views.sentences.verdicts import verdict_rows

_MOST_STATEMENTS = 3
"""How many different statements are made; the other measures are only named."""
_MOST_NAMED = 2
_FEW_REQUESTS = 5
_FEW_JUDGED = 0.5

Row = dict[str, Any]


def first_sentences(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what the tables of an evaluation say of the runs, by its first test and correction.

    Measures that say the same share a sentence. What conclusions rest on follows: requests without
    a ranking, few requests, and runs that are the same.
    """
    return (*_conclusions(tables, provenance), *_evidence(tables, provenance))


def _conclusions(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[str]:
    inference, by = provenance["inference"], provenance["groups"]
    if tables["means"]["run"].n_unique() < 2:
        yield "There is one run: a verdict needs two."
        return
    compared = {**tables, "comparisons": of_first_test(tables["comparisons"], inference)}
    if inference.get("baseline") is not None:
        rows, say = baseline_rows(compared["comparisons"], provenance), _against_baseline
    elif inference["alternative"] != "two-sided":
        yield _one_sided(compared["comparisons"], provenance)
        return
    else:
        rows, say = verdict_rows(without_unranked(compared, by), provenance), _of_best
    yield from Lacking.in_evaluation(provenance).said(provenance["measures"])
    for group, part in _groups(rows, by):
        yield from _statements(part, group, say, inference)


def _groups(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the first groups of requests as the end of a phrase, with their rows."""
    on = [f"by {name}" for name in by]
    parts = rows.partition_by(on, maintain_order=True) if on else [rows]
    for part in parts[:_MOST_STATEMENTS]:
        if part.height:
            yield printed.for_group(part.row(0, named=True), by, "by "), part


def _statements(
    rows: pl.DataFrame, group: str, say: Any, inference: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a sentence for all measures of which the same holds, in the order of the measures."""
    said: dict[tuple[str, str], list[str]] = {}
    for row in rows.iter_rows(named=True):
        said.setdefault(say(row, inference), []).append(row["measure"])
    statements = [*said.items()]
    for (who, others), measures in statements[:_MOST_STATEMENTS]:
        by = f"by {_of_measures(measures, rows.height)}{group}"
        yield f"{who} {by}{others}."
    rest = [name for _, measures in statements[_MOST_STATEMENTS:] for name in measures]
    if rest:
        yield f"By {printed.and_joined(rest)}{group} it differs: .verdict has each measure."


def _of_measures(measures: Sequence[str], n_all: int) -> str:
    if len(measures) == n_all > 2:
        return f"all {n_all} measures"
    return printed.and_joined(measures)


def _of_best(row: Row, inference: Mapping[str, Any]) -> tuple[str, str]:
    """Return who is first, and what holds of the others."""
    best, near, untested = row["best"], row["not_worse"], row["untested"]
    n_others = row["n_runs"] - len(best)
    is_alone = len(best) == 1
    if not near and not untested and n_others != 0:
        if is_alone:
            return f"{best[0]} is best", ": all others are significantly worse"
        return f"{_named(best)} share the first place", "; all others are significantly worse"
    who = f"{best[0]} is first" if is_alone else f"{_named(best)} share the first place"
    said = []
    if near:
        are = "is" if len(near) == 1 else "are"
        said.append(f"{_named(near, 'others')} {are} not significantly worse")
    if untested:
        said.append(f"{_named(untested)} cannot be tested")
    if row["better"]:
        said.append(f"the test favours {_named(row['better'])} significantly")
    return who, f"; {'; '.join(said)}" if said else ""


def _named(runs: Sequence[str], many: str = "runs") -> str:
    """Name some runs; of many the number, as the table marks them."""
    shown = [printed.shortened(run) for run in runs]
    return printed.and_joined(shown) if len(runs) <= _MOST_NAMED else f"{len(runs):,} {many}"


def _against_baseline(row: Row, inference: Mapping[str, Any]) -> tuple[str, str]:
    baseline = printed.shortened(inference["baseline"])
    if row["n_most"] == 1:
        return "No test is possible", " with one request"
    better, worse, open_ = (row[name] for name in ("better", "worse", "undecided"))
    side = inference["alternative"]
    who = f"{_named(better)} {_are(better)}" if better else "No run is"
    said = (
        [] if side == "greater" else [f"{_named(worse) if worse else 'none'} {_are(worse)} worse"]
    )
    if side == "less":
        who = f"{_named(worse)} {_are(worse)}" if worse else "No run is"
        said = []
    what = "worse" if side == "less" else "better"
    if open_:
        said.append(f"{_named(open_)} {_are(open_)} not told apart from it")
    if row["incomparable"]:
        said.append(f"{_named(row['incomparable'])} not comparable")
    return f"{who} significantly {what} than {baseline}", "".join(f"; {one}" for one in said)


def _are(runs: Sequence[str]) -> str:
    return "is" if len(runs) <= 1 else "are"


def _one_sided(c: pl.DataFrame, provenance: Mapping[str, Any]) -> str:
    told = without_counts(c).group_by("measure").agg(pl.col("reject").sum(), n=pl.len())
    told = told.sort(printed.place_among(provenance["measures"]))
    found = [f"{n:,} of {of:,} pairs by {measure}" for measure, n, of in told.iter_rows()]
    if not found:
        return "There is nothing to compare."
    return (
        f"Told apart: {printed.and_joined(found)}; the test is one-sided, and asks only about the "
        "run of a pair whose name comes first."
    )


def _evidence(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> Iterator[str]:
    """Yield what weakens conclusions: missing rankings, equal scores, few requests, same runs."""
    yield from told_of_each(tables["coverage"], _of_rankings)
    yield from tie_sentences(tables, provenance)
    n = tables["means"]["n"].min()
    if isinstance(n, int) and n < _FEW_REQUESTS:
        yield f"{printed.counted(n, 'request')}: too few to conclude much."
    yield from _same(tables["win_rates"])


def _of_rankings(coverage: pl.DataFrame) -> Iterator[str]:
    if coverage.height and coverage["missing"].sum():
        lacking = coverage.filter(pl.col("missing") > 0)
        runs = lacking["run"].unique(maintain_order=True).to_list()  # not each of their replicates
        n = coverage["requests"][0]
        worst = max(lacking["missing"])
        most = "" if len(runs) == 1 else "up to "
        lack = "lacks" if len(runs) == 1 else "lack"
        yield f"{_named(runs)} {lack} rankings of {most}{worst:,} of the {n:,} requests."
    few = coverage.filter(pl.col("judged_at_10") < _FEW_JUDGED, pl.col("depth") >= 10)
    unseen = few["run"].unique(maintain_order=True).to_list()
    if unseen:
        yield f"Less than half of the top 10 of {_named(unseen)} is judged."


def _same(wins: pl.DataFrame) -> Iterator[str]:
    """Name runs that tie in all requests by all measures, as copies of one another do."""
    tie = wins.filter(pl.col("n") == pl.col("ties")).select("run_a", "run_b").unique()
    pairs = (
        without_counts(wins)
        .join(tie, on=["run_a", "run_b"], how="semi")
        .group_by("run_a", "run_b")
        .agg(n=pl.col("n").sum(), ties=pl.col("ties").sum())
    )
    same = pairs.filter(pl.col("n") > 0, pl.col("n") == pl.col("ties")).sort("run_a", "run_b")
    if same.height:
        a, b = same.select("run_a", "run_b").row(0)
        more = f", and so do {same.height - 1:,} more pairs" if same.height > 1 else ""
        yield (
            f"{printed.shortened(a)} and {printed.shortened(b)} tie in every request by all "
            f"measures{more}: are they the same run?"
        )
