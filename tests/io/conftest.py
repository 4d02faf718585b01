"""Files to read."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file of that name, and give its path."""

    def write_file(data, name="bm25.run"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write_file
