"""Fetching remote files by their addresses, such as ``https://`` and ``s3://``."""

from __future__ import annotations

import re
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, IncompleteRead, InvalidURL
from queue import Empty, SimpleQueue
from threading import Event, Thread
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

import pyarrow as pa
from pyarrow import fs

from lexiframe.core.base import Problem, ReadError, errors

_PATIENCE = 60.0
"""How many seconds to wait for each piece of a file, and for repeated requests to a store."""
_PIECE = 1 << 16
_SHORT = 3  # characters of a secret up to which it may also be a part of other words
_LENGTH = 300  # characters of another library's message that are shown
_BROKEN = (OSError, ValueError, HTTPException)


def fetch(address: str, where: str) -> bytes:
    """Fetch a remote file, from the web with Python and otherwise with PyArrow's file systems.

    ``where`` is the address without its secret parts. Raise ReadError if the file cannot be fetched
    as a whole.
    """
    try:
        is_web = address.lower().startswith(("http://", "https://"))
        # Python sends no user and password: it would take the password for a port.
        if is_web and "@" in urlsplit(address).netloc:
            raise InvalidURL
        return _fetch_web(address) if is_web else _fetch_store(address)
    except InvalidURL:  # its message quotes parts of the address, which may be secret
        raise ReadError(
            f"{where}: is no address that can be fetched: a port is a number, spaces are written "
            "%20, and user and password cannot be part of it"
        ) from None
    except (*_BROKEN, pa.ArrowException) as error:
        message = hide_secrets(_message_of(error), address)
        advice = "check the address, or fetch the file and give its path"
        found = f"cannot be fetched ({message[:_LENGTH]})"
        raise ReadError(Problem(where, "", found, advice)) from None


def _message_of(error: Exception) -> str:
    """Return an error's message, with the error's name where the message alone says little."""
    text, name = errors.one_line(error), type(error).__name__
    return f"{name}: {text}" if isinstance(error, HTTPException) and name not in text else text


def hide_secrets(message: str, address: str) -> str:
    """Remove the parts of an address that may be secret from a message.

    Examples
    --------
    >>> hide_secrets("no port: 'pass'", "http://me:pass/word@example.org/x.run")
    "no port: '...'"
    """
    given = address.partition("//")[2]
    parts = [given.rpartition("@")[0], *re.split("[?#]", given, maxsplit=1)[1:]]
    secrets = {
        word
        for part in parts
        for marks in ("[?#&=@]", "[:/?#&=@]")
        for word in [part, *re.split(marks, part)]
    }
    secrets |= {unquote(word) for word in secrets}
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        pattern = re.escape(secret)
        pattern = rf"\b{pattern}\b" if len(secret) <= _SHORT else pattern
        message = re.sub(pattern, "...", message)
    return message


def _fetch_web(address: str) -> bytes:
    """Fetch a file in pieces, in a thread, so that a very slow server does not block forever."""
    pieces: SimpleQueue[bytes | Exception] = SimpleQueue()
    given_up, parts = Event(), []
    # As a daemon, a thread that waits for a server does not keep Python from ending.
    Thread(target=_send_pieces, args=(address, pieces, given_up), daemon=True).start()
    try:
        while piece := pieces.get(timeout=_PATIENCE):
            if isinstance(piece, Exception):
                raise piece
            parts.append(piece)
    except Empty:
        slow = f"fewer than {_PIECE:,} bytes came in {_PATIENCE:g} seconds"
        raise TimeoutError(slow) from None
    finally:
        given_up.set()
    return b"".join(parts)


def _send_pieces(address: str, pieces: SimpleQueue[bytes | Exception], given_up: Event) -> None:
    """Put the pieces of a file into a queue and an empty one at the end; or put the error."""
    try:
        with urlopen(address, timeout=_PATIENCE) as reply:
            _refuse_parts(reply)
            while not given_up.is_set():
                piece = reply.read(_PIECE)
                if not piece and reply.length:
                    raise IncompleteRead(b"", reply.length)
                pieces.put(piece)
                if not piece:
                    return
    except HTTPError as error:
        error.close()  # an HTTPError holds the open reply
        pieces.put(error)
    except _BROKEN as error:
        pieces.put(error)


def _refuse_parts(reply: HTTPResponse) -> None:
    """Raise for an answer that is a part of a file, and for one that has two lengths."""
    if reply.status == HTTPStatus.PARTIAL_CONTENT:
        raise OSError("the server sent only a part: HTTP 206")
    lengths = reply.headers.get_all("Content-Length", [])
    if len({length.strip() for length in lengths}) > 1:
        raise OSError(f"the server gives two lengths: {', '.join(lengths)}")


def _fetch_store(address: str) -> bytes:
    if address.startswith(("gs://", "gcs://")) and "retry_limit_seconds=" not in address:
        joint = "&" if "?" in address else "?"
        # The default is to retry for many minutes.
        address = f"{address}{joint}retry_limit_seconds={_PATIENCE:g}"
    filesystem, path = fs.FileSystem.from_uri(address)
    is_local = filesystem.type_name == "local"
    if is_local and filesystem.get_file_info(path).type == fs.FileType.Unknown:
        raise OSError("it is a device or a pipe")
    with filesystem.open_input_file(path) as file:
        data: bytes = file.read()
        return data
