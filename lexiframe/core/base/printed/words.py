"""Words that all sentences share: numbers, lists of names, groups of requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl


def group_of(attribute: str, value: Any) -> str:
    """Return the name of a group of requests; requests without a value form a group as well."""
    return f"no {attribute}" if value is None else f"{attribute} = {value}"


def group_title(names: Iterable[str], values: Iterable[Any]) -> str:
    """Return the name of a group by several attributes; nothing without groups."""
    return ", ".join(group_of(name, value) for name, value in zip(names, values, strict=True))


def group_end(row: Mapping[str, Any], names: Sequence[str], prefix: str = "") -> str:
    """Return the group of a row as the end of a phrase, or nothing without groups.

    Columns of attributes that have been renamed begin with ``prefix``.
    """
    named = " and ".join(group_of(name, row[f"{prefix}{name}"]) for name in names)
    return f" for {named}" if names else ""


def n_range(numbers: Iterable[float]) -> str:
    """Return the least and the greatest of some numbers, or the number if all are equal."""
    column = pl.Series(numbers)
    ends: list[Any] = [column.min(), column.max()]
    texts = (f"{n:,}" if isinstance(n, int) else f"{n:,.{1 + (n < 10)}f}" for n in ends)
    return " to ".join(dict.fromkeys(texts))


def counted(n: int | str, what: str) -> str:
    """Return a number, or a range of numbers, with the noun in singular or plural."""
    number = n if isinstance(n, str) else f"{n:,}"
    return f"{number} {what}{'s' * (number != '1')}"


def say_users(text: str, provenance: Mapping[str, Any]) -> str:
    """Say users in place of requests, if the judgments have users."""
    if not any(one.get("called") == "users" for one in provenance.get("qrels") or []):
        return text
    return re.sub(r"\b([Rr])equest(s?)\b", lambda m: "uU"[m[1] == "R"] + f"ser{m[2]}", text)


def begun(title: str, n: int, most: int) -> str:
    """Return the title of a table that shows the first ``most`` of its ``n`` rows."""
    return f"{title}, the first {most:,} of {n:,}" if n > most else title


def percent(share: float) -> str:
    """Return a share as percent, such as ``31.4 %``."""
    return f"{100 * share:.1f} %"


def first_runs(runs: Sequence[str], most: int = 6) -> list[str]:
    """Return at most ``most`` texts: the names of runs, the last one the number of further runs."""
    if len(runs) > most:
        return [*runs[: most - 1], f"{len(runs) - most + 1:,} others"]
    return list(runs)


def listed(runs: list[str]) -> str:
    """Return the names of runs as people list them; many are cut short."""
    return and_joined(first_runs(runs))


def and_joined(names: Sequence[str]) -> str:
    """Return names as people list them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def they_are(runs: list[str], none: str = "") -> str:
    """Return the names of runs with their verb; ``none`` stands for no run."""
    return f"{listed(runs)} {'is' if len(runs) == 1 else 'are'}" if runs else f"{none} is"


def known_by_one_side(counts: Mapping[str, int], what: str, one: str, many: str) -> str:
    """Return sentences on the number of things known by one side alone; "" if there are none."""
    said = (
        f" {counted(n, what)} {one if n == 1 else many} by {name} alone."
        for name, n in counts.items()
        if n
    )
    return "".join(said)
