"""The same scores from the same files by other libraries.

Each returns rows of run, request, measure and value for the first `peer_runs` files, reading one
file at a time.
"""

from collections.abc import Iterable
from pathlib import Path

from stages import MEASURES, Collection, Stage, Thunk


def pytrec_eval_scores(collection: Collection) -> Thunk:
    """Prepare scoring by pytrec_eval."""
    import pytrec_eval

    names = ["map", "ndcg", "recip_rank", "recall_1000"]

    def scores() -> Iterable[tuple]:
        with Path(collection.qrels).open() as file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(names))
        for path in collection.runs[: collection.peer_runs]:
            with Path(path).open() as file:
                values = evaluator.evaluate(pytrec_eval.parse_run(file))
            for query_id, of_query in values.items():
                for measure, name in zip(MEASURES, names, strict=True):
                    yield Path(path).stem, query_id, measure, of_query[name]

    return lambda: list(scores())


def ir_measures_scores(collection: Collection) -> Thunk:
    """Prepare scoring by ir_measures, which leaves the measures to pytrec_eval."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]

    def scores() -> Iterable[tuple]:
        qrels = ir_measures.read_trec_qrels(collection.qrels)
        evaluator = ir_measures.evaluator(measures, qrels)
        for path in collection.runs[: collection.peer_runs]:
            for value in evaluator.iter_calc(ir_measures.read_trec_run(path)):
                yield Path(path).stem, value.query_id, str(value.measure), value.value

    return lambda: list(scores())


def ranx_scores(collection: Collection) -> Thunk:
    """Prepare scoring by ranx, and let it compile by scoring one run."""
    import ranx

    names = ["map", "ndcg", "mrr", "recall@1000"]

    def scores(paths: list[str]) -> Iterable[tuple]:
        qrels = ranx.Qrels.from_file(collection.qrels, kind="trec")
        for path in paths:
            run = ranx.Run.from_file(path, kind="trec")
            ranx.evaluate(qrels, run, names, return_mean=False, make_comparable=True)
            for measure, name in zip(MEASURES, names, strict=True):
                for query_id, value in run.scores[name].items():
                    yield Path(path).stem, query_id, measure, float(value)

    list(scores(collection.runs[:1]))  # compiles
    return lambda: list(scores(collection.runs[: collection.peer_runs]))


PEERS: dict[str, Stage] = {
    "pytrec_eval": pytrec_eval_scores,
    "ir_measures": ir_measures_scores,
    "ranx": ranx_scores,
}
