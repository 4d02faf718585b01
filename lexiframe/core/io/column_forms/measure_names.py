"""Names that tools give to measures; they tell files of scores from files of runs."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

SUMMARIES = ("all", "amean")  # the query in lines of means by trec_eval, and by ndeval
_LONG = r"^(?:[a-zA-Z]{2}|\d)"
# The stem of a measure's name, without cut-offs and parameters: ndcg_cut of ndcg_cut_10.
_STEM = r"^(.+?)(?:[_.]-?\d.*)?(?:[@(].*)?$"
SIMILARITY = r"(?i)^(?:.+[_-])?(?:cosine|cos_sim|dot|dot_score|euclidean|manhattan|hamming)[_-]"
"""What sentence-transformers puts before a measure: by which similarity documents were ranked."""
_MEASURES = frozenset(
    """
    runid num_q num_ret num_rel num_rel_ret num_nonrel_judged_ret map gm_map rprec rprec_mult bpref
    gm_bpref recip_rank iprec_at_recall p relative_p recall infap ndcg ndcg_rel rndcg ndcg_cut
    map_cut relstring success set_p set_relative_p set_recall set_map set_f utility 11pt_avg bing g
    yaap ap rr r err rbp judged numq numret numrel accuracy compat bpm inst insq iprec nrbp nnrbp
    strec setap setf setp setr dcg alpha_dcg alpha_ndcg alpha-dcg alpha-ndcg ap_ia err_ia nerr_ia
    p_ia map-ia err-ia nerr-ia p-ia mrr precision r-precision hits hit_rate f1 dcg_burges
    ndcg_burges
    """.split()
)


def are_measures(names: pl.Series) -> list[str]:
    """Return the names that are names of measures, with or without cut-offs and parameters.

    Examples
    --------
    >>> are_measures(pl.Series(["bm25", "map", "P_5", "nDCG(dcg='exp')@10", "cosine_ndcg@10"]))
    ['map', 'P_5', "nDCG(dcg='exp')@10", 'cosine_ndcg@10']
    """
    stems = names.str.replace(SIMILARITY, "").str.to_lowercase().str.extract(_STEM)
    return names.filter(stems.is_in(list(_MEASURES)).fill_null(value=False)).to_list()


def are_lines_of_scores(lines: Sequence[str]) -> bool:
    """Return whether lines hold scores: ``measure query value``, or the query first.

    Fields are separated by single blanks. Ids of queries may look like measures of one letter
    (``p_1``), so a row of means or the longer name of a measure has to be among them.

    Examples
    --------
    >>> are_lines_of_scores(["map q1 0.25", "P_5 q1 0.4"])
    True
    >>> are_lines_of_scores(["p_1 d1 0.25", "p_2 d1 0.4"])
    False
    """
    fields = pl.Series(lines, dtype=pl.String).str.split(" ")
    if not (fields.list.len() == 3).all():
        return False
    a, b = (fields.list.get(n) for n in (0, 1))
    return any(
        len(are_measures(names)) == len(names)
        and (queries.is_in(SUMMARIES).any() or names.str.contains(_LONG).any())
        for names, queries in ((a.unique(), b), (b.unique(), a))
    )
