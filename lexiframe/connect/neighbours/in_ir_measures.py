"""The library as a provider of ir_measures, and so of PyTerrier: `use_in_ir_measures`."""

from __future__ import annotations

from typing import Any

from lexiframe.core.base import LexiframeError, check_choice, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.projection import ScoreType


@typed
def use_in_ir_measures(
    *,
    first: bool = True,
    score_type: ScoreType = "float32",
    duplicates: qrel_files.Duplicates = "error",
) -> Any:
    """Let ir_measures, and with it PyTerrier's experiments, compute its measures by this library.

    Parameters
    ----------
    first : bool
        Whether this library comes before the other providers in ir_measures' default pipeline, but
        for measures that a user has defined there. Otherwise it comes last, and computes what no
        other provider that is installed does.
    score_type : {"float32", "float64"}
        The precision in which scores are compared, as for `positions`. ir_measures has pytrec_eval
        compare them as single floats, so this is the default here: tables stay as they were.
    duplicates : {"error", "best"}
        Whether a document that occurs twice in a ranking, or in the judgments of a request, is an
        error, or its best rank and its highest grade count. Other providers take the last row.

    Returns
    -------
    ir_measures.Provider
        The provider, which ir_measures has as ``ir_measures.providers.registry["lexiframe"]``.

    Raises
    ------
    LexiframeError
        When ir_measures is not installed.

    Notes
    -----
    All measures that ir_measures names are supported, with all their parameters, without its
    optional tools; those by subtopics with a cutoff. Values differ where gdeval rounds to five
    digits (ERR, and nDCG with ``dcg='exp-log2'``); where RR with a cutoff, Judged and Compat order
    documents of equal score otherwise than trec_eval; for Compat where scores are negative, because
    ir_measures takes relevant documents that were not retrieved to have the score 0; and for
    Accuracy where no relevant document was retrieved, which ir_measures leaves out. Of the values
    that ir_measures' own tests state, all are met but for three of gdeval, which are rounded, and
    three of ranx, which differ in the last bit. A score that is no number is an error.

    Examples
    --------
    >>> import lexiframe as lf
    >>> provider = lf.io.use_in_ir_measures()
    >>> import ir_measures
    >>> qrels = [ir_measures.Qrel("q1", "d1", 2), ir_measures.Qrel("q1", "d2", 1)]
    >>> run = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}
    >>> measures = [ir_measures.parse_measure(name) for name in ("AP", "ERR@10", "INST(max_rel=2)")]
    >>> found = ir_measures.calc_aggregate(measures, qrels, run)
    >>> [round(found[measure], 4) for measure in measures]
    [0.5833, 0.1107, 0.2652]
    """
    check_choice("use_in_ir_measures", score_type, ("float32", "float64"), "score_type")
    check_choice("use_in_ir_measures", duplicates, ("error", "best"), "duplicates")
    try:
        import ir_measures

        from lexiframe.connect.neighbours.provider import LexiframeProvider
    except ImportError:
        raise LexiframeError(
            "ir_measures is not installed; it comes with the extra interop: "
            "pip install 'lexiframe[interop]'"
        ) from None
    known: Any = ir_measures.providers
    provider = known.register(LexiframeProvider(score_type, duplicates))
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [one for one in pipeline if one.NAME != provider.NAME]
    own = [place for place, one in enumerate(pipeline) if one.NAME == "runtime"]
    pipeline.insert(max(own, default=-1) + 1 if first else len(pipeline), provider)
    return provider
