"""Print how long short commands take, beside importing Polars alone, which none can take less than.

The data are the bundled example: 3 runs, 5 requests. All rows are taken in turn, so that noise hits
all of them, each in a process of its own; a time is the median over the rounds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from run import COMMANDS, ROOT, STANDS_ON

EXAMPLE = ROOT / "data" / "example"
FILES = [str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")]
IN_PYTHON = "import lexiframe as lf; qrels, runs = {}, {}; print(lf.evaluate(runs, qrels))"


def rows() -> dict[str, list[str]]:
    """Return what is timed, by the name of its row."""
    code = {"importing Polars": "import polars", "importing all libraries": f"import {STANDS_ON}"}
    code |= {"`lf.evaluate` in Python": IN_PYTHON.format(*map(repr, FILES))}
    lines = {f"`lexiframe {name}`": [name] for name in COMMANDS if name.startswith("-")}
    lines |= {f"`lexiframe {name}`": [name, *FILES] for name in COMMANDS if name.isalpha()}
    commands = {name: ["-m", "lexiframe", *line] for name, line in lines.items()}
    of_code = {name: ["-c", text] for name, text in code.items()}
    return {name: [sys.executable, *line] for name, line in (of_code | commands).items()}


def time_rows(rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return wall and CPU seconds of each row in each round; compiled modules are kept."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in rows()}
    with tempfile.TemporaryDirectory() as bytecode:
        compiled = {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(rounds + 1):  # the first one compiles
            for name, command in rows().items():
                start = time.perf_counter()
                process = subprocess.Popen(
                    command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, **compiled}
                )
                _, status, used = os.wait4(process.pid, 0)
                if status:
                    raise SystemExit(f"{name}: the process ended with status {status}")
                seconds = time.perf_counter() - start, used.ru_utime + used.ru_stime
                taken[name].append(seconds)
    return {name: rounds[1:] for name, rounds in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    taken = time_rows(parser.parse_args().rounds)
    print("| | wall s | CPU s | CPU, ratio |\n|---|---:|---:|---:|")
    least = taken["importing Polars"]
    for name, rounds in taken.items():
        wall, cpu = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(a[1] / b[1] for a, b in zip(rounds, least, strict=True))
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
