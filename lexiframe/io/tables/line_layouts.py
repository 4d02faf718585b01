"""How the lines of TREC text are laid out: their fields, by what they hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """The fields of a line: their names, how many there have to be, and which is a number."""

    names: tuple[str, ...]
    at_least: int
    number: str

    def __str__(self) -> str:
        return f"{len(self.names)} fields ({' '.join(self.names)})"


RUN = Layout(("query_id", "q0", "doc_id", "rank", "score", "tag"), 5, "score")
RANKED = Layout(("query_id", "doc_id", "rank"), 3, "rank")
SCORED = Layout(("query_id", "doc_id", "score"), 3, "score")
QRELS = Layout(("query_id", "iteration", "doc_id", "relevance"), 4, "relevance")
GRADED = Layout(("query_id", "doc_id", "relevance"), 3, "relevance")
