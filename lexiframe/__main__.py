"""``python -m lexiframe`` runs the command line."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


def main() -> None:
    """Run the command line; an interruption ends it quietly, even while modules are imported."""
    # Importing makes 150,000 objects, and none of them is garbage that one had to look for.
    gc.set_threshold(500_000)
    # The threads of NumPy's and SciPy's BLAS wait for work asleep, not in a loop that takes a core.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    with _noted_interruptions() as noted, _orderly_ends(), _quick_end():
        try:
            from lexiframe.core.cli.app import main as run

            run()
        except KeyboardInterrupt:
            sys.exit(130)  # the status that shells use: 128 + SIGINT
        except ImportError as error:
            if not (noted or _comes_from_an_interruption(error)):
                raise
            sys.exit(130)


@contextmanager
def _quick_end() -> Iterator[None]:
    """Let the interpreter end without a last look at all objects, which takes 0.05 s."""
    try:
        yield
    finally:
        gc.freeze()


@contextmanager
def _noted_interruptions() -> Iterator[list[int]]:
    """Note interruptions: a module in C that is interrupted may raise an ImportError instead."""
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # they are ignored, or somebody else's
        yield noted
        return
    with suppress(ValueError):  # only the main thread may do this
        signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGINT, before)


@contextmanager
def _orderly_ends() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program as an exit does, so that temporary files are removed.

    Signals that are ignored (nohup), or somebody else's, stay as they are.
    """

    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)  # the status that shells use

    names = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    there = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ours = [number for number in there if signal.getsignal(number) is signal.SIG_DFL]
    with suppress(ValueError):  # only the main thread may do this
        for number in ours:
            signal.signal(number, end)
    try:
        yield
    finally:
        with suppress(ValueError):
            for number in ours:
                signal.signal(number, signal.SIG_DFL)


def _comes_from_an_interruption(error: BaseException | None) -> bool:
    if error is None or isinstance(error, KeyboardInterrupt):
        return error is not None
    return _comes_from_an_interruption(error.__cause__ or error.__context__)


if __name__ == "__main__":
    main()
