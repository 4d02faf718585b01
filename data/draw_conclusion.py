"""Draw the README's first picture, with the README's code: ``python data/draw_conclusion.py``.

It needs the extra ``viz`` and writes ``conclusion.png`` beside itself.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Evaluate as the README does, without its files, and draw the means."""
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0].partition("print(e)")[0]
    names: dict[str, object] = {}
    exec(code, names)
    chart = names["e"].plot.means(["RPP", "LP", "nDCG@10", "RR"])  # type: ignore[attr-defined]
    chart.save(HERE / "conclusion.png", scale_factor=2)


if __name__ == "__main__":
    main()
