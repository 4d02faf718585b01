"""Evaluation in bounded memory: one bucket of requests after the other, reduced to sums."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, __version__, memory_use, n_and_first, progress, warn
from lexiframe.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.evaluation.buckets.buckets import Buckets
from lexiframe.evaluation.buckets.codec import DamagedError, decoded, encoded
from lexiframe.evaluation.buckets.held import Held
from lexiframe.evaluation.buckets.jobs import (
    buckets_before,
    refuse_another,
    remove,
)
from lexiframe.evaluation.buckets.lock import locked
from lexiframe.evaluation.buckets.partition import partition
from lexiframe.evaluation.buckets.plan import KEPT, Plan
from lexiframe.evaluation.buckets.results import CLASSES, Attributed, BucketResult, nothing
from lexiframe.evaluation.buckets.sizes import n_buckets, n_rows
from lexiframe.evaluation.buckets.spill import write_whole
from lexiframe.evaluation.buckets.writing import earlier_parts, remove_parts
from lexiframe.io import batches, logs, output_files, problems
from lexiframe.metrics import needed
from lexiframe.pairwise import arrays, own_functions
from lexiframe.projection import answers, judgments, refuse_other_queries

_BUCKETS, _STATE = "buckets", "sums.bin"
HELD = "held"
"""The folder of preferences of single requests, in that of a job."""
_SECONDS = 5.0
"""The sums are stored at most this often, so that storing them takes a small part of the time."""


@dataclass(frozen=True)
class Work:
    """Where a job in batches keeps what it has finished, and how much memory it may take."""

    folder: Path
    memory: int
    resume: bool
    is_kept: bool = True


@contextmanager
def work_folder(out: Path | None, memory: int, *, resume: bool) -> Iterator[Work]:
    """Yield where the job works: in a hidden folder of ``out``, which is kept when it fails.

    Without ``out`` it is a temporary folder. When the job is done, the folder is removed.

    Raises
    ------
    LexiframeError
        When another process works in ``out``.
    """
    if out is None:
        with output_files.temporary_folder() as folder:
            yield Work(folder, memory, resume=False, is_kept=False)
        return
    work = Work(out / ".lexiframe-job", memory, resume)
    with locked(work.folder):
        if not resume:
            _remove(work.folder)
        yield work
        _remove(work.folder)
    if not any(work.folder.iterdir()):
        work.folder.rmdir()


def divided(sources: batches.Sources, work: Work, *, rank: bool) -> Buckets:
    """Divide runs and judgments into as many buckets of requests as the memory asks for.

    A job that is resumed keeps its number of buckets: the memory available is not the same again.

    Raises
    ------
    LexiframeError
        As `partition`, and when the buckets of a job that is resumed are too large for the memory.
    """
    n = n_buckets(n_rows([*sources.runs, *sources.qrels]), work.memory)
    folder = work.folder / _BUCKETS
    before = buckets_before(folder) if work.resume else 0
    if 0 < before < n:
        raise LexiframeError(
            f"{work.folder.parent}: its job has {before} buckets, and needs {n} for as little "
            "memory as is allowed now; allow as much as before, or start again without resume"
        )
    how: dict[str, Any] = {"n_buckets": before or n, "memory": work.memory, "resume": work.resume}
    return partition(sources, folder, rank=rank, is_kept=work.is_kept, **how)


def reduced_in_batches(
    plan: Plan, buckets: Buckets, work: Work, held: Held | None = None
) -> BucketResult:
    """Evaluate all buckets, and return the sums over all requests.

    Raises
    ------
    LexiframeError
        As `evaluate`; and when the folder holds another job, or its disk is full. What is finished
        can be resumed.
    """
    job = _facts(plan, buckets) | {"held preferences": held and [held.baseline]}
    begin, total = _resumed(plan, job, work)
    numbers = range(begin, len(buckets))
    stored = time.monotonic()

    for number in progress(numbers, len(numbers), "evaluating requests"):
        total = total + evaluate_one(plan, buckets, number, held)
        memory_use.give_back()
        if time.monotonic() - stored > _SECONDS:
            _store(work, job, number + 1, total)
            stored = time.monotonic()
    _store(work, job, len(buckets), total)
    return total


def evaluate_one(
    plan: Plan, buckets: Buckets, number: int, held: Held | None = None
) -> BucketResult:
    """Evaluate one of the buckets; raise as `evaluate_bucket`."""
    return evaluate_bucket(plan, buckets.runs(number), buckets.qrels(number), number, held)


def report(
    plan: Plan, total: BucketResult, some_queries: Callable[[], tuple[list[str], pl.Series]]
) -> list[str]:
    """Raise for what no bucket had, and warn once of what was dropped or filled.

    Return the runs whose ids match nothing in the judgments, though those of other runs do.
    ``some_queries`` returns some queries of the runs and some judged ones, for an error message.

    Raises
    ------
    LexiframeError
        When there are no judgments, when no run answers a judged request, when nothing is relevant,
        and when a measure's ``rel`` is above all grades.
    """
    said, counts, sums = total["said"], total["coverage"].table(), total["sums"]
    if said.greatest is None:
        raise LexiframeError("qrels: expected judgments, found no rows")
    if not said.answered:
        refuse_other_queries(*some_queries(), are_all=False)
    if (counts["without_relevant"] == counts["requests"]).all():
        raise judgments.nothing_relevant(said.greatest, plan.policies.rel)
    _refuse_without_items(plan, sums)
    _report_groups(plan, total["attributed"])
    answers.warn_of_counts(counts, said.repairs)
    problems.warn_of_scores_against_ranks(said.against)
    if needed.count_any_grade(plan.measures):
        answers.warn_of_ratings(pl.Series([said.least, said.greatest]), plan.policies.rel)
    for doubt in said.doubts:
        warn(f"qrels: {doubt}")
    if said.strangers and not said.found:
        warn(said.strangers)
    unmatched = said.unmatched.runs(counts)
    answers.warn_of_unmatched(unmatched)
    for warning in said.warnings:
        warn(warning)
    return [*unmatched]


def _refuse_without_items(plan: Plan, sums: arrays.Reduced) -> None:
    """Raise for a measure of which no request has a value."""
    for measure in plan.measures:
        name = str(measure)
        moments = sums.preferences[name].differences if plan.compared else sums.scores[name].scores
        if not moments.n.any():
            raise needed.no_item_of_grade(measure)


def _report_groups(plan: Plan, found: Attributed) -> None:
    """Warn of requests without attributes; raise if none has some."""
    if plan.requests is None or not found.lacking:
        return
    if not found.n:
        raise logs.no_common_keys("requests", found.first, plan.requests, n=found.lacking)
    warn(f"requests: query_id without attributes: {n_and_first(found.first, found.lacking)}")


def _resumed(plan: Plan, job: dict[str, Any], work: Work) -> tuple[int, BucketResult]:
    """Return the number of buckets that are done, and their sums; raise for another job."""
    before = _read_state(work.folder / _STATE) if work.resume else None
    if before is not None:
        for name in (name for name, mark in job["functions"].items() if mark is None):
            raise LexiframeError(
                f"{work.folder.parent}: cannot be gone on with: the function of {name} refers to "
                "an object that cannot be compared with that of the job before; start again "
                "without resume"
            )
        refuse_another(work.folder.parent, before["job"], dict(sorted(job.items())))
        return before["done"], before["total"]
    for part in earlier_parts(plan.out, plan.keep):  # there may be more of them than buckets now
        part.unlink()
    for table in KEPT if plan.keep else ():
        if table not in plan.keep:  # they would be taken for tables of one evaluation
            remove_parts(str(plan.out), table)
    _store(work, job, 0, nothing(plan))
    return 0, nothing(plan)


def _store(work: Work, job: Mapping[str, Any], done: int, total: BucketResult) -> None:
    """Store what the job is, the number of buckets that are done, and their sums."""
    write_whole(work.folder / _STATE, encoded({"job": job, "done": done, "total": total}))


def _read_state(path: Path) -> dict[str, Any] | None:
    """Return what `_store` wrote; None if there is nothing, or it is damaged."""
    try:
        return dict(decoded(path.read_bytes(), CLASSES))
    except FileNotFoundError:
        return None
    except DamagedError:
        warn(f"{path}: is damaged, so all buckets are evaluated again")
        return None


def _facts(plan: Plan, buckets: Buckets) -> dict[str, Any]:
    requests = None if plan.requests is None else plan.requests.write_csv()
    facts: Mapping[str, Any] = {
        "lexiframe": __version__,
        "measures": [str(measure) for measure in plan.measures],
        "functions": own_functions.marks_of_own(plan.measures),
        "policies": asdict(plan.policies),
        "runs": [*plan.runs],
        "groups": [*plan.by],
        "requests": requests and sha256(requests.encode()).hexdigest(),
        "keep": [*plan.keep],
        "sizes": buckets.sizes.tolist(),
        "data": [unit["digest"] for units in buckets.facts.values() for unit in units],
    }
    return dict(json.loads(json.dumps(facts)))


def _remove(folder: Path) -> None:
    remove(folder / _BUCKETS)
    shutil.rmtree(folder / HELD, ignore_errors=True)
    (folder / _STATE).unlink(missing_ok=True)
