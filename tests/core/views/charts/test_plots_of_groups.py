"""`e.plot` of requests without an attribute, and with the level of the evaluation."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow

pytest.importorskip("altair")

FOLDER = lf.bundled("example")


def evaluated(**options):
    return lf.evaluate(FOLDER / "runs", FOLDER / "qrels.txt", ["LR", "AP"], **options)


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_requests_without_an_attribute_are_a_group():
    queries = evaluated().scores["query_id"].unique().sort()
    kinds = pl.DataFrame({"query_id": queries, "kind": ["odd", "odd", None, None, None]})
    e = evaluated(requests=kinds, by="kind")
    for kind in ("odd", None):
        rows = e.means.filter(pl.col("kind").eq_missing(pl.lit(kind)), measure="AP")
        drawn = pl.DataFrame(e.plot.means("AP", group={"kind": kind}).data.values)
        assert dict(drawn.select("run", "mean").rows()) == dict(rows.select("run", "mean").rows())


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_the_title_has_the_level_of_the_intervals(alpha):
    title = str(evaluated(alpha=alpha).plot.means("AP").to_dict())
    assert f"{100 * (1 - alpha):g} %" in title
