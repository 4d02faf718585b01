"""The layouts of lines of TREC text: their fields, in order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """The names of a line's fields, how many of them are required, and which one is a number."""

    names: tuple[str, ...]
    at_least: int
    number: str

    def __str__(self) -> str:
        return f"{len(self.names)} fields ({' '.join(self.names)})"


# Lines of a run may lack the last field, the tag: no score depends on it.
RUN = Layout(("query_id", "q0", "doc_id", "rank", "score", "tag"), 5, "score")
RANKED = Layout(("query_id", "doc_id", "rank"), 3, "rank")
SCORED = Layout(("query_id", "doc_id", "score"), 3, "score")
QRELS = Layout(("query_id", "iteration", "doc_id", "relevance"), 4, "relevance")
GRADED = Layout(("query_id", "doc_id", "relevance"), 3, "relevance")
