"""The table of `audit` in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.significance.tests_in_words import test_and_correction
from lexiframe.study.audits.schemas import AUDITS

Row = dict[str, Any]
_ERROR = {
    "centred": (
        "equal means are rejected",
        "some of {} runs with equal means differ significantly",
    ),
    "exchanged": (
        "exchangeable runs differ significantly",
        "some of {} exchangeable runs differ significantly",
    ),
}
"""What a trial finds that does not exist, by its null: of a pair of runs, and of several runs."""


def audits_in_words(audits: pl.DataFrame) -> pl.DataFrame:
    """Return a sentence for each measure, test, correction, null, number of runs and level.

    There is one in each group of requests. A rate differs from the level if its whole interval lies
    on one side of it.
    """
    by = [name for name in audits.columns if name not in AUDITS.columns]
    key = ["measure", "test", "correction", "null", "n_runs", "alpha"]
    in_order = audits.sort(*by, *key, "n_requests").select(*by, *AUDITS.columns)
    return printed.sentence_of_each(in_order, AUDITS, key, _sentences)


def _sentences(part: pl.DataFrame, of_group: str) -> str:
    """Return the sentence on the numbers of requests of one test."""
    rows = part.to_dicts()
    first = rows[0]
    test, correction = test_and_correction(first["test"], first["correction"])
    n_runs = first["n_runs"]
    if n_runs > 2:
        test += f", {correction} the {n_runs * (n_runs - 1) // 2:,} pairs"
    found, rates = (
        _ERROR[first["null"]][n_runs > 2].format(n_runs),
        _rates_by_size(rows, "error_rate"),
    )
    return (
        f"By {first['measure']}{of_group}, {found} in {rates} ({test}, "
        f"α = {first['alpha']:g}): {_error_rate(rows)}. {_power(rows)} There were "
        f"{first['trials']:,} trials of each size, drawn from "
        f"{printed.counted(first['n_pairs'], 'pair')} of runs and {first['n']:,} requests."
    )


def _unit_drawn(rows: list[Row]) -> str:
    """Name the unit that a trial draws: requests, or clusters of them."""
    return "clusters" if "(cluster=" in rows[0]["test"] else "requests"


def _rates_by_size(rows: list[Row], rate: str) -> str:
    """List a rate by size: "5.1 % of samples of 25 requests and 5.0 % of 50"."""
    texts = [f"{printed.percent(row[rate])} of {row['n_requests']:,}" for row in rows]
    texts[0] = texts[0].replace(" of ", " of samples of ") + f" {_unit_drawn(rows)}"
    return printed.listed(texts)


def _error_rate(rows: list[Row]) -> str:
    """Say whether the test errs as often as its level, and with how many requests if it differs."""
    more = [f"{row['n_requests']:,}" for row in rows if row["error_low"] > row["alpha"]]
    less = [f"{row['n_requests']:,}" for row in rows if row["error_high"] < row["alpha"]]
    said = [
        f"{how} often than α"
        + f" with {printed.listed(sizes)} {_unit_drawn(rows)}" * (len(sizes) < len(rows))
        for how, sizes in (("more", more), ("less", less))
        if sizes
    ]
    return "; ".join(said) or "as often as α"


def _power(rows: list[Row]) -> str:
    """Say how often differences are found, and how often in the wrong direction."""
    known = [row for row in rows if row["power"] is not None]
    if not known:
        return "No pair that was drawn differs in the mean."
    is_pair = rows[0]["n_runs"] == 2
    found = "Differences are found" if is_pair else "A difference between two of them is found"
    every = printed.listed([printed.percent(row["power"]) for row in known])
    said = every if len(known) == len(rows) else _rates_by_size(known, "power")
    wrong = [printed.percent(row["type_iii"]) for row in known if row["type_iii"] is not None]
    if not wrong:
        return f"{found} in {said}."
    return f"{found} in {said}; {printed.listed(wrong)} of these have the wrong direction."
