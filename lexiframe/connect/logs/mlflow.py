"""The runs in an MLflow store: `read_mlflow`."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlparse

import polars as pl

from lexiframe.connect.remote import hide_secrets
from lexiframe.core.base import LexiframeError, ReadError, n_and_first, typed, unknown_name
from lexiframe.core.io.files.data_sources import expanded, public_address
from lexiframe.core.io.logs.files import numbers_of

PAGE = 1000  # runs that are requested at once
_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ALLOW_FILE_STORE": "true",  # without this, new versions refuse folders
    "MLFLOW_SQLALCHEMYSTORE_POOLCLASS": "NullPool",  # or the database stays open
}
_PATIENCE = {  # if the user did not set them: by default MLflow waits minutes for a dead server
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
}
_SHOWN = 200
_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999  # of Python's years 1 to 9999
_TIMES = ("start_time", "end_time")
_TEXTS = ("run", "run_id", "experiment", "status")
_PARENT = "mlflow.parentRunId"
_ATTRIBUTES = dict.fromkeys(_TEXTS, pl.String()) | dict.fromkeys(_TIMES, pl.Int64())


@typed
def read_mlflow(
    tracking_uri: str | Path, experiment: str | int | Sequence[str | int] | None = None
) -> pl.DataFrame:
    """Read the runs of an MLflow store with MLflow's own client. Nothing is written to it.

    Parameters
    ----------
    tracking_uri
        The address of the store, such as ``sqlite:///mlflow.db`` or ``http://localhost:5000``, or
        the path of an SQLite file or of a folder (``mlruns``).
    experiment
        The name or id of one or several experiments; by default, all that are not deleted.

    Returns
    -------
    polars.DataFrame
        One row for each run that is not deleted, in the order of their start: ``run`` (its name,
        or its id if it has no name), ``run_id``, ``experiment``, ``status``, ``start_time`` and
        ``end_time`` (UTC), ``parent`` (the name of the run that it is nested in, or null);
        ``params.*``, as numbers if these write back to the same text (see `read_log`);
        ``metrics.*`` (the last value of each, float64, as in the store: MLflow's databases have
        ±1.7976931348623157e308 for ±inf); ``tags.*`` (without MLflow's own).

    Raises
    ------
    LexiframeError
        When MLflow, or the driver of a database, is not installed; when MLflow cannot read the
        store; and when its server does not answer two requests within 30 seconds each, or what
        ``MLFLOW_HTTP_REQUEST_MAX_RETRIES`` and ``MLFLOW_HTTP_REQUEST_TIMEOUT`` say.
    ReadError
        When the store does not exist.
    UnknownNameError
        When an experiment does not exist.

    Examples
    --------
    >>> import lexiframe as lf
    >>> log = lf.read_mlflow("sqlite:///mlflow.db", "bm25")  # doctest: +SKIP
    >>> lf.read_mlflow("sqlite:///nowhere.db")
    Traceback (most recent call last):
    lexiframe.ReadError: sqlite:///nowhere.db: there is no such MLflow store
    """
    with quiet_mlflow():
        try:
            return _read_experiments(_address(str(tracking_uri)), experiment)
        except LexiframeError:
            raise
        except Exception as error:  # noqa: BLE001 - of MLflow, its libraries, drivers and servers
            raise unreadable(str(tracking_uri), error) from None


def _read_experiments(
    address: str, experiment: str | int | Sequence[str | int] | None
) -> pl.DataFrame:
    mlflow, *_ = [needed(module) for module in ("mlflow", "alembic", "sqlalchemy")]
    client = mlflow.MlflowClient(address)
    experiments = _find_experiments(client, experiment)
    ids = list(experiments)
    runs = list(_all_pages(client.search_runs, experiment_ids=ids)) if ids else []
    return _frame_of_runs(runs, experiments)


def unreadable(uri: str, error: Exception, what: str = "read") -> LexiframeError:
    """Build the error for a store that cannot be read, or written to, with advice."""
    where = public_address(uri)
    reason = re.sub(r"//\S*@", "//", str(error).strip().partition("\n")[0])  # without a password
    reason = hide_secrets(reason, uri)[:_SHOWN]
    if isinstance(error, ImportError):
        return LexiframeError(f"{where}: needs the driver of its database ({reason}); install it")
    advice = "if another version wrote it, upgrade a copy with `mlflow db upgrade`"
    if re.match("https?:", where):
        advice = "is the address that of an MLflow server, and is it running?"
    version = needed("mlflow").__version__
    found = f"MLflow {version} cannot {what} this store ({reason})"
    return LexiframeError(f"{where}: {found}; {advice}")


def needed(module: str, function: str = "read_mlflow") -> Any:
    """Import a module for a function, which the error names if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise LexiframeError(
            f"{function} needs MLflow, SQLAlchemy and Alembic ({error}): "
            "pip install 'lexiframe[interop]'"
        ) from None


@contextmanager
def quiet_mlflow() -> Iterator[None]:
    """Silence MLflow's logs, warnings and telemetry; restore all settings at the end."""
    disabled = logging.root.manager.disable
    settings = {name: os.environ.get(name, n) for name, n in _PATIENCE.items()} | _SETTINGS
    before = {name: os.environ.get(name) for name in settings}
    logging.disable()  # all loggers, because it changes the levels of its own while it starts
    os.environ.update(settings)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(disabled)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# --- Where the store is -------------------------------------------------------------------------


def _address(uri: str) -> str:
    """Return an address by which MLflow reads an existing store and cannot change it."""
    if uri.startswith("sqlite:"):
        shown = uri.partition("?")[0]
        name = shown.removeprefix("sqlite:///")
        return _read_only(Path(name if Path(name).is_file() else unquote(name)), shown)
    if uri.startswith("file:"):
        from urllib.request import url2pathname

        return _folder(Path(url2pathname(urlparse(uri).path)), uri)
    if uri.startswith(("http:", "https:")) and not urlparse(uri).hostname:
        where = public_address(uri)
        raise ReadError(f"{where}: expected an address with the name of a server")
    path = expanded(uri)
    is_there = os.path.exists(path)  # noqa: PTH110 - false, not an error, for a name too long
    if "://" in uri or (uri.startswith(("databricks", "uc")) and not is_there):
        return uri
    return _folder(path, uri) if is_there and path.is_dir() else _read_only(path, uri)


def _folder(path: Path, uri: str) -> str:
    if not any(path.glob("*/meta.yaml")):
        raise ReadError(f"{uri}: expected a folder of MLflow experiments, each with a meta.yaml")
    return path.absolute().as_uri()


def _read_only(path: Path, uri: str) -> str:
    """Return an address of an SQLite file that allows reading only.

    Otherwise MLflow would add its tables to another tool's database, and upgrade an older version.
    """
    import sqlite3

    if not os.path.isfile(path):  # noqa: PTH113
        is_absolute = os.path.isfile(Path("/", path)) and not path.is_absolute()  # noqa: PTH113
        hint = f"; an absolute path has four slashes: sqlite:////{path}" if is_absolute else ""
        raise ReadError(f"{uri}: there is no such MLflow store{hint}")
    # Slashes are quoted too: MLflow would make the folders in an address with slashes.
    file = "file:" + quote(path.absolute().as_uri().removeprefix("file://"), safe="%")
    try:
        with closing(sqlite3.connect(f"{file}?mode=ro", uri=True)) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = sorted(name for (name,) in tables)
    except sqlite3.Error as error:
        raise ReadError(f"{uri}: cannot be read as an SQLite database ({error})") from None
    if not {"experiments", "runs", "params", "metrics"} <= set(names):
        raise ReadError(
            f"{uri}: expected the tables of an MLflow store, found {n_and_first(names)}"
        )
    url = needed("sqlalchemy.engine").URL.create(
        "sqlite", database=file, query={"mode": "ro", "uri": "true"}
    )
    return str(url.render_as_string())


# --- What is in it ------------------------------------------------------------------------------


def _all_pages(search: Callable[..., Any], **query: Any) -> Iterator[Any]:
    token = None
    while True:
        page = search(max_results=PAGE, page_token=token, **query)
        yield from page
        token = page.token
        if not token:
            return


def _find_experiments(
    client: Any, wanted: str | int | Sequence[str | int] | None
) -> dict[str, str]:
    """Return ``{id: name}`` of the wanted experiments."""
    known = {e.experiment_id: e.name for e in _all_pages(client.search_experiments)}
    if wanted is None:
        return known
    ids = {name: key for key, name in known.items()}
    chosen = {}
    for name in map(str, [wanted] if isinstance(wanted, str | int) else wanted):
        key = ids.get(name, name)
        if key not in known:
            raise unknown_name("MLflow experiment", name, ids)
        chosen[key] = known[key]
    return chosen


def _frame_of_runs(runs: list[Any], experiments: dict[str, str]) -> pl.DataFrame:
    rows = []
    for info in (run.info for run in runs):
        name, experiment = info.run_name or info.run_id, experiments[info.experiment_id]
        facts = (info.run_id, experiment, info.status, info.start_time, info.end_time)
        rows.append((name, *facts))
    attributes = pl.DataFrame(rows, schema=_ATTRIBUTES, orient="row")
    parents = pl.Series("parent", [run.data.tags.get(_PARENT) for run in runs], dtype=pl.String())
    names = dict(attributes.select("run_id", "run").rows())
    attributes = attributes.with_columns(parents.replace(names))
    _refuse_no_times(attributes)
    attributes = attributes.with_columns(pl.col(_TIMES).cast(pl.Datetime("ms", "UTC")))
    return attributes.hstack(
        [
            *map(
                numbers_of,
                _record_columns("params", [run.data.params for run in runs], pl.String()),
            ),
            *_record_columns("metrics", [run.data.metrics for run in runs], pl.Float64()),
            *_record_columns("tags", [_own_tags(run.data.tags) for run in runs], pl.String()),
        ]
    ).sort("start_time", "run", "run_id")


def _refuse_no_times(attributes: pl.DataFrame) -> None:
    """Raise for times before the year 1 or after 9999, which Python cannot represent."""
    for name in _TIMES:
        time = attributes[name]
        bad = time.filter(~time.is_between(_FIRST_MS, _LAST_MS))
        if len(bad):
            raise ValueError(f"{name} {bad[0]} is no time in milliseconds since 1970")


def _own_tags(tags: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in tags.items() if not name.startswith("mlflow.")}


def _record_columns(
    kind: str, records: list[dict[str, Any]], dtype: pl.DataType
) -> list[pl.Series]:
    names = sorted({name for record in records for name in record})
    return [
        pl.Series(f"{kind}.{name}", [record.get(name) for record in records], dtype)
        for name in names
    ]
