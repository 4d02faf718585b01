"""The sizes of the benchmark's collection, as options of both scripts; imports nothing heavy."""

import argparse

SIZES = {
    "runs": (110, "runs"),
    "requests": (249, "requests"),
    "documents": (1000, "documents that a run retrieves for a request"),
    "relevant": (70, "relevant documents of a request, on average (few for most, many for some)"),
    "judged": (1250, "judged documents of a request"),
    "seed": (0, "seed; the same seed and sizes give the same files"),
    "unsorted": (0.1, "share of the runs whose lines are shuffled"),
}
DEFAULTS = {name: default for name, (default, _) in SIZES.items()}


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Give `parser` one option a size; the defaults are the size of TREC Robust 2004."""
    group = parser.add_argument_group("size of the collection (default: that of TREC Robust 2004)")
    for name, (default, meaning) in SIZES.items():
        group.add_argument(
            f"--{name}", type=type(default), default=default, help=f"{meaning} (%(default)s)"
        )


def sizes_of(arguments: argparse.Namespace) -> dict[str, float]:
    """Return the sizes among the parsed `arguments`, by name."""
    return {name: getattr(arguments, name) for name in SIZES}
