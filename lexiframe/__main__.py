"""``python -m lexiframe`` is the command line."""

import sys


def main() -> None:
    """Run the command line; an interruption ends it without a word, also while it is loaded."""
    try:
        from lexiframe.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)  # as shells have it


if __name__ == "__main__":
    main()
