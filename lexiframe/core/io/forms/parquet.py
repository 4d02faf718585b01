"""Parquet."""

import pyarrow as pa

from lexiframe.core.io.files.form import Form, Opened


def _open(file: pa.NativeFile, where: str) -> Opened:
    from lexiframe.core.io.files.parquet_tables import open_parquet

    return open_parquet(file, where)


def _n_rows(file: pa.NativeFile) -> int:
    from pyarrow import parquet

    return int(parquet.read_metadata(file).num_rows)


FORM = Form(
    "Parquet", (".parquet",), (b"PAR1",), _open, n_rows=_n_rows, spark={"format": "parquet"}
)
