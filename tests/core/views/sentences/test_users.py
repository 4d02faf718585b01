"""What is said of requests that the judgments call users."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

USERS = [f"u{n}" for n in range(8)]
JUDGED = pl.DataFrame(
    {"user_id": USERS, "item_id": [*"abcdabcd"], "rating": [1, 1, 1, 1, 2, 1, 1, 1]}
)
RUNS = {
    name: pl.DataFrame({"user": USERS * 2, "item": items, "score": [2.0] * 8 + [1.0] * 8})
    for name, items in (("x", [*"abcdabcdbcdabcda"]), ("y", [*"bcdabcdaabcdabcd"]))
}  # fmt: skip


@pytest.mark.parametrize("form", ["frame", "table", "csv", "jsonl", "parquet"])
def test_an_evaluation_says_users_where_the_column_is_called_so(form, tmp_path):
    path = tmp_path / f"judged.{form}"
    written = {
        "csv": JUDGED.write_csv,
        "jsonl": JUDGED.write_ndjson,
        "parquet": JUDGED.write_parquet,
    }
    if form in written:
        written[form](path)
    given = {"frame": JUDGED, "table": lf.read_qrels(JUDGED)}.get(form, path)
    e = lf.evaluate(RUNS, given, ["RR", "RPP"])
    said = f"{e} {e.summary('all')} {e.markdown('RR')} {lf.verdict(e)}"
    assert "8 users" in said
    assert "request" not in said
    e.write(tmp_path / "results")
    assert str(lf.read_results(tmp_path / "results")) == str(e)
