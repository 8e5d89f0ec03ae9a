"""The entry of the command `membrane`."""

import os
import sys
from collections.abc import Sequence

INTERRUPTED, UNREAD = 130, 141
"""A shell's codes for the end by Ctrl-C and by a closed pipe: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong.

    Ctrl-C ends any command, also while the command loads, with a line and INTERRUPTED. Where
    nobody reads on, as in `membrane list | head`, a command ends without a word.
    """
    try:
        from membrane_cli.commands import run  # noqa: PLC0415 - Ctrl-C may come while it loads

        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except KeyboardInterrupt:
        print("membrane: interrupted", file=sys.stderr)
        return INTERRUPTED
    else:
        return code


if __name__ == "__main__":
    sys.exit(main())
