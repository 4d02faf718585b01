"""The entries of an evaluation in an experiment tracker: numbers and settings, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import polars as pl

from lexiframe.core.base import __version__, schemas
from lexiframe.core.io.files.output_files import write_page

_NUMBERS = ("ci_low", "ci_high", "rank", "n")
_OF_FILES = ("runs", "qrels")


@runtime_checkable
class Evaluated(Protocol):
    """The attributes of an `Evaluation` that are logged."""

    means: pl.DataFrame
    provenance: dict[str, Any]

    def write(self, folder: str | Path) -> list[Path]:
        """Write all tables."""

    def report(self, path: str | Path) -> Path:
        """Write the page."""


class Entry(NamedTuple):
    """A run: its name, the file that it was read from, and its numbers."""

    run: str
    params: dict[str, str]
    metrics: dict[str, float]


def check_evaluated(function: str, e: Any) -> None:
    """Raise TypeError unless the argument is an evaluation."""
    if not isinstance(e, Evaluated):
        raise TypeError(
            f"{function}: expected an evaluation, as lf.evaluate returns it, found {e!r:.80}"
        )


def entries_of_evaluation(e: Evaluated) -> list[Entry]:
    """Return the runs, sorted by name, with means, bounds of intervals, ranks and counts.

    The mean of a measure has its name; further numbers add a dot and their own: ``AP`` and
    ``AP.ci_low``. Groups of requests are in the name: ``AP[genre=news]``. Unknown numbers, such as
    the interval of a single request, are left out.
    """
    groups = [name for name in e.means.columns if name not in schemas.MEANS.columns]
    metrics: dict[str, dict[str, float]] = {}
    for row in e.means.sort("run", maintain_order=True).iter_rows(named=True):
        of_group = ",".join(f"{name}={row[name]}" for name in groups)
        name = f"{row['measure']}[{of_group}]" if groups else row["measure"]
        found = {name: row["mean"]} | {f"{name}.{what}": row[what] for what in _NUMBERS}
        known = {key: float(value) for key, value in found.items() if value is not None}
        metrics.setdefault(row["run"], {}).update(known)
    files = {str(fact.get("run")): fact for fact in e.provenance.get("runs", [])}
    return [Entry(run, _file_facts(files.get(run, {})), found) for run, found in metrics.items()]


def _file_facts(fact: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(fact[name]) for name in ("path", "sha256") if fact.get(name) is not None}


def settings_of_evaluation(e: Evaluated) -> dict[str, str]:
    """Return measures, policies and inference, each under a name with dots, and the version.

    Settings without a value are left out. Of the judgments there are paths and hashes.
    """
    settings = {name: of for name, of in e.provenance.items() if name not in _OF_FILES}
    found = {"lexiframe": __version__} | dict(_flat("", settings))
    for fact in e.provenance.get("qrels", []):
        for name, text in _file_facts(fact).items():
            found.setdefault(f"qrels.{name}", text)
    return found


def _flat(before: str, value: Any) -> list[tuple[str, str]]:
    """Return the texts of nested settings with their names; lists of plain values are one text."""
    if isinstance(value, Mapping):
        inner = [(f"{before}.{name}" if before else str(name), of) for name, of in value.items()]
        return [pair for name, of in inner for pair in _flat(name, of)]
    if value is None or value == []:
        return []
    if isinstance(value, list):
        plain = all(isinstance(one, str | int | float) for one in value)
        return [(before, ",".join(map(str, value)) if plain else json.dumps(value, default=str))]
    return [(before, str(value))]


def write_artifacts(e: Evaluated, folder: Path) -> None:
    """Write the tables, the page and all of the provenance into a folder."""
    e.write(folder / "tables")
    e.report(folder / "report.html")
    text = json.dumps(e.provenance, indent=1, default=str, ensure_ascii=False)
    write_page(folder / "provenance.json", text + "\n")
