"""The entry of the command `membrane`."""

import sys
from collections.abc import Sequence

INTERRUPTED = 130
"""What a shell calls the end by Ctrl-C: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong.

    Ctrl-C ends any command, also one that is still loading, with one line and INTERRUPTED.
    """
    try:
        from membrane_cli.commands import run  # noqa: PLC0415 - Ctrl-C may come while it loads

        return run(arguments)
    except KeyboardInterrupt:
        print("membrane: interrupted", file=sys.stderr)
        return INTERRUPTED
