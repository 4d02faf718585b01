"""The cost of expected ties: `python tests/benchmarks/ties.py [SCORES]`.

40 runs × 250 requests × 1,000 documents with SCORES different scores a list (4 by default, 0: no
two documents of a list share one) are evaluated by document id and in expectation, in turn, with
the default measures. It prints the least CPU seconds of each, and their ratio.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import polars as pl

import lexiframe as lf

RUNS, REQUESTS, DOCUMENTS, CORPUS, TRIALS = 40, 250, 1000, 20_000, 3


def draw(n_scores: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return runs, which retrieve most of the relevant documents, and judgments from 0 to 3."""
    rng = np.random.default_rng(0)
    names = np.array([f"d{n:05d}" for n in range(CORPUS)])
    runs, qrels = [], []
    for q in range(REQUESTS):
        judged = rng.choice(CORPUS, rng.integers(5, 60), replace=False)
        grades = rng.integers(0, 4, len(judged)).astype(float)
        of = {"query_id": f"q{q:03d}", "doc_id": names[judged], "relevance": grades}
        qrels.append(pl.DataFrame(of))
        for run in range(RUNS):
            found = rng.choice(judged, int(0.7 * len(judged)), replace=False)
            others = rng.choice(CORPUS, DOCUMENTS - len(found), replace=False)
            listed = rng.permutation(np.unique(np.concatenate([found, others])))
            score = np.arange(len(listed), 0.0, -1)
            if n_scores:
                score = np.sort(rng.integers(0, n_scores, len(listed)))[::-1].astype(float)
            key = {"run": f"r{run:02d}", "query_id": f"q{q:03d}"}
            runs.append(pl.DataFrame(key | {"doc_id": names[listed], "score": score}))
    return pl.concat(runs), pl.concat(qrels)


def main() -> None:
    """Draw the data, and evaluate them by both policies in turn."""
    warnings.simplefilter("ignore", lf.LexiframeWarning)
    runs, qrels = draw(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
    seconds: dict[str, list[float]] = {"doc_id_desc": [], "expected": []}
    for _ in range(TRIALS):
        for ties, of_each in seconds.items():
            start = time.process_time()
            lf.evaluate(runs, qrels, ties=ties)  # type: ignore[arg-type]
            of_each.append(time.process_time() - start)
    least = {ties: min(of_each) for ties, of_each in seconds.items()}
    print(" ".join(f"{ties} {of:.2f} s" for ties, of in least.items()))
    print(f"ratio {least['expected'] / least['doc_id_desc']:.2f}")


if __name__ == "__main__":
    main()
