"""Draw the pictures of the README and of the pages in ``.docs``, with the code that they show.

Run ``python data/draw_pages.py``, or with the names of pages after it, such as ``guide``. It needs
Altair and Pillow, and writes each picture under the name that the page gives it, beside itself.
Those of the page ``live`` are what Chromium shows of the report and the leaderboard, by playwright.
"""

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

HERE = Path(__file__).parent
PAGES = ["guide", "ties", "weights", "worst"]


def charts(page: str) -> Iterator[tuple[str, Any]]:
    """Yield the name of each picture of a page, and the chart that the code above it ends with."""
    text = (HERE.parent / f".docs/{page}.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    above: Any = None
    for found in re.finditer(r"```python\n(.*?)```|\]\(\.\./data/(\w+)\.png\)", text, re.DOTALL):
        block, picture = found.groups()
        if picture:
            yield picture, above
        elif found.start() < text.rindex(".png)"):
            *body, last = ast.parse(block).body
            exec(compile(ast.Module(body, []), page, "exec"), names)
            if isinstance(last, ast.Expr):
                above = eval(compile(ast.Expression(last.value), page, "eval"), names)
            else:
                exec(compile(ast.Module([last], []), page, "exec"), names)
                above = names.get("chart")


def conclusion() -> Any:
    """Return the README's first picture: the means of the runs that its code evaluates."""
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)print", text, re.DOTALL)[0], names)
    return names["e"].plot.means(["RPP", "LP", "nDCG@10", "RR"])


def screens() -> Iterator[Path]:
    """Take the pictures of the page ``live``, and yield their paths."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(HERE.parent / ".docs"))
    from written import LIVE, write_live

    with TemporaryDirectory() as folder, sync_playwright() as p:
        write_live(Path(folder, "live"))
        browser = p.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        for name in LIVE:
            page.goto(Path(folder, "live", f"{name}.html").as_uri())
            page.wait_for_selector("main:not([hidden])")
            page.screenshot(path=HERE / f"{name}.png")
            yield HERE / f"{name}.png"


def saved(page: str) -> Iterator[Path]:
    """Draw the pictures of a page, and yield their paths."""
    if page == "live":
        yield from screens()
        return
    for name, chart in [("conclusion", conclusion())] if page == "README" else charts(page):
        chart.save(HERE / f"{name}.png", scale_factor=1.5)
        yield HERE / f"{name}.png"


def main() -> None:
    """Draw the pages that are named, or all of them."""
    for page in sys.argv[1:] or ["README", "live", *PAGES]:
        for path in saved(page):
            with Image.open(path) as picture:  # 64 colours take a tenth of the room
                picture.convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    main()
