"""Arrow's own form, as a file or as a stream."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lexiframe.io.files.form import Batch, Form, Opened

_FILE, _STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"


def _open(file: pa.NativeFile, where: str) -> Opened:
    is_stream = file.read(len(_STREAM)) == _STREAM
    file.seek(0)
    reader = pa.ipc.open_stream(file) if is_stream else pa.ipc.open_file(file)

    def batches(columns: list[str] | None, rows: int | None) -> Iterator[Batch]:
        if is_stream:  # its batches can be read once, and may be asked for again
            file.seek(0)
            return iter(pa.ipc.open_stream(file))
        return map(reader.get_batch, range(reader.num_record_batches))

    return Opened(reader.schema, batches)


FORM = Form("an Arrow file", (".arrow", ".arrows", ".feather", ".ipc"), (_FILE, _STREAM), _open)
