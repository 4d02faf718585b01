"""The options of an evaluation: its measures, policies, tests and groups of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeVar, Unpack, get_args

from lexiframe.core.base import LexiframeError, check_choice, schemas, unknown_name
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import Method, check_method, refuse_many
from lexiframe.core.pairwise import By, Measure, grouping, parse_measures
from lexiframe.core.projection import NoRelevant, Policies, ScoreType, Ties, Unjudged
from lexiframe.core.significance import (
    Alternative,
    Family,
    Test,
    check_inference,
    corrections,
    own_tests,
)
from lexiframe.core.significance import replicates as replication
from lexiframe.typing import MeasureLike, QrelsLike, RequestsLike, SharesLike, WeightsLike

F = TypeVar("F", bound=Callable[..., Any])
MEASURES = ("RPP", "LR", "LP", "AP", "nDCG@10", "RR")
"""The measures of an evaluation that asks for none."""


RUNS_OF_PAGE = 100
"""The runs that a page has: of a thousand, comparisons alone would make it a hundred megabytes."""


@dataclass(frozen=True)
class Inference:
    """The arguments of `compare`, checked when they are given."""

    test: Test | own_tests.OwnTest | Sequence[Test | own_tests.OwnTest] = "auto"
    correction: corrections.PairedCorrection | Sequence[corrections.PairedCorrection] = "auto"
    family: Family = "measure"
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    trials: int = 10_000
    seed: int = 0
    baseline: str | None = None
    replicates: replication.Replicates | None = None
    seeds: replication.Seeds = "unrelated"

    def __post_init__(self) -> None:
        others = ("baseline", "replicates", "seeds")
        check_inference(**{k: v for k, v in asdict(self).items() if k not in others})
        check_choice("evaluate", self.replicates, (None, *replication.DESIGNS), "replicates")
        check_choice("evaluate", self.seeds, get_args(replication.Seeds), "seeds")

    def facts(self) -> dict[str, Any]:
        """Return the arguments as provenance: a test of one's own by its name."""
        names = [own_tests.name_of_test(test) for test in own_tests.several(self.test)]
        facts = asdict(self) | {"test": names if len(names) > 1 else names[0]}
        if self.replicates is None:  # then both say nothing
            del facts["replicates"], facts["seeds"]
        return facts


class Options(TypedDict, total=False):
    """The options of `evaluate` that any engine takes, which hands them on to `Asked.given`."""

    rel: float | None
    ties: Ties
    score_type: ScoreType
    no_relevant: NoRelevant
    duplicates: qrel_files.Duplicates
    unjudged: Unjudged
    depth: int | None
    exclude_self: bool
    exclude: QrelsLike | None
    order: Method
    test: Test | own_tests.OwnTest | Sequence[Test | own_tests.OwnTest]
    correction: corrections.PairedCorrection | Sequence[corrections.PairedCorrection]
    family: Family
    alpha: float
    alternative: Alternative
    baseline: str | None
    trials: int
    seed: int
    weights: WeightsLike
    strata: str | None
    shares: SharesLike
    requests: Any
    by: By


_DEFAULTS: dict[str, Any] = {"order": "win_rate", "requests": None, "by": None}
_DEFAULTS |= dict.fromkeys(grouping.WEIGHTS)


def name_options(function: F) -> F:
    """Name `Options` in the signature of a function that takes them, for help and editors."""
    defaults = vars(Policies()) | vars(Inference()) | _DEFAULTS
    declared = signature(function)
    own = [p for p in declared.parameters.values() if p.kind is not p.VAR_KEYWORD]
    types = {n: getattr(of, "__forward_arg__", of) for n, of in Options.__annotations__.items()}
    named = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=of)
        for name, of in types.items()
    ]
    vars(function)["__signature__"] = declared.replace(parameters=[*own, *named])
    return function


@dataclass(frozen=True)
class Asked:
    """The arguments of `evaluate` other than the data.

    Attributes
    ----------
    measures, by_default
        The metrics and preferences, and whether they are `MEASURES` because none were named.
    policies, order, inference
        How positions are found, runs are ordered, and pairs of runs are tested.
    groups, requests
        The attributes that form groups of requests, and the frame or file that has them.
    weighed
        The arguments weights, strata and shares; empty without them.
    is_reported
        Whether a report follows, which shows single requests.
    is_of_several
        Whether further collections have runs to compare, so that one run alone is no error.
    """

    measures: list[Measure]
    policies: Policies
    order: Method
    inference: Inference
    groups: list[str]
    requests: Any
    by_default: bool
    is_reported: bool = False
    is_of_several: bool = False
    weighed: tuple[Any, ...] = ()

    @classmethod
    def checked(
        cls,
        measures: MeasureLike | Iterable[MeasureLike] | None,
        policies: Policies,
        inference: Inference,
        requests: RequestsLike,
        by: By,
        *,
        order: Method = "win_rate",
        weights: WeightsLike = None,
        strata: str | None = None,
        shares: SharesLike = None,
        is_reported: bool = False,
        is_of_several: bool = False,
    ) -> Asked:
        """Check the user's arguments before any data are read."""
        weighed = check_weights((weights, strata, shares), inference, order)
        return cls(
            parse_measures(MEASURES if measures is None else measures),
            policies,
            order,
            inference,
            groups_by(requests if by is not None or not weighed else None, by),
            qrel_files.held_or_data(requests),
            by_default=measures is None,
            is_reported=is_reported,
            is_of_several=is_of_several,
            weighed=weighed,
        )

    @classmethod
    def given(
        cls, measures: MeasureLike | Iterable[MeasureLike] | None, **options: Unpack[Options]
    ) -> Asked:
        """Check the options of `evaluate`, as engines are given them."""
        for name in options:
            if name not in Options.__annotations__:
                raise TypeError(f"evaluate() got an unexpected keyword argument {name!r}")
        told: dict[str, Any] = {**_DEFAULTS, **options}
        rest = {name: told.pop(name) for name in _DEFAULTS}
        names = {one.name for one in fields(Policies)}
        policies = Policies(**{name: told.pop(name) for name in names & {*told}})
        return cls.checked(measures, policies, Inference(**told), **rest)

    def __post_init__(self) -> None:
        check_method("evaluate", self.order, "order")
        if self.policies.ties == "expected":
            from lexiframe.core.metrics import refuse_without_form

            refuse_without_form(self.measures)

    def measures_of(self, runs: list[str]) -> list[Measure]:
        """Return the measures for some runs; raise if they cannot be computed."""
        metrics: list[Measure] = [m for m in self.measures if isinstance(m, Metric)]
        if self.inference.baseline is not None:
            check_baseline("evaluate", self.inference.baseline, runs, _IN_EACH * self.is_of_several)
        if len(runs) == 1 and (self.by_default or self.is_of_several):
            return metrics
        if len(runs) == 1 and len(self.measures) > len(metrics):
            raise lone_run(runs[0])
        if len(self.measures) > len(metrics):
            refuse_many(self.order, len(runs))  # fail before the work, not after it
        return self.measures


def check_weights(
    given: tuple[Any, Any, Any], inference: Inference, order: str = "mean"
) -> tuple[Any, ...]:
    """Return the arguments weights, strata and shares, nothing without them; refuse other tests."""
    if all(of is None for of in given):
        return ()
    from lexiframe.core.significance import refuse_unweighed

    refuse_unweighed("evaluate", own_tests.several(inference.test), None, inference.replicates)
    if order == "leximin":
        raise LexiframeError("method='leximin' has no weights; take another method")
    return given


def groups_by(requests: Any, by: By) -> list[str]:
    """Return the names of the attributes that form groups; raise for names of other columns."""
    names = grouping.names_of(requests, by)
    # the other tables check their columns themselves
    grouping.refuse_taken(names, {**schemas.VERDICT.columns, **schemas.AGAINST_BASELINE.columns})
    return names


def lone_run(run: str) -> LexiframeError:
    """Return the error of preferences of one run alone."""
    return LexiframeError(
        f"evaluate: preferences need at least two runs, found {run!r} alone; add a run, or ask for "
        "metrics only"
    )


_IN_EACH = (
    "; the baseline is a run of each collection: choose one that all have, leave this collection "
    "out, or compare without a baseline"
)


def check_baseline(called: str, baseline: str, runs: list[str], advice: str = "") -> None:
    """Raise when the baseline is not among the runs, or is the only one."""
    if baseline not in runs:
        raise unknown_name("run", baseline, runs, advice=advice)
    if len(runs) == 1:
        raise LexiframeError(
            f"{called}: expected runs to compare with the baseline {baseline!r}, found it alone; "
            "add a run, or leave out baseline="
        )
