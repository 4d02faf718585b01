"""The conclusion in words where all runs are compared with a baseline."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed, resampling, sums
from lexiframe.core.significance import tests_in_words
from lexiframe.core.views.sentences.gains import GAIN
from lexiframe.core.views.sentences.lacking import NOTHING_JUDGED, is_nothing_judged
from lexiframe.core.views.sentences.rows import (
    add_sentences,
    drop_counts,
    measures_by,
    smaller_said,
)
from lexiframe.core.views.sentences.too_few import (
    KEY,
    ahead,
    evidence,
    family_keys,
    mark_too_few,
    nothing_concluded,
    too_few_to_conclude,
)
from lexiframe.typing import Evaluated


def baseline_sentences(e: Evaluated) -> list[str]:
    """State, for each measure, which runs are significantly better and worse than the baseline.

    The sentences are in the order of the user's measures; counts have none. ``e`` has a baseline,
    which is ``run_b`` of all its comparisons.
    """
    return baseline_verdict(e)["sentence"].to_list()


def baseline_verdict(e: Evaluated, alpha: float | None = None) -> printed.Verdict:
    """Return a row for each measure (test, correction), in each group: see `verdict`."""
    names, inference, c = e.provenance["groups"], e.provenance["inference"], e.comparisons
    if alpha is not None:
        resampling.check_share("verdict", "alpha", alpha)
        inference = {**inference, "alpha": alpha}
        c = c.with_columns(reject=pl.col("p_adjusted") < alpha)
    tables = {"comparisons": c, "win_rates": e.win_rates}
    rows = baseline_rows(tables, {**e.provenance, "inference": inference})
    by = [f"by {name}" for name in names]
    nothing = is_nothing_judged(e.coverage)

    def say(rows: list[dict[str, Any]]) -> str:
        if nothing:
            return f"By {printed.and_joined([r['measure'] for r in rows])}, {NOTHING_JUDGED}."
        said = smaller_said([row["measure"] for row in rows], e.provenance)
        return " ".join([_baseline_sentence(rows, names, inference), *said])

    rows = rows.with_columns(baseline=pl.lit(inference["baseline"]))
    rows = add_sentences(rows, by, lambda row: _sentence_key(row, inference), say)
    return printed.Verdict(rows.select(*by, *_COLUMNS).rename(dict(zip(by, names, strict=True))))


_COLUMNS = (
    *("measure", "test", "correction", "baseline"),
    *("better", "worse", "undecided", "incomparable", "n", "too_few", "sentence"),
)


def baseline_rows(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> pl.DataFrame:
    """List for each measure (test, correction) the runs that are better, worse and undecided.

    Attributes of groups are the first columns; they begin with ``by``, since names may collide.
    """
    names, inference = provenance["groups"], provenance["inference"]
    by = [f"by {name}" for name in names]
    renamed = dict(zip(names, by, strict=True))
    c, wins = (tables[name].rename(renamed) for name in ("comparisons", "win_rates"))
    c = drop_counts(c, provenance)
    is_better, run = GAIN > 0, pl.col("run_a")
    of_measure = c.sort("run_a").group_by(*by, *KEY)
    unmatched = provenance.get("unmatched", [])  # of these runs, or of that baseline, none is known
    is_known = ~(run.is_in(unmatched) | pl.col("run_b").is_in(unmatched))
    table = of_measure.agg(
        pl.col("^n_effective$").min(),
        better=run.filter(is_known & pl.col("reject") & is_better),
        worse=run.filter(is_known & pl.col("reject") & ~is_better),
        undecided=run.filter(is_known & ~pl.col("reject") & (pl.col("n") > 0)),
        incomparable=run.filter(~is_known | (pl.col("n") == 0)),
        ahead=run.filter(is_known & (sums.TIE < GAIN)),
        behind=run.filter(is_known & (-sums.TIE > GAIN)),
        family=pl.col("p_adjusted").count().cast(pl.Int64),
        n=pl.col("n").filter(pl.col("n") > 0).min(),
        n_most=pl.col("n").max(),
    )
    family, alpha = inference["family"], inference["alpha"]
    of_family = pl.col("family").sum().over(family_keys(c, by, family))
    table = mark_too_few(table.with_columns(family=of_family), c, wins, by, family, alpha)
    in_order = printed.group_order(by, tables["comparisons"])
    return table.sort(*in_order, printed.place_among(provenance["measures"]), *KEY)


_FEW = 4
"""The number of runs up to which those are named, too, that are behind the baseline."""


def ahead_of_baseline(
    row: dict[str, Any], baseline: str, named: Callable[[list[str]], str]
) -> tuple[str, str]:
    """Return the runs ahead of the baseline, and the verb, without a word on significance."""
    up, down, of = row["ahead"], row["behind"], named([baseline])
    if row["wins"] is not None and up:
        return ahead(named(up), of, row["n"], row["wins"], row["losses"])
    if row["wins"] is not None and down:
        return ahead(of, named(down), row["n"], row["losses"], row["wins"])
    verb = "are" if len(up) > 1 else "is"
    are = "are" if len(down) > 1 else "is"
    few = down and len(up) + len(down) <= _FEW
    rest = f", and {named(down)} {are} behind it" if few else ""
    return named(up) if up else "no run", f"{verb} ahead of {of}{rest}"


def _sentence_key(row: dict[str, Any], inference: dict[str, Any]) -> Hashable:
    """Return the content of a row's sentence, apart from its measure and test."""
    lists = ("better", "worse", "undecided", "incomparable")
    begin = too_few_to_conclude(row, inference["family"])
    told = () if begin else tuple(tuple(row[name]) for name in lists)
    return begin, told, *(row[name] for name in ("correction", "family", "n", "n_most"))


def _baseline_sentence(
    rows: list[dict[str, Any]], names: list[str], inference: dict[str, Any]
) -> str:
    """Return one sentence for all measures with equal conclusions on the baseline."""
    row, level, family = rows[0], inference["alpha"], inference["family"]
    of = printed.and_joined([row["measure"] for row in rows])
    group = printed.group_end(row, names, "by ")
    if begin := too_few_to_conclude(row, family):
        who = measures_by(
            rows, lambda row: ahead_of_baseline(row, inference["baseline"], printed.listed)
        )
        nothing = nothing_concluded(begin, who, of, group)
        return escaped(f"{nothing}{evidence(rows, names, level, family)}.")
    why = "no request or judged document in common"
    if row["incomparable"] and not (row["better"] or row["worse"] or row["undecided"]):
        return escaped(
            f"By {of}{group}, no run can be compared with {inference['baseline']}: {why}."
        )
    than = f" than {inference['baseline']}"
    said = []
    if inference["alternative"] != "less":
        said.append(f"{printed.they_are(row['better'], 'no run')} significantly better{than}")
    if inference["alternative"] != "greater":
        none, than = ("none", "") if said else ("no run", than)
        said.append(f"{printed.they_are(row['worse'], none)} significantly worse{than}")
    if row["undecided"]:
        said.append(f"and {printed.they_are(row['undecided'])} not significantly different from it")
    if row["incomparable"]:
        said.append(f"and {printed.they_are(row['incomparable'])} not comparable: {why}")
    how = tests_in_words.how_tested(rows, names, level, family)
    return escaped(f"By {of}{group}, {', '.join(said)} ({how}).")
