"""Make a TREC collection, by default of the size of TREC Robust 2004: 1.1 GB of text.

Writes ``OUT/runs/run000.trec`` and so on, ``OUT/sizes.json`` and, last, ``OUT/qrels.txt``.

What makes it like a real one: requests have 3 to some hundred relevant documents, of grade 1 or 2,
at the top of an incompletely judged pool; runs differ in quality, so that orderings of them mean
something, and in quality per request, so that they disagree; a third of them writes two decimals
and has many ties; every tenth leaves some requests out; some files are not sorted.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from sizes import add_sizes, sizes_of

# Documents of TREC disks 4 and 5 without the Congressional Record, as in Robust 2004.
DOCUMENTS = {"FBIS": 130_471, "FR94": 55_630, "FT": 210_158, "LA": 131_896}


def document_ids() -> pl.Series:
    """Return 528,155 different ids that look like those of TREC disks 4 and 5."""
    n = {source: np.arange(count) for source, count in DOCUMENTS.items()}
    la_day, la_document = n["LA"] // 182, n["LA"] % 182 + 1
    ids = [f"FBIS3-{i + 1}" for i in n["FBIS"]]
    ids += [f"FR94{i // 4968 + 1:02}{i // 185 % 27 + 1:02}-0-{i + 1:05}" for i in n["FR94"]]
    ids += [f"FT{911 + i // 17_000}-{i % 17_000 + 1}" for i in n["FT"]]
    ids += [
        f"LA{day % 12 + 1:02}{day // 12 % 31 + 1:02}{89 + day // 372}-{document:04}"
        for day, document in zip(la_day, la_document, strict=True)
    ]
    return pl.Series("doc_id", ids)


def relevant_counts(requests: int, mean: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return how many documents are relevant to each request: exponentially distributed."""
    quantiles = (np.arange(requests) + 0.5) / requests
    counts = np.rint(-np.log1p(-quantiles) * mean).astype(int)
    return rng.permutation(counts.clip(min(3, most), most))


class Pools(NamedTuple):
    """What the runs draw from: for each request, a pool of documents.

    The three matrices are requests by documents of the pool: `members` are indices into `doc_ids`;
    `grades` are -1 where not judged; `evidence` is how well an average run could tell that the
    document is relevant.
    """

    query_ids: pl.Series
    doc_ids: pl.Series
    members: np.ndarray
    grades: np.ndarray
    evidence: np.ndarray


def make_pools(sizes: dict) -> Pools:
    """Draw the pools: the judged documents come first in each, and the relevant first in these."""
    rng = np.random.default_rng(sizes["seed"])
    requests, judged = sizes["requests"], sizes["judged"]
    doc_ids, size = document_ids(), max(4 * sizes["documents"], judged)
    members = np.stack([rng.choice(len(doc_ids), size, replace=False) for _ in range(requests)])
    column = np.arange(size)
    relevant = column < relevant_counts(requests, sizes["relevant"], judged, rng)[:, None]
    grades = np.where(relevant, rng.choice([1, 2], members.shape, p=[0.7, 0.3]), 0)
    evidence = rng.normal(size=members.shape) + np.where(relevant, 1 + 0.5 * grades, 0)
    evidence += 0.8 * (column < judged)
    query_ids = pl.Series([str(301 + i) for i in range(requests)])
    return Pools(query_ids, doc_ids, members, np.where(column < judged, grades, -1), evidence)


def write_run(path: Path, number: int, unsorted: bool, sizes: dict, pools: Pools) -> None:
    """Write one run: its scores are the documents' evidence, as well as this run sees it."""
    rng = np.random.default_rng([sizes["seed"], number])
    requests, documents = sizes["requests"], sizes["documents"]
    quality = rng.uniform(0.2, 1.2) * rng.gamma(4, 0.25, size=(requests, 1))
    scores = 10 + quality * pools.evidence + rng.standard_normal(pools.evidence.shape)
    top = np.argsort(-scores, axis=1)[:, :documents]
    answered = np.ones(requests, dtype=bool)
    if number % 10 == 3:
        answered[rng.choice(requests, -(-(requests - 1) // 50), replace=False)] = False
    run = pl.DataFrame(
        {
            "query_id": pools.query_ids.gather(np.repeat(np.arange(requests), documents)),
            "iteration": pl.repeat("Q0", requests * documents, eager=True),
            "doc_id": pools.doc_ids.gather(np.take_along_axis(pools.members, top, axis=1).ravel()),
            "rank": np.tile(np.arange(1, documents + 1), requests),
            "score": np.take_along_axis(scores, top, axis=1).ravel(),
            "tag": pl.repeat(path.stem, requests * documents, eager=True),
        }
    ).filter(np.repeat(answered, documents))
    if unsorted:
        run = run[rng.permutation(run.height)]
    # Rounded after ranking: as in real runs, the order of tied documents is not that of their ids.
    decimals = 2 if number % 3 == 0 else 5
    run.write_csv(path, separator=" ", include_header=False, float_precision=decimals)


def write_qrels(path: Path, pools: Pools) -> None:
    """Write the judged documents of the pools, in no order of relevance."""
    request, column = np.nonzero(pools.grades >= 0)
    qrels = pl.DataFrame(
        {
            "query_id": pools.query_ids.gather(request),
            "iteration": pl.repeat("0", len(request), eager=True),
            "doc_id": pools.doc_ids.gather(pools.members[request, column]),
            "relevance": pools.grades[request, column],
        }
    ).sort(pl.col("query_id").cast(int), "doc_id")
    qrels.write_csv(path, separator=" ", include_header=False)


def make_collection(out: Path, sizes: dict) -> None:
    """Write a collection into the folder `out`.

    Parameters
    ----------
    out : Path
        Where to; made when it does not exist.
    sizes : dict
        The values of the options, as in `sizes.SIZES`.
    """
    if min(sizes[name] for name in ("runs", "requests", "documents", "judged")) < 1:
        raise SystemExit("runs, requests, documents and judged must be at least 1")
    (out / "runs").mkdir(parents=True, exist_ok=True)
    pools = make_pools(sizes)
    rng = np.random.default_rng(sizes["seed"])
    runs = sizes["runs"]
    unsorted = set(rng.choice(runs, round(sizes["unsorted"] * runs), replace=False).tolist())
    for number in range(runs):
        path = out / "runs" / f"run{number:03}.trec"
        write_run(path, number, number in unsorted, sizes, pools)
    (out / "sizes.json").write_text(json.dumps(sizes) + "\n")
    write_qrels(out / "qrels.txt", pools)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", metavar="OUT", type=Path, help="folder to write into")
    add_sizes(parser)
    arguments = parser.parse_args()
    make_collection(arguments.out, sizes_of(arguments))
