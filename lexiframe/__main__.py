"""``python -m lexiframe`` runs the command line."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


def main() -> None:
    """Run the command line; an interruption ends it quietly, even while modules are imported."""
    with _noted_interruptions() as noted:
        try:
            from lexiframe.cli import main as run

            run()
        except KeyboardInterrupt:
            sys.exit(130)  # the status that shells use: 128 + SIGINT
        except ImportError as error:
            if not (noted or _comes_from_an_interruption(error)):
                raise
            sys.exit(130)


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


def _comes_from_an_interruption(error: BaseException | None) -> bool:
    if error is None or isinstance(error, KeyboardInterrupt):
        return error is not None
    return _comes_from_an_interruption(error.__cause__ or error.__context__)


if __name__ == "__main__":
    main()
