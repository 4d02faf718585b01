"""Weights and strata of requests on the command line."""

import io

import polars as pl
import pytest
from polars.testing import assert_frame_equal

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
@pytest.mark.filterwarnings("ignore:strata. 'tail' has n = 2")
def test_commands_weigh_requests(lexiframe, requests, given, how):
    e = lf.evaluate(*DATA[1::-1], "AP", **how, requests=requests)
    given = [*DATA, *given, "--requests", requests, "--format", "csv"]
    for command, table in (("evaluate", e.means), ("compare", e.comparisons)):
        printed = pl.read_csv(io.StringIO(lexiframe(command, *given).out))
        for name in ("n_effective", "ci_low"):
            assert printed[name].to_list() == pytest.approx(table[name].to_list())


@pytest.mark.parametrize(
    "given, how",
    [
        (["--weights", "traffic"], {"weights": "traffic"}),
        (SHARES, {"strata": "segment", "shares": {"head": 0.6, "tail": 0.4}}),
    ],
)
@pytest.mark.filterwarnings("ignore:strata. 'tail' has n = 2")
def test_commands_of_features_weigh_requests(lexiframe, requests, tmp_path, given, how):
    e = lf.evaluate(*DATA[1::-1], "AP")
    how, a, b = {**how, "requests": requests}, "pixels_euclidean", "pca8_euclidean"
    asked = {
        "worst": ([*DATA, "--share", "0.4"], lf.worst_served(e, 0.4, **how).values, "values"),
        "risk": ([*DATA, "--baseline", b], lf.risk(e, b, **how), "risk"),
        "gate": (
            [DATA[0], *(f"{EXAMPLE}/runs/{run}.run" for run in (a, b)), "--margin", "AP=0.1"],
            lf.gate(e, {"AP": 0.1}, baseline=a, candidate=b, **how),
            "gates",
        ),
    }
    for command, (arguments, wanted, table) in asked.items():
        file = tmp_path / f"{table}.parquet"
        out = file if command == "risk" else tmp_path
        said = lexiframe(command, *arguments, *given, "--requests", requests, "--out", out).out
        assert ("by weights n* =" if command == "gate" else "by weight") in " ".join(said.split())
        found = pl.read_parquet(file)
        numbers = pl.selectors.float()
        assert_frame_equal(found.select(numbers), wanted.select(numbers))


def test_tables_of_counts_are_not_weighed(lexiframe, requests):
    given = ["evaluate", *DATA, "--weights", "traffic", "--requests", requests, "--table"]
    for table in ("coverage", "tie_rates", "sign_agreement"):
        assert lexiframe(*given, table).out.endswith("\nnot weighed: each request counts once\n")
    assert "not weighed" not in lexiframe(*given, "win_rates").out


@pytest.mark.parametrize(
    "given, words",
    [
        (["--strata", "segment", "--shares", "head:.6"], "--shares: expected NAME=SHARE"),
        (["--strata", "segment"], "strata without shares: give --shares head=.6,tail=.4, parts"),
        (["--weights", "trafic"], "weights: no column 'trafic' in requests; did you mean 'traf"),
        (["--weights", "traffic", "--test", "sign"], "test='sign' has no weights"),
        (["--weights", "traffic", *SHARES], "weights and strata together"),
    ],
)
def test_what_is_refused(lexiframe, requests, given, words):
    found = lexiframe("compare", *DATA, *given, "--requests", requests)
    assert found.status
    assert words in " ".join(found.err.replace("│", "").split())


@pytest.mark.parametrize("how", ["--curve", "--sequential"])
def test_a_gate_without_weights_refuses_them(lexiframe, requests, tmp_path, how):
    runs = [EXAMPLE / "runs/pixels_euclidean.run", EXAMPLE / "runs/random.run"]
    given = [DATA[0], *runs, "--margin", "AP=0.1", "--weights", "traffic", "--requests", requests]
    given += [how] if how == "--curve" else [how, tmp_path / "state.json", "--planned", "9"]
    found = lexiframe("gate", *given)
    said = " ".join(found.err.replace("│", "").split())
    assert f"--weights does not go with {how}; leave it out" in said
