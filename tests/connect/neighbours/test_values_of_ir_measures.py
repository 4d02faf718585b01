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

EXACT = """
counts       NumRet              5 4 | 9
counts       NumRet(rel=1)       3 1 | 4
counts       NumRet(rel=2)       1 1 | 2
counts       NumRet(rel=3)       0 0 | 0
counts       NumQ                1 1 | 2
counts       ERR@2               0.03125 0.09375 | 0.0625
one less     NumRel              3 2 | 5
sets         Success@2           1 0 | 0.5
sets         Success(rel=2)@2    1 0 | 0.5
sets         Success(rel=3)@2    0 0 | 0
sets         SetP(rel=1)         0.6 0.25 | 0.425
sets         SetP(rel=2)         0.4 0.25 | 0.325
sets         SetP(rel=3)         0 0 | 0
sets         SetP(rel=1,relative=True)  1 0.5 | 0.75
sets         SetP(rel=2,relative=True)  1 1 | 1
sets         SetR(rel=1)         1 0.5 | 0.75
sets         SetR(rel=2)         1 1 | 1
sets         SetR(rel=3)         0 0 | 0
sets         SetAP(rel=1)        0.6 0.125 | 0.3625
sets         SetAP(rel=2)        0.4 0.25 | 0.325
sets         SetAP(rel=3)        0 0 | 0
sets         SetF(rel=3)         0 0 | 0
levels       IPrec@0.25          1 0.25 | 0.625
levels       IPrec@0.5           1 0.25 | 0.625
levels       IPrec@0.75          1 0 | 0.5
one request  P@5                 0.6
one request  P(rel=2)@5          0.2
one request  SetP                0.6
one request  R@5                 1
one request  R(rel=2)@5          1
one request  R@2                 0.3333333333333333
one request  R(rel=2)@2          0
one request  SetR                1
one request  RR                  0.5
one request  RR(rel=2)           0.3333333333333333
one request  RR@10               0.5
one request  RR(rel=2)@10        0.3333333333333333
one request  RR@2                0.5
one request  RR(rel=2)@2         0
one request  AP                  0.6388888888888888
one request  AP(rel=2)           0.3333333333333333
one request  AP@10               0.6388888888888888
one request  AP(rel=2)@10        0.3333333333333333
one request  AP@2                0.16666666666666666
one request  AP(rel=2)@2         0
one request  Success@10          1
one request  Success(rel=2)@10   1
one request  Success@2           1
one request  Success(rel=2)@2    0
one request  NumRet(rel=1)       3
one request  nDCG                0.6584645692843067
one request  nDCG@5              0.6584645692843067
one request  nDCG@2              0.23981246656813146
one request  nDCG(dcg='exp-log2')    0.6201040599710453
one request  nDCG(dcg='exp-log2')@5  0.6201040599710453
one request  nDCG(dcg='exp-log2')@2  0.17376534287144002
one request  Rprec               0.6666666666666666
one request  Rprec(rel=2)        0
five each    P@5                 | 0.5
"""
"""Values that its tests compare as they are, behind a line the aggregate.

Three of ranx (nDCG, nDCG@5, and nDCG@2 with exp-log2) differ from ours in the last bit.
"""

ROUNDED = """
counts       Judged@1000         1 0.25
counts       Judged@10           1 0.25
counts       Judged@3            1 0.3333
counts       Judged@1            1 0
sets         SetF(rel=1)             0.75 0.3333 | 0.5417
sets         SetF(rel=1,beta=0.5)    0.6923 0.3 | 0.49615
sets         SetF(rel=1,beta=2.0)    0.81818 0.375 | 0.59659
levels       IPrec(rel=2)@0.1    0.6667 0.25 | 0.4583
levels       IPrec(rel=2)@0.25   0.6667 0.25 | 0.4583
levels       IPrec(rel=2)@0.5    0.6667 0.25 | 0.4583
levels       IPrec(rel=2)@0.75   0.6667 0.25 | 0.4583
unjudged     AP                  0.8333 0.125 | 0.4792
unjudged     infAP               0.8333 0.1875 | 0.5104
unjudged     AP(rel=2)           0.3333 0.25 | 0.2917
unjudged     infAP(rel=2)        0.3333 0.375 | 0.3542
subtopics    ERR_IA@20           0.4659 0.1803 | 0.3231
cwl          AP                      0.7087 0.7438 0.3068
cwl          BPM(T=1.0,max_rel=1)@20 1.0000 1.0000 0.1667
cwl          BPM(T=2.0,max_rel=1)@10 0.6667 1.0000 0.2857
cwl          INSQ(T=1.0,max_rel=1)   0.5872 0.6629 0.0880
cwl          INSQ(T=2.0,max_rel=1)   0.4513 0.5068 0.1292
cwl          INST(T=1.0,max_rel=1)   0.7934 0.9226 0.0888
cwl          INST(T=2.0,max_rel=1)   0.5994 0.6924 0.1397
cwl          SDCG(max_rel=1)@10      0.5645 0.6531 0.2848
cwl          NERR8(max_rel=1)@10     1.0000 1.0000 0.1667
cwl          NERR9(max_rel=1)@10     1.0000 1.0000 0.0680
cwl          NERR10(p=0.8,max_rel=1) 1.0000 1.0000 0.0888
cwl          NERR11(T=2.0,max_rel=1) 1.0000 1.0000 0.0691
cwl          P@1                     1.0000 1.0000 0.0000
cwl          P@10                    0.5000 0.6000 0.4000
cwl          P@20                    0.2500 0.3000 0.2000
cwl          P@5                     0.6000 0.6000 0.0000
cwl          RBP(p=0.9,rel=1)        0.3501 0.3996 0.1988
cwl          RR                      1.0000 1.0000 0.1667
"""
"""Values that its tests compare to four digits."""

FIVE_DIGITS = """
counts       nDCG(dcg='exp-log2')@20  0.6201 0.35099 | 0.485545
counts       nDCG(dcg='exp-log2')@2   0.17377 0.38685 | 0.28031
counts       ERR@20                   0.10175 0.09375 | 0.09775
"""
"""Values that its tests compare as they are, and that gdeval has rounded: ours are not rounded."""


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


@pytest.mark.parametrize("collection, measure, values, aggregate", rows(EXACT))
def test_values_that_its_tests_compare_as_they_are(
    provider, collection, measure, values, aggregate
):
    check(provider, collection, measure, values, aggregate, 1e-15)


@pytest.mark.parametrize("collection, measure, values, aggregate", rows(ROUNDED))
def test_values_that_its_tests_compare_to_four_digits(
    provider, collection, measure, values, aggregate
):
    check(provider, collection, measure, values, aggregate, 0.00006)


@pytest.mark.parametrize("collection, measure, values, aggregate", rows(FIVE_DIGITS))
def test_values_that_gdeval_rounds(provider, collection, measure, values, aggregate):
    check(provider, collection, measure, values, aggregate, 0.0000051)
    with pytest.raises(AssertionError):
        check(provider, collection, measure, values, aggregate, 1e-9)


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
