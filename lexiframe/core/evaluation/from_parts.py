"""Evaluations from an engine's results of the requests: `evaluated_by`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, check_choice, memory_use, n_and_first, schemas, warn
from lexiframe.core.base.feature import Replication
from lexiframe.core.evaluation.buckets.held import HELD, Held, Work
from lexiframe.core.evaluation.buckets.plan import KEPT, Kept, Plan
from lexiframe.core.evaluation.buckets.results import Attributed, BucketResult
from lexiframe.core.evaluation.buckets.sizes import room_in
from lexiframe.core.evaluation.buckets.writing import complete_parts
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.options import Asked, Inference
from lexiframe.core.io import doubts, logs, one_run, qrel_files
from lexiframe.core.metrics import needed
from lexiframe.core.orderings import (
    ChosenRule,
    Method,
    best_first,
    missing_requests,
    order_or_null,
    order_runs,
    rank_correlations,
    run_means,
    sign_agreement,
    tie_rates,
    win_rates,
)
from lexiframe.core.pairwise import PairCube, arrays, facts, grouping
from lexiframe.core.pairwise import facts as of_measures
from lexiframe.core.projection import answers, judgments, refuse_other_queries
from lexiframe.core.significance import (
    compare,
    corrections,
    discriminative_power,
    own_tests,
    tests,
)

_Queries = Callable[[], tuple[list[str], pl.Series]]
Engine = Callable[[Plan, Held | None], BucketResult]
"""What evaluates all requests: from what is computed of each to the sum of what is kept of them.

The preferences of single requests are put into `Held`, if there is one.
"""


def tables_to_keep(
    keep: str | Sequence[str], out: str | Path | None, *, resume: bool
) -> tuple[Kept, ...]:
    """Return the names of the tables to write in parts; raise for unknown ones, or no folder."""
    if resume and out is None:
        raise LexiframeError(
            "evaluate: resume needs the folder of the interrupted evaluation; give out='FOLDER'"
        )
    names = [keep] if isinstance(keep, str) else [*keep]
    for name in names:
        check_choice("evaluate", name, KEPT, "keep")
    if names and out is None:
        raise LexiframeError("evaluate: keep needs a folder to write to; give out='FOLDER'")
    return tuple(name for name in KEPT if name in names)


def are_of_sums(how: Asked) -> bool:
    """Return whether sums over the requests, with few single requests, are enough for all tests."""
    enough = {tests.AUTO, *tests.OF_SUMS}
    return all(one in enough for one in own_tests.several(how.inference.test))


def _most_flipped(how: Asked, n_runs: int) -> int:
    """Return the number of requests with single preferences: at most as many as sign flips take."""
    asked = how.inference
    given = own_tests.several(asked.test), own_tests.several(asked.correction)
    if not are_of_sums(how) or corrections.MAX_T not in tests.settled("evaluate", *given)[1]:
        return 0
    n_pairs = n_runs * (n_runs - 1) // 2 if asked.baseline is None else n_runs - 1
    return tests.most_requests(n_pairs)


def evaluated_by(
    engine: Engine,
    how: Asked,
    runs: Sequence[str],
    facts: Mapping[str, Any],
    some_queries: _Queries,
    *,
    out: Path | None = None,
    keep: tuple[Kept, ...] = (),
    work: Work | None = None,
    in_parts: bool = True,
) -> Evaluation:
    """Make the evaluation of some runs from an engine's results of all requests.

    ``facts`` begin the provenance (the grades of the judgments are added); ``some_queries`` returns
    queries of the runs and judged ones for an error message. An evaluation ``in_parts`` has sums
    over the requests, and a sample of them. See `_report` for errors.
    """
    plan = plan_of(how, runs, out, keep)
    held = _held_for(plan, how, work)
    total = engine(plan, held)
    complete_parts(out, keep)
    memory_use.give_back()  # before tables with a row a pair are made, and after that
    kept: dict[str, Any] = {"parts": {name: str(Path(str(out), name)) for name in keep}}
    told = dict[str, Any]()
    if plan.weighs and held is not None:
        from lexiframe.core.evaluation.buckets.weighed import weighed_sums

        given = how.requests, how.weighed
        found = weighed_sums(plan, held, total["sums"], *given)
        total.kept["sums"], kept["_weights"], told["weights"] = found
        held = None if are_of_sums(how) else held
    unmatched = _report(plan, total, some_queries, facts)
    if in_parts:
        kept |= {"sums": total["sums"], "_sample": (total["sample"], plan), "_in_parts": True}
    measures = [str(measure) for measure in plan.measures]
    of_lists = {*measures}.difference(map(str, plan.of_positions))
    lacking = missing_requests.lacking_requests(total["sums"]) if of_lists else {}
    known = of_measures.facts_of(plan.measures)
    if how.policies.ties == "expected" and _are_all(total["sums"], told):
        from lexiframe.core.evaluation.buckets.one_order import other_first_runs

        first = other_first_runs(total["sums"], total["one_order"], how.order, known)
        told["first_by_document_id"] = first
    e = assembled(
        total["sums"],
        {
            "runs": [],
            "qrels": [],
            "measures": measures,
            "facts": of_measures.as_provenance(known),
            "policies": asdict(how.policies),
            "grades": [total["said"].least, total["said"].greatest],
            **({"unmatched": unmatched} if unmatched else {}),
            **({"missing": "own", "lacking": lacking} if lacking else {}),
            **told,
            **facts,
        },
        how.order,
        how.inference,
        (plan.requests, how.groups, how.requests),
        missing="own" if lacking else None,
        coverage=total["coverage"].table(),
        tested=None if held is None else held.by_measure(),
        **kept,
    )
    del total
    memory_use.give_back()
    return e


def _report(
    plan: Plan, total: BucketResult, some_queries: _Queries, facts: Mapping[str, Any]
) -> list[str]:
    """Raise if all buckets lack judgments, answers or relevant items; warn of dropped data.

    Return the runs whose ids match nothing in the judgments, though another run's do.
    ``some_queries`` returns some queries of the runs and some judged ones, for an error message.
    """
    said, counts, sums = total["said"], total["coverage"].table(), total["sums"]
    if said.greatest is None:
        raise LexiframeError("qrels: expected judgments, found no rows")
    if not said.answered:
        refuse_other_queries(*some_queries(), are_all=False)
    if (counts["without_relevant"] == counts["requests"]).all():
        raise judgments.nothing_relevant(said.greatest, plan.policies.rel)
    _refuse_without_items(plan, sums, said.greatest)
    _report_groups(plan, total["attributed"])
    answers.warn_of_counts(counts, said.repairs, facts)
    doubts.warn_of_scores_against_ranks(said.against)
    one_run.warn_of_doubts(answers.own_queries(counts))
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


def _refuse_without_items(plan: Plan, sums: arrays.Reduced, greatest: float) -> None:
    """Raise for a measure without a value in any request, also within a composition."""
    for part in needed.parts_of(plan.of_positions):
        if plan.policies.no_relevant == "drop" and (part.rel or 0) > greatest:
            raise needed.no_item_of_grade(part)
    for measure in plan.measures:
        name = str(measure)
        of_pairs = sums.preferences.get(name)  # which one run alone does not have
        moments = sums.scores[name].scores if of_pairs is None else of_pairs.differences
        if not moments.n.any():
            raise needed.no_item_of_grade(measure)


def _report_groups(plan: Plan, found: Attributed) -> None:
    """Warn of requests without attributes; raise if none has some."""
    if plan.requests is None or not found.lacking:
        return
    if not found.n:
        raise logs.no_common_keys("requests", found.first, plan.requests, n=found.lacking)
    warn(f"requests: query_id without attributes: {n_and_first(found.first, found.lacking)}")


def assembled(
    total: arrays.Reduced,
    facts: Mapping[str, Any],
    order: Method,
    inference: Inference,
    grouped: tuple[pl.DataFrame | None, list[str], Any],
    *,
    missing: missing_requests.Missing | None = None,
    tested: Any = None,
    **kept: Any,
) -> Evaluation:
    """Make an evaluation from the sums over all requests and the results in ``kept``.

    ``facts`` begin the provenance: sources, measures and their facts. ``grouped`` has the
    attributes of requests, the names of those that form groups, and their source. Further arguments
    are as for `pair_tables`.
    """
    attributes, by, requests = grouped
    known = of_measures.known_facts(facts)
    tables = pair_tables(total, order, inference, attributes, by, missing, tested, known=known)
    tables["means"] = best_first(tables["means"], facts["measures"], by)
    ties, covered = facts.get("policies", {}).get("ties"), kept["coverage"]
    if ties in _BY_ID and not by and _are_all(total, facts) and covered["tied_relevant"].sum():
        from lexiframe.core.evaluation.deciding_ties import warn_of_deciding_ties

        warn_of_deciding_ties(covered, tables["means"], ties)
    asked = {"inference": {"ordering": order, **inference.facts()}, "groups": by}
    provenance = {**facts, **asked, "requests": qrel_files.sources_of_qrels(requests)}
    if total.weights is not None and not by:
        from lexiframe.core.evaluation.buckets.equal_weights import add_first_by_request

        add_first_by_request(provenance, total, order, known)
    return Evaluation(**kept, **tables, provenance=provenance, attributes=attributes)


def _are_all(total: arrays.Reduced, facts: Mapping[str, Any]) -> bool:
    """Return whether sums are over all requests, and each counts once."""
    return total.weights is None and "has_zeros" not in facts.get("weights", {})


_BY_ID = ("doc_id_desc", "doc_id_asc")
"""The policies that order equal scores by what says nothing of the documents."""


def plan_of(
    how: Asked, runs: Sequence[str], out: Path | None = None, keep: tuple[Kept, ...] = ()
) -> Plan:
    """Return the plan of the parts of the requests, for these runs."""
    measures, groups = tuple(how.measures_of([*runs])), tuple(how.groups)
    requests = grouping.all_attributes(how.requests, [*groups]) if groups else None
    folder = None if out is None else str(out)
    few, left_out, weighs = _most_flipped(how, len(runs)), None, ""
    if how.weighed:
        left_out, weighs = arrays.zero_weights(how.requests, *how.weighed)
    asked = measures, how.policies, tuple(runs), requests, groups, folder, keep, few
    return Plan(*asked, weighs=weighs, without_weight=left_out)


def _held_for(plan: Plan, how: Asked, work: Work | None) -> Held | None:
    """Return the store for preferences of single requests, if tests need them; else None.

    They are in memory, unless there is a folder to ``work`` in.
    """
    if not plan.weighs and (are_of_sums(how) or not plan.compared):
        return None
    baseline = how.inference.baseline
    if work is None:
        return Held(plan, baseline)
    folder = work.folder / HELD
    folder.mkdir(parents=True, exist_ok=True)
    return Held(plan, baseline, folder, room_in(work.memory))


def pair_tables(
    sums: arrays.Reduced,
    order: Method,
    inference: Inference,
    attributes: pl.DataFrame | None,
    by: Sequence[str],
    missing: missing_requests.Missing | None = None,
    tested: arrays.PairsByMeasure | PairCube | pl.DataFrame | None = None,
    *,
    known: facts.Known,
) -> dict[str, Any]:
    """Compute the tables about runs and pairs, by the names of the attributes of `Evaluation`.

    ``sums`` are of scores and preferences; preferences order the runs by ``order`` unless they are
    differences of scores. ``attributes`` belong to requests, which form groups ``by`` them. If runs
    lack requests of scores, ``missing`` treats them (None: no ranks). ``tested`` are the
    preferences of single requests, where tests need them, or the scores of single replicates, whose
    means are in ``sums``. ``known`` are the facts of the measures.
    """
    within: dict[str, Any] = {"requests": attributes, "by": [*by]}
    columns = {} if attributes is None else attributes.select(by).schema
    by_mean, means = _empty(schemas.ORDERINGS, columns), []
    if sums.scores:
        by_mean = order_or_null(sums.scores_only, ChosenRule("mean", missing=missing), **within)
        means = [
            run_means(sums.scores_only, inference.alpha, missing=missing, known=known, **within)
        ]
        if inference.replicates in ("run", "both"):
            of_seeds = _algorithm_means(means[0], tested, inference.alpha, within)
            means = [facts.within_bounds(of_seeds, known)]
    if not any(pairs.differences.n.any() for pairs in sums.preferences.values()):
        empty = {schema.name: _empty(schema, columns) for schema in _OF_PAIRS}
        found = pl.concat(means or [_empty(schemas.MEANS, columns)])
        return {"means": found, "orderings": by_mean, **empty}
    names = [name for name in sums.preferences if name not in sums.scores]
    chosen = sums.select_measures(names)
    o = pl.concat([by_mean, order_runs(chosen, order, **within)] if names else [by_mean])
    if names:
        means += [_ranked_as(o, run_means(chosen, inference.alpha, **within), by)]
    o = o.sort(*by, "measure", "method", "rank", "run")
    how: dict[str, Any] = {"bounds": known, **asdict(inference), **within}
    c = compare(sums if tested is None else tested, **how)
    wins = win_rates(sums, **within)
    against = _empty(schemas.AGAINST_BASELINE, columns)
    if inference.baseline is not None:
        from lexiframe.core.significance import against_baseline

        against = against_baseline(by_mean, wins, c, inference.baseline, by)
    return {
        "means": pl.concat(means, how="diagonal").sort(*by, *schemas.MEANS.key),
        "win_rates": wins,
        "orderings": o,
        "correlations": rank_correlations(o, by=by),
        "tie_rates": tie_rates(sums, **within),
        "sign_agreement": sign_agreement(sums, **within),
        "comparisons": c,
        "power": discriminative_power(c, inference.alpha, by=by),
        "against_baseline": against,
    }


_OF_PAIRS = (
    schemas.WIN_RATES,
    schemas.CORRELATIONS,
    schemas.TIE_RATES,
    schemas.SIGN_AGREEMENT,
    schemas.COMPARISONS,
    schemas.POWER,
    schemas.AGAINST_BASELINE,
)


def _empty(schema: schemas.TableSchema, groups: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return a table without rows that has the groups' columns."""
    # `compare` always returns these optional columns as well.
    asked = ("effect_low", "effect_high", "least_p") if schema is schemas.COMPARISONS else ()
    columns = {n: t for n, t in schema.columns.items() if n in asked or n in schema.required}
    return pl.DataFrame(schema={**groups, **columns})


def _algorithm_means(
    means: pl.DataFrame, tested: Any, alpha: float, within: Mapping[str, Any]
) -> pl.DataFrame:
    """Return means with the intervals that they have if runs were trained from other seeds."""
    ends = grouping.group_tables(
        lambda group: features.needed(Replication, "evaluate").algorithm_means(group, alpha),
        tested,
        **within,
    )
    on = [*within["by"], "run", "measure"]
    joined = means.drop("ci_low", "ci_high").join(ends, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)


def _ranked_as(o: pl.DataFrame, means: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return means with the ranks of the orderings, so that one run is first in both tables."""
    on = [*by, "run", "measure"]
    ranks = o.select(*on, "rank")
    joined = means.drop("rank").join(ranks, on=on, how="left", nulls_equal=True)
    return joined.select(means.columns)
