"""ir_measures with its own providers and with this library: time, and the largest differences.

    python tests/benchmarks/in_ir_measures.py RUNS QRELS

RUNS is a folder of TREC files. All measures that ir_measures can compute here are asked for, and
the five that most people ask for, of each form in which ir_measures takes a run, and of a list of
named tuples as well from a new evaluator for each run, as `ir_measures.calc_aggregate` makes it.

Times are of the processor, the least of several for each run, the two in turns. Both have to take
a run apart before they compute anything: pytrec_eval makes dictionaries of it, this library
columns. The last two columns are the shares of that in the times.
"""

import gzip
import sys
import time
from pathlib import Path

import ir_measures
import pandas as pd

import lexiframe as lf
from lexiframe.core.io.column_forms.objects import to_frame

USUAL = "AP nDCG@10 RR P@10 R@1000".split()
NAMES = """
    AP(rel=2) nDCG nDCG(dcg='exp-log2')@20 RR@10 P(rel=2)@5 R(rel=2)@100 Rprec Bpref infAP Success@5
    IPrec@0.1 Judged@10 SetP SetR SetF SetAP NumRet NumRet(rel=1) NumRel NumQ ERR@20 Compat(p=0.9)
    P(judged_only=True)@10 AP(judged_only=True) nDCG(judged_only=True)@10
    nDCG(gains={1:0,2:1,3:4})@10
""".split()
FORMS = {
    "named tuples": lambda run: run,
    "dictionaries": lambda run: ir_measures.util.RunConverter(run).as_dict_of_dict(),
    "frames": pd.DataFrame,
}
REPETITIONS = 3


def least(*functions):
    """Return the least time of each of some functions, called in turns."""
    found = [float("inf")] * len(functions)
    for _ in range(REPETITIONS):
        for n, function in enumerate(functions):
            started = time.process_time()
            function()
            found[n] = min(found[n], time.process_time() - started)
    return found


def opened(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open()


def columns(run):
    return to_frame(run[["query_id", "doc_id", "score"]] if hasattr(run, "loc") else run, "score")


def compare(form, runs, some, theirs, ours, *, kept):
    """Print the times of a run, and their ratio."""
    times = [
        least(
            lambda run=run: theirs(run),
            lambda run=run: ours(run),
            lambda run=run: ir_measures.util.RunConverter(run).as_dict_of_dict(),
            lambda run=run: columns(run),
        )
        for run in runs
    ]
    slow, fast, apart, as_columns = (1000 * sum(of) / len(runs) for of in zip(*times, strict=True))
    name = f"{form}, {'one evaluator' if kept else 'each a new evaluator'}"
    print(
        f"{name:38} {len(some):3} {slow:8.1f} {fast:8.1f} {slow / fast:6.1f}x "
        f"{apart:9.1f} {as_columns:9.1f}"
    )


def values(evaluator, runs):
    return [
        {(one.query_id, str(one.measure)): one.value for one in evaluator.iter_calc(run)}
        for run in runs
    ]


def differences(theirs, ours):
    largest = {}
    for one, other in zip(theirs, ours, strict=True):
        for (query, measure), value in one.items():
            difference = abs(value - other[query, measure])
            largest[measure] = max(largest.get(measure, 0.0), difference)
    return largest


def main():
    folder, judgments = map(Path, sys.argv[1:])
    qrels = list(ir_measures.read_trec_qrels(str(judgments)))
    runs = [list(ir_measures.read_trec_run(opened(path))) for path in sorted(folder.iterdir())]
    usual = [ir_measures.parse_measure(name) for name in USUAL]
    every = [*usual, *map(ir_measures.parse_measure, NAMES)]
    every = [one for one in every if ir_measures.DefaultPipeline.supports(one)]
    both = (usual, every)
    pipeline = ir_measures.DefaultPipeline
    others = ir_measures.providers.FallbackProvider([*pipeline.providers])
    provider = lf.io.use_in_ir_measures()
    theirs, ours = ([one.evaluator(some, qrels) for some in both] for one in (others, provider))
    print(f"{len(runs)} runs, {sum(map(len, runs)) / len(runs):.0f} rows each, milliseconds a run")
    names = "measures default lexiframe ratio dictionaries columns".split()
    print(f"{'':31} {'  '.join(names)}")
    for n, some in enumerate(both):
        for form, made in FORMS.items():
            given = [made(run) for run in runs]
            compare(form, given, some, theirs[n].calc_aggregate, ours[n].calc_aggregate, kept=True)
        compare(
            "named tuples",
            runs,
            some,
            lambda run, some=some: others.calc_aggregate(some, qrels, run),
            lambda run, some=some: provider.calc_aggregate(some, qrels, run),
            kept=False,
        )
    print("\nlargest difference of a request")
    found = differences(*(values(evaluators[1], runs) for evaluators in (theirs, ours)))
    for measure, difference in sorted(found.items(), key=lambda pair: -pair[1]):
        print(f"{measure:40} {difference:.3g}")


if __name__ == "__main__":
    main()
