"""Evaluation in bounded memory: one bucket of requests after the other, reduced to sums."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from lexiframe.connect.engines.parts.buckets import Buckets
from lexiframe.connect.engines.parts.jobs import buckets_before, refuse_another, remove
from lexiframe.connect.engines.parts.partition import partition
from lexiframe.core.base import LexiframeError, __version__, memory_use, progress, warn
from lexiframe.core.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.core.evaluation.buckets.codec import DamagedError, decoded, encoded
from lexiframe.core.evaluation.buckets.held import HELD, Held, Work
from lexiframe.core.evaluation.buckets.plan import KEPT, Plan
from lexiframe.core.evaluation.buckets.results import CLASSES, BucketResult, nothing
from lexiframe.core.evaluation.buckets.sizes import n_buckets, n_rows
from lexiframe.core.evaluation.buckets.whole_files import write_whole
from lexiframe.core.evaluation.buckets.writing import earlier_parts, remove_parts
from lexiframe.core.io import batches, output_files
from lexiframe.core.pairwise import own_functions

_BUCKETS, _STATE = "buckets", "sums.bin"
_SECONDS = 5.0
"""The sums are stored at most this often, so that storing them takes a small part of the time."""


@contextmanager
def work_folder(out: Path | None, memory: int, *, resume: bool) -> Iterator[Work]:
    """Yield where the job works: in a hidden folder of ``out``, which is kept when it fails.

    Without ``out`` it is a temporary folder. When the job is done, the folder is removed. Another
    process at work in ``out`` is an error.
    """
    if out is None:
        with output_files.temporary_folder() as folder:
            yield Work(folder, memory, resume=False, is_kept=False)
        return
    work = Work(out / ".lexiframe-job", memory, resume)
    work.folder.mkdir(parents=True, exist_ok=True)
    with output_files.alone_in(work.folder, 0):
        if not resume:
            _remove(work.folder)
        yield work
        _remove(work.folder)
    if not any(work.folder.iterdir()):
        work.folder.rmdir()


def divided(sources: batches.Sources, work: Work, *, rank: bool) -> Buckets:
    """Divide runs and judgments into as many buckets of requests as the memory requires.

    A resumed job keeps its number of buckets, since the available memory may differ; buckets that
    are too large for it are an error.
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

    Raise if the folder holds another job, or its disk is full; finished buckets can be resumed.
    """
    job = _facts(plan, buckets) | {"held preferences": held and [held.baseline]}
    begin, total = _resumed(plan, job, work)
    numbers = range(begin, len(buckets))
    stored = time.monotonic()

    for number in progress(numbers, len(numbers), "evaluating requests"):
        total = total + evaluate_one(plan, buckets, number, held)
        memory_use.give_back()
        if work.is_kept and time.monotonic() - stored > _SECONDS:
            _store(work, job, number + 1, total)
            stored = time.monotonic()
    _store(work, job, len(buckets), total)
    return total


def evaluate_one(
    plan: Plan, buckets: Buckets, number: int, held: Held | None = None
) -> BucketResult:
    """Evaluate one of the buckets; raise as `evaluate_bucket`."""
    return evaluate_bucket(plan, buckets.runs(number), buckets.qrels(number), number, held)


def _resumed(plan: Plan, job: dict[str, Any], work: Work) -> tuple[int, BucketResult]:
    """Return the number of buckets that are done, and their sums; raise for another job."""
    before = _read_state(work.folder / _STATE) if work.resume else None
    if before is not None:
        for name in (name for name, mark in job["functions"].items() if mark is None):
            raise LexiframeError(
                f"{work.folder.parent}: cannot be resumed: the function of {name} refers to "
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
    """Store the facts of the job, the number of finished buckets, and their sums."""
    write_whole(work.folder / _STATE, encoded({"job": job, "done": done, "total": total}))


def _read_state(path: Path) -> dict[str, Any] | None:
    """Return the state that `_store` wrote; None if there is none, or it is damaged."""
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
        "weights": plan.weighs,
        "lists": plan.lists and sha256(encoded(plan.lists.contents)).hexdigest(),
        "sizes": buckets.sizes.tolist(),
        "data": [unit["digest"] for units in buckets.facts.values() for unit in units],
    }
    return dict(json.loads(json.dumps(facts)))


def _remove(folder: Path) -> None:
    remove(folder / _BUCKETS)
    shutil.rmtree(folder / HELD, ignore_errors=True)
    (folder / _STATE).unlink(missing_ok=True)
