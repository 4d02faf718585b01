"""Draw how two runs become a verdict, with the numbers of the bundled example.

Run ``python data/draw_anatomy.py`` from anywhere; it writes ``anatomy.svg`` beside itself.
"""

import itertools
import textwrap
from pathlib import Path

import polars as pl

import lexiframe as lf

HERE = Path(__file__).parent
A, B = "pca8_euclidean", "pixels_euclidean"
SHORT = {run: run.partition("_")[0] for run in (A, B)}
MEASURES, REQUEST, DRAWN = ["RPP", "LP", "LR"], "q0206", 5
COLOURS = {A: "#0072b2", B: "#b34700", "tie": "#8a8a8a"}
WIDTH, HEIGHT, GAP, LEFT = 372, 200, 16, 14
FONT = "font-family='DejaVu Sans, Verdana, Helvetica, Arial, sans-serif'"


def text(x, y, words, size=12, colour="#555", anchor="start", weight="normal"):
    """Write a line of text."""
    place = f"x='{x:g}' y='{y:g}' text-anchor='{anchor}' font-weight='{weight}'"
    return f"<text {place} font-size='{size}' fill='{colour}'>{words}</text>"


def bold(x, y, words, size=13, colour="#222", anchor="start"):
    """Write a line in bold."""
    return text(x, y, words, size, colour, anchor, "bold")


def box(x, y, width, height, fill, line="none", corner=3):
    """Draw a rectangle."""
    place = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='{corner}'"
    return f"<rect {place} fill='{fill}' stroke='{line}'/>"


def cell(x, y, width, words, fill=""):
    """Draw a rectangle with a word in it: white on a colour, or grey on white."""
    drawn = box(x, y, width, 24, fill or "#fff", "#999")
    return drawn + text(x + width / 2, y + 17, words, 12, "#fff" if fill else "#555", "middle")


def winner(value):
    """Return the run that a preference is for, or a tie."""
    return A if value > 0 else B if value < 0 else "tie"


def rankings(e):
    """Show the first documents of both rankings, the relevant ones filled."""
    for run, y in ((A, 84), (B, 142)):
        yield bold(LEFT, y - 7, run, colour=COLOURS[run])
        ranked = pl.DataFrame(lf.read_runs(HERE / f"example/runs/{run}.run"))
        relevant = {*e.positions.filter(run=run, query_id=REQUEST)["doc_id"]}
        for n, document in enumerate(ranked.filter(query_id=REQUEST)["doc_id"].head(DRAWN + 1)):
            yield cell(LEFT + 57 * n, y, 53, document, COLOURS[run] if document in relevant else "")


def levels(e):
    """Return the rows of the drawn levels with the places of their columns, and all rows."""
    rows = e.explain(REQUEST, A, B, "RPP")
    drawn = rows.filter((pl.col("level") <= DRAWN) | (pl.col("decides") == "LR"))
    places = [LEFT + 146 + 33 * n + 14 * (n == DRAWN) for n in range(drawn.height)]
    return [*zip(places, drawn.rows(named=True), strict=True)], rows


def positions(e):
    """Show the rank of each relevant document."""
    drawn, rows = levels(e)
    yield text(LEFT, 86, "recall level") + text(drawn[-1][0] - 24, 86, "…", anchor="middle")
    for run, y in ((A, 114), (B, 142)):
        yield bold(LEFT, y, run, colour=COLOURS[run])
    for x, row in drawn:
        yield text(x, 86, row["level"], anchor="middle")
        yield text(x, 114, row["position_a"], 14, COLOURS[A], "middle")
        yield text(x, 142, row["position_b"], 14, COLOURS[B], "middle")
    yield text(LEFT, 176, f"{rows.height} images are relevant, so there are {rows.height} levels")


def preferences(e):
    """Show who is ahead at each level, and the preferences that follow."""
    drawn, rows = levels(e)
    yield text(LEFT, 80, "who is ahead")
    for x, row in drawn:
        yield cell(x - 12, 64, 24, row["level"], COLOURS[winner(row["sign"])] * bool(row["sign"]))
    of = e.pair(A, B).filter(query_id=REQUEST).rows_by_key("measure", named=True, unique=True)
    ahead, behind = (rows.filter(sign=sign).height for sign in (1, -1))
    mean = of["RPP"]["preference"]
    said = {
        "RPP": f"({ahead} ahead − {behind} behind) / {rows.height} = {mean:+.2f}",
        "LP": f"the first that differs, {of['LP']['deciding_level']}, decides",
        "LR": f"the last that differs, {of['LR']['deciding_level']}, decides",
    }
    for n, (measure, words) in enumerate(said.items()):
        run = winner(of[measure]["preference"])
        yield bold(LEFT, 118 + 28 * n, measure, 14) + text(LEFT + 42, 118 + 28 * n, words, 13)
        yield bold(WIDTH - LEFT, 118 + 28 * n, SHORT[run], 13, COLOURS[run], "end")


def win_rates(e):
    """Show who wins each request, and the shares."""
    for n, measure in enumerate(MEASURES):
        y = 84 + 36 * n
        yield bold(LEFT, y + 17, measure, 14)
        pairs = e.pair(A, B).filter(measure=measure).sort("query_id")
        for m, (request, value) in enumerate(pairs.select("query_id", "preference").rows()):
            words = f"{value:+.2f}" if value % 1 else f"{value:+.0f}" if value else "0"
            x = LEFT + 44 + 43 * m
            yield cell(x, y, 40, words.replace("-", "−"), COLOURS[winner(value)])
            yield text(x + 20, 76, request, 11, anchor="middle") if n == 0 else ""
        share = e.win_rates.filter(run_a=A, run_b=B, measure=measure)["win_rate"].item()
        yield bold(WIDTH - LEFT, y + 17, f"wins {100 * share:.0f} %", anchor="end")


def test(e):
    """Show the mean preference by RPP under all changes of signs."""
    values = e.pair(A, B).filter(measure="RPP")["preference"].to_numpy()
    changes = itertools.product([1, -1], repeat=len(values))
    means = sorted(round((values * signs).mean(), 9) for signs in changes)
    observed = round(values.mean(), 9)
    extreme = sum(abs(mean) >= abs(observed) for mean in means)
    p = e.comparisons.filter(measure="RPP", run_a=A, run_b=B)["p_value"].item()
    if extreme / len(means) != p:
        raise ValueError(f"drawn are {extreme} of {len(means)}, and the test says p = {p}")
    for mean, same in itertools.groupby(means):
        x, fill = WIDTH / 2 + 480 * mean, "#222" if abs(mean) >= abs(observed) else "#bbb"
        yield from (
            f"<circle cx='{x:g}' cy='{142 - 12 * n}' r='5' fill='{fill}'/>"
            for n, _ in enumerate(same)
        )
    x = WIDTH / 2 + 480 * observed
    yield f"<path d='M{LEFT} 150 H{WIDTH - LEFT} M{x:g} 88 V150' stroke='#222'/>"
    yield bold(x, 82, f"observed: mean RPP {observed:.2f}".replace("-", "−"), 12, anchor="middle")
    yield bold(LEFT, 178, f"p = {p}: {extreme} of {len(means)} sign changes give as much")


def verdict(e):
    """Show the sentence that is printed."""
    words = str(lf.verdict(e)["sentence"][0]).partition(" (the least")[0]
    for n, line in enumerate(textwrap.wrap(f"“{words}.”", 42)):
        yield bold(LEFT, 84 + 23 * n, line, 14)


PANELS = {
    "1 Runs and judgments": (rankings, f"request {REQUEST}: the first items, filled if relevant"),
    "2 Positions": (positions, "the rank of the first, second, third … relevant item"),
    "3 Preferences": (preferences, "two rankings of a request, level by level"),
    "4 Win rates": (win_rates, f"all requests, {SHORT[A]} against {SHORT[B]}; a tie is half"),
    "5 Test": (test, "of equal runs each preference could have the other sign"),
    "6 Verdict": (verdict, "who is first, and whether that is shown"),
}


def drawing() -> str:
    """Evaluate the example and draw its steps in two columns."""
    e = lf.evaluate(HERE / "example/runs", HERE / "example/qrels.txt", MEASURES)
    width, height = 2 * WIDTH + 3 * GAP, 3 * HEIGHT + 4 * GAP
    drawn = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' {FONT}>"]
    drawn.append(box(0, 0, width, height, "#fff", corner=0))
    for n, (title, (panel, words)) in enumerate(PANELS.items()):
        x, y = GAP + (WIDTH + GAP) * (n % 2), GAP + (HEIGHT + GAP) * (n // 2)
        drawn.append(f"<g transform='translate({x} {y})'>")
        drawn.append(box(0, 0, WIDTH, HEIGHT, "#f6f8fa", "#c9d1d9", 6))
        drawn += [bold(LEFT, 25, title, 16), text(LEFT, 45, words), *panel(e), "</g>"]
    return "\n".join([*drawn, "</svg>\n"])


if __name__ == "__main__":
    (HERE / "anatomy.svg").write_text(drawing(), encoding="utf-8")
