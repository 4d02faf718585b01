"""The page of how fast the library is: the last table of `make benchmark`, as it was kept."""

import json
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1] / "tests" / "benchmarks"
LAST = BENCHMARKS / "last.json"
TEXT = """\
# How fast

`make benchmark` made this table on {date}, on {processor} ({system}; {libraries}). The numbers
are seconds of the processor in all threads, the least of all rounds ({rounds}). The peer is the
fastest other library that was installed and does the work; the limit is what Polars or NumPy alone
need for the part of it that cannot be left out.

{table}

The last row is no time: where the data double, the time grows by two to the power of this exponent.
"""


def speed_page() -> str:
    """Return the text of the page."""
    sys.path.insert(0, str(BENCHMARKS))
    from rows import table

    last = json.loads(LAST.read_text(encoding="utf-8"))
    libraries = ", ".join(f"{name} {version}" for name, version in last["libraries"].items())
    return TEXT.format(**last | {"libraries": libraries, "table": table(last["rows"])})
