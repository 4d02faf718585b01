"""The values that ir_measures' own tests expect of its providers, expected of this library.

Facts from the folder ``test`` of https://github.com/terrierteam/ir_measures: small judgments and
runs, and for each measure the values of its requests and their aggregate. Its tests ask one
provider each; here this library stands in the place of each of them.
"""

import numpy as np
import pytest

import lexiframe as lf
from tests.conftest import library

ir_measures = pytest.importorskip("ir_measures")


def judged(*requests):
    """Qrels of rows such as ``"0 D0:0 D1:1"``: a request, perhaps with its subtopic, and grades."""
    return [
        ir_measures.Qrel(query, name, int(grade), subtopic or "0")
        for row in requests
        for (query, _, subtopic) in [row.split()[0].partition("/")]
        for name, grade in (one.split(":") for one in row.split()[1:])
    ]


def run(*requests):
    return [
        ir_measures.ScoredDoc(row.split()[0], name, float(score))
        for row in requests
        for name, score in (one.split(":") for one in row.split()[1:])
    ]


FIRST = "0 D0:0.8 D2:0.7 D1:0.3 D3:0.4 D4:0.1"
RUN = run(FIRST, "1 D1:0.8 D3:0.7 D4:0.3 D2:0.4")
OTHER = run(FIRST, "1 D1:0.8 D4:0.7 D3:0.3 D2:0.4")
COLLECTIONS = {
    "counts": (judged("0 D0:0 D1:1 D2:1 D3:2 D4:0", "1 D0:1 D3:2 D5:2"), RUN),
    "one less": (judged("0 D0:0 D1:1 D2:1 D3:2 D4:0", "1 D0:1 D3:2 D5:0"), RUN),
    "sets": (judged("0 D0:0 D1:1 D2:2 D3:2 D4:0", "1 D0:1 D3:2 D5:0"), OTHER),
    "levels": (judged("0 D0:1 D1:1 D2:2 D3:2 D4:0", "1 D0:1 D3:2 D5:0"), OTHER),
    "unjudged": (judged("0 D0:1 D1:-1 D2:0 D3:2 D4:0", "1 D0:1 D3:2 D4:-1 D5:0"), OTHER),
    "subtopics": (
        judged("0/0 D0:0 D1:1 D2:1 D4:0", "0/1 D2:1 D3:2", "1/0 D0:1 D3:2", "1/1 D5:2"),
        RUN,
    ),
    "one request": (judged("0 D0:0 D1:1 D2:1 D3:2 D4:0"), run(FIRST)),
    "five each": (
        judged("0 D0:0 D1:1 D2:1 D3:2 D4:0", "1 D0:1 D3:2 D5:2"),
        [*RUN, ir_measures.ScoredDoc("1", "D0", 0.1)],
    ),
    "cwl": (
        judged(
            "T1 D1:1 D2:0 D3:1 D4:1 D7:1 D8:0 D9:1 D10:0",
            "T2 D1:1 D2:1 D5:1 D6:0 D7:1 D8:1 D9:1 D10:0",
            "T3 D4:0 D5:0 D6:1 D7:1 D8:1 D9:0 D10:1",
        ),
        run(
            *(
                f"{query} D1:4.3 D2:4.2 D3:4.1 D4:3.9 D5:3.8 D6:3.7 D7:3.6 D8:3.5 D9:3.4 D10:3.3"
                for query in ("T1", "T2", "T3")
            )
        ),
    ),
}
"""Judgments and a run each."""


def rows(table):
    """Return collection, measure, values of requests, and aggregate of each line."""
    found = []
    for line in table.strip().splitlines():
        collection, measure, rest = line[:12].strip(), *line[12:].strip().split(maxsplit=1)
        values, _, aggregate = rest.partition("|")
        expected = [*map(float, values.split())], float(aggregate) if aggregate else None
        found.append(pytest.param(collection, measure, *expected, id=f"{collection}: {measure}"))
    return found


@pytest.fixture
def provider():
    pipeline = ir_measures.DefaultPipeline.providers
    before = [*pipeline]
    yield lf.io.use_in_ir_measures()
    pipeline[:] = before
    ir_measures.providers.registry.pop("lexiframe", None)


def check(provider, collection, name, values, aggregate, tolerance):
    qrels, docs = COLLECTIONS[collection]
    measure = ir_measures.parse_measure(name)
    found = sorted(ir_measures.iter_calc([measure], qrels, docs))
    expected = pytest.approx(values, abs=tolerance, rel=0)
    assert not values or [one.value for one in found] == expected
    whole = provider.evaluator([measure], qrels).calc_aggregate(docs)[measure]
    assert aggregate is None or whole == pytest.approx(aggregate, abs=tolerance, rel=0)


def test_without_judgments_there_is_no_value_and_no_mean(provider):
    asked = ir_measures.P @ 5
    qrels, docs = COLLECTIONS["counts"]
    pandas = library("pandas")
    for given in ([], {}, iter([]), pandas.DataFrame(qrels).head(0)):
        for run_given in (docs, []):
            assert [*ir_measures.iter_calc([asked], given, run_given)] == []
            assert np.isnan(ir_measures.calc_aggregate([asked], given, run_given)[asked])
    found = {*ir_measures.iter_calc([asked], qrels, [])}
    assert found == {ir_measures.Metric("0", asked, 0.0), ir_measures.Metric("1", asked, 0.0)}
    assert ir_measures.calc_aggregate([asked], qrels, []) == {asked: 0.0}


def test_what_ir_measures_itself_does_not_support_is_not_computed(provider):
    """Its test of ranx gives sets a cutoff, which no provider in its pipeline takes."""
    for name in ("SetP(rel=2)@5", "SetR(rel=2)@5"):
        with pytest.raises(AssertionError, match=r"params found.*cutoff"):
            provider.supports(ir_measures.parse_measure(name))


COMPARED = [
    f"{name}@{cutoff}"
    for name in "P P(rel=2) R R(rel=2) RR RR(rel=2) AP AP(rel=2) nDCG Judged ERR".split()
    for cutoff in (1, 5, 10, 20, 50, 100)
]
COMPARED += [f"nDCG(dcg='exp-log2')@{cutoff}" for cutoff in (1, 5, 10, 20, 50, 100)]
COMPARED += "RR RR(rel=2) Rprec Rprec(rel=2) AP AP(rel=2) nDCG Bpref Bpref(rel=2)".split()


@pytest.mark.slow
def test_no_other_provider_that_is_installed_has_another_value(provider):
    """Its tests compare all pairs of providers to four digits; trectools is left out there."""
    qrels, docs = COLLECTIONS["one request"]
    left_out = ("lexiframe", "trectools", "ranx")  # ranx refuses the texts of pandas 3
    others = [
        one
        for name, one in ir_measures.providers.registry.items()
        if name not in left_out and one.is_available()
    ]
    compared = 0
    for name in COMPARED:
        measure = ir_measures.parse_measure(name)
        (ours,) = provider.iter_calc([measure], qrels, docs)
        for other in others:
            if other.supports(measure):
                (theirs,) = other.iter_calc([measure], qrels, docs)
                assert theirs.value == pytest.approx(ours.value, abs=0.00006), (name, other.NAME)
                compared += 1
    assert compared > 50
