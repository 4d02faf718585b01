"""The common parts of sentences: the order of measures, and the best of the rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import facts

Said = TypeVar("Said", bound=Hashable)


def counts_in(provenance: Mapping[str, Any]) -> list[str]:
    """Return the measures of an evaluation that are counts: more of them is not better."""
    return [name for name, one in facts.known_facts(provenance).items() if one.is_count]


def drop_counts(table: pl.DataFrame, provenance: Mapping[str, Any]) -> pl.DataFrame:
    """Leave out the measures that are counts, which have no best."""
    return table.filter(~pl.col("measure").is_in(counts_in(provenance)))


def smaller_said(measures: Sequence[str], provenance: Mapping[str, Any]) -> list[str]:
    """Return a sentence on measures where smaller is better, except for built-in metrics."""
    known = facts.known_facts(provenance)
    names = [m for m in measures if m in known and known[m].smaller_is_better]
    names = [name for name in dict.fromkeys(names) if derived.known_metric(name) is None]
    return [f"By {printed.and_joined(names)}, smaller values are better."] if names else []


def is_first(by: Sequence[str] = ()) -> pl.Expr:
    """Return whether the run of a row has the best rank by its measure (in its group)."""
    return pl.col("rank") == pl.col("rank").min().over(*by, "measure")


def measures_by(
    rows: Iterable[dict[str, Any]], said: Callable[[dict[str, Any]], Said]
) -> dict[Said, list[str]]:
    """Return the measures of rows, grouped by a text on each row."""
    found = dict[Said, list[str]]()
    for row in rows:
        found.setdefault(said(row), []).append(row["measure"])
    return found


def add_sentences(
    table: pl.DataFrame,
    by: Sequence[str],
    said: Callable[[dict[str, Any]], Hashable],
    say: Callable[[list[dict[str, Any]]], str],
) -> pl.DataFrame:
    """Add a ``sentence`` to the rows of measures; rows of a group with equal content share one.

    ``table`` has the key ``by`` and ``measure, test, correction``. ``said`` maps a row to its
    content without measure and test, ``say`` maps rows of equal content, of different measures, to
    a sentence.

    Examples
    --------
    >>> rows = pl.DataFrame({"measure": ["AP", "RR", "P@1"], "test": "t", "best": ["a", "a", "b"]})
    >>> say = lambda rows: f"{rows[0]['best']} by {' '.join(row['measure'] for row in rows)}"
    >>> add_sentences(rows, [], lambda row: row["best"], say)["sentence"].to_list()
    ['a by AP RR', 'a by AP RR', 'b by P@1']
    """
    # Of several tests of one measure each has sentences of its own.
    apart = [*by, *["test"] * table.select(*by, "measure").is_duplicated().any()]
    together = dict[Hashable, list[dict[str, Any]]]()
    keys = []
    for row in table.iter_rows(named=True):
        keys.append((*(row[name] for name in apart), said(row)))
        together.setdefault(keys[-1], []).append(row)
    sentences = {key: say(rows) for key, rows in together.items()}
    of_rows = pl.Series([sentences[key] for key in keys], dtype=pl.String)
    return table.with_columns(sentence=of_rows)
