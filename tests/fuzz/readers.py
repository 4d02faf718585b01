"""The readers under atheris: python tests/fuzz/readers.py [options of libFuzzer].

To run it: make fuzz-atheris.
An input is two bytes that choose a reader and what it is told (`Choices.of`), then a file. Inputs
that reach new code are kept in .fuzz/corpus; one that ends in anything but a table or a
LexiframeError that names the file ends the fuzzing, and lies in .fuzz as crash-..., timeout-... or
oom-.... Without its first two bytes it belongs into tests/fuzz/found, where test_corpus.py gives it
to all readers.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import atheris

with atheris.instrument_imports(include=["lexiframe.core.io", "lexiframe.connect.forms"]):
    from tests.fuzz.outcomes import READERS, Choices, check_outcome

HERE = Path(__file__).parent
KEPT = Path(".fuzz")
OPTIONS = ["-max_total_time=300", "-timeout=20", "-rss_limit_mb=4096", "-max_len=4096"]


def seeds():
    """Give each file of the corpus to each reader, with nothing said."""
    for folder in ("corpus", "found"):
        for path in sorted((HERE / folder).iterdir()):
            for number in range(len(READERS)):
                yield f"{path.name}-{number}", bytes([number, 0]) + path.read_bytes()


def main():
    with tempfile.TemporaryDirectory() as folder:
        place, start = Path(folder, "input"), Path(folder, "seeds")
        for directory in (start, KEPT / "corpus"):
            directory.mkdir(parents=True, exist_ok=True)
        for name, data in seeds():
            (start / name).write_bytes(data)

        def one_input(data):
            if len(data) > 2:
                place.write_bytes(data[2:])
                check_outcome(place, Choices.of(data[0], data[1]))

        places = [f"-dict={HERE / 'tokens.dict'}", f"-artifact_prefix={KEPT}/"]
        folders = [str(KEPT / "corpus"), str(start)]
        atheris.Setup([sys.argv[0], *OPTIONS, *places, *sys.argv[1:], *folders], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
