"""The sources of variance in scores, and the dependability of means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, schemas, typed
from lexiframe.core.pairwise import arrays
from lexiframe.core.projection import alone
from lexiframe.core.significance.replicates.designs import (
    CELL,
    DESIGNS,
    ONE,
    Replicates,
    components,
    mean_squares,
)
from lexiframe.study.replicates.read import Replicated, replicated
from lexiframe.study.replicates.reml import reml_components
from lexiframe.study.replicates.schemas import COMPONENTS
from lexiframe.typing import Frame


@alone.each_collection
@typed
def variance_components(s: Frame, /, replicates: Replicates) -> pl.DataFrame:
    """Estimate how much runs, requests and replicates add to the variance of scores.

    Parameters
    ----------
    s
        A table of scores with the column ``replicate``, which names the seeds, folds, samples
        or annotators behind the scores of a run and request.
    replicates : {"run", "request", "cell", "both"}
        How the replicates were made. ``run``: each run has its own, and they answer all requests
        (a model that was trained from several seeds). ``request``: each request has its own, the
        same for all runs (other samples of its data). ``cell``: each run has its own in each
        request. ``both``: all runs and requests share them (the same seeds for all).

    Returns
    -------
    polars.DataFrame
        Key ``measure, source``. ``source`` is ``run``, ``request``, ``run × request``,
        ``replicate``, with "both" also ``run × replicate`` and ``request × replicate``, and
        ``residual``, in this order. ``variance`` is not below 0, in the measure's squared unit;
        ``raw`` is the unbiased estimate, which may be below 0; ``df`` the degrees of freedom of its
        mean square; ``share`` of the sum of all variances, 0 to 1. ``raw`` and ``df`` are null
        where cells lack replicates. With one replicate ``residual`` is that of run × request too,
        and there are no other sources.

    Raises
    ------
    LexiframeError
        Without the column ``replicate``, for an unknown design, scores that are not finite, a cell
        with two scores of one replicate, and for fewer than two runs or requests.

    Notes
    -----
    Where each run has the same number of replicates in each request the estimates solve the
    equations of the expected mean squares of a random model (Brennan, Generalizability Theory,
    2001, doi:10.1007/978-1-4757-3456-0; for test collections Urbano, Marrero & Martín, SIGIR 2013,
    doi:10.1145/2484028.2484038). Where some are missing, they are those of restricted maximum
    likelihood, found from several starts.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> s = pl.DataFrame({"run": ["a"] * 4 + ["b"] * 4, "query_id": ["q1", "q1", "q2", "q2"] * 2,
    ...                   "replicate": ["1", "2"] * 4, "measure": "AP",
    ...                   "value": [0.2, 0.3, 0.6, 0.7, 0.4, 0.4, 0.7, 0.9]})
    >>> c = lf.significance.variance_components(s, "cell")
    >>> c.select("source", pl.col("variance").round(4)).rows()
    [('run', 0.0112), ('request', 0.08), ('run × request', 0.0), ('residual', 0.0075)]
    """
    check_choice("variance_components", replicates, DESIGNS, "replicates")
    arrays.refuse_weights("variance_components", s)
    found = [_measure_components(one, replicates) for one in replicated("variance_components", s)]
    return pl.concat(found)


def _measure_components(data: Replicated, replicates: Replicates) -> pl.DataFrame:
    _refuse_few(data)
    x = data.array
    if x is None:
        raw, freedom = _unbalanced_components(data, replicates), dict[str, int | None]()
    else:
        design = DESIGNS[replicates] if x.shape[2] > 1 else ONE
        raw = components(x, design)
        freedom = {source: df for source, (_, df) in mean_squares(x, design).items()}
    variance = {source: max(value, 0.0) for source, value in raw.items()}
    total = sum(variance.values())
    return schemas.table_of(
        COMPONENTS.columns,
        len(raw),
        {
            "measure": data.measure,
            "source": list(raw),
            "variance": list(variance.values()),
            "raw": None if x is None else list(raw.values()),
            "df": None if x is None else [freedom[source] for source in raw],
            "share": [value / total if total else math.nan for value in variance.values()],
        },
    )


def _refuse_few(data: Replicated) -> None:
    few = {"runs": len(data.runs), "requests": len(data.queries)}
    for what, n in few.items():
        if n < 2:
            raise LexiframeError(
                f"variance_components: expected two or more {what} of {data.measure}, found {n}; "
                f"the variance between {what} is not known from one"
            )


def _unbalanced_components(data: Replicated, replicates: Replicates) -> dict[str, float]:
    """Estimate the components where some cells lack replicates."""
    axes = (data.run, data.request, data.replicate)
    design = DESIGNS[replicates]
    effects = {
        source: _number_effects([axes[axis] for axis in design.sources[source]])
        for source in design.sources
        if source not in (CELL, "residual")
    }
    cells = _number_effects([data.run, data.request])
    if len(cells) == cells.max() + 1:
        raise LexiframeError(
            f"variance_components: expected two or more replicates of some run and request for "
            f"{data.measure}, found one of each and some cells without any; leave out the requests "
            "that some runs lack"
        )
    found = reml_components(data.values, cells, effects, CELL)
    return {source: found[source] for source in design.sources}


def _number_effects(axes: Sequence[np.ndarray]) -> np.ndarray:
    """Number the existing combinations of effects."""
    found = np.unique(np.column_stack(axes), axis=0, return_inverse=True)[1]
    return np.asarray(found).ravel()


@alone.each_collection
@typed
def generalisability(
    s_or_components: Frame,
    /,
    replicates: Replicates,
    *,
    n_requests: int | Sequence[int] = (10, 25, 50, 100, 200),
    n_replicates: int | Sequence[int] = (1, 2, 3, 5, 10),
) -> pl.DataFrame:
    """Say how dependable means would be over other numbers of requests and replicates.

    Parameters
    ----------
    s_or_components
        A table of scores with the column ``replicate``, or what `variance_components` made of it.
    replicates
        The design, as for `variance_components`.
    n_requests, n_replicates : int or sequence of int
        The numbers of requests, and of replicates for each run and request.

    Returns
    -------
    polars.DataFrame
        Key ``measure, n_requests, n_replicates``. ``generalisability`` (Eρ²) is the share of the
        variance between means of runs that is due to the runs, when all have the same requests:
        0 to 1, near 1 if other requests would order them alike. ``dependability`` (Φ) is the same
        for the values themselves, not only their differences. Null where no variance was found.

    Raises
    ------
    LexiframeError
        As `variance_components`; for numbers below 1, and for components of another design.

    Notes
    -----
    Eρ² = σ²_run / (σ²_run + δ), where δ is the sum of the variances of the sources that change the
    differences between runs, each divided by the number of its effects that a run's mean is over;
    Φ has the other sources in its denominator too. A table of both over several numbers is called a
    decision study (Brennan 2001; Urbano, Marrero & Martín 2013: see `variance_components`).

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> c = pl.DataFrame({"measure": "AP", "variance": [0.02, 0.04, 0.01, 0.005],
    ...                   "source": ["run", "request", "run × request", "residual"]})
    >>> g = lf.significance.generalisability(c, "cell", n_requests=[10, 50], n_replicates=1)
    >>> g.select("n_requests", pl.col("generalisability", "dependability").round(3)).rows()
    [(10, 0.93, 0.784), (50, 0.985, 0.948)]
    """
    check_choice("generalisability", replicates, DESIGNS, "replicates")
    requests, seeds = (
        _sizes_tried("n_requests", n_requests),
        _sizes_tried("n_replicates", n_replicates),
    )
    given = schemas.to_polars(s_or_components)
    if "source" not in given.columns:
        given = variance_components(given, replicates)
    found = schemas.check(given, COMPONENTS)
    rows = [
        {
            "measure": measure,
            "n_requests": q,
            "n_replicates": k,
            **_coefficients(one, replicates, q, k),
        }
        for measure, one in _variances_by_measure(found).items()
        for q in requests
        for k in seeds
    ]
    return pl.DataFrame(rows, schemas.GENERALISABILITY.columns).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def _variances_by_measure(found: pl.DataFrame) -> dict[str, dict[str, float]]:
    names = found["measure"].unique(maintain_order=True)
    return {
        name: dict(found.filter(measure=name).select("source", "variance").iter_rows())
        for name in names
    }


def _coefficients(
    variance: Mapping[str, float], replicates: Replicates, requests: int, seeds: int
) -> dict[str, float]:
    design = DESIGNS[replicates]
    if unknown := [source for source in variance if source not in design.sources]:
        raise LexiframeError(
            f"generalisability: expected the sources {', '.join(design.sources)} of "
            f"replicates={replicates!r}, found {', '.join(unknown)}; name the design that the "
            "components are of"
        )
    shape = (1, requests, seeds)
    parts = {
        source: value / math.prod(shape[axis] for axis in design.sources[source])
        for source, value in variance.items()
    }
    true = parts.pop("run")
    relative = sum(part for source, part in parts.items() if 0 in design.sources[source])
    absolute = sum(parts.values())
    return {
        "generalisability": _true_part(true, relative), "dependability": _true_part(true, absolute)
    }  # fmt: skip


def _true_part(true: float, noise: float) -> float:
    return true / (true + noise) if true + noise else math.nan


def _sizes_tried(name: str, given: int | Iterable[int]) -> list[int]:
    numbers = [given] if isinstance(given, int) else [*given]
    if not numbers or min(numbers) < 1:
        raise LexiframeError(
            f"generalisability: expected {name} to be whole numbers from 1, found {numbers}"
        )
    return numbers
