"""The entry of the command `membrane`."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

REFUSED, INTERRUPTED, UNREAD = 1, 130, 141
"""The last two are a shell's codes for the end by Ctrl-C and by a closed pipe."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; see `commands.run` for the exit codes.

    Ctrl-C ends any command, also while the command loads, with a line and INTERRUPTED. Where the
    reader of a pipe is gone, as in `membrane list | head`, a command ends without a word; where
    nothing can be written, as to a full disk, with a line. A character that the encoding of
    standard output lacks is printed as an escape, as on standard error.
    """
    if sys.stdout is None:
        print("membrane: standard output is closed", file=sys.stderr)
        return REFUSED
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from membrane_cli.commands import run  # noqa: PLC0415 - Ctrl-C may come during the load

        try:
            code = run(arguments)
        finally:  # --help and --version raise SystemExit
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return UNREAD
    except OSError as error:
        _discard_output()
        print(f"membrane: standard output: {error.strerror}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("membrane: interrupted", file=sys.stderr)
        return INTERRUPTED
    else:
        return code


def _discard_output() -> None:
    """Keep the interpreter from writing the rest of the buffer at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
