"""Metrics that are made from another metric, and the metric that a notation means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lexiframe import features
from lexiframe.core.base import LexiframeError, errors, typed, unknown_name
from lexiframe.core.io import column_forms
from lexiframe.core.metrics import notation
from lexiframe.core.metrics.catalogues.error_names import hints_at_error as hints_at_error
from lexiframe.core.metrics.catalogues.error_names import says_smaller
from lexiframe.core.metrics.catalogues.not_offered import refuse_not_offered
from lexiframe.core.metrics.catalogues.papers import LEXIRECALL, RECALL_PAIRED, SAKAI_ROBERTSON
from lexiframe.core.metrics.catalogues.ranked import METRICS
from lexiframe.core.metrics.kinds import exposures, weights
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.kinds.search_length import SearchLength
from lexiframe.core.metrics.kinds.subtopic_metrics import SubtopicMetric
from lexiframe.core.metrics.needed import SUBTOPICS


@typed
def TSE(
    metric: Metric | Callable[..., Any] | str = "AP", name: str | None = None
) -> RecallLevelMetric:
    """Return the total search efficiency of an exposure: e(p_m), that of the last relevant item.

    It is the worst case of a ranking over the information needs that its relevant items can serve.
    A run that misses a relevant item has 0, unless positions are imputed (see `impute`).

    Parameters
    ----------
    metric
        A metric whose exposure is used, the notation of one, or an exposure function. ``"TSE"``
        alone is ``TSE(AP)``, e(p) = 1/p: which of two rankings of a request is better, every
        exposure that falls with the rank says alike.
    name : str, optional
        What to call an exposure function; by default its ``__name__``.

    Returns
    -------
    RecallLevelMetric
        ``TSE(metric)``: e as given, z = 1 if i = m.

    Raises
    ------
    LexiframeError
        For a metric without an exposure, and for one with a cut-off: ``TSE(AP@10)`` has to be
        written as ``TSE(AP)@10``.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370,
    equation 3.

    Examples
    --------
    >>> import lexiframe as lf
    >>> TSE(lf.AP)
    TSE(AP)
    >>> TSE("RBP(p=0.5)")
    TSE(RBP(p=0.5))
    """
    said = {"formula": "e(p_m)", "source": f"{LEXIRECALL}, eq. 3", "bounds": "0 to e(m)"}
    return _exposed_metric("TSE", metric, name, weight=weights.last, **said)


@typed
def eta(
    metric: Metric | Callable[..., Any] | str = "AP", name: str | None = None
) -> RecallLevelMetric:
    """Return the provider exposure of all relevant items: Σ_i e(p_i).

    `provider_exposure` computes the same sum for the items of each provider. ``WC(eta(AP))`` is the
    least value over all groups of relevant items that one provider might own.

    Parameters
    ----------
    metric, name
        As for `TSE`; ``"eta"`` alone is ``eta(AP)``. Of several items two exposures can order
        rankings differently; of the worst-off provider, ``WC(eta(AP))``, all give one order.

    Returns
    -------
    RecallLevelMetric
        ``eta(metric)``: e as given, z = 1.

    Raises
    ------
    LexiframeError
        As `TSE`.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370,
    equation 2.

    Examples
    --------
    >>> eta("nDCG")
    eta(nDCG)
    """
    said = {"source": f"{LEXIRECALL}, eq. 2", "bounds": "0 to Σ_{i≤m} e(i)"}
    return _exposed_metric("eta", metric, name, weight=weights.one, formula="Σ_i e(p_i)", **said)


def _exposed_metric(
    called: str, metric: Metric | Callable[..., Any] | str, name: str | None, **said: Any
) -> RecallLevelMetric:
    taken = parse_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(taken, Metric):
        if not callable(taken):
            raise TypeError(f"{called}: expected a metric or an exposure, found {taken!r}")
        operand = str(name or getattr(taken, "__name__", "<exposure>"))
        if operand.startswith("<"):
            raise LexiframeError(
                f"{called}: expected a function with a name; give one: {called}(..., 'mine')"
            )
        return RecallLevelMetric(called, taken, operand=operand, **said)
    if taken.cutoff is not None:
        raise LexiframeError(
            f"{called}({taken}): write the cut-off behind the parentheses, "
            f"{called}({taken.name})@{taken.cutoff}"
        )
    exposure = getattr(taken, "exposure", None)
    if exposure is None or taken.smaller_is_better or taken.needs == SUBTOPICS:
        raise LexiframeError(
            f"{called}({taken}): expected a metric with an exposure, such as AP or nDCG"
        )
    operand = name or str(replace(taken, rel=None))
    parameters, rel = taken.values, taken.rel
    return RecallLevelMetric(
        called, exposure, parameters=parameters, operand=operand, rel=rel, **said
    )


@typed
def WC(metric: Metric | str = "AP") -> Metric:
    """Return the worst case of a metric: the least μ(π, u) over the subsets u of relevant items.

    Each subset is an information need. All 2^m − 1 of them are tried, so a request may have at most
    15 relevant items. By the theorem of the paper the result equals `TSE` for a top-heavy metric
    with z(1, 1) = 1 whose exposure does not depend on m; for other metrics, such as Rprec, it may
    differ. A graded metric uses the grades of the items in u. For nDCG the result equals TSE too:
    the ideal of u is at most Σ g(y), so no value is below e(p_m), which the subset of the last item
    alone reaches.

    Parameters
    ----------
    metric
        A recall-level or graded metric, or its notation: ``WC(AP)``, ``"WC(nDCG)"``,
        ``WC(eta(AP))``. ``"WC"`` alone is ``WC(AP)``; where the theorem holds, all metrics give
        one order.

    Returns
    -------
    WorstCase
        A metric, ``WC(AP)``.

    Raises
    ------
    LexiframeError
        For any other kind of measure.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370,
    equations 4 and 5.

    Examples
    --------
    Relevant items at ranks 1 and 4: a user who wants the second alone has 1/4.

    >>> import lexiframe as lf
    >>> p = lf.positions({"a": {"q": {"x": 4, "u": 3, "v": 2, "y": 1}}}, {"q": {"x": 1, "y": 1}})
    >>> lf.scores(p, ["AP", "WC(AP)", "TSE(AP)"])["value"].to_list()
    [0.75, 0.25, 0.25]
    """
    taken = parse_metric(metric) if isinstance(metric, str) else metric
    is_other = isinstance(taken, SearchLength | SubtopicMetric)
    if not isinstance(taken, RecallLevelMetric | GradedMetric) or is_other:
        raise LexiframeError(
            f"WC({taken}): expected a recall-level or graded metric, such as AP or nDCG"
        )
    from lexiframe.core.metrics.kinds.worst_case import WorstCase

    plain = replace(taken, rel=None)
    return WorstCase("WC", plain, operand=str(plain), rel=taken.rel,
        formula="min over u ⊆ R of μ(π, u)", source=f"{LEXIRECALL}, eq. 4 to 6",
        bounds="as of μ")  # fmt: skip


def precision_of_users(weight: Callable[..., Any], users: str) -> RecallLevelMetric:
    """Return the normalised cumulative precision of users who each want a number of items."""
    return RecallLevelMetric("NCP", exposures.reciprocal, weights.PrecisionWeight(weight, users),
        operand=users, formula="Σ_i p(i) i/p_i", bounds="0 to 1",
        source=f"{SAKAI_ROBERTSON}; {RECALL_PAIRED}, section 3.2")  # fmt: skip


_UNIFORM, _LOG, _INVERSE = weights.share_of_request, weights.logarithmic, weights.reciprocal
_USERS = {"RPP": _UNIFORM, "dcgRPP": _LOG, "invRPP": _INVERSE}
"""The weights of users, by the preference that has the same users."""


def NCP(users: str = "RPP") -> RecallLevelMetric:
    """Return the normalised cumulative precision of the users of a preference: ``NCP(dcgRPP)``."""
    if users not in _USERS:
        raise unknown_name("preference with users", users, [*_USERS])
    return precision_of_users(_USERS[users], users)


_ADDED = features.names_of_measures()
"""The measures of rankings that features add, by name."""
_OF_ITEMS = features.names_of_measures_of_items()
"""The measures of lists over a catalogue or of answers, with their other names."""
notation.know([*_ADDED, *_OF_ITEMS])
MADE_FROM_ANOTHER: dict[str, Callable[..., Metric]] = dict(TSE=TSE, eta=eta, WC=WC, NCP=NCP)
notation.know(MADE_FROM_ANOTHER)


def metric_names() -> list[str]:
    """Return the names of all built-in metrics, and of the metrics that features add."""
    return [*METRICS, *_ADDED]


def every_metric() -> list[Metric]:
    """Return all built-in metrics in the order of the catalogue, then metrics of features."""
    return [*METRICS.values(), *map(features.measure, _ADDED)]


def is_metric(name: str) -> bool:
    """Return whether a name belongs to a metric, also of lists or of answers."""
    return name in metric_names() or name in _OF_ITEMS


def metrics_of_items() -> list[Metric]:
    """Return the measures of lists over a catalogue, and of answers."""
    every = {name: features.measure(name) for name in sorted(_OF_ITEMS)}
    return [one for name, one in every.items() if one.name == name]


def known_metric(name: str) -> Metric | None:
    """Return the metric that a name means, or None for preferences and for a user's own metrics."""
    if notation.is_too_short(name):
        return None
    try:
        # without the names that are spelled alike, which take 2 ms to find
        return _metric_of(notation.read(re.sub(column_forms.SIMILARITY, "", name)))
    except LexiframeError:
        return None


def smaller_is_better(name: str) -> bool | None:
    """Return whether smaller values of a measure are better; None where its name does not say it.

    Examples
    --------
    >>> smaller_is_better("ASL"), smaller_is_better("AP"), smaller_is_better("my own")
    (True, False, None)
    >>> smaller_is_better("AMI WER")
    True
    """
    metric = known_metric(name)
    return says_smaller(name) if metric is None else metric.smaller_is_better


def name_among(known: Sequence[str], asked: str) -> str:
    """Return the name ``asked``, or another known name of the same metric if it is not known."""
    metric = known_metric(asked)
    same = [name for name in known if metric is not None and known_metric(name) == metric]
    return asked if asked in known else next(iter(same), asked)


_NOT_A_METRIC = "; preferences such as RPP and LR go to lexiframe.preferences"


def parse_metric(text: str) -> Metric:
    """Return the metric of a notation: ir_measures' ``nDCG@10``, trec_eval's ``ndcg_cut_10``."""
    if not isinstance(text, str):
        raise errors.WrongTypeError(
            f"expected a metric or its notation, found {type(text).__name__}"
        )
    written = notation.read(text)
    metric = _metric_of(written)
    if metric is not None:
        return metric
    k = (written.operand or "").removeprefix("@")
    if written.name in metric_names() and k.isdecimal():
        advice = f"a cut-off stands behind @: write {written.name}@{k}"
        raise errors.UnknownNameError(f"{text!r} is no measure; {advice}")
    refuse_not_offered(text)
    known = [*metric_names(), "TSE(AP)", "WC(AP)", "eta(AP)"]
    near = [written.name, *notation.TREC_EVAL]
    raise unknown_name("metric", text, known, near=near, advice=_NOT_A_METRIC)


def _metric_of(written: notation.Written) -> Metric | None:
    """Return the metric of a notation that was read; None for an unknown name."""
    if written.name in MADE_FROM_ANOTHER:
        made = MADE_FROM_ANOTHER[written.name]
        metric = made() if written.operand is None else made(written.operand)
    elif written.name in METRICS and written.operand is None:
        metric = METRICS[written.name]
    elif written.name in _OF_ITEMS or (
        written.name in _ADDED
        and (written.operand is None or hasattr(features.measure(written.name), "of"))
    ):
        metric = features.measure(written.name)
        if written.operand and hasattr(metric, "of"):
            metric = metric(written.operand)
        elif written.operand:
            metric = metric(**{written.operand: True})
    else:
        return None
    if written.parameters:
        metric = metric(**written.parameters)
    return metric if written.cutoff is None else metric @ written.cutoff
