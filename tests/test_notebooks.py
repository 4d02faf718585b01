"""The notebooks run from top to bottom, and what they show is what comes out today.

To execute them again and store the outputs, from the root of the repository:

    python tests/test_notebooks.py                                      all of them
    python tests/test_notebooks.py notebooks/01-first-evaluation.ipynb  some

The notebooks of the papers show deep-pass (2019) and eight runs of web (2012) as well, which the
folder LEXIFRAME_SHARED has; without it they are not executed anew.

Cells keep their source and their ids; outputs and metadata are written anew. Of pictures, what they
are is compared, not how they look: that depends on fonts.
"""

import base64
import gzip
import io
import os
import re
import sys
from collections import Counter
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
GUIDE = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_PAPERS = sorted((ROOT / "notebooks" / "papers").glob("*.ipynb"))
"""These analyse more collections when LEXIFRAME_COLLECTIONS names a folder of them."""
NOTEBOOKS = GUIDE + OF_PAPERS
AT_HAND = ["trec_dl_2019_passage", "trec_web_2012"]
"""The collections that the stored outputs of the papers' notebooks have beside the bundled one."""
DRAWN = ["altair", "vl_convert"]
"""What the pictures of all notebooks need; vl_convert makes them of Altair's charts."""
NEEDS = {  # what is not in the extra test either
    "03-joining-experiment-logs": ["mlflow", "sqlalchemy", "alembic"],
    "07-what-the-libraries-conclude": ["pyterrier", "ranx"],
    "12-from-pandas": ["pandas", "seaborn"],
}
WHOLE = next(path for path in OF_PAPERS if path.stem == "lexicographic-precision")
"""With LEXIFRAME_WHOLE_COLLECTIONS this one analyses all requests there, the others some."""
CELLS = re.compile(r"[\w.]+")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class ThisPython(KernelSpecManager):
    """The kernel of the interpreter that runs the tests, whatever kernels are installed."""

    def get_kernel_spec(self, kernel_name):
        """Give the same kernel by every name."""
        start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        quiet = ["--log-level=ERROR"]  # it warns that this machine could listen to itself
        return KernelSpec(argv=start + quiet, display_name="Python 3", language="python")


AS_NEW = """
import os
import warnings

import altair as alt
import polars as pl

shell = get_ipython()
shell.first = getattr(shell, "first", None) or (warnings.filters[:], dict(os.environ))
warnings.filters[:] = shell.first[0]
os.environ.clear()
os.environ.update(shell.first[1] | {variables!r})
os.chdir({folder!r})
alt.renderers.enable("default")
pl.Config.restore_defaults()
shell.execution_count = 1
shell.reset(new_session=False)
"""


class Kernel:
    """A kernel that executes one notebook after another, each as if it were the first.

    It starts once, because to import the libraries takes longer than most notebooks. Between two
    notebooks it forgets variables, options, the environment and the working folder.
    """

    def __init__(self, folder):
        self.files = folder / "kernel"
        self.files.mkdir()
        manager = AsyncKernelManager(
            kernel_spec_manager=ThisPython(), connection_file=str(self.files / "connection.json")
        )
        self.client = NotebookClient(new_notebook(), km=manager, timeout=300, record_timing=False)

    def executed(self, notebook, folder, **variables):
        """Run a copy of a notebook in a folder; an error in a cell is an error here.

        The notebook gets these environment variables besides its own.
        """
        place = folder / "place"
        place.mkdir()
        as_new = AS_NEW.format(variables=variables, folder=str(place))
        self.run(new_notebook(cells=[new_code_cell(as_new)]))
        return clean(self.run(nbformat.from_dict(notebook)))

    def run(self, notebook, **options):
        self.client.nb = notebook
        return self.client.execute(env=environment(self.files), **options)

    def close(self):
        self.run(new_notebook(), cleanup_kc=True)


@contextmanager
def started():
    """Start a kernel, and end it afterwards."""
    with TemporaryDirectory() as folder:
        kernel = Kernel(Path(folder))
        try:
            yield kernel
        finally:
            kernel.close()


@pytest.fixture(scope="module")
def kernel():
    with started() as kernel:
        yield kernel


def environment(files):
    """Give the kernel this checkout, and none of the user's settings of what and how to print."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    theirs = ("POLARS_", "MLFLOW_", "LEXIFRAME_COLLECTIONS", "LEXIFRAME_JUDGES", "LEXIFRAME_FRAMES")
    kept = {name: v for name, v in os.environ.items() if not name.startswith(theirs)}
    return kept | {
        "PYTHONPATH": path,
        "IPYTHONDIR": str(files / "ipython"),
        "TQDM_DISABLE": "1",  # on a slow machine a progress bar would be an output
        "PYTHONWARNINGS": "ignore:IProgress not found",  # tqdm, which mlflow imports
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_LOGGING_LEVEL": "WARNING",  # it would say, with the time, that it makes its tables
    }


def clean(notebook):
    """Take out the metadata that differ from one execution or editor to another."""
    notebook = nbformat.from_dict(notebook)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
    return notebook


def shown(notebook):
    """Give what each code cell says as text, by the cell's id."""
    return {
        cell.id: "\n".join([f"[{cell.execution_count}]", *map(text, cell.outputs)])
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def text(output):
    """Write an output as text, behind its kind, which for a stream is the stream's name."""
    said = output.text if "text" in output else output.data["text/plain"]
    said = re.sub(r"\b0x[0-9a-f]+", "0x…", said)  # where an object lies
    kinds = [kind for kind in sorted(output.get("data", {})) if kind.startswith("image/")]
    return f"{output.get('name', output.output_type)}: {' '.join(kinds)}\n{said}"


def with_collections_at_hand(folder, data):
    """Give the variables for a notebook of a paper: a folder that has the collections at hand."""
    place = folder / "collections"
    place.mkdir()
    for name in AT_HAND:
        (place / name).symlink_to(data / name)
    return {"LEXIFRAME_COLLECTIONS": str(place)}


def store(path):
    """Execute a notebook and write it with its outputs."""
    is_of_paper = Path(path).resolve() in OF_PAPERS
    data = Path(os.environ.get("LEXIFRAME_SHARED") or ROOT.parent / "shared").resolve() / "data"
    if is_of_paper and not data.is_dir():
        print(f"{path} is left as it is: its collections are not in {data}", file=sys.stderr)
        return
    with TemporaryDirectory() as folder, started() as kernel:
        variables = with_collections_at_hand(Path(folder), data) if is_of_paper else {}
        stored = nbformat.read(path, as_version=4)
        notebook = kernel.executed(stored, Path(folder), **variables)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = smaller(output.data["image/png"])
    nbformat.validate(notebook)
    Path(path).write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")


def smaller(png):
    """Give a picture with 128 colours, which takes a tenth of the room; text stays text."""
    from PIL import Image

    reduced = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    # This method keeps colours of few pixels, such as those of a legend.
    few = picture.quantize(128, method=Image.Quantize.MAXCOVERAGE)
    few.save(reduced, "PNG", optimize=True)
    return base64.b64encode(reduced.getvalue()).decode()


def test_the_guide_is_numbered_in_its_order():
    assert [path.stem[:3] for path in GUIDE] == [f"{n:02}-" for n in range(1, len(GUIDE) + 1)]


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_the_guide_is_short(path):
    """One sitting: at most 40 cells, and 150 lines of code."""
    cells = nbformat.read(path, as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    lines = [line for source in code for line in source.splitlines() if line.strip()]
    assert len(cells) <= (10 if path == GUIDE[0] else 40)
    assert len(lines) <= 150


def need_libraries_of(path):
    """Skip the test of a notebook whose libraries are not installed."""
    missing = [name for name in [*DRAWN, *NEEDS.get(path.stem, [])] if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, which the extras interop, peers and viz install")


@pytest.mark.slow
@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_stored_outputs_are_those_of_today(path, kernel, tmp_path):
    need_libraries_of(path)
    compare_with_today(path, kernel, tmp_path)


@pytest.mark.parametrize("path", OF_PAPERS, ids=lambda path: path.stem)
def test_what_the_papers_print_stands_beside_what_comes_out_today(path, kernel, shared, tmp_path):
    need_libraries_of(path)
    variables = with_collections_at_hand(tmp_path, shared / "data")
    compare_with_today(path, kernel, tmp_path, **variables)


def compare_with_today(path, kernel, folder, **variables):
    stored = nbformat.read(path, as_version=4)
    today = shown(kernel.executed(stored, folder, **variables))
    for cell, said in shown(stored).items():
        assert today[cell] == said, cell


@pytest.mark.slow
def test_a_paper_can_be_repeated_on_the_bundled_collection_alone(kernel, tmp_path):
    """Of three notebooks that look for others with the same cell this one takes the least time."""
    need_libraries_of(WHOLE)
    notebooks = [nbformat.read(path, as_version=4) for path in OF_PAPERS]
    setups = {
        cell.source for notebook in notebooks for cell in notebook.cells if cell.id == "setup"
    }
    assert len(setups) == 1
    said = shown(kernel.executed(nbformat.read(WHOLE, as_version=4), tmp_path))
    assert "digits" in said["counted"]
    assert not [name for name in AT_HAND for text in said.values() if name in text]


def test_there_is_a_notebook_for_each_paper():
    assert len(OF_PAPERS) == 3


def lines_of(path):
    """Give the lines of a file, which may be compressed, and the request of each."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [(line.split(None, 1)[0], line) for line in text.splitlines(keepends=True)]


def some_requests(runs, judgments, n=8):
    """Name those with the fewest answers and the lowest grades, and some from few rows to many."""
    best = {request: -1.0 for request, _ in judgments}
    for request, line in judgments:
        best[request] = max(best[request], float(line.split()[3]))
    rows = Counter(request for run in runs for request, _ in run if request in best)
    answers = Counter(request for run in runs for request in {*dict(run)} & best.keys())
    fewest, lowest, by_size = (
        sorted(best, key=lambda request: (of[request], request)) for of in (answers, best, rows)
    )
    return {*fewest[:2], *lowest[:2], *by_size[:: len(by_size) // n + 1]}


@pytest.fixture(scope="session")
def collections(shared, tmp_path_factory):
    """Copy all runs of each collection with some of its requests: an analysis of all takes long."""
    copy = tmp_path_factory.mktemp("collections")
    for qrels in (shared / "data").glob("*/qrels.trec"):
        runs = {path: lines_of(path) for path in qrels.parent.glob("runs/*")}
        judgments = {path: lines_of(path) for path in [qrels, *qrels.parent.glob("qrels.ndeval*")]}
        kept = some_requests([*runs.values()], judgments[qrels])
        lines = runs | judgments
        for path in lines:
            place = copy / path.parent.relative_to(shared / "data")
            place.mkdir(parents=True, exist_ok=True)
            some = (line for request, line in lines[path] if request in kept)
            (place / path.name.removesuffix(".gz")).write_bytes(b"".join(some))
    return copy


@pytest.mark.parametrize("path", OF_PAPERS, ids=lambda path: path.stem)
def test_every_collection_of_nine_runs_is_analysed(path, kernel, shared, collections, tmp_path):
    need_libraries_of(path)
    if path == WHOLE and os.environ.get("LEXIFRAME_WHOLE_COLLECTIONS"):
        collections = shared / "data"
    folders = [folder for folder in collections.iterdir() if (folder / "qrels.trec").exists()]
    runs = {folder.name: len([*folder.glob("runs/*")]) for folder in folders}
    large = {name for name, n in runs.items() if n >= 9}
    assert len(large) >= 5
    stored = nbformat.read(path, as_version=4)
    said = shown(kernel.executed(stored, tmp_path, LEXIFRAME_COLLECTIONS=str(collections)))
    assert {name for name in runs if name in said["counted"]} == large
    assert {name for name in runs if name in said["left-out"]} == runs.keys() - large


def test_what_five_models_as_judges_would_make_a_team_conclude(kernel, shared, tmp_path):
    """The text has the table that its cell prints for the collection with five judges."""
    path = next(path for path in NOTEBOOKS if path.stem.endswith("can-these-judgments-be-trusted"))
    need_libraries_of(path)
    stored = nbformat.read(path, as_version=4)
    folder = shared / "data" / "trec_dl_2019_passage"
    printed = shown(kernel.executed(stored, tmp_path, LEXIFRAME_JUDGES=str(folder)))["own"]
    text = next(cell.source for cell in stored.cells if cell.id == "own-said")
    written, today = (
        {
            cells[0]: cells
            for cells in map(CELLS.findall, said.splitlines())
            if "_" in "".join(cells[:1])
        }
        for said in (text, printed)
    )
    assert len(written) == 5
    assert written.items() <= today.items()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_teaches(path):
    """Each ends with an exercise, writes Parquet, draws, and can be looked at in a browser."""
    cells = nbformat.read(path, as_version=4).cells
    assert cells[-1].source.startswith("## Exercise")
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert any("write(" in c.source or "write_parquet(" in c.source for c in code)
    assert any("lf.bundled(" in cell.source for cell in code)
    assert any("image/png" in o.get("data", {}) for cell in code for o in cell.outputs)
    assert path.stat().st_size < 1_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_stored_clean(path):
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert stored == clean(stored)
    assert not [cell for cell, said in shown(stored).items() if "stderr:" in said]


if __name__ == "__main__":
    for notebook_path in sys.argv[1:] or NOTEBOOKS:
        store(notebook_path)
