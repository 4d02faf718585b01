"""The verdict on a gate: whether the candidate passes, and the measures by which it does not."""

from __future__ import annotations

import math
from itertools import takewhile
from typing import Any, Self

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.significance.tests_in_words import test_and_correction
from lexiframe.decide.gates.gate_reasons import AS_OBSERVED, UNSEEN
from lexiframe.decide.gates.gate_rules import NOT_TESTED, rule_of

_ONE_GATE = ["baseline", "candidate", "require", "test", "correction", "alpha"]


def gate_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """State for each baseline and candidate whether all rows of the table of `gate` pass.

    Key ``baseline, candidate, require, test, correction, alpha``, in the order of the table;
    ``outcome`` is ``"pass"`` when all rows pass, else ``"fail"`` when one fails, else
    ``"undecided"``; ``sentence`` begins with the outcome in capitals.

    Examples
    --------
    >>> import lexiframe as lf
    >>> s = pl.DataFrame({"query_id": [*"abcdef"] * 2, "run": ["old"] * 6 + ["new"] * 6,
    ...                   "measure": "AP", "value": [.1, .2, .3, .4, .5, .6] + [.2] * 6})
    >>> g = lf.gate(s, 0.1, baseline="old", candidate="new")
    >>> print(gate_sentences(g)["sentence"][0])
    UNDECIDED: AP does not show whether new is worse than old by more than the margin; about 88 \
requests would be enough if the difference is as observed (paired t-test, α = 0.05, n = 6 of 6 \
requests).
    """
    together = [name for name in _ONE_GATE if name != "test"]  # each measure may have its own
    parts = table.partition_by(together, maintain_order=True)
    said = [_gate_row(part.to_dicts(), table["candidate"].n_unique()) for part in parts]
    schema = {name: table.schema[name] for name in _ONE_GATE}
    return pl.DataFrame(said, {**schema, "outcome": pl.String, "sentence": pl.String})


def _gate_row(rows: list[dict[str, Any]], candidates: int) -> dict[str, Any]:
    found = {row["outcome"] for row in rows}
    order = ("fail", "undecided", "pass")
    if rule_of(rows[0]["require"]).is_any:
        order = ("pass", "undecided", "fail")
    outcome = next(name for name in order if name in found)
    said = f"{outcome.upper()}: {_summary(rows, outcome)} ({_how(rows, candidates)})."
    same = {name: rows[0][name] for name in _ONE_GATE}
    tests = printed.listed(list(dict.fromkeys(row["test"] for row in rows)))
    return {**same, "test": tests, "outcome": outcome, "sentence": escaped(said)}


def _summary(rows: list[dict[str, Any]], outcome: str) -> str:
    """Summarise the rows, in the words that follow the outcome."""
    candidate, claim = rows[0]["candidate"], rule_of(rows[0]["require"]).claim
    shown, opposite = (said.format(rows[0]["baseline"]) for said in _CLAIMS[claim])
    if rows[0]["test"] == NOT_TESTED:  # then nothing changed, as each row says
        return str(rows[0]["why"]).partition(": ")[2].removesuffix(".")
    named = {
        name: [name_of_row(row) for row in rows if row["outcome"] == name]
        for name in {row["outcome"] for row in rows}
    }
    if outcome == "pass":
        return f"by {printed.listed(named['pass'])}, {candidate} is {shown}{_unseen(rows)}"
    said = []
    if "fail" in named:
        said.append(f"by {printed.listed(named['fail'])}, {candidate} is {opposite}")
    if "undecided" in named:
        verb = "does" if len(named["undecided"]) == 1 else "do"
        asked = opposite if claim == "not-worse" else shown  # without a double negative
        what = "it" if said else f"whether {candidate} is {asked}"
        said.append(f"{printed.listed(named['undecided'])} {verb} not show {what}{_needed(rows)}")
    return "; ".join(said)


_CLAIMS = {
    "not-worse": (
        "not worse than {} by more than the margin",
        "worse than {} by more than the margin",
    ),
    "better": ("better than {}", "not better than {} by the margin"),
    "equivalent": ("equivalent to {} within the margin", "not equivalent to {}"),
}
"""For what may be required, what it is called, and what its opposite is."""


def _needed(rows: list[dict[str, Any]]) -> str:
    sizes = [row["required"] for row in rows if row["outcome"] == "undecided"]
    if None in sizes:
        return ""
    return f"; about {max(sizes):,} requests would be enough{AS_OBSERVED}"


def _unseen(rows: list[dict[str, Any]]) -> str:
    """Name the losses that passing rows may have missed, each once."""
    parts = [part for row in rows for part in row["why"].removesuffix(".").split("; ")]
    return "".join(f"; {part}" for part in dict.fromkeys(parts) if UNSEEN in part)


def name_of_row(row: dict[str, Any]) -> str:
    """Return the measure of a row, and its group of requests, whose attributes stand in front."""
    names = [*takewhile(lambda name: name != "measure", row)]
    return f"{row['measure']}{printed.group_end(row, names)}"


def _how(rows: list[dict[str, Any]], candidates: int) -> str:
    tests = dict.fromkeys(row["test"] for row in rows)
    if NOT_TESTED in tests:
        return f"n = {_coverage_sentence(rows)}"
    said = [test_and_correction(test, rows[0]["correction"]) for test in tests]
    how, over = printed.listed([how for how, _ in said]), said[0][1]
    any_of_rows = candidates == 1 or rule_of(rows[0]["require"]).is_any
    family = f"{len(rows):,} rows" if any_of_rows else f"{candidates} candidates"
    corrected = f", {over} the {family}" * (rows[0]["correction"] != "none")
    n_effective = [n for row in rows if (n := row.get("n_effective"))]
    weighed = f"by weights n* = {printed.n_range(n_effective)}, " if n_effective else ""
    return f"{how}{corrected}, α = {rows[0]['alpha']:g}, {weighed}n = {_coverage_sentence(rows)}"


def _coverage_sentence(rows: list[dict[str, Any]]) -> str:
    """Say n, of how many requests, which run lacks some, and how much is judged of both."""
    n = printed.n_range(row["n"] for row in rows)
    if any(row.get("requests") is None for row in rows):
        return printed.counted(n, "request")
    judged = printed.n_range(int(row["requests"]) for row in rows)
    said = f"{n} of {printed.counted(judged, 'request')}"
    for role in ("baseline", "candidate"):
        lacking = max(row["requests"] - row[f"{role}_answered"] for row in rows)
        said += f", {lacking:,} of them without {rows[0][role]}" * bool(lacking)
    shares = [row[f"{role}_judged_at_10"] for row in rows for role in ("baseline", "candidate")]
    if None in shares:
        return said
    least = math.floor(100 * min(shares))
    return f"{said}, at least {least} % of the first 10 documents of each run judged"


def coverage_of_row(row: dict[str, Any]) -> str:
    """Return the answers of a row's two runs, and the share of judged documents; "" if unknown."""
    if row.get("requests") is None:
        return ""
    there = [f"{row[f'{role}_answered']:,}" for role in ("baseline", "candidate")]
    said = (
        f"{printed.counted(row['requests'], 'request')}, of which {row['baseline']} has "
        f"{there[0]} and {row['candidate']} {there[1]}"
    )
    shares = [row[f"{role}_judged_at_10"] for role in ("baseline", "candidate")]
    if None in shares:
        return said
    judged = " and ".join(map(printed.percent, shares))
    return f"{said}; judged among their first 10 documents: {judged}"


class Decision(pl.DataFrame):
    """The table of `gate`, which prints its sentences first.

    It can be filtered, joined and written as every frame. Only the whole table prints sentences: a
    part of its rows or columns may decide otherwise, and prints as every frame.
    """

    @classmethod
    def whole(cls, table: pl.DataFrame) -> Self:
        """Return the table of a gate, which knows that it is whole."""
        decision = cls(table)
        decision._decided = (table.height, table.columns)
        return decision

    _decided: tuple[int, list[str]] | None = None

    def clone(self) -> Self:
        """Return a copy, which is whole if this one is."""
        return type(self).whole(self) if self._sections else type(self)(self)

    def __reduce__(self) -> Any:
        # Polars keeps the columns alone
        return (type(self).whole if self._sections else type(self)), (pl.DataFrame(self),)

    @property
    def _sections(self) -> tuple[printed.Section, ...] | None:
        # Polars makes parts as instances of this class, which do not know that they are whole.
        if self._decided != (self.height, self.columns):
            return None
        said = gate_sentences(self)["sentence"].to_list()
        rows = printed.Section(differences_title(self), rows_to_read(self))
        return printed.Section(notes=tuple(said)), rows

    def __str__(self) -> str:
        sections = self._sections
        if sections is None:
            return super().__str__()
        return "\n\n".join(section.text() for section in sections)

    __repr__ = __str__

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        sections = self._sections
        if sections is None:
            return super()._repr_html_(_from_series=_from_series)
        return "\n".join(section.html() for section in sections)


def differences_title(table: pl.DataFrame) -> str:
    """Return the direction of the differences of `gate`, and the level of their intervals."""
    row = table.row(0, named=True)
    candidate = "candidate" if _are_several(table) else row["candidate"]
    level = f"{100 * (1 - 2 * row['alpha']):g} % intervals"
    return f"Differences, {candidate} minus {row['baseline']}, positive if better; {level}"


def rows_to_read(table: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that differ between rows; the verdict has the constant ones.

    The p-value is of the deciding test: of the opposite where a row fails.
    """
    groups = table.columns[: table.columns.index("measure")]
    p_value = pl.when(outcome="fail").then("p_opposite_adjusted").otherwise("p_adjusted")
    difference = pl.col("mean_difference").alias("difference")
    numbers = (difference, "ci_low", "ci_high", "margin", p_value.alias("p_value"))
    candidates = ["candidate"] if _are_several(table) else []
    shown = table.select(*groups, "measure", *candidates, "outcome", *numbers)
    return printed.write_p_values(shown, table["alpha"][0])


def _are_several(table: pl.DataFrame) -> bool:
    return bool(table["candidate"].n_unique() > 1)
