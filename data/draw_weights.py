"""Draw the picture of the page about weights, with the code of that page.

Run ``python data/draw_weights.py`` from anywhere; it needs the extra ``viz`` and writes
``weights.png`` beside itself.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the evaluation of the page, down to its chart."""
    text = (HERE.parent / ".docs" / "weights.md").read_text(encoding="utf-8")
    block = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[1]
    names: dict[str, object] = {}
    exec(block, names)
    names["chart"].save(HERE / "weights.png", scale_factor=2)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
