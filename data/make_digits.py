"""Build the digits collection: image retrieval over scikit-learn's handwritten digits.

A query is one of the 1,797 images of `sklearn.datasets.load_digits`, the documents are the images
that are not queries, and a document is relevant to a query when it shows the same digit. Each
system ranks all documents for each query and keeps the best 1,000.

Run ``python data/make_digits.py`` from anywhere. It needs numpy, scipy, scikit-learn and pyarrow,
and writes beside itself

digits/qrels.parquet
    query_id, iteration, doc_id, relevance: the relevant documents of each query.
digits/queries.parquet
    query_id, digit, loop, strokes: attributes of each query.
digits/runs/<system>.parquet
    query_id, doc_id, score: one system's rankings, best document first.
digits/judges/people.parquet, digits/judges/classifier.parquet
    query_id, iteration, doc_id, relevance: who shows the same digit, by the true labels and by a
    weak classifier, for the documents that any system has among its first 10 (a pool).
digits/items.parquet
    doc_id, categories, vector: the digit of each document, and its 64 pixels, as a catalogue.
digits/history.parquet
    query_id, doc_id: simulated documents that users, the queries among them, had before.
example/qrels.txt, example/runs/<system>.run
    A small part of the same collection in the text formats of TREC.

Everything is seeded: the same library versions on the same processor give the same bytes.
"""

from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.ndimage import gaussian_filter, shift
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA, KernelPCA, LatentDirichletAllocation
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.kernel_approximation import AdditiveChi2Sampler
from sklearn.manifold import Isomap
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestCentroid
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.random_projection import GaussianRandomProjection

SEED = 20220711
QUERIES_PER_DIGIT = 6
DEPTH = 1000
POOL_DEPTH = 10
LABELLED_PER_DIGIT = 3
OTHER_USERS = 240
HISTORY = 20
"""The documents that each user had."""
FAVOUR = 10
"""How many times as probable documents of a user's own digit are as others."""
WITH_LOOP = (0, 6, 8, 9)
EXAMPLE_SYSTEMS = ["pixels_euclidean", "pca8_euclidean", "random"]
EXAMPLE_QUERIES = 5
EXAMPLE_DOCUMENTS = 200
EXAMPLE_DEPTH = 25
HERE = Path(__file__).resolve().parent


# Features: each function takes flat images, one a row with 64 intensities from 0 to 16.


def grid(images):
    """Give flat images their 8 rows and 8 columns."""
    return images.reshape(-1, 8, 8)


def flat(grids):
    """Flatten everything but the first axis."""
    return grids.reshape(len(grids), -1)


def scaled(images):
    """Scale the intensities to 0..1."""
    return images / 16


def binary(images):
    """Split ink from paper."""
    return images >= 8


def blurred(images):
    """Blur each image."""
    return flat(gaussian_filter(grid(images), sigma=(0, 0.7, 0.7)))


def coarse(images, cells):
    """Average each image over cells x cells equal squares."""
    side = 8 // cells
    return flat(images.reshape(-1, cells, side, cells, side).mean(axis=(2, 4)))


def profiles(images):
    """Sum the ink of each row and of each column."""
    return np.hstack([grid(images).sum(axis=2), grid(images).sum(axis=1)])


def ink(images):
    """Sum the ink of the image."""
    return images.sum(axis=1, keepdims=True)


def intensities(images):
    """Count the pixels of each intensity."""
    return np.stack([np.bincount(image, minlength=17) for image in images.astype(int)])


def spectrum(images):
    """Take the amplitudes of the image's frequencies, which ignore (cyclic) shifts."""
    return flat(np.abs(np.fft.rfft2(grid(images))))


def gradients(images):
    """Sum the edges of each quadrant in each of eight directions."""
    down, right = np.gradient(grid(images), axis=(1, 2))
    direction = np.floor(4 * np.arctan2(down, right) / np.pi).astype(int) % 8
    edges = np.hypot(down, right) * (direction == np.arange(8).reshape(8, 1, 1, 1))
    return np.hstack([coarse(layer, 2) for layer in edges])


def feature(function, **options):
    """Make a transformer of a function of images."""
    return FunctionTransformer(function, kw_args=options)


# Systems: each function returns a score for each query (row) and document (column).


def best_first(scores):
    """Order by score descending, among equal scores the last document first."""
    return np.argsort(scores, axis=-1, kind="stable")[..., ::-1]


def nearest(transformer, metric, queries, documents):
    """Rank by closeness in the space of a transformer that is fitted to the documents."""
    space = transformer.fit(documents)
    return -pairwise_distances(space.transform(queries), space.transform(documents), metric)


def shifted(queries, documents):
    """Rank by closeness to the nearest of nine copies of the query, shifted by up to a pixel."""
    moves = [(0, down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    copies = [flat(shift(grid(queries), move, order=0)) for move in moves]
    return -np.min([pairwise_distances(copy, documents) for copy in copies], axis=0)


def feedback(queries, documents):
    """Rank by closeness to the mean of the query and of its ten nearest documents."""
    top = best_first(-pairwise_distances(queries, documents))[:, :10]
    return -pairwise_distances((queries + documents[top].mean(axis=1)) / 2, documents)


def random(queries, documents):
    """Rank at random."""
    return np.random.default_rng(SEED).random((len(queries), len(documents)))


def reciprocal_rank_fusion(scores):
    """Add 1 / (60 + rank) over the systems."""
    ranks = 1 + np.argsort(best_first(scores), axis=-1)
    return (1 / (60 + ranks)).sum(axis=0)


def combsum(scores):
    """Add the scores of the systems, scaled to 0..1 for each query."""
    low, high = scores.min(axis=2, keepdims=True), scores.max(axis=2, keepdims=True)
    return ((scores - low) / (high - low)).sum(axis=0)


PIXELS = FunctionTransformer()
RANDOM = {"random_state": SEED}
ISOMAP = {
    "n_neighbors": 10,
    "n_components": 8,
    "eigen_solver": "dense",
    "neighbors_algorithm": "kd_tree",  # breaks ties among neighbours the same way everywhere
}

SPACES = {
    "pixels_euclidean": (PIXELS, "euclidean"),
    "pixels_manhattan": (PIXELS, "manhattan"),
    "pixels_chebyshev": (PIXELS, "chebyshev"),
    "pixels_cosine": (PIXELS, "cosine"),
    "pixels_canberra": (PIXELS, "canberra"),
    "pixels_chi2": (AdditiveChi2Sampler(), "euclidean"),
    "binary_manhattan": (feature(binary), "manhattan"),
    "binary_jaccard": (feature(binary), "jaccard"),
    "blurred_cosine": (feature(blurred), "cosine"),
    "coarse4_manhattan": (feature(coarse, cells=4), "manhattan"),
    "coarse2_manhattan": (feature(coarse, cells=2), "manhattan"),
    "profiles_manhattan": (feature(profiles), "manhattan"),
    "ink_manhattan": (feature(ink), "manhattan"),
    "intensities_manhattan": (feature(intensities), "manhattan"),
    "spectrum_euclidean": (feature(spectrum), "euclidean"),
    "gradients_cosine": (feature(gradients), "cosine"),
    "pca2_euclidean": (PCA(2, **RANDOM), "euclidean"),
    "pca8_euclidean": (PCA(8, **RANDOM), "euclidean"),
    "pca16_cosine": (PCA(16, **RANDOM), "cosine"),
    "pca32_whitened": (PCA(32, whiten=True, **RANDOM), "euclidean"),
    "kpca16_cosine": (KernelPCA(16, kernel="rbf", gamma=0.001, eigen_solver="dense"), "cosine"),
    "nmf16_cosine": (NMF(16, max_iter=1000, **RANDOM), "cosine"),
    "topics16_manhattan": (LatentDirichletAllocation(16, **RANDOM), "manhattan"),
    "isomap8_euclidean": (Isomap(**ISOMAP), "euclidean"),
    "rbm32_cosine": (make_pipeline(feature(scaled), BernoulliRBM(32, **RANDOM)), "cosine"),
    "trees100_manhattan": (RandomTreesEmbedding(100, sparse_output=False, **RANDOM), "manhattan"),
    "projection4_euclidean": (GaussianRandomProjection(4, **RANDOM), "euclidean"),
    "projection16_euclidean": (GaussianRandomProjection(16, **RANDOM), "euclidean"),
}

SYSTEMS = {name: partial(nearest, *space) for name, space in SPACES.items()} | {
    "shifted_euclidean": shifted,
    "feedback10_euclidean": feedback,
    "random": random,
}

FUSIONS = {
    "rrf_crude": (
        reciprocal_rank_fusion,
        ["coarse2_manhattan", "profiles_manhattan", "spectrum_euclidean"],
    ),
    "combsum_fine": (combsum, ["blurred_cosine", "gradients_cosine", "isomap8_euclidean"]),
}


# The collection: queries and documents are numbers of images.


def split(labels):
    """Draw the queries, equally many of each digit; the other images are the documents."""
    rng = np.random.default_rng(SEED)
    images = [np.flatnonzero(labels == digit) for digit in range(10)]
    queries = np.sort(np.hstack([rng.choice(i, QUERIES_PER_DIGIT, replace=False) for i in images]))
    return queries, np.setdiff1d(np.arange(len(labels)), queries)


def score_all(queries, documents):
    """Score all documents for all queries with each system, the fusions last."""
    scores = {name: system(queries, documents) for name, system in SYSTEMS.items()}
    fused = {
        name: fusion(np.stack([scores[part] for part in parts]))
        for name, (fusion, parts) in FUSIONS.items()
    }
    return scores | fused


def ids(prefix, images):
    """Name images by their number in scikit-learn's data."""
    return [f"{prefix}{image:04}" for image in images]


def qrels_table(queries, documents, labels):
    """List the relevant documents of each query."""
    row, column = np.nonzero(labels[queries][:, None] == labels[documents])
    return pa.table(
        {
            "query_id": ids("q", queries[row]),
            "iteration": ["0"] * len(row),
            "doc_id": ids("d", documents[column]),
            "relevance": np.ones(len(row)),
        }
    )


def pool(runs):
    """List the documents that any system has among its first ones, by query."""
    tops = [
        (query, doc)
        for run in runs.values()
        for n, (query, doc) in enumerate(zip(*run.select([0, 1]).to_pydict().values(), strict=True))
        if n % DEPTH < POOL_DEPTH
    ]
    return sorted(set(tops))


def weak_labels(images, labels):
    """Label all images by the nearest of ten mean images, at 4x4 pixels, of a few examples each."""
    rng = np.random.default_rng(SEED)
    known = [
        rng.choice(np.flatnonzero(labels == digit), LABELLED_PER_DIGIT, replace=False)
        for digit in range(10)
    ]
    known = np.hstack(known)
    classifier = NearestCentroid().fit(coarse(images[known], 4), labels[known])
    return classifier.predict(coarse(images, 4))


def judged_table(pairs, labels, seen):
    """Judge pairs of a query, whose digit is known, and a document, whose digit is as seen."""
    query, doc = ([int(name[1:]) for name in names] for names in zip(*pairs, strict=True))
    return pa.table(
        {
            "query_id": ids("q", query),
            "iteration": ["0"] * len(query),
            "doc_id": ids("d", doc),
            "relevance": (labels[query] == seen[doc]).astype(float),
        }
    )


def items_table(documents, images, labels):
    """Describe each document: its digit, and its pixels from 0 to 16."""
    pixels = pa.array(images.astype(np.uint8).ravel())
    return pa.table(
        {
            "doc_id": ids("d", documents),
            "categories": [[str(label)] for label in labels],
            "vector": pa.ListArray.from_arrays(np.arange(len(images) + 1) * 64, pixels),
        }
    )


def history_table(queries, documents, labels, pairs):
    """Draw what users had: few documents are popular, and each user favours a digit.

    The queries are users who favour their own digit; they had none of their pool's documents.
    """
    rng = np.random.default_rng(SEED)
    popular = 1 / (1 + rng.permutation(len(documents))) ** 0.7
    users = ids("q", queries) + [f"u{n:03}" for n in range(OTHER_USERS)]
    digits = np.append(labels[queries], rng.integers(10, size=OTHER_USERS))
    names, of_pool = ids("d", documents), set(pairs)
    rows = []
    for user, digit in zip(users, digits, strict=True):
        weight = popular * np.where(labels[documents] == digit, FAVOUR, 1)
        weight = weight * [(user, name) not in of_pool for name in names]
        had = rng.choice(len(documents), HISTORY, replace=False, p=weight / weight.sum())
        rows += [(user, names[document]) for document in np.sort(had)]
    return pa.table(dict(zip(("query_id", "doc_id"), zip(*rows, strict=True), strict=True)))


def queries_table(queries, images, labels):
    """Describe each query: its digit, whether that has a closed loop, and how bold it is drawn."""
    drawn = ink(images)[:, 0]
    return pa.table(
        {
            "query_id": ids("q", queries),
            "digit": [str(label) for label in labels],
            "loop": ["with a loop" if label in WITH_LOOP else "without" for label in labels],
            "strokes": np.where(drawn > np.median(drawn), "bold", "thin"),
        }
    )


def round_scores(scores):
    """Round to four significant digits (and -0 to 0)."""
    return np.array([float(f"{score:.4g}") for score in scores]) + 0.0


def run_table(queries, documents, scores):
    """List the best documents of each query, ordered again after their scores are rounded."""
    ranked, rounded = [], []
    for row in scores:
        kept = np.sort(best_first(row)[:DEPTH])
        values = round_scores(row[kept])
        order = best_first(values)
        ranked.append(documents[kept[order]])
        rounded.append(values[order])
    return pa.table(
        {
            "query_id": ids("q", np.repeat(queries, DEPTH)),
            "doc_id": ids("d", np.hstack(ranked)),
            "score": np.hstack(rounded),
        }
    )


def write_parquet(table, path):
    """Write a table as small as it gets."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", compression_level=22, store_schema=False)


def write_example(qrels, runs, queries, documents):
    """Write the first queries and documents as TREC text, with the top of each ranking."""
    queries = set(ids("q", queries[:EXAMPLE_QUERIES]))
    documents = set(ids("d", documents[:EXAMPLE_DOCUMENTS]))

    def rows(table):
        for row in table.to_pylist():
            if row["query_id"] in queries and row["doc_id"] in documents:
                yield row.values()

    folder = HERE / "example"
    lines = [f"{query} 0 {doc} {grade:.0f}\n" for query, _, doc, grade in rows(qrels)]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "qrels.txt").write_text("".join(lines))
    for name in EXAMPLE_SYSTEMS:
        rank = Counter()
        lines = []
        for query, doc, score in rows(runs[name]):
            rank[query] += 1
            if rank[query] <= EXAMPLE_DEPTH:
                lines.append(f"{query} Q0 {doc} {rank[query]} {score} {name}\n")
        (folder / "runs" / f"{name}.run").write_text("".join(lines))


def write_judges(runs, images, labels):
    """Write what two judges say of the same pool."""
    pairs = pool(runs)
    for name, seen in (("people", labels), ("classifier", weak_labels(images, labels))):
        write_parquet(judged_table(pairs, labels, seen), HERE / f"digits/judges/{name}.parquet")


def write_catalogue(runs, queries, documents, images, labels):
    """Write the documents as items of a catalogue, and what users had of them."""
    items = items_table(documents, images[documents], labels[documents])
    write_parquet(items, HERE / "digits" / "items.parquet")
    history = history_table(queries, documents, labels, pool(runs))
    write_parquet(history, HERE / "digits" / "history.parquet")


def main():
    """Build everything."""
    images, labels = load_digits(return_X_y=True)
    queries, documents = split(labels)
    qrels = qrels_table(queries, documents, labels)
    write_parquet(qrels, HERE / "digits" / "qrels.parquet")
    attributes = queries_table(queries, images[queries], labels[queries])
    write_parquet(attributes, HERE / "digits" / "queries.parquet")
    runs = {
        name: run_table(queries, documents, scores)
        for name, scores in score_all(images[queries], images[documents]).items()
    }
    for name, run in runs.items():
        write_parquet(run, HERE / "digits" / "runs" / f"{name}.parquet")
    write_example(qrels, runs, queries, documents)
    write_judges(runs, images, labels)
    write_catalogue(runs, queries, documents, images, labels)


if __name__ == "__main__":
    main()
