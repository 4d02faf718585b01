"""The part of the catalogue that a run's lists reach, with intervals and tests: `catalogue`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy import sparse

from lexiframe.core.base import (
    LexiframeError,
    SchemaError,
    check_choice,
    n_and_first,
    printed,
    resampling,
    schemas,
    shown,
    sums,
    typed,
    unknown_name,
    warn,
)
from lexiframe.core.io import Tables, column_forms, qrel_files
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import By, grouping
from lexiframe.core.projection import Policies, ScoreType, Ties, alone, tied_orders
from lexiframe.core.significance import Family, Options, corrections
from lexiframe.decide.beyond import reached_in_words
from lexiframe.decide.beyond.catalogue_measures import (
    CatalogueMetric,
    Exposed,
    SummedLists,
    share_of,
)
from lexiframe.decide.beyond.items import Items
from lexiframe.decide.beyond.jackknife import GROUPS, MANY, error_of, left_out, pseudo_values
from lexiframe.decide.beyond.lists import Lists, lists_of
from lexiframe.decide.beyond.scored_lists import deepest, of_kind
from lexiframe.typing import (
    Frame,
    FrameKind,
    MeasureLike,
    QrelsLike,
    RequestsLike,
    RunsLike,
    TableOf,
)

Test = Literal["t", "randomization"]
_ROWS = 4_000_000
"""The most exposures of items that the trials of a randomization test look at at once."""


@dataclass(frozen=True, repr=False, eq=False)
class Catalogue(Tables):
    """What the lists of runs reach of the catalogue: see `catalogue`.

    Attributes
    ----------
    values
        ``run, measure, value, se, ci_low, ci_high, n``; with Exposure ``catalogue_share`` too.
    comparisons
        The differences of all pairs of runs, with the columns of `compare`.
    alpha, groups
        Those of the intervals.
    units
        For each run and measure the pseudo-values of the jackknife, which vary as requests do.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"]}))
    >>> runs = {"r": {"u": {"a": 1}}, "s": {"u": {"b": 1}}}
    >>> c = lf.catalogue(runs, "Coverage@1", items)
    >>> c.comparisons.select("run_a", "run_b", "mean_difference").rows()
    [('r', 's', 0.0)]
    """

    _TABLES = ("values", "comparisons")

    values: pl.DataFrame
    comparisons: pl.DataFrame
    alpha: float = 0.05
    groups: int | None = None
    units: pl.DataFrame | None = None

    @property
    def measures(self) -> list[str]:
        """The names of its measures, in the order in which they were asked for."""
        return self.values["measure"].unique(maintain_order=True).to_list()

    def table_for(self, what: TableOf) -> tuple[Any, dict[str, Any]]:
        """Return what a function takes that takes an evaluation too: a gate, and ``comparisons``.

        Raises
        ------
        TypeError
            For the values of requests, of which there are none.
        """
        if isinstance(what, str) and what != "comparisons":
            raise TypeError(
                "expected values of requests, found a Catalogue, whose numbers are of all lists "
                "together; its own tables are values and comparisons"
            )
        return (self.comparisons if isinstance(what, str) else what(self)), {}

    def pair_differences(self) -> pl.DataFrame:
        """Return for each two runs how much better the first is, with ``se`` and ``df``.

        ``baseline_value`` is the number of ``run_b``.
        """
        by = self.values.columns[: self.values.columns.index("run")]
        c = self.comparisons.unique([*by, "measure", "run_a", "run_b"])
        metrics = {name: derived.known_metric(name) for name in c["measure"].unique()}
        smaller = [name for name, one in metrics.items() if one and one.smaller_is_better]
        sign = pl.when(pl.col("measure").is_in(smaller)).then(-1).otherwise(1)
        of_many = pl.when(pl.col("n") > MANY).then(GROUPS).otherwise("n")
        parts = of_many if self.groups is None else pl.min_horizontal("n", self.groups)
        c = c.with_columns(
            mean_difference=sign * pl.col("mean_difference"),
            df=(parts - 1).cast(pl.Float64),
        )
        reach = pl.Series(sums.t_reach(c["df"].to_numpy(), self.alpha / 2))
        se = ((pl.col("ci_high") - pl.col("ci_low")) / 2).fill_null(0.0) / reach
        c = c.select(*by, "measure", "run_a", "run_b", "n", "mean_difference", "df", se=se)
        turned = c.with_columns(
            mean_difference=-pl.col("mean_difference"), run_a="run_b", run_b="run_a"
        )
        on = [*by, "measure", "run_b"]
        values = self.values.select(*by, "measure", run_b="run", baseline_value="value")
        both = pl.concat([c, turned]).join(values, on=on, how="left", nulls_equal=True)
        return both.sort(by + on)

    @property
    def verdict(self) -> printed.Verdict:
        """Which runs are first by each measure, or the baseline, and what the others are."""
        by = self.values.columns[: self.values.columns.index("run")]
        there = self.comparisons["run_b"].unique()
        # of two runs without a baseline there is one pair too, and so is the second one of all
        is_baseline = len(there) == 1 and self.values["run"].n_unique() > len(("a", "b"))
        baseline = there[0] if is_baseline else None
        beside = reached_in_words.add_sides(self.values, self.comparisons, by, baseline)
        return printed.Verdict({"sentence": reached_in_words.catalogue_sentences(beside, by)})


@alone.each_collection
@typed
def catalogue(
    runs: RunsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    items: Items,
    *,
    qrels: QrelsLike | None = None,
    providers: Frame | None = None,
    groups: int | None = None,
    test: Test = "t",
    correction: corrections.Correction = "holm",
    family: Family = "measure",
    alpha: float = 0.05,
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    frames: FrameKind | None = None,
) -> Catalogue:
    """Measure how much of the catalogue the lists of each run reach, and how evenly.

    These numbers are of all lists together, and depend on how many there are: Coverage only grows.
    So runs are compared on the same requests, and intervals are for other sets of as many requests.

    Parameters
    ----------
    runs, qrels, ties, score_type, duplicates
        As for `list_scores`.
    measures
        One or several of Coverage, Gini, Entropy and Exposure, with a cut-off: ``"Coverage@10"``,
        ``"Gini(exposure=dcg)@10"``. ``"Exposure@10"`` is of each provider, and
        ``"Exposure(provider=x)@10"`` of one.
    items
        The catalogue, of `read_items`.
    providers
        For Exposure: ``doc_id`` and ``provider``; an item of several is split evenly.
    groups
        How many groups of requests are left out for the standard error. Default: each request by
        itself up to 1,000 of them, and 200 groups of more.
    test : {"t", "randomization"}
        t of the difference, or lists swapped between two runs at random, request by request, which
        asks whether the runs are exchangeable and not whether the number is equal.
    correction, family, alpha, trials, seed
        As for `compare`.
    requests, by
        Groups of requests within which everything is computed, as for `compare`.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Catalogue
        ``values`` and ``comparisons``.

    Raises
    ------
    LexiframeError
        As `list_scores`; for fewer than 2 groups, for Exposure without ``providers``, and for items
        without a provider.

    Warns
    -----
    LexiframeWarning
        As `list_scores`; and that groups of different sizes are not comparable.

    Notes
    -----
    The standard error is that of the jackknife over requests: √((Q − 1)/Q Σ (T_(q) − T̄)²), where
    T_(q) is the number without the lists of one request. Intervals are T ± t_{Q−1} se; for a
    difference they are of T_a − T_b. With groups, their number stands for Q. A standard error of 0
    decides nothing: then p is 1.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b", "c", "d"]}))
    >>> runs = {"r": {"u": {"a": 2, "b": 1}, "v": {"a": 2, "c": 1}}}
    >>> lf.catalogue(runs, "Coverage@2", items).values.select("value", "n").rows()
    [(0.75, 2)]
    """
    asked = of_kind(measures, CatalogueMetric, "catalogue")
    check_choice("catalogue", test, get_args(Test), "test")
    if groups is not None and groups < 2:
        raise LexiframeError(f"catalogue: expected groups to be 2 or more, found {shown(groups)}")
    options = Options("two-sided", alpha, trials, seed)
    corrections.check_corrected("catalogue", [test], [correction], family, options)
    policies = Policies(None, ties, score_type, duplicates=duplicates)
    tied_orders.refuse_expected(ties, asked[0])
    lists = lists_of(runs, items, policies, qrels, cutoff=deepest(asked))
    asked, shares = _with_providers(asked, providers, lists[0].items)
    how = How(asked, groups, test, alpha, trials, seed)
    return catalogue_of(lists, how, [correction], family, (requests, by), shares)


def catalogue_of(
    lists: Sequence[Lists],
    how: How,
    correction: Sequence[corrections.Correction],
    family: Family,
    grouped_by: tuple[Any, By],
    shares: Mapping[str, float] | None = None,
) -> Catalogue:
    """Return the catalogue of lists within groups of requests; ``shares`` belong to providers."""
    parts = [
        (group, lists if here is None else [one.of_requests(here) for one in lists])
        for group, here in parts_of(lists[0].queries, *grouped_by)
    ]
    return catalogue_of_parts(parts, how, correction, family, shares)


def catalogue_of_parts(
    parts: Sequence[tuple[pl.DataFrame, Sequence[Lists | SummedLists]]],
    how: How,
    correction: Sequence[corrections.Correction],
    family: Family,
    shares: Mapping[str, float] | None = None,
) -> Catalogue:
    """Return the catalogue of the lists of each group of requests; its attributes are one row."""
    names = parts[0][0].columns if parts else []
    found = [
        [group.join(one, how="cross") if names else one for one in how.tables(lists)]
        for group, lists in parts
    ]
    tables = [pl.concat(of_parts) for of_parts in zip(*found, strict=True)]
    if shares:
        share = pl.col("measure").replace_strict(shares, default=None, return_dtype=pl.Float64)
        tables[0] = tables[0].with_columns(catalogue_share=share)
    number = corrections.families_of(tables[1], names, family)
    compared = corrections.corrected(
        tables[1], number, correction, {"p_value": "p_adjusted"}
    ).with_columns(reject=pl.col("p_adjusted") < how.alpha)
    return Catalogue(
        schemas.CATALOGUE.arranged(tables[0], names),
        schemas.COMPARISONS.arranged(compared, names),
        how.alpha,
        how.groups,
        tables[0].select(*names, "run", "measure", "units"),
    )


def parts_of(
    queries: pl.Series, requests: Any, by: By
) -> list[tuple[pl.DataFrame, np.ndarray | None]]:
    """Return each group's attributes as one row, and which requests it has; None stands for all."""
    names = grouping.names_of(requests, by)
    if not names:
        return [(pl.DataFrame(), None)]
    table = pl.DataFrame({"query_id": queries})
    found = grouping.attributes_of(table, requests, names)
    parts: list[tuple[pl.DataFrame, np.ndarray | None]] = []
    sizes = set()
    for group, part in grouping.parts_of(table, found, names):
        parts.append((group, queries.is_in(part["query_id"].implode()).to_numpy()))
        sizes.add(part.height)
    if len(sizes) > 1:
        warn(
            f"catalogue: groups have {min(sizes):,} to {max(sizes):,} requests; compare runs "
            "within a group, for these numbers depend on how many requests there are"
        )
    return parts


def _with_providers(
    measures: list[CatalogueMetric], providers: Any, items: Items
) -> tuple[list[CatalogueMetric], dict[str, float]]:
    """Return the measures with one Exposure for each provider, and each one's items."""
    if not any(measure.name == "Exposure" for measure in measures) or providers is None:
        return measures, {}
    frame = column_forms.to_frame(providers, "score", "providers")
    frame = column_forms.rename_columns(frame, schemas.PROVIDERS, "providers")
    owners = column_forms.checked_ids(frame, schemas.PROVIDERS, "providers").unique()
    orphans = items.ids.filter(pl.Series(items.is_given))
    orphans = orphans.filter(~orphans.is_in(owners["doc_id"].implode()))
    if len(orphans):
        raise SchemaError(
            f"providers: expected a provider of every item, found none of {n_and_first(orphans)}"
        )
    owners = owners.filter(owners["doc_id"].is_in(items.ids.implode()))
    _, item = items.places_of(owners["doc_id"], "providers")
    owners = owners.with_columns(share=1 / pl.len().over("doc_id"), item=pl.Series(item))
    parts = owners.sort("provider").partition_by("provider", as_dict=True)
    there = {str(name): part for (name,), part in parts.items()}
    found, shares = [], {}
    for measure in measures:
        if measure.name != "Exposure":
            found.append(measure)
            continue
        asked = measure.values["provider"]
        if asked not in ("all", *there):
            raise unknown_name("provider", asked, [*there])
        for provider in there if asked == "all" else [asked]:
            owned = np.bincount(there[provider]["item"], there[provider]["share"], len(items))
            owned = owned[items.is_given]
            of_totals, without_each = share_of(owned)
            one = measure(provider=provider)
            found.append(replace(one, of_totals=of_totals, without_each=without_each))
            shares[str(one)] = float(owned.mean())
    return found, shares


@dataclass(frozen=True)
class How:
    """How the numbers of runs and of pairs are found: the arguments of `catalogue`."""

    measures: Sequence[CatalogueMetric]
    groups: int | None
    test: Test
    alpha: float
    trials: int
    seed: int
    baseline: str | None = None

    def tables(self, lists: Sequence[Lists | SummedLists]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return value and interval of each run, and the differences of pairs, uncorrected."""
        of_each = [[left_out(one, of, self.groups) for of in lists] for one in self.measures]
        return self._values(lists, of_each), self._comparisons(lists, of_each)

    def _values(self, lists: Sequence[Lists | SummedLists], of_each: list[Any]) -> pl.DataFrame:
        together = [*chain.from_iterable(of_each)]
        found = self._estimates(*zip(*together, strict=True))
        limits = [one.limits for one in self.measures for _ in lists]
        least, greatest = [one.low for one in limits], [one.high for one in limits]
        low, high = (np.clip(end, least, greatest) for end in found.ends(self.alpha / 2))
        columns = {
            "run": [one.name for one in lists] * len(of_each),
            "measure": np.repeat([str(measure) for measure in self.measures], len(lists)),
            "value": found.mean, "se": found.deviation, "ci_low": low, "ci_high": high,
            "n": [one.n_requests for one in lists] * len(of_each),
            "units": [pseudo_values(*one).tolist() for one in together],
        }  # fmt: skip
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def _estimates(self, values: Sequence[float], without: Sequence[np.ndarray]) -> sums.Estimates:
        error = np.array([error_of(one) for one in without])
        df = np.array([len(one) - 1 for one in without])
        return sums.Estimates(np.array(values, np.float64), error, df)

    def _comparisons(
        self, lists: Sequence[Lists | SummedLists], of_each: list[Any]
    ) -> pl.DataFrame:
        frames = [pl.DataFrame(schema=_UNCORRECTED)]
        for measure, of_runs in zip(self.measures, of_each, strict=True):
            pairs = [*combinations(range(len(lists)), 2)]
            if self.baseline is not None:
                of = [one.name for one in lists].index(self.baseline)
                pairs = [(n, of) for n in range(len(lists)) if n != of]
            if not pairs:
                continue
            differences = [of_runs[a][0] - of_runs[b][0] for a, b in pairs]
            found = self._estimates(differences, [of_runs[a][1] - of_runs[b][1] for a, b in pairs])
            low, high = found.ends(self.alpha / 2)
            if self.test == "t":
                statistic, p_values = found.beyond(0.0), found.apart()
            else:
                statistic = found.mean
                p_values = np.array([self._swapped(measure, lists[a], lists[b]) for a, b in pairs])
            columns = {
                "measure": str(measure), "test": self.test,
                "run_a": [lists[a].name for a, _ in pairs],
                "run_b": [lists[b].name for _, b in pairs],
                "mean_difference": found.mean, "ci_low": low, "ci_high": high,
                "p_value": np.where(np.isnan(found.mean), np.nan, p_values),
                "n": lists[0].n_requests, "effect_size": np.nan, "statistic": statistic,
            }  # fmt: skip
            frame = pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))
            frames.append(frame.select(*_UNCORRECTED).cast(pl.Schema(_UNCORRECTED)))
        return pl.concat(frames)

    def _swapped(
        self, measure: CatalogueMetric, a: Lists | SummedLists, b: Lists | SummedLists
    ) -> float:
        """Return (1 + count)/(1 + trials) of differences as large after lists were swapped."""
        first, second = measure.exposed(a), measure.exposed(b)
        apart = _matrix(first) - _matrix(second)
        totals = first.total, second.total

        def differences(turned: np.ndarray) -> np.ndarray:
            moved = (apart.T @ turned.T).T
            sides = (measure.of_totals(_nearly(totals[0] - moved)), totals[1] + moved)
            return np.asarray(sides[0] - measure.of_totals(_nearly(sides[1])))

        observed = differences(np.zeros((1, first.n_requests)))[0]
        count, trials, rows = 0, 0, max(1, _ROWS // first.n_items)
        for block in resampling.flips(first.n_requests, self.trials, self.seed):
            for start in range(0, len(block), rows):
                found = np.abs(differences(block[start : start + rows].astype(np.float64)))
                count += int((found >= abs(observed) - sums.TIE).sum())
            trials += len(block)
        return (1 + count) / (1 + trials)


def _matrix(exposed: Exposed) -> sparse.csr_array:
    shape = (exposed.n_requests, exposed.n_items)
    return sparse.csr_array((exposed.exposure, (exposed.request, exposed.item)), shape=shape)


def _nearly(totals: np.ndarray) -> np.ndarray:
    """Return exposures with 0 in place of mere rounding errors."""
    return np.where(np.abs(totals) <= sums.TIE, 0.0, totals)


_UNCORRECTED = {
    name: dtype
    for name, dtype in schemas.COMPARISONS.columns.items()
    if name in schemas.COMPARISONS.required and name not in ("correction", "p_adjusted", "reject")
}
