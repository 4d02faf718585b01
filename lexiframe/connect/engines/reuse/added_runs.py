"""Adding runs to an evaluation: `add_runs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from lexiframe.connect.engines.reuse.completed import Known, completed, independent_measures
from lexiframe.core.base import LexiframeError, memory_use, n_and_first, typed, warn
from lexiframe.core.evaluation.buckets.held import Work
from lexiframe.core.evaluation.buckets.sizes import memory_allowed
from lexiframe.core.evaluation.evaluated_data import Origin
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import are_of_sums
from lexiframe.core.evaluation.from_runs import evaluate_ranked
from lexiframe.core.io import output_files, run_scan, scan_runs
from lexiframe.core.pairwise import fingerprints, measured
from lexiframe.core.projection import RankedRuns, joined
from lexiframe.typing import FrameKind, RunsLike


@typed
def add_runs(
    evaluation: Evaluation, new_runs: RunsLike, *, frames: FrameKind | None = None
) -> Evaluation:
    """Add runs to an evaluation: only the new runs and their pairs are computed.

    Parameters
    ----------
    evaluation
        What `evaluate` returned.
    new_runs
        As for `evaluate`: the table of `read_runs`, the scan of `scan_runs`, a frame, or paths. A
        run that the evaluation has already, with the same rankings, is left out, so that a folder
        to which files were added can be given as a whole.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Evaluation
        What `evaluate` returns for the old and the new runs together, with the judgments, measures,
        policies, tests and groups of the first evaluation, which itself does not change. Where the
        preferences do not fit in memory, as in an evaluation in parts that has the ranks in its
        runs, only the new runs are read, and the sums are computed again from all ranks. Measures
        that depend on the other runs are computed again for all runs: those with the size of the
        pool, the ranks ``LR.rank`` and ``LP.rank``, and functions of your own from positions.

    Raises
    ------
    LexiframeError
        For a run whose name the evaluation has with other rankings; for an evaluation that was
        computed from scores, or in parts whose ranks did not fit in memory; and as `evaluate`.
    ReadError
        When the old runs have to be read again, because memory was short, and a file has changed.

    Warns
    -----
    LexiframeWarning
        When runs are left out because they are there already, and as `evaluate`.

    See Also
    --------
    evaluate : With ``reuse`` it takes what has not changed from the results in a folder.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs" / "p*.run", folder / "qrels.txt", ["RPP", "AP"])
    >>> more = lf.add_runs(e, folder / "runs" / "random.run")
    >>> e.means["run"].n_unique(), more.means["run"].n_unique()
    (2, 3)
    >>> more.power.select("measure", "n_pairs").rows()
    [('AP', 3), ('RPP', 3)]
    """
    if not (evaluation.has_requests or evaluation.has_rankings):
        raise LexiframeError(
            "add_runs: expected an evaluation with the preferences of each request, or the ranks "
            "in all runs, found one in parts, which has sums over the requests; evaluate the old "
            "and the new runs together, in parts"
        )
    origin = evaluation.origin("add_runs")
    before, scan = origin.rank_again(), scan_runs(new_runs)
    same = fingerprints.unchanged_files(scan, before.fingerprints)
    there = [str(scan.sources[index].name) for index in same]
    chosen, ranked = scan.only([index for index in range(len(scan)) if index not in same]), before
    if len(chosen):
        asked = origin.measures, origin.policies
        added = measured.rank(chosen, before.judged, *asked, hashed=True, are_part=True)
        chosen, added, twins = _drop_same_rankings(chosen, added, before.fingerprints)
        ranked, there = joined(before, added), there + twins
    if there:
        warn(f"runs that the evaluation has already, left out: {n_and_first(sorted(there))}")
    return _evaluated(evaluation, origin, before, ranked, chosen) if len(chosen) else evaluation


def _evaluated(
    evaluation: Evaluation,
    origin: Origin,
    before: RankedRuns,
    ranked: RankedRuns,
    added: run_scan.RunScan,
) -> Evaluation:
    """Evaluate old and new runs; known results are not computed again, if there is room for them.

    Without room, sums are computed again from all ranks; in parts, if tests need single requests.
    """
    asked = origin.asked
    projected = measured.projected_of(ranked, asked.measures, origin.policies.no_relevant)
    given = origin.runs.joined(added), origin.qrels
    if evaluation.has_requests and _fit(ranked, origin):
        known = Known(
            evaluation.coverage,
            evaluation.part(),
            runs=frozenset(run.name for run in before.runs),
            queries=before.judged.queries.cast(pl.String),
            measures=frozenset(map(str, independent_measures(origin.measures, origin.policies))),
            same_judgments=True,
        )
        projected, _ = completed(projected, asked, known)
        return evaluate_ranked(*given, projected, asked)
    if evaluation.has_requests and are_of_sums(asked):
        return evaluate_ranked(*given, projected, asked)
    with output_files.temporary_folder() as folder:
        work = Work(folder, memory_allowed(None), resume=False, is_kept=False)
        return evaluate_ranked(*given, projected, asked, work=work)


def _fit(ranked: RankedRuns, origin: Origin) -> bool:
    """Return whether the preferences between all runs fit in memory."""
    try:
        asked = origin.measures, origin.policies
        measured.refuse_many_pairs(len(ranked.runs), ranked.judged, *asked)
    except memory_use.NotEnoughMemoryError:
        return False
    return True


def _drop_same_rankings(
    scan: run_scan.RunScan, added: RankedRuns, known: Mapping[str, str]
) -> tuple[run_scan.RunScan, RankedRuns, list[str]]:
    """Leave out sources whose runs are all known already; raise for changed runs of known names."""
    twins = {name for name in added.fingerprints if name in known}
    same = {name for name in twins if added.fingerprints[name] == known[name]}
    kept = [index for index, read in enumerate(added.read) if not {*read.names} <= same]
    left = [name for index in kept for name in added.read[index].names if name in twins]
    if left:
        raise LexiframeError(
            f"add_runs: expected new runs, found {left[0]!r}, which the evaluation has already"
            + ("" if left[0] in same else " with other rankings")
            + "; leave it out, or give it another name, as in {'name': path}"
        )
    names = {name for index in kept for name in added.read[index].names}
    some = [run for run in added.runs if run.name in names]
    marks = {name: mark for name, mark in added.fingerprints.items() if name in names}
    read = [added.read[index] for index in kept]
    return scan.only(kept), replace(added, runs=some, read=read, fingerprints=marks), [*same]
