"""Plants faults in a room of the package, one at a time, and prints those that no quick test sees.

``make mutants ROOM=core/projection ARGS="--n 40 --seed 0"`` draws places, and at each one of the
faults that cosmic-ray knows. They are planted in a copy, for the quick tests of the same folder.
"""

import argparse
import ast
import random
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import TestOutcome

HERE = Path(__file__).resolve().parents[1]


def types_in(path):
    """Give where annotations begin and end: a fault in them changes nothing that runs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for of in filter(None, (getattr(node, "annotation", None), getattr(node, "returns", None))):
            yield (of.lineno, of.col_offset), (of.end_lineno, of.end_col_offset)


def faults(room, n, seed):
    """Draw n places of a room, and a fault at each."""
    paths, at, draw = sorted(room.rglob("*.py")), {}, random.Random(seed)
    types = {path: [*types_in(path)] for path in paths}
    with use_db(str(room) + ".sqlite") as db:
        init(paths, db, {})
        for one in (item.mutations[0] for item in db.work_items):
            place = one.module_path, tuple(one.start_pos)
            if not any(start <= place[1] < end for start, end in types[one.module_path]):
                at.setdefault(place, {})[one.operator_name, one.occurrence] = one
    places = draw.sample(sorted(at), min(n, len(at)))
    return [at[place][draw.choice(sorted(at[place]))] for place in places]


asked = argparse.ArgumentParser()
asked.add_argument("room")
asked.add_argument("--n", type=int, default=40)
asked.add_argument("--seed", type=int, default=0)
asked = asked.parse_args()
with TemporaryDirectory() as folder:
    others = shutil.ignore_patterns(".git", ".venv*", ".*cache", ".hypothesis")
    shutil.copytree(HERE, folder, ignore=others, dirs_exist_ok=True)
    command = (
        f"{sys.executable} -m pytest -x -q -m 'not slow' -p no:cacheprovider --rootdir {folder}"
    )
    command += f" -c {folder}/pyproject.toml {folder}/tests/{asked.room}"
    if run_tests(command, 600)[0] is not TestOutcome.SURVIVED:
        sys.exit(f"the quick tests of {asked.room} fail without a fault")
    planted = faults(Path(folder, "lexiframe", asked.room), asked.n, asked.seed)
    found = [mutate_and_test([one], command, 300) for one in planted]
print(*(one.diff.replace(folder, "") for one in found if not one.is_killed), sep="\n\n")
print(f"\n{asked.room}: {sum(one.is_killed for one in found)} of {len(found)} killed")
