"""The first lines of an evaluation: which run is first by which measures, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.views.sentences.coverage import (
    judged_where_pooled,
    rankings_in_words,
    run_names,
    told_of_each,
)
from lexiframe.core.views.sentences.gains import first_test_rows
from lexiframe.core.views.sentences.lacking import (
    NOTHING_JUDGED,
    Lacking,
    drop_unmatched,
    drop_unranked,
    is_nothing_judged,
    unmatched_said,
)
from lexiframe.core.views.sentences.rows import drop_counts, is_first, measures_by
from lexiframe.core.views.sentences.ties import sentences_on_coverage
from lexiframe.core.views.sentences.too_few import (
    KEY,
    first_by_measures,
    mark_too_few,
    nothing_concluded,
    too_few_to_conclude,
    who_is_first,
)
from lexiframe.core.views.sentences.verdicts import verdict_rows

_MOST_STATEMENTS = 3
"""The number of sentences from which on measures share one that do not say quite the same."""
_MOST_GROUPS = 3

_FEW_JUDGED = 0.5
_SHARED = 0.9
"""The share of their requests that two runs have in common if they are copies of one another."""
_BEST = "is best"
_NO_RUN = "No run"

Row = dict[str, Any]


def first_sentences(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return sentences on the runs, by the first test and correction of an evaluation.

    Measures with equal answers share a sentence, and each is named. The grounds of conclusions
    follow: requests without a ranking, documents without a judgment, identical runs.
    """
    if is_nothing_judged(tables["coverage"]):
        return (f"{NOTHING_JUDGED[0].upper()}{NOTHING_JUDGED[1:]}.",)
    return (*_conclusions(tables, provenance), *evidence(tables, provenance))


def _conclusions(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[str]:
    yield from unmatched_said(provenance)
    if _is_alone(tables, provenance):
        one = "One run is left" if provenance.get("unmatched") else "There is one run"
        yield f"{one}: a verdict needs two."
        return
    rows, statements = _stated(tables, provenance)
    yield from Lacking.read_provenance(provenance).said(provenance["measures"])
    for group, part in _first_groups(rows, provenance["groups"]):
        yield from statements(part.to_dicts(), group, provenance["inference"])


def sentences_by_group(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the sentences on the runs for each group of requests, by its name."""
    by = provenance["groups"]
    if is_nothing_judged(tables["coverage"]) or _is_alone(tables, provenance):
        groups = printed.name_groups(tables["orderings"], by)["group"]
        return dict.fromkeys(groups, [*first_sentences(tables, provenance)][:1])
    rows, statements = _stated(tables, provenance)
    keys = rows.select(pl.col(f"by {name}").alias(name) for name in by) if by else rows
    named = rows.with_columns(title=printed.name_groups(keys, by)["group"])
    parts = named.partition_by("title", as_dict=True, maintain_order=True)
    return {
        str(key[0]): statements(part.to_dicts(), "", provenance["inference"])
        for key, part in parts.items()
    }


def _is_alone(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> bool:
    return drop_unmatched(tables, provenance)["means"]["run"].n_unique() < 2


def _stated(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> tuple[pl.DataFrame, Callable[..., list[str]]]:
    """Return the answers of all measures, and the function that makes sentences from them."""
    inference, by = provenance["inference"], provenance["groups"]
    compared = {**tables, "comparisons": first_test_rows(tables["comparisons"], inference)}
    if inference.get("baseline") is not None:
        from lexiframe.core.views.sentences.verdict_on_baseline import baseline_rows

        return baseline_rows(compared, provenance), _baseline_sentences
    if inference["alternative"] != "two-sided":
        return _one_sided_rows(drop_unmatched(compared, provenance), provenance), _one_sided
    return verdict_rows(drop_unranked(compared, by), provenance), _best_sentences


def _first_groups(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the first groups of requests as the end of a phrase, with their rows."""
    on = [f"by {name}" for name in by]
    parts = rows.partition_by(on, maintain_order=True) if on else [rows]
    for part in parts[:_MOST_GROUPS]:
        if part.height:
            yield printed.group_end(part.row(0, named=True), by, "by "), part


class _Answer(NamedTuple):
    """The answer of a measure, apart from its name.

    ``begin`` says that nothing can be concluded, where that is so. ``runs`` do what ``verb`` says.
    ``near`` are not significantly worse, and ``end`` is what else holds of the others.
    """

    begin: str
    runs: str
    verb: str
    near: tuple[str, ...] = ()
    end: str = ""


_NONE = _Answer("", "", "")
_Answers = dict[_Answer, list[str]]
"""Answers, and the measures that give them, in the order of the first of these."""
_Kinds = tuple[Callable[[_Answer], Hashable], ...]
_ALL_IN_COMMON: _Kinds = (lambda answer: answer._replace(near=tuple(sorted(answer.near))),)
_KINDS: _Kinds = (
    *_ALL_IN_COMMON,
    lambda answer: (answer.runs, answer.verb, bool(answer.near), answer.end),
    lambda answer: (answer.verb == _BEST, bool(answer.near), answer.end),
)
"""What answers have in common that share a sentence, if the ones before leave too many: all; who is
first; whether others are near."""


def _shared_sentences(
    rows: Sequence[Row], say: Callable[[Row], _Answer], group: str, kinds: _Kinds = _KINDS
) -> list[str]:
    """Return a sentence for measures with equal answers, or, if they are many, similar ones.

    Measures that allow no conclusion for one reason always share a sentence; a measure without an
    answer has none.
    """
    answers, found = measures_by(rows, say), list[list[_Answer]]()
    answers.pop(_NONE, None)
    for kind in kinds:
        together = dict[Hashable, list[_Answer]]()
        for answer in answers:
            together.setdefault(answer.begin or kind(answer), []).append(answer)
        found = [*together.values()]
        if len(found) <= _MOST_STATEMENTS:
            break
    asked = [row["measure"] for row in rows]
    return [_answers_sentence({one: answers[one] for one in some}, group, asked) for some in found]


def _answers_sentence(answers: _Answers, group: str, asked: Sequence[str]) -> str:
    """Return the sentence of answers that have something in common, of the measures asked for."""
    begin, runs, verb, near, end = next(iter(answers))
    who = dict[tuple[str, str], list[str]]()
    for answer, measures in answers.items():
        who.setdefault((answer.runs, answer.verb), []).extend(measures)
    named = {name for measures in answers.values() for name in measures}
    of_all = _measures_phrase([name for name in asked if name in named], len(asked))
    if begin:
        is_all = len(named) == len(asked)
        return f"{nothing_concluded(begin, who, of_all, group, is_all=is_all)}."
    if near:
        end = f"; {_near_phrase([answer.near for answer in answers])} not significantly worse{end}"
    if len(who) == 1 and runs == _NO_RUN:
        return f"{runs} {verb} by {_any_measure_phrase(named, asked)}{group}{end}."
    if len(who) == 1:
        return f"{runs} {verb} by {of_all}{group}{end}."
    end = f"; by each measure {end.lstrip(':; ')}" if end else ""
    return f"{first_by_measures(who, group)}{end}."


def _near_phrase(runs: Sequence[tuple[str, ...]]) -> str:
    """Name the runs that are near the first by each measure, or say how many there are."""
    if len({frozenset(some) for some in runs}) == 1:
        return f"{run_names(runs[0], 'others')} {_are(runs[0])}"
    n = printed.n_range([len(some) for some in runs])
    return f"{printed.counted(n, 'other')} {'is' if n == '1' else 'are'}"


def _measures_phrase(measures: Sequence[str], n_all: int) -> str:
    if len(measures) == n_all > 2:
        return f"all {n_all} measures"
    return printed.and_joined(measures)


def _any_measure_phrase(named: set[str], asked: Sequence[str]) -> str:
    """Name measures for "by none": "not by all" would be ambiguous."""
    *others, last = (name for name in asked if name in named)
    if len(named) == len(asked) > 2:
        return f"any of the {len(asked)} measures"
    return f"{', '.join(others)} or {last}" if others else last


def _best_sentences(rows: Sequence[Row], group: str, inference: Mapping[str, Any]) -> list[str]:
    """Return sentences on the first run, and on its distance from the next ones."""
    return _shared_sentences(rows, lambda row: _first_answer(row, inference["family"]), group)


def _first_answer(row: Row, family: str) -> _Answer:
    best, worse, untested = row["best"], row["worse"], row["untested"]
    if begin := too_few_to_conclude(row, family):
        return _Answer(begin, *who_is_first(row, run_names))
    verb = "is first" if len(best) == 1 else "share the first place"
    if worse and not row["not_worse"] and not untested:
        others = f"{run_names(worse)} is" if len(worse) == 1 else "all others are"
        verb, colon = (_BEST, ":") if len(best) == 1 else (verb, ";")
        return _Answer("", run_names(best), verb, (), f"{colon} {others} significantly worse")
    end = f"; {run_names(untested)} cannot be tested" if untested else ""
    if row["better"]:
        end += f"; the test favours {run_names(row['better'])} significantly"
    return _Answer("", run_names(best), verb, tuple(row["not_worse"]), end)


def _are(runs: Sequence[str]) -> str:
    return "is" if len(runs) <= 1 else "are"


def _baseline_sentences(rows: Sequence[Row], group: str, inference: Mapping[str, Any]) -> list[str]:
    """Return sentences on the runs that are better and worse than the baseline, and neither."""

    def say(row: Row) -> _Answer:
        return _uncompared_answer(row, inference)

    said = _shared_sentences(rows, say, group, _ALL_IN_COMMON)
    if len(said) <= _MOST_STATEMENTS:
        return said
    # Of many answers a sentence says what holds of one side, measure by measure.
    told = [row for row in rows if not row["too_few"]]
    said = _shared_sentences(rows, lambda row: say(row) if row["too_few"] else _NONE, group)
    sides = {"greater": ("better",), "less": ("worse",)}
    baseline = printed.shortened(inference["baseline"])
    for side in sides.get(inference["alternative"], ("better", "worse")):
        said.append(
            f"Significantly {side} than {baseline}{group}: {_runs_by_measures(told, side)}."
        )
    return said


def _runs_by_measures(rows: Sequence[Row], column: str) -> str:
    """Return the run names in a column of rows, each set with the measures that give it."""
    by_runs = measures_by(rows, lambda row: run_names(row[column]) if row[column] else "none")
    return ", ".join(f"{runs} by {printed.and_joined(of)}" for runs, of in by_runs.items())


def _uncompared_answer(row: Row, inference: Mapping[str, Any]) -> _Answer:
    baseline, side = printed.shortened(inference["baseline"]), inference["alternative"]
    if begin := too_few_to_conclude(row, inference["family"]):
        from lexiframe.core.views.sentences.verdict_on_baseline import ahead_of_baseline

        return _Answer(begin, *ahead_of_baseline(row, inference["baseline"], run_names))
    better, worse, open_ = (row[name] for name in ("better", "worse", "undecided"))
    if row["incomparable"] and not (better or worse or open_):
        return _Answer("", _NO_RUN, f"can be compared with {baseline}", (), "")
    runs, what = (worse, "worse") if side == "less" else (better, "better")
    said = [f"{run_names(worse) if worse else 'none'} {_are(worse)} worse"] * (side == "two-sided")
    if open_:
        said.append(f"{run_names(open_)} {_are(open_)} not significantly different from it")
    if row["incomparable"]:
        said.append(f"{run_names(row['incomparable'])} not comparable")
    verb = f"{_are(runs)} significantly {what} than {baseline}"
    return _Answer(
        "", run_names(runs) if runs else _NO_RUN, verb, (), "".join(f"; {x}" for x in said)
    )


def _one_sided_rows(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> pl.DataFrame:
    """Return how many pairs differ by one-sided tests, by measure, and which runs are first."""
    names = provenance["groups"]
    by, inference = [f"by {name}" for name in names], provenance["inference"]
    of = ("comparisons", "orderings", "win_rates")
    c, o, wins = (tables[name].rename(dict(zip(names, by, strict=True))) for name in of)
    rows = drop_counts(c, provenance).group_by(*by, *KEY).agg(
        pl.col("reject").sum(), pl.col("^n_effective$").min(),
        n=pl.col("n").min(), n_most=pl.col("n").max(), n_pairs=pl.len(),
    )  # fmt: skip
    first = o.filter(is_first(by)).sort("run").group_by(*by, "measure").agg(best="run")
    rows = rows.join(first, on=[*by, "measure"], how="left", nulls_equal=True)
    rows = mark_too_few(rows, c, wins, by, inference["family"], inference["alpha"])
    in_order = printed.group_order(by, tables["orderings"])
    return rows.sort(*in_order, printed.place_among(provenance["measures"]))


def _one_sided(rows: Sequence[Row], group: str, inference: Mapping[str, Any]) -> list[str]:
    """Return sentences on the pairs that differ by one-sided tests."""

    def say(row: Row) -> _Answer:
        begin = too_few_to_conclude(row, inference["family"])
        verb = "is first" if len(row["best"]) == 1 else "share the first place"
        return _Answer(begin, run_names(row["best"]), verb) if begin else _NONE

    said = _shared_sentences(rows, say, group)
    found = [
        f"{row['reject']:,} of {row['n_pairs']:,} pairs by {row['measure']}"
        for row in rows
        if not row["too_few"]
    ]
    if found:
        said.append(
            f"Significant{group}: {printed.and_joined(found)}; the test is one-sided, and asks "
            "only about the run of a pair whose name comes first."
        )
    return said


def evidence(tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> Iterator[str]:
    """Yield the weaknesses of conclusions: missing rankings or judgments, equal scores, copies."""
    yield from told_of_each(judged_where_pooled(tables["coverage"], provenance), _ranking_sentences)
    yield from sentences_on_coverage(tables, provenance)
    yield from _same(tables["win_rates"], provenance)


def _ranking_sentences(coverage: pl.DataFrame) -> Iterator[str]:
    yield from rankings_in_words(coverage)
    few = coverage.filter(pl.col("judged_at_10") < _FEW_JUDGED)
    unseen = few["run"].unique(maintain_order=True).to_list()
    if unseen:
        top = min(10, max(few["depth"]))  # of shorter lists all are looked at
        yield f"Less than half of the top {top} of {run_names(unseen)} is judged."


def _same(wins: pl.DataFrame, provenance: Mapping[str, Any]) -> Iterator[str]:
    """Name runs that tie in all requests by all measures, as copies of one another do.

    Runs that lack requests of a measure are copies only if they have nearly all in common.
    """
    known = {*drop_counts(wins, provenance)["measure"].unique()}
    lacking = {name: of for name, of in provenance.get("lacking", {}).items() if name in known}
    in_common = {f"n by {name}": pl.col("n").filter(measure=name).sum() for name in lacking}
    both = pl.col("run_a", "run_b")
    are_shared = [
        pl.col(f"n by {name}")
        >= _SHARED * pl.max_horizontal(both.replace_strict(of["runs"], default=of["requests"]))
        for name, of in lacking.items()
    ]
    tie = wins.filter(pl.col("n") == pl.col("ties")).select("run_a", "run_b").unique()
    pairs = (
        drop_counts(wins, provenance)
        .join(tie, on=["run_a", "run_b"], how="semi")
        .group_by("run_a", "run_b")
        .agg(n=pl.col("n").sum(), ties=pl.col("ties").sum(), **in_common)
        .filter(pl.col("n") > 0, pl.col("n") == pl.col("ties"), *are_shared)
    )
    same = pairs.sort("run_a", "run_b")
    if same.height:
        a, b = same.select("run_a", "run_b").row(0)
        more = f", and so do {same.height - 1:,} more pairs" if same.height > 1 else ""
        asked = "are they the same run?"
        if provenance.get("policies", {}).get("ties") == "expected":
            more = f" in expectation over tied orders{more}"
            asked = "are they the same run, or do equal scores leave both without an order?"
        yield (
            f"{printed.shortened(a)} and {printed.shortened(b)} tie in every request by all "
            f"measures{more}: {asked}"
        )
