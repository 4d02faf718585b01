"""``lexiframe gate --items``: margins of measures of lists and of the catalogue."""

import json

import pytest

import lexiframe as lf

DIGITS = lf.bundled("digits")
TWO = [DIGITS / "runs" / f"{name}.parquet" for name in ("pixels_euclidean", "pca8_euclidean")]
ITEMS = ("--items", DIGITS / "items.parquet", "--history", DIGITS / "history.parquet")
MARGINS = {"nDCG@10": 0.05, "Novelty@10": 0.5, "Coverage@10": 0.05}
ASKED = [word for name, size in MARGINS.items() for word in ("--margin", f"{name}={size}")]


@pytest.mark.slow
def test_it_decides_what_python_decides(lexiframe):
    found = lexiframe("gate", DIGITS / "qrels.parquet", *TWO, *ASKED, *ITEMS, "--format", "json")
    assert found.status == 3
    items = lf.read_items(DIGITS / "items.parquet", history=DIGITS / "history.parquet")
    e = lf.evaluate(TWO, DIGITS / "qrels.parquet", [*MARGINS], items=items)
    expected = lf.gate(e, MARGINS, baseline="pixels_euclidean", candidate="pca8_euclidean")
    rows = json.loads(found.out)
    assert {row["measure"]: row["outcome"] for row in rows} == {
        "nDCG@10": "undecided", "Coverage@10": "pass", "Novelty@10": "pass"
    }  # fmt: skip
    assert [row["p_value"] for row in rows] == expected["p_value"].to_list()
    assert {row["baseline"] for row in rows} == {"pixels_euclidean"}


def test_one_file_given_twice_is_refused(lexiframe):
    asked = ("-m", "Coverage@10", "--margin", "0.05", *ITEMS)
    found = lexiframe("gate", DIGITS / "qrels.parquet", TWO[0], TWO[0], *asked)
    assert found.status == 1
    assert "(candidate) and pixels_euclidean (baseline) are one file" in found.said


@pytest.mark.parametrize("other", [("--curve",), ("--replicates", "run")])
def test_what_does_not_go_with_items(lexiframe, other):
    found = lexiframe("gate", DIGITS / "qrels.parquet", *TWO, *ASKED, *ITEMS, *other)
    assert found.status == 2
    assert "--items does not go with --scores, --replicates" in " ".join(found.err.split())
