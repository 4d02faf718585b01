"""The scores of a run in a file that people keep with their tests."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, n_and_first, sums
from lexiframe.io import kept_json, output_files
from lexiframe.metrics import Metric
from lexiframe.projection import judgments as judged_items

_AGAIN = "delete it and give the baseline, so that it is written anew"


@dataclass(frozen=True)
class Snapshot:
    """Scores of requests by measure, the options, and a checksum of the judgments."""

    judgments: str
    policies: dict[str, Any]
    scores: dict[str, dict[str, float]]

    @classmethod
    def take(
        cls, judged: judged_items.JudgedItems, policies: dict[str, Any], s: pl.DataFrame
    ) -> Snapshot:
        """Return the scores of one run."""
        text = judged.items.select("query_id", "doc_id", "relevance").write_csv()
        scores = {
            name: dict(s.filter(measure=name).sort("query_id").select("query_id", "value").rows())
            for name in s["measure"].unique().sort()
        }
        return cls(hashlib.sha256(text.encode()).hexdigest(), policies, scores)


_SNAPSHOT = kept_json.KeptJson(
    "a snapshot of scores", version=2, fields=("judgments", "policies", "scores"), again=_AGAIN
)


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write a snapshot as JSON with a line for each score, so that changes of it can be read."""
    output_files.output_folder(path.parent)
    _SNAPSHOT.write(path, asdict(snapshot))


def read_snapshot(path: Path, now: Snapshot, measures: Sequence[Metric]) -> pl.DataFrame:
    """Return the scores of a snapshot as those of the run ``baseline``.

    Raise unless it is whole, is of the judgments and options of ``now``, and has the measures, with
    scores that these can have.
    """
    found = Snapshot(**_SNAPSHOT.read(path))
    if not isinstance(found.policies, dict):
        raise _SNAPSHOT.other(path, "other policies")
    refuse_odd_scores(path, found.scores, measures)
    others = [
        f"{name} {found.policies.get(name)!r}, not {value!r}"
        for name, value in now.policies.items()
        if found.policies.get(name) != value
    ]
    for what, then, today in (
        ("judgments", found.judgments, now.judgments),
        (f"options ({'; '.join(others)})", found.policies, now.policies),
    ):
        if then != today:
            raise LexiframeError(f"{path}: the snapshot is of other {what}; {_AGAIN}")
    names = [str(measure) for measure in measures]
    if lacking := [name for name in names if name not in found.scores]:
        raise LexiframeError(
            f"{path}: the snapshot lacks {', '.join(lacking)} (it has "
            f"{', '.join(found.scores)}); {_AGAIN}"
        )
    return pl.concat(
        pl.DataFrame({"query_id": [*of], "value": [*map(float, of.values())]}).select(
            pl.lit("baseline").alias("run"), "query_id", measure=pl.lit(name), value="value"
        )
        for name, of in ((name, found.scores[name]) for name in names)
    )


def refuse_odd_scores(path: Path, scores: Any, measures: Sequence[Metric]) -> None:
    """Raise for scores that are no numbers, and for those beyond the bounds of their measures."""
    if not isinstance(scores, dict):
        raise _SNAPSHOT.other(path, "another value of scores")
    limits = {str(measure): measure.limits for measure in measures}
    for name, of in scores.items():
        if not (isinstance(of, dict) and of):
            raise _SNAPSHOT.other(path, f"no scores of {name}")
        if odd := [one for one in of.items() if not kept_json.is_number(one[1])]:
            raise _SNAPSHOT.other(path, f"{n_and_first(odd)} of {name}", " that are numbers")
        if name not in limits:
            continue
        low = limits[name].low
        high = math.inf if limits[name].can_exceed else limits[name].high
        if odd := [one for one in of.items() if not low - sums.TIE <= one[1] <= high + sums.TIE]:
            expected = f" from {low:g} to {high:g}"
            raise _SNAPSHOT.other(path, f"{n_and_first(odd)} of {name}", expected)
