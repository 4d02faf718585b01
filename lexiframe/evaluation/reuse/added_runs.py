"""Adding runs to an evaluation: `add_runs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lexiframe.base import LexiframeError, n_and_first, typed, warn
from lexiframe.evaluation.buckets.batches import work_folder
from lexiframe.evaluation.buckets.sizes import memory_allowed
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.from_runs import evaluate_ranked
from lexiframe.evaluation.reuse.completed import Known
from lexiframe.io import column_forms, run_scan, scan_runs
from lexiframe.metrics import needed
from lexiframe.pairwise import fingerprints, measured
from lexiframe.projection import RankedRuns, joined, judgments, rank_runs
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
    before, policies, measures = origin.rank_again(), origin.policies, origin.measures

    def refuse_many(n_runs: int, judged: judgments.JudgedItems) -> None:
        if evaluation.has_requests:
            measured.refuse_many_pairs(n_runs, judged, measures, policies)

    scan = (
        new_runs
        if isinstance(new_runs, run_scan.RunScan)
        else scan_runs(column_forms.held(new_runs, "runs"))
    )
    same_files = fingerprints.unchanged_files(scan, before.fingerprints)
    there = [str(scan.sources[index].name) for index in same_files]
    chosen = scan.only([index for index in range(len(scan)) if index not in same_files])
    if len(chosen):
        added = rank_runs(
            chosen,
            before.judged,
            policies,
            nonrelevant=True,
            pool=any(measure.needs == needed.POOL for measure in measures),
            hashed=True,
            are_part=True,
            foresee=lambda n, judged: refuse_many(n + len(before.runs), judged),
            fingerprint=fingerprints.fingerprint_of(chosen, policies),
        )
        chosen, added, same = _without_same_rankings(chosen, added, before.fingerprints)
        there += same
    if there:
        warn(f"runs that the evaluation has already, left out: {n_and_first(sorted(there))}")
    if not len(chosen):
        return evaluation
    ranked = joined(before, added)
    refuse_many(len(ranked.runs), ranked.judged)
    sources = origin.runs if isinstance(origin.runs, run_scan.RunScan) else scan_runs(origin.runs)
    projected = measured.projected_of(ranked, origin.asked.measures, policies.no_relevant)
    given = sources.joined(chosen), origin.qrels, projected, origin.asked
    if not evaluation.has_requests:
        with work_folder(None, memory_allowed(None), resume=False) as work:
            return evaluate_ranked(*given, work=work)
    known = Known(
        evaluation.coverage,
        origin.part,
        runs=frozenset(run.name for run in before.runs),
        queries=None,
        measures=frozenset(map(str, measures)),
        same_judgments=True,
    )
    return evaluate_ranked(*given, known)


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
