"""The scores of a run in a file that people keep with their tests."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, Problem, ReadError
from lexiframe.io import output_files
from lexiframe.projection import judgments as judged_items

VERSION = 1
_AGAIN = "delete it and give the baseline, so that it is written anew"


@dataclass(frozen=True)
class Snapshot:
    """Scores of requests by measure, the options, and a checksum of the judgments."""

    version: int
    judgments: str
    policies: dict[str, Any]
    scores: dict[str, dict[str, float]]

    @classmethod
    def of(
        cls, judged: judged_items.JudgedItems, policies: dict[str, Any], s: pl.DataFrame
    ) -> Snapshot:
        """Return the scores of one run."""
        text = judged.items.select("query_id", "doc_id", "relevance").write_csv()
        scores = {
            name: dict(s.filter(measure=name).sort("query_id").select("query_id", "value").rows())
            for name in s["measure"].unique().sort()
        }
        return cls(VERSION, hashlib.sha256(text.encode()).hexdigest(), policies, scores)


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write a snapshot as JSON with a line for each score, so that changes of it can be read."""
    folder = output_files.output_folder(path.parent)
    with output_files.replacing(folder / path.name) as temporary:
        temporary.write_text(json.dumps(asdict(snapshot), indent=1) + "\n", encoding="utf-8")


def read_snapshot(path: Path, now: Snapshot, measures: list[str]) -> pl.DataFrame:
    """Return the scores of a snapshot as those of the run ``baseline``.

    Raise unless it is of the judgments and options of ``now``, and has the measures.
    """
    try:
        found = Snapshot(**json.loads(path.read_text(encoding="utf-8")))
        policies = dict(found.policies)
        tables = [
            pl.DataFrame({"query_id": [*of], "value": [*map(float, of.values())]}).select(
                pl.lit("baseline").alias("run"), "query_id", measure=pl.lit(name), value="value"
            )
            for name, of in found.scores.items()
            if name in measures
        ]
    except (ValueError, TypeError, AttributeError):
        raise ReadError(
            Problem(str(path), "a snapshot of scores", "another file", _AGAIN)
        ) from None
    others = [
        f"{name} {policies.get(name)!r}, not {value!r}"
        for name, value in now.policies.items()
        if policies.get(name) != value
    ]
    for what, then, today in (
        ("version", found.version, now.version),
        ("judgments", found.judgments, now.judgments),
        (f"options ({'; '.join(others)})", found.policies, now.policies),
    ):
        if then != today:
            raise LexiframeError(f"{path}: the snapshot is of other {what}; {_AGAIN}")
    if lacking := [name for name in measures if name not in found.scores]:
        raise LexiframeError(
            f"{path}: the snapshot lacks {', '.join(lacking)} (it has "
            f"{', '.join(found.scores)}); {_AGAIN}"
        )
    return pl.concat(tables)
