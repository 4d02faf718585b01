"""Weights and strata of requests on the command line."""

import io

import polars as pl
import pytest

import lexiframe as lf

EXAMPLE = lf.bundled("example")
DATA = [EXAMPLE / "qrels.txt", EXAMPLE / "runs", "-m", "AP"]
LINES = ["query_id,traffic,segment", "q0066,6,head", "q0078,4,tail", "q0113,1,head",
         "q0175,2,head", "q0206,1,tail"]  # fmt: skip
SHARES = ["--strata", "segment", "--shares", "head=.6, tail=.4"]


@pytest.fixture
def requests(tmp_path):
    path = tmp_path / "requests.csv"
    path.write_text("\n".join(LINES))
    return path


@pytest.mark.parametrize(
    "given, how",
    [
        (["--weights", "traffic"], {"weights": "traffic"}),
        (SHARES, {"strata": "segment", "shares": {"head": 0.6, "tail": 0.4}}),
    ],
)
@pytest.mark.filterwarnings("ignore:strata. 'tail' has 2 requests")
def test_commands_weigh_requests(lexiframe, requests, given, how):
    e = lf.evaluate(*DATA[1::-1], "AP", **how, requests=requests)
    given = [*DATA, *given, "--requests", requests, "--format", "csv"]
    for command, table in (("evaluate", e.means), ("compare", e.comparisons)):
        printed = pl.read_csv(io.StringIO(lexiframe(command, *given).out))
        for name in ("n_effective", "ci_low"):
            assert printed[name].to_list() == pytest.approx(table[name].to_list())


@pytest.mark.parametrize(
    "given, words",
    [
        (["--strata", "segment", "--shares", "head:.6"], "--shares: expected NAME=SHARE"),
        (["--weights", "trafic"], "weights: no column 'trafic' in requests; did you mean 'traf"),
        (["--weights", "traffic", "--test", "sign"], "test='sign' has no weights"),
        (["--weights", "traffic", *SHARES], "weights and strata together"),
    ],
)
def test_what_is_refused(lexiframe, requests, given, words):
    found = lexiframe("compare", *DATA, *given, "--requests", requests)
    assert found.status
    assert words in " ".join(found.err.replace("│", "").split())
