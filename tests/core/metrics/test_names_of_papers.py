"""Measures by the names that the papers use, and what they print of them."""

import pytest

import lexiframe as lf

NAMES = {
    "TSE": "TSE(AP)",
    "TSE@10": "TSE(AP)@10",
    "WC(rel=2)": "WC(AP, rel=2)",
    "eta": "eta(AP)",
    "recall error": "RE",
    "Recall Error(n=9)": "RE(n=9)",
    "NCP": "NCP(RPP)",
    "ncp(dcgRPP)@5": "NCP(dcgRPP)@5",
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert str(lf.parse_measure(name)) == NAMES[name]


def test_objects_are_those_of_the_names():
    assert [lf.TSE(), lf.WC(), lf.eta()] == [*map(lf.parse_measure, ("TSE", "WC", "eta"))]
    assert lf.parse_measure("NCP(invRPP)") == lf.invRPP.cumulative_precision()
    with pytest.raises(lf.UnknownNameError, match="unknown preference with users 'LR'"):
        lf.parse_measure("NCP(LR)")


@pytest.mark.filterwarnings("ignore:no relevant document")
def test_the_cumulative_precision_of_runs_that_find_nothing():
    p = lf.positions({"a": {"q": {"u": 1}}}, {"q": {"x": 1, "u": 0}})
    assert lf.scores(p, ["NCP", "NCP(dcgRPP)@5"])["value"].to_list() == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TSE({})", "WC({})", "WC(eta({}))"])
def test_any_exposure_orders_worst_cases_alike(name):
    folder = lf.bundled("example")
    p = lf.sample_labels(lf.positions(folder / "runs", folder / "qrels.txt"), 0.3)
    signs = [
        lf.preferences(p, name.format(of))["preference"].sign().to_list()
        for of in ("AP", "nDCG", "RBP(p=0.5)")
    ]
    assert signs[0] == signs[1] == signs[2]


@pytest.mark.parametrize(
    "ranks, printed",
    [([1], 0.25), ([50, 51, 53, 54], 0.51), ([1, 2, 3, 4], 1), ([1, 98, 99, 100], 0.28)],
)
def test_the_example_of_the_patent_retrieval_evaluation_score(ranks, printed):
    """Of four relevant documents and 100 that a user looks at (Magdy & Jones 2010)."""
    names = {rank: f"r{n}" for n, rank in enumerate(ranks)}
    run = {"a": {"q": {names.get(rank, f"u{rank}"): -rank for rank in range(1, 201)}}}
    p = lf.positions(run, {"q": {f"r{n}": 1 for n in range(4)}})
    assert round(lf.scores(p, "PRES@100")["value"].item() + 1e-9, 2) == printed
