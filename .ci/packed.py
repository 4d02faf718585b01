"""Look into built files: the wheel has all of the package and nothing else, the sdist no outputs.

python .ci/packed.py dist/*
"""

import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
IN_SDIST = {".docs", "data", "lexiframe", "notebooks", "tests"}
NOT_IN_SDIST = {"__pycache__", ".site", ".venv", "shared", "dist", "build"}


def files(*folders: str) -> set[str]:
    """Return the files below folders of the repository, caches apart."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    names = {path.relative_to(ROOT).as_posix() for path in found}
    return {name for name in names if "__pycache__" not in name and ".DS_Store" not in name}


def problems_of_wheel(path: Path) -> list[str]:
    """Return what a wheel lacks, and what it should not have."""
    names = set(zipfile.ZipFile(path).namelist())
    data = {f"lexiframe/{n}" for n in files("data") if not n.endswith((".py", ".png", ".svg"))}
    expected = files("lexiframe") | data
    about = {name for name in names if ".dist-info/" in name}
    licence = [name for name in about if name.endswith("/licenses/LICENSE")]
    return [
        *(f"the wheel lacks {name}" for name in sorted(expected - names)),
        *(f"the wheel should not have {name}" for name in sorted(names - expected - about)),
        *(["the wheel lacks LICENSE"] if not licence else []),
        *(["the wheel lacks py.typed"] if "lexiframe/py.typed" not in names else []),
    ]


def problems_of_sdist(path: Path) -> list[str]:
    """Return what an sdist lacks, and what it should not have."""
    with tarfile.open(path) as archive:
        inside = [PurePosixPath(name).parts[1:] for name in archive.getnames()]
    names = {"/".join(parts) for parts in inside}
    lacking = (files(*IN_SDIST) | {"LICENSE", "README.md", "pyproject.toml"}) - names
    wrong = {"/".join(parts) for parts in inside if NOT_IN_SDIST & {*parts}}
    folders = {parts[0] for parts in inside if len(parts) > 1} - IN_SDIST
    return [
        *(f"the sdist lacks {name}" for name in sorted(lacking)),
        *(f"the sdist should not have {name}" for name in sorted(wrong | folders)),
    ]


def main(paths: list[str]) -> int:
    """Check one wheel and one sdist; return 0 when both are as they should be."""
    built = {Path(path).suffix: Path(path) for path in paths}
    if set(built) != {".whl", ".gz"}:
        print(f"expected a wheel and an sdist, found {paths}", file=sys.stderr)
        return 1
    found = [*problems_of_wheel(built[".whl"]), *problems_of_sdist(built[".gz"])]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
