"""Build the documentation into .site/html: write its sources, run Sphinx, look at what came out.

    python .docs/build.py

Nothing is loaded from a network, neither now nor by the pages. A warning of Sphinx is an error.
"""

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

sys.path.insert(0, str(Path(__file__).parent))

from built import problems
from written import write_sources

DOCS = Path(__file__).resolve().parent
SITE = DOCS.parent / ".site"
SOURCES, DOCTREES, HTML = SITE / "sources", SITE / "doctrees", SITE / "html"


def build() -> int:
    """Build the site; return 0, or 1 after saying what is wrong."""
    shutil.rmtree(SITE, ignore_errors=True)  # no page of yesterday, and no link to one
    write_sources(SOURCES)
    quiet = ["--jobs=auto", "--quiet", "--fail-on-warning", "--keep-going", "--show-traceback"]
    places = ["-c", str(DOCS), "-d", str(DOCTREES), str(SOURCES), str(HTML)]
    if failed := sphinx([*quiet, "-b", "html", *places]):
        return failed
    found = problems(HTML)
    print(*found, sep="\n", file=sys.stderr)
    if not found:
        print(f"The documentation is in {HTML / 'index.html'}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(build())
