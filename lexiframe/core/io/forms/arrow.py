"""Arrow's own form, as a file or as a stream."""

import pyarrow as pa

from lexiframe.core.io.files.form import Form, Opened


def _open(file: pa.NativeFile, where: str) -> Opened:
    from lexiframe.core.io.files.arrow_messages import open_arrow

    return open_arrow(file, where)


FORM = Form(
    "an Arrow file",
    (".arrow", ".arrows", ".feather", ".ipc"),
    (b"ARROW1\0\0", b"\xff\xff\xff\xff"),  # a file, and a stream
    _open,
)
