"""ir_measures with its own providers and with this library: time, and the largest differences.

    python tests/benchmarks/in_ir_measures.py RUNS QRELS

RUNS is a folder of TREC files. All measures that ir_measures can compute here are asked for, and
the five that most people ask for.
"""

import gzip
import sys
import time
from pathlib import Path

import ir_measures

import lexiframe as lf

USUAL = "AP nDCG@10 RR P@10 R@1000".split()
NAMES = """
    AP(rel=2) nDCG nDCG(dcg='exp-log2')@20 RR@10 P(rel=2)@5 R(rel=2)@100 Rprec Bpref infAP Success@5
    IPrec@0.1 Judged@10 SetP SetR SetF SetAP NumRet NumRet(rel=1) NumRel NumQ ERR@20 Compat(p=0.9)
    P(judged_only=True)@10 AP(judged_only=True) nDCG(judged_only=True)@10
    nDCG(gains={1:0,2:1,3:4})@10
""".split()


def values(measures, qrels, runs):
    evaluator, started = ir_measures.evaluator(measures, qrels), time.perf_counter()
    found = [
        {(one.query_id, str(one.measure)): one.value for one in evaluator.iter_calc(run)}
        for run in runs
    ]
    return found, time.perf_counter() - started


def opened(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open()


def main():
    folder, judgments = map(Path, sys.argv[1:])
    qrels = list(ir_measures.read_trec_qrels(str(judgments)))
    runs = [list(ir_measures.read_trec_run(opened(path))) for path in sorted(folder.iterdir())]
    usual = [ir_measures.parse_measure(name) for name in USUAL]
    every = [*usual, *map(ir_measures.parse_measure, NAMES)]
    every = [one for one in every if ir_measures.DefaultPipeline.supports(one)]
    before = {len(some): values(some, qrels, runs) for some in (usual, every)}
    lf.io.use_in_ir_measures()
    for some in (usual, every):
        (theirs, slow), (ours, fast) = before[len(some)], values(some, qrels, runs)
        ratio = slow / fast
        print(f"{len(some)} measures, {len(runs)} runs: {slow:.2f} s, {fast:.2f} s ({ratio:.1f}x)")
    largest = {}
    for one, other in zip(theirs, ours, strict=True):
        for (query, measure), value in one.items():
            difference = abs(value - other[query, measure])
            largest[measure] = max(largest.get(measure, 0.0), difference)
    for measure, difference in sorted(largest.items(), key=lambda pair: -pair[1]):
        print(f"{measure:40} {difference:.3g}")


if __name__ == "__main__":
    main()
