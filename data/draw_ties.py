"""Draw the picture of the page about ties, with the code of that page.

Run ``python data/draw_ties.py`` from anywhere; it needs the extra ``viz`` and writes ``ties.png``
beside itself.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the page down to its chart."""
    text = (HERE.parent / ".docs" / "ties.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)[:2]:
        exec(block, names)
    names["chart"].save(HERE / "ties.png")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
