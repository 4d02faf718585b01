"""Paired tests of requests with weights, and refusals of tests without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lexiframe.core.base import LexiframeError
from lexiframe.core.pairwise import arrays
from lexiframe.core.significance.own_tests import name_of_test
from lexiframe.core.significance.tests import AUTO

WEIGHED = ("randomization", "t", "bootstrap")
"""The tests that know weights."""


def weigh_tested(
    called: str, d: Any, tests: Sequence[Any], given: tuple[Any, Any, Any], requests: Any = None,
    *, cluster: str | None = None, replicates: str | None = None,
    offered: Sequence[str] = WEIGHED,
) -> Any:  # fmt: skip
    """Return a table with the weights ``given`` (weights, strata, shares), or with its own.

    Raises for tests, clusters and designs of replicates that have no weights.
    """
    refuse_unweighed(called, tests, cluster, replicates, offered)
    return arrays.weigh(d, requests, *given)


def refuse_unweighed(
    called: str, tests: Sequence[Any], cluster: str | None = None, replicates: str | None = None,
    offered: Sequence[str] = WEIGHED,
) -> None:  # fmt: skip
    """Raise for tests and options that have no weights; ``offered`` are tests that have them."""
    for test in tests:
        name = name_of_test(test)
        if name == AUTO:
            continue
        if name == "sign":
            raise LexiframeError(
                "test='sign' has no weights; 'randomization' on a measure of signs is its weighted "
                "form"
            )
        if name not in offered:
            rest = ", ".join(map(repr, offered[:-1])) + " or " * (len(offered) > 1)
            raise LexiframeError(f"test={name!r} has no weights; take {rest}{offered[-1]!r}")
    if cluster is not None:
        raise LexiframeError(
            f"{called}: cluster= has no weights; leave one of them out, or weigh means of clusters"
        )
    if replicates in ("run", "both"):
        raise LexiframeError(
            f"{called}: replicates={replicates!r} has no weights; replicates='request' or 'cell' "
            "compares the means of replicates by weight"
        )
