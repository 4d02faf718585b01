"""The analysis of variance of scores: `anova`."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import optimize, stats

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    coded,
    memory_use,
    n_and_first,
    resampling,
    schemas,
    to_polars,
    typed,
    unknown_name,
)
from lexiframe.core.io import logs
from lexiframe.core.pairwise import arrays
from lexiframe.core.projection import alone
from lexiframe.study.models.schemas import EFFECTS
from lexiframe.typing import LogLike, ScoresTable

Term = tuple[str, ...]
_NAME = re.compile(r"[^~()^|/]*[^~()^|/\d\s][^~()^|/]*")
_ROUNDING = 1e-12
_LOG = "\0"
"""What follows the name of a column of the log that the scores have too."""
_LARGEST = 1e8
"""SciPy needs seconds for a noncentral F distribution of more, and has no value of 10^12."""
_COPIES = 4
"""The matrices of the size of the design that statsmodels holds at once."""


@typed
def anova(
    s: ScoresTable, /, formula: str = "run + query_id", log: LogLike | None = None, *,
    alpha: float = 0.05,
) -> pl.DataFrame:  # fmt: skip
    """Say how much of the variance of scores runs, requests and components of systems explain.

    Parameters
    ----------
    s
        A table of `scores`, with or without the column ``replicate``, or an `Evaluation`. Every run
        needs every request.
    formula : str
        Factors joined by ``+``; ``a:b`` is the interaction of two, ``a*b`` short for
        ``a + b + a:b``. Factors are columns of the scores or of the log, whose values are taken as
        names, numbers too. An interaction needs its factors in the formula.
    log : optional
        A row for each run with its components (stemmer, model ...), a file or frame as for
        `with_log`. Rows of other runs do not matter.
    alpha : float
        The intervals have level 1 − alpha.

    Returns
    -------
    polars.DataFrame
        Key ``measure, source``: a row for each term, single factors first, then ``residual``, with
        its ``sum_of_squares`` in the measure's squared unit, ``df`` and ``mean_square``. ``F`` is
        the ratio of the mean square to that of the residual, and ``p_value`` that of no effect.
        ``omega_squared`` (partial ω², below 0 where F < 1) estimates which share of the variance
        that is left by the other terms is due to this one, with its interval ``ci_low, ci_high`` in
        0..1, null where F · df is above 10^8. These are null for the residual. Several collections
        are computed one by one, unless the formula names ``collection``: then requests of equal
        names differ.

    Raises
    ------
    UnknownNameError
        With near matches, for a factor that neither scores nor log have.
    LexiframeError
        For a formula that is not understood; fewer than two runs; runs without some requests;
        scores that are not finite, or twice there; a factor that is constant, not known of a run,
        or follows from another one; an interaction without scores of some combination; a model that
        leaves nothing for the residual; and if statsmodels needs more memory than there is.

    See Also
    --------
    tukey_hsd : tests which runs differ.

    Notes
    -----
    Where all combinations of factors have the same number of scores, sums of squares are those of
    marginal means, at any size. Elsewhere they are of type II: each term after all that do not
    contain it, by `statsmodels.stats.anova.anova_lm`, whose table is the same for both. With
    ``run + query_id`` the interaction is in the residual; only replicates can tell them apart.

    ω² = df (F − 1) / (df (F − 1) + N) for N scores. The ends of its interval are λ / (λ + N), with
    λ such that F is the 1 − α/2 and the α/2 quantile of the noncentral F distribution, or 0 where
    no λ is. Ferro & Silvello, "Toward an anatomy of IR system component performances", JASIST 2018,
    doi:10.1002/asi.23910, call .01 small, .06 medium and .14 large. All effects are fixed: what is
    said holds for these requests. Models with random requests are in the guide, under Models.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> found = lf.significance.anova(e, "run + query_id")
    >>> found.select("source", "df", pl.col("F", "omega_squared").round(2)).rows()
    [('run', 2, 88.52, 0.92), ('query_id', 4, 5.08, 0.52), ('residual', 8, None, None)]
    """
    resampling.check_share("anova", "alpha", alpha)
    arrays.refuse_weights("anova", s)
    terms = terms_of(formula)
    is_of_all = any("collection" in term for term in terms)
    return (_tables if is_of_all else alone.each_collection(_tables))(s, terms, log, alpha)


def terms_of(formula: str) -> list[Term]:
    """Return the factors of each term, single ones first; raise for another text."""
    found: dict[frozenset[str], Term] = {}
    for part in formula.split("+"):
        names = tuple(name.strip() for name in re.split("[*:]", part))
        is_mixed = "*" in part and ":" in part
        if is_mixed or len({*names}) < len(names) or not all(map(_NAME.fullmatch, names)):
            raise _not_understood(formula, repr(part.strip()))
        sizes = range(1, len(names) + 1) if "*" in part else [len(names)]
        found |= {frozenset(term): term for n in sizes for term in combinations(names, n)}
    for term in found.values():
        inner = (some for n in range(1, len(term)) for some in combinations(term, n))
        if lacking := [":".join(some) for some in inner if frozenset(some) not in found]:
            raise _not_understood(formula, f"{':'.join(term)} without {lacking[0]}")
    return sorted(found.values(), key=len)


def _not_understood(formula: str, found: str) -> LexiframeError:
    names = "'run + query_id' or 'stemmer * model + query_id'"
    expected = f"a formula such as {names}, of names of columns, and + : *"
    advice = "a:b is the interaction of two factors that are named too, a*b all three"
    return LexiframeError(Problem("anova", expected, f"{found} in {formula!r}", advice))


def _tables(s: Any, terms: Sequence[Term], log: Any, alpha: float) -> pl.DataFrame:
    """Return the effects on each measure, by its name."""
    names = [*dict.fromkeys(name for term in terms for name in term)]
    by_measure = _rows(to_polars(s), log, names).partition_by("measure", as_dict=True)
    found = ((str(name), by_measure[name,]) for (name,) in sorted(by_measure))
    return pl.concat(_effects(measure, rows, terms, names, alpha) for measure, rows in found)


def _rows(table: pl.DataFrame, log: Any, names: Sequence[str]) -> pl.DataFrame:
    """Return checked scores with the factors of the table, and of the log if it lacks them."""
    schema = schemas.REPLICATED_SCORES if "replicate" in table.columns else schemas.SCORES
    rows = schemas.check(table, schema)
    if rows.is_empty():
        raise LexiframeError("anova: expected a table of scores, found no rows")
    rows = rows.hstack(table.select(n for n in names if n in {*table.columns} - {*rows.columns}))
    if "collection" in names and "collection" in rows.columns:  # whose requests may share names
        rows = rows.with_columns(query_id=pl.format("{}, {}", "collection", "query_id"))
    if log is not None:
        read = logs.read_log(log) if isinstance(log, str | Path) else log
        entries = logs.entries_of(read, "run", "log", [rows["run"]])
        rows = rows.join(entries, on="run", how="left", suffix=_LOG, maintain_order="left")
    known = [n for n in dict.fromkeys([*table.columns, *rows.columns]) if not n.endswith(_LOG)]
    if unknown := [name for name in names if name not in rows.columns]:
        raise unknown_name("factor", unknown[0], known)
    return rows


def _effects(
    measure: str, rows: pl.DataFrame, terms: Sequence[Term], names: Sequence[str], alpha: float
) -> pl.DataFrame:
    """Return the effects on one measure."""
    y, called = rows["value"].to_numpy(), f"anova, {measure}"
    if problem := next(_problems(rows, names, terms), None):
        raise LexiframeError(Problem(called, *problem))
    codes = {name: coded.encode(rows[name].cast(schemas.STR))[1] for name in names}
    df = np.array([math.prod(int(codes[name].max()) for name in term) for term in terms])
    left, n = len(y) - 1 - int(df.sum()), len(y)
    squares = _balanced_sums(y, codes, terms) if left > 0 else [0.0]
    if squares is None:
        squares = _sums_of_squares(called, y, codes, terms, int(df.sum()))
    *squares, rest = squares
    if rest <= n * (_ROUNDING * max(1.0, float(np.abs(y).max()))) ** 2:
        found = f"{n:,} scores, which {' + '.join(map(':'.join, terms))} fits exactly"
        expected = "scores that leave something for the residual"
        advice = "leave an interaction out, or give replicates"
        raise LexiframeError(Problem(called, expected, found, advice))
    mean = np.array(squares) / df
    ratio = mean * left / rest
    at = np.array([_noncentralities(f, d, left, alpha) for f, d in zip(ratio, df, strict=True)]).T
    columns = {
        "sum_of_squares": [*squares, rest], "df": [*df, left], "mean_square": [*mean, rest / left],
        "F": ratio, "p_value": stats.f.sf(ratio, df, left), "ci_low": at[0] / (at[0] + n),
        "omega_squared": 1 - n / (df * (ratio - 1) + n), "ci_high": at[1] / (at[1] + n),
    }  # fmt: skip
    sources = {"measure": measure, "source": [*map(":".join, terms), "residual"]}
    padded = {name: [*it, None][: len(terms) + 1] for name, it in columns.items()}
    return schemas.table_of(EFFECTS.columns, len(terms) + 1, sources | padded)


def _problems(
    rows: pl.DataFrame, names: Sequence[str], terms: Sequence[Term]
) -> Iterator[tuple[str, str, str]]:
    """Yield expectations that scores and factors do not meet, with findings and advice."""
    key = [n for n in ("run", "replicate", "query_id") if n in rows.columns]
    if (twice := rows.filter(rows.select(key).is_duplicated())).height:
        first = ", ".join(twice.select(key).row(0))
        yield f"one score for each {', '.join(key)}", f"several for {first}", "leave the others out"
    if (bad := rows.filter(~pl.col("value").is_finite().fill_null(value=False))).height:
        first = "{value} of run {run} for request {query_id}".format(**bad.row(0, named=True))
        found = f"{first} ({bad.height:,} such rows)"
        yield "finite scores", found, "leave the request out"
    n_requests = rows["query_id"].n_unique()
    n = rows.group_by("run").agg(pl.col("query_id").n_unique())
    if n.height < 2:
        yield "two or more runs", f"{n['run'][0]} alone", "add a run"
    if (few := n.filter(pl.col("query_id") < n_requests).sort("run")).height:
        found = f"fewer of {n_and_first(few['run'])}"
        yield f"all {n_requests:,} requests of each run", found, "leave out what some runs lack"
    for name in names:
        if len(without := rows.filter(pl.col(name).is_null())["run"].unique().sort()):
            advice = "add it to the log, or leave these runs out"
            yield f"a value of {name} for each run", f"none for {n_and_first(without)}", advice
        if (rows[name] == rows[name][0]).all():
            yield f"several values of {name}", f"{rows[name][0]} alone", "leave it out"
    for one, other in permutations(names, 2):
        if rows.select(one, other).n_unique() == rows[one].n_unique():
            found = f"one {other} for each {one}, whose effect contains that of {other}"
            yield f"factors that cross, {one} and {other}", found, "leave one of the two out"
    for term in terms:
        levels = [rows.select(name).unique() for name in term]
        every = reduce(lambda a, b: a.join(b, how="cross"), levels)
        if (none := every.join(rows, on=term, how="anti").sort(term)).height:
            said = ", ".join(f"{name}={it}" for name, it in none.row(0, named=True).items())
            yield f"scores of each {':'.join(term)}", f"none of {said}", "leave the interaction out"


def _balanced_sums(
    y: np.ndarray, codes: Mapping[str, np.ndarray], terms: Sequence[Term]
) -> list[float] | None:
    """Return sums of squares by marginal means; None unless all combinations have equally many."""
    shape = [int(code.max()) + 1 for code in codes.values()]
    if math.prod(shape) > len(y):
        return None
    cell = np.ravel_multi_index([*codes.values()], shape)
    count = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
    if count.min() != count.max():
        return None
    rest, found = y - y.mean(), []
    for term in terms:  # what is left of the scores has no effect of the terms before
        means = (np.bincount(cell, rest) / count.ravel()).reshape(shape)
        others = tuple(axis for axis, name in enumerate(codes) if name not in term)
        effect = np.broadcast_to(means.mean(axis=others, keepdims=True), shape).ravel()[cell]
        found.append(float(effect @ effect))
        rest = rest - effect
    return [*found, float(rest @ rest)]


def _sums_of_squares(
    called: str, y: np.ndarray, codes: Mapping[str, np.ndarray], terms: Sequence[Term], df: int
) -> list[float]:
    """Return sums of squares of type II, by statsmodels."""
    what = f"{called}: {df:,} effects on {len(y):,} scores that are not balanced"
    advice = "leave query_id out, or take as many runs of each combination"
    memory_use.refuse_more_than_available(_COPIES * y.nbytes * df, what, advice)
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    short = {name: f"C(x{n})" for n, name in enumerate(codes)}
    formula = [":".join(short[name] for name in term) for term in terms]
    data = {"y": y} | {f"x{n}": code for n, code in enumerate(codes.values())}
    with warnings.catch_warnings(action="ignore"):  # of effects that follow from others
        fit = ols("y ~ " + " + ".join(formula), pl.DataFrame(data).to_pandas()).fit()
    if fit.df_model < df:
        found = f"{df - int(fit.df_model):,} that follow from others"
        advice = "leave a factor or an interaction out"
        raise LexiframeError(Problem(called, "effects that can be told apart", found, advice))
    return anova_lm(fit, typ=2)["sum_sq"][[*formula, "Residual"]].tolist()  # type: ignore[no-any-return]


def _noncentralities(ratio: float, df: int, left: int, alpha: float) -> list[float]:
    """Return the λ of F distributions whose upper and lower quantile is F; 0 where none is."""

    def excess(noncentrality: float, p: float) -> float:
        return float(stats.ncf.cdf(ratio, df, left, noncentrality)) - p

    if df * ratio > _LARGEST:
        return [math.nan, math.nan]
    ends = []
    for p in (1 - alpha / 2, alpha / 2):
        high = 1.0
        while excess(high, p) > 0:
            high *= 2
        is_none = stats.f.cdf(ratio, df, left) <= p
        ends.append(0.0 if is_none else optimize.brentq(excess, 0.0, high, (p,)))
    return ends
