"""Pictures, pages and layers of charts, and names that may break them."""

UGLY = ["a</script><b>", "BM25: k1=0.9/b=0.4", 'it\'s "quoted" & <i>\\x', "long_" * 40, "e\nf"]
"""Names that may break a page, a specification or a line."""
INJECTED = "</script><b>"
"""What no page may contain: it would end the script in which the chart stands."""


def rendered(chart):
    """Give the PNG of a chart, and its width and height in pixels."""
    import vl_convert

    # To validate it as well takes longer than to draw it; snapshots are of valid specifications.
    png = vl_convert.vegalite_to_png(chart.to_dict(validate=False))
    assert png.startswith(b"\x89PNG")
    return png, int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def page(chart):
    """Give the page that a chart is saved as."""
    return chart.to_html()


def layers(chart, mark):
    """Give the layers of a kind of mark, as they are specified, each with its rows."""
    spec = chart.to_dict(validate=False)
    rows = {name: {"rows": values} for name, values in spec["datasets"].items()}
    return [
        one | rows.get(one.get("data", {}).get("name"), {})
        for one in spec["layer"]
        if one["mark"]["type"] == mark
    ]
