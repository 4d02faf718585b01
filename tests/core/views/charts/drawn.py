"""What tests of charts share: pictures, pages, and specifications compared with stored ones.

A snapshot is the specification of a chart as JSON, in the folder ``snapshots``. After a change that
is meant to change charts, write them anew and look at the difference:

    LEXIFRAME_SNAPSHOTS=write make test ARGS=tests/core/views/charts
    git diff tests/core/views/charts/snapshots
"""

import json
import math
import os
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

FOLDER = Path(__file__).parent / "snapshots"


def specification(chart):
    """The chart as JSON, without the address of the schema, which names a version of Altair.

    Data sets are called by numbers: Altair names them by a hash of their values, whose last bits
    another processor may change.
    """
    found = chart.to_dict()
    found.pop("$schema")
    text = json.dumps(found, indent=1, ensure_ascii=False)
    for number, name in enumerate(found.get("datasets", {}), 1):
        text = text.replace(f'"{name}"', f'"data-{number}"')
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def are_alike(found, stored):
    """Whether two values of JSON are the same, numbers to 12 digits."""
    if isinstance(found, dict) and isinstance(stored, dict):
        return list(found) == list(stored) and all(are_alike(found[k], stored[k]) for k in found)
    if isinstance(found, list) and isinstance(stored, list):
        return len(found) == len(stored) and all(map(are_alike, found, stored))
    if isinstance(found, float) and isinstance(stored, float):
        return math.isclose(found, stored, rel_tol=1e-12, abs_tol=1e-15)
    return type(found) is type(stored) and found == stored


WRITES = os.environ.get("LEXIFRAME_SNAPSHOTS") == "write"


def compare_with_snapshot(chart, name):
    """Fail unless the chart is as its snapshot; write that if the environment asks for it."""
    path, found = FOLDER / f"{name}.json", specification(chart)
    if WRITES:
        path.write_text(found, encoding="utf-8")
    stored = path.read_text(encoding="utf-8")
    if not are_alike(json.loads(found), json.loads(stored)):
        assert found == stored, "see tests/core/views/charts/drawn.py"


def png(chart, scale=0.5):
    """The chart as a picture; the test is skipped without vl-convert."""
    vl_convert = pytest.importorskip("vl_convert")
    # To validate it as well takes longer than to draw it; snapshots are of valid specifications.
    picture = vl_convert.vegalite_to_png(chart.to_dict(validate=False), scale=scale)
    assert picture.startswith(b"\x89PNG")
    return picture


class Tags(HTMLParser):
    """The tags of a page, as a browser finds them."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append(tag)

    def handle_endtag(self, tag):
        self.found.append(f"/{tag}")

    def handle_comment(self, text):
        self.found.append("comment")


def rows(chart):
    """The rows of data that a chart shows."""
    return pl.DataFrame(chart.data.values, infer_schema_length=None)


def titles(chart):
    """The title and the lines below it."""
    title = chart.title.to_dict()
    return [title["text"], *title.get("subtitle", [])]
