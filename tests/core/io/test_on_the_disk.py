"""A file is on the disk before it gets its name."""

import os

import lexiframe as lf


def test_what_is_written_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    waited, path = [], tmp_path / "a.parquet"
    monkeypatch.setattr(os, "fsync", lambda n: waited.append((os.fstat(n).st_size, path.exists())))
    lf.write_parquet(lf.read_runs(lf.bundled("example") / "runs"), path)
    assert waited[0] == (path.stat().st_size, False)
