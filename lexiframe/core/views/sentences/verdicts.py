"""The conclusion in words, to read first: `verdict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import polars as pl

from lexiframe import features
from lexiframe.core.base import (
    LexiframeError,
    SchemaError,
    check_choice,
    escaped,
    n_and_first,
    printed,
    resampling,
    schemas,
    sums,
    to_polars,
    typed,
)
from lexiframe.core.base.feature import Collections, Verdicts
from lexiframe.core.io import column_forms
from lexiframe.core.significance import MEANS, own_tests, tests, tests_in_words
from lexiframe.core.views.sentences.coverage import rankings_in_words, told_of_each
from lexiframe.core.views.sentences.gains import both_ways
from lexiframe.core.views.sentences.lacking import (
    NOTHING_JUDGED,
    Lacking,
    drop_unmatched,
    is_nothing_judged,
    unmatched_said,
)
from lexiframe.core.views.sentences.rows import (
    add_sentences,
    drop_counts,
    is_first,
    measures_by,
    smaller_said,
)
from lexiframe.core.views.sentences.ties import add_ties
from lexiframe.core.views.sentences.too_few import (
    IS_TESTED,
    KEY,
    evidence,
    family_keys,
    mark_too_few,
    nothing_concluded,
    too_few_to_conclude,
    who_is_first,
)
from lexiframe.typing import Evaluated, Frame, Told


@typed
def verdict(
    e: Evaluated | Told | Frame,
    /,
    comparisons: Frame | None = None,
    *,
    alpha: float | None = None,
    family: Literal["measure", "all"] | None = None,
) -> printed.Verdict:
    """State by each measure which runs are first and which are not significantly worse.

    Or state in words what a table says that helps to decide: by `equivalence`, `gate`,
    `judge_agreement`, `conclusions`, `unjudged`, `overlap`, `contrasting` or `audit`, or a result
    with a verdict of its own, such as those of `compare_judges` and `hole_sensitivity`.

    Parameters
    ----------
    e : Evaluation, frame, or result of several tables
        The result of `evaluate`. Its orderings are used, and its comparisons unless others are
        given. Or one of the tables and results named above, which takes no other argument.
    comparisons
        Another table of comparisons of all pairs, by `compare` or `tukey_hsd`, computed from the
        same scores or preferences (and within the same groups).
    alpha : float, optional
        A pair differs significantly when its corrected p-value is below alpha. Default: that of the
        evaluation.
    family : {"measure", "all"}, optional
        The family of comparisons that the p-values were corrected over; only the sentence uses it.
        Default: that of the evaluation; for other comparisons the pairs of one measure.

    Returns
    -------
    polars.DataFrame
        A frame that prints its sentences, each of them whole, wherever it is shown. Measures (of a
        group of requests) of which the same holds share a sentence, which names them all.

        Key ``measure, test, correction``, after the attributes of groups if there are any, in the
        order in which the measures were asked for. ``best`` lists the runs that share the first
        rank, and ``not_worse`` the other runs that no best run is significantly better than, if a
        test is possible: it needs two requests in common. ``untested`` lists the others of which
        that is not known for want of a test. Counts (num_ret) have no best and no row. What
        orders the runs need not be what the test compares: ``favoured`` lists the runs that the
        test puts before all best runs, or significantly before one of them; the sentence names
        the latter.
        It calls a run best if it alone is first and all others are significantly worse; else it
        says how many may be: the first, ``not_worse`` and ``untested``. ``too_few`` says that
        nothing can be concluded: no pair could differ significantly, even if in all of the family
        one run had won every request that is not a tie (``least_p`` of `compare`, corrected). The
        sentence then says nothing of significance.
        ``n_significant`` of the ``n_pairs`` pairs of runs are significant. ``n`` is the number of
        requests (the least of any pair; the sentence has the range). ``sentence`` puts all this
        into words, with the test, correction, family and level.

        With a baseline, ``better``, ``worse``, ``undecided`` and ``incomparable`` list the runs
        that are significantly better than it, worse, not significantly different, and without a
        request in common, in place of the lists above.

        Of several collections the first rows, whose ``collection`` is null, are about all of them:
        in how many each run is first, and significantly before all others; how far the collections
        order the runs alike; and whether the first run by the mean over them hangs on one.

        For a table that helps to decide, a row for each sentence: its keys, and ``sentence``, which
        is the last column.

    Raises
    ------
    LexiframeError
        Where runs lack requests of a measure and `evaluate_scores` was not told what to do (they
        have no order); when comparisons of a best run with other runs are missing; when the
        comparisons have other collections, groups or measures than the evaluation; for an alpha not
        between 0 and 1 or an unknown family; and for one-sided tests: these ask whether ``run_a``
        is better than ``run_b``, and the names alone decide which run of a pair is ``run_a``.
    TypeError
        When ``e`` is neither an Evaluation nor one of these tables, and for other arguments beside
        such a table.

    Notes
    -----
    A run that is not significantly worse need not be equally good. Which run of a pair is better is
    decided by what the test compares: means, wins against losses, or ranks.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], test="t")
    >>> print(lf.verdict(e)["sentence"][0])
    By AP, pixels_euclidean is first; pca8_euclidean is not significantly worse, so that 2 runs \
may be best. 2 of 3 pairs of runs differ significantly (paired t-test, Holm's correction over the \
3 pairs, α = 0.05, n = 5 requests).
    """
    if not hasattr(e, "provenance"):
        return _table_verdict(e, comparisons is None and alpha is None and family is None)
    evaluated: Any = e
    if evaluated.provenance["inference"].get("baseline") is not None and comparisons is None:
        from lexiframe.core.views.sentences.verdict_on_baseline import baseline_verdict

        found: pl.DataFrame = baseline_verdict(evaluated, alpha)
    else:
        names = ("orderings", "comparisons", "win_rates", "coverage")
        tables = {name: getattr(evaluated, name) for name in names}
        how: dict[str, Any] = {"alpha": alpha, "family": family}
        if comparisons is not None and getattr(evaluated, "collections", None):
            _refuse_other_collections(to_polars(comparisons), evaluated)
        found = verdict_of(tables, evaluated.provenance, comparisons, **how)
    found = add_ties(found, evaluated)
    if getattr(evaluated, "collections", None):
        found = features.needed(Collections, "verdict").add_verdict(found, evaluated)
    return printed.Verdict(found)


def _refuse_other_collections(comparisons: pl.DataFrame, e: Any) -> None:
    """Raise for comparisons of collections that are unknown, or that lack some of the known."""
    from lexiframe.core.projection import by_collection

    if "collection" not in comparisons.columns:
        raise LexiframeError(
            f"verdict: expected comparisons of {len(e.collections)} collections, and the column "
            "collection, found none of them; compare its own scores or preferences, or ask one: "
            f"lf.verdict(e.collections[{next(iter(e.collections))!r}], comparisons)"
        )
    found, tested = ({*c["collection"]} for c in (comparisons, e.comparisons))
    by_collection.refuse_unknown("comparisons", sorted(map(str, found)), e.collections)
    if lacking := [name for name in e.collections if name in tested - found]:
        raise LexiframeError(
            f"verdict: expected comparisons of each collection, found none of "
            f"{n_and_first(lacking)}; compare all of them, or ask one: e.collections[...]"
        )


def _table_verdict(table: Any, is_alone: bool) -> printed.Verdict:
    """Return the verdict on a table that helps to decide, or on a result that has its own."""
    found = getattr(table, "verdict", None)
    if not isinstance(found, printed.Verdict):  # a frame may have a column of this name
        found = None
    if found is None and column_forms.is_frame(table):
        found = sentences_of(to_polars(table))
    if found is None:
        raise TypeError(
            "verdict: expected the Evaluation of evaluate, or a result or table of equivalence, "
            "gate, required_requests with a margin, judges, holes, overlap or audit, found "
            f"{type(table).__name__}; give comparisons as the second argument"
        )
    if not is_alone:
        raise TypeError("verdict: comparisons, alpha and family are for the result of evaluate")
    return printed.Verdict(found)


def verdict_of(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    others: Any = None,
    *,
    alpha: float | None = None,
    family: Literal["measure", "all"] | None = None,
) -> pl.DataFrame:
    """Compute the verdict from the tables of an evaluation; ``others`` replaces the comparisons."""
    names, inference = provenance["groups"], provenance["inference"]
    level = inference["alpha"] if alpha is None else alpha
    if family is None:
        family = inference["family"] if others is None else "measure"
    table = verdict_rows(tables, provenance, others, alpha=alpha, family=family)
    lacking = Lacking.read_provenance(provenance)
    missing = told_of_each(tables["coverage"], rankings_in_words) if "coverage" in tables else ()
    by = [f"by {name}" for name in names]

    def say(rows: list[dict[str, Any]]) -> str:
        measures = [row["measure"] for row in rows]
        if is_nothing_judged(tables.get("coverage")):
            return f"By {printed.and_joined(measures)}, {NOTHING_JUDGED}."
        said = smaller_said(measures, provenance)
        said += [*lacking.said(measures), *unmatched_said(provenance), *missing]
        sentence = " ".join([_verdict_sentence(rows, names, level, family), *said])
        return printed.say_users(sentence, provenance)

    table = add_sentences(table, by, lambda row: _sentence_key(row, family), say)
    return table.select(*by, *schemas.VERDICT.columns).rename(dict(zip(by, names, strict=True)))


def verdict_rows(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    others: Any = None,
    *,
    alpha: float | None = None,
    family: Literal["measure", "all"] | None = None,
) -> pl.DataFrame:
    """List for each measure (test, correction) the first runs, and the results of the tests.

    Attributes of groups are the first columns; they begin with ``by``, since names may collide.
    ``n_runs`` are compared; ``better`` are significantly better than a first run, in the quantity
    that the test compares.
    """
    inference = provenance["inference"]
    if alpha is not None:
        resampling.check_share("verdict", "alpha", alpha)
    if family is not None:
        check_choice("verdict", family, ("measure", "all"), "family")
    level = inference["alpha"] if alpha is None else alpha
    if family is None:
        family = inference["family"] if others is None else "measure"
    names = provenance["groups"]
    by = [f"by {name}" for name in names]  # an attribute may have the name of a column below
    renamed = dict(zip(names, by, strict=True))
    orderings = tables["orderings"].rename(renamed)
    _refuse_unranked(orderings, provenance)
    c = _comparisons(tables["comparisons"] if others is None else others, orderings, names, by)
    _refuse_one_sided(c)
    tested = IS_TESTED
    c = c.with_columns(reject=tested & (pl.col("p_adjusted") < level), tested=tested)
    of_family = _told_apart(c, by, family).select(*by, *KEY, "family")  # p-values are corrected so
    known = {"c": c, "wins": tables["win_rates"].rename(renamed), "orderings": orderings}
    c, wins, orderings = drop_unmatched(known, provenance).values()
    # Runs that share the first place have the same rank: the mean of their places, 1.5 for two.
    orderings = orderings.with_columns(is_best=is_first(by)).sort("rank", "run")
    runs = orderings.group_by(*by, "measure").agg(
        n_runs=pl.len(),
        best=pl.col("run").filter("is_best"),
        others=pl.col("run").filter(~pl.col("is_best")),
    )
    # Joins match nulls: requests without an attribute are a group, whose value is null.
    table = _told_apart(c, by, family).drop("family")
    table = table.join(of_family, on=[*by, *KEY], nulls_equal=True)
    table = table.join(runs, on=[*by, "measure"], nulls_equal=True)
    against = _undecided_runs(c, orderings, by)
    table = table.join(against, on=[*by, *KEY], how="left", nulls_equal=True)
    _refuse_uncompared(table.sort(*by, "measure"))
    if others is None:
        table = pl.concat([table, _uncompared_rows(runs, c, inference, by)], how="diagonal_relaxed")
    lists = pl.col("not_worse", "untested", "worse", "favoured", "better")
    table = drop_counts(table, provenance).with_columns(lists.fill_null([]))
    table = mark_too_few(table, c, wins, by, family, level)
    table = table.with_columns(too_few=pl.col("too_few") | (pl.col("n_pairs") == 0))
    in_order = printed.group_order(by, tables["orderings"])
    return table.sort(*in_order, printed.place_among(provenance["measures"]), *KEY)


def _refuse_unranked(orderings: pl.DataFrame, provenance: Mapping[str, Any]) -> None:
    """Raise where runs that lack requests have no order."""
    unranked = orderings.filter(pl.col("rank").is_null())["measure"].unique().sort()
    if notes := Lacking.read_provenance(provenance).notes(unranked.to_list()):
        raise LexiframeError(f"verdict: {'; '.join(notes)}")


def _comparisons(
    given: Any, orderings: pl.DataFrame, names: list[str], by: list[str]
) -> pl.DataFrame:
    """Check comparisons: one of each pair, in the groups and measures of the orderings."""
    c = to_polars(given)
    lacking = [name for name in names if name not in c.columns]
    if lacking:
        raise LexiframeError(
            f"verdict: the evaluation has groups by {', '.join(names)}, but the comparisons lack "
            f"the column {lacking[0]}; compare within the same groups: requests=, by="
        )
    groups = [c[name].alias(called) for name, called in zip(names, by, strict=True)]
    c = schemas.check(c, schemas.COMPARISONS).with_columns(groups)
    keys = [*by, *schemas.COMPARISONS.key]
    if not schemas.is_in_order(c, keys) and c.select(keys).is_duplicated().any():
        raise SchemaError(
            "verdict: expected one comparison of each pair by measure, test and correction, found "
            "several; compare within the groups of the evaluation, which are "
            f"{', '.join(names) or 'none'}"
        )
    others = c.join(orderings, on=[*by, "measure"], how="anti", nulls_equal=True)
    if others.height:
        raise LexiframeError(
            f"verdict: the evaluation has no ordering of runs for {others['measure'][0]} in this "
            "group; give comparisons of its own scores or preferences, in its own groups"
        )
    return c


def _refuse_one_sided(c: pl.DataFrame) -> None:
    one_sided = c["test"].filter(c["test"].str.contains("alternative=", literal=True))
    if len(one_sided):
        raise LexiframeError(
            f"verdict: expected two-sided tests, found {one_sided[0]}, which asks about "
            "one direction only; use verdict(e, lf.compare(e.scores)) or "
            "verdict(e, lf.compare(e.preferences))"
        )


def _told_apart(c: pl.DataFrame, by: list[str], family: str) -> pl.DataFrame:
    """Count pairs that share requests, the significant ones, and comparisons in the family."""
    shares = pl.col("n") > 0
    counted = c.group_by(*by, *KEY).agg(
        pl.col("^n_effective$").min(),
        n_pairs=shares.sum().cast(pl.Int64),
        n_significant=pl.col("reject").sum().cast(pl.Int64),
        n=pl.col("n").filter(shares).min(),
        n_most=pl.col("n").max(),
        n_tested=pl.col("tested").sum(),
    )
    of_family = pl.col("n_pairs").sum().over(family_keys(c, by, family))
    return counted.with_columns(family=of_family)


def _uncompared_rows(
    runs: pl.DataFrame, c: pl.DataFrame, inference: Mapping[str, Any], by: list[str]
) -> pl.DataFrame:
    """Return rows for measures without any comparison: no two runs share a request."""
    lacking = runs.filter(pl.col("n_runs") > 1).join(
        c, on=[*by, "measure"], how="anti", nulls_equal=True
    )
    for name in ("test", "correction"):
        lacking = lacking.join(
            pl.DataFrame({name: own_tests.several(inference[name])}), how="cross"
        )
    none = dict.fromkeys(("n_pairs", "n_significant", "n_most", "n_tested", "family"), 0)
    numbers = {name: pl.lit(n, pl.Int64) for name, n in none.items()}
    return lacking.with_columns(**numbers, untested="others")


def _undecided_runs(c: pl.DataFrame, orderings: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """List the runs, other than the best, that no best run is significantly better than.

    ``untested`` are runs without a test against the best, ``worse`` the remaining ones.
    ``favoured`` are ahead of all best runs in the quantity that the test compares, ``better``
    significantly better than one of them. ``n_against`` counts the comparisons of best runs with
    other runs.
    """
    of_measure = orderings.select(*by, "measure", "run", "rank", "is_best")
    best = of_measure.filter("is_best").rename({"run": "rival"})
    others = of_measure.filter(~pl.col("is_best"))
    against = both_ways(c, best.select(*by, "measure", "rival")).join(
        others, on=[*by, "measure", "run"], nulls_equal=True
    )
    # A run is worse if any of the best runs is significantly better.
    is_worse = (pl.col("reject") & (pl.col("gain") < 0)).any()
    is_ahead = pl.col("gain").fill_null(0) > sums.TIE
    of_runs = against.group_by(*by, *KEY, "run", "rank").agg(
        n=pl.len(),
        is_worse=is_worse,
        is_tested=pl.col("tested").all(),
        is_ahead=(is_ahead & pl.col("tested")).all(),
        is_better=(pl.col("reject") & is_ahead).any(),
    )
    ranked = of_runs.sort("rank", "run").group_by(*by, *KEY)
    return ranked.agg(
        n_against=pl.col("n").sum(),
        not_worse=pl.col("run").filter(~pl.col("is_worse") & pl.col("is_tested")),
        untested=pl.col("run").filter(~pl.col("is_worse") & ~pl.col("is_tested")),
        worse=pl.col("run").filter("is_worse"),
        favoured=pl.col("run").filter(pl.col("is_ahead") | pl.col("is_better")),
        better=pl.col("run").filter("is_better"),
    )


def _refuse_uncompared(table: pl.DataFrame) -> None:
    """Raise unless each best run is compared with all runs that are not best."""
    n_best = pl.col("best").list.len()
    wanted = n_best * (pl.col("n_runs") - n_best)
    lacking = table.filter(pl.col("n_against").fill_null(0) < wanted)
    if lacking.height:
        raise LexiframeError(
            f"verdict: expected comparisons of every best run of {lacking['measure'][0]} with all "
            "other runs, but some are missing; compare all pairs (no baseline) of the same runs"
        )


class _Said(NamedTuple):
    """The content of a measure's sentence, without the names of the measure and the test.

    ``begin`` says that nothing can be concluded, where that is so, whoever is first; ``how`` are
    the numbers that stand beside the name of the test.
    """

    begin: str
    said: str
    how: tuple[Any, ...]


def _sentence_key(row: dict[str, Any], family: str) -> _Said:
    """Return the content of a row's sentence; measures with equal content share one."""
    how = tuple(row[name] for name in ("correction", "family", "n", "n_most"))
    if begin := too_few_to_conclude(row, family):
        return _Said(begin, "", how)
    said = f"{printed.listed(row['best'])} {_how_first(row)}; {_others_phrase(row)}"
    if row["n_tested"]:
        n, pairs = row["n_significant"], printed.counted(row["n_pairs"], "pair")
        differ = "differs" if 1 in (n, row["n_pairs"]) else "differ"
        told = f"{n:,} of {pairs} of runs {differ} significantly"
        said = f"{said}. {_better_phrase(row)}{told}"
    return _Said("", said, how)


def _verdict_sentence(
    rows: list[dict[str, Any]], names: Sequence[str], alpha: float, family: str
) -> str:
    """Return one sentence for all measures with equal conclusions."""
    row, found = rows[0], _sentence_key(rows[0], family)
    of = printed.and_joined([row["measure"] for row in rows])
    group = printed.group_end(row, names, "by ")
    if found.begin:
        who = measures_by(rows, lambda row: who_is_first(row, printed.listed))
        said = nothing_concluded(found.begin, who, of, group)
        return escaped(f"{said}{evidence(rows, names, alpha, family)}.")
    how = f" ({tests_in_words.how_tested(rows, names, alpha, family)})" if row["n_tested"] else ""
    return escaped(f"By {of}{group}, {found.said}{how}.")


def _how_first(row: dict[str, Any]) -> str:
    """Say that the first run is best, if it differs from all other runs, or only first."""
    if len(row["best"]) > 1:
        return "share the first rank"
    return "is first" if row["not_worse"] or row["untested"] else "is best"


def _others_phrase(row: dict[str, Any]) -> str:
    """Return the part of the sentence about the runs that are not best, and how many may be."""
    n_others = row["n_runs"] - len(row["best"])
    if n_others == 0:
        return "there is no other run"
    n = len([*row["best"], *row["not_worse"], *row["untested"]])
    may = f", so that {n:,} runs may be best"
    why = "with one request" if row["n_most"] == 1 else "for want of requests or of a p-value"
    if len(row["untested"]) == n_others:
        return f"no test is possible {why}{may}"
    untested = (
        f"; {printed.listed(row['untested'])} cannot be tested, {why}" if row["untested"] else ""
    )
    if row["not_worse"]:
        return f"{printed.they_are(row['not_worse'])} not significantly worse{untested}{may}"
    verb = "the other run is" if n_others == 1 else "all other runs are"
    return f"{untested.removeprefix('; ')}{may}" if untested else f"{verb} significantly worse"


def _better_phrase(row: dict[str, Any]) -> str:
    """Say which runs the test puts significantly before the first, if there are any."""
    if not row["better"]:
        return ""
    test = tests.TESTS.get(row["test"].partition("(")[0])
    compared = (test.compares if test else MEANS).words
    better = printed.they_are(row["better"])
    return (
        f"The test compares {compared}, by which {better} significantly better than "
        f"{printed.listed(row['best'])}. "
    )


def sentences_of(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdict on a table of decisions, or None for any other table.

    A table is recognised by its columns; attributes of groups may stand in front. The verdict is a
    frame with a row for each sentence, whose last column is ``sentence``.
    """
    from lexiframe.core.significance import concluded_in_words as concluded
    from lexiframe.core.significance import required_in_words

    of_the_core = (
        (schemas.CONCLUSIONS, concluded.conclusion_sentences),
        (schemas.CONCLUSION_PAIRS, concluded.pair_sentences),
        (schemas.REQUIRED_BY_QUESTION, required_in_words.required_in_words),
    )
    columns = {*table.columns}
    of_features = (pair for verdicts in features.every(Verdicts) for pair in verdicts.in_words)
    for schema, in_words in chain(of_the_core, of_features):
        if {*schema.required} <= columns:
            return in_words(table)
    return None
