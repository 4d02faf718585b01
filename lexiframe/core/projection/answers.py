"""Coverage: the answers of the runs and the judged part of them, as counts and as warnings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import Problem, coded, n_and_first, printed, warn
from lexiframe.core.io import doubts, one_run, warn_of_wider_lines
from lexiframe.core.projection.judgments import JudgedItems
from lexiframe.core.projection.ranked_runs import RankedRuns
from lexiframe.core.projection.ranks_and_ties import RunRanks

FIRST = 10
"""The ranks of which ``judged_at_10`` tells."""


COUNTS = (
    "requests", "without_relevant", "answered", "missing", "extra", "duplicates",
    "unjudged_removed", "retrieved", "judged", "relevant_retrieved", "depth", "first",
    "judged_first", "tied_relevant", "negative", "one_score", "own_first",
)  # fmt: skip
"""The columns of `counts_of` beside the run."""
OF_EXPECTED = ("tied", "largest_tie")
"""Its further columns where ties are expected."""


def counts_of(ranked: RankedRuns) -> pl.DataFrame:
    """Return the answers of each run, with counts of its documents; all judged items are ranked.

    The counts of two parts of the requests add up, but for ``depth`` and ``largest_tie``, whose
    maximum counts.
    """
    is_relevant, is_judged = ranked.judged.is_relevant, ranked.judged.is_judged

    def counts(run: RunRanks) -> dict[str, int]:
        found = run.rank != 0
        return {
            "retrieved": int(run.retrieved.sum()),
            "judged": int(np.count_nonzero(found & is_judged)),
            "relevant_retrieved": int(np.count_nonzero(found & is_relevant)),
            "depth": int(run.retrieved.max(initial=0)),
            "first": int(np.minimum(run.retrieved, FIRST).sum()),
            "judged_first": int(np.count_nonzero(found & is_judged & (run.rank <= FIRST))),
            "tied_relevant": len(run.tied.item),
            "negative": int(np.count_nonzero(found & ~is_judged)),
            "one_score": run.one_score,
            "own_first": run.own_first,
            "tied": run.n_tied,
            "largest_tie": run.largest_tie,
        }

    documents = pl.DataFrame([counts(run) for run in ranked.runs])
    names = ("run", *COUNTS, *(OF_EXPECTED if ranked.runs[0].spans is not None else ()))
    return pl.concat([ranked.answers, documents], how="horizontal").select(names)


def warn_of_gaps(ranked: RankedRuns) -> None:
    """Warn once of dropped and filled data, with counts, and of the findings of `warn_of_input`."""
    warn_of_counts(ranked.answers, repairs_of(ranked), {})
    warn_of_input(ranked)


def unanswered(ranked: RankedRuns) -> pl.DataFrame:
    """Return run and request of each missing ranking, whose scores are 0: `say_answered`."""
    queries, answered = ranked.judged.queries.cast(pl.String), pl.lit(value=False)
    return pl.concat(
        queries.filter(~pl.Series(run.answered)).to_frame("query_id").select(
            pl.lit(run.name).alias("run"), "query_id", answered=answered
        )
        for run in ranked.runs
    )  # fmt: skip


def unanswered_in(table: pl.DataFrame) -> pl.DataFrame:
    """Return run and request (of scores the measure) of rows whose ``answered`` is not true.

    Without that column, a ranking is missing where nothing was retrieved.
    """
    if "n_retrieved" in table.columns and "answered" not in table.columns:
        table = table.with_columns(answered=pl.col("n_retrieved") > 0)
    if "answered" not in table.columns:
        return pl.DataFrame()
    keys = [name for name in ("run", "query_id", "measure") if name in table.columns]
    rows = table.filter(~pl.col("answered").fill_null(value=False))
    return rows.select(pl.col(keys).cast(pl.String), "answered").unique()


def say_answered(
    s: pl.DataFrame, unanswered: pl.DataFrame | None, *, is_part: bool = False
) -> pl.DataFrame:
    """Return scores with the column ``answered`` if some belong to missing rankings.

    With ``is_part``, the column is there also where only other parts have such rankings.
    """
    if unanswered is None or unanswered.is_empty():
        return s
    keys = [name for name in unanswered.columns if name != "answered"]
    marks = unanswered.with_columns(marked=True)
    s = s.drop("answered", strict=False).join(marks, on=keys, how="left", maintain_order="left")
    said = pl.when("marked").then("answered").otherwise(pl.lit(value=True))
    s = s.with_columns(answered=said).drop("marked")
    return s if is_part or not s["answered"].all(ignore_nulls=False) else s.drop("answered")


def repairs_of(ranked: RankedRuns) -> dict[str, int]:
    """Return the numbers of removed judgments and rows, by their descriptions."""
    return {
        "repeated judgments, removed": ranked.judged.repeated,
        "rows whose document has the id of their query, left out": sum(r.own for r in ranked.runs),
        "judgments of documents that have the id of their query, left out": ranked.judged.own,
        "rows of documents to exclude, left out": sum(r.excluded for r in ranked.runs),
        "judgments of documents to exclude, left out": ranked.judged.excluded,
        _FLAT: sum(r.n_flat for r in ranked.runs),
    }


_FLAT = (
    "lists of 10 or more documents, all of one score, whose order counts for nothing (ties='rank' "
    "reads the rank column)"
)


def warn_of_counts(answers: pl.DataFrame, repairs: Mapping[str, int], facts: Any) -> None:
    """Warn once of dropped and filled data, with counts by run and by `repairs_of`.

    ``facts`` begin the provenance, whose judgments may call requests users.
    """
    total = answers.sum()
    by_run = {
        "rankings missing, counted as empty": total["missing"].item(),
        "rankings for requests without judgments, ignored": total["extra"].item(),
        "requests without a relevant item": answers["without_relevant"][0],
        "rows that repeated a document, removed": total["duplicates"].item(),
        "rows of unjudged documents, removed": total["unjudged_removed"].item(),
    }
    counted = _counts_in_words(by_run) and f"{_counts_in_words(by_run)} (see lexiframe.coverage)"
    found = "; ".join(words for words in (counted, _counts_in_words(repairs)) if words)
    if found:
        warn(printed.say_users(found, facts))


def _counts_in_words(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{what}: {count}" for what, count in counts.items() if count)


def warn_of_grades(grades: pl.Series, rel: float | None, *, count_any: bool = True) -> None:
    """Warn where grades look like ratings, and where they look like times, ids or scores.

    Ratings matter only to measures that ``count_any`` grade above 0 as relevant.
    """
    if count_any:
        warn_of_ratings(grades, rel)
    for said in doubts.doubts_of_grades(grades):
        warn(f"qrels: {said}")


def warn_of_ratings(grades: pl.Series, rel: float | None) -> None:
    """Warn where no least relevant grade was given, and grades look like ratings."""
    if rel is None and (said := doubts.ratings_in_words(grades)):
        warn(f"qrels: {said}")


def warn_of_input(ranked: RankedRuns) -> None:
    """Warn of lines cut short, of scores against ranks, and of unknown documents.

    Unknown documents are the ones of runs that retrieved no judged document.
    """
    warn_of_wider_lines(ranked.n_wider)
    doubts.warn_of_scores_against_ranks(ranked.against)
    warn_of_doubts(ranked)
    if said := strangers_in_words(ranked):
        warn(said)
        return
    # Where only relevant documents are known, a run without one may just be bad.
    found = Unmatched.look(ranked, only_with_cause=not ranked.judged.complete)
    warn_of_unmatched(found.runs(ranked.answers))


def warn_of_doubts(ranked: RankedRuns) -> None:
    """Warn of doubts about runs, of queries among documents, and of other spellings."""
    further = [*_likely_parts(ranked.runs), *own_queries(_first_documents(ranked.runs))]
    one_run.warn_of_doubts([*ranked.doubts, *further])
    # a run that has no judged document is named with its cause elsewhere
    spelled = {run.name: run.respelled for run in ranked.runs if run.respelled and run.rank.any()}
    if spelled:
        from lexiframe.core.base import likely_cause

        ours, theirs = min(spelled.values())
        cause = likely_cause([ours], [theirs]) or f"spelling ({ours!r} and {theirs!r})"
        said = "relevant documents that runs have in another spelling"
        warn(f"{said}: {n_and_first(spelled)}; likely cause: {cause}")


def _first_documents(runs: Sequence[RunRanks]) -> pl.DataFrame:
    counts = [(run.name, run.own_first, int(run.answered.sum())) for run in runs]
    return pl.DataFrame(counts, ["run", "own_first", "answered"], orient="row")


def own_queries(coverage: pl.DataFrame) -> list[Problem]:
    """Return which runs have the query itself at rank 1 of most requests, and not by chance."""
    found = [f"the query itself {said}" for said in own_queries_in_words(coverage)]
    return [Problem("runs", "documents", one, _LEAVE_OUT) for one in found]


def own_queries_in_words(coverage: pl.DataFrame) -> list[str]:
    """Say in how many requests the query itself is at rank 1 of runs, if most of a run have it."""
    if "own_first" not in coverage.columns:
        return []
    is_most = 2 * pl.col("own_first") >= pl.col("answered")
    found = coverage.filter(pl.col("own_first") > _BY_CHANCE, is_most)
    more = f" (and in {printed.counted(found.height - 1, 'more run')})" * (found.height > 1)
    return [
        f"at rank 1 in {n:,} of {of:,} requests of {printed.shortened(run)}{more}, unjudged"
        for run, n, of in found.select("run", "own_first", "answered").head(1).rows()
    ]


_BY_CHANCE = 2
"""So few queries and documents may have the same ids by chance."""
_LEAVE_OUT = "exclude_self=True leaves it out of all runs"


def _likely_parts(runs: Sequence[RunRanks]) -> list[Problem]:
    """Return the runs whose names differ by a number only, if each has requests of its own."""
    alike: dict[str, list[RunRanks]] = {}
    for run in runs:
        name, replicate = coded.split_replicate(run.name)
        if not replicate:
            alike.setdefault(re.sub("[0-9]+", "0", name), []).append(run)
    return [
        _parts_of_one(some) for some in alike.values() if len(some) > 1 and _answer_others(some)
    ]


def _answer_others(runs: Sequence[RunRanks]) -> bool:
    """Return whether each run answers requests, and none is answered by two of them."""
    if not all(run.answered.any() or run.extra for run in runs):
        return False
    times = np.sum([run.answered for run in runs], axis=0)
    extra = [query for run in runs for query in run.extra]
    return bool(times.max(initial=0) <= 1) and len({*extra}) == len(extra)


def _parts_of_one(runs: Sequence[RunRanks]) -> Problem:
    found = (
        f"{n_and_first([run.name for run in runs])}, whose names differ by a number, and no two of "
        "which answer the same request: they may be the parts of one run"
    )
    advice = "if so, call their files part-1, part-2 and so on, in a folder of their own"
    return Problem("runs", "runs that answer the same requests", found, advice)


def strangers_in_words(ranked: RankedRuns) -> str:
    """Say that no retrieved document is judged for its request, if so, with the likely reason."""
    retrieved = list(dict.fromkeys(name for run in ranked.runs for name in run.strangers))
    if not retrieved or any(run.rank.any() for run in ranked.runs):
        return ""
    judged = ranked.judged.items["doc_id"].unique(maintain_order=True)
    kind = "judged" if ranked.judged.complete else "relevant"
    return (
        f"no {kind} document was retrieved by any run: the runs retrieved "
        f"{n_and_first(retrieved)}, the {kind} documents are {n_and_first(judged)}; "
        f"{_unjudged_hint(retrieved, judged, ranked.judged)}"
    )


@dataclass(frozen=True)
class Unmatched:
    """Why runs may have other ids than the judgments, and which have ids in common with them.

    What is known of some requests and of others adds up.

    Attributes
    ----------
    documents
        What is said of each run that retrieved documents, none of which is judged.
    requests
        What is said of each run that answered requests, none of which is judged.
    matched
        The runs that retrieved a document that is judged.
    """

    documents: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, str] = field(default_factory=dict)
    matched: tuple[str, ...] = ()

    @classmethod
    def look(cls, ranked: RankedRuns, *, only_with_cause: bool = False) -> Unmatched:
        """Look at the runs of some requests; ``only_with_cause`` names only runs of other ids."""
        kind = "judged" if ranked.judged.complete else "relevant"
        strange = [run for run in ranked.runs if run.strangers]
        unasked = [run for run in ranked.runs if run.extra and not run.answered.any()]
        judged = ranked.judged.items["doc_id"].unique(maintain_order=True) if strange else None
        is_telling = ranked.judged.items.height >= _TELLING
        is_certain = is_telling and not only_with_cause
        if only_with_cause and not is_telling:
            strange = []
        documents = {}
        for n, run in enumerate(strange):
            # Finding a cause takes time, and so many runs show it.
            cause = ""
            if n < _SAID and judged is not None:
                hint = run.strangers, judged, ranked.judged
                cause = _unjudged_hint(*hint, is_certain=is_certain)
            if not is_certain and not cause.startswith("likely"):
                continue
            found = f"no {kind} document was retrieved by the run {coded.said(run.name)}: it has "
            documents[run.name] = f"{found}{n_and_first(run.strangers)}; {cause}".rstrip("; ")
        requests = {run.name: "" for run in unasked}
        for run in unasked[:_SAID]:
            extra = sorted(run.extra)
            requests[run.name] = (
                f"no judged request was answered by the run {coded.said(run.name)}: it answers "
                f"{n_and_first(extra)}; {_cause(extra, ranked.judged.queries)}"
            )
        matched = (
            run.name
            for run in ranked.runs
            if not run.strangers and (run.retrieved.any() or run.unjudged)
        )
        return cls(documents, requests, tuple(sorted(matched)))

    def __add__(self, other: Unmatched) -> Unmatched:
        """Join the findings of two parts of the requests."""
        return Unmatched(
            _least_of(self.documents, other.documents),
            _least_of(self.requests, other.requests),
            tuple(sorted({*self.matched, *other.matched})),
        )

    def runs(self, answers: pl.DataFrame) -> dict[str, str]:
        """Return a sentence on each run without a match, where other runs have one."""
        counts = answers.select("run", "answered", "extra").rows()
        unasked = [run for run, answered, extra in counts if not answered and extra]
        strange = [run for run in self.documents if run not in self.matched]
        of_documents = {run: self.documents[run] for run in strange}
        of_requests = {run: self.requests.get(run, "") for run in unasked}
        return dict(sorted((of_documents | of_requests).items())) if self.matched else {}


_TELLING = 10
"""So many judged documents are enough to doubt the ids of a run that has none of them."""
_SAID = 3
"""So many runs are named, each with a warning of its own."""


def _least_of(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of both; of two texts the first by the alphabet, if it is not empty."""
    names = dict.fromkeys([*one, *other])
    return {n: min(filter(None, (one.get(n), other.get(n))), default="") for n in names}


def warn_of_unmatched(runs: Mapping[str, str]) -> None:
    """Warn of runs whose ids match nothing in the judgments; ``runs`` has their sentences."""
    said = [words for words in runs.values() if words][:_SAID]
    for words in said:
        warn(words)
    if len(runs) > len(said):
        warn(f"no judged document or request in common with the judgments: {n_and_first(runs)}")


def _cause(ours: list[str], theirs: pl.Series) -> str:
    from lexiframe.core.base import likely_cause

    cause = likely_cause(ours, theirs)
    return f"likely cause: {cause}" if cause else "do both use the same query ids?"


def _unjudged_hint(
    retrieved: list[str], judged: pl.Series, known: JudgedItems, *, is_certain: bool = True
) -> str:
    """Return the likely reason why no retrieved document is judged for its request."""
    from lexiframe.core.base import likely_cause

    if found := known.left_out.filter(known.left_out.is_in(retrieved)).min():
        return f"{found!r} is judged, but not relevant"
    elsewhere = min({*retrieved} & {*judged}, default=None)
    if elsewhere is not None:
        kind = "judged" if known.complete else "relevant"
        return (
            f"{elsewhere!r} is {kind}, but for another request than those that retrieved it: "
            "are the requests numbered alike?"
        )
    cause = likely_cause(retrieved, judged, is_certain=is_certain)
    return f"likely cause: {cause}" if cause else "do both use the same document ids?"
