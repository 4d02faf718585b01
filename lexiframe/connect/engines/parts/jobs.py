"""Jobs that spill units into a folder: several at once, each whole; finished ones are kept.

The folder has ``plan.json``, which says what the job is; and for each unit that is finished a file
with its facts, ``runs/000012.json``, beside its rows, ``runs/000012-00000.arrow``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import polars as pl

from lexiframe.connect.engines.parts.spill import Spill
from lexiframe.core.base import LexiframeError, Problem, ReadError
from lexiframe.core.evaluation.buckets.whole_files import PART, write_whole
from lexiframe.core.io import File, batches, kept_json, output_files

RUNS, QRELS = "runs", "qrels"
_PLAN = "plan.json"


@dataclass(frozen=True)
class Job:
    """Where the buckets go, how many there are, and how much a thread reads and holds at once.

    The folder ``is_kept`` after an error, unless it is a temporary one.
    """

    folder: Path
    n_buckets: int
    share: batches.Share
    room: int
    is_kept: bool = True
    stop: Event = field(default_factory=Event)


Read = Callable[[batches.Unit, "Written"], None]


@dataclass
class Written:
    """A unit on its way to disk: its rows, and the facts for its end.

    ``digest`` tells data from others, in any order of their rows; None for those of a file.
    """

    job: Job
    spill: Spill
    count: Callable[[int], None]
    names: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    digest: int | None = None

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows; raise if another thread has failed."""
        if self.job.stop.is_set():
            raise StoppedError
        if self.digest is not None:
            self.digest = (self.digest + int(rows.hash_rows(seed=0).sum())) % 2**64
        self.spill.add(rows)
        self.count(rows.height)


class StoppedError(Exception):
    """Another thread failed."""


def share_of(room: int, *, rank: bool) -> batches.Share:
    """Return how much a thread reads at once that may take this many bytes."""
    rows = min(max(room // 1000, 10_000), 1 << 19)
    return batches.Share(rows, min(max(room // 25, 1 << 20), 1 << 25), rank)


def job_folder(folder: str | Path, plan: dict[str, Any], *, resume: bool) -> Path:
    """Make the folder of a job; raise if it has files that belong to no job.

    With ``resume`` the plan is compared with the earlier one; otherwise earlier files are removed.
    """
    place = output_files.output_folder(folder)
    path = place / _PLAN
    if path.exists() and resume:
        refuse_another(place, read_facts(path), plan)
    elif path.exists():
        remove(place)
    elif any(inside.suffix != PART for inside in place.iterdir()):
        raise LexiframeError(
            f"{place}: expected an empty folder for the buckets, or one of an earlier call, found "
            "other files; choose another folder"
        )
    place.mkdir(parents=True, exist_ok=True)
    write_facts(path, plan)  # first: without it, what is in the folder is taken for that of others
    for name in (RUNS, QRELS):
        (place / name).mkdir(exist_ok=True)
        for part in (place / name).glob(f"*{PART}"):
            part.unlink(missing_ok=True)
    return place


def refuse_another(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise when the facts of a job differ from the earlier job in its folder."""
    differ = [name for name in now if before.get(name) != now[name]]
    if differ:
        raise LexiframeError(
            f"{folder}: holds another job: its {' and '.join(differ)} differ; choose another "
            "folder, or start again without resume"
        )


def buckets_before(folder: Path) -> int:
    """Return into how many buckets an earlier call divides the requests; 0 if there is none."""
    return int(read_facts(folder / _PLAN).get("buckets", 0))


def remove(folder: Path) -> None:
    """Remove the files of a job, and its folder if nothing else is in it."""
    (folder / _PLAN).unlink(missing_ok=True)
    for name in (RUNS, QRELS):
        shutil.rmtree(folder / name, ignore_errors=True)
    if folder.exists() and not any(folder.iterdir()):
        folder.rmdir()


def write_facts(path: Path, facts: Mapping[str, Any]) -> None:
    """Write facts as JSON with the checksum that `read_facts` verifies."""
    write_whole(path, kept_json.text_with_checksum(facts).encode())


def read_facts(path: Path) -> dict[str, Any]:
    """Return the facts of a file that `write_facts` wrote; none if it is missing or damaged."""
    try:
        return kept_json.contents_of(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def spill_all(
    job: Job,
    what: str,
    units: Sequence[batches.Unit],
    read: Read,
    workers: int,
    count: Callable[[int], None],
) -> list[dict[str, Any]]:
    """Spill all units that are not finished yet; return the facts of each, in their order."""
    finished = [_finished(job, what, number, unit) for number, unit in enumerate(units)]
    facts = {number: known for number, known in enumerate(finished) if known is not None}
    count(sum(sum(known["rows"]) for known in facts.values()))

    def spill(number: int) -> tuple[int, dict[str, Any]]:
        return number, _spill(job, what, number, units[number], read, count)

    todo = [number for number in range(len(units)) if number not in facts]
    with ThreadPoolExecutor(workers) as executor:
        try:
            together = [number for number in todo if not units[number].alone]
            waiting = [executor.submit(copy_context().run, spill, number) for number in together]
            done, _ = wait(waiting, return_when=FIRST_EXCEPTION)
            facts |= dict(one.result() for one in done)
            facts |= dict(spill(number) for number in todo if units[number].alone)
        except BaseException as error:
            job.stop.set()
            executor.shutdown(wait=True, cancel_futures=True)
            if isinstance(error, LexiframeError):
                raise _add_progress(error, job) from None
            raise
    return [facts[number] for number in range(len(units))]


def _add_progress(error: LexiframeError, job: Job) -> LexiframeError:
    """Say how much is finished, and stays."""
    n_done = sum(1 for _ in job.folder.glob(f"{RUNS}/*.json"))
    if not (n_done and job.is_kept):
        return error
    return type(error)(
        f"{error}; {n_done} other sources are finished in {job.folder}, and are kept if you resume"
    )


def _finished(job: Job, what: str, number: int, unit: batches.Unit) -> dict[str, Any] | None:
    """Return the facts about a unit that an earlier call has finished; raise if it has changed."""
    facts = read_facts(job.folder / what / f"{number:06}.json")
    if not {"stamp", "sha256", "rows", "digest", "checks"} <= {*facts} or facts["stamp"] is None:
        return None  # not finished, or damaged: the unit is read again
    if unit.stamp is None or [*unit.stamp] != facts["stamp"] or _sha256(unit) != facts["sha256"]:
        raise LexiframeError(
            f"{unit.where}: has changed since it was read for the buckets in {job.folder}; start "
            "again without resume"
        )
    return facts


def _spill(
    job: Job, what: str, number: int, unit: batches.Unit, read: Read, count: Callable[[int], None]
) -> dict[str, Any]:
    """Write the rows of a unit, and then the facts that say that it is finished."""
    if job.stop.is_set():
        raise StoppedError
    folder = job.folder / what
    for left in folder.glob(f"{number:06}-*"):
        left.unlink()
    spill = Spill(folder, f"{number:06}", job.room, np.zeros(job.n_buckets, np.int64))
    written = Written(job, spill, count, digest=0 if unit.stamp is None else None)
    try:
        hashed = _sha256(unit)
        read(unit, written)
        spill.flush()
        _refuse_changed_file(unit)
        facts = {
            "where": unit.where,
            "stamp": None if unit.stamp is None else [*unit.stamp],
            "sha256": hashed,
            "digest": None if written.digest is None else str(written.digest),
            "names": [*written.names],
            "files": spill.files,
            "checks": spill.checks,
            "rows": spill.counts.tolist(),
            **written.facts,
        }
        write_facts(folder / f"{number:06}.json", facts)
    except BaseException:
        spill.remove()
        raise
    return facts


def _sha256(unit: batches.Unit) -> str | None:
    """Return the hash of a unit's file: another file may have the same size and time."""
    found: str | None = None if unit.path is None else File(unit.path).facts()["sha256"]
    return found


def _refuse_changed_file(unit: batches.Unit) -> None:
    stamp = File(unit.path).stamp() if unit.path is not None else None
    if stamp is not None and stamp[2:] != unit.stamp:
        found = "has changed while it was read"
        raise ReadError(
            Problem(unit.where, "", found, "wait until it is written, and read it again")
        )
