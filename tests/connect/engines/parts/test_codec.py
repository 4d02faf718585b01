"""Sums go to disk and come back to the bit, and bytes of somebody else run nothing."""

import io
import os
import pickle
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.core.evaluation.buckets.codec import DamagedError, decoded, encoded

FOLDER = lf.bundled("example")


class Harmful:
    """A pickle of it would make a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_what_is_encoded_comes_back_with_all_bits():
    bits = np.random.default_rng(0).integers(0, 2**63, 99).view(np.float64)
    frame = pl.DataFrame({"run": ["a", None], "n": [1, 2]})
    found = decoded(encoded({"x": (bits, [1, 2.5, None, True, "é"]), "t": frame}), ())
    assert found["x"][0].tobytes() == bits.tobytes()
    assert found["x"][1] == [1, 2.5, None, True, "é"]
    assert found["t"].equals(frame)


def test_no_bytes_run_code(tmp_path):
    for data in (pickle.dumps(Harmful(tmp_path / "made")), b"", b"x" * 99):
        with pytest.raises(DamagedError, match="the bytes are not as they were written"):
            decoded(data, ())
    held = io.BytesIO()
    np.savez(held, head=np.array([Harmful(tmp_path / "made")], dtype=object))
    data = held.getvalue()
    with pytest.raises(DamagedError, match="sums of requests: they cannot be read"):
        decoded(sha256(data).digest() + data, ())
    assert not (tmp_path / "made").exists()


def test_only_spark_loads_pickles_of_its_own_driver():
    package = Path(lf.__file__).parent
    loads = [f for f in package.rglob("*.py") if "pickle.loads" in f.read_text(encoding="utf-8")]
    assert [file.name for file in loads] == ["job.py"]


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """A folder in which an evaluation was interrupted after its second bucket, and what it asks."""

    def run(**more):
        return lf.evaluate(
            FOLDER / "runs", FOLDER / "qrels.txt", ["AP", "LR"], memory="400MB",
            out=tmp_path / "out", keep="scores", **more,
        )  # fmt: skip

    evaluate_bucket, seen = batches.evaluate_bucket, []

    def stop_at_third(*args, **kwargs):
        seen.append(1)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return evaluate_bucket(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(batches, "_SECONDS", -1)
        patched.setattr(batches, "n_buckets", lambda *_, **__: 4)
        patched.setattr(batches, "evaluate_bucket", stop_at_third)
        with pytest.raises(KeyboardInterrupt):
            run()
    job = tmp_path / "out" / ".lexiframe-job"
    assert (job / "sums.bin").exists()
    monkeypatch.setattr(batches, "n_buckets", lambda *_, **__: 4)
    return run, job


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["a flipped bit", "half of it", "a pickle", "nothing"])
def test_sums_that_are_damaged_are_computed_again(interrupted, tmp_path, harm):
    run, job = interrupted
    state = job / "sums.bin"
    data = bytearray(state.read_bytes())
    if harm == "a flipped bit":
        data[len(data) // 2] ^= 1
    harmed = {
        "a flipped bit": bytes(data), "half of it": bytes(data[: len(data) // 2]), "nothing": b"",
        "a pickle": pickle.dumps((2, Harmful(tmp_path / "made"))),
    }  # fmt: skip
    state.write_bytes(harmed[harm])
    with pytest.warns(lf.LexiframeWarning, match="is damaged, so all buckets are evaluated again"):
        e = run(resume=True)
    assert not (tmp_path / "made").exists()
    whole = lf.evaluate(FOLDER / "runs", FOLDER / "qrels.txt", ["AP", "LR"])
    assert e.means.equals(whole.means)
