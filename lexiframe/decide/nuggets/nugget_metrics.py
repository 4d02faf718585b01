"""Measures of answers, each a Polars expression over the rows of one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import Metric, Rankings

NUGGETS = "judged nuggets of answers"
Rows = Literal["nugget_rows", "citations", "sentence_rows", "scores", "pairs"]
STATED, VITAL = pl.col("credit") >= 1, pl.col("importance") == "vital"


@dataclass(frozen=True, eq=False, repr=False)
class NuggetMetric(Metric):
    """μ = an expression over rows of an answer, from the metric's flags by keyword; null: no value.

    ``rows`` says which rows of `AnswerTables`, or one row of other scores; ``pairs`` compares two
    answers. ``unanswered`` is the value without an answer.
    """

    expression: Callable[..., pl.Expr]
    rows: Rows
    unanswered: float | None = 0.0

    kind: ClassVar[str] = "nugget"
    needs: ClassVar[str] = NUGGETS
    elsewhere: ClassVar[str] = (
        "needs judgments of answers (lexiframe.read_nuggets), which evaluate_scores, nugget_scores "
        "and preferences take; the command evaluate has --nuggets"
    )
    cuts_off: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None:
            raise LexiframeError(
                f"{self.name}(rel={self.rel:g}): nuggets have credits, not grades; give rel to "
                "read_nuggets"
            )

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Raise: rankings of documents do not tell which nuggets answers state."""
        raise LexiframeError(f"{self}: {self.elsewhere}")

    def _written(self, at: float | None, but: str = "", lacking: Iterable[str] = ()) -> str:
        """Return the notation, with flags as words: ``NuggetRecall(vital,strict)``."""
        flags = [name for name, value in self.values.items() if value is True]
        return self.name + (f"({','.join(flags)})" if flags else "")

    @property
    def value(self) -> pl.Expr:
        """The value of an answer: null where the expression is not a number."""
        return self.expression(**self.keywords(self.expression)).fill_nan(None).alias(str(self))


@dataclass(frozen=True, eq=False, repr=False)
class PairedNuggets(NuggetMetric):
    """Δ = Σ w sgn(c − c′)/Σ w over the nuggets of a request; the expression is w."""

    kind: ClassVar[str] = "nugget preference"


def weight(*, vital: bool, weighted: bool) -> pl.Expr:
    """1 for a vital nugget; for any other 1, ½ if ``weighted``, 0 if only ``vital`` ones count."""
    return pl.when(VITAL).then(1.0).otherwise(0.0 if vital else 0.5 if weighted else 1.0)


def nugget_recall(*, vital: bool, weighted: bool, strict: bool) -> pl.Expr:
    """Σ w c / Σ w."""
    w = weight(vital=vital, weighted=weighted)
    return (w * (STATED.cast(pl.Float64) if strict else pl.col("credit"))).sum() / w.sum()


def citation_support() -> pl.Expr:
    """The share of citations that support their sentence in full."""
    return (pl.col("support") >= 1).mean()


def citation_relevance() -> pl.Expr:
    """The share of relevant documents among the cited documents that were judged."""
    return pl.col("relevant").mean()


def sentence_support() -> pl.Expr:
    """Sentences with full support, over sentences that cite, or need to and are the first."""
    cites = pl.col("first_support").is_not_null()
    counts = cites | (pl.col("needs_citation") & pl.col("first_instance"))
    return (pl.col("least_support") >= 1).sum() / counts.sum()


def support_precision() -> pl.Expr:
    """The mean support of first citations, over sentences that cite."""
    return pl.col("first_support").mean()


def support_recall() -> pl.Expr:
    """The mean support of first citations, over all sentences."""
    return pl.col("first_support").fill_null(0.0).mean()


def report_f1(*, weighted: bool) -> pl.Expr:
    """2 S R / (S + R), 0 where both are 0."""
    s, r = pl.col("SentenceSupport"), pl.col("NuggetRecall" + "(weighted)" * weighted)
    return pl.when(s + r == 0).then(0.0).otherwise(2 * s * r / (s + r))
