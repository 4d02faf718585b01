"""``python -m lexiframe`` runs the command line."""

import sys


def main() -> None:
    """Run the command line; an interruption ends it quietly, even while modules are imported."""
    try:
        from lexiframe.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)  # the status that shells use: 128 + SIGINT


if __name__ == "__main__":
    main()
