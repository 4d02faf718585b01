"""What the tests of charts share: pictures, pages, and specifications that are kept as snapshots.

When a chart was changed on purpose, write its snapshots anew, and look at the difference in git:

    LEXIFRAME_RENEW=1 python -m pytest tests/views/charts
"""

import json
import os
import re
from pathlib import Path

SNAPSHOTS = Path(__file__).parent / "snapshots"
UGLY = ["a</script><b>", "BM25: k1=0.9/b=0.4", 'it\'s "quoted" & <i>', "long_" * 40, "e\nf"]
"""Names that may break a page, a specification or a line."""
INJECTED = "</script><b>"
"""What no page may contain: it would end the script in which the chart stands."""


def rendered(chart):
    """Give the PNG of a chart, and its width and height in pixels."""
    import vl_convert

    png = vl_convert.vegalite_to_png(chart.to_dict())
    assert png.startswith(b"\x89PNG")
    return png, int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def page(chart):
    """Give the page that a chart is saved as."""
    return chart.to_html()


def layers(chart, mark):
    """Give the layers of a kind of mark, as they are specified, each with its rows."""
    spec = chart.to_dict()
    rows = {name: {"rows": values} for name, values in spec["datasets"].items()}
    return [
        one | rows.get(one.get("data", {}).get("name"), {})
        for one in spec["layer"]
        if one["mark"]["type"] == mark
    ]


def specification(chart):
    """Give what a chart says, without what Altair's version adds.

    Numbers have 9 digits, and data are called by their order: Altair calls them by a checksum.
    """
    spec = chart.to_dict()
    text = json.dumps({name: spec[name] for name in spec if name not in ("$schema", "config")})
    for number, name in enumerate(dict.fromkeys(re.findall(r'"(data-[0-9a-f]+)"', text))):
        text = text.replace(name, f"rows-{number}")
    return json.loads(text, parse_float=lambda number: float(f"{float(number):.9g}"))


def is_as_before(chart, name):
    """Say whether a specification is that of its snapshot; write it when that was asked for."""
    path = SNAPSHOTS / f"{name}.json"
    if os.environ.get("LEXIFRAME_RENEW"):
        text = json.dumps(specification(chart), indent=1, ensure_ascii=False, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    return json.loads(path.read_text(encoding="utf-8")) == specification(chart)
