"""The marks of significance in a table for a paper: letters, daggers or arrows at the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any, Literal

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, printed
from lexiframe.core.significance import indistinct_groups, tests_in_words
from lexiframe.core.views.sentences.gains import both_ways, first_test_rows
from lexiframe.core.views.sentences.rows import is_first
from lexiframe.core.views.shown.means import marks

Marks = Literal["auto", "letters", "best", "baseline", "none"]
"""The marks that a table for a paper may have; ``auto`` chooses."""
_CHOICES = ("auto", "letters", "best", "baseline", "none")
_FEW = 10
"""The number of runs up to which letters can be read."""
NEAR, UNTESTED = "†", "?"


def chosen_marks(asked: str, runs: Sequence[str], inference: Mapping[str, Any]) -> str:
    """Return the kind of marks, or raise when the comparisons do not suffice for it."""
    check_choice("latex and markdown", asked, _CHOICES, "marks")
    baseline, of_pairs = inference.get("baseline"), inference["alternative"] == "two-sided"
    if asked in ("letters", "best") and (baseline is not None or not of_pairs):
        raise LexiframeError(
            f"marks={asked!r}: expected two-sided comparisons of all pairs of runs; evaluate "
            "without a baseline and with alternative='two-sided', or leave marks out"
        )
    if asked == "baseline" and baseline is None:
        raise LexiframeError(
            "marks='baseline': this evaluation has no baseline; use evaluate(..., baseline=run)"
        )
    if asked == "letters" and len(runs) > len(ascii_lowercase):
        raise LexiframeError(
            f"marks='letters': expected at most {len(ascii_lowercase)} runs, a letter each, found "
            f"{len(runs)}; choose some with runs=, or use marks='best'"
        )
    if asked != "auto":
        return "none" if len(runs) == 1 and asked != "baseline" else asked
    if baseline is not None:
        return "baseline"
    if not of_pairs or len(runs) == 1:
        return "none"
    return "letters" if len(runs) <= _FEW else "best"


def letters_of(runs: Sequence[str]) -> dict[str, str]:
    """Return a letter for each run, in their order."""
    return dict(zip(runs, ascii_lowercase, strict=False))


def marked(
    kind: str,
    means: pl.DataFrame,
    comparisons: pl.DataFrame,
    runs: Sequence[str],
    inference: Mapping[str, Any],
) -> pl.DataFrame:
    """Add to means ``is_best`` (several runs may be) and ``mark``, the text of the superscript."""
    # A count has no rank and so no best run; with a single run, the best would say nothing.
    means = means.with_columns(is_best=is_first().fill_null(False) & (len(runs) > 1))
    if kind == "none":
        return means.with_columns(mark=pl.lit(""))
    if kind == "letters":
        found = _better_than(comparisons, letters_of(runs), inference)
    else:
        mark = pl.col("mark").str.extract("([▲▼?])").fill_null("")
        if kind == "best":
            mark = pl.col("mark").str.replace_many({"~": NEAR, "*": ""})
        found = marks(means, comparisons, inference).with_columns(mark)
    joined = means.join(found, on=["run", "measure"], how="left", maintain_order="left")
    ranked = pl.col("rank").is_not_null()
    mark = pl.when(ranked).then(pl.col("mark")).otherwise(None).fill_null("")
    return joined.with_columns(mark=mark)


def _better_than(
    comparisons: pl.DataFrame, letters: Mapping[str, str], inference: Mapping[str, Any]
) -> pl.DataFrame:
    """List for each run and measure the letters of the runs that it is significantly better than.

    The quantity that the test compares decides which run of a pair is better, as in the verdict.
    ``?`` stands behind the letters where a pair is not tested, for want of requests.
    """
    rivals = pl.DataFrame({"rival": pl.Series([*letters], dtype=pl.String)})
    both = both_ways(first_test_rows(comparisons, inference), rivals)
    won = pl.col("reject") & indistinct_groups.IS_TESTED & (pl.col("gain") > 0)
    letter = pl.col("rival").replace_strict(letters, default=None, return_dtype=pl.String)
    untested = (
        pl.when(indistinct_groups.IS_TESTED.all()).then(pl.lit("")).otherwise(pl.lit(UNTESTED))
    )
    return both.group_by("run", "measure").agg(mark=letter.filter(won).sort().str.join() + untested)


def untested_in_words(kind: str, inference: Mapping[str, Any]) -> str:
    """Explain the mark `UNTESTED` for this kind of marks."""
    rival = {"letters": "another run", "best": "one of the best"}.get(kind, inference["baseline"])
    return f"{UNTESTED}: not tested against {rival}, for fewer than two requests in common."


def marks_in_words(
    kind: str,
    comparisons: pl.DataFrame,
    shown: pl.DataFrame,
    by: Sequence[str],
    inference: Mapping[str, Any],
) -> list[str]:
    """Explain the marks, with the test, the correction, its family, the level and n.

    ``shown`` has the means in the table: only their measures have marks.
    """
    if kind == "none":
        return []
    c = first_test_rows(comparisons, inference)
    ranked = shown.filter(pl.col("rank").is_not_null())["measure"].unique()
    of_shown = c.filter(pl.col("measure").is_in(ranked.implode()))
    if not of_shown.height:
        return []
    of_shown = of_shown.filter(pl.col("n") > 0)  # the others have no request in common
    if of_shown["n"].max() == 1:
        return ["With one request, no test is possible."]
    if not of_shown.select(indistinct_groups.ARE_ENOUGH.any()).item():
        return ["With n* below 2, no test is possible."]
    baseline = inference.get("baseline")
    meaning = {
        "letters": "Superscript letters: the runs that a run is significantly better than",
        "best": f"{NEAR}: not significantly different from any of the best",
        "baseline": f"▲, ▼: significantly better, worse than {baseline}",
    }[kind]
    order = printed.place_among(shown["measure"].unique(maintain_order=True))
    rows = of_shown.select("measure", "test", "correction").unique(maintain_order=True).sort(order)
    how, over = tests_in_words.each_test(rows.to_dicts())
    over = f"{over} {_family(c, of_shown, by, inference['family'])}"
    n = printed.n_range(of_shown["n"])
    if "n_effective" in of_shown.columns:
        from lexiframe.core.views.sentences.weights import star_range

        n += star_range(of_shown)
    return [f"{meaning} ({how}{over}, α = {inference['alpha']:g}, n = {n})."]


def _family(c: pl.DataFrame, of_shown: pl.DataFrame, by: Sequence[str], family: str) -> str:
    """Return the family of comparisons that the p-values are corrected over."""
    if family == "all":
        alone = [name for name in by if name == "collection"]
        tested = c.filter(pl.col("n") > 0)
        pairs = printed.n_range(tested.group_by(alone).len()["len"] if alone else [tested.height])
        groups = " and groups" * (len(by) > len(alone)) + " of each collection" * len(alone)
        return f"the {pairs} pairs of all measures{groups}"
    sizes = of_shown.group_by(*by, "measure").len()
    pairs = printed.n_range(sizes["len"])
    each = [*(["measure"] if sizes["measure"].n_unique() > 1 else []), *(["group"] if by else [])]
    of = f" of each {' and '.join(each)}" if each else ""
    return f"the {'one pair' if pairs == '1' else f'{pairs} pairs'}{of}"
