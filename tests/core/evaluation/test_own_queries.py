"""Runs that put the query itself first, as where queries are documents too."""

import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

N = 12
ARGUMENTS = [f"arg{n}" for n in range(N)]
QRELS = {q: {f"reply{n}": 1, f"other{n}": 0} for n, q in enumerate(ARGUMENTS)}
SAID = "he query itself .*at rank 1 in 12 of 12 requests of dense, unjudged"


def ranking(n, own):
    found = {f"reply{n}": 2.0, f"other{n}": 1.0 + n % 3}
    return {ARGUMENTS[n]: 5.0, **found} if own else found


def runs(*own):
    return {
        name: {q: ranking(n, name in own) for n, q in enumerate(ARGUMENTS)}
        for name in ("dense", "sparse")
    }


def in_files(of, folder):
    folder.mkdir()
    for name, requests in of.items():
        lines = [
            f"{q} Q0 {d} 0 {s} {name}" for q, found in requests.items() for d, s in found.items()
        ]
        (folder / f"{name}.txt").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize("form", ["dictionary", "file"])
@pytest.mark.parametrize("how", [{}, {"keep": ["scores"]}])
def test_the_warning_and_the_verdict_name_the_query_itself(tmp_path, form, how):
    def given(*own):
        return (
            runs(*own) if form == "dictionary" else in_files(runs(*own), tmp_path / "-".join(own))
        )

    more = how | ({"out": tmp_path / "out"} if how else {})
    with pytest.warns(lf.LexiframeWarning, match=f"t{SAID}; exclude_self=True"):
        e = lf.evaluate(given("dense"), QRELS, ["RR"], **more)
    for said in (str(e), " ".join(lf.verdict(e)["sentence"])):
        assert "The query itself is at rank 1 in 12 of 12 requests of dense" in " ".join(
            said.split()
        )
    assert e.coverage.select("run", "own_first").rows() == [("dense", N), ("sparse", 0)]
    with pytest.warns(lf.LexiframeWarning, match=r"of dense \(and in 1 more run\), unjudged"):
        lf.evaluate(given("dense", "sparse"), QRELS, ["RR"])
