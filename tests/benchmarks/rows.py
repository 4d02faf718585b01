"""The rows of the table of times, in Markdown; nothing but the standard library is needed."""

from collections.abc import Sequence
from typing import Any

HEAD = ("work", "ours, CPU s", "peer", "limit", "ours / limit")


def ratio(row: dict[str, Any]) -> str:
    """Return how many times the limit ours takes."""
    return f"{row['ours'] / row['limit']:.2f}"


def line(row: dict[str, Any], *further: str) -> str:
    """Return one row."""
    peer = f"{row['peer']:.3f} ({row['peer is']})" if "peer" in row else "—"
    limit = f"{row['limit']:.3f} ({row['limit is']})"
    cells = [row["work"], f"{row['ours']:.3f}", peer, limit, ratio(row), *further]
    return f"| {' | '.join(cells)} |"


def head(*further: str) -> str:
    """Return the head of the table."""
    names = [*HEAD, *further]
    return f"| {' | '.join(names)} |\n|---|{'--:|' * (len(names) - 1)}"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the whole table."""
    return "\n".join([head(), *map(line, rows)])
