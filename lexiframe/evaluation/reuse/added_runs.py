"""Adding runs to an evaluation: `add_runs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lexiframe.base import LexiframeError, n_and_first, typed, warn
from lexiframe.evaluation.buckets.batches import work_folder
from lexiframe.evaluation.buckets.sizes import memory_allowed
from lexiframe.evaluation.evaluated_data import Origin
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.from_runs import evaluate_ranked
from lexiframe.evaluation.reuse.completed import Known
from lexiframe.io import column_forms, run_scan, scan_runs
from lexiframe.pairwise import fingerprints, measured
from lexiframe.projection import RankedRuns, joined, judgments
from lexiframe.typing import RunsLike


@typed
def add_runs(evaluation: Evaluation, new_runs: RunsLike, /) -> Evaluation:
    """Add runs to an evaluation: only the new runs and their pairs are computed.

    Parameters
    ----------
    evaluation
        What `evaluate` returned.
    new_runs
        As for `evaluate`: the table of `read_runs`, the scan of `scan_runs`, a frame, or paths. A
        run that the evaluation has already, with the same rankings, is left out, so that a folder
        to which files were added can be given as a whole.

    Returns
    -------
    Evaluation
        What `evaluate` returns for the old and the new runs together, with the judgments, measures,
        policies, tests and groups of the first evaluation, which itself does not change. To one in
        parts that has the ranks in its runs, only the new runs are read, and the sums are computed
        again from all ranks. Measures
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
    before, scan = origin.rank_again(), _scan_of(new_runs)
    same = fingerprints.unchanged_files(scan, before.fingerprints)
    there = [str(scan.sources[index].name) for index in same]
    chosen, ranked = scan.only([index for index in range(len(scan)) if index not in same]), before
    if len(chosen):
        added = _ranked(chosen, before, origin, refuses=evaluation.has_requests)
        chosen, added, twins = _without_same_rankings(chosen, added, before.fingerprints)
        ranked, there = joined(before, added), there + twins
    if there:
        warn(f"runs that the evaluation has already, left out: {n_and_first(sorted(there))}")
    return _evaluated(evaluation, origin, before, ranked, chosen) if len(chosen) else evaluation


def _scan_of(runs: Any) -> run_scan.RunScan:
    is_scan = isinstance(runs, run_scan.RunScan)
    return runs if is_scan else scan_runs(column_forms.held(runs, "runs"))


def _ranked(
    scan: run_scan.RunScan, before: RankedRuns, origin: Origin, *, refuses: bool
) -> RankedRuns:
    """Rank the new runs; raise when their preferences do not fit in memory, if it ``refuses``."""
    measures, policies = origin.measures, origin.policies

    def foresee(n_runs: int, judged: judgments.JudgedItems) -> None:
        if refuses:
            n = n_runs + len(before.runs)
            measured.refuse_many_pairs(n, judged, measures, policies)

    asked: dict[str, Any] = {"hashed": True, "are_part": True, "foresee": foresee}
    return measured.rank(scan, before.judged, measures, policies, **asked)


def _evaluated(
    evaluation: Evaluation,
    origin: Origin,
    before: RankedRuns,
    ranked: RankedRuns,
    added: run_scan.RunScan,
) -> Evaluation:
    """Evaluate old and new runs; of one in memory, what is known is not computed again."""
    projected = measured.projected_of(ranked, origin.asked.measures, origin.policies.no_relevant)
    given = _scan_of(origin.runs).joined(added), origin.qrels, projected, origin.asked
    if not evaluation.has_requests:
        with work_folder(None, memory_allowed(None), resume=False) as work:
            return evaluate_ranked(*given, work=work)
    names, measures = (run.name for run in before.runs), map(str, origin.measures)
    known = Known(evaluation.coverage, origin.part, frozenset(names), None, frozenset(measures))
    return evaluate_ranked(*given, replace(known, same_judgments=True))


def _without_same_rankings(
    scan: run_scan.RunScan, added: RankedRuns, known: Mapping[str, str]
) -> tuple[run_scan.RunScan, RankedRuns, list[str]]:
    """Leave out sources of which all runs are there already; raise for others of known names."""
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
