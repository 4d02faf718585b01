"""Results whose metadata were edited, with right checksums: what is read back has a form."""

import copy
import json

import polars as pl
import pyarrow.parquet as pq
import pytest

import lexiframe as lf
from lexiframe.core.io import to_parquet

pytestmark = pytest.mark.slow  # its room has quicker tests

EXAMPLE = lf.bundled("example")
RUNS, QRELS = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
REQUESTS = pl.DataFrame(
    {"query_id": ["q0066", "q0078", "q0113", "q0175", "q0206"], "kind": ["x", "y", "x", "y", "x"]}
)
WEIGHTS = {query: 2.0 + n for n, query in enumerate(REQUESTS["query_id"])}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The tables of three evaluations, and their metadata."""
    plain = lf.evaluate(RUNS, QRELS, ["AP", "RPP"], baseline="random")
    some = plain.scores.filter((pl.col("run") != "random") | (pl.col("query_id") != "q0066"))
    found = {
        "plain": plain,
        "grouped": lf.evaluate(RUNS, QRELS, "AP", requests=REQUESTS, by="kind"),
        "scores": lf.evaluate_scores(some, missing="own"),
        "weighed": lf.evaluate(RUNS, QRELS, "AP", weights=WEIGHTS),
    }
    return {name: tables_of(e.write(tmp_path_factory.mktemp(name))) for name, e in found.items()}


def tables_of(paths):
    tables = {path.stem: pl.read_parquet(path) for path in paths}
    facts = json.loads(pq.read_schema(paths[0]).metadata[b"lexiframe"])
    return tables, {k: v for k, v in facts.items() if k not in ("table", "lexiframe")}


def edited(folder, written, which, place, value):
    """Write the results again with another value at a place of the metadata."""
    tables, facts = written[which]
    facts = copy.deepcopy(facts)
    inside = facts
    for name in place[:-1]:
        inside = inside[name]
    if value is GONE:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    for name, table in tables.items():
        to_parquet.write_parquet_file(folder / f"{name}.parquet", table, {"table": name, **facts})
    return folder


GONE = object()
EDITED = {
    ("measures",): [None, 1, "AP", [1], ["AP"], ["AP", "RPP", "x"], GONE],
    ("groups",): [None, "kind", ["run"], ["measure"], [[]], GONE],
    ("inference",): [None, [], {}, GONE],
    ("inference", "ordering"): [None, "x", [], GONE],
    ("inference", "test"): [None, 1, [], [None], {}, GONE],
    ("inference", "alpha"): [None, "x", 2, float("nan"), [], GONE],
    ("inference", "baseline"): ["x", 1, ["random"], GONE],
    ("inference", "more"): [1],
    ("facts",): [None, {}, [], {"AP": {}}, {"AP": {"x": 1}}],
    ("facts", "AP", "bounds"): [True, 1, []],
    ("facts", "AP", "kind"): ["x", True, GONE],
    ("policies",): [None, [], {"x": 1}, {"rel": "x"}, {"ties": []}],
    ("grades",): ["x", 1, [None], {"a": ["x"]}],
    ("runs",): [None, [1], {"a": 1}, "x"],
    ("runs", 0, "path"): [3, []],
    ("runs", 0, "sha256"): [2**70, []],
    ("collections",): ["x", {"a": "."}, {"a": ".."}, {"a": "/"}, {"collections/a": ""}],
}


@pytest.mark.parametrize("place", EDITED, ids=str)
def test_metadata_of_another_form_are_refused(written, tmp_path, place):
    for value in EDITED[place]:
        folder = edited(tmp_path, written, "plain", place, value)
        with pytest.raises(lf.ReadError) as caught:
            lf.read_results(folder)
        assert str(caught.value).startswith(str(tmp_path)), value
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("which", ["plain", "grouped", "scores", "weighed"])
def test_metadata_as_they_were_are_read(written, tmp_path, which):
    folder = edited(tmp_path, written, which, ("measures",), written[which][1]["measures"])
    e = lf.read_results(folder)
    assert e.provenance == written[which][1]
    assert str(e)


@pytest.mark.parametrize("value", [None, {"AP": {}}, {"AP": {"requests": 1, "runs": {"a": "x"}}}])
def test_lacking_requests_of_another_form_are_refused(written, tmp_path, value):
    folder = edited(tmp_path, written, "scores", ("lacking",), value)
    with pytest.raises(lf.ReadError, match="lack"):
        lf.read_results(folder)
    folder = edited(tmp_path, written, "scores", ("missing",), "x")
    with pytest.raises(lf.ReadError, match="missing"):
        lf.read_results(folder)


@pytest.mark.parametrize(
    "place, value, message",
    [
        (("groups",), GONE, "expected groups in the metadata, found none"),
        (("measures",), "AP", "expected measures in another form, found 'AP'"),
        (("inference", "alpha"), [], "expected metadata that can be used, found: "),
        (("policies",), {"x": 1}, "expected metadata that can be used, found: "),
        (("inference", "seed"), GONE, "expected seed in inference, found none"),
        (("inference", "test"), [], r"expected names of tests, found \[\]"),
        (("inference", "baseline"), 1, "expected the baseline to be a run, found 1"),
        (("inference", "baseline"), "x", "expected the baseline among the runs, found 'x'"),
        (("grades",), [None], r"expected grades that are numbers, found \[None\]"),
        (("runs", 0, "sha256"), 1, "expected a file and its sha256, found "),
        (("facts", "AP", "bounds"), True, "expected bounds and an aggregate as text, found "),
        (("measures",), ["RPP"], "expected measures of AP in the metadata, as the tables have it"),
        (("measures",), ["AP", "RPP", "x"], "expected known measures in the metadata, found 'x'"),
        (("order_of_collections",), ["a"], "expected the order of all collections, found"),
        (("collections",), {"a": "."}, "expected the folder collections/a, found '.'"),
    ],
)
def test_what_is_wrong_with_metadata_is_said(written, tmp_path, place, value, message):
    folder = edited(tmp_path, written, "plain", place, value)
    with pytest.raises(lf.ReadError, match=message):
        lf.read_results(folder)


@pytest.mark.parametrize(
    "name, value",
    [("n_effective", "x"), ("heaviest", GONE), ("weights", 1), ("strata", "x"),
     ("first_by_request", {"AP": "a"})],
)  # fmt: skip
def test_weights_of_another_form_are_said(written, tmp_path, name, value):
    folder = edited(tmp_path, written, "weighed", ("weights", name), value)
    with pytest.raises(lf.ReadError, match="expected the weights of requests, found "):
        lf.read_results(folder)


def test_lacking_requests_without_runs_are_said(written, tmp_path):
    folder = edited(tmp_path, written, "scores", ("lacking",), {"AP": {}})
    with pytest.raises(lf.ReadError, match="expected the requests that runs lack, found "):
        lf.read_results(folder)
